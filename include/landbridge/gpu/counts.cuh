// What a run counts in its control block: links, and vertices without edges. Where links are counted, kernels stop as
// soon as nothing is left to unite.
#pragma once
#include "../view.hpp"
#include "warp.cuh"

namespace lb::gpu {

// Whether one tree is left. Exact where links are counted; never true otherwise, because the word stays 0.
__device__ inline bool one_tree(const u64* control, i64 n) {
  return device::load(control + word_links) + 1 >= static_cast<u64>(n) && n > 0;
}

// Whether every vertex that has an edge is in one tree: then nothing is left to unite.
__device__ inline bool all_united(const u64* control, i64 n) {
  const u64 links = device::load(control + word_links);
  return links != 0 && links + device::load(control + word_isolated) + 1 >= static_cast<u64>(n);
}

// Whether a launch runs.
__device__ inline bool runs(const u64* control, RunIf run_if, i64 bound) {
  if (run_if == RunIf::always) return true;
  const bool below = static_cast<i64>(control[word_coverage]) < bound;
  return (run_if == RunIf::coverage_below) == below;
}

// Adds what the threads of a block count to a word. All threads call it.
__device__ inline void add_counts(u64* word, u64 count) {
  count = block_sum(count);
  if (threadIdx.x == 0 && count != 0) atomicAdd(word, count);
}
__device__ inline void add_links(u64* control, u64 links) { add_counts(control + word_links, links); }

// Vertices without edges. In CSR that is not symmetric an edge may lead to a vertex whose own row is empty, so none is
// counted there.
__device__ inline void add_isolated(u64* control, u64 isolated, bool symmetric) {
  add_counts(control + word_isolated, symmetric ? isolated : 0);
}

template <class T, class O>
__device__ inline Csr<T, O> view_of(const CsrArrays<T, O>& graph) {
  return {graph.offsets, graph.neighbors, graph.vertices};
}

// The id of an endpoint: u or v of edge i.
template <class Id, class T>
__device__ inline Id endpoint(const T* ids, i64 stride, i64 i) {
  return static_cast<Id>(ids[i * stride]);
}

}  // namespace lb::gpu

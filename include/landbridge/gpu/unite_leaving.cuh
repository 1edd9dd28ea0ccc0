// Uniting the edges of CSR that lead to vertices outside the largest tree, in whatever rows they are: the last step
// where an edge may be in the row of one endpoint alone. Where none of some drawn ones does, all neighbors are read,
// and only for those outside a row is looked up.
#pragma once
#include "../random.hpp"
#include "bits.cuh"
#include "schedule.cuh"
#include "unite_edge.cuh"

namespace lb::gpu {

// The coverage of edges: the share of drawn ones that lead to a vertex inside. A block calls it.
template <class T, class O>
__device__ inline void cover_edges(const CsrArrays<T, O>& graph, u64* control, const SetOnlyBits& inside) {
  constexpr int each = drawn_labels / block_threads;
  const u64 edges = static_cast<u64>(graph.offsets[graph.vertices]);
  u32 leaving = 0;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const u64 a = mix(1, threadIdx.x + static_cast<u64>(k) * block_threads) % edges;
    leaving += static_cast<u32>(__syncthreads_count(!inside.has(static_cast<u64>(graph.neighbors[a]))));
  }
  if (threadIdx.x != 0) return;
  control[word_coverage] = coverage_scale - static_cast<u64>(leaving) * coverage_scale / drawn_labels;
}

// Word i of the fold: the vertices outside of all words of bits i + k * fold_words, together; and the coverage of
// edges. Blocks of block_threads, each for a warp's width of words.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    fold_outside(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ LeavingEdges leaving) {
  constexpr int parts = block_threads / warp_threads, each = 4;
  __shared__ u32 of_part[parts][warp_threads];
  if (one_tree(cells.control, cells.vertices)) return;
  if (blockIdx.x == 0) cover_edges(graph, cells.control, SetOnlyBits{leaving.inside});
  const i64 words = (cells.vertices + warp_threads - 1) / warp_threads;
  const i64 word = static_cast<i64>(blockIdx.x) * warp_threads + static_cast<i64>(lane());
  const int part = static_cast<int>(threadIdx.x) / warp_threads;
  u32 outside = 0;
  for (i64 w = word + part * fold_words; w < words; w += each * parts * fold_words) {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 at = w + i64{k} * parts * fold_words;
      if (at < words) outside |= ~leaving.inside[at];
    }
  }
  of_part[part][lane()] = outside;
  __syncthreads();
  if (part != 0) return;
#pragma unroll
  for (int k = 1; k < parts; ++k) outside |= of_part[k][lane()];
  leaving.fold[word] = outside;
}

// The vertices outside: first by the fold, a Bloom filter of one hash, the lowest bits, in shared memory, where that
// leaves out most of the others, then by bits.
struct OutsideFold {
  const u32* words;  // null where it leaves out too few
  SetOnlyBits inside;
  template <class Id>
  __device__ bool has(Id v) const {
    const u64 x = static_cast<u64>(v);
    if (words != nullptr && (words[x / warp_threads % fold_words] >> (x % warp_threads) & 1) == 0) return false;
    return !inside.has(x);
  }
};

// hooks.links points to a variable of the thread.
template <class Link, class Id, class T, class O, class Hooks>
__device__ inline void unite_leaving_edges(const CsrArrays<T, O>& graph, const Cells<Id>& cells,
                                           const LeavingEdges& leaving, const Hooks& hooks) {
  using F = ForestOf<Link, Id>;
  using Vertex = typename F::Id;
  constexpr int each = 8;
  __shared__ u32 fold[fold_words];
  u64* const control = cells.control;
  if (!runs(control, RunIf::coverage_from, leaving.bound)) return;
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, graph.vertices))) return;
  if (thread_in_grid() == 0) {
    control[word_adaptations] |= turn_rows;
    control[word_outside] = static_cast<u64>(graph.vertices);
  }
  int dense = 0;  // words with more than half of their bits set, minus the other ones
  for (int i = static_cast<int>(threadIdx.x); i < fold_words; i += block_threads) {
    fold[i] = leaving.fold[i];
    dense += __popc(fold[i]) > warp_threads / 2 ? 1 : -1;
  }
  const bool folds = 2 * __syncthreads_count(dense > 0) < block_threads;
  const OutsideFold outside{folds ? fold : nullptr, SetOnlyBits{leaving.inside}};
  const Csr<T, O> g = view_of(graph);
  const F forest = forest_of<Link>(cells);
  const i64 edges = g.begin(g.vertices), step = threads_in_grid();
  for (i64 first = thread_in_grid(); first - static_cast<i64>(lane()) < edges; first += each * step) {
    Id v[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 a = first + k * step;
      v[k] = a < edges ? static_cast<Id>(graph.neighbors[a]) : none<Id>;
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (v[k] == none<Id> || !outside.has(v[k])) continue;
      const i64 a = first + k * step;
      const Id x = static_cast<Id>(row_of(g, 0, a));
      phase::UniteRun<Link, F> run(forest);
      unite_edge<Hooks::may_defer>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(v[k]), hooks.of(a, x, v[k]),
                                   control);
    }
    hooks.pause();
  }
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    unite_leaving(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ LeavingEdges leaving) {
  u32 links = 0;
  unite_leaving_edges<Link>(graph, cells, leaving, Counting{&links});
}

}  // namespace lb::gpu

// How a run starts: singletons, the auxiliary cells of rules, and the hook-based start.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

// Zeroes the control block and the tiles of the numbering scan, and makes vertices singletons unless another kernel
// writes the parents.
template <class Id>
__global__ void start(const __grid_constant__ Cells<Id> cells, const __grid_constant__ NumberScan scan,
                      const __grid_constant__ StartOptions options) {
  const DeviceMemory<Id> m(cells.parent);
  const i64 n = cells.vertices;
  if (blockIdx.x == 0 && threadIdx.x < control_words) {
    cells.control[threadIdx.x] = threadIdx.x == word_capacity ? static_cast<u64>(options.deferred) : 0;
  }
  for (i64 i = thread_in_grid(); i < scan.tile_count; i += threads_in_grid()) scan.tiles[i] = 0;
  if (options.adopt != 0) return;
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) m.store(static_cast<Id>(x), static_cast<Id>(x));
}

// What a rule needs beside the parents: words with ranks, free auxiliary cells.
template <class Link, class Id>
__global__ void init_auxiliary(const __grid_constant__ Cells<Id> cells) {
  for (i64 x = thread_in_grid(); x < cells.vertices; x += threads_in_grid()) {
    if constexpr (Link::uses_aux) cells.aux[x] = none<Id>;
    if constexpr (Link::ranked) {
      const Id p = cells.parent[x];
      cells.words[x] = p == static_cast<Id>(x) ? RankedCell::root(0) : RankedCell::child(0, p);
    }
  }
}

// Hook-based start: every vertex below its first neighbor if that is smaller.
template <class Id, class T, class O>
__global__ void hook_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells) {
  const Csr<T, O> g = view_of(graph);
  const QuietMemory<Id> m(cells.parent);
  u64 hooked = 0, isolated = 0;
  for (i64 x = thread_in_grid(); x < g.vertices; x += threads_in_grid()) {
    const i64 begin = g.begin(x);
    const bool singleton = begin == g.end(x);
    const Id first = singleton ? static_cast<Id>(x) : static_cast<Id>(g.neighbors[begin]);
    hooked += !phase::hook_first(m, static_cast<Id>(x), first);
    isolated += singleton;
  }
  add_links(cells.control, hooked);
  add_isolated(cells.control, isolated, graph.symmetric != 0);
}

}  // namespace lb::gpu

// Kernels that flatten forests: every parent becomes a root, every root the smallest vertex of its tree.
#pragma once
#include "../phase/vertex.hpp"
#include "counts.cuh"
#include "rules.cuh"

namespace lb::gpu {

// Every parent becomes a root. No link runs. The grid's threads call it; each follows several paths at once: a warp
// takes as long as its longest.
template <class Id>
__device__ inline void flatten_paths(const DeviceMemory<Id>& m, i64 n) {
  constexpr int many = 4;
  for (i64 base = thread_in_grid(); base < n; base += many * threads_in_grid()) {
    Id p[many], g[many];
#pragma unroll
    for (int i = 0; i < many; ++i) {
      const i64 x = base + i * threads_in_grid();
      p[i] = x < n ? m.load_stale(static_cast<Id>(x)) : Id{0};
    }
#pragma unroll
    for (int i = 0; i < many; ++i) g[i] = m.load_stale(p[i]);
    for (bool rises = true; rises;) {
      rises = false;
#pragma unroll
      for (int i = 0; i < many; ++i) {
        const i64 x = base + i * threads_in_grid();
        if (x < n && phase::jump_step(m, static_cast<Id>(x), p[i], g[i])) rises = true;
      }
    }
  }
}

// The same as a kernel. With `if_deep` only if a long path has been met.
template <class Id>
__global__ void flatten(const __grid_constant__ Cells<Id> cells, const __grid_constant__ FlattenOptions options) {
  const i64 n = cells.vertices;
  if (one_tree(cells.control, n) || (options.if_deep != 0 && cells.control[word_deep] == 0)) return;
  if (options.links != nullptr && *options.links + 1 == static_cast<u64>(n)) {  // one tree: its root is vertex 0
    for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) cells.parent[x] = 0;
    return;
  }
  flatten_paths(DeviceMemory<Id>(cells.parent), n);
}

// The same from words that hold ranks; roots need not be minima afterwards.
template <class Find, class Id>
__global__ void flatten_ranked(const __grid_constant__ Cells<Id> cells) {
  const DeviceMemory<u64, RankedCell> m(cells.words);
  for (i64 x = thread_in_grid(); x < cells.vertices; x += threads_in_grid()) {
    cells.parent[x] = static_cast<Id>(Find::find(m, static_cast<u64>(x)));
  }
}

template <class Id>
__global__ void fill_none(const __grid_constant__ VertexArray<Id> array) {
  for (i64 x = thread_in_grid(); x < array.vertices; x += threads_in_grid()) array.cells[x] = none<Id>;
}

// Trees whose root is any member get their smallest vertex for a root, in two passes after fill_none(smallest).
template <class Id>
__global__ void offer_smallest(const __grid_constant__ Cells<Id> cells,
                               const __grid_constant__ VertexArray<Id> smallest) {
  const DeviceMemory<Id> m(smallest.cells);
  for (i64 x = thread_in_grid(); x < cells.vertices; x += threads_in_grid()) {
    phase::offer_low(m, cells.parent[x], static_cast<Id>(x));
  }
}
template <class Id>
__global__ void take_smallest(const __grid_constant__ Cells<Id> cells,
                              const __grid_constant__ VertexArray<Id> smallest) {
  for (i64 x = thread_in_grid(); x < cells.vertices; x += threads_in_grid()) {
    cells.parent[x] = smallest.cells[cells.parent[x]];
  }
}

}  // namespace lb::gpu

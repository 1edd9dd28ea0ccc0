// A whole run in one launch of one block, for graphs so small that launches are what they cost.
#pragma once
#include "kernels.cuh"

namespace lb::gpu {

constexpr int fused_threads = 1024;

// Numbers the roots of a settled forest and gives every vertex the number of its root: a scan by one block.
template <class Id>
__device__ inline u64 number_in_block(Id* parent, i64 n) {
  constexpr int warps = fused_threads / warp_threads;
  __shared__ int sums[warps];
  const DeviceMemory<Id> m(parent);
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  u64 before = 0;
  for (i64 base = 0; base < n; base += fused_threads) {
    const i64 x = base + threadIdx.x;
    const Id cell = x < n ? m.load(static_cast<Id>(x)) : none<Id>;
    const unsigned roots = __ballot_sync(0xffffffffu, cell == static_cast<Id>(x));
    if (lane() == 0) sums[warp] = __popc(roots);
    __syncthreads();
    int left = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) left += sums[w];
      all += sums[w];
    }
    const u64 mine = before + static_cast<u64>(left + __popc(roots & lanes_below()));
    if (x < n) m.store(static_cast<Id>(x), phase::mark_cell(cell, static_cast<Id>(x), static_cast<Id>(mine)));
    before += static_cast<u64>(all);
    __syncthreads();
  }
  for (i64 x = threadIdx.x; x < n; x += fused_threads) phase::resolve_label(m, static_cast<Id>(x));
  return before;
}

// Start, unite everything, number, for rules that need nothing beside the parents: edges are pairs (offsets is null) or rows, whose vertices warps take.
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(fused_threads)
    unite_small(const O* offsets, const T* a, const T* b, i64 a_stride, i64 b_stride, i64 n, i64 edges, Id* parent,
                u64* control) {
  const auto forest = forest_of<Link, Id>(parent, nullptr, nullptr);
  using F = decltype(forest_of<Link, Id>(parent, nullptr, nullptr));
  using Vertex = typename F::Id;
  const DeviceMemory<Id> m(parent);
  const hook::Nothing nothing;
  if (threadIdx.x < control_words) control[threadIdx.x] = 0;
  for (i64 x = threadIdx.x; x < n; x += fused_threads) m.store(static_cast<Id>(x), static_cast<Id>(x));
  __syncthreads();
  if (offsets == nullptr) {
    for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
      phase::UniteRun<Link, F> run(forest);
      run.edge(static_cast<Vertex>(a[i * a_stride]), static_cast<Vertex>(b[i * b_stride]), nothing);
    }
  } else {
    const Csr<T, O> g{offsets, a, n};
    for (i64 x = threadIdx.x / warp_threads; x < n; x += fused_threads / warp_threads) {
      phase::UniteRun<Link, F> run(forest);
      for (i64 i = g.begin(x) + lane(); i < g.end(x); i += warp_threads) {
        run.edge(static_cast<Vertex>(x), static_cast<Vertex>(a[i]), nothing);
      }
    }
  }
  __syncthreads();
  const u64 count = number_in_block(parent, n);
  if (threadIdx.x == 0) control[word_count] = count;
}

}  // namespace lb::gpu

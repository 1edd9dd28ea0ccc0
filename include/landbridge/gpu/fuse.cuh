// A whole run in one launch of one block, for graphs so small that launches are what they cost.
#pragma once
#include "kernels.cuh"

namespace lb::gpu {

constexpr int fused_threads = 1024;

// Numbers the roots of a forest and gives every vertex the number of its root: a scan by one block.
template <class M>
__device__ inline u64 number_in_block(const M& m, i64 n) {
  using Id = typename M::Cell;
  constexpr int warps = fused_threads / warp_threads;
  __shared__ int sums[warps];
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
  const u64 count = number_in_block(m, n);
  if (threadIdx.x == 0) control[word_count] = count;
}

// The same for pairs that nobody has looked at yet: finds the largest id, unites in shared memory, numbers, and writes the
// labels. Gives up, which word_trouble tells, if an id is negative or not below unseen_vertices. `control` may be memory of
// the host; of its words it fills word_count, word_low (n) and word_trouble.
template <class Link, class T>
__global__ void __launch_bounds__(fused_threads)
    unite_unseen(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 edges, u32* labels, u64* control) {
  using M = BlockMemory<u32>;
  __shared__ u32 cells[unseen_vertices];
  __shared__ u32 largest;
  const M m(cells);
  const Forest<M> forest{m, m};
  const hook::Nothing nothing;
  if (threadIdx.x == 0) largest = 0;
  for (i64 x = threadIdx.x; x < unseen_vertices; x += fused_threads) m.store(static_cast<u32>(x), static_cast<u32>(x));
  // As if unsigned, a negative id is a large one.
  u64 most = 0;
  for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
    const u64 a = static_cast<u64>(u[i * u_stride]), b = static_cast<u64>(v[i * v_stride]);
    most = a > most ? a : most;
    most = b > most ? b : most;
  }
  if (__syncthreads_or(most >= unseen_vertices)) {
    if (threadIdx.x == 0) control[word_trouble] = 1;
    return;
  }
  atomicMax(&largest, static_cast<u32>(most));
  for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
    phase::UniteRun<Link, Forest<M>> run(forest);
    run.edge(static_cast<u32>(u[i * u_stride]), static_cast<u32>(v[i * v_stride]), nothing);
  }
  __syncthreads();
  const i64 n = edges == 0 ? 0 : static_cast<i64>(largest) + 1;
  const u64 count = number_in_block(m, n);
  // A thread resolves the same vertices that it copies.
  for (i64 x = threadIdx.x; x < n; x += fused_threads) labels[x] = m.load(static_cast<u32>(x));
  if (threadIdx.x == 0) {
    control[word_count] = count;
    control[word_low] = static_cast<u64>(n);
    control[word_trouble] = 0;
  }
}

}  // namespace lb::gpu

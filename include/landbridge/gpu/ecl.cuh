// ECL-CC as published (Jaiganesh & Burtscher 2018): five kernels and a double-sided worklist, with the bounds between
// them as arguments, and relaxed atomics in place of its races.
#pragma once
#include "../phase/ecl.hpp"
#include "../phase/unite.hpp"
#include "../policy/link.hpp"
#include "schedule.cuh"

namespace lb::gpu {

template <class Id, class T, class O>
__global__ void ecl_start(const O* offsets, const T* neighbors, i64 n, Id* parent, i64 how) {
  const Csr<T, O> g{offsets, neighbors, n};
  const DeviceMemory<Id> m(parent);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const i64 begin = g.begin(x);
    const auto start = static_cast<phase::Start>(how);
    m.store(static_cast<Id>(x), phase::initial_parent(start, static_cast<Id>(x), neighbors + begin, g.end(x) - begin));
  }
}

// The arcs of a row to smaller neighbours that belong to this thread.
template <class Find, class Id, class T>
__device__ inline void ecl_row(const DeviceMemory<Id>& m, const T* neighbors, Id x, i64 begin, i64 end, i64 stride) {
  const Forest<DeviceMemory<Id>> forest{m, m};
  phase::UniteRun<link::Ecl<Find>, Forest<DeviceMemory<Id>>> run(forest);
  for (i64 a = begin; a < end; a += stride) {
    const Id y = static_cast<Id>(neighbors[a]);
    if (y < x) run.edge(x, y, callback::Nothing{});
  }
}

// Rows of up to `small` arcs, each by its thread; those of up to `large` go to the left of the list, longer ones to its
// right. After a start that looks at neighbours, a root has no smaller one, and its edges come from their other ends.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_short(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* list, u64* control, i64 small, i64 large,
              i64 singletons) {
  const Csr<T, O> g{offsets, neighbors, n};
  const DeviceMemory<Id> m(parent);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const Id v = static_cast<Id>(x);
    if (singletons == 0 && m.load(v) == v) continue;
    const i64 begin = g.begin(x), degree = g.end(x) - begin;
    if (degree > small && degree > large)
      list[n - 1 - static_cast<i64>(atomicAdd(control + word_large, u64{1}))] = v;
    else if (degree > small)
      list[atomicAdd(control + word_medium, u64{1})] = v;
    else
      ecl_row<Find>(m, neighbors, v, begin, begin + degree, 1);
  }
}

// The left of the list, a row a warp.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_medium(const O* offsets, const T* neighbors, i64 n, Id* parent, const Id* list, u64* control) {
  const Csr<T, O> g{offsets, neighbors, n};
  const DeviceMemory<Id> m(parent);
  const u64 medium = control[word_medium];
  for (;;) {
    u64 i = 0;
    if (lane() == 0) i = atomicAdd(control + word_taken, u64{1});
    i = __shfl_sync(0xffffffffu, i, 0);
    if (i >= medium) return;
    const i64 x = static_cast<i64>(list[i]);
    ecl_row<Find>(m, neighbors, list[i], g.begin(x) + lane(), g.end(x), warp_threads);
    __syncwarp();
  }
}

// The right of the list, a row a block.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_long(const O* offsets, const T* neighbors, i64 n, Id* parent, const Id* list, u64* control) {
  const Csr<T, O> g{offsets, neighbors, n};
  const DeviceMemory<Id> m(parent);
  const u64 large = control[word_large];
  __shared__ u64 mine;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) mine = atomicAdd(control + word_taken_large, u64{1});
    __syncthreads();
    if (mine >= large) return;
    const Id v = list[n - 1 - static_cast<i64>(mine)];
    const i64 x = static_cast<i64>(v);
    ecl_row<Find>(m, neighbors, v, g.begin(x) + threadIdx.x, g.end(x), block_threads);
  }
}

// Fini1 to Fini3, as 0 to 2.
template <class Id>
__global__ void ecl_finish(Id* parent, i64 n, i64 how) {
  const DeviceMemory<Id> m(parent);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const Id v = static_cast<Id>(x);
    if (how == 0)
      m.store(v, find::Inter<>::find(m, v));
    else if (how == 1)
      find::Compress<>::find(m, v);
    else
      phase::Single::find(m, v);
  }
}

}  // namespace lb::gpu

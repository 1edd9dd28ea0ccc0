// ECL-CC as published (Jaiganesh & Burtscher 2018): five kernels and a double-sided worklist, with the bounds between
// them as arguments, and relaxed atomics in place of its races.
#pragma once
#include "../phase/ecl.hpp"
#include "../phase/unite.hpp"
#include "../policy/link.hpp"
#include "counts.cuh"

namespace lb::gpu {

template <class Id, class T, class O>
__global__ void ecl_start(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                          const __grid_constant__ EclSchedule<Id> schedule) {
  const Csr<T, O> g = view_of(graph);
  const DeviceMemory<Id> m(cells.parent);
  const auto start = static_cast<phase::Start>(schedule.start);
  for (i64 x = thread_in_grid(); x < g.vertices; x += threads_in_grid()) {
    const i64 begin = g.begin(x);
    m.store(static_cast<Id>(x),
            phase::initial_parent(start, static_cast<Id>(x), g.neighbors + begin, g.end(x) - begin));
  }
}

// The edges of a row to smaller neighbors that belong to this thread.
template <class Find, class Id, class T>
__device__ inline void ecl_row(const DeviceMemory<Id>& m, const T* neighbors, Id x, i64 begin, i64 end, i64 stride) {
  const Forest<DeviceMemory<Id>> forest{m, m};
  phase::UniteRun<link::Ecl<Find>, Forest<DeviceMemory<Id>>> run(forest);
  for (i64 a = begin; a < end; a += stride) {
    const Id y = static_cast<Id>(neighbors[a]);
    if (y < x) run.edge(x, y, callback::Nothing{});
  }
}

// Rows of up to `small` neighbors, each by its thread; those of up to `large` go to the left of the list, longer ones
// to its right. After an initialisation that reads neighbors, a root has no smaller one, and its edges come from their
// other endpoints.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_short(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
              const __grid_constant__ EclSchedule<Id> schedule) {
  const Csr<T, O> g = view_of(graph);
  const DeviceMemory<Id> m(cells.parent);
  const i64 n = g.vertices, small = schedule.small, large = schedule.large;
  Id* const list = schedule.list;
  u64* const control = cells.control;
  const bool singletons = static_cast<phase::Start>(schedule.start) == phase::Start::self;
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const Id v = static_cast<Id>(x);
    if (!singletons && m.load(v) == v) continue;
    const i64 begin = g.begin(x), degree = g.end(x) - begin;
    if (degree > small && degree > large)
      list[n - 1 - static_cast<i64>(atomicAdd(control + word_large, u64{1}))] = v;
    else if (degree > small)
      list[atomicAdd(control + word_medium, u64{1})] = v;
    else
      ecl_row<Find>(m, g.neighbors, v, begin, begin + degree, 1);
  }
}

// The left of the list, a row per warp.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_medium(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EclSchedule<Id> schedule) {
  const Csr<T, O> g = view_of(graph);
  const DeviceMemory<Id> m(cells.parent);
  const Id* const list = schedule.list;
  u64* const control = cells.control;
  const u64 medium = control[word_medium];
  for (;;) {
    u64 i = 0;
    if (lane() == 0) i = atomicAdd(control + word_medium_next, u64{1});
    i = __shfl_sync(0xffffffffu, i, 0);
    if (i >= medium) return;
    const i64 x = static_cast<i64>(list[i]);
    ecl_row<Find>(m, g.neighbors, list[i], g.begin(x) + lane(), g.end(x), warp_threads);
    __syncwarp();
  }
}

// The right of the list, a row per block.
template <class Find, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    ecl_long(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
             const __grid_constant__ EclSchedule<Id> schedule) {
  const Csr<T, O> g = view_of(graph);
  const DeviceMemory<Id> m(cells.parent);
  const Id* const list = schedule.list;
  u64* const control = cells.control;
  const u64 large = control[word_large];
  __shared__ u64 mine;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) mine = atomicAdd(control + word_large_next, u64{1});
    __syncthreads();
    if (mine >= large) return;
    const Id v = list[g.vertices - 1 - static_cast<i64>(mine)];
    const i64 x = static_cast<i64>(v);
    ecl_row<Find>(m, g.neighbors, v, g.begin(x) + threadIdx.x, g.end(x), block_threads);
  }
}

// Fini1 to Fini3, as 0 to 2.
template <class Id>
__global__ void ecl_finish(const __grid_constant__ Cells<Id> cells, const __grid_constant__ EclSchedule<Id> schedule) {
  const DeviceMemory<Id> m(cells.parent);
  const i64 n = cells.vertices, how = schedule.finish;
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

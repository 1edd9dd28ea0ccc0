// Numbering the components by their smallest vertices, and labels.
#pragma once
#include "../phase/vertex.hpp"
#include "counts.cuh"

namespace lb::gpu {

// Every count becomes the sum of those before it; returns the sum of all. All lanes of one warp call it.
template <int size>
__device__ inline u64 sums_before(int* counts) {
  constexpr int share = size / warp_threads;
  int* const own = counts + static_cast<int>(lane()) * share;
  int sum = 0;
  for (int j = 0; j < share; ++j) sum += own[j];
  const int upto = sum_up_to(sum);
  int running = upto - sum;
  for (int j = 0; j < share; ++j) {
    const int count = own[j];
    own[j] = running;
    running += count;
  }
  return static_cast<u64>(__shfl_sync(0xffffffffu, upto, warp_threads - 1));
}

// Blocks per multiprocessor: many hide the time in which a tile waits for those before it.
template <class Id>
constexpr int numbering_blocks = sizeof(Id) == 4 ? 6 : 3;

// Numbers the roots in order of their ids and marks all other cells as parents: one pass, a scan with decoupled
// look-back. Nothing is numbered, here and below, while there are deferred edges. A grid of block_threads.
template <class Id>
__device__ inline void number_cells(const Cells<Id>& cells, const NumberScan& scan) {
  const i64 n = cells.vertices;
  u64* const control = cells.control;
  constexpr int warps = block_threads / warp_threads;
  __shared__ u64 ticket, before;
  __shared__ int counts[scan_items * warps];
  const QuietMemory<Id> m(cells.parent);
  const bool unfinished = control[word_deferred] != 0;
  const bool one = one_tree(control, n);
  if (unfinished) return;
  if (one) {
    if (blockIdx.x == 0 && threadIdx.x == 0) control[word_count] = 1;
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const i64 tile_count = (n + scan_tile - 1) / scan_tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(control + word_ticket, u64{1});
    __syncthreads();
    const i64 tile = static_cast<i64>(ticket);
    if (tile >= tile_count) return;
    const i64 base = tile * scan_tile + threadIdx.x;
    Id cell[scan_items];
    const auto roots_of_warp = [base](Id own, int j) {
      return __ballot_sync(0xffffffffu, own == static_cast<Id>(base + j * block_threads));
    };
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const i64 x = base + j * block_threads;
      cell[j] = x < n ? m.load(static_cast<Id>(x)) : none<Id>;
    }
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const unsigned roots = roots_of_warp(cell[j], j);
      if (lane() == 0) counts[j * warps + warp] = __popc(roots);
    }
    __syncthreads();
    if (warp == 0) {
      const u64 total = sums_before<scan_items * warps>(counts);
      const u64 prefix = sum_before(scan.tiles, tile, total);
      if (lane() == 0) {
        before = prefix;
        if (tile == tile_count - 1) control[word_count] = prefix + total;
      }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const i64 x = base + j * block_threads;
      const int rank = __popc(roots_of_warp(cell[j], j) & lanes_below());
      if (x >= n) continue;
      const u64 mine = before + static_cast<u64>(counts[j * warps + warp] + rank);
      m.store(static_cast<Id>(x), phase::mark_cell(cell[j], static_cast<Id>(x), static_cast<Id>(mine)));
    }
  }
}

// Every cell takes the number of its root. Where there is one component, nothing needs to be looked up. A thread
// follows several paths at once.
template <class Id>
__device__ inline void label_cells(const Cells<Id>& cells) {
  const i64 n = cells.vertices;
  const u64* const control = cells.control;
  const bool unfinished = control[word_deferred] != 0;
  const DeviceMemory<Id> m(cells.parent);
  const bool one = control[word_count] == 1;
  if (unfinished) return;
  if (one) {
    for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) m.store(static_cast<Id>(x), Id{0});
    return;
  }
  constexpr int many = 4;
  for (i64 base = thread_in_grid(); base < n; base += many * threads_in_grid()) {
    Id cell[many], number[many];
#pragma unroll
    for (int i = 0; i < many; ++i) {
      const i64 x = base + i * threads_in_grid();
      cell[i] = x < n ? m.load_stale(static_cast<Id>(x)) : Id{0};
    }
#pragma unroll
    for (int i = 0; i < many; ++i)
      number[i] = phase::holds_parent(cell[i]) ? phase::stale_cell_of_parent(m, cell[i]) : Id{0};
    // Most forests are flat by now: a number is found, or each step is stored so that long paths shrink.
    bool far = false;
#pragma unroll
    for (int i = 0; i < many; ++i) {
      const Id x = static_cast<Id>(base + i * threads_in_grid());
      if (!phase::holds_parent(cell[i])) continue;
      if (phase::holds_parent(number[i]))
        far = true;
      else
        m.store(x, number[i]);
    }
    if (!far) continue;
    for (int step = 1; step < phase::short_climb; ++step) {
#pragma unroll
      for (int i = 0; i < many; ++i)
        if (phase::holds_parent(number[i])) number[i] = phase::stale_cell_of_parent(m, number[i]);
    }
    for (bool rises = true; rises;) {
      rises = false;
#pragma unroll
      for (int i = 0; i < many; ++i) {
        const Id x = static_cast<Id>(base + i * threads_in_grid());
        if (phase::holds_parent(cell[i]) && phase::resolve_step(m, x, cell[i], number[i])) rises = true;
      }
    }
  }
}

template <class Id>
__global__ void __launch_bounds__(block_threads, numbering_blocks<Id>)
    number(const __grid_constant__ Cells<Id> cells, const __grid_constant__ NumberScan scan) {
  number_cells(cells, scan);
}
template <class Id>
__global__ void label(const __grid_constant__ Cells<Id> cells) {
  label_cells(cells);
}

}  // namespace lb::gpu

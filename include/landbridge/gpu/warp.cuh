// What threads of a warp, a block and the grid do together.
#pragma once
#include "../memory.hpp"
#include "layout/components.hpp"

namespace lb::gpu {

__device__ inline unsigned lane() { return threadIdx.x & (warp_threads - 1); }
__device__ inline unsigned lanes_below() { return (1u << lane()) - 1; }
__device__ inline i64 thread_in_grid() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline i64 threads_in_grid() { return static_cast<i64>(gridDim.x) * blockDim.x; }

// Aggregated append: a place in a queue for each lane that appends, for one atomic per warp. All lanes call it.
template <class Count>
__device__ inline Count append(Count* tail, bool appends) {
  const unsigned some = __ballot_sync(0xffffffffu, appends);
  if (some == 0) return 0;
  Count base = 0;
  const int leader = __ffs(static_cast<int>(some)) - 1;
  if (static_cast<int>(lane()) == leader) base = atomicAdd(tail, static_cast<Count>(__popc(some)));
  base = __shfl_sync(0xffffffffu, base, leader);
  return base + static_cast<Count>(__popc(some & lanes_below()));
}

// Merges equal links inside a warp: of the active lanes with the same pair, true for one. A lane that gets false may go
// on: the pair is united before the kernel ends.
__device__ inline bool first_with(u32 a, u32 b) {
  const unsigned active = __activemask();
  const u64 pair = static_cast<u64>(a) << 32 | b;
  return (__match_any_sync(active, pair) & lanes_below()) == 0;
}
__device__ inline bool first_with(u64 a, u64 b) {
  const unsigned active = __activemask();
  return (__match_any_sync(active, a) & __match_any_sync(active, b) & lanes_below()) == 0;
}

// A barrier for a grid that fits the device at once (a cooperative launch). `arrivals` starts at 0 for each kernel and
// only rises; `round` is each thread's own count of barriers passed.
__device__ inline void grid_barrier(u64* arrivals, u64& round) {
  ++round;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrivals, u64{1});
    while (device::load(arrivals) < round * gridDim.x) __nanosleep(40);
    __threadfence();
  }
  __syncthreads();
}

// The sum of `v` over the lanes up to this one. All lanes of the warp call it.
template <class T>
__device__ inline T sum_up_to(T v) {
  for (int d = 1; d < warp_threads; d <<= 1) {
    const T below = __shfl_up_sync(0xffffffffu, v, static_cast<unsigned>(d));
    if (static_cast<int>(lane()) >= d) v += below;
  }
  return v;
}

// The sum of `v` over a block, in thread 0.
__device__ inline u64 block_sum(u64 v) {
  __shared__ u64 part[32];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane() == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < (blockDim.x >> 5) ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  }
  __syncthreads();
  return v;
}

// The sum of all tiles before one whose own sum is `total`: a scan with decoupled look-back (Merrill & Garland 2016). A
// tile's word is 0, then its sum, then the sum up to and with it; the two bits on top say which. Tiles are taken in
// order, so those before a running one run or are done. All lanes of one warp call it.
__device__ inline u64 sum_before(u64* tiles, i64 tile, u64 total) {
  constexpr u64 has_sum = u64{1} << 62;
  constexpr u64 has_prefix = u64{2} << 62;
  constexpr u64 value_mask = has_sum - 1;
  u64 prefix = 0;
  if (tile > 0) {
    if (lane() == 0) device::store(tiles + tile, has_sum | total);
    // Lanes read the 32 tiles before; the nearest with a prefix ends the search.
    for (i64 last = tile - 1; last >= 0; last -= warp_threads) {
      const i64 at = last - static_cast<i64>(lane());
      u64 word = at < 0 ? has_prefix : device::load(tiles + at);
      while (word == 0) {
        __nanosleep(20);
        word = device::load(tiles + at);
      }
      const unsigned ends = __ballot_sync(0xffffffffu, word >= has_prefix);
      const int stop = ends == 0 ? warp_threads : __ffs(static_cast<int>(ends));
      u64 part = static_cast<int>(lane()) < stop ? word & value_mask : 0;
      for (int d = warp_threads / 2; d > 0; d >>= 1) part += __shfl_xor_sync(0xffffffffu, part, d);
      prefix += part;
      if (ends != 0) break;
    }
  }
  if (lane() == 0) device::store(tiles + tile, has_prefix | (prefix + total));
  return prefix;
}

}  // namespace lb::gpu

// Wide reads of ids.
#pragma once
#include "layout/streams.hpp"

namespace lb::gpu {

// Four ids in a row, read once: they leave the caches to the parents.
__device__ inline void read_four(const u32* p, u32 (&x)[lane_edges]) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(p));
  x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}
__device__ inline void read_four(const u64* p, u64 (&x)[lane_edges]) {
  const auto* pairs = reinterpret_cast<const ulonglong2*>(p);
  const ulonglong2 low = __ldcs(pairs), high = __ldcs(pairs + 1);
  x[0] = low.x, x[1] = low.y, x[2] = high.x, x[3] = high.y;
}

}  // namespace lb::gpu

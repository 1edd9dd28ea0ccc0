// Bits of vertices.
#pragma once
#include "../memory.hpp"

namespace lb::gpu {

// Bits of vertices, which are only ever set.
struct SetOnlyBits {
  u32* words;
  __device__ bool has(u64 x) const { return (device::load_weak(words + (x >> 5)) >> (x & 31) & 1) != 0; }
  __device__ void set(u64 x) const { atomicOr(words + (x >> 5), u32{1} << (x & 31)); }
  // Sets the bit of x; whether this call has.
  __device__ bool add(u64 x) const {
    const u32 bit = u32{1} << (x & 31);
    return (atomicOr(words + (x >> 5), bit) & bit) == 0;
  }
};

}  // namespace lb::gpu

// Validation of ids and row offsets in device memory.
#pragma once
#include "counts.cuh"

namespace lb::gpu {

// The range of ids, as if unsigned: the largest, and the first position whose id is `bound` or more. The report starts
// as zeros.
template <class T>
__global__ void check_ids(const __grid_constant__ IdCheck<T> check) {
  const u64 bound = check.bound;
  u64 largest = 0, wrong = 0;
  for (i64 i = thread_in_grid(); i < check.count; i += threads_in_grid()) {
    const u64 id = static_cast<u64>(check.ids[i * check.stride]);
    if (id > largest) largest = id;
    if (id >= bound && none<u64> - static_cast<u64>(i) > wrong) wrong = none<u64> - static_cast<u64>(i);
  }
  for (int d = warp_threads / 2; d > 0; d >>= 1) {
    const u64 l = __shfl_xor_sync(0xffffffffu, largest, d);
    const u64 w = __shfl_xor_sync(0xffffffffu, wrong, d);
    largest = l > largest ? l : largest;
    wrong = w > wrong ? w : wrong;
  }
  if (lane() == 0) {
    u64* const most = check.report + validation_word_largest;
    u64* const first = check.report + validation_word_wrong;
    if (largest > device::load(most)) atomicMax(most, largest);
    if (wrong > device::load(first)) atomicMax(first, wrong);
  }
}

// The first position at which row offsets fall.
template <class O>
__global__ void check_offsets(const __grid_constant__ OffsetCheck<O> check) {
  const O* const offsets = check.offsets;
  for (i64 i = thread_in_grid(); i < check.vertices; i += threads_in_grid()) {
    if (offsets[i + 1] < offsets[i]) {
      atomicMax(check.report + validation_word_wrong, none<u64> - static_cast<u64>(i));
    }
  }
}

}  // namespace lb::gpu

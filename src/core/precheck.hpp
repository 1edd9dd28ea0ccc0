// phase::differing for 64 edges of 32-bit vertices, eight cells an instruction where the processor does that well.
#pragma once
#include "landbridge/memory.hpp"
#include "landbridge/phase/precheck.hpp"
#include "vector_instructions.hpp"

namespace lb::core {

#if LB_VECTOR_INSTRUCTIONS
// Each cell is read by one aligned access of its own, as by a relaxed load.
__attribute__((target("avx2"))) inline u64 differing_gathered(const u32* parent, const u32* u, const u32* v) {
  const auto* cells = reinterpret_cast<const int*>(parent);
  const auto ids = [](const u32* p) __attribute__((target("avx2"))) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  };
  u64 bits = 0;
  for (int i = 0; i < 64; i += 8) {
    const __m256i a = _mm256_i32gather_epi32(cells, ids(u + i), 4);
    const __m256i b = _mm256_i32gather_epi32(cells, ids(v + i), 4);
    const int equal = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
    bits |= static_cast<u64>(~equal & 0xff) << i;
  }
  return bits;
}
#endif

// Writes the bits of edges 0..count-1 to open[0..(count + 63) / 64).
template <class Id>
void precheck_edges(Id* parent, const Id* u, const Id* v, i64 count, u64* open) {
  i64 i = 0;
#if LB_VECTOR_INSTRUCTIONS
  if constexpr (sizeof(Id) == 4) {
    for (const bool gathers = gathers_well(); gathers && i + 64 <= count; i += 64)
      open[i >> 6] = differing_gathered(parent, u + i, v + i);
  }
#endif
  const SharedMemory<Id> cells(parent);
  for (; i < count; i += 64) {
    open[i >> 6] = phase::differing(cells, u + i, v + i, static_cast<int>(count - i < 64 ? count - i : 64));
  }
}

}  // namespace lb::core

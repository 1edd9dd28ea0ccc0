// Vector instructions beyond those that every processor of an architecture has.
#pragma once

// ThreadSanitizer sees the reads of a loop, and none of an intrinsic.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define LB_VECTOR_INSTRUCTIONS 1
#else
#define LB_VECTOR_INSTRUCTIONS 0
#endif

namespace lb::core {

// Whether the processor gathers faster than it loads word by word. False where LB_VECTOR_INSTRUCTIONS is 0.
bool gathers_well();
// How many lanes of 32 bits the processor compares and moves together: 16, 8, or 0 where it has neither AVX-512 nor
// AVX2 or LB_VECTOR_INSTRUCTIONS is 0.
int widest_lanes();

}  // namespace lb::core

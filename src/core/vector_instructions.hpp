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

// Whether the processor gathers faster than it loads word by word; whether it moves lanes of 512 bits together by a
// mask. False where LB_VECTOR_INSTRUCTIONS is 0.
bool gathers_well();
bool has_wide_masks();

}  // namespace lb::core

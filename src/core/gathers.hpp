// Whether words at eight places are read by one instruction.
#pragma once

// ThreadSanitizer sees the reads of a loop, and none of an intrinsic.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define LB_GATHERS 1
#else
#define LB_GATHERS 0
#endif

namespace lb::core {

// Whether the processor gathers faster than it loads word by word. False where LB_GATHERS is 0.
bool gathers_well();

}  // namespace lb::core

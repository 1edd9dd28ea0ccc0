// Set bits of a word; written out because the baseline x86-64 has no instruction for it and the library call costs
// more.
#pragma once
#include <cstdint>

namespace lb::core {

inline std::int64_t bit_count(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<std::int64_t>(x * 0x0101010101010101 >> 56);
}

}  // namespace lb::core

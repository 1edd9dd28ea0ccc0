// Scanning of decimal numbers and lines, eight to thirty-two bytes at a time, without assuming anything
// about the processor beyond little-endian loads. Shared by every text format.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lb::core::scan {

static_assert(std::endian::native == std::endian::little, "the scanner reads eight digits as one little-endian word");

// How far past the start of a line the fast paths may read: 32 bytes of mask, then an 8-byte load that
// starts at the latest on the last of them.
inline constexpr std::ptrdiff_t reach = 40;

inline std::uint64_t load8(const char* p) noexcept {
  std::uint64_t w;
  std::memcpy(&w, p, 8);
  return w;
}

// Bit i is set if p[i] is no decimal digit, for i in [0, 32).
inline std::uint32_t nondigits32(const char* p) noexcept {
#if defined(__SSE2__)
  // A byte is a digit if, taken off '0' and moved to the signed range, it is below -128 + 10.
  const __m128i shift = _mm_set1_epi8(static_cast<char>(-128 - '0'));
  const __m128i bound = _mm_set1_epi8(-128 + 9);
  const auto mask = [&](const char* q) {
    const __m128i x = _mm_add_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q)), shift);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(x, bound)));
  };
  return mask(p) | mask(p + 16) << 16;
#else
  std::uint32_t m = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t w = load8(p + 8 * i);
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    const std::uint64_t x = w ^ 0x3030303030303030;                            // a digit becomes 0..9
    const std::uint64_t high = (((x & low) + 0x7676767676767676) | x) & ~low;  // bit 7: more than 9
    m |= static_cast<std::uint32_t>((high >> 7) * 0x0102040810204080 >> 56) << (8 * i);
  }
  return m;
#endif
}

// The value of the `length` digits at p, 1 <= length <= 8; reads 8 bytes.
inline std::uint64_t digits8(const char* p, unsigned length) noexcept {
  std::uint64_t w = (load8(p) - 0x3030303030303030) << (64 - 8 * length);  // leading zeros in front
  w = w * 10 + (w >> 8);                                                   // pairs, in every other byte
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  return ((w & pairs) * 0x000f424000000064 + (w >> 16 & pairs) * 0x0000271000000001) >> 32;
}

// The value of the `length` digits at p, 9 <= length <= 16; reads up to 16 bytes.
inline std::uint64_t digits16(const char* p, unsigned length) noexcept {
  return digits8(p, length - 8) * 100000000 + digits8(p + (length - 8), 8);
}

// Number of line feeds in [p, end).
inline std::int64_t count_lines(const char* p, const char* end) noexcept {
  std::int64_t n = 0;
  while (end - p >= 32) {
    // 32 counters of a byte each, emptied before they can overflow; compilers turn this into vector code.
    std::uint8_t lane[32] = {};
    for (int k = 0; k < 255 && end - p >= 32; ++k, p += 32) {
      for (int j = 0; j < 32; ++j) lane[j] = static_cast<std::uint8_t>(lane[j] + (p[j] == '\n'));
    }
    for (const std::uint8_t c : lane) n += c;
  }
  for (; p < end; ++p) n += *p == '\n';
  return n;
}

inline bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
inline bool is_separator(char c) noexcept { return c == ' ' || c == '\t' || c == ',' || c == ';'; }

// The end of the line that starts at p: its line feed, or `end`.
inline const char* line_end(const char* p, const char* end) noexcept {
  const void* q = p < end ? std::memchr(p, '\n', static_cast<std::size_t>(end - p)) : nullptr;
  return q != nullptr ? static_cast<const char*>(q) : end;
}

// The same without the carriage returns in front of the line feed.
inline const char* trim_return(const char* p, const char* eol) noexcept {
  while (eol > p && eol[-1] == '\r') --eol;
  return eol;
}

}  // namespace lb::core::scan

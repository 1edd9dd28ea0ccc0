// Sorting in place with stop points. Short ranges are sorted by comparisons; a long one is split by the leading bits in
// which its elements differ, again and again, because one comparison sort of it could not be stopped.
#pragma once
#include <algorithm>
#include <bit>
#include <utility>

#include "interrupt.hpp"
#include "landbridge/platform.hpp"

namespace lb::core {
namespace long_sort_detail {

constexpr i64 short_range = i64{1} << 14;  // no stop point inside one
constexpr int digit_bits = 8;

// The unsigned words of an element whose order is that of the elements, the first one before the others.
template <class Id>
struct Words {
  static constexpr int count = 1;
  static u64 get(Id id, int) { return id; }
};
template <class Id>
struct Words<std::pair<Id, i64>> {
  static constexpr int count = 2;
  static u64 get(const std::pair<Id, i64>& x, int word) { return word == 0 ? x.first : static_cast<u64>(x.second); }
};

// The bits in which word number `word` of some elements differ.
template <class T>
u64 different_bits(const T* items, i64 n, int word) {
  const u64 first = Words<T>::get(items[0], word);
  u64 bits = 0;
  in_blocks(i64{0}, n, i64{1} << 16, [&](i64 b, i64 e) {
    for (i64 i = b; i < e; ++i) bits |= Words<T>::get(items[i], word) ^ first;
  });
  return bits;
}

// Sorts elements whose words before number `word` are equal.
template <class T>
void sort_by_words(T* items, i64 n, int word) {
  if (n <= short_range) return std::sort(items, items + n);
  const u64 bits = different_bits(items, n, word);
  if (bits == 0) return word + 1 < Words<T>::count ? sort_by_words(items, n, word + 1) : void();
  const int shift = std::max(0, static_cast<int>(std::bit_width(bits)) - digit_bits);
  constexpr u64 digits = u64{1} << digit_bits;
  const auto digit = [&](const T& x) { return Words<T>::get(x, word) >> shift & (digits - 1); };
  i64 next[digits] = {}, end[digits];
  in_blocks(i64{0}, n, i64{1} << 16, [&](i64 b, i64 e) {
    for (i64 i = b; i < e; ++i) ++next[digit(items[i])];
  });
  i64 sum = 0;
  for (u64 d = 0; d < digits; ++d) {
    sum += std::exchange(next[d], sum);
    end[d] = sum;
  }
  i64 steps = 0;
  for (u64 d = 0; d < digits; ++d) {
    while (next[d] < end[d]) {
      stop_point_at(++steps);
      T x = items[next[d]];
      for (u64 to = digit(x); to != d; to = digit(x)) {
        stop_point_at(++steps);
        std::swap(x, items[next[to]++]);
      }
      items[next[d]++] = x;
    }
  }
  i64 begin = 0;
  for (const i64 e : end) {
    if (e - begin > 1) sort_by_words(items + begin, e - begin, word);
    begin = e;
  }
}

}  // namespace long_sort_detail

// Sorts n ids, or pairs of an id and a number that is not negative, ascending. Where it is stopped, some of them may
// have been lost.
template <class T>
void sort_with_stops(T* items, i64 n) {
  long_sort_detail::sort_by_words(items, n, 0);
}

}  // namespace lb::core

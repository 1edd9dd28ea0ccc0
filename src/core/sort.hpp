// Parallel radix sort of 64-bit keys, and the removal of repeats from a sorted array.
//
// One pass moves the keys into up to 2,048 buckets by their leading bits; then each bucket is sorted by the
// remaining bits on one thread, inside a cache where the keys are spread evenly. A bucket that holds a large
// share of all keys is split again by all threads. O(n * bits / 11), n words of scratch, any distribution.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fresh_pages.hpp"
#include "interrupt.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace lb::core {
namespace sort_detail {

using Key = std::uint64_t;
inline constexpr int digit_bits = 11;
inline constexpr std::int64_t parallel_from = std::int64_t{1} << 16;  // smaller inputs stay on one thread

// Where worker w's share of n items begins.
inline std::int64_t share(std::int64_t n, int w, int workers) {
  return n / workers * w + std::min<std::int64_t>(w, n % workers);
}

// body(i) for the items [begin, end) in order, with stop points.
template <class Body>
void each(std::int64_t begin, std::int64_t end, const Body& body) {
  in_blocks(begin, end, std::int64_t{1} << 16, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i) body(i);
  });
}

inline void copy(const Key* from, Key* to, std::int64_t n) {
  in_blocks(std::int64_t{0}, n, std::int64_t{1} << 16,
            [&](std::int64_t b, std::int64_t e) { std::copy(from + b, from + e, to + b); });
}

// Sorts from[0, n) by bits [skip, bits) into to[0, n), on this thread; `from` is overwritten.
inline void sort_serial(Key* from, Key* to, std::int64_t n, int bits, int skip) {
  if (n < 256) {
    std::sort(from, from + n);  // the bits above `bits` are equal in all keys
    std::copy(from, from + n, to);
    return;
  }
  const int passes = (bits - skip + digit_bits - 1) / digit_bits;
  if (passes % 2 == 0) {
    copy(from, to, n);
    std::swap(from, to);
  }
  std::int64_t count[1 << digit_bits];
  for (int pass = 0, shift = skip; pass < passes; ++pass) {
    const int width = (bits - shift + passes - pass - 1) / (passes - pass);
    const Key mask = (Key{1} << width) - 1;
    std::fill(count, count + (std::int64_t{1} << width), 0);
    each(0, n, [&](std::int64_t i) { ++count[from[i] >> shift & mask]; });
    std::int64_t sum = 0;
    for (Key d = 0; d <= mask; ++d) sum += std::exchange(count[d], sum);
    each(0, n, [&](std::int64_t i) { to[count[from[i] >> shift & mask]++] = from[i]; });
    std::swap(from, to);
    shift += width;
  }
}

// Sorts keys[0, n) by bits [skip, bits) (all higher bits are equal); scratch[0, n) is overwritten.
inline void sort_range(Key* keys, Key* scratch, std::int64_t n, int bits, int threads, int skip) {
  if (n < 2 || bits <= skip) return;
  if (n < parallel_from) {
    std::copy(keys, keys + n, scratch);
    sort_serial(scratch, keys, n, bits, skip);
    return;
  }
  const int width = std::min(bits - skip, digit_bits), shift = bits - width;
  const std::int64_t digits = std::int64_t{1} << width;
  const Key mask = static_cast<Key>(digits - 1);
  std::vector<std::int64_t> place(static_cast<std::size_t>(threads * digits));
  parallel(threads, [&](int w) {
    std::int64_t* own = place.data() + w * digits;
    each(share(n, w, threads), share(n, w + 1, threads), [&](std::int64_t i) { ++own[keys[i] >> shift & mask]; });
  });
  std::vector<std::int64_t> start(static_cast<std::size_t>(digits + 1));
  std::int64_t sum = 0;
  for (std::int64_t d = 0; d < digits; ++d) {
    start[d] = sum;
    for (int w = 0; w < threads; ++w) sum += std::exchange(place[w * digits + d], sum);
  }
  start[digits] = n;
  parallel(threads, [&](int w) {
    std::int64_t* own = place.data() + w * digits;
    each(share(n, w, threads), share(n, w + 1, threads),
         [&](std::int64_t i) { scratch[own[keys[i] >> shift & mask]++] = keys[i]; });
  });
  if (shift == skip) {
    parallel_for(n, std::int64_t{1} << 20, threads,
                 [&](std::int64_t b, std::int64_t e, int) { std::copy(scratch + b, scratch + e, keys + b); });
    return;
  }
  const std::int64_t large = std::max(parallel_from, n / (4 * threads));
  const auto is_large = [&](std::int64_t d) { return threads > 1 && start[d + 1] - start[d] > large; };
  for (std::int64_t d = 0; d < digits; ++d) {
    if (!is_large(d)) continue;
    copy(scratch + start[d], keys + start[d], start[d + 1] - start[d]);
    sort_range(keys + start[d], scratch + start[d], start[d + 1] - start[d], shift, threads, skip);
  }
  parallel_for(digits, 1, threads, [&](std::int64_t d, std::int64_t, int) {
    if (!is_large(d)) sort_serial(scratch + start[d], keys + start[d], start[d + 1] - start[d], shift, skip);
  });
}

}  // namespace sort_detail

// Sorts keys[0, n) ascending. No key has a bit at position `bits` or above. scratch[0, n) is overwritten.
// The `skip` low bits do not count. The result does not depend on `threads`, but for the order of keys that differ only
// in bits that do not count; where these ascend among equal keys, they do so afterwards.
inline void sort_keys(std::uint64_t* keys, std::uint64_t* scratch, std::int64_t n, int bits, int threads,
                      int skip = 0) {
  touch_pages(scratch, n, threads);
  sort_detail::sort_range(keys, scratch, n, bits, std::max(1, threads), skip);
}

// Copies the distinct keys of the sorted from[0, n) to to[0, ...) in order and returns how many there are.
inline std::int64_t unique_keys(const std::uint64_t* from, std::uint64_t* to, std::int64_t n, int threads) {
  if (n < sort_detail::parallel_from) threads = 1;
  threads = std::max(1, threads);
  const auto first = [&](std::int64_t i) { return i == 0 || from[i] != from[i - 1]; };
  std::vector<std::int64_t> place(static_cast<std::size_t>(threads));
  parallel(threads, [&](int w) {
    std::int64_t count = 0;
    sort_detail::each(sort_detail::share(n, w, threads), sort_detail::share(n, w + 1, threads),
                      [&](std::int64_t i) { count += first(i); });
    place[w] = count;
  });
  std::int64_t sum = 0;
  for (auto& p : place) sum += std::exchange(p, sum);
  parallel(threads, [&](int w) {
    std::int64_t at = place[w];
    sort_detail::each(sort_detail::share(n, w, threads), sort_detail::share(n, w + 1, threads), [&](std::int64_t i) {
      if (first(i)) to[at++] = from[i];
    });
  });
  return sum;
}

}  // namespace lb::core

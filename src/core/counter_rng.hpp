// Random numbers for the generators. Every draw is a pure function of (seed, number of the sequence, position): no
// state is carried from one item to the next, so the output does not depend on which thread computes which item.
// Integers only: no result depends on a floating-point unit or a mathematical library.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "landbridge/random.hpp"

namespace lb::core {

__extension__ typedef unsigned __int128 u128;

// A sequence of random words with access to any position: SplitMix64 started at a point of its cycle (length 2^64) that
// the seed and the number of the sequence choose.
class RandomSequence {
 public:
  constexpr RandomSequence(std::uint64_t seed, std::uint64_t number) noexcept
      : key_(scramble(mix(seed, 0) + (number + 1) * child)) {}
  constexpr std::uint64_t word(std::uint64_t i) const noexcept { return mix(key_, i); }
  // One of the integers [0, n): the high half of word * n. Each value's share is off by less than 2^-64.
  constexpr std::uint64_t below(std::uint64_t i, std::uint64_t n) const noexcept {
    return static_cast<std::uint64_t>((static_cast<u128>(word(i)) * n) >> 64);
  }
  // Sequence j of those that depend on this one, independent of it and of each other.
  constexpr RandomSequence sub(std::uint64_t j) const noexcept {
    return RandomSequence(scramble(key_ ^ scramble((j + 1) * child)));
  }

 private:
  explicit constexpr RandomSequence(std::uint64_t key) noexcept : key_(key) {}
  static constexpr std::uint64_t child = 0xd1342543de82ef95u;
  std::uint64_t key_;
};

// A pseudorandom permutation of [0, n), evaluated one element at a time and without a table: six rounds of a
// Feistel network on the next power of two (at least 2^8), repeated until the value lies below n (fewer than
// two repetitions on average once n >= 2^8).
class Permutation {
 public:
  Permutation(std::uint64_t n, RandomSequence keys) noexcept : n_(n) {
    const int width = n > 1 ? std::bit_width(n - 1) : 0;
    const int bits = width < 8 ? 8 : width;
    low_bits_ = bits / 2;
    high_bits_ = bits - low_bits_;
    for (int r = 0; r < rounds; ++r) key_[r] = keys.word(static_cast<std::uint64_t>(r));
  }
  std::uint64_t operator()(std::uint64_t x) const noexcept {
    do x = once(x);
    while (x >= n_);
    return x;
  }

 private:
  static constexpr int rounds = 6;
  static std::uint64_t scatter(std::uint64_t x, std::uint64_t key, int bits) noexcept {
    x = (x ^ key) * 0x9fb21c651e98df25u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x >> (64 - bits);
  }
  std::uint64_t once(std::uint64_t x) const noexcept {
    std::uint64_t low = x & ((std::uint64_t{1} << low_bits_) - 1), high = x >> low_bits_;
    for (int r = 0; r < rounds; r += 2) {
      low ^= scatter(high, key_[r], low_bits_);
      high ^= scatter(low, key_[r + 1], high_bits_);
    }
    return high << low_bits_ | low;
  }
  std::uint64_t n_;
  int low_bits_, high_bits_;
  std::uint64_t key_[rounds];
};

// Draws from a fixed distribution over [0, 2^bits) with one table look-up (Walker's alias method, 1977).
// `weight` has 2^bits entries that add up to exactly 2^60; one draw uses 32 random bits, so a probability is
// exact to within 2^-32.
class AliasTable {
 public:
  AliasTable(int bits, std::vector<std::uint64_t> weight) : bits_(bits), cells_(weight.size()) {
    const std::uint64_t full = std::uint64_t{1} << (60 - bits);
    const int drop = 60 - 32;  // from the weight's scale to that of the 32 - bits random bits of a threshold
    std::vector<std::uint32_t> small, large;
    const auto put = [&](std::uint32_t cell, std::uint64_t share, std::uint32_t other) {
      cells_[cell] = static_cast<std::uint32_t>(share >> drop) << bits_ | other;
    };
    for (std::uint32_t i = 0; i < weight.size(); ++i) (weight[i] < full ? small : large).push_back(i);
    while (!small.empty() && !large.empty()) {
      const std::uint32_t s = small.back(), l = large.back();
      small.pop_back();
      put(s, weight[s], l);
      weight[l] -= full - weight[s];
      if (weight[l] < full) {
        large.pop_back();
        small.push_back(l);
      }
    }
    for (const std::uint32_t l : large) put(l, 0, l);  // exactly full: both outcomes are the cell itself
    for (const std::uint32_t s : small) put(s, 0, s);
  }
  std::uint32_t operator()(std::uint32_t random) const noexcept {
    const std::uint32_t cell = random >> (32 - bits_), entry = cells_[cell];
    const std::uint32_t mask = (std::uint32_t{1} << bits_) - 1;
    return (random & (~std::uint32_t{0} >> bits_)) < (entry >> bits_) ? cell : entry & mask;
  }

 private:
  int bits_;
  std::vector<std::uint32_t> cells_;  // threshold in the upper 32 - bits, the other outcome below
};

}  // namespace lb::core

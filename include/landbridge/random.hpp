// Counter-based randomness for the rules: a value is a pure function of its arguments, so a run can be
// repeated on any device and with any number of threads.
#pragma once
#include "platform.hpp"

namespace lb {

// A bijection of 64-bit words that scatters every input bit over the output: the finaliser of SplitMix64 (Steele, Lea &
// Flood 2014).
LB_FN constexpr u64 scramble(u64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// The same for 32-bit words in fewer steps, for hashes inside of loops: after the finaliser of MurmurHash3 (Appleby).
LB_FN constexpr u32 scramble32(u32 z) {
  z *= 0x9e3779b1u;
  z = (z ^ (z >> 15)) * 0x85ebca77u;
  return z ^ (z >> 13);
}

// The step of a Weyl sequence: 2^64 over the golden ratio, so multiples are spread evenly over the words.
constexpr u64 weyl_step = 0x9e3779b97f4a7c15u;

// 64 well-mixed bits of a key and a counter.
LB_FN constexpr u64 mix(u64 key, u64 counter) { return scramble(key + (counter + 1) * weyl_step); }

// A number in [0, bound), for 0 < bound < 2^32: the high half of a product, with a bias below 2^-32.
LB_FN u64 below(u64 bits, u64 bound) { return ((bits >> 32) * bound) >> 32; }

}  // namespace lb

// The secrets of hash tables. Who knows a hash function can make ids that all meet in one slot, and the time quadratic;
// so every process draws its own. No answer depends on them: tables are only asked for what was put in.
#pragma once
#include "landbridge/platform.hpp"

namespace lb::core {

struct HashSeed {
  u64 add, odd, other;  // the last two are odd

  // 64 bits of a word, of which the high ones are the good ones: two words agree in the first b of them with
  // probability 2^(1-b), whichever the words are, as the last factor is odd and random (Dietzfelbinger et al. 1997).
  // What is in front of it breaks up arithmetic progressions, which the last factor alone might map close together.
  u64 operator()(u64 x) const {
    x += add;
    x ^= x >> 32;
    x *= odd;
    x ^= x >> 29;
    return x * other;
  }
};

// That of tables made from now on: drawn from the operating system once a process, unless set.
HashSeed hash_seed();
// For benchmarks and tests that are to be repeated exactly.
void set_hash_seed(u64 seed);

}  // namespace lb::core

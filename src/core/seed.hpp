// Seeds of hash tables. With a known hash function, ids could be crafted that all collide, for quadratic time; so every
// process draws its own seed. No result depends on it.
#pragma once
#include "landbridge/platform.hpp"

namespace lb::core {

struct HashSeed {
  u64 add, odd, other;  // the last two are odd

  // A 64-bit hash, best in its high bits: two words agree in the first b of them with probability 2^(1-b), whatever the
  // words, as the last factor is odd and random (Dietzfelbinger et al. 1997). The steps in front of it break up
  // arithmetic progressions, which the last factor alone might map close together.
  u64 operator()(u64 x) const {
    x += add;
    x ^= x >> 32;
    x *= odd;
    x ^= x >> 29;
    return x * other;
  }
};

// The seed of tables constructed from now on: drawn from the operating system once per process, unless set.
HashSeed hash_seed();
// For reproducible benchmarks and tests.
void set_hash_seed(u64 seed);

}  // namespace lb::core

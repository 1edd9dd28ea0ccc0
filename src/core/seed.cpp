#include "seed.hpp"

#include <atomic>
#include <random>

#include "landbridge/random.hpp"
#include "once.hpp"

namespace lb::core {
namespace {

u64 random_word() {
  std::random_device device;
  return static_cast<u64>(device()) << 32 | device();
}

struct Seed {
  mutable std::atomic<u64> word;
};
std::atomic<u64>& process_seed() {
  return once([] { return Seed{random_word()}; }).word;
}

}  // namespace

HashSeed hash_seed() {
  const u64 key = process_seed().load(std::memory_order_relaxed);
  return {mix(key, 0), mix(key, 1) | 1, mix(key, 2) | 1};
}

void set_hash_seed(u64 seed) { process_seed().store(seed, std::memory_order_relaxed); }

}  // namespace lb::core

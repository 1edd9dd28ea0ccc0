// What a core's own cache holds.
#pragma once
#include <atomic>

#include "landbridge/cpu/schedule.hpp"

namespace lb::core {

// Bytes of a set that a thread finds in its own cache most of the time. Tests make it smaller.
inline std::atomic<i64> cached_set_bytes{i64{1} << 19};

// Whether the parents of n vertices fit, when nothing else is there; whether they fit, or nearly.
template <class Id>
bool cached(i64 n) {
  return n * static_cast<i64>(sizeof(Id)) <= 2 * cached_set_bytes.load(std::memory_order_relaxed);
}
template <class Id>
bool nearly_cached(i64 n) {
  return n * static_cast<i64>(sizeof(Id)) <= 8 * cached_set_bytes.load(std::memory_order_relaxed);
}

// Where the parents of n vertices lie.
template <class Id>
cpu::Distance distance_of(i64 n) {
  return cached<Id>(n) ? cpu::Distance::cached : cpu::Distance::far;
}

}  // namespace lb::core

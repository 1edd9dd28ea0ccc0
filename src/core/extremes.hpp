// The least and the greatest of values that several threads offer to one atomic.
#pragma once
#include <atomic>

namespace lb::core {

namespace detail {

// Stores `value` unless what is there already precedes or equals it. Where another thread has stored a value in
// between, that one is compared next: an exchange that fails once may leave a value that `value` precedes.
template <class Atomic, class T, class Precedes>
void offer(Atomic& atomic, T value, Precedes precedes, std::memory_order order) {
  T current = atomic.load(std::memory_order_relaxed);
  while (precedes(value, current) && !atomic.compare_exchange_weak(current, value, order)) {
  }
}

}  // namespace detail

// The value of an atomic becomes the lesser of itself and `value`. `Atomic` is std::atomic<T>, or behaves like it.
template <class Atomic, class T>
void lower_to(Atomic& atomic, T value, std::memory_order order = std::memory_order_relaxed) {
  detail::offer(atomic, value, [](T a, T b) { return a < b; }, order);
}

// The greater.
template <class Atomic, class T>
void raise_to(Atomic& atomic, T value, std::memory_order order = std::memory_order_relaxed) {
  detail::offer(atomic, value, [](T a, T b) { return a > b; }, order);
}

}  // namespace lb::core

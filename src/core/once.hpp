// Values that are made at the first use and never destroyed: a thread may still read one when the process ends.
#pragma once
#include <atomic>

namespace lb::core {

// The value of `make`, a lambda without captures. Threads that come at the same time may each make one; the first that
// is stored stays. So none waits for another, as threads do at a static variable of a function: a child of fork()
// would wait there for a thread that only its parent has.
template <class Make>
const auto& once(const Make& make) {
  using T = decltype(make());
  static constinit std::atomic<const T*> stored{nullptr};
  const T* value = stored.load(std::memory_order_acquire);
  if (value != nullptr) return *value;
  const T* const fresh = new T(make());
  if (stored.compare_exchange_strong(value, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *value;
}

}  // namespace lb::core

// An array that grows. Small ones move; from 4 MiB on the elements lie in reserved address space, on huge pages where
// the system has them, and stay where they are.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "landbridge/platform.hpp"
#include "memory.hpp"

namespace lb::core {

template <class T>
class GrowableArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowableArray() = default;
  GrowableArray(const GrowableArray&) = delete;
  GrowableArray& operator=(const GrowableArray&) = delete;
  ~GrowableArray() { drop(); }
  T* data() const { return data_; }
  // Whether there is an element for every number of 32 bits; those behind the size grown to hold 0.
  bool has_any_number() const { return reserved_ && capacity_ >= i64{1} << 32; }

  // Room for `size` elements. The first `used` keep their values, the others are not initialised. Throws
  // std::bad_alloc, and has changed nothing then; also for more than the machine's memory, which the system would
  // promise without having it. any_number: address space for 2^32 elements is asked for, if any is reserved.
  void grow(i64 used, i64 size, bool any_number = false) {
    if (size <= ready_) return;
    const auto physical =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (static_cast<u64>(size) > physical / sizeof(T)) throw std::bad_alloc();
    if (size > capacity_) return enlarge(used, size, any_number);
    advise_huge(data_, bytes_of(size));
    ready_ = size;
  }

  // The first `size` elements, which this array then has no longer, nor any others.
  Buffer<T> take(i64 size) {
    const auto count = static_cast<std::size_t>(size);
    if (!reserved_) {
      Buffer<T> copy(count);
      if (count > 0) std::memcpy(copy.data(), data_, bytes_of(size));
      drop();
      return copy;
    }
    T* const all = std::exchange(data_, nullptr);
    const std::size_t reserved = bytes_of(std::exchange(capacity_, 0));
    const std::size_t used = bytes_of(std::exchange(ready_, 0));
    reserved_ = false;
    return Buffer<T>::adopt(static_cast<T*>(keep(all, reserved, bytes_of(size), used)), count);
  }

 private:
  static constexpr std::size_t reserve_from = std::size_t{4} << 20;
  static constexpr i64 reserved_elements = i64{1} << 31;
  static std::size_t bytes_of(i64 elements) { return static_cast<std::size_t>(elements) * sizeof(T); }

  void enlarge(i64 used, i64 size, bool any_number) {
    const i64 least = std::max(size, 2 * capacity_);
    i64 room = least;
    void* fresh = nullptr;
    for (int bits = any_number ? 1 : 0; bits >= 0 && fresh == nullptr && bytes_of(size) >= reserve_from; --bits) {
      room = std::max(least, reserved_elements << bits);
      fresh = reserve(bytes_of(room));
    }
    const bool reserved = fresh != nullptr;
    if (reserved) {
      populate(fresh, bytes_of(size));
    } else {
      room = least;
      fresh = allocate(bytes_of(room));
    }
    if (used > 0) std::memcpy(fresh, data_, bytes_of(used));
    drop();
    data_ = static_cast<T*>(fresh);
    capacity_ = room;
    reserved_ = reserved;
    ready_ = reserved ? size : room;
  }

  void drop() noexcept {
    if (data_ == nullptr) return;
    const std::size_t bytes = bytes_of(std::exchange(capacity_, 0));
    if (reserved_)
      release(keep(data_, bytes, bytes_of(ready_), bytes_of(ready_)), bytes_of(ready_));  // more than what is copied
    else
      release(data_, bytes);
    data_ = nullptr;
    reserved_ = false;
    ready_ = 0;
  }

  T* data_ = nullptr;
  i64 capacity_ = 0;
  bool reserved_ = false;
  i64 ready_ = 0;  // elements that may be touched: of a reservation, those that huge pages were asked for
};

}  // namespace lb::core

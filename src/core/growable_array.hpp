// An array that grows. Small ones move; from 4 MiB on the elements lie in reserved address space and stay where they
// are.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

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

  // Room for `size` elements. The first `used` keep their values, the others are not initialised. Throws
  // std::bad_alloc, and has changed nothing then; also for more than the machine's memory, which the system would
  // promise without having it.
  void grow(i64 used, i64 size) {
    if (size <= capacity_) return;
    const auto physical =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (static_cast<u64>(size) > physical / sizeof(T)) throw std::bad_alloc();
    const std::size_t used_bytes = static_cast<std::size_t>(used) * sizeof(T);
    i64 room = std::max(size, 2 * capacity_);
    bool reserved = false;
    void* fresh = nullptr;
    if (static_cast<std::size_t>(size) * sizeof(T) >= reserve_from) {
      room = std::max(room, reserved_elements);
      fresh = reserve(static_cast<std::size_t>(room) * sizeof(T));
      reserved = fresh != nullptr;
      if (!reserved) room = std::max(size, 2 * capacity_);
    }
    if (!reserved) fresh = allocate(static_cast<std::size_t>(room) * sizeof(T));
    if (used_bytes > 0) std::memcpy(fresh, data_, used_bytes);
    drop();
    data_ = static_cast<T*>(fresh);
    capacity_ = room;
    reserved_ = reserved;
  }

 private:
  static constexpr std::size_t reserve_from = std::size_t{4} << 20;
  static constexpr i64 reserved_elements = i64{1} << 31;

  void drop() noexcept {
    if (data_ == nullptr) return;
    const std::size_t bytes = static_cast<std::size_t>(capacity_) * sizeof(T);
    if (reserved_)
      give_up(data_, bytes);
    else
      release(data_, bytes);
    data_ = nullptr;
  }

  T* data_ = nullptr;
  i64 capacity_ = 0;
  bool reserved_ = false;
};

}  // namespace lb::core

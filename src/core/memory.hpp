// Large arrays: allocated once, page-aligned, on huge pages where the system offers them (random access
// to a parent array is 1.7-3 times faster there), and handed to NumPy without a copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace lb::core {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = std::size_t{1} << 20;  // below this a huge page wastes more than it saves

// Memory that could not be allocated: how much and for what, in a text that needs no allocation.
class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory(std::size_t bytes, const char* what) noexcept;
  const char* what() const noexcept override { return text_; }

 private:
  char text_[120];
};

// Raw memory of at least `bytes` bytes, not initialised. Throws OutOfMemory, which names `what`. Never returns null,
// also for 0 bytes. Memory from allocate() is freed by release() with the same size.
void* allocate(std::size_t bytes, const char* what = "an array");
void release(void* memory, std::size_t bytes) noexcept;

// Address space for `bytes` bytes that takes memory only where it is touched; at least as large as what allocate()
// maps, so keep() can turn its beginning into an allocation. It is never locked in memory. Null if the system refuses.
void* reserve(std::size_t bytes) noexcept;
// The first `bytes` bytes of a reservation of `reserved` bytes as memory for release(); the rest is unmapped. Small
// sizes are copied, and their pages wait for the next reservation: behind the first `used` bytes they hold 0. Throws
// std::bad_alloc, and has unmapped everything then.
void* keep(void* reservation, std::size_t reserved, std::size_t bytes, std::size_t used);
void give_up(void* reservation, std::size_t reserved) noexcept;
// Gives the first `bytes` bytes of a reservation that has not been touched the pages of arrays that were released, and
// huge ones for the rest; few bytes get the small pages of the last small reservation, as clearing a huge one would
// take longer. What these bytes hold is not defined. Those behind them are 0.
void populate(void* reservation, std::size_t bytes) noexcept;
// Huge pages for the first `bytes` bytes of a reservation, where they are not touched yet.
void advise_huge(void* reservation, std::size_t bytes) noexcept;

// Fault injection for tests: the k-th allocate() from now throws (k >= 1); 0 turns it off.
void fail_allocation(std::int64_t k) noexcept;

// An owning array of trivially copyable elements, not initialised.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size, const char* what = "an array")
      : data_(static_cast<T*>(allocate(bytes_of(size, what), what))), size_(size) {}
  Buffer(Buffer&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  Buffer& operator=(Buffer&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~Buffer() {
    if (data_) release(data_, bytes_of(size_));
  }
  // Takes over memory from allocate() or keep().
  static Buffer adopt(T* data, std::size_t size) noexcept {
    Buffer b;
    b.data_ = data;
    b.size_ = size;
    return b;
  }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  // Hands over the memory: the caller calls release(pointer, bytes).
  std::pair<T*, std::size_t> take() noexcept {
    return {std::exchange(data_, nullptr), bytes_of(std::exchange(size_, 0))};
  }

 private:
  static std::size_t bytes_of(std::size_t size, const char* what) {
    if (size > SIZE_MAX / 2 / sizeof(T)) throw OutOfMemory(SIZE_MAX, what);
    return size * sizeof(T);
  }
  static std::size_t bytes_of(std::size_t size) noexcept { return size * sizeof(T); }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lb::core

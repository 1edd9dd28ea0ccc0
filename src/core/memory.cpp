#include "memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

namespace lb::core {
namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = std::size_t{4} << 20;  // below this a huge page wastes more than it saves
std::atomic<std::int64_t> countdown{0};

std::size_t mapped(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

// A mapping of `size` bytes (whole huge pages) that begins at a huge page; null if there is none to be had.
void* map_aligned(std::size_t size, int flags) noexcept {
  void* raw = mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (begin + huge_page - 1) / huge_page * huge_page;
  const std::size_t before = aligned - begin;
  if (before > 0) munmap(raw, before);
  munmap(reinterpret_cast<void*>(aligned + size), huge_page - before);
  (void)madvise(reinterpret_cast<void*>(aligned), size, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}
// The last mappings given back, at most 64 MiB of them: a page the system has to bring and clear anew costs as much as
// hundreds of accesses, and runs on graphs of one size follow each other.
class Spare {
 public:
  // A mapping of exactly this size, or null.
  void* take(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto& m : kept_) {
      if (m.size == size) return std::exchange(m, {}).memory;
    }
    return nullptr;
  }
  // Moves the pages of the largest mapping that fits to the beginning of a reservation.
  void move_to(void* reservation, std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    Mapping* best = nullptr;
    for (auto& m : kept_) {
      if (m.size != 0 && m.size <= size && (best == nullptr || m.size > best->size)) best = &m;
    }
    if (best == nullptr) return;
    const Mapping m = std::exchange(*best, {});
    if (mremap(m.memory, m.size, m.size, MREMAP_MAYMOVE | MREMAP_FIXED, reservation) == MAP_FAILED) munmap(m.memory, m.size);
  }
  // False if it is not kept and the caller has to unmap it.
  bool keep(void* memory, std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    std::size_t total = size;
    for (const auto& m : kept_) total += m.size;
    if (total > most) return false;
    for (auto& m : kept_) {
      if (m.size == 0) {
        m = {memory, size};
        return true;
      }
    }
    return false;
  }

 private:
  struct Mapping {
    void* memory = nullptr;
    std::size_t size = 0;
  };
  static constexpr std::size_t most = std::size_t{64} << 20;
  std::mutex mutex_;
  std::array<Mapping, 4> kept_;
};
Spare& spare = *new Spare;  // never destroyed: arrays may outlive static objects

}  // namespace

void fail_allocation(std::int64_t k) noexcept { countdown.store(k, std::memory_order_relaxed); }

OutOfMemory::OutOfMemory(std::size_t bytes, const char* what) noexcept {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
  if (unit == 0) std::snprintf(text_, sizeof text_, "no memory for %s: %zu bytes", what, bytes);
  else std::snprintf(text_, sizeof text_, "no memory for %s: %zu bytes (%.1f %s)", what, bytes, size, units[unit]);
}

void* allocate(std::size_t bytes, const char* what) {
  if (countdown.load(std::memory_order_relaxed) > 0 &&
      countdown.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw OutOfMemory(bytes, what);
  }
  if (bytes < huge_from) {
    void* p = std::malloc(bytes == 0 ? 1 : bytes);
    if (p == nullptr) throw OutOfMemory(bytes, what);
    return p;
  }
  // A mapping of its own: memory that malloc hands out again may lie on small pages from its first use.
  void* p = spare.take(mapped(bytes));
  if (p == nullptr) p = map_aligned(mapped(bytes), 0);
  if (p == nullptr) throw OutOfMemory(bytes, what);
  return p;
}

void* reserve(std::size_t bytes) noexcept {
  void* p = map_aligned(mapped(bytes), MAP_NORESERVE);
  if (p != nullptr) spare.move_to(p, mapped(bytes));
  return p;
}

void give_up(void* reservation, std::size_t reserved) noexcept { munmap(reservation, mapped(reserved)); }

void* keep(void* reservation, std::size_t reserved, std::size_t bytes) {
  if (bytes < huge_from) {
    void* p = nullptr;
    try {
      p = allocate(bytes);
    } catch (...) {
      give_up(reservation, reserved);
      throw;
    }
    std::memcpy(p, reservation, bytes);
    give_up(reservation, reserved);
    return p;
  }
  const std::size_t size = mapped(bytes);
  if (size < mapped(reserved)) munmap(static_cast<char*>(reservation) + size, mapped(reserved) - size);
  return reservation;
}

void release(void* memory, std::size_t bytes) noexcept {
  if (bytes < huge_from) std::free(memory);
  else if (!spare.keep(memory, mapped(bytes))) munmap(memory, mapped(bytes));
}

}  // namespace lb::core

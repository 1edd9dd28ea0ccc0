#include "memory.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "reserved_cells.hpp"

namespace lb::core {
namespace {
std::atomic<std::int64_t> countdown{0};

std::size_t mapped(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

// A mapping of `size` bytes (whole huge pages) that begins at a huge page; null if the system refuses.
void* map_aligned(std::size_t size, int access, int flags) noexcept {
  void* raw = mmap(nullptr, size + huge_page, access, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (begin + huge_page - 1) / huge_page * huge_page;
  const std::size_t before = aligned - begin;
  if (before > 0) munmap(raw, before);
  munmap(reinterpret_cast<void*>(aligned + size), huge_page - before);
  return reinterpret_cast<void*>(aligned);
}

#if defined(MREMAP_FIXED)
// Whether mremap moves a range that the kernel keeps as several areas, as mappings become by being split and advised.
// Before Linux 6.17 it fails, and only after it has unmapped what lay where the range should go: there released
// mappings wait for arrays of their size, at most 128 MiB as on any system.
bool moves_several_areas() noexcept {
  utsname system{};
  int major = 0, minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 17);
}
#endif

// The last mappings released, at most 128 MiB of them: a page that the system has to map and clear anew costs as much
// as hundreds of accesses, and runs on graphs of one size follow each other.
class Spare {
 public:
  // A mapping of exactly this size, or null.
  void* take(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto& m : mappings_) {
      if (m.size == size) return std::exchange(m, {}).memory;
    }
    return nullptr;
  }
  // Whether `move_to` can move.
  bool moves() const noexcept {
#if defined(MREMAP_FIXED)
    return moves_;
#else
    return false;
#endif
  }
  // Moves the pages of the largest mapping that fits to the beginning of a reservation, where the system can; returns
  // its size, or 0.
  std::size_t move_to([[maybe_unused]] void* reservation, [[maybe_unused]] std::size_t size) noexcept {
#if defined(MREMAP_FIXED)
    if (!moves_) return 0;
    const std::lock_guard lock(mutex_);
    Mapping* best = nullptr;
    for (auto& m : mappings_) {
      if (m.size != 0 && m.size <= size && (best == nullptr || m.size > best->size)) best = &m;
    }
    if (best == nullptr) return 0;
    const Mapping m = std::exchange(*best, {});
    if (move(m, reservation)) return m.size;
#endif
    return 0;
  }
  // The same with the small pages of the last small reservation; returns how many bytes hold something, or 0.
  std::size_t move_small_to([[maybe_unused]] void* reservation) noexcept {
#if defined(MREMAP_FIXED)
    const std::lock_guard lock(mutex_);
    if (small_ == nullptr) return 0;
    if (move({std::exchange(small_, nullptr), huge_page}, reservation)) return small_used_;
#endif
    return 0;
  }
  // Adopts the huge_page bytes at the beginning of a small reservation, of which those behind the first `used` hold 0.
  void keep_small(void* memory, std::size_t used) noexcept {
    void* before = nullptr;
    {
      const std::lock_guard lock(mutex_);
      before = std::exchange(small_, memory);
      small_used_ = used;
    }
    if (before != nullptr) munmap(before, huge_page);
  }
  // Adopts a mapping. The oldest ones make room for it; one that is too large is unmapped.
  void keep(void* memory, std::size_t size) noexcept {
    if (size > most) {
      munmap(memory, size);
      return;
    }
    std::array<Mapping, slots + 1> evicted{};
    {
      const std::lock_guard lock(mutex_);
      auto next = evicted.begin();
      std::size_t total = size;
      for (const auto& m : mappings_) total += m.size;
      const auto evict = [&](Mapping& m) {
        total -= m.size;
        *next++ = std::exchange(m, {});
      };
      const auto filled = [](const Mapping& m) { return m.size != 0; };
      auto place = std::find_if_not(mappings_.begin(), mappings_.end(), filled);
      if (place == mappings_.end()) evict(*(place = mappings_.begin()));
      // The oldest stands first.
      std::move(place + 1, mappings_.end(), place);
      mappings_.back() = {memory, size};
      while (total > most) evict(*std::find_if(mappings_.begin(), mappings_.end(), filled));
    }
    for (const auto& m : evicted) {
      if (m.size != 0) munmap(m.memory, m.size);
    }
  }

  // While the process forks, for the child: another thread may be inside, and would stay there for ever.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Mapping {
    void* memory = nullptr;
    std::size_t size = 0;
  };
#if defined(MREMAP_FIXED)
  // Whether the pages are there; else they are gone.
  static bool move(const Mapping& m, void* reservation) noexcept {
    if (mremap(m.memory, m.size, m.size, MREMAP_MAYMOVE | MREMAP_FIXED, reservation) != MAP_FAILED) return true;
    munmap(m.memory, m.size);
    // The reservation has a hole then.
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(reservation, m.size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) std::abort();
    return false;
  }
#endif
  static constexpr std::size_t most = std::size_t{128} << 20;
  static constexpr std::size_t slots = 8;
  std::mutex mutex_;
  std::array<Mapping, slots> mappings_;
  void* small_ = nullptr;  // huge_page bytes on small pages
  std::size_t small_used_ = 0;
#if defined(MREMAP_FIXED)
  const bool moves_ = moves_several_areas();
#endif
};
Spare& spare = *new Spare;  // never destroyed: arrays may outlive static objects
const auto unlock_spare = [] { spare.unlock(); };
[[maybe_unused]] const int locked_by_forks = pthread_atfork([] { spare.lock(); }, unlock_spare, unlock_spare);

}  // namespace

void advise_huge([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  (void)madvise(memory, mapped(bytes), MADV_HUGEPAGE);
#endif
}

void fail_allocation(std::int64_t k) noexcept { countdown.store(k, std::memory_order_relaxed); }

OutOfMemory::OutOfMemory(std::size_t bytes, const char* what) noexcept {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
  if (unit == 0)
    std::snprintf(text_, sizeof text_, "no memory for %s: %zu bytes", what, bytes);
  else
    std::snprintf(text_, sizeof text_, "no memory for %s: %zu bytes (%.1f %s)", what, bytes, size, units[unit]);
}

void* allocate(std::size_t bytes, const char* what) {
  if (countdown.load(std::memory_order_relaxed) > 0 && countdown.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw OutOfMemory(bytes, what);
  }
  if (bytes < huge_from) {
    void* p = std::malloc(bytes == 0 ? 1 : bytes);
    if (p == nullptr) throw OutOfMemory(bytes, what);
    return p;
  }
  // A mapping of its own: memory that malloc hands out again may lie on small pages from its first use.
  void* p = spare.take(mapped(bytes));
  if (p != nullptr) return p;
  p = map_aligned(mapped(bytes), PROT_READ | PROT_WRITE, 0);
  if (p == nullptr) throw OutOfMemory(bytes, what);
  advise_huge(p, bytes);
  return p;
}

void* reserve(std::size_t bytes) noexcept {
  const std::size_t size = mapped(bytes);
  void* const memory = map_aligned(size, PROT_NONE, MAP_NORESERVE);
  if (memory == nullptr) return nullptr;
  // Where a process locks its memory (mlockall), a mapping that can be accessed would get all its pages at once.
  (void)munlock(memory, size);
  if (mprotect(memory, size, PROT_READ | PROT_WRITE) == 0) return memory;
  munmap(memory, size);
  return nullptr;
}

void populate(void* reservation, std::size_t bytes) noexcept {
  if (bytes >= huge_from || (bytes >= huge_from / 2 && !spare.moves())) advise_huge(reservation, bytes);
  const std::size_t used =
      bytes < huge_from ? spare.move_small_to(reservation) : spare.move_to(reservation, mapped(bytes));
  if (used > bytes) std::memset(static_cast<char*>(reservation) + bytes, 0, used - bytes);
}

void give_up(void* reservation, std::size_t reserved) noexcept { munmap(reservation, mapped(reserved)); }

namespace {
// Unmaps a reservation but its first `size` bytes.
void cut(void* reservation, std::size_t reserved, std::size_t size) noexcept {
  if (size < mapped(reserved)) munmap(static_cast<char*>(reservation) + size, mapped(reserved) - size);
}
}  // namespace

void* keep(void* reservation, std::size_t reserved, std::size_t bytes, std::size_t used) {
  if (bytes < huge_from) {
    void* p = nullptr;
    try {
      p = allocate(bytes);
    } catch (...) {
      give_up(reservation, reserved);
      throw;
    }
    std::memcpy(p, reservation, bytes);
    if (spare.moves()) {
      cut(reservation, reserved, huge_page);
      spare.keep_small(reservation, std::min(std::max(bytes, used), huge_page));
    } else {
      give_up(reservation, reserved);
    }
    return p;
  }
  cut(reservation, reserved, mapped(bytes));
  return reservation;
}

void release(void* memory, std::size_t bytes) noexcept {
  if (bytes < huge_from)
    std::free(memory);
  else
    spare.keep(memory, mapped(bytes));
}

}  // namespace lb::core

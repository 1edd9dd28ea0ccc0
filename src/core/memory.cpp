#include "memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

namespace lb::core {
namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = std::size_t{4} << 20;  // below this a huge page wastes more than it saves
std::atomic<std::int64_t> countdown{0};

std::size_t mapped(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }
}  // namespace

void fail_allocation(std::int64_t k) noexcept { countdown.store(k, std::memory_order_relaxed); }

void* allocate(std::size_t bytes) {
  if (countdown.load(std::memory_order_relaxed) > 0 &&
      countdown.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw std::bad_alloc();
  }
  void* p = nullptr;
  if (bytes >= huge_from) {
    p = std::aligned_alloc(huge_page, mapped(bytes));
    if (p != nullptr) (void)madvise(p, mapped(bytes), MADV_HUGEPAGE);
  } else {
    p = std::malloc(bytes == 0 ? 1 : bytes);
  }
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void release(void* memory, std::size_t) noexcept { std::free(memory); }

}  // namespace lb::core

// Runs that the system refuses memory at some moment, and from then on: they throw, and the next run is right.
#include <atomic>
#include <cstdlib>
#include <new>

#include "components.hpp"
#include "parameters.hpp"
#include "stress.hpp"

namespace {

std::atomic<lb::i64> granted{-1};  // allocations before the first that fails; negative: none does

void* allocate(std::size_t bytes) {
  if (granted.load(std::memory_order_relaxed) >= 0) {
    // Never below 0: what fails once fails until memory is granted again.
    lb::i64 left = granted.load(std::memory_order_relaxed);
    while (left > 0 && !granted.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
    }
    if (left == 0) throw std::bad_alloc();
  }
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace lb::core::stress {
namespace {

// Runs with more and more allocations until one ends; how many failed.
template <class Run>
i64 fail_each(const Run& run) {
  i64 failed = 0;
  for (i64 k = 0;; k += 1 + k / 8) {
    granted.store(k, std::memory_order_relaxed);
    try {
      run();
      granted.store(-1, std::memory_order_relaxed);
      return failed;
    } catch (const std::bad_alloc&) {
      granted.store(-1, std::memory_order_relaxed);
      ++failed;
    }
  }
}

}  // namespace

void allocations() {
  constexpr i64 n = i64{1} << 18, m = 2 * n;
  const std::vector<i64> u = near_ends(n, m, false), v = near_ends(n, m, true);
  const GraphView coo = coo_view(n, u, v);
  const CsrArrays<u32> rows = symmetric_csr<u32>(coo, 4);
  std::vector<u32> labels(static_cast<std::size_t>(n));
  for (const bool csr : {false, true}) {
    for (const std::string sample : {"", "kout"}) {
      if (!csr && !sample.empty()) continue;
      Plan plan;
      plan.threads = 4, plan.finish = "rem_cas", plan.find = "naive", plan.splice = "halve_one", plan.owners = true;
      plan.sample = sample;
      if (!sample.empty()) plan.sample_values.set("k", i64{2}), plan.sample_values.set("choice", std::string("first"));
      const std::string what = (csr ? "rows, " : "pairs, ") + sample;
      i64 owned = 0;
      const auto run = [&] {
        Profile profile;
        components<u32>(csr ? symmetric_view(rows) : coo, plan, labels.data(), profile);
        owned = profile.owned_edges;
      };
      run();
      expect(owned > 0, "vertices have owners: " + what);
      expect(fail_each(run) > 10, "allocations of owners fail: " + what);
      expect_labels("with all its memory: " + what, coo, labels.data());
    }
  }
  Gate::together = true;  // runs start their own threads
}

}  // namespace lb::core::stress

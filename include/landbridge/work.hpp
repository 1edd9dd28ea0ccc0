// Counts of what rules do, for tests that bound work where a clock would be noise. With LB_COUNT_WORK the policies of
// memory.hpp and the loop over edges count, each thread for itself; without it nothing of this is compiled.
#pragma once
#include "platform.hpp"

#if !LB_DEVICE_COMPILER
#include <atomic>
#endif

#if defined(LB_COUNT_WORK) && !LB_DEVICE_COMPILER
namespace lb::work {

// edges: unions tried. loads, stores, swaps: accesses to parent cells; failures: swaps that lost. walks: edges whose
// union took more than `long_walk` loads; longest: the loads of the longest one.
struct Counts {
  u64 edges = 0, loads = 0, stores = 0, swaps = 0, failures = 0, walks = 0, longest = 0;
};

constexpr u64 long_walk = 128;

struct alignas(64) Slot : Counts {};
inline Slot slots[1024];
inline std::atomic<u32> threads{0};
inline thread_local Slot& mine = slots[threads.fetch_add(1) % 1024];

// The union of one edge.
class Walk {
 public:
  Walk() : before_(mine.loads) {}
  ~Walk() {
    const u64 length = mine.loads - before_;
    ++mine.edges;
    mine.walks += length > long_walk;
    if (length > mine.longest) mine.longest = length;
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 private:
  const u64 before_;
};

}  // namespace lb::work

#define LB_WORK(count) (++::lb::work::mine.count)
#define LB_WORK_WALK(name) const ::lb::work::Walk name
#else
#define LB_WORK(count) static_cast<void>(0)
#define LB_WORK_WALK(name) static_cast<void>(0)
#endif

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
// union took more than `long_walk` loads; longest: the loads of the longest one. owned, foreign: writes in passes
// with owners, to cells that the thread owns and to others.
struct Counts {
  u64 edges = 0, loads = 0, stores = 0, swaps = 0, failures = 0, walks = 0, longest = 0, owned = 0, foreign = 0;
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

// The cells that this thread owns while such an object lives: [begin, begin + size).
class Owns {
 public:
  Owns(u64 begin, u64 size) { first = begin, count = size; }
  ~Owns() { count = 0; }
  Owns(const Owns&) = delete;
  Owns& operator=(const Owns&) = delete;
  static void write(u64 cell) { ++(cell - first < count ? mine.owned : mine.foreign); }

 private:
  static inline thread_local u64 first = 0, count = 0;
};

}  // namespace lb::work

#define LB_WORK(count) (++::lb::work::mine.count)
#define LB_WORK_WALK(name) const ::lb::work::Walk name
#define LB_WORK_OWNS(name, begin, size) const ::lb::work::Owns name(begin, size)
#define LB_WORK_WRITE(cell) ::lb::work::Owns::write(cell)
#else
#define LB_WORK(count) static_cast<void>(0)
#define LB_WORK_WALK(name) static_cast<void>(0)
#define LB_WORK_OWNS(name, begin, size) static_cast<void>(0)
#define LB_WORK_WRITE(cell) static_cast<void>(0)
#endif

// The seconds that the phases of a run took, by name.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "landbridge/work.hpp"

namespace lb::core {

// Each phase once, in the order of its first lap.
using Phases = std::vector<std::pair<std::string, double>>;

// Adds the time since the last lap to the phase that has just ended; laps of one name add up. One thread at a time.
class Stopwatch {
 public:
  explicit Stopwatch(Phases& phases) : phases_(phases), last_(Clock::now()) {}

  void lap(const char* name) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const auto phase = std::find_if(phases_.begin(), phases_.end(), [&](const auto& p) { return p.first == name; });
    if (phase == phases_.end())
      phases_.emplace_back(name, seconds);
    else
      phase->second += seconds;
    last_ = now;
  }

  // Drops the time since the last lap: it is part of no phase, or of one that was timed elsewhere.
  void skip() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Phases& phases_;
  Clock::time_point last_;
};

// Nanoseconds by which ways of doing the same are compared. Where work is counted, this thread's accesses to parents
// take the place of a clock, so that a run counts the same twice.
inline double measured_ns() {
#if defined(LB_COUNT_WORK)
  return static_cast<double>(work::mine.loads + work::mine.stores + work::mine.swaps);
#else
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace lb::core

// How a long call is stopped: by a signal, or because its time is over. Loops call `stop_point` between blocks of work,
// never inside one, so an edge costs nothing more; parallel_for does it before each chunk.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace lb::core {

// The time that a call was given is over.
struct TimeOver : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown on other threads of a call that is stopped; the thread that made the call throws the reason.
struct Stopped {};

// A call into the core that may be stopped, on the thread that makes it. While it lives it is the current call of that
// thread, and, by CallPart, of each thread that runs a part of it. Calls nest: a signal handler may call the core, too.
class Call {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point never = Clock::time_point::max();
  // How often the calling thread compares the clock with the deadline, and calls `ask`.
  static constexpr std::chrono::milliseconds interval{50};

  // ask: throws what is to end the call; called on the calling thread. May be null. Throws TimeOver at once where the
  // deadline is past.
  Call(void (*ask)(), Clock::time_point deadline);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Of this thread; null where nothing stops what it does.
  static Call* current();
  // Throws if the call is to stop. is_caller: whether this is the thread that made it.
  void check(bool is_caller);

 private:
  void (*const ask_)();
  const Clock::time_point deadline_;
  Clock::time_point next_;
  Call* const outer_;
  const bool outer_is_caller_;
  std::atomic<bool> stopped_{false};
};

// While this lives, the thread runs a part of another thread's call; of none if `call` is null.
class CallPart {
 public:
  explicit CallPart(Call* call);
  ~CallPart();
  CallPart(const CallPart&) = delete;
  CallPart& operator=(const CallPart&) = delete;

 private:
  Call* const outer_;
  const bool outer_is_caller_;
};

// Throws if the call that this thread works for is to stop.
void stop_point();

// A stop point at every 2^16th step.
inline void stop_point_at(std::int64_t step) {
  if ((step & 0xffff) == 0) stop_point();
}

// Where a loop that has come to `step` of `end` steps rests for its next stop point.
inline std::int64_t next_stop(std::int64_t step, std::int64_t end) {
  return end - step < 0x10000 ? end : step + 0x10000;
}

// body(begin, end) for [begin, end) in blocks of `grain`, on this thread, with a stop point before each.
template <class Int, class Body>
void in_blocks(Int begin, Int end, Int grain, const Body& body) {
  for (; begin < end; begin += grain) {
    stop_point();
    body(begin, end - begin < grain ? end : begin + grain);
  }
}

}  // namespace lb::core

// Bindings of the deadline of calls.
#include <algorithm>
#include <limits>

#include "bind.hpp"

namespace lb::bind {
namespace {

using Clock = core::Call::Clock;

thread_local Clock::time_point this_threads_deadline = core::Call::never;

constexpr double forever = std::numeric_limits<double>::infinity();

// The clock is that of Python's time.monotonic(), in seconds; what is more than a year away is never reached.
double get_deadline() {
  if (this_threads_deadline == core::Call::never) return forever;
  return std::chrono::duration<double>(this_threads_deadline.time_since_epoch()).count();
}

void set_deadline(double seconds) {
  const auto now = Clock::now();
  const std::chrono::duration<double> left = std::chrono::duration<double>(seconds) - now.time_since_epoch();
  constexpr std::chrono::duration<double> year(3.2e7);
  this_threads_deadline =
      left < year ? now + std::chrono::round<Clock::duration>(std::max(left, -year)) : core::Call::never;
}

}  // namespace

Clock::time_point deadline() { return this_threads_deadline; }

void interrupts(nb::module_& m) {
  nb::exception<core::TimeOver>(m, "CoreTimeOver", PyExc_BaseException);
  m.def("check_time", [] { const Unlocked unlocked; }, "Raises CoreTimeOver if the deadline is past.");
  m.def("deadline", &get_deadline, "When this thread's calls have to end, on Python's monotonic clock; inf for never.");
  m.def("set_deadline", &set_deadline, nb::arg("seconds"),
        "Calls of this thread raise CoreTimeOver from then on, but for those that change a stream.");
}

}  // namespace lb::bind

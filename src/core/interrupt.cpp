#include "interrupt.hpp"

#include <algorithm>

namespace lb::core {
namespace {

// As for `inside_body` of threads.cpp: no access allocates.
struct Current {
  Call* call = nullptr;
  bool is_caller = false;  // whether this thread has made the call
};
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local constinit Current current;

}  // namespace

Call::Call(void (*ask)(), Clock::time_point deadline)
    : ask_(ask), deadline_(deadline), outer_(core::current.call), outer_is_caller_(core::current.is_caller) {
  const auto now = Clock::now();
  if (now >= deadline) throw TimeOver("the time of the call is over");
  next_ = std::min(now + interval, deadline);
  core::current = {this, true};
}

Call::~Call() { core::current = {outer_, outer_is_caller_}; }

Call* Call::current() { return core::current.call; }

void Call::check(bool on_caller) {
  if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
  if (!on_caller) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = std::min(now + interval, deadline_);
  try {
    if (now >= deadline_) throw TimeOver("the time of the call is over");
    if (ask_ != nullptr) ask_();
  } catch (...) {
    stopped_.store(true, std::memory_order_relaxed);
    throw;
  }
}

CallPart::CallPart(Call* call) : outer_(current.call), outer_is_caller_(current.is_caller) { current = {call, false}; }

CallPart::~CallPart() { current = {outer_, outer_is_caller_}; }

void stop_point() {
  if (current.call != nullptr) current.call->check(current.is_caller);
}

}  // namespace lb::core

// Threads of the explorer: fibers inside one OS thread, switched by hand in a few nanoseconds, because an
// exploration switches millions of times a second. A fiber may be abandoned at any point: nothing that runs
// in one owns memory.
#pragma once
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace lb::explore {

class Fiber {
 public:
  // Batches of edges lie on it.
  static constexpr std::size_t stack_bytes = std::size_t{1} << 17;

  // Makes the next switch to this fiber call entry(), which never returns.
  void prepare(void (*entry)());
  // Suspends `from` (the running fiber) and goes on with `to`.
  static void change(Fiber& from, Fiber& to);

 private:
#if defined(__x86_64__)
  void* top_ = nullptr;
#else
  ucontext_t context_;
#endif
  alignas(64) unsigned char stack_[stack_bytes];
};

}  // namespace lb::explore

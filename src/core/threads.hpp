// The thread back-end: four functions. Everything in src/core that runs in parallel goes through them,
// so a sanitizer sees every thread and another back-end (a test's, a scheduler's) needs only this page.
#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace lb::core {

// A non-owning reference to a callable; valid only during the call it is passed to.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT: implicit on purpose
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))), call_([](void* o, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(o))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Processors this process may run on (its affinity mask and cgroup quota), at least 1.
int available_threads();

// Calls body(0) .. body(threads - 1) concurrently and returns when all have returned: everything they
// wrote is then visible to the caller. body(0) runs on the calling thread. The first exception thrown by
// any of them is rethrown here, after all have finished. Calls from several threads at once run
// side by side; a call from inside a body runs its bodies one after another.
void parallel(int threads, FunctionRef<void(int worker)> body);

// Splits [0, n) into chunks of `grain`: body(begin, end, worker). A worker takes the chunks of its own contiguous share
// in order, then those of the other shares. With one thread the chunks run in order on the caller.
void parallel_for(std::int64_t n, std::int64_t grain, int threads,
                  FunctionRef<void(std::int64_t begin, std::int64_t end, int worker)> body);

// The same, but each worker takes the first chunk that none has taken: what a chunk needs from those shortly before it
// is nearly done by then.
void parallel_in_order(std::int64_t n, std::int64_t grain, int threads,
                       FunctionRef<void(std::int64_t begin, std::int64_t end, int worker)> body);

}  // namespace lb::core

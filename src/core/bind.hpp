// What every file of bindings needs: the array types and the way from a Buffer to NumPy.
#pragma once
#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <csignal>
#include <type_traits>
#include <utility>

#include "error.hpp"
#include "interrupt.hpp"
#include "memory.hpp"

namespace lb::bind {
namespace nb = nanobind;

// Acquires the interpreter's lock. An interpreter that is ending stops a thread that is not its own (a daemon) with
// pthread_exit (before Python 3.14), whose unwinding cannot pass the frames of a binding: the process would be aborted.
// Such a thread stays here instead; the process is about to end. Elsewhere than in GNU's library nothing can catch it.
template <class Ask>
auto lock_or_stay(const Ask& ask) {
#if defined(__GLIBCXX__)
  try {
    return ask();
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();
  }
#else
  return ask();
#endif
}

// Other threads of Python run while this lives.
class OthersRun {
 public:
  OthersRun() : state_(PyEval_SaveThread()) {}
  ~OthersRun() {
    lock_or_stay([this] { PyEval_RestoreThread(state_); });
  }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  PyThreadState* state_;
};

// The same around a long call into the core that cannot be left half done: no current Call stops it.
class UnlockedToTheEnd {
  core::CallPart to_its_end_{nullptr};
  OthersRun unlocked_;
};

// The way back to Python from within an Unlocked. What Python then runs, such as a signal handler that uses this
// library, is no part of the current Call: neither its deadline nor its end counts there.
class Locked {
 public:
  Locked() : state_(lock_or_stay([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  core::CallPart another_{nullptr};
  PyGILState_STATE state_;
};

// Throws what a signal handler of Python raises, such as KeyboardInterrupt. Outside of the interpreter's lock.
inline void ask_signals() {
  const Locked locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// The deadline of the calls that this thread makes: see `time_limit` in the bindings of interrupts.
core::Call::Clock::time_point deadline();

// Whether this is the thread that Python was started on, the only one that handles signals.
inline bool on_main_thread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();  // the C library has a function for it only since 2.30
#else
  return pthread_main_np() != 0;
#endif
}

// Every other long call is inside one of these: it ends where a signal or the deadline says so. Only the main thread
// handles signals.
class Unlocked {
 public:
  Unlocked() : call_(on_main_thread() ? &ask_signals : nullptr, deadline()) {}

 private:
  core::Call call_;
  OthersRun unlocked_;
};

// SIGINT has come, whose handler may run only once the call has let go of what it holds; Python has forgotten it.
struct SignalWaits {};

// Whether a SIGINT that Python has forgotten is still to be handled: only the main thread asks for signals. An error of
// another thread of the call may have taken the place of the SignalWaits.
inline bool interrupt_waits = false;

// Throws SignalWaits if SIGINT has come. Outside of the interpreter's lock.
inline void look_for_interrupt() {
  const Locked locked;
  if (PyOS_InterruptOccurred() == 0) return;
  interrupt_waits = true;
  throw SignalWaits();
}

// Runs Python's handler of the SIGINT of a SignalWaits. Sending the signal again would write to the descriptor of
// signal.set_wakeup_fd once more, and an event loop would handle it twice.
inline void handle_interrupt() {
  const nb::object handler = nb::module_::import_("signal").attr("getsignal")(SIGINT);
  if (PyCallable_Check(handler.ptr()) == 0) return;  // one that ignores it has been set meanwhile
  PyFrameObject* const frame = PyEval_GetFrame();
  handler(SIGINT, frame == nullptr ? nb::none() : nb::borrow(reinterpret_cast<PyObject*>(frame)));
}

// The same if one waits, and of what other signals have brought; throws what the handler raises.
inline void handle_waiting_interrupt() {
  if (!std::exchange(interrupt_waits, false)) return;
  handle_interrupt();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A long call that only reads and that holds a lock which a signal handler of Python may need: the call is dropped, the
// handler runs, and if that returns the call begins again, or ends with the error that it had besides. Other signals
// are handled at its end.
template <class Call>
void unlocked_until_signal(const Call& call) {
  for (;;) {
    try {
      const core::Call stops(on_main_thread() ? &look_for_interrupt : nullptr, deadline());
      const OthersRun unlocked;
      return call();
    } catch (const SignalWaits&) {
      handle_waiting_interrupt();
    } catch (...) {
      if (on_main_thread()) handle_waiting_interrupt();
      throw;
    }
  }
}

// A one-dimensional contiguous array in host memory, read only.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// An array that owns `bytes` bytes from core::allocate.
template <class T>
Out<T> owned_array(T* data, std::size_t size, std::size_t bytes) {
  struct Owned {
    void* data;
    std::size_t bytes;
  };
  nb::capsule owner(new Owned{data, bytes}, [](void* p) noexcept {
    auto* o = static_cast<Owned*>(p);
    core::release(o->data, o->bytes);
    delete o;
  });
  return Out<T>(data, {size}, owner);
}

// Hands a buffer to NumPy without a copy.
template <class T>
Out<T> to_numpy(core::Buffer<T>&& buffer) {
  const std::size_t size = buffer.size();
  auto [data, bytes] = buffer.take();
  return owned_array(data, size, bytes);
}

// Unsigned ids of a core array as NumPy's signed ones: the same bits, because there are fewer than 2^31 (2^63).
template <class Id>
auto signed_ids(core::Buffer<Id>&& ids) {
  using Signed = std::make_signed_t<Id>;
  const std::size_t size = ids.size();
  auto [data, bytes] = ids.take();
  return owned_array(reinterpret_cast<Signed*>(data), size, bytes);
}

// One function for each concern, in a file of its own; module.cpp calls them all.
void components(nb::module_& m);
void device_layout(nb::module_& m);
void generate(nb::module_& m);
void graph(nb::module_& m);
void ids(nb::module_& m);
void incremental(nb::module_& m);
void interrupts(nb::module_& m);
void label_rows(nb::module_& m);
void lists(nb::module_& m);
void names(nb::module_& m);
void occurring(nb::module_& m);
void ordered(nb::module_& m);
void packed(nb::module_& m);
void rank(nb::module_& m);
void registry(nb::module_& m);
void rooted(nb::module_& m);
void stage(nb::module_& m);
void text(nb::module_& m);
#if defined(LB_COUNT_WORK)
void work(nb::module_& m);
#endif

}  // namespace lb::bind

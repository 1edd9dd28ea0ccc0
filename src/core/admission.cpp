#include "admission.hpp"

#include <unistd.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <new>
#include <string>

#include "error.hpp"
#include "once.hpp"

namespace lb::core {

// All mutexes. A fork copies the memory page by page while other threads run, so a child may read nothing that another
// thread wrote meanwhile, a lock word included: the thread that forks takes each mutex that is free, which needs no
// waiting, and the child inherits what those guard as it is between calls.
struct SharedMutexes {
  std::mutex changes;
  SharedMutex* first = nullptr;

  void add(SharedMutex& mutex) {
    const std::lock_guard lock(changes);
    mutex.next_ = first;
    if (first != nullptr) first->before_ = &mutex;
    first = &mutex;
  }

  void remove(const SharedMutex& mutex) {
    const std::lock_guard lock(changes);
    (mutex.before_ == nullptr ? first : mutex.before_->next_) = mutex.next_;
    if (mutex.next_ != nullptr) mutex.next_->before_ = mutex.before_;
  }

  void before_fork() {
    changes.lock();
    for (auto* m = first; m != nullptr; m = m->next_) m->held_by_fork_ = pthread_rwlock_trywrlock(&m->lock_) == 0;
  }

  void after_fork_in_parent() {
    for (auto* m = first; m != nullptr; m = m->next_) {
      if (m->held_by_fork_) m->unlock();
    }
    changes.unlock();
  }

  // What other threads waited for is made anew: they do not exist here.
  void after_fork_in_child() {
    for (auto* m = first; m != nullptr; m = m->next_) {
      if (m->held_by_fork_)
        m->make();
      else if (m->forked_from_ == 0)
        m->forked_from_ = getppid();
    }
    changes.unlock();
  }
};

namespace {

SharedMutexes& all = *new SharedMutexes;  // never destroyed: streams may outlive static objects
[[maybe_unused]] const int handled_at_forks =
    pthread_atfork([] { all.before_fork(); }, [] { all.after_fork_in_parent(); }, [] { all.after_fork_in_child(); });

}  // namespace

SharedMutex::SharedMutex() {
  make();
  all.add(*this);
}

SharedMutex::~SharedMutex() {
  all.remove(*this);
  if (forked_from_ == 0) pthread_rwlock_destroy(&lock_);
}

void SharedMutex::make() {
#ifdef __GLIBC__
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
  pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &kind);
  pthread_rwlockattr_destroy(&kind);
#else
  pthread_rwlock_init(&lock_, nullptr);
  new (&order_) std::mutex;
#endif
}

void SharedMutex::refuse() const {
  throw InputError("process " + std::to_string(forked_from_) +
                   " forked this one while a call of this stream ran, which may be half done here: fork between calls, "
                   "or save the stream and load it here");
}

bool SharedMutex::tries_wake_others() {
#if defined(__GLIBC__)
  return once([] {
    const char* const version = gnu_get_libc_version();  // such as "2.36"
    char* rest = nullptr;
    const long major = std::strtol(version, &rest, 10);
    return major > 2 || (*rest == '.' && std::strtol(rest + 1, nullptr, 10) >= 30);
  });
#else
  return true;
#endif
}

}  // namespace lb::core

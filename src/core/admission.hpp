// Which calls of a stream may run side by side: shared and exclusive access, and a proof of the access that is held.
#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <mutex>

namespace lb::core {

// Shared by many holders or held by a single one. A waiting exclusive request goes before later shared ones. A child of
// fork() has it free if no thread held it at that moment; else what it guards may be half done there, its holders do
// not exist, and `lock` and `try_lock` throw InputError.
class SharedMutex {
 public:
  SharedMutex();
  ~SharedMutex();
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void lock(bool exclusive) {
    require_unforked();
    const Turn turn(*this);
    exclusive ? pthread_rwlock_wrlock(&lock_) : pthread_rwlock_rdlock(&lock_);
  }
  bool try_lock(bool exclusive) {
    require_unforked();
#ifndef __GLIBC__
    const std::unique_lock turn(order_, std::try_to_lock);
    if (!turn) return false;
#endif
    return (exclusive ? pthread_rwlock_trywrlock(&lock_) : pthread_rwlock_tryrdlock(&lock_)) == 0;
  }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  // Throws as `lock` does, without one.
  void require_unforked() const {
    if (forked_from_ != 0) refuse();
  }
  // Whether a request that was tried, and granted, wakes those that wait behind it: not in every glibc before 2.30
  // (its bug 23844).
  static bool tries_wake_others();

 private:
  friend struct SharedMutexes;

  // Requests wait one after another where the lock itself lets later shared ones pass.
  struct Turn {
#ifdef __GLIBC__
    explicit Turn(SharedMutex&) {}
#else
    explicit Turn(SharedMutex& mutex) : order(mutex.order_) {}
    std::lock_guard<std::mutex> order;
#endif
  };

  void make();
  [[noreturn]] void refuse() const;

  pthread_rwlock_t lock_;
#ifndef __GLIBC__
  std::mutex order_;
#endif
  // The list of all mutexes.
  SharedMutex* before_ = nullptr;
  SharedMutex* next_ = nullptr;
  bool held_by_fork_ = false;  // the thread that forks has exclusive access meanwhile
  pid_t forked_from_ = 0;      // in a child: the process that forked it while this was held
};

enum class Access { none, shared, exclusive };

// The access to a mutex that is held until the end of a block, or until it is renewed.
class Admission {
 public:
  Admission(SharedMutex& mutex, Access access) : mutex_(mutex), access_(access) {}
  ~Admission() {
    if (access_ != Access::none) mutex_.unlock();
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;
  explicit operator bool() const { return access_ != Access::none; }
  bool exclusive() const { return access_ == Access::exclusive; }
  // Ends, lets others have a turn, and goes on with what `acquire` returns.
  template <class Acquire>
  void renew(const Acquire& acquire) {
    mutex_.unlock();
    access_ = Access::none;  // if `acquire` throws
    access_ = acquire();
  }

 private:
  SharedMutex& mutex_;
  Access access_;
};

}  // namespace lb::core

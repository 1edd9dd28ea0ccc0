// Which calls of a stream may run side by side: shared and exclusive access, and a proof of the access that is held.
#pragma once
#include <pthread.h>

#include <mutex>

namespace lb::core {

// Shared by many holders or held by a single one. A waiting exclusive request goes before later shared ones.
class SharedMutex {
 public:
  SharedMutex() {
#ifdef __GLIBC__
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &kind);
    pthread_rwlockattr_destroy(&kind);
#else
    pthread_rwlock_init(&lock_, nullptr);
#endif
  }
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void lock(bool exclusive) {
    const Turn turn(*this);
    exclusive ? pthread_rwlock_wrlock(&lock_) : pthread_rwlock_rdlock(&lock_);
  }
  bool try_lock(bool exclusive) {
#ifndef __GLIBC__
    const std::unique_lock turn(order_, std::try_to_lock);
    if (!turn) return false;
#endif
    return (exclusive ? pthread_rwlock_trywrlock(&lock_) : pthread_rwlock_tryrdlock(&lock_)) == 0;
  }
  void unlock() { pthread_rwlock_unlock(&lock_); }

 private:
  // Requests wait one after another where the lock itself lets later shared ones pass.
  struct Turn {
#ifdef __GLIBC__
    explicit Turn(SharedMutex&) {}
#else
    explicit Turn(SharedMutex& mutex) : order(mutex.order_) {}
    std::lock_guard<std::mutex> order;
#endif
  };

  pthread_rwlock_t lock_;
#ifndef __GLIBC__
  std::mutex order_;
#endif
};

enum class Access { none, shared, exclusive };

// The access to a mutex that is held until the end of a block.
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

 private:
  SharedMutex& mutex_;
  const Access access_;
};

}  // namespace lb::core

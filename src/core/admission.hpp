// Which calls of a stream may run side by side: shared and exclusive access, and a proof of the access that is held.
#pragma once
#include <pthread.h>

namespace lb::core {

// Shared by many holders or held by a single one. A waiting exclusive request goes before later shared ones.
class SharedMutex {
 public:
  SharedMutex() {
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &kind);
    pthread_rwlockattr_destroy(&kind);
  }
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void lock(bool exclusive) { exclusive ? pthread_rwlock_wrlock(&lock_) : pthread_rwlock_rdlock(&lock_); }
  bool try_lock(bool exclusive) {
    return (exclusive ? pthread_rwlock_trywrlock(&lock_) : pthread_rwlock_tryrdlock(&lock_)) == 0;
  }
  void unlock() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
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

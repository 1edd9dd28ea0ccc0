#include "threads.hpp"

#include <pthread.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "interrupt.hpp"
#include "once.hpp"

namespace lb::core {
namespace {

// Otherwise the dynamic loader would allocate it at a thread's first access, and end the process if that fails.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local bool inside_body = false;

// A run is a chain of short passes. A thread that has finished spins for the next one for this long before it sleeps:
// waking a sleeping thread takes longer than many a pass.
constexpr auto spin_time = std::chrono::microseconds(100);

// Spins until ready() or the time is over; true if ready.
template <class Ready>
bool spin_until(const Ready& ready) {
  const auto deadline = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

// One parallel call: the workers that join it, and the first exception any of them threw.
struct Job {
  FunctionRef<void(int)> body;
  int next = 1;                 // the next worker number to hand out; guarded by the pool's mutex
  int threads;                  // how many workers the job has, the caller included
  std::atomic<int> running{0};  // pool threads inside the body; changed under the pool's mutex
  std::exception_ptr error;
  Call* const call = Call::current();  // that the job is a part of
  Job(FunctionRef<void(int)> b, int t) : body(b), threads(t) {}
};

class Pool {
 public:
  void run(Job& job) {
    int offered;  // of all jobs
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      offered = offered_.fetch_add(job.threads - 1, std::memory_order_relaxed) + job.threads - 1;
      // Threads are started when first needed, and stay: a job never waits for one busy elsewhere, because the caller
      // runs every worker number that no pool thread has taken.
      needed_ += job.threads - 1;
      try {
        while (static_cast<int>(threads_.size()) < needed_) {
          threads_.emplace_back([this] { loop(); });
        }
      } catch (const std::exception&) {
        // The system starts no more threads. That costs only time: the job is offered already, and the caller runs it.
      }
    }
    // A thread that spins looks at the jobs before it sleeps, and may take a worker number of another job. Waking more
    // threads than there are workers would only take processors from those: the pool may have many more, of callers
    // side by side.
    const int asleep = std::min(job.threads - 1, offered - spinning_.load(std::memory_order_relaxed));
    for (int i = 0; i < asleep; ++i) wake_.notify_one();
    record(job, [&] { job.body(0); });
    std::unique_lock lock(mutex_);
    while (job.next < job.threads) {
      const int worker = take(job);
      lock.unlock();
      record(job, [&] { job.body(worker); });
      lock.lock();
    }
    std::erase(jobs_, &job);
    needed_ -= job.threads - 1;
    if (job.running.load(std::memory_order_relaxed) != 0) {
      lock.unlock();
      spin_until([&] { return job.running.load(std::memory_order_relaxed) == 0; });
      lock.lock();
      const auto finished = [&] { return job.running.load(std::memory_order_relaxed) == 0; };
      if (job.call == nullptr) done_.wait(lock, finished);
      while (!done_.wait_for(lock, Call::interval, finished)) {
        lock.unlock();
        record(job, stop_point);
        lock.lock();
      }
    }
    if (job.error) std::rethrow_exception(job.error);
  }

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  // Calls f; the first exception is the job's. One that only says that the call is stopped follows another.
  template <class F>
  void record(Job& job, const F& f) {
    inside_body = true;
    try {
      f();
    } catch (const Stopped&) {
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!job.error) job.error = std::current_exception();
    }
    inside_body = false;
  }

  int take(Job& job) {
    offered_.fetch_sub(1, std::memory_order_relaxed);
    return job.next++;
  }

  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      lock.unlock();
      if (spinning_.fetch_add(1, std::memory_order_relaxed) < most_spinning_) {
        spin_until([&] { return offered_.load(std::memory_order_relaxed) > 0; });
      }
      spinning_.fetch_sub(1, std::memory_order_relaxed);
      lock.lock();
      wake_.wait(lock, [&] {
        auto it = std::find_if(jobs_.begin(), jobs_.end(), [](Job* j) { return j->next < j->threads; });
        job = it == jobs_.end() ? nullptr : *it;
        return job != nullptr || stopping_;
      });
      if (job == nullptr) return;  // the pool is stopping
      const int worker = take(*job);
      job->running.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      {
        const CallPart part(job->call);
        record(*job, [&] { job->body(worker); });
      }
      lock.lock();
      if (job->running.fetch_sub(1, std::memory_order_relaxed) == 1) done_.notify_all();
    }
  }

  std::mutex mutex_;
  // Not condition_variable_any: it allocates memory of the thread's own, and the process ends where that fails.
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<Job*> jobs_;
  std::atomic<int> offered_{0};   // worker numbers no thread has taken yet; changed under the mutex
  std::atomic<int> spinning_{0};  // threads that will look at the jobs before they sleep
  const int most_spinning_ = available_threads() - 1;  // beside the caller; more would take processors from workers
  int needed_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // not jthread, which older libc++ lacks
};

// The pool is never destroyed at exit (a thread may still be inside a kernel when the interpreter ends),
// and replaced after fork(), because its threads exist only in the parent.
std::atomic<Pool*> current{nullptr};

// The pool's threads do not survive a fork, and are started afresh when needed.
void after_fork_in_child() { current.store(nullptr, std::memory_order_release); }
[[maybe_unused]] const int replaced_after_fork = pthread_atfork(nullptr, nullptr, after_fork_in_child);

Pool& pool() {
  Pool* p = current.load(std::memory_order_acquire);
  if (p == nullptr) {
    auto* fresh = new Pool;
    if (current.compare_exchange_strong(p, fresh, std::memory_order_acq_rel)) return *fresh;
    delete fresh;
  }
  return *p;
}

// Whole processors granted by the cgroup's CPU quota, or a large number where there is none.
int quota_threads() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1 << 20;
  return std::max(1, static_cast<int>(std::stod(quota) / period + 0.5));
}

using RangeBody = FunctionRef<void(std::int64_t, std::int64_t, int)>;

// [0, n) in chunks, and by how many threads they are taken.
struct Chunks {
  Chunks(std::int64_t all, std::int64_t of_each, int most)
      : n(std::max<std::int64_t>(0, all)),
        grain(std::max<std::int64_t>(1, of_each)),
        count((n + grain - 1) / grain),
        threads(static_cast<int>(std::min<std::int64_t>(std::max(1, most), count))) {}

  void in_turn(const RangeBody& body) const {
    in_blocks(std::int64_t{0}, n, grain, [&](std::int64_t begin, std::int64_t end) { body(begin, end, 0); });
  }
  // Takes chunks below `end` from `next` on, until none is left.
  void take(std::atomic<std::int64_t>& next, std::int64_t end, int worker, const RangeBody& body) const {
    for (;;) {
      const std::int64_t c = next.fetch_add(1, std::memory_order_relaxed);
      if (c >= end) return;
      stop_point();
      body(c * grain, std::min(n, (c + 1) * grain), worker);
    }
  }

  const std::int64_t n, grain, count;
  const int threads;
};

}  // namespace

int available_threads() {
  int n = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
  const int quota = once([] { return quota_threads(); });
  return std::max(1, std::min(n, quota));
}

void parallel(int threads, FunctionRef<void(int)> body) {
  if (threads <= 1 || inside_body) {
    for (int w = 0; w < std::max(1, threads); ++w) body(w);
    return;
  }
  Job job(body, threads);
  pool().run(job);
}

void parallel_for(std::int64_t n, std::int64_t grain, int threads, RangeBody body) {
  const Chunks chunks(n, grain, threads);
  if (chunks.threads <= 1) {
    chunks.in_turn(body);
    return;
  }
  // Each worker begins with a contiguous share, the same one in every pass over the same range, so what it touched in
  // one pass is in its cache for the next; a worker that has finished its share helps the others with theirs.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next;
    std::int64_t end;
  };
  std::vector<Share> shares(static_cast<std::size_t>(chunks.threads));
  for (int w = 0; w < chunks.threads; ++w) {
    shares[static_cast<std::size_t>(w)].next.store(chunks.count * w / chunks.threads, std::memory_order_relaxed);
    shares[static_cast<std::size_t>(w)].end = chunks.count * (w + 1) / chunks.threads;
  }
  parallel(chunks.threads, [&](int worker) {
    for (int turn = 0; turn < chunks.threads; ++turn) {
      Share& share = shares[static_cast<std::size_t>((worker + turn) % chunks.threads)];
      chunks.take(share.next, share.end, worker, body);
    }
  });
}

void parallel_in_order(std::int64_t n, std::int64_t grain, int threads, RangeBody body) {
  const Chunks chunks(n, grain, threads);
  if (chunks.threads <= 1) {
    chunks.in_turn(body);
    return;
  }
  std::atomic<std::int64_t> next{0};
  parallel(chunks.threads, [&](int worker) { chunks.take(next, chunks.count, worker, body); });
}

}  // namespace lb::core

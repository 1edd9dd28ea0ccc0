#include "threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lb::core {
namespace {

thread_local bool inside_body = false;

// One parallel call: the workers that join it, and the first exception any of them threw.
struct Job {
  FunctionRef<void(int)> body;
  int next = 1;         // the next worker number to hand out; guarded by the pool's mutex
  int threads;          // how many workers the job has, the caller included
  int running = 0;      // pool threads inside the body; guarded by the pool's mutex
  std::exception_ptr error;
  Job(FunctionRef<void(int)> b, int t) : body(b), threads(t) {}
};

class Pool {
 public:
  void run(Job& job) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      // Threads are started when first needed and kept: a job never waits for one busy elsewhere,
      // because the caller runs every worker number that no pool thread has taken.
      wanted_ += job.threads - 1;
      while (static_cast<int>(threads_.size()) < wanted_) {
        threads_.emplace_back([this](std::stop_token stop) { loop(stop); });
      }
    }
    wake_.notify_all();
    call(job, 0);
    std::unique_lock lock(mutex_);
    while (job.next < job.threads) {
      const int worker = job.next++;
      lock.unlock();
      call(job, worker);
      lock.lock();
    }
    std::erase(jobs_, &job);
    wanted_ -= job.threads - 1;
    done_.wait(lock, [&] { return job.running == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

  ~Pool() {
    for (auto& t : threads_) t.request_stop();
    wake_.notify_all();
  }

 private:
  void call(Job& job, int worker) {
    inside_body = true;
    try {
      job.body(worker);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!job.error) job.error = std::current_exception();
    }
    inside_body = false;
  }

  void loop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      wake_.wait(lock, stop, [&] {
        auto it = std::find_if(jobs_.begin(), jobs_.end(), [](Job* j) { return j->next < j->threads; });
        job = it == jobs_.end() ? nullptr : *it;
        return job != nullptr;
      });
      if (job == nullptr) return;  // asked to stop
      const int worker = job->next++;
      ++job->running;
      lock.unlock();
      call(*job, worker);
      lock.lock();
      if (--job->running == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any done_;
  std::vector<Job*> jobs_;
  int wanted_ = 0;
  std::vector<std::jthread> threads_;  // last: joined before the rest is destroyed
};

// The pool is never destroyed at exit (a thread may still be inside a kernel when the interpreter ends),
// and replaced after fork(), because its threads exist only in the parent.
std::atomic<Pool*> current{nullptr};

Pool& pool() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, after_fork_in_child); });
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

}  // namespace

void after_fork_in_child() { current.store(nullptr, std::memory_order_release); }

int available_threads() {
  cpu_set_t set;
  int n = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
  static const int quota = quota_threads();
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

void parallel_for(std::int64_t n, std::int64_t grain, int threads,
                  FunctionRef<void(std::int64_t, std::int64_t, int)> body) {
  if (n <= 0) return;
  grain = std::max<std::int64_t>(1, grain);
  const std::int64_t chunks = (n + grain - 1) / grain;
  threads = static_cast<int>(std::min<std::int64_t>(std::max(1, threads), chunks));
  std::atomic<std::int64_t> next{0};
  parallel(threads, [&](int worker) {
    for (;;) {
      const std::int64_t c = next.fetch_add(1, std::memory_order_relaxed);
      if (c >= chunks) return;
      body(c * grain, std::min(n, (c + 1) * grain), worker);
    }
  });
}

}  // namespace lb::core

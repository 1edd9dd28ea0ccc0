// How many threads unite the next edges of a list: one, or all.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "landbridge/platform.hpp"

namespace lb::core {

// Whether one thread is compared with all. Tests of races have all unite all edges of a small graph, too.
inline std::atomic<bool> threads_compared{true};

// The time in which a thread has united edges. A thread that wakes late is not busy meanwhile.
struct alignas(64) BusyThread {
  double ns = 0, edges = 0;

  class Turn {
   public:
    Turn(BusyThread& thread, i64 edges) : thread_(thread), began_(std::chrono::steady_clock::now()) {
      thread_.edges += static_cast<double>(edges);
    }
    ~Turn() {
      thread_.ns += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began_).count();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    BusyThread& thread_;
    std::chrono::steady_clock::time_point began_;
  };

  // The nanoseconds in which all threads unite one edge, each at its own pace, from now on counted anew.
  static double ns_of_edge(std::vector<BusyThread>& threads) {
    double edges_each_ns = 0;
    for (BusyThread& thread : threads) {
      if (thread.ns > 0) edges_each_ns += thread.edges / thread.ns;
      thread = {};
    }
    return edges_each_ns > 0 ? 1 / edges_each_ns : 0;
  }
};

// Threads that link the same trees wait for each other's lines of the cache at every link, and may take ten times as
// long as one thread; whether they do depends on the graph and on the order of its edges, and changes along a list. So
// the time of an edge is measured with one thread and with all, for a few thousand edges each, and those that were
// faster unite several times as many as have been united so far, all threads a quarter of the list at most or what
// takes them a millisecond. All threads go on while an edge takes them less time than it last took one; otherwise
// the others have another turn. Where one thread is fast, few edges link, and all threads are compared with it once
// they have united more.
class ThreadChoice {
 public:
  // edges: of the list. few: so few that one thread unites them as long as an edge takes it no longer than `fast_ns`.
  // compares: whether the time of an edge is asked for; otherwise all threads unite all edges. in_rows: the edges are
  // rows of a CSR, of which the first take less time than others do; one thread has a second turn before all go on,
  // unless these take `much` less.
  ThreadChoice(int all, i64 edges, bool few, bool compares, bool in_rows = false)
      : all_(all),
        compares_(compares && all > 1 && threads_compared.load(std::memory_order_relaxed)),
        few_(few),
        together_(!compares_),
        sure_(!in_rows),
        share_(std::max(piece, edges / shares)),
        more_(std::clamp(edges / 16, piece, most_more)),
        next_(compares_ ? piece : edges) {}

  bool compares() const { return compares_; }
  int threads() const { return together_ ? all_ : 1; }
  // How many edges come before `add`.
  i64 next() const { return next_; }
  // So many edges took `each` nanoseconds each.
  void add(i64 edges, double each) {
    (together_ ? together_ns_ : one_ns_) = each;
    united_ += edges;
    if (!compares_) return;
    if (few_ && each <= fast_ns) {
      next_ = std::min(2 * next_, most_few);
      return;
    }
    few_ = false;
    sure_ |= !together_ && together_ns_ > 0;
    const bool clear = sure_ || each <= much * one_ns_;
    const bool goes_on = !trial_ && together_ && clear && each <= gain * one_ns_;
    const bool both_known = trial_ && together_ns_ > 0 && (!together_ || clear || each > gain * one_ns_);
    if (goes_on || both_known) {
      together_ = together_ns_ <= gain * one_ns_;
      trial_ = false;
      next_ = together_ ? std::max(std::min(share_, times * united_), in_time(together_ns_)) : times * united_;
    } else {
      together_ = !together_;
      trial_ = !together_ || one_ns_ > fast_ns;
      next_ = !together_ ? piece : trial_ ? std::max<i64>(all_, overlapping) * piece : more_;
    }
  }

  static constexpr i64 piece = i64{1} << 12;  // edges that show how long one takes

 private:
  static constexpr i64 times = 4, shares = 4;
  static constexpr double gain = 0.9;    // less: waking threads takes time, too
  static constexpr double much = 0.6;    // of one thread's time: so clear a gain needs no second turn
  static constexpr i64 overlapping = 8;  // pieces, so that threads that wake late are busy beside others
  static constexpr i64 most_more = i64{1} << 16, most_few = i64{1} << 15;
  // Of a turn of all threads, so that waking them and waiting for the last takes a small part of it.
  static constexpr double least_ns = 1e6;
  static i64 in_time(double each) { return static_cast<i64>(least_ns / std::max(each, 0.01)); }

  // In lists of 2 x 10^5 edges two threads took as long as one where an edge took that this time.
  static constexpr double fast_ns = 5.0;

  int all_;
  bool compares_, few_, together_, trial_ = true;
  bool sure_;  // whether one thread has had a second turn, or needs none
  i64 share_, more_, next_, united_ = 0;
  double one_ns_ = 0, together_ns_ = 0;
};

// The same for edges that come in batches, each of which goes on where the one before has ended. Threads are woken for
// every batch, so the time is what passes. Of callers at the same time one chooses.
class BatchThreads {
 public:
  explicit BatchThreads(int all) : choice_(all, as_if, false, true), left_(next()) {}

  // What a caller unites next, of so many edges: how many, and by how many threads. `unite` does so, and is timed;
  // other callers may be waited for before it and behind it.
  class Stretch {
   public:
    Stretch(BatchThreads& of, int most, i64 edges)
        : threads(most),
          size(edges),
          of_(of),
          chooses_(most > 1 && !of.chosen_.exchange(true, std::memory_order_acquire)) {
      if (!chooses_) return;
      threads = of.choice_.threads();
      size = std::min(of.left_, edges);
    }
    ~Stretch() {
      if (!chooses_) return;
      if (ns_ > 0) of_.add(size, ns_);
      of_.chosen_.store(false, std::memory_order_release);
    }
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
    template <class Work>
    void unite(const Work& work) {
      const auto began = std::chrono::steady_clock::now();
      work();
      ns_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count();
    }
    int threads;
    i64 size;

   private:
    BatchThreads& of_;
    const bool chooses_;
    double ns_ = 0;
  };

 private:
  static constexpr i64 as_if = i64{1} << 18;    // edges: how long a stretch is while little is known
  static constexpr i64 longest = i64{1} << 22;  // of one thread, before all have a turn again
  i64 next() const { return std::min(choice_.next(), longest); }
  void add(i64 edges, double ns) {
    united_ += edges, left_ -= edges, ns_ += ns;
    if (left_ > 0) return;
    choice_.add(united_, ns_ / static_cast<double>(united_));
    united_ = 0, ns_ = 0;
    left_ = next();
  }

  ThreadChoice choice_;
  i64 left_, united_ = 0;
  double ns_ = 0;
  std::atomic<bool> chosen_{false};
};

}  // namespace lb::core

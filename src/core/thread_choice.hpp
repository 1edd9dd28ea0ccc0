// How many threads unite the next edges of a list: one, or all.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "landbridge/platform.hpp"

namespace lb::core {

// Whether one thread is compared with all. Tests of races have all unite all edges of a small graph, too.
inline std::atomic<bool> threads_compared{true};
// Whether every second part of a turn is refused (TurnBound), for tests of what becomes of it.
inline std::atomic<bool> parts_refused{false};

// The time in which a thread has united edges. A thread that wakes late is not busy meanwhile.
struct alignas(64) BusyThread {
  double ns = 0, edges = 0, longest_ns = 0, of_longest = 0;  // in parts, and the longest of these
  int parts = 0;

  // A part.
  void add(double of_part, double part_ns) {
    edges += of_part;
    ns += part_ns;
    ++parts;
    if (part_ns > longest_ns) longest_ns = part_ns, of_longest = of_part;
  }

  class Turn {
   public:
    Turn(BusyThread& thread, i64 edges)
        : thread_(thread), edges_(static_cast<double>(edges)), began_(std::chrono::steady_clock::now()) {}
    ~Turn() {
      const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began_).count();
      thread_.add(edges_, ns);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    BusyThread& thread_;
    const double edges_;
    const std::chrono::steady_clock::time_point began_;
  };

  // The nanoseconds in which all threads unite one edge, each at its own pace, from now on counted anew. Of several
  // parts of one thread alone the longest is left out: it may have been interrupted there. All threads are as slow as
  // they are.
  static double ns_of_edge(std::vector<BusyThread>& threads) {
    constexpr int several = 4;
    const auto is_busy = [](const BusyThread& thread) { return thread.parts > 0; };
    const bool alone = std::count_if(threads.begin(), threads.end(), is_busy) == 1;
    double edges_each_ns = 0;
    for (BusyThread& thread : threads) {
      if (alone && thread.parts >= several) thread.ns -= thread.longest_ns, thread.edges -= thread.of_longest;
      if (thread.ns > 0) edges_each_ns += thread.edges / thread.ns;
      thread = {};
    }
    return edges_each_ns > 0 ? 1 / edges_each_ns : 0;
  }
};

// Threads that link the same trees wait for each other's lines of the cache at every link, and may take ten times as
// long as one thread; whether they do depends on the graph and on the order of its edges, and changes along a list. So
// the time of an edge is measured with one thread and with all, for some thousand edges each, and those that were
// faster go on: one thread with several times as many edges as have been united so far, and all have another turn
// then; all threads with a quarter of the list at most, or what takes them a millisecond, as long as an edge takes them
// less time than it last took one thread, which has another turn otherwise. At first the cells of its edges are in no
// cache, or in another one, so a turn of one thread goes on while it becomes faster. All threads leave a turn in which
// they take far longer than one did, and one thread where it becomes slower than when it was chosen (TurnBound).
class ThreadChoice {
 public:
  // edges: of the list. few: so few that one thread unites them as long as an edge takes it no longer than `fast_ns`.
  // compares: whether the time of an edge is asked for; otherwise all threads unite all edges. in_rows: the edges are
  // rows of a CSR, of which the first take less time than others do; one thread has a second turn before all go on,
  // unless these take `much` less. cached: the cells of all vertices fit a core's own cache, or nearly: then two
  // threads seldom gain, and lose more, so one thread unites several times as many edges as long as it is not slow.
  ThreadChoice(int all, i64 edges, bool few, bool compares, bool in_rows = false, bool cached = false)
      : all_(all),
        compares_(compares && all > 1 && threads_compared.load(std::memory_order_relaxed)),
        few_(few || (cached && all == 2 && edges <= (in_rows ? 2 : 1) * few_for_two)),
        together_(!compares_),
        sure_(!in_rows),
        in_rows_(in_rows),
        warms_(!in_rows),
        cached_(cached),
        fast_ns_(all > 2                       ? fast_for_many_ns(edges)
                 : !cached || (in_rows && few) ? fast_ns
                 : in_rows                     ? fast_arc_for_two_ns
                                               : fast_for_two_ns),
        gain_(cached ? cached_gain : usual_gain),
        least_ns_(cached ? cached_ns : usual_ns),
        share_(std::max(piece, edges / shares)),
        more_(std::clamp(edges / 16, piece, most_more)),
        one_(std::clamp(edges / 24, piece, most_one)),
        next_(compares_ ? piece : edges) {}

  // The time of an edge is what passes, so that it holds the waking of threads: a turn of all is long enough for that.
  // Waking is a sixteenth of what one thread would take for it.
  void count_waking() { awake_ns_ = 16 * (waking_first_ns + waking_next_ns * (all_ - 2)); }
  bool compares() const { return compares_; }
  int threads() const { return together_ ? all_ : 1; }
  // How many edges come before `add`.
  i64 next() const { return next_; }
  // The most time of an edge with which the next edges are united by these threads; 0 for any.
  double most_ns() const { return together_ ? far * one_ns_ : long_ ? slower * one_ns_ : 0; }
  // So many edges took `each` nanoseconds each.
  void add(i64 edges, double each) {
    united_ += edges;
    if (!compares_) return;
    const bool warms = !together_ && warms_ && (one_ns_ == 0 || each < warm * one_ns_);
    (together_ ? together_ns_ : one_ns_) = each;
    if (warms) {
      next_ = few_ ? piece : one_;
      return;
    }
    warms_ = false;
    if (few_ && each <= fast_ns_) {
      next_ = std::min(2 * next_, most_few);
      return;
    }
    few_ = false;
    const bool gains = together_ns_ <= gain_ * one_ns_;
    if (together_ && gains && (sure_ || together_ns_ <= much * one_ns_)) {
      all_go_on();
    } else if (together_ && (gains || goes_on_)) {
      turn_of_one();
    } else if (together_) {
      one_goes_on();
    } else if (!asked_) {
      turn_of_all();
    } else if (gains) {
      all_go_on();
    } else {
      one_goes_on();
    }
  }

  static constexpr i64 piece = i64{1} << 12;  // edges that show how long one takes
  // Edges of a list with cached cells that one thread of two unites if it is not slow.
  static constexpr i64 few_for_two = i64{1} << 21;
  static constexpr double far = 2;       // times as long as one thread: all threads leave their turn
  static constexpr double slower = 1.4;  // than at first: one thread leaves it

 private:
  void all_go_on() {
    together_ = goes_on_ = true;
    asked_ = false;
    next_ = std::max(std::min(share_, times * united_), static_cast<i64>(least_ns_ / std::max(together_ns_, 0.01)));
  }
  void one_goes_on() {
    together_ = goes_on_ = asked_ = false;
    long_ = true;
    next_ = (cached_ || together_ns_ > far * one_ns_ ? times * times : times) * united_;
  }
  void turn_of_all() {
    together_ = true;
    long_ = false;
    next_ = one_ns_ > fast_ns ? std::max<i64>(all_, overlapping) * piece : more_;
    next_ = std::max(next_, static_cast<i64>(awake_ns_ / std::max(one_ns_, 0.1)));
  }
  // Before the choice between one thread and all, whose time is known.
  void turn_of_one() {
    together_ = goes_on_ = false;
    asked_ = sure_ = true;
    warms_ = !in_rows_;
    one_ns_ = 0;
    next_ = piece;
  }

  static constexpr i64 times = 4, shares = 4;
  // Less of one thread's time: waking threads takes time, too; and where a cache holds the cells, one thread becomes
  // faster on the way, and all become slower.
  static constexpr double usual_gain = 0.9, cached_gain = 0.7;
  static constexpr double warm = 0.85;   // of the time of the edges before: a cache is being filled
  static constexpr double much = 0.6;    // of one thread's time: so clear a gain needs no second turn
  static constexpr i64 overlapping = 8;  // pieces, so that threads that wake late are busy beside others
  // Where one thread is fast, few edges link, and all threads are compared with it for more edges.
  static constexpr i64 most_more = i64{1} << 16;
  static constexpr i64 most_few = i64{1} << 15, most_one = i64{1} << 14;
  // Of a turn of all threads, so that waking them and waiting for the last takes a small part of it.
  static constexpr double usual_ns = 1e6, cached_ns = 3e5;

  // In lists of 2 x 10^5 edges two threads took as long as one where an edge took that this time; in lists of 10^6
  // edges with cached cells; and in rows of as many, where it is two arcs.
  static constexpr double fast_ns = 5.0, fast_for_two_ns = 10.0, fast_arc_for_two_ns = 4.0;
  // Until the first of several sleeping threads runs, and until each further one does.
  static constexpr double waking_first_ns = 3e4, waking_next_ns = 3e3;
  // Sixteen threads took as long as one where one took so long for all edges, of 10^5 to 10^6.
  static constexpr double all_edges_ns = 2.5e5;
  static double fast_for_many_ns(i64 edges) {
    return std::clamp(all_edges_ns / static_cast<double>(std::max<i64>(1, edges)), 0.5, fast_ns);
  }

  int all_;
  bool compares_, few_, together_;
  bool sure_;             // whether one thread has had a second turn, or needs none
  bool goes_on_ = false;  // whether all threads had been chosen
  bool asked_ = false;    // whether one thread has a turn because all take too long
  bool long_ = false;     // whether one thread has been chosen
  bool in_rows_;
  bool warms_;   // whether one thread has a turn in which it may still become faster
  bool cached_;  // a turn of all takes cells from the cache of one, which is slower for long
  double fast_ns_, gain_, least_ns_;
  i64 share_, more_, one_, next_, united_ = 0;
  double one_ns_ = 0, together_ns_ = 0;
  double awake_ns_ = 0;  // that one thread takes at least for the edges of a turn of all
};

// Ends a turn in which edges take longer than they may.
class TurnBound {
 public:
  explicit TurnBound(const ThreadChoice& choice)
      : most_(choice.most_ns()), least_(choice.threads() == 1 ? least_of_one : least_of_all) {}
  // Whether a thread may begin a part of so many edges.
  bool admits(i64 edges) {
    if (parts_refused.load(std::memory_order_relaxed)) return asked_.fetch_add(1, std::memory_order_relaxed) % 2 == 0;
    if (most_ == 0) return true;
    const i64 now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    i64 began = 0;
    // The first thread may be long in waking.
    if (began_.compare_exchange_strong(began, now, std::memory_order_relaxed)) began = now;
    if (over(static_cast<double>(now - began), admitted_.load(std::memory_order_relaxed))) return false;
    admitted_.fetch_add(edges, std::memory_order_relaxed);
    return true;
  }
  // Whether a turn is over in which so many edges have taken so many nanoseconds.
  bool over(double ns, i64 edges) const { return most_ > 0 && ns > least_ && ns > most_ * static_cast<double>(edges); }

 private:
  // Nanoseconds, so that a thread that is interrupted ends no turn, or one that fetches cells from others' caches.
  static constexpr double least_of_all = 5e4, least_of_one = 3e5;
  const double most_, least_;
  std::atomic<i64> began_{0}, admitted_{0}, asked_{0};
};

// The same for edges that come in batches, each of which goes on where the one before has ended. Threads are woken for
// every batch, so the time is what passes. Of callers at the same time one chooses.
class BatchThreads {
 public:
  static constexpr i64 as_if = i64{1} << 18;  // edges: how long a stretch is while little is known

  explicit BatchThreads(int all) : choice_(all, as_if, false, true) {
    choice_.count_waking();
    left_ = next();
  }

  // What a caller unites next, of so many edges: how many, and by how many threads; one thread, which keeps others from
  // access, at most `most_alone`. `unite` does so, and is timed; other callers may be waited for before it and behind
  // it. Before each part of these edges `admits` says whether it belongs to the turn, and `end_part` is called behind
  // it if so. Where all threads are slow some do not: one thread at a time unites those, untimed, and the turn ends.
  class Stretch {
   public:
    Stretch(BatchThreads& of, int most, i64 edges, i64 most_alone)
        : threads(most),
          size(edges),
          of_(of),
          chooses_(most > 1 && !of.chosen_.exchange(true, std::memory_order_acquire)) {
      if (!chooses_) return;
      threads = of.choice_.threads();
      size = std::min({of.left_, edges, threads == 1 ? most_alone : edges});
      if (threads > 1) bound_.emplace(of.choice_);
    }
    ~Stretch() {
      if (!chooses_) return;
      const i64 refused = refused_.load(std::memory_order_relaxed);
      const std::chrono::duration<double, std::nano> of_turn = last_.load(std::memory_order_relaxed);
      // 0 where an exception has ended the work, or its time has been dropped.
      if (ns_ > 0 && refused < size) of_.add(size - refused, refused > 0 ? of_turn.count() : ns_, refused > 0);
      of_.chosen_.store(false, std::memory_order_release);
    }
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
    template <class Work>
    void unite(const Work& work) {
      began_ = Clock::now();
      work();
      ns_ = std::chrono::duration<double, std::nano>(Clock::now() - began_).count();
    }
    // Not all edges have been united: the time says nothing.
    void drop_time() { ns_ = 0; }
    bool admits(i64 edges) {
      if (!bound_ || bound_->admits(edges)) return true;
      refused_.fetch_add(edges, std::memory_order_relaxed);
      return false;
    }
    void end_part() {
      if (!bound_) return;
      const auto now = Clock::now() - began_;
      auto last = last_.load(std::memory_order_relaxed);
      while (last < now && !last_.compare_exchange_weak(last, now, std::memory_order_relaxed)) {
      }
    }
    int threads;
    i64 size;

   private:
    using Clock = std::chrono::steady_clock;
    BatchThreads& of_;
    const bool chooses_;
    std::optional<TurnBound> bound_;
    std::atomic<i64> refused_{0};
    Clock::time_point began_;
    std::atomic<Clock::duration> last_{};  // when the last part of the turn was done
    double ns_ = 0;
  };

 private:
  static constexpr i64 longest = i64{1} << 22;  // of a turn: then the other one may have one
  i64 next() const { return std::min(choice_.next(), longest); }
  // early: whether the turn is over before its edges are.
  void add(i64 edges, double ns, bool early) {
    united_ += edges, left_ -= edges, ns_ += ns;
    if (left_ > 0 && !early) return;
    choice_.add(united_, ns_ / static_cast<double>(united_));
    united_ = 0, ns_ = 0;
    left_ = next();
  }

  ThreadChoice choice_;
  i64 left_ = 0, united_ = 0;
  double ns_ = 0;
  std::atomic<bool> chosen_{false};
};

}  // namespace lb::core

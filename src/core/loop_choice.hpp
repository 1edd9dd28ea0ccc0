// Which of two loops unites the next edges of a thread: walks of the rule, one after the other, or climbing.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>

#include "landbridge/cpu/climb.hpp"
#include "landbridge/work.hpp"

namespace lb::core {

using cpu::EdgeLoop;

// What every thread takes, for tests; -1: the faster one.
inline std::atomic<int> edge_loop{-1};

// Where walks are alike, as for edges in the order in which a structure was made, a processor guesses where they end,
// and they are up to four times faster than climbing; where they are not, climbing is, up to three times. Both change
// along a list. So the time of an edge is measured, and the faster loop goes on; the other one is tried for a few edges
// behind so many that this costs about a hundredth of the time, and more often at first.
class LoopChoice {
 public:
  // Whether so many edges are worth a choice; fewer are walked.
  static bool decides(i64 count) {
    return count >= few || (count > 0 && edge_loop.load(std::memory_order_relaxed) >= 0);
  }

  // Calls unite(begin, end, loop) for pieces of so many edges, of which `decides` is true. near: their cells are in the
  // cache; those of others are fetched while a loop is under way, so its pieces are longer.
  template <class Unite>
  void in_pieces(i64 count, bool near, const Unite& unite) {
    const auto unite_piece = [&](i64 begin, i64 end, EdgeLoop loop) {
      if (loop == EdgeLoop::climbs) climbed_ += end - begin;
      unite(begin, end, loop);
    };
    const int requested = edge_loop.load(std::memory_order_relaxed);
    if (requested >= 0) return unite_piece(0, count, static_cast<EdgeLoop>(requested));
    Race& race = near ? near_ : far_;
    const i64 times = near ? 1 : 4;
    double began = now();
    for (i64 begin = 0; begin < count;) {
      const i64 end = std::min(count, begin + times * race.next());
      unite_piece(begin, end, race.loop());
      const double done = now();
      if (end - begin >= few) race.add(end - begin, times, done - began);
      began = done;
      begin = end;
    }
  }
  // Edges for which that was climbing.
  i64 climbed() const { return climbed_; }

 private:
  static constexpr i64 few = 128;

  // Between the two loops, for edges of one kind.
  class Race {
   public:
    EdgeLoop loop() const { return loop_; }
    // Edges of the next piece; of longer ones as many times fewer.
    i64 next() const { return tries_ ? trial : std::clamp(left_, trial, most); }
    // So many edges of a piece that is so many times as long took so many nanoseconds.
    void add(i64 edges, i64 times, double ns) {
      const double each = std::max(ns, 1.0) / static_cast<double>(edges);  // a coarse clock may stand still
      const i64 units = (edges + times - 1) / times;
      united_ += units;
      if (united_ == units) return;  // its cells were in no cache yet
      double& mine = ns_[static_cast<int>(loop_)];
      if (tries_) {
        const double other = ns_[1 - static_cast<int>(loop_)];
        mine = each;
        tries_ = false;
        if (each > gain * other) turn();
        const double loss = std::clamp(std::max(each / other, other / each) - 1, least, largest);
        left_ = std::min(static_cast<i64>(wait * loss), again * united_);
        return;
      }
      // An interrupted piece counts twice as much as the ones before at most.
      mine = mine == 0 ? each : mine + (std::min(each, 2 * mine) - mine) / 4;
      left_ -= units;
      if (left_ > 0) return;
      turn();
      tries_ = true;
    }

   private:
    void turn() { loop_ = static_cast<EdgeLoop>(1 - static_cast<int>(loop_)); }

    static constexpr i64 most = 2048, trial = 512;
    // Of the other loop's time; and the loss of a trial, as far as it counts.
    static constexpr double gain = 0.95, least = 0.5, largest = 3;
    // Edges between trials of a loop that takes twice as long, and at most so many times those that are united.
    static constexpr double wait = 32768;
    static constexpr i64 again = 2;
    EdgeLoop loop_ = EdgeLoop::walks;
    bool tries_ = false;  // whether this loop is tried
    i64 united_ = 0;      // edges; of longer pieces as many times fewer
    i64 left_ = 1;        // of these before the other loop is tried
    double ns_[2] = {0, 0};
  };

  // Nanoseconds. Where work is counted, accesses to parents take the place of a clock, so that a run counts the same
  // twice.
  static double now() {
#if defined(LB_COUNT_WORK)
    return static_cast<double>(work::mine.loads + work::mine.stores + work::mine.swaps);
#else
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
  }

  Race near_, far_;
  i64 climbed_ = 0;
};

}  // namespace lb::core

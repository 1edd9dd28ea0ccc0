// Which loop unites the next edges of a thread.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>

#include "landbridge/cpu/schedule.hpp"
#include "stopwatch.hpp"

namespace lb::core {

using cpu::EdgeLoop;

// What every thread takes, for tests: an EdgeLoop, `edge_loops` more for one that does not fetch; -1: the fastest one.
inline std::atomic<int> edge_loop{-1};

// Walks of a rule, one after the other, or climbing; with cells fetched ahead, or without. Where walks are alike, as
// for edges in the order in which a structure was made, a processor guesses where they end, and they are up to four
// times faster than climbing; where they are not, climbing is, up to three times. Walks from the larger endpoint are up
// to twice as fast as those from the first one where both are roots and ids in no order, and half as fast in stars.
// Cells that a core's own cache holds are worth fetching for long walks, and short ones take up to twice as long with
// it. Both change along a list. So the time of an edge is measured, and the fastest loop goes on; each other one is
// tried for a few edges behind so many that this costs about a sixtieth of the time, and more often at first.
//
// Walks of a rule may leave paths of a hundred vertices behind, where they themselves stop early but climbing does not,
// so that a trial of it takes long. So where paths are long, edges climb until they are not, whatever that takes.
class LoopChoice {
 public:
  // Whether so many edges are worth a choice; fewer are walked.
  static bool decides(i64 count) {
    return count >= few || (count > 0 && edge_loop.load(std::memory_order_relaxed) >= 0);
  }

  // Calls unite(begin, end, loop, fetches) for pieces of so many edges, of which `decides` is true. distance: of their
  // cells. A loop that fetches has nothing fetched for the first edges of a piece, so pieces whose cells are not near
  // are longer. deep(begin, end): whether the endpoints of these edges lie far below their roots.
  template <class Deep, class Unite>
  void in_pieces(i64 count, cpu::Distance distance, const Deep& deep, const Unite& unite) {
    const int requested = edge_loop.load(std::memory_order_relaxed);
    Tuner& tuner = distance == cpu::Distance::near ? near_ : distance == cpu::Distance::cached ? cached_ : far_;
    double began = measured_ns();
    for (i64 begin = 0; begin < count;) {
      const i64 end = requested >= 0 ? count : std::min(count, begin + tuner.next());
      Loop loop = requested >= 0 ? requested_loop(requested, distance) : tuner.loop();
      const bool looks =
          requested < 0 && distance != cpu::Distance::far && loop.kind != EdgeLoop::climbs && unseen_ >= between_looks;
      const bool shortens = looks && deep(begin, end);
      unseen_ = looks && !shortens ? 0 : unseen_ + end - begin;
      if (shortens) loop = climbs;
      if (loop.kind == EdgeLoop::climbs) climbed_ += end - begin;
      unite(begin, end, loop.kind, loop.fetches);
      const double done = measured_ns();
      if (requested < 0 && !shortens && end - begin >= few) tuner.add(end - begin, done - began);
      began = done;
      begin = end;
    }
  }
  // Edges for which that was climbing.
  i64 climbed() const { return climbed_; }

 private:
  static constexpr i64 few = 128, between_looks = 8192;

  struct Loop {
    EdgeLoop kind;
    bool fetches;
  };

  // Finds the fastest of several loops for edges of one kind. Edges count in units of so many of them.
  class Tuner {
   public:
    template <class... Loops>
    explicit Tuner(i64 unit, Loops... loops)
        : unit_(unit), candidates_{Candidate{.loop = loops}...}, count_(sizeof...(loops)) {}
    Loop loop() const { return candidates_[at_].loop; }
    // Edges of the next piece.
    i64 next() const { return unit_ * (tries() ? trial : std::clamp(due(next_candidate()) - united_, trial, most)); }
    // So many edges of a piece took so many nanoseconds.
    void add(i64 edges, double ns) {
      const double each = std::max(ns, 1.0) / static_cast<double>(edges);  // a coarse clock may stand still
      const i64 units = (edges + unit_ - 1) / unit_;
      united_ += units;
      if (united_ == units) return;  // its cells were in no cache yet
      Candidate& timed = candidates_[at_];
      if (tries()) {
        timed.ns = each;
        const bool is_faster = each <= gain * candidates_[best_].ns;
        Candidate& slower = is_faster ? candidates_[best_] : timed;
        if (is_faster) best_ = at_;
        at_ = best_;
        const double loss = std::clamp(std::max(each / candidates_[best_].ns, slower.ns / each) - 1, least, largest);
        slower.due = united_ + static_cast<i64>(loss * std::min(wait, again * static_cast<double>(united_)));
        return;
      }
      // An interrupted piece counts twice as much as the ones before at most.
      timed.ns = timed.ns == 0 ? each : timed.ns + (std::min(each, 2 * timed.ns) - timed.ns) / 4;
      const std::size_t next = next_candidate();
      if (due(next) <= united_) at_ = next;
    }

   private:
    struct Candidate {
      Loop loop{};
      double ns = 0;  // of an edge
      i64 due = 0;    // when it is tried, counted in units of all
    };
    bool tries() const { return at_ != best_; }
    // At once where the best one has become slower than it was.
    i64 due(std::size_t i) const { return candidates_[i].ns < gain * candidates_[best_].ns ? 0 : candidates_[i].due; }
    // Of the others, the one whose trial is due first.
    std::size_t next_candidate() const {
      std::size_t first = best_ == 0 ? 1 : 0;
      for (std::size_t i = first + 1; i < count_; ++i) {
        if (i != best_ && due(i) < due(first)) first = i;
      }
      return first;
    }

    static constexpr i64 most = 2048, trial = 256;
    // Of the best loop's time; and the loss of a trial, as far as it counts.
    static constexpr double gain = 0.95, least = 0.5, largest = 3;
    // Units between trials of a loop that takes twice as long, and at most so many times those that are united.
    static constexpr double wait = 32768, again = 6;
    i64 unit_;
    std::array<Candidate, 4> candidates_;
    std::size_t count_, best_ = 0, at_ = 0;  // `at_` differs while another one is tried
    i64 united_ = 0;
  };

  static Loop requested_loop(int requested, cpu::Distance distance) {
    const bool fetches = requested < cpu::edge_loops && distance != cpu::Distance::near;
    return {static_cast<EdgeLoop>(requested % cpu::edge_loops), fetches};
  }

  static constexpr Loop walks{EdgeLoop::walks, false}, climbs{EdgeLoop::climbs, false};
  static constexpr Loop from_larger{EdgeLoop::walks_from_larger, false};
  static constexpr Loop fetching_walks{EdgeLoop::walks, true}, fetching_climbs{EdgeLoop::climbs, true};
  static constexpr Loop fetching_from_larger{EdgeLoop::walks_from_larger, true};
  Tuner near_{1, walks, climbs, from_larger};
  Tuner cached_{2, walks, climbs, fetching_from_larger, from_larger};
  // Far cells may be in a cache all the same, as those of a hub are, or those of the edges before.
  Tuner far_{4, fetching_walks, fetching_climbs, fetching_from_larger, walks};
  i64 climbed_ = 0, unseen_ = 0;  // edges; `unseen_` since a look at few of their endpoints found these near roots
};

}  // namespace lb::core

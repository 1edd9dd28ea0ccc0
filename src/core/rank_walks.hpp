// Walks that cut lists into sublists: each begins at a splitter or a head and ends where another one began.
#pragma once
#include <atomic>
#include <utility>

#include "interrupt.hpp"
#include "landbridge/cpu/rank.hpp"
#include "memory.hpp"
#include "rank_strategy.hpp"
#include "rank_successors.hpp"

namespace lb::core::lists {

// The sublists of all lists. next: the sublist after, -1 at the end of a list; tail: only there.
template <class T, class V>
struct Sublists {
  Buffer<T> start, next, tail;
  Buffer<V> total;
  i64 count = 0;
  explicit Sublists(i64 most)
      : start(static_cast<std::size_t>(most)),
        next(static_cast<std::size_t>(most)),
        tail(static_cast<std::size_t>(most)),
        total(static_cast<std::size_t>(most)) {}
};

// What is asked of the walks over some lists.
template <class T>
struct WalkTask {
  i64 n;
  const Survey& survey;
  const Strategy& strategy;
  const ListPlan& plan;
  ListEnds<T> ends;
  Stopwatch* watch;  // null where the phases belong to another run
};

// One cut of all lists. Afterwards the state of every element has the number of its sublist and its place there.
template <class T, class State, class F>
class Cutting {
 public:
  using V = typename State::V;

  Cutting(const State& state, const F& values, const WalkTask<T>& task)
      : state_(state), f_(values), n_(task.n), survey_(task.survey), strategy_(task.strategy), plan_(task.plan) {}

  // False if the input is no lists: not every element was claimed by one walk, or a walk ended where no other began.
  bool run(Sublists<T, V>& sublists) {
    const i64 blocks = strategy_.blocks;
    const bool single = survey_.tails == 1;
    if (single && survey_.head >= static_cast<u64>(n_)) return false;
    for_each_element(n_, plan_.threads, [s = state_](i64 i) { s.reset(static_cast<u64>(i)); });
    if (blocks > 0) {
      place_splitters(sublists);
      sublists.count = blocks;
      walk(sublists, 0, blocks);
    }
    if (broken_.load()) return false;
    if (!single) {
      if (!append_heads(sublists)) return false;
      walk(sublists, blocks, sublists.count);
    }
    return !broken_.load() && claimed_.load() == n_;
  }

 private:
  using U = Unsigned<T>;
  static constexpr i64 starts_per_grab = 64;  // that a thread takes at a time

  // The start of each block's sublist; the head of a single list takes the place of its block's splitter.
  void place_splitters(Sublists<T, V>& sublists) const {
    const u64 m = static_cast<u64>(n_), r = static_cast<u64>(strategy_.blocks);
    const bool single = survey_.tails == 1;
    for_each_element(strategy_.blocks, plan_.threads, [&](i64 k) {
      const u64 block = static_cast<u64>(k);
      const u64 first = rank::block_start(m, r, block);
      const bool has_head = single && first <= survey_.head && survey_.head < rank::block_start(m, r, block + 1);
      sublists.start[k] = static_cast<T>(has_head                   ? survey_.head
                                         : strategy_.first_of_block ? first
                                                                    : rank::splitter_of(m, r, block, plan_.seed));
    });
  }

  // What no walk has claimed lies before the first splitter of its list, or in a cycle. Heads there begin sublists,
  // too.
  bool append_heads(Sublists<T, V>& sublists) const {
    const State s = state_;
    for_each_element(n_, plan_.threads, [s](i64 i) { phase::mark_successor(s, static_cast<u64>(i)); });
    const auto is_head = [s](i64 i) {
      return s.owner(static_cast<u64>(i)) == rank::unowned && !s.has_predecessor(static_cast<u64>(i));
    };
    Buffer<i64> heads(static_cast<std::size_t>((n_ + grain - 1) / grain));
    parallel_for(n_, grain, plan_.threads, [&](i64 b, i64 e, int) {
      i64 count = 0;
      for (i64 i = b; i < e; ++i) count += is_head(i);
      heads[static_cast<std::size_t>(b / grain)] = count;
    });
    i64 total = strategy_.blocks;
    for (auto& h : heads) total += std::exchange(h, total);
    if (total > strategy_.blocks + survey_.tails) return false;
    parallel_for(n_, grain, plan_.threads, [&](i64 b, i64 e, int) {
      i64 at = heads[static_cast<std::size_t>(b / grain)];
      for (i64 i = b; i < e; ++i) {
        if (is_head(i)) sublists.start[at++] = static_cast<T>(i);
      }
    });
    sublists.count = total;
    return true;
  }

  // The walks `first` .. `last` - 1, whose starts are set.
  void walk(Sublists<T, V>& sublists, i64 first, i64 last) {
    for_each_element(last - first, plan_.threads, [&](i64 i) {
      const i64 k = first + i;
      phase::claim_start(state_, f_, static_cast<U>(sublists.start[k]), static_cast<u64>(k));
    });
    std::atomic<i64> next{first};
    const auto grabs = (last - first + starts_per_grab - 1) / starts_per_grab;
    parallel(static_cast<int>(std::min<i64>(plan_.threads, grabs)),
             [&](int) { walk_on_one_thread(sublists, last, next); });
  }

  void walk_on_one_thread(Sublists<T, V>& sublists, i64 last, std::atomic<i64>& next) {
    const State s = state_;
    const F f = f_;
    i64 at = 0, end = 0, claimed = 0;
    bool wrong = false;
    const auto next_start = [&](u64& number, u64& start) {
      if (at == end) {
        at = next.fetch_add(starts_per_grab, std::memory_order_relaxed);
        end = std::min(at + starts_per_grab, last);
        if (at >= end) return end = at, false;
      }
      number = static_cast<u64>(at);
      start = static_cast<U>(sublists.start[at++]);
      return true;
    };
    const auto on_end = [&](const phase::SublistWalk<V>& w, phase::WalkStatus status, u64 owner) {
      const auto k = w.number;
      sublists.total[k] = w.sum;
      claimed += static_cast<i64>(w.length);
      if (status == phase::WalkStatus::at_tail) {
        sublists.next[k] = -1;
        sublists.tail[k] = static_cast<T>(w.at);
      } else {
        sublists.next[k] = static_cast<T>(owner);
        wrong |= owner >= static_cast<u64>(last) || owner == k || static_cast<U>(sublists.start[owner]) != w.at;
      }
    };
    cpu::follow_walks(s, f, strategy_.width, next_start, on_end, stop_point);
    claimed_.fetch_add(claimed, std::memory_order_relaxed);
    if (wrong) broken_.store(true, std::memory_order_relaxed);
  }

  const State& state_;
  const F& f_;
  const i64 n_;
  const Survey& survey_;
  const Strategy& strategy_;
  const ListPlan& plan_;
  std::atomic<bool> broken_{false};
  std::atomic<i64> claimed_{0};
};

}  // namespace lb::core::lists

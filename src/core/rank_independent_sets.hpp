// Fractional independent sets (Banerjee and Kothapalli): rounds remove elements that are no neighbours, the rest is
// ranked, and the removed elements return in reverse order.
#pragma once
#include <atomic>
#include <utility>
#include <vector>

#include "landbridge/phase/rank.hpp"
#include "memory.hpp"
#include "rank_prefix.hpp"

namespace lb::core::lists {

// value[i] <- value[i] (+) .. (+) the value of the end of its list.
template <class S, class T, class V>
class IndependentSets {
 public:
  // predecessor: -1 at heads. tails: null where they are not requested.
  IndependentSets(ListsView<S> lists, const Buffer<T>& predecessor, Buffer<V>& value, const rank::Monoid<V>& op,
                  T* tails, const ListPlan& plan)
      : n_(lists.n),
        threads_(plan.threads),
        plan_(plan),
        value_(value),
        op_(op),
        tails_(tails),
        next_(size()),
        previous_(size()),
        active_(size()),
        survivors_(size()),
        removed_(size()),
        result_(size()) {
    const rank::Successors<S> next(lists.successor, lists.n);
    for_each_element(n_, threads_, [&](i64 i) {
      const u64 s = next(static_cast<u64>(i));
      next_[i] = s == static_cast<u64>(i) ? none<U> : static_cast<U>(s);
      previous_[i] = predecessor[i] < 0 ? none<U> : static_cast<U>(predecessor[i]);
      active_[i] = static_cast<U>(i);
    });
  }

  // False if a list has no end.
  bool run(int rounds, Stopwatch& watch) {
    remove(rounds);
    watch.lap("remove");
    if (!rank_rest()) return false;
    watch.lap("rank the rest");
    reinsert();
    watch.lap("reinsert");
    std::swap(value_, result_);
    return true;
  }

 private:
  using U = Unsigned<T>;

  std::size_t size() const { return static_cast<std::size_t>(n_); }

  void remove(int rounds) {
    left_ = n_;
    Buffer<u8> selected(size());
    Buffer<i64> stay(static_cast<std::size_t>(n_ / grain + 1));
    for (int round = 1; round <= rounds; ++round) {
      select(round, selected, stay);
      i64 total = 0;
      for (i64 c = 0; c * grain < left_; ++c) total += std::exchange(stay[static_cast<std::size_t>(c)], total);
      unlink(selected, stay);
      round_ends_.push_back(round_ends_.back() + left_ - total);
      left_ = total;
      std::swap(active_, survivors_);
    }
  }

  // The set of a round, and how many elements of each chunk are not in it.
  void select(int round, Buffer<u8>& selected, Buffer<i64>& stay) {
    const u64 key = mix(plan_.seed, static_cast<u64>(round));
    const auto bit = [key](u64 u) { return (mix(key, u) & 1) != 0; };
    parallel_for(left_, grain, threads_, [&](i64 b, i64 e, int) {
      i64 count = 0;
      for (i64 k = b; k < e; ++k) {
        const bool in = phase::in_independent_set(next_.data(), previous_.data(), bit, static_cast<u64>(active_[k]));
        selected[k] = in;
        count += !in;
      }
      stay[static_cast<std::size_t>(b / grain)] = count;
    });
  }

  // Takes the set out. stay: for each chunk, how many survivors precede it.
  void unlink(const Buffer<u8>& selected, const Buffer<i64>& stay) {
    const i64 log = round_ends_.back();
    parallel_for(left_, grain, threads_, [&](i64 b, i64 e, int) {
      i64 survivor = stay.data()[static_cast<std::size_t>(b / grain)], gone = log + b - survivor;
      for (i64 k = b; k < e; ++k) {
        const U u = active_[k];
        if (selected.data()[k] == 0) {
          survivors_[survivor++] = u;
          continue;
        }
        removed_[gone++] = u;
        phase::unlink(next_.data(), previous_.data(), value_.data(), op_, static_cast<u64>(u));
      }
    });
  }

  // Ranks the survivors from the end of each list backwards, so that every place is the sum between it and the end.
  bool rank_rest() {
    const auto m = static_cast<std::size_t>(left_);
    Buffer<T> rest(m), rest_tail(tails_ == nullptr ? 0 : m);
    Buffer<V> rest_value(m), rest_place(m);
    auto& position = survivors_;
    for_each_element(left_, threads_, [&](i64 k) { position[active_[k]] = static_cast<U>(k); });
    std::atomic<bool> cycle{false};
    for_each_element(left_, threads_, [&](i64 k) {
      const U u = active_[k], p = previous_[u];
      // What removals have left of a cycle, which has no end; or the predecessor was removed: the successors changed.
      const bool broken = p == u || (p != none<U> && static_cast<i64>(position[p]) >= left_);
      if (broken) cycle.store(true, std::memory_order_relaxed);
      rest[k] = p == none<U> || broken ? T{-1} : static_cast<T>(position[p]);
      rest_value[k] = value_[u];
    });
    if (cycle.load()) return false;
    const ListPlan plan = left_ < grain ? serial_plan() : chains_plan(plan_.seed, threads_);
    const ListsView<T> lists{rest.data(), left_};
    const rank::ArrayValues<V> values{rest_value.data(), op_, false};
    // Backwards the tail of a list is its head.
    const ListEnds<T> ends{nullptr, tails_ == nullptr ? nullptr : rest_tail.data()};
    if (!prefix<T, T, V>(lists, survey(lists, threads_), values, rest_place.data(), ends, plan, nullptr)) return false;
    for_each_element(left_, threads_, [&](i64 k) {
      result_[active_[k]] = rest_place[k];
      if (tails_ != nullptr) tails_[active_[k]] = static_cast<T>(active_[rest_tail[k]]);
    });
    return true;
  }

  void reinsert() {
    for (std::size_t round = round_ends_.size() - 1; round > 0; --round) {
      const i64 first = round_ends_[round - 1];
      for_each_element(round_ends_[round] - first, threads_, [&](i64 k) {
        const U u = removed_[first + k];
        result_[u] = op_(value_[u], result_[next_[u]]);
        if (tails_ != nullptr) tails_[u] = tails_[next_[u]];
      });
    }
  }

  const i64 n_;
  const int threads_;
  const ListPlan& plan_;
  Buffer<V>& value_;
  const rank::Monoid<V> op_;
  T* const tails_;
  Buffer<U> next_, previous_, active_, survivors_, removed_;
  Buffer<V> result_;
  std::vector<i64> round_ends_{0};  // of each round's part of `removed`
  i64 left_ = 0;
};

}  // namespace lb::core::lists

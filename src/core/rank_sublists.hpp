// From sublists to the places of their elements: the sublists of each list are ranked, then every element adds its
// place to that of its sublist.
#pragma once
#include "rank_prefix.hpp"
#include "rank_walks.hpp"

namespace lb::core::lists {

// base[k]: the sum before sublist k in its list; whole[k]: the sum of the whole list up to the total of its last
// sublist; tail[k], head[k]: those of the list.
template <class T, class V>
struct SublistPlaces {
  Buffer<V> base, whole;
  Buffer<T> tail, head;
  explicit SublistPlaces(i64 count)
      : base(static_cast<std::size_t>(count)),
        whole(static_cast<std::size_t>(count)),
        tail(static_cast<std::size_t>(count)),
        head(static_cast<std::size_t>(count)) {}
};

// False if the sublists themselves are no lists.
template <class T, class V, class F>
bool place_sublists(const Sublists<T, V>& sublists, const F& f, int threads, SublistPlaces<T, V>& places) {
  const i64 m = sublists.count;
  Buffer<u8> flags(static_cast<std::size_t>(m));
  std::fill(flags.begin(), flags.end(), u8{0});
  const SharedWords<u8> has_predecessor(flags.data());
  std::atomic<bool> twice{false};
  for_each_element(m, threads, [&](i64 k) {
    if (sublists.next[k] >= 0 && has_predecessor.exchange(static_cast<u64>(sublists.next[k]), 1) != 0)
      twice.store(true, std::memory_order_relaxed);
  });
  if (twice.load()) return false;
  std::atomic<i64> visited{0};
  parallel_for(m, grain / 8, threads, [&](i64 b, i64 e, int) {
    i64 count = 0;
    for (i64 k = b; k < e; ++k) {
      if (flags[k] != 0) continue;
      V before = f.neutral();
      T last = static_cast<T>(k);
      for (T q = last; q >= 0; q = sublists.next[q]) {
        places.base[q] = before;
        before = f.add(before, sublists.total[q]);
        last = q;
        ++count;
      }
      for (T q = static_cast<T>(k); q >= 0; q = sublists.next[q]) {
        places.whole[q] = before;
        places.tail[q] = sublists.tail[last];
        places.head[q] = sublists.start[k];
      }
    }
    visited.fetch_add(count, std::memory_order_relaxed);
  });
  return visited.load() == m;
}

// The same by recursion: the sublists are elements of a list whose values are their totals (Rehman et al.).
template <class T, class V, class F>
bool place_by_recursion(const Sublists<T, V>& sublists, const F& f, const WalkTask<T>& task,
                        SublistPlaces<T, V>& places) {
  using W = std::conditional_t<std::is_floating_point_v<V>, V, i64>;
  const i64 m = sublists.count;
  // Recursion would not end on lists of a few elements each.
  const ListPlan plan = m > task.n / 2 ? serial_plan() : task.plan;
  const auto size = static_cast<std::size_t>(m);
  Buffer<W> totals(size), sums(size);
  Buffer<T> last(size), first(size);
  for (i64 k = 0; k < m; ++k) totals[k] = static_cast<W>(sublists.total[k]);
  rank::Monoid<W> op(rank::ScanOp::sum);
  if constexpr (std::is_same_v<F, rank::ArrayValues<V>>) op = rank::Monoid<W>(f.op.op);
  const ListsView<T> lists{sublists.next.data(), m};
  const rank::ArrayValues<W> values{totals.data(), op, true};
  const ListEnds<T> ends{last.data(), first.data()};
  if (!prefix<T, T, W>(lists, survey(lists, 1), values, sums.data(), ends, plan, nullptr)) return false;
  for (i64 k = 0; k < m; ++k) {
    places.base[k] = static_cast<V>(sums[k]);
    places.whole[k] = f.add(static_cast<V>(sums[last[k]]), sublists.total[last[k]]);
    places.tail[k] = sublists.tail[last[k]];
    places.head[k] = sublists.start[first[k]];
  }
  return true;
}

// Ranks by walks: calls write(i, b, place of i in its sublist) for every element, where b is what `from_base` makes of
// the base of the sublist and the sum of the whole list. False if the successors are no lists.
template <class T, class State, class F, class FromBase, class Write>
bool rank_by_walks(const State& s, const F& f, const WalkTask<T>& task, const FromBase& from_base, const Write& write) {
  using V = typename State::V;
  const auto lap = [&](const char* phase) {
    if (task.watch != nullptr) task.watch->lap(phase);
  };
  Sublists<T, V> sublists(task.strategy.blocks + (task.survey.tails == 1 ? 0 : task.survey.tails));
  if (!Cutting<T, State, F>(s, f, task).run(sublists)) return false;
  lap("walk");
  SublistPlaces<T, V> places(sublists.count);
  const bool sound = task.strategy.recursion ? place_by_recursion(sublists, f, task, places)
                                             : place_sublists(sublists, f, task.strategy.sublist_threads, places);
  if (!sound) return false;
  auto& base = places.base;
  for (i64 k = 0; k < sublists.count; ++k) base[k] = from_base(base[k], places.whole[k]);
  lap("splitters");
  std::atomic<bool> missed{false};
  T *const tail_of = task.ends.tails, *const head_of = task.ends.heads;
  parallel_for(task.n, grain, task.plan.threads, [&](i64 b, i64 e, int) {
    bool wrong = false;
    for (i64 i = b; i < e; ++i) {
      const u64 k = s.owner(static_cast<u64>(i));
      if (k == rank::unowned) {
        wrong = true;
        continue;
      }
      write(i, base[k], s.place(static_cast<u64>(i)));
      if (tail_of != nullptr) tail_of[i] = places.tail[k];
      if (head_of != nullptr) head_of[i] = places.head[k];
    }
    if (wrong) missed.store(true, std::memory_order_relaxed);
  });
  lap("ranks");
  return !missed.load();
}

}  // namespace lb::core::lists

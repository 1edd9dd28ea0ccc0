#include "rank.hpp"

#include "rank_jumps.hpp"
#include "rank_serial.hpp"
#include "rank_sublists.hpp"

namespace lb::core {
namespace lists {
namespace {

// Calls run(state) with the state of the elements as the strategy lays it out.
template <class T, class S, class Run>
bool with_state(ListsView<S> lists, const Survey& survey, const Strategy& strategy, const Run& run) {
  const auto size = static_cast<std::size_t>(lists.n);
  const rank::Successors<S> next(lists.successor, lists.n);
  if constexpr (sizeof(T) == 8) {
    Buffer<u64> owner(size), place(size);
    return run(rank::Separate<SharedWords<u64>, SharedWords<u64>, S>{SharedWords<u64>(owner.data()),
                                                                     SharedWords<u64>(place.data()), next});
  } else {
    using Short = rank::Separate<SharedWords<u16>, SharedWords<u32>, S>;
    const i64 most_sublists = strategy.blocks + survey.tails;
    if (strategy.layout == Strategy::Layout::bits48 && static_cast<u64>(most_sublists) <= Short::most_owners) {
      Buffer<u16> owner(size);
      Buffer<u32> place(size);
      return run(Short{SharedWords<u16>(owner.data()), SharedWords<u32>(place.data()), next});
    }
    Buffer<u64> words(size);
    const SharedWords<u64> m(words.data());
    return strategy.layout == Strategy::Layout::fused ? run(rank::Fused<SharedWords<u64>, S>{m, next})
                                                      : run(rank::Bits64<SharedWords<u64>, S>{m, next});
  }
}

// Ranks by a plan that walks; false if the successors are no lists.
template <class S, class T>
bool walk_ranks(ListsView<S> lists, const Survey& survey, const Strategy& strategy, const ListPlan& plan,
                bool from_head, T* ranks, T* tails, Stopwatch& watch) {
  const WalkTask<T> task{lists.n, survey, strategy, plan, {tails, nullptr}, &watch};
  return with_state<T>(lists, survey, strategy, [&]<class State>(const State& s) {
    using V = typename State::V;
    const rank::UnitValues<V> f;
    if (from_head) {
      return rank_by_walks(
          s, f, task, [](V base, V) { return base; },
          [&](i64 i, V base, V own) { ranks[i] = static_cast<T>(base + own); });
    }
    return rank_by_walks(
        s, f, task, [](V base, V whole) { return static_cast<V>(whole - base); },
        [&](i64 i, V rest, V own) { ranks[i] = static_cast<T>(rest - own); });
  });
}

// The distance from each element to the end of its list; false if a list has none. predecessor: as for suffix().
template <class S, class T>
bool distances_to_end(ListsView<S> lists, const Buffer<T>& predecessor, T* ranks, T* ends, const ListPlan& plan,
                      Stopwatch& watch) {
  const Strategy strategy = strategy_of(plan, lists.n);
  const auto size = static_cast<std::size_t>(lists.n);
  if constexpr (sizeof(T) == 4) {
    if (strategy.method == Method::jumps) {
      Buffer<u64> words(size);
      if (!jump_packed(lists, words, plan.threads, strategy.stride)) return false;
      watch.lap("jump");
      for_each_element(lists.n, plan.threads, [&](i64 i) {
        ranks[i] = static_cast<T>(rank::Jump::value(words[i]));
        if (ends != nullptr) ends[i] = static_cast<T>(rank::Jump::last(words[i]));
      });
      watch.lap("ranks");
      return true;
    }
  }
  const rank::Successors<S> next(lists.successor, lists.n);
  Buffer<i64> value(size);
  for_each_element(lists.n, plan.threads, [&](i64 i) { value[i] = next(static_cast<u64>(i)) != static_cast<u64>(i); });
  const rank::Monoid<i64> sum(rank::ScanOp::sum);
  if (!suffix(lists, predecessor, value, sum, ends, plan, watch)) return false;
  for_each_element(lists.n, plan.threads, [&](i64 i) { ranks[i] = static_cast<T>(value[i]); });
  watch.lap("ranks");
  return true;
}

// Ranks by a plan that combines towards an end: that of the lists, or their heads over the predecessors.
template <class S, class T>
bool suffix_ranks(ListsView<S> lists, const Strategy& strategy, const ListPlan& plan, bool from_head, T* ranks,
                  T* tails, Stopwatch& watch) {
  const auto size = static_cast<std::size_t>(lists.n);
  const bool sets = strategy.method == Method::independent_sets;
  Buffer<T> predecessor;
  if (from_head || sets) {
    predecessor = Buffer<T>(size);
    if (!find_predecessors(lists, predecessor.data(), plan.threads)) return false;
  } else if (!predecessors_are_distinct(lists, plan.threads)) {
    return false;
  }
  watch.lap("check");
  if (!from_head) return distances_to_end(lists, predecessor, ranks, tails, plan, watch);
  Buffer<T> successor;
  if (sets) {
    successor = Buffer<T>(size);
    copy_successors(lists, successor.data(), plan.threads);
  }
  const ListsView<T> backwards{predecessor.data(), lists.n};
  if (!distances_to_end(backwards, successor, ranks, tails, plan, watch)) return false;
  if (tails != nullptr) heads_to_tails(lists, tails, plan.threads);
  return true;
}

}  // namespace
}  // namespace lists

template <class S, class T>
void rank_elements(ListsView<S> view, bool from_head, T* ranks, T* tails, const ListPlan& plan, Phases& phases) {
  if (view.n == 0) return;
  Stopwatch watch(phases);
  const lists::Survey facts = lists::survey(view, plan.threads);
  if (facts.tails == 0) lists::refuse(view);
  watch.lap("check");
  const lists::Strategy strategy = lists::strategy_of(plan, view.n);
  bool sound;
  if (strategy.method == lists::Method::serial) {
    sound = lists::rank_serially(view, facts, from_head, ranks, tails);
    watch.lap("walk");
  } else if (strategy.method == lists::Method::walks) {
    sound = lists::walk_ranks(view, facts, strategy, plan, from_head, ranks, tails, watch);
  } else {
    sound = lists::suffix_ranks(view, strategy, plan, from_head, ranks, tails, watch);
  }
  if (!sound) lists::refuse(view);
}

template void rank_elements<i32, i32>(ListsView<i32>, bool, i32*, i32*, const ListPlan&, Phases&);
template void rank_elements<i64, i32>(ListsView<i64>, bool, i32*, i32*, const ListPlan&, Phases&);
template void rank_elements<i64, i64>(ListsView<i64>, bool, i64*, i64*, const ListPlan&, Phases&);

}  // namespace lb::core

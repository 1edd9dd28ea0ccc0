#include "rank_prefix.hpp"

#include "rank_serial.hpp"
#include "rank_sublists.hpp"

namespace lb::core::lists {

template <class S, class T, class V>
bool prefix(ListsView<S> lists, const Survey& survey, const rank::ArrayValues<V>& f, V* out, ListEnds<T> ends,
            const ListPlan& plan, Stopwatch* watch) {
  if (lists.n == 0) return true;
  if (survey.tails == 0) return false;
  const Strategy strategy = strategy_of(plan, lists.n);
  if (strategy.method == Method::serial) return prefix_serially(lists, survey, f, out, ends);
  using Owner = Unsigned<T>;
  const auto size = static_cast<std::size_t>(lists.n);
  Buffer<Owner> owner(size);
  Buffer<V> place(size);
  const rank::Separate<SharedWords<Owner>, SharedWords<V>, S> state{
      SharedWords<Owner>(owner.data()), SharedWords<V>(place.data()), {lists.successor, lists.n}};
  const WalkTask<T> task{lists.n, survey, strategy, plan, ends, watch};
  return rank_by_walks(
      state, f, task, [](V base, V) { return base; }, [&](i64 i, V base, V own) { out[i] = f.add(base, own); });
}

#define LB_PREFIX(S, T, V)                                                                                 \
  template bool prefix<S, T, V>(ListsView<S>, const Survey&, const rank::ArrayValues<V>&, V*, ListEnds<T>, \
                                const ListPlan&, Stopwatch*);
LB_PREFIX(i32, i32, i64)
LB_PREFIX(i32, i32, double)
LB_PREFIX(i64, i32, i64)
LB_PREFIX(i64, i32, double)
LB_PREFIX(i64, i64, i64)
LB_PREFIX(i64, i64, double)
#undef LB_PREFIX

}  // namespace lb::core::lists

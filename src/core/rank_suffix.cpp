// Sums along lists from each element to the tail, by every plan that follows them backwards.
#include "rank_independent_sets.hpp"
#include "rank_jumps.hpp"
#include "rank_prefix.hpp"

namespace lb::core::lists {

template <class S, class T, class V>
bool suffix(ListsView<S> lists, const Buffer<T>& predecessor, Buffer<V>& value, const rank::Monoid<V>& op, T* tails,
            const ListPlan& plan, Stopwatch& watch) {
  const Strategy strategy = strategy_of(plan, lists.n);
  if (strategy.method == Method::jumps)
    return suffix_by_jumps(lists, value, op, tails, strategy.stride, plan.threads, watch);
  return IndependentSets<S, T, V>(lists, predecessor, value, op, tails, plan).run(strategy.rounds, watch);
}

#define LB_SUFFIX(S, T, V)                                                                              \
  template bool suffix<S, T, V>(ListsView<S>, const Buffer<T>&, Buffer<V>&, const rank::Monoid<V>&, T*, \
                                const ListPlan&, Stopwatch&);
LB_SUFFIX(i32, i32, i64)
LB_SUFFIX(i32, i32, double)
LB_SUFFIX(i64, i32, i64)
LB_SUFFIX(i64, i32, double)
LB_SUFFIX(i64, i64, i64)
LB_SUFFIX(i64, i64, double)
#undef LB_SUFFIX

}  // namespace lb::core::lists

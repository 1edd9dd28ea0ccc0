// Sums along lists from their heads, and towards their tails, by any plan.
#pragma once
#include "memory.hpp"
#include "rank_strategy.hpp"
#include "rank_successors.hpp"

namespace lb::core::lists {

// The inclusive or exclusive prefixes along the successors, from each list's first element on, by a plan that goes from
// the start. False if the successors are no lists. watch: null where the phases belong to another run.
template <class S, class T, class V>
bool prefix(ListsView<S> lists, const Survey& survey, const rank::ArrayValues<V>& f, V* out, ListEnds<T> ends,
            const ListPlan& plan, Stopwatch* watch);

// value[i] <- value[i] (+) value[next of i] (+) .. up to the end of the list, by a plan that goes towards the end.
// False if a list has none. predecessor: of each element, -1 at heads; read by independent sets only. tails: null where
// they are not requested.
template <class S, class T, class V>
bool suffix(ListsView<S> lists, const Buffer<T>& predecessor, Buffer<V>& value, const rank::Monoid<V>& op, T* tails,
            const ListPlan& plan, Stopwatch& watch);

}  // namespace lb::core::lists

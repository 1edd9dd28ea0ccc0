// Numbering components 0..k-1 by their smallest vertex, in the parent array itself, straight from a forest whose
// parents are smaller than their children. The vertices are divided into ranges; each is visited by one thread in
// ascending order, so that parents inside the range have their labels already. What leads out of the range is marked,
// and resolved when all ranges have been visited (resolve_label in vertex.hpp).
#pragma once
#include "vertex.hpp"

namespace lb::phase {

// Gives v of the range that begins at `begin` its label or, if its path leads out of the range, a marked vertex on it:
// then `marked` is not 0 any more. Returns 1 for a root, whose label is `number`, else 0. Without a branch: roots lie
// scattered.
template <class M>
LB_FN i64 number_in_range(const M& m, typename M::Cell v, typename M::Cell begin, i64 number,
                          typename M::Cell& marked) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id outside = static_cast<Id>(Id{0} - static_cast<Id>(p < begin));
  const Id root = static_cast<Id>(Id{0} - static_cast<Id>(p == v));
  Id c = m.load(static_cast<Id>(p ^ ((p ^ v) & outside)));  // outside: v's own cell, which holds p
  c |= outside & numbered<Id>;
  c ^= (c ^ static_cast<Id>(number)) & root;
  m.store(v, c);
  marked |= static_cast<Id>(c & numbered<Id>);
  return p == v;
}

}  // namespace lb::phase

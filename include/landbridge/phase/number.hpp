// Numbering components 0..k-1 by their smallest vertex, in the parent array itself, straight from a forest whose
// parents are smaller than their children. The vertices are divided into ranges; each is visited by one thread in
// ascending order, so that parents inside the range have their labels already. What leads out of the range is marked,
// and resolved when all ranges have been visited (resolve_label in vertex.hpp).
#pragma once
#include "vertex.hpp"

namespace lb::phase {

// Gives v of the first range its label: that of its parent or, of a root, `number`. Returns 1 for a root, else 0.
template <class M>
LB_FN i64 number_in_first_range(const M& m, typename M::Cell v, i64 number) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id above = m.load(p);
  m.store(v, p == v ? static_cast<Id>(number) : above);
  return p == v;
}

// Gives v of the range that begins at `begin` its label or, if its path leads out of the range, a marked vertex on it;
// `bits` takes the bits of all that is stored. Returns 1 for a root, whose label is `number`, else 0. The choice of the
// cell is no branch: paths lead out here and there.
template <class M>
LB_FN i64 number_in_range(const M& m, typename M::Cell v, typename M::Cell begin, i64 number, typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id outside = static_cast<Id>(Id{0} - static_cast<Id>(p < begin));
  Id above = m.load(static_cast<Id>(p ^ ((p ^ v) & outside)));  // outside: v's own cell, which holds p
  above |= outside & numbered<Id>;
  const Id c = p == v ? static_cast<Id>(number) : above;
  m.store(v, c);
  bits |= c;
  return p == v;
}

}  // namespace lb::phase

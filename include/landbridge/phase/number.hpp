// Numbering components 0..k-1 by their smallest vertex, in the parent array itself, straight from a forest whose
// parents are smaller than their children. The vertices are divided into ranges; each is visited by one thread in
// ascending order, so that parents inside the range have their labels already. What leads out of the range is marked,
// and resolved when all ranges have been visited; where most paths lead out, what leads to a vertex that the thread of
// the first range has passed takes its label.
#pragma once
#include "vertex.hpp"

namespace lb::phase {

// Gives v, whose parent lies in the same range, its label: that of its parent or, of a root, `number`. marks: the range
// is not the first one, so that the parent's path may lead out of it; then v takes the parent's mark. `bits` takes the
// bits of all that is stored then. Returns 1 for a root, else 0.
template <bool marks, class M>
LB_FN i64 number_inside(const M& m, typename M::Cell v, i64 number, typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id above = m.load(p);
  const Id c = p == v ? static_cast<Id>(number) : above;
  m.store(v, c);
  if constexpr (marks) bits |= c;
  return p == v;
}

// The same without a branch that compilers could make: for roots that come in no order.
template <bool marks, class M>
LB_FN i64 number_unpredicted(const M& m, typename M::Cell v, i64 number, typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id above = m.load(p);
  const Id root = static_cast<Id>(Id{0} - static_cast<Id>(p == v));
  const Id c = static_cast<Id>(above ^ ((above ^ static_cast<Id>(number)) & root));
  m.store(v, c);
  if constexpr (marks) bits |= c;
  return p == v;
}

// Gives v of the range that begins at `begin`, not the first one, its label or, if its path leads out of the range, a
// marked vertex on it. As number_inside otherwise. The choice of the cell is no branch: paths lead out here and there.
template <class M>
LB_FN i64 number_mixed(const M& m, typename M::Cell v, typename M::Cell begin, i64 number, typename M::Cell& bits) {
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

// The same where most parents lie on one side of `begin`: by a branch, which takes a fraction of the time. Vertices
// below `done` have labels; here and there their cells would be brought from another thread's cache at more cost than
// a mark.
template <class M>
LB_FN i64 number_one_side(const M& m, typename M::Cell v, typename M::Cell begin, typename M::Cell done, i64 number,
                          typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  if (p >= begin) return number_inside<true>(m, v, number, bits);
  const Id c = p < done ? m.load(p) : static_cast<Id>(p | numbered<Id>);
  m.store(v, c);
  bits |= c;
  return 0;
}

// Gives v `number` if it is a root, and marks it otherwise. Returns 1 for a root, else 0.
template <class M>
LB_FN i64 number_root(const M& m, typename M::Cell v, i64 number) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  m.store(v, p == v ? static_cast<Id>(number) : static_cast<Id>(p | numbered<Id>));
  return p == v;
}

// Gives v, if it is marked, the label that its mark leads to, once all ranges have been visited. The first step is no
// branch, as vertices are marked here and there.
template <class M>
LB_FN void resolve_mark(const M& m, typename M::Cell v) {
  using Id = typename M::Cell;
  const Id cell = m.load(v);
  const Id marked = static_cast<Id>(Id{0} - (cell >> (sizeof(Id) * 8 - 1)));
  const Id label = m.load(static_cast<Id>(v ^ ((v ^ (cell & ~numbered<Id>)) & marked)));
  if (holds_parent(label))
    resolve_label(m, v);
  else
    m.store(v, label);
}

}  // namespace lb::phase

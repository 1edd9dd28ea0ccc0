// Numbering components 0..k-1 by their smallest vertex, in the parent array itself, straight from a forest whose
// parents are smaller than their children. The vertices are divided into ranges; each is visited by one thread in
// ascending order, so that parents inside the range have their labels already. What leads out of the range is marked,
// and resolved when all ranges have been visited; but what leads to a vertex that the thread of the first range has
// passed takes the label of that.
#pragma once
#include "vertex.hpp"

namespace lb::phase {

// Gives v, whose parent lies in the same range, its label: that of its parent or, of a root, `number`; or, where the
// parent's path leads out of the range, the parent's mark. `bits` takes the bits of all that is stored. Returns 1 for a
// root, else 0.
template <class M>
LB_FN i64 number_inside(const M& m, typename M::Cell v, i64 number, typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  const Id above = m.load(p);
  const Id c = p == v ? static_cast<Id>(number) : above;
  m.store(v, c);
  bits |= c;
  return p == v;
}

// The vertices whose cells a thread reads: from `begin` on, those of its own range; below `done`, labels.
template <class Id>
struct NumberedRange {
  Id begin, done;
};

// Gives v of a range its label or, if its path leads out of the range to a vertex without one, a marked vertex on it.
// As number_inside otherwise. branches: whether the place of the parent is a branch; where paths lead out here and
// there it would be mispredicted, where most go one way it takes a fraction of the time of the arithmetic.
template <bool branches, class M>
LB_FN i64 number_in_range(const M& m, typename M::Cell v, const NumberedRange<typename M::Cell>& range, i64 number,
                          typename M::Cell& bits) {
  using Id = typename M::Cell;
  const Id p = m.load(v);
  if constexpr (branches) {
    if (p >= range.begin) return number_inside(m, v, number, bits);
    const Id c = p < range.done ? m.load(p) : static_cast<Id>(p | numbered<Id>);
    m.store(v, c);
    bits |= c;
    return 0;
  } else {
    const Id waits = static_cast<Id>(Id{0} - static_cast<Id>((p < range.begin) & (p >= range.done)));
    Id above = m.load(static_cast<Id>(p ^ ((p ^ v) & waits)));  // waits: v's own cell, which holds p
    above |= waits & numbered<Id>;
    const Id c = p == v ? static_cast<Id>(number) : above;
    m.store(v, c);
    bits |= c;
    return p == v;
  }
}

// Gives v, if it is marked, the label that its mark leads to, once all ranges have been visited. The first step is no
// branch, as vertices are marked here and there; a mark that leads to another is rare.
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

// The same-parent pre-check of edges before they are united: of a graph that is well connected already, most need no
// more.
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// Bit i < count <= 64 is 0 only if the cells of u[i] and v[i] had one and the same parent, each at a moment of its own:
// the two were connected then, and stay so under rules that never move a subtree. No walk and no branch, so many of
// these reads are in flight at once.
template <class M>
LB_FN u64 differing(const M& m, const typename M::Cell* u, const typename M::Cell* v, int count) {
  u64 bits = 0;
  for (int i = 0; i < count; ++i) bits |= static_cast<u64>(m.load(u[i]) != m.load(v[i])) << i;
  return bits;
}

// Hangs v below its grandparent, so that the pre-check finds equal parents: without a branch but for roots. Vertex by
// vertex in ascending order that is the root where every parent is smaller than its child. Links that never move a
// subtree may run: v has a parent for good, only its own cell is written, and what that gets is an ancestor.
template <class M>
LB_FN void shorten(const M& m, typename M::Cell v) {
  const auto p = m.load(v);
  if (p != v) m.store(v, m.load(p));
}

}  // namespace lb::phase

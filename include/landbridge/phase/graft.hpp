// Phases of the algorithms that hang trees below each other in synchronous rounds with plain stores: several edges may
// graft the same root, any of them wins, and the next round tests which edges are still between two trees. Only this
// test after the barrier proves that all are united.
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// Hangs the larger of two different vertices below the smaller, or, upwards, the smaller below the larger. All grafts
// between two barriers go in one direction, so no cycle can form. A graft may overwrite another, but not one that it
// reads to reach further: the last of many writers would otherwise decide, and in ascending rows there were as many
// rounds as neighbours.
template <class M>
LB_FN void graft(const M& m, typename M::Cell a, typename M::Cell b, bool upwards = false) {
  if (a < b) swap(a, b);
  if (upwards) {
    if (m.load(b) < a) m.store(b, a);
  } else {
    if (b < m.load(a)) m.store(a, b);
  }
}

// v takes the parent of its parent. True if that is another vertex.
template <class M>
LB_FN bool shortcut(const M& m, typename M::Cell v) {
  const auto p = m.load(v);
  const auto g = m.load(p);
  if (p == g) return false;
  m.store(v, g);
  return true;
}

// Replaces v's parent by its grandparent until that is a root, and stores every step, so that v's subtree follows.
template <class M>
LB_FN void climb(const M& m, typename M::Cell v) {
  while (shortcut(m, v)) {
  }
}

// ---- the kernels of the thesis (Yogaratnam 2010)
// `before` and `now` are the parents of the last and of this iteration; `touched` holds the last iteration in which the
// tree of a root has changed.

// SV1: shortcut from one array to the other; the new parent's tree has changed if v's parent has.
template <class M>
LB_FN void sv_shortcut(const M& before, const M& now, const M& touched, typename M::Cell v,
                       typename M::Cell iteration) {
  const auto p = before.load(v);
  const auto g = before.load(p);
  now.store(v, g);
  if (g != p) touched.store(g, iteration);
}

// SV2: the root of a goes below the parent of b if that is smaller. If the parent of a has not changed in this
// iteration, it was a root.
template <class M>
LB_FN void sv_hook(const M& before, const M& now, const M& touched, typename M::Cell a, typename M::Cell b,
                   typename M::Cell iteration) {
  const auto root = now.load(a);
  if (root != before.load(a)) return;
  const auto other = now.load(b);
  if (other < root) {
    now.store(root, other);
    touched.store(other, iteration);
  }
}

// SV3: the root of a star that has not changed in this iteration goes below any neighbour's parent. Of two neighbours
// one has been touched by SV2, so no cycle can form.
template <class M>
LB_FN void sv_hook_stagnant(const M& now, const M& touched, typename M::Cell a, typename M::Cell b,
                            typename M::Cell iteration) {
  const auto root = now.load(a);
  if (touched.load(root) == iteration || now.load(root) != root) return;
  const auto other = now.load(b);
  if (other != root) now.store(root, other);
}

}  // namespace lb::phase

// Phases that visit every vertex once: start, hook to the first neighbour, compress, number the components.
#pragma once
#include "../memory.hpp"
#include "../policy/find.hpp"

namespace lb::phase {

// Hook-based start: v goes below its first neighbour if that is smaller. Its own cell, so no contention, and parents
// are smaller, so no cycle. Returns true if v stays a root.
template <class M>
LB_FN bool hook_first(const M& m, typename M::Cell v, typename M::Cell first) {
  const bool stays = !(first < v);
  m.store(v, stays ? v : first);
  return stays;
}

// Points v at the root of its tree. No link may run meanwhile. Returns the root.
template <class M>
LB_FN typename M::Cell compress(const M& m, typename M::Cell v) {
  const auto p = m.load(v);
  const auto g = m.load(p);
  if (p == g) return p;
  const auto r = find::Naive<>::find(m, g);
  m.store(v, r);
  return r;
}

// The same where thousands of threads do it at once, a step at a time: every step is stored, so that a long chain
// shrinks by pointer doubling. p was read from v's cell and g from that of p. False once p is a root.
template <class M>
LB_FN bool jump_step(const M& m, typename M::Cell v, typename M::Cell& p, typename M::Cell& g) {
  if (g == p) return false;
  m.store(v, g);
  p = g;
  g = m.load(p);
  return true;
}

// Points v at `skip` or, if that is not an ancestor, at a root, and returns which. Links may run: only v's own cell is
// written, v has a parent for good, and what it gets is an ancestor.
template <class M>
LB_FN typename M::Cell flatten_below(const M& m, typename M::Cell v, typename M::Cell skip) {
  auto p = m.load_stale(v);
  while (p != skip) {
    const auto g = m.load_stale(p);
    if (g == p) break;
    m.store(v, g);
    p = g;
  }
  return p;
}

template <class Id>
constexpr Id numbered = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));

// Numbering straight from a forest that is not flat, in two passes: `mark_cell` gives roots their number and marks
// every other cell as a parent; `resolve_step` climbs marked cells to the first number, which may be that of a vertex
// that had its turn already. Ids leave the top bit free.
template <class Id>
LB_FN Id mark_cell(Id cell, Id v, Id number) {
  return cell == v ? number : static_cast<Id>(cell | numbered<Id>);
}
// Whether a cell holds a parent, not yet a number.
template <class Id>
LB_FN bool holds_parent(Id cell) {
  return (cell & numbered<Id>) != 0;
}
template <class M>
LB_FN typename M::Cell cell_of_parent(const M& m, typename M::Cell cell) {
  return m.load(static_cast<typename M::Cell>(cell & ~numbered<typename M::Cell>));
}
// The number above a cell that holds a parent, if at most `short_climb` steps lead to it; else a cell further up that
// holds a parent. Stale reads suffice, as such a cell still leads up, and threads that climb to one root share a cache.
constexpr int short_climb = 4;
template <class M>
LB_FN typename M::Cell stale_cell_of_parent(const M& m, typename M::Cell cell) {
  return m.load_stale(static_cast<typename M::Cell>(cell & ~numbered<typename M::Cell>));
}
template <class M>
LB_FN typename M::Cell number_above(const M& m, typename M::Cell cell) {
  for (int step = 0; step < short_climb && holds_parent(cell); ++step) cell = stale_cell_of_parent(m, cell);
  return cell;
}
// One step for v, whose cell held a parent: `parent_cell` was read from the parent's cell. It is stored whether it is a
// number or a parent, so that long chains shrink by pointer doubling. True while it is a parent.
template <class M>
LB_FN bool resolve_step(const M& m, typename M::Cell v, typename M::Cell& cell, typename M::Cell& parent_cell) {
  m.store(v, parent_cell);
  cell = parent_cell;
  if (!holds_parent(cell)) return false;
  parent_cell = cell_of_parent(m, cell);
  return true;
}
template <class M>
LB_FN void resolve_label(const M& m, typename M::Cell v) {
  auto cell = m.load_stale(v);
  if (!holds_parent(cell)) return;
  auto parent_cell = number_above(m, cell);
  while (resolve_step(m, v, cell, parent_cell)) {
  }
}

// For forests whose roots are not the smallest vertices: the smallest of each tree by atomic minimum, then
// every vertex takes it. `low` starts as `none`; a barrier lies between the two.
template <class M>
LB_FN void offer_low(const M& low, typename M::Cell root, typename M::Cell v) {
  if (v < low.load(root)) low.fetch_min(root, v);
}

}  // namespace lb::phase

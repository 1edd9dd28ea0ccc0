// Phases of algorithms in rounds beside connect and the passes of policy/round.hpp: edges that follow their ends, and
// the change of names after a sampling.
#pragma once
#include "../policy/round.hpp"

namespace lb::phase {

// Replaces the ends of an edge by their labels; false if they are one now, and the edge can be dropped.
template <class L>
LB_FN bool rewrite(const L& l, typename L::Id& u, typename L::Id& v) {
  u = l.old.load(u);
  v = l.old.load(v);
  return u != v;
}

// After a sampling, vertices of the largest tree are skipped: their arcs are not looked at. Rules that move single
// vertices could lower some of them and leave the others behind. So the tree's root gets the smallest name there is:
// vertex 0 and `lowest` change names while the rounds run. Then nothing a round could tell a skipped vertex is smaller
// than what it has, so none of them ever changes, passes need not visit them either, and frozen sets are right for
// every rule. The price is that roots are not the smallest vertices at the end, unless `lowest` is 0. (The other way,
// to let skipped vertices wake up when their label falls, keeps the names but may wake all of them.)
template <class Id>
struct Names {
  Id lowest;
  LB_FN Id operator()(Id x) const { return x == lowest ? Id{0} : x == 0 ? lowest : x; }
};

// Renames the label of v in a forest of stars below their smallest vertices. The cells of the two that change names
// need nothing: both are roots, and each becomes the other.
template <class M, class Id>
LB_FN void rename(const M& m, const Names<Id>& names, Id v) {
  if (v == 0 || v == names.lowest) return;
  const Id label = m.load(v);
  if (label == 0 || label == names.lowest) m.store(v, names(label));
}

}  // namespace lb::phase

// Phases of algorithms in rounds beside connect and the passes of policy/round.hpp: rewritten edges, and the
// relabelling after a sampling.
#pragma once
#include "../policy/round.hpp"

namespace lb::phase {

// Replaces the endpoints of an edge by their labels; false if these are equal, and the edge can be dropped.
template <class L>
LB_FN bool rewrite(const L& l, typename L::Id& u, typename L::Id& v) {
  u = l.old.load(u);
  v = l.old.load(v);
  return u != v;
}

// After a sampling, vertices of the largest tree are skipped: their arcs are not looked at. Rules that move single
// vertices could lower the labels of some of them and not of the others. So the root of that tree gets the smallest
// label there is: vertex 0 and `root` exchange labels while the rounds run. Then no label that a round could propagate
// to a skipped vertex is smaller than its own: none of them ever changes, passes need not visit them either, and the
// set of skipped vertices is right for every rule. The price is that roots are not the smallest vertices at the end,
// unless `root` is 0. (The other way, to expand skipped vertices again when their label changes, keeps the labels but
// may expand all of them.)
template <class Id>
struct Relabel {
  Id root;
  LB_FN Id operator()(Id x) const { return x == root ? Id{0} : x == 0 ? root : x; }
};

// Relabels the label of v in a forest of stars below their smallest vertices. The cells of the two vertices that
// exchange labels stay as they are: both are roots, and each becomes the other.
template <class M, class Id>
LB_FN void relabel(const M& m, const Relabel<Id>& new_label, Id v) {
  if (v == 0 || v == new_label.root) return;
  const Id label = m.load(v);
  if (label == 0 || label == new_label.root) m.store(v, new_label(label));
}

}  // namespace lb::phase

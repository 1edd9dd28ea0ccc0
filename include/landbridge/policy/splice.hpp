// Splice rules of Rem's union: what happens to a non-root x on the way up, while the other walk stands at y
// and x's parent is the larger of the two parents. step(m, x, parent_x, y) returns the vertex the walk goes on from;
// parent_x < x is the parent the decision was made by. If a rule read it again, a stale read could show x as a
// root, and the walk would never leave it.
//   moves_subtrees: x may leave its tree for that of y before the two are united
#pragma once
#include "../memory.hpp"

namespace lb::splice {

struct Traits {
  static constexpr bool present = true;
  static constexpr bool moves_subtrees = false;
};

// For links that take no splice rule.
struct NoSplice {
  static constexpr bool present = false;
  static constexpr bool moves_subtrees = false;
};

// One step of path splitting.
template <class Read = Fresh>
struct SplitOne : Traits {
  template <class M>
  LB_FN static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell parent_x, typename M::Cell) {
    const auto w = Read::load(m, parent_x);
    if (parent_x != w) m.shorten(x, parent_x, w);
    return parent_x;
  }
};

// One step of path halving.
template <class Read = Fresh>
struct HalveOne : Traits {
  template <class M>
  LB_FN static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell parent_x, typename M::Cell) {
    const auto w = Read::load(m, parent_x);
    if (parent_x != w) m.shorten(x, parent_x, w);
    return w;
  }
};

// Rem's splicing: x is hung below the parent of y if that is smaller than what x has. The old parent still
// has to be united with y, so the walk goes on from there; the minimum keeps a stale pair from raising x.
template <class Read = Fresh>
struct Splice : Traits {
  static constexpr bool moves_subtrees = true;
  template <class M>
  LB_FN static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell y) {
    const auto parent_y = Read::load(m, y);
    return m.fetch_min(x, parent_y);
  }
};

}  // namespace lb::splice

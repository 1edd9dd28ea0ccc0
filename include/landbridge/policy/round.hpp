// Round rules: components by rounds of labelling. Every vertex has a label, at first itself, and labels only decrease.
//
// A round is: connect for every edge; a barrier; `passes` passes over the vertices with a barrier after each; and, for
// rules that rewrite edges, a pass over those. Rounds end when one changes nothing.
//
// Contract of a rule R, over Labels l:
//   R::begin(l, v)              before the first round, when the labels in l.now are a forest of stars
//   R::connect(l, u, v)         propagates labels between the endpoints of an edge; true if a label changed
//   R::claim(l, u, v, on_link)  where a spanning forest is computed: for every edge once more, between connect and the
//                               passes. Calls on_link(r) for each root r of the round's beginning whose new label this
//                               edge propagated to it, once for each root
//   R::pass<k>(l, v)            pass k over the vertices; writes no cells but v's own; true if a label changed
//   R::no_forest                why the edges whose callbacks were called are not always a spanning forest; null if
//   they
//                               are
//   R::selective                in some rounds the arcs of some vertices need not be looked at:
//   R::active(l, v)             false if this is such a vertex; its edges are looked at from the other endpoint
//   R::root_based               only a root's label ever leaves its tree: what forests and insertions rely on
//   R::rewrites                 the endpoints of edges are replaced by their labels after each round
//   R::uses_old                 needs Labels::old
//   R::updates_endpoints        vertices that are the label of no vertex may get a smaller label, and so leave their
//                               tree without the others
//   R::by_hops                  labels travel about one edge per round: a long path takes one round for each edge
// When a round has changed nothing, the labels of two vertices lead to the same root iff edges connect them.
//
// A label is a vertex, and every label l has now[l] <= l: labels a round works with are labels of its beginning, and
// cells only decrease. So parents cannot form a cycle, whatever the schedule; cells of vertices that are the label of
// no vertex may hold anything that is one.
#pragma once
#include "../memory.hpp"

namespace lb::round {

// now[v]: the label, lowered while edges connect. old[v]: what a rule keeps of the beginning of the round, the label
// itself unless the rule says otherwise. Only the passes write it.
template <class M, class Old = M>
struct Labels {
  using Id = typename M::Cell;
  M now;
  Old old;
};

// Lowers the label of x to y if that is smaller; true if it was.
template <class L>
LB_FN bool lower(const L& l, typename L::Id x, typename L::Id y) {
  return y < l.now.load(x) && y < l.now.fetch_min(x, y);
}

// ---- update: which vertices take a smaller label that is offered (Liu & Tarjan 2019)

// All of them.
struct Any {
  static constexpr const char* word = "any";
  static constexpr bool root_based = false;
  template <class L>
  LB_FN static bool offer(const L& l, typename L::Id x, typename L::Id y) {
    return lower(l, x, y);
  }
};

// Those that were roots at the beginning of the round. Not those that are roots now: a root that an edge has lowered
// would ignore the smaller label of the next edge.
struct Root {
  static constexpr const char* word = "root";
  static constexpr bool root_based = true;
  template <class L>
  LB_FN static bool offer(const L& l, typename L::Id x, typename L::Id y) {
    return l.old.load(x) == x && lower(l, x, y);
  }
};

// ---- connect: what is offered to which vertex

// The smaller endpoint to the larger: the endpoints themselves. Labels do not travel unless the edges do (see
// `forbidden`).
struct Direct {
  static constexpr const char* word = "direct";
  static constexpr bool needs_rewriting = true;
  static constexpr bool updates_endpoints = false;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool propagate(const L& l, typename L::Id u, typename L::Id v) {
    return u < v ? Update::offer(l, v, u) : v < u && Update::offer(l, u, v);
  }
};

// The smaller of the two parents to the larger.
struct Parent {
  static constexpr const char* word = "parent";
  static constexpr bool needs_rewriting = false;
  static constexpr bool updates_endpoints = false;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool propagate(const L& l, typename L::Id u, typename L::Id v) {
    return Direct::propagate<Update>(l, l.old.load(u), l.old.load(v));
  }
};

// The smaller parent to the other endpoint and to its parent.
struct Extended {
  static constexpr const char* word = "extended";
  static constexpr bool needs_rewriting = false;
  static constexpr bool updates_endpoints = true;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool propagate(const L& l, typename L::Id u, typename L::Id v) {
    auto x = l.old.load(u);
    auto y = l.old.load(v);
    if (x == y) return false;
    if (x < y) {
      swap(x, y);
      swap(u, v);
    }
    const bool endpoint = Update::offer(l, u, y);
    return Update::offer(l, x, y) || endpoint;
  }
};

// The smaller parent to the other endpoint, and to no other vertex (Stergiou).
struct Endpoints {
  static constexpr bool needs_rewriting = false;
  static constexpr bool updates_endpoints = true;
  static constexpr bool by_hops = true;
  template <class Update, class L>
  LB_FN static bool propagate(const L& l, typename L::Id u, typename L::Id v) {
    const auto x = l.old.load(u);
    const auto y = l.old.load(v);
    return x < y ? Update::offer(l, v, x) : y < x && Update::offer(l, u, y);
  }
};

// ---- claim: which edge made a root a child

// `old` while roots are claimed: the top bit, which ids leave free, is set in claimed roots.
template <class M>
struct Claimable : M {
  using Id = typename M::Cell;
  static constexpr Id claimed = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));
  LB_FN explicit Claimable(const M& m) : M(m) {}
  LB_FN Id load(Id x) const { return static_cast<Id>(M::load(x) & ~claimed); }
  // For a root of the round's beginning: true for the first caller only.
  LB_FN bool claim(Id x) const { return M::compare_exchange(x, x, static_cast<Id>(x | claimed)) == x; }
};

// What an edge offers to which vertex, when all edges have connected and labels rest.
template <class L, class OnLink>
struct Claims {
  using Id = typename L::Id;
  using Old = decltype(L::old);
  decltype(L::now) now;
  Claimable<Old> old;
  const OnLink& on_link;
};

// In place of an update: compares the offered label with the one that the vertex has taken. Of several edges that offer
// a root the smallest label of the round (it keeps no other) one claims it. An edge that offered a larger label before
// must not: the root's tree has not been joined to that edge's other endpoint. The endpoints of such an edge are in two
// trees in the next round again.
struct Claim {
  template <class C>
  LB_FN static bool offer(const C& c, typename C::Id x, typename C::Id y) {
    if (c.old.load(x) != x || c.now.load(x) != y || !c.old.claim(x)) return false;
    c.on_link(x);
    return true;
  }
};

// ---- shortcut: how far a vertex moves up when the edges are done

// To its parent's parent. Others move meanwhile, so it may get further; what it reads is a label of its tree in any
// case.
struct Once {
  static constexpr const char* word = "once";
  static constexpr bool flattens = false;
  template <class L>
  LB_FN static bool shorten(const L& l, typename L::Id v) {
    const auto p = l.now.load(v);
    const auto g = l.now.load(p);
    if (g != p) l.now.store(v, g);
    l.old.store(v, g);
    return g != p;
  }
};

// To the root. All trees are stars then, so a round in which no edge changed a label is the last.
struct Full {
  static constexpr const char* word = "full";
  static constexpr bool flattens = true;
  template <class L>
  LB_FN static bool shorten(const L& l, typename L::Id v) {
    auto r = l.now.load(v);
    for (auto g = l.now.load(r); g != r; g = l.now.load(r)) {
      l.now.store(v, g);  // every step, so that long paths shrink while thousands of threads walk them
      r = g;
    }
    l.old.store(v, r);
    return false;
  }
};

// ---- alter: whether edges follow their endpoints

struct Keep {
  static constexpr const char* word = "keep";
  static constexpr bool rewrites = false;
};
struct Alter {
  static constexpr const char* word = "alter";
  static constexpr bool rewrites = true;
};

// ---- rounds

struct Traits {
  static constexpr bool root_based = false;
  static constexpr bool rewrites = false;
  static constexpr bool uses_old = true;
  static constexpr bool updates_endpoints = false;
  static constexpr bool by_hops = false;
  static constexpr bool selective = false;
  static constexpr bool published = true;  // belongs to the published enumeration
  static constexpr int passes = 1;
  static constexpr const char* forbidden = nullptr;  // why it must not run
  static constexpr bool claims = false;              // has a claim,
  static constexpr bool moves_trees = false;         // and only roots are offered labels, so that trees stay whole
  static constexpr const char* no_forest =
      "it moves single vertices between trees, so no edge can be named that joined two trees";
  template <class L>
  LB_FN static void begin(const L& l, typename L::Id v) {
    l.old.store(v, l.now.load(v));
  }
  template <class L>
  LB_FN static bool active(const L&, typename L::Id) {
    return true;
  }
};

// One round of Liu and Tarjan, and of what can be written in their words.
template <class Connect, class Update, class Shortcut, class Edges>
struct Round : Traits {
  static constexpr bool root_based = Update::root_based;
  static constexpr bool rewrites = Edges::rewrites;
  static constexpr bool updates_endpoints = Connect::updates_endpoints;
  static constexpr bool by_hops = Connect::by_hops;
  static constexpr const char* forbidden =
      Connect::needs_rewriting && !Edges::rewrites
          ? "direct connect offers an endpoint to the other endpoint, not its label, so labels do not travel unless "
            "the "
            "edges are altered: of the edges 0-2 and 1-2 the first lowers vertex 2 to 0, and no edge offers 0 to 1"
      : Connect::updates_endpoints && Update::root_based
          ? "extended connect differs from parent connect in what it offers to the endpoints, and under a root update "
            "only roots take labels: it would be the same rounds as with parent"
          : nullptr;
  static constexpr bool claims = true;
  // Where trees are stars when a round begins, labels are roots.
  static constexpr bool moves_trees =
      Update::root_based || (Shortcut::flattens && (Edges::rewrites || !Connect::updates_endpoints));
  // Labels lead from a root to a smaller root, along an edge that joins the two trees; so with a root update the
  // claiming edges contract to a forest, in whatever order labels are offered.
  static constexpr const char* no_forest =
      forbidden != nullptr ? forbidden
      : Update::root_based ? nullptr
      : moves_trees
          ? "only roots take labels where trees are stars when a round begins: it is the same rounds as with a "
            "root update, and that plan makes the forest"
          : "a vertex that takes a label without being a root leaves its tree on its own; the tree then needs "
            "the edge that had joined the two once more, and another edge is missing: on the path 0-5-4-3-2-1 "
            "four edges are listed instead of five, or on a longer one (a test keeps a graph for each rule); "
            "with a root update only whole trees move";
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    return Connect::template propagate<Update>(l, u, v);
  }
  template <class L, class OnLink>
  LB_FN static void claim(const L& l, typename L::Id u, typename L::Id v, const OnLink& on_link) {
    Connect::template propagate<Claim>(Claims<L, OnLink>{l.now, Claimable<decltype(l.old)>(l.old), on_link}, u, v);
  }
  template <int k, class L>
  LB_FN static bool pass(const L& l, typename L::Id v) {
    return Shortcut::shorten(l, v);
  }
};

// Labels travel over edges only: each edge lowers the larger label to the smaller, as both are now.
struct All : Traits {
  static constexpr const char* word = "all";
  static constexpr bool uses_old = false;
  static constexpr bool updates_endpoints = true;
  static constexpr bool by_hops = true;
  static constexpr int passes = 0;
  template <class L>
  LB_FN static void begin(const L&, typename L::Id) {}
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    const auto x = l.now.load(u);
    const auto y = l.now.load(v);
    return x < y ? lower(l, v, x) : y < x && lower(l, u, y);
  }
  template <int k, class L>
  LB_FN static bool pass(const L&, typename L::Id) {
    return false;
  }
};

// The same over the edges of vertices whose label changed in the round before (all of them in the first). The cell in
// `old` is the label of the beginning of the round, with the top bit set where it had just changed.
struct Frontier : All {
  static constexpr const char* word = "frontier";
  static constexpr bool uses_old = true;
  static constexpr bool selective = true;
  static constexpr bool published = false;
  static constexpr int passes = 1;
  template <class Id>
  static constexpr Id changed = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));
  template <class L>
  LB_FN static void begin(const L& l, typename L::Id v) {
    l.old.store(v, l.now.load(v) | changed<typename L::Id>);
  }
  template <class L>
  LB_FN static bool active(const L& l, typename L::Id v) {
    return (l.old.load(v) & changed<typename L::Id>) != 0;
  }
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    return (active(l, u) || active(l, v)) && All::connect(l, u, v);
  }
  template <int k, class L>
  LB_FN static bool pass(const L& l, typename L::Id v) {
    using Id = typename L::Id;
    const Id label = l.now.load(v);
    const bool differs = label != static_cast<Id>(l.old.load(v) & ~changed<Id>);
    l.old.store(v, differs ? static_cast<Id>(label | changed<Id>) : label);
    return false;
  }
};

// FastSV: `old` is the grandparent at the beginning of the round. It lowers the other endpoint (aggressive hooking),
// the other endpoint's parent (stochastic hooking), and in the first pass the vertex itself (shortcutting).
struct Grandparents : Traits {
  static constexpr bool updates_endpoints = true;
  static constexpr bool published = false;
  static constexpr int passes = 2;
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    auto x = l.old.load(u);
    auto y = l.old.load(v);
    if (x == y) return false;
    if (x < y) {
      swap(x, y);
      swap(u, v);
    }
    const bool parent = lower(l, l.now.load(u), y);
    return lower(l, u, y) || parent;
  }
  template <int k, class L>
  LB_FN static bool pass(const L& l, typename L::Id v) {
    const auto g = l.old.load(v);
    if constexpr (k == 0) {
      const bool smaller = g < l.now.load(v);
      if (smaller) l.now.store(v, g);
      return smaller;
    } else {
      const auto fresh = l.now.load(l.now.load(v));
      l.old.store(v, fresh);
      return fresh != g;
    }
  }
};

// ---- families: the rows of registry.def. Words lists the types that the words of each parameter stand for, in the
// row's order; `of` names the round they make together and is never called.

template <class... T>
struct Choice {};

struct LiuTarjan {
  using Words = Choice<Choice<Direct, Parent, Extended>, Choice<Any, Root>, Choice<Once, Full>, Choice<Keep, Alter>>;
  template <class Connect, class Update, class Shortcut, class Edges>
  LB_FN static Round<Connect, Update, Shortcut, Edges> of();
};

// Parents of stars are hooked by the roots of the round's beginning, then everything is flattened: the rounds of
// lt(parent,root,full).
struct ShiloachVishkin {
  using Words = Choice<>;
  template <class...>
  LB_FN static Round<Parent, Root, Full, Keep> of();
};

struct Stergiou {
  using Words = Choice<>;
  template <class...>
  LB_FN static Round<Endpoints, Any, Once, Keep> of();
};

struct LabelPropagation {
  using Words = Choice<Choice<All, Frontier>>;
  template <class Emit>
  LB_FN static Emit of();
};

struct FastSv {
  using Words = Choice<>;
  template <class...>
  LB_FN static Grandparents of();
};

template <class Family, class... Word>
using RoundOf = decltype(Family::template of<Word...>());

}  // namespace lb::round

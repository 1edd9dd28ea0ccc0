// Round rules: components by rounds of labelling. Every vertex has a label, at first itself, and labels only fall.
//
// A round is: connect for every edge; a barrier; `passes` passes over the vertices with a barrier after each; and, for
// rules that rewrite edges, a pass over those. Rounds end when one changes nothing.
//
// Contract of a rule R, over Labels l:
//   R::begin(l, v)          before the first round, when the labels in l.now are a forest of stars
//   R::connect(l, u, v)     tells the ends of an edge of each other's labels; true if a label fell
//   R::claim(l, u, v, hook) for every edge once more, between connect and the passes, where a spanning forest is
//   wanted: hook(r)
//                           for each root r of the round's beginning whose new label this edge told it, once for each
//                           root
//   R::pass<k>(l, v)        pass k over the vertices; writes no cells but v's own; true if a label fell
//   R::no_forest            why the edges whose hooks were called are not always a spanning forest; null if they are
//   R::selective            in some rounds the arcs of some vertices need not be looked at:
//   R::active(l, v)         false if this is such a vertex; its edges are looked at from the other end
//   R::root_based           only a root's label ever leaves its tree: what forests and insertions rely on
//   R::rewrites             ends of edges are replaced by their labels after each round
//   R::uses_old             needs Labels::old
//   R::tells_ends           vertices that are nobody's label may be told of a smaller one, and so leave the others of
//   their tree R::by_hops              labels travel about an edge a round: a long path takes as many rounds as it has
//   edges
// When a round has changed nothing, the labels of two vertices lead to the same root iff edges connect them.
//
// Labels are names of vertices, and every label l has now[l] <= l: labels a round works with are labels of its
// beginning, and cells only fall. So parents cannot form a cycle, whatever the schedule; cells of vertices that are
// nobody's label may hold anything that is one.
#pragma once
#include "../memory.hpp"

namespace lb::round {

// now[v]: the label, lowered while edges connect. old[v]: what a rule remembers of the beginning of the round, the
// label itself unless the rule says otherwise. Only the passes write it.
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

// ---- update: which vertices take what they are told (Liu & Tarjan 2019)

// Everyone.
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

// ---- connect: who is told of what

// The larger end of the smaller: the ends themselves. News does not travel unless the edges do (see `forbidden`).
struct Direct {
  static constexpr const char* word = "direct";
  static constexpr bool needs_rewriting = true;
  static constexpr bool tells_ends = false;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool tell(const L& l, typename L::Id u, typename L::Id v) {
    return u < v ? Update::offer(l, v, u) : v < u && Update::offer(l, u, v);
  }
};

// The larger of the two parents of the smaller.
struct Parent {
  static constexpr const char* word = "parent";
  static constexpr bool needs_rewriting = false;
  static constexpr bool tells_ends = false;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool tell(const L& l, typename L::Id u, typename L::Id v) {
    return Direct::tell<Update>(l, l.old.load(u), l.old.load(v));
  }
};

// The end with the larger parent and that parent of the smaller parent.
struct Extended {
  static constexpr const char* word = "extended";
  static constexpr bool needs_rewriting = false;
  static constexpr bool tells_ends = true;
  static constexpr bool by_hops = false;
  template <class Update, class L>
  LB_FN static bool tell(const L& l, typename L::Id u, typename L::Id v) {
    auto x = l.old.load(u);
    auto y = l.old.load(v);
    if (x == y) return false;
    if (x < y) {
      swap(x, y);
      swap(u, v);
    }
    const bool end = Update::offer(l, u, y);
    return Update::offer(l, x, y) || end;
  }
};

// The end with the larger parent of the smaller parent, and nobody else (Stergiou).
struct Ends {
  static constexpr bool needs_rewriting = false;
  static constexpr bool tells_ends = true;
  static constexpr bool by_hops = true;
  template <class Update, class L>
  LB_FN static bool tell(const L& l, typename L::Id u, typename L::Id v) {
    const auto x = l.old.load(u);
    const auto y = l.old.load(v);
    return x < y ? Update::offer(l, v, x) : y < x && Update::offer(l, u, y);
  }
};

// ---- claim: whose edge cost a root its place

// `old` while roots are claimed: the top bit, which ids leave free, says that a root is.
template <class M>
struct Claimable : M {
  using Id = typename M::Cell;
  static constexpr Id claimed = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));
  LB_FN explicit Claimable(const M& m) : M(m) {}
  LB_FN Id load(Id x) const { return static_cast<Id>(M::load(x) & ~claimed); }
  // For a root of the round's beginning: true for the first caller alone.
  LB_FN bool claim(Id x) const { return M::compare_exchange(x, x, static_cast<Id>(x | claimed)) == x; }
};

// What an edge tells whom, when all edges have connected and labels rest.
template <class L, class Hook>
struct Claims {
  using Id = typename L::Id;
  using Old = decltype(L::old);
  decltype(L::now) now;
  Claimable<Old> old;
  const Hook& hook;
};

// In place of an update: not "take it", but "is it what you took?". Of several edges that tell a root the smallest
// label that it is told in the round (it takes no other) one gets it. An edge that told a root a larger one before must
// not: the root's tree has not been joined to that edge's other end. Such an edge finds its ends in two trees in the
// next round again.
struct Claim {
  template <class C>
  LB_FN static bool offer(const C& c, typename C::Id x, typename C::Id y) {
    if (c.old.load(x) != x || c.now.load(x) != y || !c.old.claim(x)) return false;
    c.hook(x);
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

// To the root. All trees are stars then, so a round in which no edge lowered a label is the last.
struct Full {
  static constexpr const char* word = "full";
  static constexpr bool flattens = true;
  template <class L>
  LB_FN static bool shorten(const L& l, typename L::Id v) {
    auto r = l.now.load(v);
    for (auto g = l.now.load(r); g != r; g = l.now.load(r)) {
      l.now.store(v, g);  // every step, so that long paths shrink while thousands walk them
      r = g;
    }
    l.old.store(v, r);
    return false;
  }
};

// ---- alter: whether edges follow their ends

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
  static constexpr bool tells_ends = false;
  static constexpr bool by_hops = false;
  static constexpr bool selective = false;
  static constexpr bool published = true;  // belongs to the published enumeration
  static constexpr int passes = 1;
  static constexpr const char* forbidden = nullptr;  // why it must not run
  static constexpr bool claims = false;              // has a claim,
  static constexpr bool moves_trees = false;         // and only roots are told anything, so that trees stay whole
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

// One round of Liu and Tarjan, and of what can be said in their words.
template <class Connect, class Update, class Shortcut, class Edges>
struct Round : Traits {
  static constexpr bool root_based = Update::root_based;
  static constexpr bool rewrites = Edges::rewrites;
  static constexpr bool tells_ends = Connect::tells_ends;
  static constexpr bool by_hops = Connect::by_hops;
  static constexpr const char* forbidden =
      Connect::needs_rewriting && !Edges::rewrites
          ? "direct connect tells an end of the other end, not of its label, so labels do not travel unless the edges "
            "are altered: "
            "of the edges 0-2 and 1-2 the first lowers vertex 2 to 0, and nobody ever tells 1"
      : Connect::tells_ends && Update::root_based ? "extended connect differs from parent connect in what it tells the "
                                                    "ends, and under a root update only roots listen: "
                                                    "it would be the same rounds as with parent"
                                                  : nullptr;
  static constexpr bool claims = true;
  // Where trees are stars when a round begins, labels are roots.
  static constexpr bool moves_trees =
      Update::root_based || (Shortcut::flattens && (Edges::rewrites || !Connect::tells_ends));
  // Labels lead from a root to a smaller root, along an edge that joins the two trees; so with a root update the
  // owners' edges contract to a forest, in whatever order roots are told.
  static constexpr const char* no_forest =
      forbidden != nullptr ? forbidden
      : Update::root_based ? nullptr
      : moves_trees ? "only roots are told of anything where trees are stars when a round begins: it is the same "
                      "rounds as with a root "
                      "update, and that plan makes the forest"
                    : "a vertex that listens without being a root leaves its tree alone; the tree then needs the edge "
                      "that had joined the two "
                      "once more, and another edge is missing: on the path 0-5-4-3-2-1 four edges are named instead of "
                      "five, or on a longer "
                      "one (a test keeps a graph for each rule); with a root update only whole trees move";
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    return Connect::template tell<Update>(l, u, v);
  }
  template <class L, class Hook>
  LB_FN static void claim(const L& l, typename L::Id u, typename L::Id v, const Hook& hook) {
    Connect::template tell<Claim>(Claims<L, Hook>{l.now, Claimable<decltype(l.old)>(l.old), hook}, u, v);
  }
  template <int k, class L>
  LB_FN static bool pass(const L& l, typename L::Id v) {
    return Shortcut::shorten(l, v);
  }
};

// Labels flow over edges and nothing else: each edge lowers the larger label to the smaller, as both are now.
struct All : Traits {
  static constexpr const char* word = "all";
  static constexpr bool uses_old = false;
  static constexpr bool tells_ends = true;
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

// The same over the edges of vertices whose label fell in the round before (all of them in the first). The cell in
// `old` is the label of the beginning of the round, with the top bit set where it had just fallen.
struct Frontier : All {
  static constexpr const char* word = "frontier";
  static constexpr bool uses_old = true;
  static constexpr bool selective = true;
  static constexpr bool published = false;
  static constexpr int passes = 1;
  template <class Id>
  static constexpr Id fell = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));
  template <class L>
  LB_FN static void begin(const L& l, typename L::Id v) {
    l.old.store(v, l.now.load(v) | fell<typename L::Id>);
  }
  template <class L>
  LB_FN static bool active(const L& l, typename L::Id v) {
    return (l.old.load(v) & fell<typename L::Id>) != 0;
  }
  template <class L>
  LB_FN static bool connect(const L& l, typename L::Id u, typename L::Id v) {
    return (active(l, u) || active(l, v)) && All::connect(l, u, v);
  }
  template <int k, class L>
  LB_FN static bool pass(const L& l, typename L::Id v) {
    using Id = typename L::Id;
    const Id label = l.now.load(v);
    const bool falls = label != static_cast<Id>(l.old.load(v) & ~fell<Id>);
    l.old.store(v, falls ? static_cast<Id>(label | fell<Id>) : label);
    return false;
  }
};

// FastSV: `old` is the grandparent at the beginning of the round. It lowers the other end (aggressive hooking), the
// other end's parent (stochastic hooking), and in the first pass the vertex itself (shortcutting).
struct Grandparents : Traits {
  static constexpr bool tells_ends = true;
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
      const bool falls = g < l.now.load(v);
      if (falls) l.now.store(v, g);
      return falls;
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
  LB_FN static Round<Ends, Any, Once, Keep> of();
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

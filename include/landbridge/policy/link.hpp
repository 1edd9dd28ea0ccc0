// Link rules: unite the trees of u and v. All but jtb hang the larger root below the smaller, so parents
// decrease along every path, no cycle can form, and at the end each root is the smallest vertex of its
// component, whatever the schedule.
//
// Contract: unite(f, start, v, on_link) returns with the trees of start's vertex and v united at every later
// quiescent point; on_link(r) is called once by the thread that made root r a child. `start` comes from
// begin(f, u), once for a run of edges that share u; a rule may move it to an ancestor of u for the next edge.
//   uses_aux: needs Forest::aux, initialised to `none`
//   spliced:  takes a splice rule (its second parameter; splice::NoSplice otherwise)
//   steps:    offers its walk a step at a time
//   repeatable: after a walk that is cut off, only its own edge is left to be united
//   ranked:   works on RankedCell memories and takes their find rules
//   carries:  keeps something between edges that share u: its `start` is not always u
//   shortens: makes the paths it walks shorter, by its find or by itself
#pragma once
#include "../memory.hpp"
#include "../random.hpp"
#include "find.hpp"
#include "splice.hpp"

namespace lb::link {

struct Traits {
  static constexpr bool steps = false;
  static constexpr bool repeatable = false;
  static constexpr bool uses_aux = false;
  static constexpr bool ranked = false;
  static constexpr bool spliced = false;
  static constexpr bool shortens = true;
  static constexpr bool carries = false;
  template <class F>
  LB_FN static typename F::Id begin(const F&, typename F::Id u) {
    return u;
  }
};

// The memory of a find beside a splice rule.
template <class SpliceRule, class M>
LB_FN auto cells_beside(const M& m) {
  if constexpr (SpliceRule::moves_subtrees)
    return ComparingMemory<M>(m);
  else
    return m;
}

// Two vertices, the larger one first.
template <class M, class Id>
LB_FN void larger_first(const M&, Id& u, Id& v) {
  if constexpr (M::contended)
    swap_if(u < v, u, v);
  else if (u < v)
    swap(u, v);
}
// Two walks, x and y with their parents, that with the larger parent first.
template <class M, class Walk>
LB_FN void larger_parent_first(const M&, Walk& w) {
  const bool swaps = w.parent_x < w.parent_y;
  if constexpr (M::contended) {
    swap_if(swaps, w.x, w.y);
    swap_if(swaps, w.parent_x, w.parent_y);
  } else if (swaps) {
    swap(w.x, w.y);
    swap(w.parent_x, w.parent_y);
  }
}

// Index linking with compare-and-swap (Jayanti & Tarjan 2016; GConn algorithm 10). After a failed compare_exchange the
// walk goes on from the value it returned, an ancestor of u.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Async : Traits {
  static constexpr bool shortens = Find::shortens;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    for (;;) {
      u = Find::find(f.parent, u);
      v = Find::find(f.parent, v);
      if (u == v) return;
      larger_first(f.parent, u, v);
      const auto previous = f.parent.compare_exchange(u, u, v);
      if (previous == u) {
        on_link(u);
        return;
      }
      u = previous;
    }
  }
};

// Index linking in which the contended compare_exchange claims an auxiliary cell and the claiming thread stores the
// parent (GConn algorithm 11). The other threads wait until that store is visible.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Hooks : Traits {
  static constexpr bool shortens = Find::shortens;
  static constexpr bool uses_aux = true;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    using Id = typename F::Id;
    for (;;) {
      u = Find::find(f.parent, u);
      v = Find::find(f.parent, v);
      if (u == v) return;
      if (u < v) swap(u, v);
      if (f.aux.load(u) == none<Id> && f.aux.compare_exchange(u, none<Id>, v) == none<Id>) {
        on_link(u);
        f.parent.store(u, v);
        return;
      }
      // Another thread has claimed u and is about to store its parent. Fresh reads, so that the store shows.
      auto parent = f.parent.load(u);
      while (parent == u) {
        f.parent.pause();
        parent = f.parent.load(u);
      }
      u = parent;
    }
  }
};

// Walks both paths together and links as soon as the larger vertex is a root; the smaller need not be one
// (GConn algorithm 12). A find rule other than naive compresses both paths afterwards.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Early : Traits {
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    const auto a = u;
    const auto b = v;
    while (u != v) {
      if (u < v) swap(u, v);
      auto z = Read::load(f.parent, u);
      if (z == u) {
        z = f.parent.compare_exchange(u, u, v);
        if (z == u) {
          on_link(u);
          break;
        }
      }
      const auto w = Read::load(f.parent, z);
      if (w != z) f.parent.compare_exchange(u, z, w);
      u = z;
    }
    if constexpr (Find::shortens) {
      Find::find(f.parent, a);
      Find::find(f.parent, b);
    }
  }
};

// Rem's union (Dijkstra 1976; Patwary, Blair & Manne 2010) with compare-and-swap (ConnectIt; GConn algorithm
// 14): the walk whose parent is larger moves, and the two values read decide, without re-reading.
template <class Find, class SpliceRule, class Read = Fresh>
struct RemCas : Traits {
  static constexpr bool spliced = true;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    EdgeWalk<typename F::Id> w{u, v, Read::load(f.parent, u), Read::load(f.parent, v)};
    while (w.parent_x != w.parent_y) step(f, w, on_link);
    if constexpr (Find::shortens) {
      const auto cells = cells_beside<SpliceRule>(f.parent);
      Find::find(cells, u);
      Find::find(cells, v);
    }
  }

  // The walk a step at a time, for schedules that interleave several: it begins with the parents of both endpoints, and
  // ends when the two parents are equal.
  using Reads = Read;
  template <class Id>
  struct EdgeWalk {
    Id x, y, parent_x, parent_y;
  };
  static constexpr bool steps = !Find::shortens;
  static constexpr bool repeatable = steps && !SpliceRule::moves_subtrees;
  template <class F, class OnLink>
  LB_FN static void step(const F& f, EdgeWalk<typename F::Id>& w, const OnLink& on_link) {
    larger_parent_first(f.parent, w);
    if (w.x == w.parent_x) {
      const auto previous = f.parent.compare_exchange(w.x, w.x, w.parent_y);
      // Nothing is read again here: two roots that stale reads keep showing as roots would fail in turn for ever.
      w.parent_x = previous == w.x ? w.parent_y : previous;
      if (previous == w.x) on_link(w.x);
    } else if (w.parent_x == w.y) {
      // Two walks on one path: a rule that moves two steps at a time would pass y, and each the other, down to the
      // root.
      w.parent_y = w.parent_x;
    } else {
      w.x = SpliceRule::step(f.parent, w.x, w.parent_x, w.y);
      w.parent_x = Read::load(f.parent, w.x);
      w.parent_y = Read::load(f.parent, w.y);
    }
  }
};

// Rem's union with a lock on the root that is about to be linked (Patwary, Refsnes & Manne 2012; GConn
// algorithm 13). Under the lock the root is tested again, and so is that the new parent is smaller.
template <class Find, class SpliceRule, class Read = Fresh>
struct RemLock : Traits {
  static constexpr bool spliced = true;
  static constexpr bool uses_aux = true;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    using Id = typename F::Id;
    constexpr Id locked = 0;
    auto x = u;
    auto y = v;
    auto parent_x = Read::load(f.parent, x);
    auto parent_y = Read::load(f.parent, y);
    while (parent_x != parent_y) {
      if (parent_x < parent_y) {
        swap(x, y);
        swap(parent_x, parent_y);
      }
      if (x == parent_x) {
        while (f.aux.compare_exchange(x, none<Id>, locked) != none<Id>) f.aux.pause();
        bool linked = false;
        // The operations of a memory policy are relaxed, so holding the lock does not prove that the last holder's
        // store is visible; a compare_exchange always acts on the newest value. What is read here is what the walk goes
        // on from if it cannot link: a stale read could show x as a root for ever.
        parent_y = f.parent.load(y);
        parent_x = f.parent.load(x);
        if (parent_y < x && parent_x == x) {
          parent_x = f.parent.compare_exchange(x, x, parent_y);
          linked = parent_x == x;
        }
        f.aux.compare_exchange(x, locked, none<Id>);
        if (linked) {
          on_link(x);
          break;
        }
      } else {
        x = SpliceRule::step(f.parent, x, parent_x, y);
        parent_x = Read::load(f.parent, x);
        parent_y = Read::load(f.parent, y);
      }
    }
    if constexpr (Find::shortens) {
      const auto cells = cells_beside<SpliceRule>(f.parent);
      Find::find(cells, u);
      Find::find(cells, v);
    }
  }
};

// Randomised linking by rank (Jayanti, Tarjan & Boix-Adsera 2019). Equal ranks: the smaller vertex either goes
// under the larger or stays and rises by one, as a coin falls; the coin is a hash of the two roots and the rank.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Jtb : Traits {
  static constexpr bool ranked = true;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    using M = typename F::Memory;
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    while (u != v) {
      auto a = f.parent.load(u);
      auto b = f.parent.load(v);
      if (M::is_root(a) && M::is_root(b)) {
        auto rank_a = M::rank(a);
        auto rank_b = M::rank(b);
        if (rank_b < rank_a || (rank_a == rank_b && v < u)) {
          swap(u, v);
          swap(a, b);
          swap(rank_a, rank_b);
        }
        // u loses: the lower rank, or the smaller vertex of two with equal rank.
        const bool rises = rank_a == rank_b && rank_a < M::max_rank && (mix(u * weyl_step ^ v, rank_a) & 1) != 0;
        const auto word = rises ? M::root(rank_a + 1) : M::child(rank_a, v);
        const auto previous = f.parent.compare_exchange(u, a, word);
        if (previous == a && !rises) {
          on_link(u);
          return;
        }
        if (previous != a) a = previous;
      }
      // From the parents just read, not from u and v: a stale read could show them as roots for ever.
      u = Find::find(f.parent, M::parent(a, u));
      v = Find::find(f.parent, M::parent(b, v));
    }
  }
};

// ECL-CC's hooking (Jaiganesh & Burtscher 2018): one find for u serves a run of edges, and a failed compare_exchange
// returns the vertex to go on from.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Ecl : Traits {
  static constexpr bool shortens = Find::shortens;
  static constexpr bool carries = true;
  template <class F>
  LB_FN static typename F::Id begin(const F& f, typename F::Id u) {
    return Find::find(f.parent, u);
  }
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id& root_u, typename F::Id v, const OnLink& on_link) {
    auto a = root_u;
    auto b = Find::find(f.parent, v);
    while (a != b) {
      larger_first(f.parent, a, b);
      const auto previous = f.parent.compare_exchange(a, a, b);
      if (previous == a) {
        on_link(a);
        a = b;
        break;
      }
      a = previous;
    }
    root_u = a;
  }
};

// Afforest's link (Sutton, Ben-Nun & Barak 2018): no find; both walks go up while a compare_exchange on the larger
// parent fails. The published variants differ only in the find of the finalisation; here every finalisation is the same
// (phase::compress), so the find of a plan with this link is a name and changes nothing.
template <class Find, class = splice::NoSplice, class Read = Fresh>
struct Afforest : Traits {
  static constexpr bool shortens = false;
  template <class F, class OnLink>
  LB_FN static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    auto p = Read::load(f.parent, u);
    auto q = Read::load(f.parent, v);
    while (p != q) {
      const auto high = p < q ? q : p;
      const auto low = p < q ? p : q;
      auto parent = Read::load(f.parent, high);
      if (parent == high) {
        parent = f.parent.compare_exchange(high, high, low);
        if (parent == high) {
          on_link(high);
          return;
        }
      }
      if (parent == low) return;
      p = Read::load(f.parent, parent);
      q = Read::load(f.parent, low);
    }
  }
};

}  // namespace lb::link

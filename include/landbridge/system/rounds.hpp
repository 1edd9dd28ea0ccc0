// Standalone algorithms in synchronous rounds, each written once: control flow over phases, run by an executor.
//
// An executor X offers
//   Id, Memory                the vertices, and the memory policy over cells of that type
//   vertices(), edges()       how many there are
//   u(e), v(e)                the endpoints of edge e
//   parent()                  the parents; before the run a forest of stars whose roots include all endpoints of edges,
//                             which every algorithm with the trait `stages` in its row goes on from
//   cells(k)                  the k-th of the algorithm's own arrays: first those with a cell per vertex, then those
//   with
//                             a cell per edge; not initialised
//   each(count, body)         body(i) for all i in [0, count), in any order and at the same time; then a barrier
//   any(count, body)          the same, and whether body was true for any i
//   gather(out, count, body)  the same; what body returns is appended to `out`, but for `none`; returns how many there
//                             are
//
// On a CPU one thread runs the control flow and the others join it in the phases; on a GPU all threads of a grid run it
// together. So control flow depends only on arguments, any() and gather(), never on a cell.
//
// Afterwards every parent is the root of its component; run(x, settings) returns how many rounds that took.
//   vertex_cells, edge_cells  how many arrays of its own it has
//   smallest                  every root is the smallest vertex of its component
#pragma once
#include "../phase/graft.hpp"
#include "../phase/rem.hpp"
#include "../phase/vertex.hpp"
#include "../policy/callback.hpp"
#include "../policy/link.hpp"

namespace lb::system {

// The parameters of a row of the registry in its order, words as their position.
struct Settings {
  i64 first = 0, second = 0;
};

struct Traits {
  static constexpr int vertex_cells = 0;
  static constexpr int edge_cells = 0;
  static constexpr bool smallest = true;
};

// Soman, Kishore & Narayanan 2010. Settings: hooks of three rounds downwards and then upwards (0: their code) or
// alternating (1: their text); jumping that follows roots first and leaves once (0) or all vertices until all trees
// are flat (1).
struct Soman : Traits {
  static constexpr int vertex_cells = 1;
  static constexpr int edge_cells = 1;
  static constexpr bool smallest = false;
  template <class X>
  LB_FN static i64 run(X& x, Settings settings) {
    using Id = typename X::Id;
    constexpr Id leaf = 0, root = 1;
    const auto p = x.parent();
    const auto kind = x.cells(0);
    const auto hidden = x.cells(1);
    const bool alternates = settings.first != 0, by_levels = settings.second == 0;
    const auto all_jump = [&] {
      while (x.any(x.vertices(), [&](i64 v) { return phase::shortcut(p, static_cast<Id>(v)); })) {
      }
    };
    const auto classify = [&] {
      x.each(x.vertices(), [&](i64 i) {
        const Id v = static_cast<Id>(i);
        kind.store(v, p.load(v) == v ? root : leaf);
      });
    };
    x.each(x.edges(), [&](i64 e) {
      hidden.store(static_cast<Id>(e), 0);
      if (x.u(e) != x.v(e)) phase::graft(p, x.u(e), x.v(e));
    });
    all_jump();
    classify();
    for (int round = 1;; ++round) {
      const bool upwards = alternates ? round % 2 == 0 : round > 3;
      const bool open = x.any(x.edges(), [&](i64 e) {
        if (hidden.load(static_cast<Id>(e)) != 0) return false;
        const Id a = p.load(x.u(e)), b = p.load(x.v(e));
        if (a == b)
          hidden.store(static_cast<Id>(e), 1);
        else
          phase::graft(p, a, b, upwards);
        return a != b;
      });
      if (!open) return round;
      if (!by_levels) {
        all_jump();
        continue;
      }
      // Vertices that were roots are in chains now; a vertex below one needs a single jump after them.
      while (x.any(x.vertices(), [&](i64 v) {
        return kind.load(static_cast<Id>(v)) == root && phase::shortcut(p, static_cast<Id>(v));
      })) {
      }
      x.each(x.vertices(), [&](i64 v) {
        if (kind.load(static_cast<Id>(v)) == leaf) phase::shortcut(p, static_cast<Id>(v));
      });
      classify();
    }
  }
};

// Gunrock's components: Soman's rounds over frontiers. Edges inside a tree leave the frontier of edges, vertices
// below a root that of vertices.
struct GunrockCc : Traits {
  static constexpr int vertex_cells = 2;
  static constexpr int edge_cells = 2;
  static constexpr bool smallest = false;
  template <class X>
  LB_FN static i64 run(X& x, Settings) {
    using Id = typename X::Id;
    const auto p = x.parent();
    auto some = x.cells(0), fewer = x.cells(1);
    auto edges = x.cells(2), left = x.cells(3);
    x.each(x.edges(), [&](i64 e) {
      if (x.u(e) != x.v(e)) phase::graft(p, x.u(e), x.v(e));
    });
    i64 count = x.edges();
    for (int round = 1;; ++round) {
      const auto jump = [&](Id v) { return phase::shortcut(p, v) ? v : none<Id>; };
      i64 deep = x.gather(some, x.vertices(), [&](i64 v) { return jump(static_cast<Id>(v)); });
      while (deep > 0) {
        deep = x.gather(fewer, deep, [&](i64 i) { return jump(some.load(static_cast<Id>(i))); });
        swap(some, fewer);
      }
      count = x.gather(left, count, [&](i64 i) {
        const Id e = round == 1 ? static_cast<Id>(i) : edges.load(static_cast<Id>(i));
        const Id a = p.load(x.u(static_cast<i64>(e))), b = p.load(x.v(static_cast<i64>(e)));
        if (a == b) return none<Id>;
        phase::graft(p, a, b, round % 2 == 0);
        return e;
      });
      if (count == 0) return round;
      swap(edges, left);
    }
  }
};

// Groute's components on one device (Ben-Nun et al. 2017): edges in segments, each united with compare-and-swap and
// followed by full compression. Settings: how many segments, 0 for their rule; rounds of plain stores before the swaps
// of a segment, less than 0 for their rule.
struct GrouteCc : Traits {
  static constexpr i64 sparse = 8;  // the average degree below which their rule is one segment and one round of stores
  template <class X>
  LB_FN static i64 run(X& x, Settings settings) {
    using Id = typename X::Id;
    const auto p = x.parent();
    const Forest<typename X::Memory> forest{p, p};
    const bool few = 2 * x.edges() < sparse * x.vertices();
    const i64 by_rule = few ? 1 : (x.edges() + x.vertices() - 1) / x.vertices();
    const i64 requested = settings.first > 0 ? settings.first : by_rule;
    const i64 segments = requested < x.edges() ? requested : x.edges();
    const i64 blind = settings.second >= 0 ? settings.second : few ? 1 : 0;
    for (i64 s = 0; s < segments; ++s) {
      // The first segments have an edge more where they cannot all be of one size.
      const i64 size = x.edges() / segments, longer = x.edges() % segments;
      const i64 from = s * size + (s < longer ? s : longer);
      const i64 count = size + (s < longer ? 1 : 0);
      for (i64 i = 0; i < blind; ++i) {
        x.each(count, [&](i64 e) {
          const Id a = p.load(x.u(from + e)), b = p.load(x.v(from + e));
          if (a != b) phase::graft(p, a, b);
        });
      }
      x.each(count, [&](i64 e) {
        link::Afforest<find::Naive<>>::unite(forest, x.u(from + e), x.v(from + e), callback::Nothing{});
      });
      x.each(x.vertices(), [&](i64 v) { phase::climb(p, static_cast<Id>(v)); });
    }
    return segments;
  }
};

// CC of Cong & Muzio 2014. Settings: grafting with plain stores (0) or with an atomic minimum (1).
struct CongMuzioCc : Traits {
  template <class X>
  LB_FN static i64 run(X& x, Settings settings) {
    using Id = typename X::Id;
    const auto p = x.parent();
    const bool lowers = settings.first != 0;
    i64 rounds = 1;
    while (x.any(x.edges(), [&](i64 e) {
      const Id a = p.load(x.u(e)), b = p.load(x.v(e));
      if (a == b) return false;
      if (lowers)
        p.fetch_min(a < b ? b : a, a < b ? a : b);
      else
        phase::graft(p, a, b);
      return true;
    })) {
      x.each(x.vertices(), [&](i64 v) { phase::climb(p, static_cast<Id>(v)); });
      ++rounds;
    }
    return rounds;
  }
};

// CC-updt of Cong & Muzio 2014: endpoints of edges are replaced by their roots after each round, so that grafting reads
// no parents.
struct CcUpdt : Traits {
  static constexpr int edge_cells = 2;
  template <class X>
  LB_FN static i64 run(X& x, Settings) {
    using Id = typename X::Id;
    const auto p = x.parent();
    const auto u = x.cells(0), v = x.cells(1);
    x.each(x.edges(), [&](i64 e) {
      u.store(static_cast<Id>(e), x.u(e));
      v.store(static_cast<Id>(e), x.v(e));
    });
    i64 rounds = 1;
    while (x.any(x.edges(), [&](i64 e) {
      const Id a = u.load(static_cast<Id>(e)), b = v.load(static_cast<Id>(e));
      if (a != b) phase::graft(p, a, b);
      return a != b;
    })) {
      x.each(x.vertices(), [&](i64 w) { phase::climb(p, static_cast<Id>(w)); });
      x.each(x.edges(), [&](i64 e) {
        u.store(static_cast<Id>(e), p.load(u.load(static_cast<Id>(e))));
        v.store(static_cast<Id>(e), p.load(v.load(static_cast<Id>(e))));
      });
      ++rounds;
    }
    return rounds;
  }
};

namespace detail {

// SV0 to SV5 of the thesis over all edges, both ways: `endpoints(e, a, b)` reads one, and `update(now)` may rewrite
// them.
template <class X, class Endpoints, class Update>
LB_FN i64 thesis_rounds(X& x, const Endpoints& endpoints, const Update& update) {
  using Id = typename X::Id;
  auto before = x.parent(), now = x.cells(0);
  const auto touched = x.cells(1);
  x.each(x.vertices(), [&](i64 v) { touched.store(static_cast<Id>(v), 0); });
  bool works = true, swapped = false;
  Id s = 1;
  for (; works; ++s) {
    x.each(x.vertices(), [&](i64 v) { phase::sv_shortcut(before, now, touched, static_cast<Id>(v), s); });
    x.each(x.edges(), [&](i64 e) {
      Id a, b;
      endpoints(e, a, b);
      phase::sv_hook(before, now, touched, a, b, s);
      phase::sv_hook(before, now, touched, b, a, s);
    });
    x.each(x.edges(), [&](i64 e) {
      Id a, b;
      endpoints(e, a, b);
      phase::sv_hook_stagnant(now, touched, a, b, s);
      phase::sv_hook_stagnant(now, touched, b, a, s);
    });
    works = x.any(x.vertices(), [&](i64 v) {
      phase::shortcut(now, static_cast<Id>(v));
      return touched.load(static_cast<Id>(v)) == s;
    });
    update(now);
    swap(before, now);
    swapped = !swapped;
  }
  // After an odd number of iterations the parents of the last lie in the other array.
  if (swapped) x.each(x.vertices(), [&](i64 v) { now.store(static_cast<Id>(v), before.load(static_cast<Id>(v))); });
  return static_cast<i64>(s) - 1;
}

}  // namespace detail

// Shiloach & Vishkin's algorithm as the six kernels of the thesis (Yogaratnam 2010).
struct Sv05 : Traits {
  static constexpr int vertex_cells = 2;
  static constexpr bool smallest = false;
  template <class X>
  LB_FN static i64 run(X& x, Settings) {
    using Id = typename X::Id;
    const auto endpoints = [&](i64 e, Id& a, Id& b) { a = x.u(e), b = x.v(e); };
    return detail::thesis_rounds(x, endpoints, [](const typename X::Memory&) {});
  }
};

// SV-updt of Cong & Muzio 2014: the same, with the endpoints of edges replaced by their parents after each iteration.
struct SvUpdt : Traits {
  static constexpr int vertex_cells = 2;
  static constexpr int edge_cells = 2;
  static constexpr bool smallest = false;
  template <class X>
  LB_FN static i64 run(X& x, Settings) {
    using Id = typename X::Id;
    const auto u = x.cells(2), v = x.cells(3);
    x.each(x.edges(), [&](i64 e) {
      u.store(static_cast<Id>(e), x.u(e));
      v.store(static_cast<Id>(e), x.v(e));
    });
    const auto endpoints = [&](i64 e, Id& a, Id& b) { a = u.load(static_cast<Id>(e)), b = v.load(static_cast<Id>(e)); };
    return detail::thesis_rounds(x, endpoints, [&](const typename X::Memory& now) {
      x.each(x.edges(), [&](i64 e) {
        u.store(static_cast<Id>(e), now.load(u.load(static_cast<Id>(e))));
        v.store(static_cast<Id>(e), now.load(v.load(static_cast<Id>(e))));
      });
    });
  }
};

// Rem's union by threads that neither lock nor swap, with verification (Patwary, Refsnes & Manne 2012): edges that have
// ever linked are tested, and those whose endpoints are in two trees are united again, until there is none. The test of
// all edges that follows is ours: an edge whose endpoints were connected through a parent that was overwritten later
// has linked nothing. All paths are flat before a test, which would walk each of them for every edge otherwise: they
// are long where edges come in descending order. It starts from singletons: plain stores may lose what a forest has
// united before, and no edge would show it.
struct RemVerify : Traits {
  static constexpr int edge_cells = 2;
  template <class X>
  LB_FN static i64 run(X& x, Settings) {
    using Id = typename X::Id;
    const auto p = x.parent();
    const auto linked = x.cells(0), failed = x.cells(1);
    const auto unite = [&](Id e) {
      if (phase::rem_stores(p, x.u(static_cast<i64>(e)), x.v(static_cast<i64>(e)))) linked.store(e, 1);
    };
    const auto united = [&](i64 e) { return p.load(x.u(e)) == p.load(x.v(e)); };
    x.each(x.vertices(), [&](i64 v) { p.store(static_cast<Id>(v), static_cast<Id>(v)); });
    x.each(x.edges(), [&](i64 e) {
      linked.store(static_cast<Id>(e), 0);
      unite(static_cast<Id>(e));
    });
    for (i64 round = 1;; ++round) {
      x.each(x.vertices(), [&](i64 v) { phase::climb(p, static_cast<Id>(v)); });
      i64 count = x.gather(failed, x.edges(), [&](i64 e) {
        return linked.load(static_cast<Id>(e)) == 0 || united(e) ? none<Id> : static_cast<Id>(e);
      });
      if (count == 0) {
        count = x.gather(failed, x.edges(), [&](i64 e) { return united(e) ? none<Id> : static_cast<Id>(e); });
        if (count == 0) return round;
      }
      x.each(count, [&](i64 i) { unite(failed.load(static_cast<Id>(i))); });
    }
  }
};

}  // namespace lb::system

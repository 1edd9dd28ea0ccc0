// Rules with one planted bug each. The explorer is only worth its time if it finds every one of them; a
// mutant nobody finds means that the cases or the bounds are too small.
#include "cuts.hpp"
#include "prechecks.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// Index linking that stores where it must compare and swap: two threads link the same root.
template <class Find>
struct StoringLink : link::Traits {
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u == v) return;
    if (u < v) swap(u, v);
    f.parent.store(u, v);
    hook(u);
  }
};

// Index linking that gives up when its swap fails.
template <class Find>
struct HastyLink : link::Traits {
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u < v) swap(u, v);
    if (u != v && f.parent.compare_exchange(u, u, v) == u) hook(u);
  }
};

// Index linking that starts again from the vertex it had after a failed swap: with stale reads its find may
// give the same lost root for ever.
template <class Find>
struct StubbornLink : link::Traits {
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    for (;;) {
      auto a = Find::find(f.parent, u);
      auto b = Find::find(f.parent, v);
      if (a == b) return;
      if (a < b) swap(a, b);
      if (f.parent.compare_exchange(a, a, b) == a) return hook(a);
    }
  }
};

// Splicing without the minimum: the swap is guarded by the value it saw, but not by which of the two is
// smaller.
template <class Read = Fresh>
struct RaisingSplice : splice::Splice<Read> {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell y) {
    const auto z = Read::load(m, x);
    m.compare_exchange(x, z, Read::load(m, y));
    return z;
  }
};

// Splicing that forgets that the old parent still has to be united: the walk goes on from the new one.
template <class Read = Fresh>
struct ForgetfulSplice : splice::Splice<Read> {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell y) {
    const auto parent_y = Read::load(m, y);
    m.fetch_min(x, parent_y);
    return parent_y;
  }
};

// One step of splitting that reads the parent of x again: an old value may say that x is a root, and the walk
// never leaves it.
template <class Read = Fresh>
struct RereadingSplit : splice::Traits {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell) {
    const auto v = Read::load(m, x);
    const auto w = Read::load(m, v);
    if (v != w) m.compare_exchange(x, v, w);
    return v;
  }
};

// Full compression that does not stop where its path has been cut short by another thread.
struct BoundlessCompress : find::Compress<> {
  template <class M>
  static typename M::Cell find(const M& m, typename M::Cell x) {
    const auto r = find::Naive<>::find(m, x);
    while (x != r) {
      const auto t = m.load(x);
      m.store(x, r);
      if (t == x) break;
      x = t;
    }
    return r;
  }
};

// Rem's union whose lock protects nothing, because root and order are not tested again under it, ..
template <bool tests, bool unlocks>
struct BadLock : link::Traits {
  static constexpr bool uses_aux = true;
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id x, typename F::Id y, const Hook& hook) {
    using Id = typename F::Id;
    for (;;) {
      auto parent_x = f.parent.load(x);
      auto parent_y = f.parent.load(y);
      if (parent_x == parent_y) return;
      if (parent_x < parent_y) {
        swap(x, y);
        swap(parent_x, parent_y);
      }
      if (x != parent_x) {
        x = parent_x;
        continue;
      }
      while (f.aux.compare_exchange(x, none<Id>, 0) != none<Id>) f.aux.pause();
      const bool links = !tests || (f.parent.load(x) == x && (parent_y = f.parent.load(y)) < x);
      if (links) f.parent.store(x, parent_y);
      // .. or that keeps the lock when it does not link.
      if (links || unlocks) f.aux.store(x, none<Id>);
      if (links) return hook(x);
    }
  }
};

// Hooks whose losers do not wait for the winner's store, and believe that the winner did their work.
template <class Find>
struct ImpatientHooks : link::Traits {
  static constexpr bool uses_aux = true;
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    using Id = typename F::Id;
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u < v) swap(u, v);
    if (u == v || f.aux.compare_exchange(u, none<Id>, v) != none<Id>) return;
    hook(u);
    f.parent.store(u, v);
  }
};

// Calls the hook before it knows that it has won.
template <class Find>
struct BoastfulLink : link::Traits {
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    for (;;) {
      u = Find::find(f.parent, u);
      v = Find::find(f.parent, v);
      if (u == v) return;
      if (u < v) swap(u, v);
      hook(u);
      if (f.parent.compare_exchange(u, u, v) == u) return;
    }
  }
};

// Linking by rank that does not compare the rank it decided by.
struct RanklessSwap : link::Traits {
  static constexpr bool ranked = true;
  template <class F, class Hook>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    using M = typename F::Memory;
    for (;;) {
      u = find::Naive<>::find(f.parent, u);
      v = find::Naive<>::find(f.parent, v);
      if (u == v) return;
      const auto a = f.parent.load(u);
      const auto b = f.parent.load(v);
      if (!M::is_root(a) || !M::is_root(b)) continue;
      if (M::rank(a) > M::rank(b) || (M::rank(a) == M::rank(b) && u > v)) {
        swap(u, v);
      }
      f.parent.store(v, M::root(M::rank(a) + M::rank(b) + 1));
      f.parent.store(u, M::child(0, v));
      return hook(u);
    }
  }
};

// Answers without looking whether u is still a root.
template <class Link, class Find>
void run_rash(Engine& engine, int thread) {
  using M = CheckedMemory<u64>;
  const Forest<M> forest{M(0), M(1)};
  for (const Op& op : engine.ops(thread)) {
    engine.begin(op);
    const auto u = static_cast<u64>(op.u);
    const auto v = static_cast<u64>(op.v);
    if (op.query) {
      const auto a = Find::find(forest.parent, u);
      engine.end_query(op, a == Find::find(forest.parent, v));
    } else {
      Link::unite(forest, u, v, RecordOp{op.number});
      engine.end_union(op);
    }
  }
}

// Hangs roots higher up, too: what it has read may be older than a link of that root, which its store takes back.
struct RootsToo {
  template <class M>
  static void shorten(const M& m, u64 v) {
    m.store(v, m.load(m.load(v)));
  }
};

// Hangs the parent of a vertex below its grandparent: that is nobody's own cell, and may be a root.
struct ParentToo {
  template <class M>
  static void shorten(const M& m, u64 v) {
    const u64 p = m.load(v), above = m.load(p);
    m.store(p, m.load(above));
    m.store(v, above);
  }
};

Program mutant(const char* name, const char* planted, Claims claims, Engine::Body body, bool stale = false) {
  Program p;
  p.name = name;
  p.stale = stale;
  p.claims = claims;
  p.reason = planted;
  p.body = body;
  return p;
}

}  // namespace

const std::vector<Program>& mutants() {
  using find::Naive;
  using splice::NoSplice;
  constexpr Claims plain{.forest = true, .queries = true};
  constexpr Claims blind{.blind_store = true, .forest = true, .queries = true};
  constexpr Claims moving{.moves_subtrees = true};
  constexpr Claims forest_only{.forest = true};
  constexpr Claims ranked{.ranked = true, .forest = true};
  constexpr Claims counted{};
  using Splitting = link::RemCas<Naive<>, splice::SplitOne<>>;
  using Splicing = link::RemCas<Naive<>, splice::Splice<>>;
  static const std::vector<Program> table = {
      mutant("storing_link", "a store where a swap is needed", plain,
             &run_thread<StoringLink<Naive<>>, Naive<>, Fresh>),
      mutant("hasty_link", "gives up after a failed swap", plain, &run_thread<HastyLink<Naive<>>, Naive<>, Fresh>),
      mutant("stubborn_link", "searches again with stale reads after a failed swap", forest_only,
             &run_thread<StubbornLink<Naive<Stale>>, Naive<Stale>, Stale>, true),
      mutant("raising_splice", "splices without the minimum", moving,
             &run_thread<link::RemCas<Naive<>, RaisingSplice<>, Fresh>, Naive<>, Fresh>),
      mutant("forgetful_splice", "drops the old parent after splicing", moving,
             &run_thread<link::RemCas<Naive<>, ForgetfulSplice<>, Fresh>, Naive<>, Fresh>),
      mutant("rereading_split", "reads the parent again, with stale reads", plain,
             &run_thread<link::RemCas<Naive<Stale>, RereadingSplit<Stale>, Stale>, Naive<Stale>, Stale>, true),
      mutant("boundless_compress", "compresses past a vertex that was lowered meanwhile", blind,
             &run_thread<link::Async<BoundlessCompress, NoSplice, Fresh>, BoundlessCompress, Fresh>),
      mutant("untested_lock", "no second test under the lock", forest_only,
             &run_thread<BadLock<false, true>, Naive<>, Fresh>),
      mutant("kept_lock", "keeps the lock when there is nothing to link", forest_only,
             &run_thread<BadLock<true, false>, Naive<>, Fresh>),
      mutant("impatient_hooks", "losers do not try again", plain, &run_thread<ImpatientHooks<Naive<>>, Naive<>, Fresh>),
      mutant("boastful_link", "hook before the swap", plain, &run_thread<BoastfulLink<Naive<>>, Naive<>, Fresh>),
      mutant("rankless_swap", "stores ranks and parents without comparing", ranked,
             &run_thread<RanklessSwap, Naive<>, Fresh>),
      mutant("rash_query", "a no without a second look at the root", plain,
             &run_rash<link::Async<Naive<>, NoSplice, Fresh>, Naive<>>),
      mutant("trusting_query", "stale finds with the protocol for fresh ones", plain,
             &run_thread<link::Async<Naive<Stale>, NoSplice, Stale>, Naive<Stale>, Fresh>, true),
      mutant("shortens_roots", "hangs roots higher up beside links", blind,
             &run_glancing<link::Async<Naive<>, NoSplice>, Naive<>, RootsToo>),
      mutant("shortens_parents", "hangs the parents of vertices higher up, too", blind,
             &run_glancing<Splitting, Naive<>, ParentToo>),
      mutant("gives_up_splicing", "gives up walks that have moved vertices", moving, &run_cut<Splicing, gives_up_all>),
      mutant("forgets_progress", "puts aside the ends of an edge whose walk has moved vertices", moving,
             &run_cut<Splicing, forgets_progress>),
      mutant("forgets_edges", "does not look again at edges whose walks were given up", counted,
             &run_cut<Splitting, forgets_edges>),
      mutant("hasty_count", "counts what was put aside before all walks have ended", counted,
             &run_cut<Splitting, hasty_count>),
  };
  return table;
}

}  // namespace lb::explore

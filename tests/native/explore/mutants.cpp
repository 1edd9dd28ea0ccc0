// Rules with one planted bug each, which the explorer has to find: a mutant that survives means that the cases or the
// bounds are too small.
#include "cuts.hpp"
#include "owners.hpp"
#include "prechecks.hpp"
#include "program.hpp"
#include "ranges.hpp"

namespace lb::explore {
namespace {

// Index linking that stores where it must compare and swap: two threads link the same root.
template <class Find>
struct LinkByStore : link::Traits {
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u == v) return;
    if (u < v) swap(u, v);
    f.parent.store(u, v);
    on_link(u);
  }
};

// Index linking that ends when its swap fails.
template <class Find>
struct LinkWithoutRetry : link::Traits {
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u < v) swap(u, v);
    if (u != v && f.parent.compare_exchange(u, u, v) == u) on_link(u);
  }
};

// Index linking that starts again from the same vertex after a failed swap: with stale reads its find may return the
// same former root for ever.
template <class Find>
struct RetryFromStart : link::Traits {
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    for (;;) {
      auto a = Find::find(f.parent, u);
      auto b = Find::find(f.parent, v);
      if (a == b) return;
      if (a < b) swap(a, b);
      if (f.parent.compare_exchange(a, a, b) == a) return on_link(a);
    }
  }
};

// Splicing without the minimum: the swap compares the value it read, but not which of the two is smaller.
template <class Read = Fresh>
struct SpliceWithoutMinimum : splice::Splice<Read> {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell y) {
    const auto z = Read::load(m, x);
    m.compare_exchange(x, z, Read::load(m, y));
    return z;
  }
};

// Splicing that drops the old parent, which still has to be united: the walk goes on from the new one.
template <class Read = Fresh>
struct SpliceDropsParent : splice::Splice<Read> {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell y) {
    const auto parent_y = Read::load(m, y);
    m.fetch_min(x, parent_y);
    return parent_y;
  }
};

// Splicing beside finds that shorten paths as if no subtree moved.
struct WeakFindBesideSplice : link::Traits {
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    link::RemCas<find::Naive<>, splice::Splice<>>::unite(f, u, v, on_link);
    find::Halve<>::find(f.parent, u);
    find::Halve<>::find(f.parent, v);
  }
};

// One step of splitting that reads the parent of x again: an old value may show x as a root, and the walk never leaves
// it.
template <class Read = Fresh>
struct SplitRereadsParent : splice::Traits {
  template <class M>
  static typename M::Cell step(const M& m, typename M::Cell x, typename M::Cell, typename M::Cell) {
    const auto v = Read::load(m, x);
    const auto w = Read::load(m, v);
    if (v != w) m.compare_exchange(x, v, w);
    return v;
  }
};

// Full compression that does not stop where its path has been cut short by another thread.
struct CompressPastRoot : find::Compress<> {
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

// A step of Rem's union behind which both ends halve their paths, with a flaw.
template <bool exchanges, bool rereads>
struct HandsOver {
  using Rem = link::RemCas<find::Naive<Stale>, splice::HalveOne<Stale>, Stale>;
  using Halving = phase::WalkOf<link::Async<find::Halve<Stale>, splice::NoSplice, Stale>>;
  template <class F, class OnLink>
  static bool unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    using Id = typename F::Id;
    auto walk = phase::WalkOf<Rem>::begin(f, u, v);
    if (walk.parent_x == walk.parent_y) return true;
    Rem::step(f, walk, on_link);
    if (exchanges) swap(walk.parent_x, walk.parent_y);
    typename Halving::template EdgeWalk<Id> ends{walk.x, walk.y, walk.parent_x, walk.parent_y};
    while (ends.parent_x != ends.parent_y) {
      const bool links = ends.x == ends.parent_x && ends.y == ends.parent_y;
      Halving::step(f, ends, on_link);
      if (rereads && links && ends.parent_x != ends.y) ends.parent_x = f.parent.load_stale(ends.x);
    }
    return true;
  }
};

// Rem's union whose lock protects nothing, because root and order are not tested again under it, ..
template <bool tests, bool unlocks>
struct FlawedLock : link::Traits {
  static constexpr bool uses_aux = true;
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id x, typename F::Id y, const OnLink& on_link) {
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
      // .. or that does not release the lock when it does not link.
      if (links || unlocks) f.aux.store(x, none<Id>);
      if (links) return on_link(x);
    }
  }
};

// Hooks in which a thread whose claim fails neither waits for the other thread's store nor tries again.
template <class Find>
struct HooksWithoutRetry : link::Traits {
  static constexpr bool uses_aux = true;
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    using Id = typename F::Id;
    u = Find::find(f.parent, u);
    v = Find::find(f.parent, v);
    if (u < v) swap(u, v);
    if (u == v || f.aux.compare_exchange(u, none<Id>, v) != none<Id>) return;
    on_link(u);
    f.parent.store(u, v);
  }
};

// Calls the callback before the swap.
template <class Find>
struct CallbackBeforeSwap : link::Traits {
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    for (;;) {
      u = Find::find(f.parent, u);
      v = Find::find(f.parent, v);
      if (u == v) return;
      if (u < v) swap(u, v);
      on_link(u);
      if (f.parent.compare_exchange(u, u, v) == u) return;
    }
  }
};

// Linking by rank that does not compare the rank it decided by.
struct RankByStore : link::Traits {
  static constexpr bool ranked = true;
  template <class F, class OnLink>
  static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
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
      return on_link(u);
    }
  }
};

// Answers without a test whether u is still a root.
template <class Link, class Find>
void run_query_without_test(Engine& engine, int thread) {
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

// Hangs roots higher up, too: what it has read may be older than a link of that root, which its store undoes.
struct RootsToo {
  template <class M>
  static void shorten(const M& m, u64 v) {
    m.store(v, m.load(m.load(v)));
  }
};

// Hangs the parent of a vertex below its grandparent: that cell may be written by other threads, and may be a root's.
struct ParentToo {
  template <class M>
  static void shorten(const M& m, u64 v) {
    const u64 p = m.load(v), grandparent = m.load(p);
    m.store(p, m.load(grandparent));
    m.store(v, grandparent);
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
  using enum cpu::EdgeLoop;
  using Splitting = link::RemCas<Naive<>, splice::SplitOne<>>;
  using Splicing = link::RemCas<Naive<>, splice::Splice<>>;
  static const std::vector<Program> table = {
      mutant("link_by_store", "a store where a swap is needed", plain,
             &run_thread<LinkByStore<Naive<>>, Naive<>, Fresh>),
      mutant("link_without_retry", "ends after a failed swap", plain,
             &run_thread<LinkWithoutRetry<Naive<>>, Naive<>, Fresh>),
      mutant("retry_from_start", "searches again with stale reads after a failed swap", forest_only,
             &run_thread<RetryFromStart<Naive<Stale>>, Naive<Stale>, Stale>, true),
      mutant("splice_without_minimum", "splices without the minimum", moving,
             &run_thread<link::RemCas<Naive<>, SpliceWithoutMinimum<>, Fresh>, Naive<>, Fresh>),
      mutant("splice_drops_parent", "drops the old parent after splicing", moving,
             &run_thread<link::RemCas<Naive<>, SpliceDropsParent<>, Fresh>, Naive<>, Fresh>),
      mutant("weak_find_beside_splice", "stores ancestors that may be none any more", moving,
             &run_thread<WeakFindBesideSplice, Naive<>, Fresh>),
      mutant("split_rereads_parent", "reads the parent again, with stale reads", plain,
             &run_thread<link::RemCas<Naive<Stale>, SplitRereadsParent<Stale>, Stale>, Naive<Stale>, Stale>, true),
      mutant("compress_past_root", "compresses past a vertex that was lowered meanwhile", blind,
             &run_thread<link::Async<CompressPastRoot, NoSplice, Fresh>, CompressPastRoot, Fresh>),
      mutant("lock_without_test", "no second test under the lock", forest_only,
             &run_thread<FlawedLock<false, true>, Naive<>, Fresh>),
      mutant("lock_not_released", "keeps the lock when there is nothing to link", forest_only,
             &run_thread<FlawedLock<true, false>, Naive<>, Fresh>),
      mutant("hooks_without_retry", "no retry after a failed claim", plain,
             &run_thread<HooksWithoutRetry<Naive<>>, Naive<>, Fresh>),
      mutant("callback_before_swap", "callback before the swap", plain,
             &run_thread<CallbackBeforeSwap<Naive<>>, Naive<>, Fresh>),
      mutant("rank_by_store", "stores ranks and parents without comparing", ranked,
             &run_thread<RankByStore, Naive<>, Fresh>),
      mutant("query_without_test", "a no without a second test of the root", plain,
             &run_query_without_test<link::Async<Naive<>, NoSplice, Fresh>, Naive<>>),
      mutant("query_for_fresh_reads", "stale finds with the protocol for fresh ones", plain,
             &run_thread<link::Async<Naive<Stale>, NoSplice, Stale>, Naive<Stale>, Fresh>, true),
      mutant("shortens_roots", "hangs roots higher up beside links", blind,
             &run_prechecked<link::Async<Naive<>, NoSplice>, Naive<>, RootsToo>),
      mutant("shortens_parents", "hangs the parents of vertices higher up, too", blind,
             &run_prechecked<Splitting, Naive<>, ParentToo>),
      mutant("abandons_spliced_walk", "abandons walks that have moved vertices", moving,
             &run_cut<Splicing, abandons_all>),
      mutant("defers_endpoints", "defers the endpoints of an edge whose walk has moved vertices", moving,
             &run_cut<Splicing, defers_endpoints>),
      mutant("forgets_abandoned", "does not unite edges again whose walks were abandoned", counted,
             &run_cut<Splitting, forgets_abandoned>),
      mutant("counts_before_barrier", "counts deferred pairs before all walks have ended", counted,
             &run_cut<Splitting, counts_before_barrier>),
      mutant("owns_all", "writes cells of other threads without compare and swap", moving,
             &run_owned<Splicing, writes_all>),
      mutant("forgets_cut", "does not unite what was cut off at another thread's vertex", moving,
             &run_owned<Splicing, forgets_cut>),
      mutant("swaps_beside_owners", "unites what was cut off while cells have owners", moving,
             &run_owned<Splitting, defers_early>),
      mutant("unwatched_behind_sampling", "counts on walks that stay inside a range though the forest has links", plain,
             &run_ranges<Splitting, walks, never_watches | stores_unseen>),
      mutant("crosses_unwatched", "unites edges that lead out of a range as those inside it", moving,
             &run_ranges<Splicing, walks, crosses_unwatched | stores_unseen>),
      mutant("stores_to_other_cells", "stores to a cell that another thread owns", plain,
             &run_ranges<link::RemCas<Naive<>, splice::HalveOne<>>, walks, never_watches>),
      mutant("climbs_to_other_cells", "climbs out of a range, and shortens paths of another thread", plain,
             &run_ranges<Splitting, climbs, never_watches>),
      mutant("settles_without_given_up", "does not walk edges again that found no place", plain,
             &run_settled<Within<Splitting, 0, 1>, Naive<>, Fresh, forgets_abandoned>),
      mutant("settles_once", "ends though a walk was cut off again", plain,
             &run_settled<Within<Splitting, 0, 1>, Naive<>, Fresh, ends_after_one_round>),
      mutant("hands_over_other_parents", "goes on by halves from each end with the parent of the other", plain,
             &run_settled<HandsOver<true, false>, Naive<>, Fresh>),
      mutant("halves_read_again", "reads a root again with stale reads after a failed swap", forest_only,
             &run_settled<HandsOver<false, true>, Naive<>, Stale>, true),
  };
  return table;
}

}  // namespace lb::explore

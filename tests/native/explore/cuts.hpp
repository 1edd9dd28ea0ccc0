// Walks that are cut off, as a GPU cuts off long ones: after any step what is left of a walk is deferred to an overflow
// queue or, where the queue is full and the rule allows it, abandoned. When all have ended, paths are compressed, the
// deferred pairs are united, and all edges are united once more if walks were abandoned; the last time nothing is cut
// off. Every rule that offers its walk a step at a time.
#pragma once
#include <algorithm>

#include "landbridge/phase/bounded.hpp"
#include "landbridge/phase/vertex.hpp"
#include "program.hpp"

namespace lb::explore {

// Bugs, for mutants.
enum CutFlaw : unsigned {
  no_cut_flaw = 0,
  abandons_all = 1,           // a walk is abandoned though its steps cannot be repeated
  forgets_abandoned = 2,      // edges whose walks were abandoned are not united again
  counts_before_barrier = 4,  // a thread reads the length of the queue before the barrier
  defers_endpoints = 8,       // the endpoints of the edge are deferred, not the vertices that its walk has reached
  ends_after_one_round = 16   // walks that are cut off again are not repeated
};

template <class Link, unsigned flaws = no_cut_flaw>
void run_cut(Engine& engine, int thread) {
  using M = CheckedMemory<u64>;
  using Last = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  constexpr bool repeatable = Link::repeatable || (flaws & abandons_all) != 0;
  constexpr u64 places = 1;
  constexpr u64 counter = max_vertices;  // in the auxiliary array, which no such rule uses; the places lie behind it
  static_assert(!Link::uses_aux && !Link::ranked);
  const Forest<M> forest{M(0), M(1)};
  const M& words = forest.aux;
  const auto cut_off = [&] {
    const u64 word = words.load(counter);
    return word == none<u64> ? 0 : word;
  };
  // True if the walk need not go on.
  const auto defer = [&](u64 x, u64 y) {
    u64 place = words.load(counter);
    for (;;) {
      if (place != none<u64> && place >= places + repeatable) return repeatable;
      const u64 previous = words.compare_exchange(counter, place, place == none<u64> ? 1 : place + 1);
      if (previous == place) break;
      place = previous;
    }
    if (place == none<u64>) place = 0;
    if (place >= places) return repeatable;
    words.store(counter + 1 + 2 * place, x);
    words.store(counter + 2 + 2 * place, y);
    return true;
  };
  const auto unite = [&](bool to_the_end) {
    for (const Op& op : engine.ops(thread)) {
      if (op.query) continue;
      if (!to_the_end && repeatable && cut_off() > places) return;  // all edges will be united once more
      const auto u = static_cast<u64>(op.u), v = static_cast<u64>(op.v);
      typename Link::template EdgeWalk<u64> walk{u, v, Link::Reads::load(forest.parent, u),
                                                 Link::Reads::load(forest.parent, v)};
      while (walk.parent_x != walk.parent_y) {
        Link::step(forest, walk, RecordOp{op.number});
        if (to_the_end || !engine.either()) continue;
        if ((flaws & defers_endpoints) != 0 ? defer(u, v) : defer(walk.x, walk.y)) break;
      }
    }
  };
  const auto threads = engine.graph().threads.size();
  unite(false);
  for (const bool to_the_end : {false, true}) {
    const u64 early_count = (flaws & counts_before_barrier) != 0 ? cut_off() : places;
    engine.barrier();
    const u64 count = cut_off();
    if (count == 0) return;
    const bool again = count > places && (flaws & forgets_abandoned) == 0;
    for (auto x = static_cast<u64>(thread); x < static_cast<u64>(engine.graph().n); x += threads) {
      u64 p = forest.parent.load(x), grandparent = forest.parent.load(p);
      while (phase::jump_step(forest.parent, x, p, grandparent)) {
      }
    }
    engine.barrier();
    for (auto i = static_cast<u64>(thread); i < std::min({count, places, early_count}); i += threads) {
      Last::unite(forest, words.load(counter + 1 + 2 * i), words.load(counter + 2 + 2 * i), RecordOp{0});
    }
    if (!again) return;
    engine.barrier();
    if (thread == 0) words.store(counter, 0);
    engine.barrier();
    unite(to_the_end);
  }
}

// The walk of a link: `own` steps by its rule and, unless that is 0, further ones that halve paths. steps: as
// phase::unite_within takes them.
template <class Link, int own, int steps>
struct Within {
  static_assert(!Link::uses_aux);
  template <class F, class OnLink>
  static bool unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    return phase::unite_within<Link, own>(f, u, v, steps, on_link);
  }
};

// Edge lists as a GPU unites them: walks that are cut off end, and their edges, whole, wait in a queue of one place;
// where that is full, all edges are walked again, from the parents of their endpoints. Between two rounds all paths are
// flattened. Questions are asked beside the first walks.
template <class Walk, class Find, class Read, unsigned flaws = no_cut_flaw>
void run_settled(Engine& engine, int thread) {
  using M = CheckedMemory<u64>;
  constexpr u64 places = 1, counter = max_vertices, vote = counter + 1, queue = counter + 2;  // in the auxiliary array
  const Forest<M> forest{M(0), M(1)};
  const M& words = forest.aux;
  const auto threads = engine.graph().threads.size();
  const auto number_in = [&](u64 word) {
    const u64 value = words.load(word);
    return value == none<u64> ? 0 : value;
  };
  const auto add = [&](const Op& op) {
    u64 place = words.load(counter);
    for (;;) {
      if (place != none<u64> && place > places) return;
      const u64 previous = words.compare_exchange(counter, place, place == none<u64> ? 1 : place + 1);
      if (previous == place) break;
      place = previous;
    }
    if (place != none<u64> && place >= places) return;
    words.store(queue, static_cast<u64>(op.u));
    words.store(queue + 1, static_cast<u64>(op.v));
    words.store(queue + 2, static_cast<u64>(op.number));
  };
  const auto walk = [&](u64 u, u64 v, int number) { return Walk::unite(forest, u, v, RecordOp{number}); };
  const auto walk_again = [&](u64 u, u64 v, int number) {
    return walk(Read::load(forest.parent, u), Read::load(forest.parent, v), number);
  };
  bool stops = false;
  for (const Op& op : engine.ops(thread)) {
    engine.begin(op);
    const auto u = static_cast<u64>(op.u), v = static_cast<u64>(op.v);
    if (op.query) {
      engine.end_query(op, phase::same<Find, Read>(forest.parent, u, v));
    } else if (stops || !walk(u, v, op.number)) {
      if (!stops) add(op);
      stops = number_in(counter) > places;
    }
  }
  engine.barrier();
  const u64 count = number_in(counter);
  const bool again = count > places && (flaws & forgets_abandoned) == 0;
  for (bool works = count != 0; works;) {
    for (auto x = static_cast<u64>(thread); x < static_cast<u64>(engine.graph().n); x += threads) {
      u64 p = forest.parent.load(x), grandparent = forest.parent.load(p);
      while (phase::jump_step(forest.parent, x, p, grandparent)) {
      }
    }
    if (thread == 0) words.store(vote, 0);
    engine.barrier();
    bool done = true;
    for (const Op& op : engine.ops(thread)) {
      if (again && !op.query) done &= walk_again(static_cast<u64>(op.u), static_cast<u64>(op.v), op.number);
    }
    if (thread == 0) {
      done &= walk_again(words.load(queue), words.load(queue + 1), static_cast<int>(words.load(queue + 2)));
    }
    if (!done && (flaws & ends_after_one_round) == 0) words.store(vote, 1);
    engine.barrier();
    works = number_in(vote) != 0;
    engine.barrier();
  }
  for (const Op& op : engine.ops(thread)) {
    if (!op.query) engine.end_union(op);
  }
}

template <class Link, unsigned flaws = no_cut_flaw>
void cut(Program& p) {
  p.brief = 1;
  p.claims.forest = p.claims.queries = false;  // such walks do not report which edge has linked
  p.body = &run_cut<Link, flaws>;
}

// Appends a program for every pairing of the link whose walk goes by steps.
template <template <class, class, class> class Link, class Read>
void add_cuts(std::vector<Program>& out, const char* link) {
  each_pairing<Link, Read>([&]<class Find, class SpliceRule>(const char* find, const char* splice) {
    using L = Link<Find, SpliceRule, Read>;
    const auto add = [&](const char* name) -> Program& {
      out.push_back(make_program<Link, Find, SpliceRule, Read>(link, find, splice));
      out.back().name += name;
      out.back().brief = 1;
      return out.back();
    };
    if constexpr (forbidden<Find, SpliceRule>(L::ranked) == nullptr) {
      if constexpr (L::steps) cut<L>(add("+cut"));
      if constexpr (phase::cuts_off<L>) {
        add("+settle1").body = &run_settled<Within<L, 0, 1>, Find, Read>;
        add("+settle2").body = &run_settled<Within<L, 0, 2>, Find, Read>;
        if constexpr (L::steps) {
          add("+halves").body = &run_settled<Within<L, 1, 3>, Find, Read>;
          Program& whole = add("+whole");
          whole.body = &run_settled<Within<L, 1, 0>, Find, Read>;
          whole.brief = 0;
        }
      }
    }
  });
}

}  // namespace lb::explore

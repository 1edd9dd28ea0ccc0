// Walks that end after a number of steps, so that no long path keeps a thread.
#pragma once
#include "../policy/link.hpp"

namespace lb::phase {

// The walk of a link a step at a time: it begins with both endpoints and their parents, and ends when the two parents
// are equal. exists: whether the rule has one that can be cut off, because all that it has done is of use to others and
// its edge can be united again.
template <class Link>
struct WalkOf {
  static constexpr bool exists = Link::steps && Link::repeatable && !Link::ranked;
  template <class F>
  LB_FN static auto begin(const F& f, typename F::Id u, typename F::Id v) {
    using Reads = typename Link::Reads;
    return typename Link::template EdgeWalk<typename F::Id>{u, v, Reads::load(f.parent, u), Reads::load(f.parent, v)};
  }
  template <class F, class Walk, class OnLink>
  LB_FN static void step(const F& f, Walk& w, const OnLink& on_link) {
    Link::step(f, w, on_link);
  }
};

// Async by finds that halve paths: both at once, so that their reads are in flight together.
template <class FindRead, class NoSplice, class Read>
struct WalkOf<link::Async<find::Halve<FindRead>, NoSplice, Read>> {
  static constexpr bool exists = true;
  template <class Id>
  struct EdgeWalk {
    Id x, y, parent_x, parent_y;
  };
  template <class F>
  LB_FN static auto begin(const F& f, typename F::Id u, typename F::Id v) {
    return EdgeWalk<typename F::Id>{u, v, Read::load(f.parent, u), Read::load(f.parent, v)};
  }
  template <class F, class Walk, class OnLink>
  LB_FN static void step(const F& f, Walk& w, const OnLink& on_link) {
    if (w.x == w.parent_x && w.y == w.parent_y) {
      if (w.x < w.y) swap(w.x, w.y);
      const auto previous = f.parent.compare_exchange(w.x, w.x, w.y);
      // What the swap has found is where the walk goes on: a stale read could show x as a root for ever.
      w.parent_x = previous == w.x ? w.y : previous;
      w.parent_y = w.y;
      if (previous == w.x) on_link(w.x);
      return;
    }
    const auto grandparent_x = Read::load(f.parent, w.parent_x), grandparent_y = Read::load(f.parent, w.parent_y);
    if (w.parent_x != grandparent_x) f.parent.shorten(w.x, w.parent_x, grandparent_x);
    if (w.parent_y != grandparent_y) f.parent.shorten(w.y, w.parent_y, grandparent_y);
    w.x = grandparent_x;
    w.y = grandparent_y;
    w.parent_x = Read::load(f.parent, w.x);
    w.parent_y = Read::load(f.parent, w.y);
  }
};

template <class Link>
constexpr bool cuts_off = WalkOf<Link>::exists;

// Goes on with a walk for so many steps at most, unless `steps` is 0. True if it has ended.
template <class Walks, class F, class Walk, class OnLink>
LB_FN bool walk_on(const F& f, Walk& walk, int steps, const OnLink& on_link) {
  for (int left = steps; walk.parent_x != walk.parent_y;) {
    Walks::step(f, walk, on_link);
    if (--left == 0) return walk.parent_x == walk.parent_y;
  }
  return true;
}

// Steps that a walk takes by its rule, one end at a time. Most walks have ended then; one that goes on is on a long
// path, and both of its ends halve theirs. 0: all steps are those of the rule.
constexpr int own_steps = 8;

// Unites the endpoints of an edge. steps: at which the walk is cut off, more than `own`, or 0 for no limit. False if it
// was: the edge has to be united again.
template <class Link, int own = own_steps, class F, class OnLink>
LB_FN bool unite_within(const F& f, typename F::Id u, typename F::Id v, int steps, const OnLink& on_link) {
  static_assert(cuts_off<Link>);
  auto walk = WalkOf<Link>::begin(f, u, v);
  if constexpr (!Link::steps || own == 0) {
    return walk_on<WalkOf<Link>>(f, walk, steps, on_link);
  } else {
    // A number of steps that is known when this is compiled: one that is not took a tenth of the time of some meshes.
    if (walk_on<WalkOf<Link>>(f, walk, own, on_link)) return true;
    using Read = typename Link::Reads;
    using Halving = WalkOf<link::Async<find::Halve<Read>, splice::NoSplice, Read>>;
    typename Halving::template EdgeWalk<typename F::Id> ends{walk.x, walk.y, walk.parent_x, walk.parent_y};
    return walk_on<Halving>(f, ends, steps == 0 ? 0 : steps - own, on_link);
  }
}

}  // namespace lb::phase

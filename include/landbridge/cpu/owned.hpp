// Edges united without locked instructions: in such a pass each vertex has one thread that owns it, and only that
// thread writes the vertex's cell, while any thread may read it. A step of a walk writes no cell but that of the vertex
// it moves on from. So a walk goes on while that vertex is the thread's own. At another thread's vertex it climbs,
// writing nothing, for a few steps; where a root of another thread would have to be linked, what is left of the walk is
// deferred. Deferred pairs are united after a barrier, when cells have no owner.
//
// Why that is sound: on a cell with one writer, a load and a store are a compare_exchange. So every such pass is a
// schedule of the same rule with compare and swap, cut off as walks may be cut off anyway: the vertices x and y where a
// walk stops are what is left to be united (link::Traits::steps). A parent that was read without being replaced is an
// ancestor for good. The explorer checks it for every link that goes by steps. Where a walk cannot leave the thread's
// vertices, it may climb instead (climb.hpp): others read there only, and whatever they find is an ancestor, as a cell
// gets none but ancestors, or, if it is a root's, itself or a smaller root.
#pragma once
#include "../work.hpp"
#include "schedule.hpp"

namespace lb::cpu {

// Another thread's vertices a walk may climb before it is deferred: paths there cannot be shortened.
constexpr int most_climbs = 8;

// The vertices one thread owns: [begin, begin + size).
template <class Id>
struct OwnVertices {
  Id begin, size;
  bool has(Id x) const { return static_cast<Id>(x - begin) < size; }
};

// Walks that were cut off at x and y, each with the number of its pair; there is room for every pair.
template <class Id>
struct CutWalks {
  Id* x;
  Id* y;
  i64* pair;
  i64 count = 0;
  void add(Id a, Id b, i64 i) {
    x[count] = a;
    y[count] = b;
    pair[count++] = i;
  }
};

// Unites u with v, or defers what is left of it by defer(x, y). The cells of `own` have this thread as their only
// writer: F's memory may be SingleWriter.
template <class Link, class F, class Own, class OnLink, class Defer>
inline void unite_owned(const F& forest, const Own& own, typename F::Id u, typename F::Id v, const OnLink& on_link,
                        const Defer& defer) {
  LB_WORK_WALK(walk);
  using Reads = typename Link::Reads;
  typename Link::template EdgeWalk<typename F::Id> w{u, v, Reads::load(forest.parent, u),
                                                     Reads::load(forest.parent, v)};
  int climbs = 0;
  while (w.parent_x != w.parent_y) {
    if (w.parent_x < w.parent_y) {
      swap(w.x, w.y);
      swap(w.parent_x, w.parent_y);
    }
    if (own.has(w.x)) {
      Link::step(forest, w, on_link);
    } else if (w.parent_x == w.x || ++climbs > most_climbs) {
      defer(w.x, w.y);
      return;
    } else {
      w.x = w.parent_x;
      w.parent_x = Reads::load(forest.parent, w.x);
      w.parent_y = Reads::load(forest.parent, w.y);
    }
  }
}

// The same for pairs.
template <class Link, class F, class CallbackOf>
inline void unite_owned_pairs(const F& forest, const OwnVertices<typename F::Id>& own, const typename F::Id* u,
                              const typename F::Id* v, i64 count, Distance distance, const CallbackOf& callback_of,
                              CutWalks<typename F::Id>& cut) {
  // Copies, which stay in registers: a store to a parent may change what a reference leads to.
  detail::with_prefetch(forest.parent, u, v, count, distance != Distance::near, [=, &callback_of, &cut](i64 i) {
    unite_owned<Link>(forest, own, u[i], v[i], callback_of(i),
                      [i, &cut](typename F::Id x, typename F::Id y) { cut.add(x, y, i); });
  });
}

}  // namespace lb::cpu

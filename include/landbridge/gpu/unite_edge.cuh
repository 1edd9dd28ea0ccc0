// What all kernels that unite share: the cells of a rule, the merging of equal links inside of a warp, what happens on
// a link, and edges that are deferred because their walks are too long.
#pragma once
#include "../phase/unite.hpp"
#include "../phase/vertex.hpp"
#include "counts.cuh"
#include "rules.cuh"

namespace lb::gpu {

// The cells a rule works on: ranked rules have words of their own, and `parent` is then their flattened copy.
template <class Link, class Id>
__device__ inline auto forest_of(Id* parent, u64* words, Id* aux) {
  if constexpr (Link::ranked) {
    using M = DeviceMemory<u64, RankedCell>;
    return Forest<M>{M(words), M(nullptr)};
  } else {
    using M = DeviceMemory<Id>;
    return Forest<M>{M(parent), M(aux)};
  }
}
template <class Link, class Id>
__device__ inline auto forest_of(const Cells<Id>& cells) {
  return forest_of<Link>(cells.parent, cells.words, cells.aux);
}
template <class Link, class Id>
using ForestOf = decltype(forest_of<Link, Id>(nullptr, nullptr, nullptr));

// ---- equal links

// A link that first merges equal pairs among the lanes of a warp: what meshes pay for is not bandwidth but the
// contention of many edges between the same two trees. The pairs are those of the roots (of any ancestors, where paths
// are long) or, where `near`, of the parents.
template <class Link, bool near>
struct Merged : Link {
  template <class F>
  __device__ static typename F::Id begin(const F&, typename F::Id u) {
    return u;
  }
  // Raises u and v to ancestors; false if these are equal, or another lane has the same pair.
  template <class F>
  __device__ static bool raise(const F& f, typename F::Id& u, typename F::Id& v) {
    u = ancestor(f.parent, u);
    v = ancestor(f.parent, v);
    if (u == v) return false;
    if (u < v) swap(u, v);
    return first_with(u, v);
  }
  template <class F, class OnLink>
  __device__ static void unite(const F& f, typename F::Id u, typename F::Id v, const OnLink& on_link) {
    if (!raise(f, u, v)) return;
    auto start = Link::begin(f, u);
    Link::unite(f, start, v, on_link);
  }

 private:
  // The root of x, or the vertex where a long path is left.
  template <class M>
  __device__ static typename M::Cell ancestor(const M& m, typename M::Cell x) {
    for (int step = 0; step < (near ? 1 : long_walk); ++step) {
      const auto parent = m.parent(m.load_stale(x), x);
      if (parent == x) break;
      x = parent;
    }
    return x;
  }
};

template <class Link>
constexpr bool merges = false;
template <class Link, bool near>
constexpr bool merges<Merged<Link, near>> = true;

// ---- what happens on a link

// `of(edge, row, other)` is the callback of an edge, by its position and, in CSR, its endpoints; `Positions`
// are those of queued edges. All lanes of a warp call `pause()` now and then, and all threads `finish()` in the end.
// `only` is for lanes that link once at most before all call `rest()`. `may_defer`: an edge may be deferred. Here links
// are counted, and nothing else is done.
struct Counting {
  static constexpr bool may_defer = true;
  u32* links;
  template <int places>
  struct Positions {
    __device__ void store(int, i64) {}
    __device__ i64 load(int) const { return 0; }
  };
  template <class Id>
  __device__ callback::CountLinks of(i64, Id, Id = Id{0}) const {
    return {links};
  }
  template <class Id>
  __device__ callback::CountLinks only(i64, Id, Id) const {
    return {links};
  }
  __device__ void rest() const {}
  __device__ void pause() const {}
  __device__ void finish() const {}
};

// ---- deferred edges

// A thread alone on a long path is as slow as one thread. So after long_walk steps the two vertices that a walk has
// reached are deferred: two words, in the overflow queue behind the control block. Labels are not numbered then: when
// the host reads the control block, it has all paths flattened and the deferred edges united. Where the queue is full,
// an edge whose walk can be repeated is dropped: the host has all edges united once more. word_deferred counts both
// until it is more than the capacity; as a signed number below 0 it stands for walks without a bound.

__device__ inline i64 deferred_count(const u64* control) {
  return static_cast<i64>(device::load(control + word_deferred));
}

// How many edges have places.
__device__ inline i64 deferred_capacity(const u64* control) {
  return static_cast<i64>(device::load(control + word_capacity));
}

// Whether edges are dropped: then no other walk needs to begin.
template <class Link>
__device__ inline bool queue_is_full(const u64* control) {
  return Link::repeatable && deferred_count(control) > deferred_capacity(control);
}

// True if the walk need not go on.
template <class Link, class Id>
__device__ inline bool defer(u64* control, Id x, Id y) {
  const i64 count = deferred_count(control);
  if (count < 0) return false;
  const i64 capacity = deferred_capacity(control);
  if (count >= capacity + Link::repeatable) return Link::repeatable;
  const u64 place = atomicAdd(control + word_deferred, u64{1});
  if (place >= static_cast<u64>(capacity)) return Link::repeatable;
  u64* const at = control + control_words + 2 * place;
  at[0] = x;
  at[1] = y;
  return true;
}

// Empties the queues of rows, for the next kernel that fills them. One thread calls it.
__device__ inline void reset_queues(u64* control) {
  for (int word = word_huge; word <= word_large_next; ++word) control[word] = 0;
  control[word_gathered] = 0;
}

// Unites the endpoints of an edge, unless that takes too long and the rule offers its walk a step at a time. Returns an
// ancestor that both have now, or none where that is not known.
template <bool may_defer, class Link, class F, class OnLink>
__device__ inline typename F::Id unite_edge(const F& forest, phase::UniteRun<Link, F>& run, typename F::Id u,
                                            typename F::Id v, const OnLink& on_link, u64* control) {
  using Id = typename F::Id;
  if constexpr (Link::steps && !Link::ranked) {
    if constexpr (merges<Link>) {
      if (!Link::raise(forest, u, v)) return u == v ? u : none<Id>;
    }
    typename Link::template EdgeWalk<Id> walk{u, v, Link::Reads::load(forest.parent, u),
                                              Link::Reads::load(forest.parent, v)};
    for (int left = long_walk; walk.parent_x != walk.parent_y;) {
      Link::step(forest, walk, on_link);
      if constexpr (may_defer) {
        if (--left != 0) continue;
        if (defer<Link>(control, walk.x, walk.y)) return none<Id>;
        left = long_walk;
      }
    }
    return walk.parent_x;
  } else {
    run.edge(u, v, on_link);
    return none<Id>;
  }
}

}  // namespace lb::gpu

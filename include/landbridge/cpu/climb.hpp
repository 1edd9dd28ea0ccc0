// Unites edges of a thread that alone writes the cells it meets: both endpoints of each edge climb to their roots, and
// the larger root is linked below the other one. Walks of a rule take another number of steps for each edge where edges
// come in no order, and a processor guesses wrongly when one ends. Here the first two steps of many edges are taken
// without a branch, and edges whose endpoints meet there are dropped without one.
#pragma once
#include "../memory.hpp"
#include "../policy/callback.hpp"
#include "../work.hpp"

namespace lb::cpu {

// The loops that unite edges: walks of a rule, one edge after the other, or climbing. Of two roots the larger one is
// linked below the other: where walks begin at the larger endpoint a processor guesses that, whatever the order of ids.
enum class EdgeLoop : int { walks, climbs, walks_from_larger };
constexpr int edge_loops = static_cast<int>(EdgeLoop::walks_from_larger) + 1;

// An id of an array that its owner may be writing, which is not read there again.
template <class Id>
inline Id read_id(const Id* from) {
  return *static_cast<const volatile Id*>(from);
}

// Whether a thread may climb in these cells: a cell holds a parent, and no other thread writes it.
template <class M>
constexpr bool climbs = !M::contended && !requires { M::max_rank; };

namespace detail {

// Edges whose endpoints have not met: an ancestor of each endpoint, and the number of the edge.
template <class Id, i64 capacity>
struct OpenEdges {
  static_assert((capacity & (capacity - 1)) == 0);
  Id x[capacity], y[capacity];
  i64 edge[capacity];
  i64 begin = 0, end = 0;

  // Without a branch: an edge whose endpoints have met is overwritten by the next one.
  void add(Id a, Id b, i64 i) {
    const auto slot = static_cast<std::size_t>(end & (capacity - 1));
    x[slot] = a;
    y[slot] = b;
    edge[slot] = i;
    end += a != b;
    if (a == b) LB_WORK(edges);
  }
};

// The ancestor two steps above a vertex whose cell was read as `parent`, which becomes its parent. Of roots and their
// children nothing is written, so that ids that name no vertex take no memory (ReservedCells).
template <class M, class Id>
inline Id two_steps(const M& cells, Id vertex, Id parent) {
  const Id above = cells.load(parent);
  cells.store_if(above != parent, vertex, above);
  return above;
}

// Moves both vertices to their roots, by halving, in one loop: one branch that is hard to guess for both.
template <class M, class Id>
inline void to_roots(const M& cells, Id& a, Id& b) {
  for (;;) {
    const Id parent_a = cells.load(a), parent_b = cells.load(b);
    const Id above_a = cells.load(parent_a), above_b = cells.load(parent_b);
    cells.store(a, above_a);
    cells.store(b, above_b);
    a = above_a, b = above_b;
    if (((above_a ^ parent_a) | (above_b ^ parent_b)) == 0) return;
  }
}

// Links open edges from the first up to `end`; how many links that took. Without a callback a root is stored below
// itself where an edge links nothing, so that no branch is needed.
template <class M, class Id, i64 capacity, class CallbackOf>
inline i64 unite_open(const M& cells, OpenEdges<Id, capacity>& open, i64 end, const CallbackOf& callback_of) {
  i64 links = 0;
  for (; open.begin < end; ++open.begin) {
    LB_WORK_WALK(walk);
    const auto slot = static_cast<std::size_t>(open.begin & (capacity - 1));
    auto a = open.x[slot], b = open.y[slot];
    to_roots(cells, a, b);
    const auto larger = a < b ? b : a, smaller = a < b ? a : b;
    if constexpr (!callback::writes<decltype(callback_of(i64{}))>) {
      cells.store(larger, smaller);
    } else if (a != b) {
      cells.store(larger, smaller);
      callback_of(open.edge[slot])(larger);
    }
    links += a != b;
  }
  return links;
}

// Without fetching. Neighbouring edges of a sorted list share an endpoint, and each would wait for the one before: so
// edges follow each other that lie `apart` edges apart. This and `climb_fetching` return how many links were made.
template <class M, class Id, class CallbackOf>
inline i64 climb_unfetched(const M& cells, const Id* u, const Id* v, i64 begin, i64 end,
                           const CallbackOf& callback_of) {
  constexpr i64 block = 128, apart = 8;
  OpenEdges<Id, block> open;
  i64 links = 0;
  for (i64 base = begin; base < end; base += block) {
    const i64 to = end - base < block ? end : base + block;
    open.begin = open.end = 0;
    for (i64 first = base; first < base + apart; ++first) {
      for (i64 i = first; i < to; i += apart) {
        const Id a = read_id(u + i), b = read_id(v + i);
        const Id parent_a = cells.load(a), parent_b = cells.load(b);
        open.add(two_steps(cells, a, parent_a), two_steps(cells, b, parent_b), i);
      }
    }
    links += unite_open(cells, open, open.end, callback_of);
  }
  return links;
}

// With fetching: cells and those above them are prefetched `step` edges ahead of each step. The cells of edges
// behind `end` are prefetched, too, up to `count`.
template <i64 step, class M, class Id, class CallbackOf>
inline i64 climb_fetching(const M& cells, const Id* u, const Id* v, i64 begin, i64 end, i64 count,
                          const CallbackOf& callback_of) {
  constexpr i64 ring = 64;
  static_assert(ring >= 4 * step);
  Id a[ring], b[ring], parent_a[ring], parent_b[ring];
  OpenEdges<Id, ring> open;
  i64 links = 0;
  const auto slot_of = [](i64 i) { return static_cast<std::size_t>(i & (ring - 1)); };
  for (i64 i = begin; i < end + step; ++i) {
    if (i + step < count) {
      cells.prefetch(u[i + step]);
      cells.prefetch(v[i + step]);
    }
    if (i < end) {
      const auto slot = slot_of(i);
      a[slot] = read_id(u + i);
      b[slot] = read_id(v + i);
      parent_a[slot] = cells.load(a[slot]);
      parent_b[slot] = cells.load(b[slot]);
      cells.prefetch(parent_a[slot]);
      cells.prefetch(parent_b[slot]);
    }
    if (i >= begin + step) {
      const auto slot = slot_of(i - step);
      const Id above_a = two_steps(cells, a[slot], parent_a[slot]), above_b = two_steps(cells, b[slot], parent_b[slot]);
      cells.prefetch(above_a);
      cells.prefetch(above_b);
      open.add(above_a, above_b, i - step);
    }
    if (open.end - open.begin >= 2 * step) links += unite_open(cells, open, open.end - step, callback_of);
  }
  return links + unite_open(cells, open, open.end, callback_of);
}

}  // namespace detail
}  // namespace lb::cpu

// The CPU's schedule: which thread runs which loop body, and how far ahead it prefetches. A rule is a template; all
// that surrounds it (layouts, id widths, windows of rows, skipping, stages) reaches it as small batches of edges that
// stay in the first-level cache, so only this loop is instantiated for each rule.
#pragma once
#include "../phase/round.hpp"
#include "../phase/unite.hpp"
#include "climb.hpp"
#include "long_paths.hpp"

namespace lb::cpu {

// Edges in a batch: 8 KiB of 32-bit pairs.
constexpr i64 batch_edges = 1024;
// How many edges pass between two reads ahead of an edge's cells: enough for the lines a core can have in flight.
constexpr i64 prefetch_distance = 12;
// Edges of a batch that are looked at before it is decided how all of them are united.
constexpr i64 edges_looked_at = 16;
// Where the cells of neighbouring pairs lie: anywhere, anywhere among cells that a core's own cache holds, or near each
// other. Far ones are fetched ahead and near ones are not; which is faster for cached ones depends on the walks.
enum class Distance : int { far, cached, near };
// How many rows ahead their first line is prefetched.
constexpr i64 rows_ahead = 16;
// Arcs that a thread takes at a time: large enough to make the hand-out free, small enough to balance.
constexpr i64 chunk_arcs = i64{1} << 15;
// Vertices a thread takes at a time in passes over the parents.
constexpr i64 chunk_vertices = i64{1} << 14;

namespace detail {

// body(i) for the edges [begin, end) of `count`, in order. `fetches`: with the cells of both endpoints and of their
// parents prefetched, also those of the edges behind `end`.
template <class M, class Id, class Body>
inline void with_prefetch(const M& cells, const Id* u, const Id* v, i64 begin, i64 end, i64 count, bool fetches,
                          const Body& body) {
  const auto parent_of = [&](Id x) { cells.prefetch(cells.parent(cells.load_stale(x), x)); };
  const i64 last = count - 2 * prefetch_distance;
  const i64 ahead = !fetches ? begin : last < end ? last : end;
  for (i64 i = begin; i < end; ++i) {
    if (i < ahead) [[likely]] {
      cells.prefetch(u[i + 2 * prefetch_distance]);
      cells.prefetch(v[i + 2 * prefetch_distance]);
      parent_of(u[i + prefetch_distance]);
      parent_of(v[i + prefetch_distance]);
    }
    body(i);
  }
}

template <class M, class Id, class Body>
inline void with_prefetch(const M& cells, const Id* u, const Id* v, i64 count, bool fetches, const Body& body) {
  with_prefetch(cells, u, v, 0, count, count, fetches, body);
}

// Whether many of the first edges lead from one path to another, and one of the two has more than a step. Their cells
// are read next anyway.
template <class M, class Id>
inline bool paths_are_long(const M& cells, const Id* u, const Id* v, i64 count) {
  const i64 most = count < edges_looked_at ? count : edges_looked_at;
  const auto parent_of = [&](Id z) { return static_cast<Id>(cells.parent(cells.load_stale(z), z)); };
  i64 edges = 0;
  for (i64 i = 0; i < most; ++i) {
    const Id x = parent_of(u[i]), y = parent_of(v[i]);
    edges += (x != y) & ((parent_of(x) != x) | (parent_of(y) != y));
  }
  return 8 * edges > most;
}

// Whether more than a quarter of a few endpoints of the edges [begin, end) lie more than four steps below their roots.
template <class M, class Id>
inline bool endpoints_are_deep(const M& cells, const Id* u, const Id* v, i64 begin, i64 end) {
  constexpr i64 endpoints = 8, steps = 4;
  i64 deep = 0;
  for (i64 k = 0; k < endpoints; ++k) {
    const i64 i = begin + (end - begin - 1) * k / endpoints;
    Id x = read_id(((k & 1) != 0 ? u : v) + i), parent = cells.load(x);
    for (i64 step = 0; step < steps && x != parent; ++step) {
      x = parent;
      parent = cells.load(x);
    }
    deep += x != parent;
  }
  return 4 * deep > endpoints;
}

// with_prefetch for long paths, with the cells of grandparents prefetched, too: body(i, x, y), where x and y are
// ancestors of u[i] and v[i], up to two steps above them. What was read in order to prefetch it is not read again: an
// edge may be united at ancestors of its endpoints, which are in their tree for good. (Under rules that move subtrees
// they are again when the walk that has moved one is done: batches of such rules have exclusive access, and keep no
// forest.)
template <class M, class Id, class Body>
inline void with_climb(const M& cells, const Id* u, const Id* v, i64 count, const Body& body) {
  constexpr i64 step = prefetch_distance, ring = 32;
  static_assert(ring > 2 * step && (ring & (ring - 1)) == 0);
  Id above_u[ring], above_v[ring];
  const auto slot_of = [](i64 i) { return static_cast<std::size_t>(i & (ring - 1)); };
  const auto parent_of = [&](Id z) {
    const Id p = static_cast<Id>(cells.parent(cells.load_stale(z), z));
    cells.prefetch(p);
    return p;
  };
  const i64 first = 2 * step < count ? 2 * step : count;
  for (i64 i = 0; i < first; ++i) above_u[slot_of(i)] = u[i], above_v[slot_of(i)] = v[i];
  for (i64 i = 0; i < count; ++i) {
    const auto next = slot_of(i + 2 * step);
    if (i < count - 3 * step) [[likely]] {
      cells.prefetch(u[i + 3 * step]);
      cells.prefetch(v[i + 3 * step]);
      above_u[next] = parent_of(u[i + 2 * step]);
      above_v[next] = parent_of(v[i + 2 * step]);
      Id& x = above_u[slot_of(i + step)];
      Id& y = above_v[slot_of(i + step)];
      x = parent_of(x);
      y = parent_of(y);
    } else if (i + 2 * step < count) {
      above_u[next] = u[i + 2 * step];
      above_v[next] = v[i + 2 * step];
    }
    body(i, above_u[slot_of(i)], above_v[slot_of(i)]);
  }
}

// body(i, x, y) for the edges [begin, end) of `count`: x and y are ancestors of u[i] and v[i] where paths are long and
// the rule goes up by steps, else these themselves.
template <class Link, class M, class Id, class Body>
inline void for_each_edge(const M& cells, const Id* u, const Id* v, i64 begin, i64 end, i64 count, bool fetches,
                          const Body& body) {
  if constexpr (Link::steps) {
    const i64 some = end - begin;
    if (fetches && some > 3 * prefetch_distance && paths_are_long(cells, u + begin, v + begin, some))
      return with_climb(cells, u + begin, v + begin, some, [&](i64 i, Id x, Id y) { body(begin + i, x, y); });
  }
  with_prefetch(cells, u, v, begin, end, count, fetches, [&](i64 i) { body(i, u[i], v[i]); });
}

}  // namespace detail

// The smallest and the largest of the larger endpoints, and of the smaller ones, of a few of the edges
// [begin, begin + count), which are spread over all of them.
struct Span {
  u64 low, high;
  u64 width() const { return high - low; }
};
struct Spans {
  Span larger, smaller;
};
template <class Ids>
inline Spans spans_of_few(const Ids& u, const Ids& v, i64 begin, i64 count) {
  constexpr u64 most = ~u64{0};
  Spans spans{{most, 0}, {most, 0}};
  const auto widen = [](Span& span, u64 id) {
    span.low = id < span.low ? id : span.low;
    span.high = id > span.high ? id : span.high;
  };
  for (i64 k = 0; k < edges_looked_at; ++k) {
    const i64 i = begin + (count - 1) * k / (edges_looked_at - 1);
    const u64 a = static_cast<u64>(u[i]), b = static_cast<u64>(v[i]);
    widen(spans.larger, a < b ? b : a);
    widen(spans.smaller, a < b ? a : b);
  }
  return spans;
}

// Whether the cells of edges lie near each other, those of the larger endpoints and those of the smaller ones, as far
// as a few of the edges show: within so many vertices.
constexpr i64 near_vertices = i64{1} << 16;
template <class Id>
inline bool lie_near(const Id* u, const Id* v, i64 count) {
  const Spans spans = spans_of_few(u, v, 0, count);
  return spans.larger.width() < static_cast<u64>(near_vertices) &&
         spans.smaller.width() < static_cast<u64>(near_vertices);
}

// Unites the pairs by the loop that `choice` takes for each piece of them; returns how many links that took.
template <class Link, class F, class Choice, class CallbackOf>
[[gnu::flatten]] inline i64 unite_by_choice(const F& forest, const typename F::Id* u, const typename F::Id* v,
                                            i64 count, Distance distance, Choice& choice,
                                            const CallbackOf& callback_of) {
  static_assert(!paths_grow<Link, typename F::Memory>);  // else long paths would have to be split on the way
  phase::UniteRun<Link, F> run(forest);
  i64 links = 0;
  const auto deep = [&](i64 begin, i64 end) { return detail::endpoints_are_deep(forest.parent, u, v, begin, end); };
  choice.in_pieces(count, distance, deep, [&](i64 begin, i64 end, EdgeLoop loop, bool fetches) {
    const auto on_link = [&](i64 i) {
      return [&, i](auto root) {
        ++links;
        callback_of(i)(root);
      };
    };
    if (loop == EdgeLoop::walks) {
      detail::for_each_edge<Link>(forest.parent, u, v, begin, end, count, fetches,
                                  [&](i64 i, auto x, auto y) { run.edge(x, y, on_link(i)); });
    } else if (loop == EdgeLoop::walks_from_larger) {
      detail::for_each_edge<Link>(forest.parent, u, v, begin, end, count, fetches, [&](i64 i, auto x, auto y) {
        const auto larger = x < y ? y : x, smaller = x < y ? x : y;
        run.edge(larger, smaller, on_link(i));
      });
    } else if (fetches) {
      links += detail::climb_fetching<prefetch_distance>(forest.parent, u, v, begin, end, count, callback_of);
    } else {
      links += detail::climb_unfetched(forest.parent, u, v, begin, end, callback_of);
    }
  });
  return links;
}
template <class Link, class F>
constexpr bool has_choice = Link::steps && climbs<typename F::Memory>;

// callback_of(i) is what the link of pair i calls. distance: of the cells of neighbouring pairs.
// Flattened: a body that is compiled several times would be called, and what it captures read from memory for each
// edge.
template <class Link, class F, class CallbackOf>
[[gnu::flatten]] inline void unite_pairs(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count,
                                         Distance distance, const CallbackOf& callback_of) {
  phase::UniteRun<Link, F> run(forest);
  in_pieces_without_long_paths<Link>(forest.parent, u, v, count, [&](i64 begin, i64 end) {
    detail::for_each_edge<Link>(forest.parent, u, v, begin, end, count, distance != Distance::near,
                                [&](i64 i, auto x, auto y) { run.edge(x, y, callback_of(i)); });
  });
}

// The same by the loop that `choice` takes, where there are two; null: walks.
template <class Link, class F, class Choice, class CallbackOf>
inline void unite_pairs(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count, Distance distance,
                        Choice* choice, const CallbackOf& callback_of) {
  if constexpr (has_choice<Link, F>) {
    if (choice != nullptr && Choice::decides(count)) {
      unite_by_choice<Link>(forest, u, v, count, distance, *choice, callback_of);
      return;
    }
  }
  unite_pairs<Link>(forest, u, v, count, distance, callback_of);
}

namespace detail {

// body(i) for the pairs of a round, whose labels are prefetched.
template <class Rule, class L, class Body>
inline void labelled_pairs(const L& labels, const typename L::Id* u, const typename L::Id* v, i64 count,
                           const Body& body) {
  for (i64 i = 0; i < count; ++i) {
    if (i + prefetch_distance < count) {
      // A selective rule reads the old labels of few vertices: an active one is the first endpoint of all its arcs.
      const auto& first = Rule::uses_old && !Rule::selective ? labels.old : labels.now;
      first.prefetch(u[i + prefetch_distance]);
      first.prefetch(v[i + prefetch_distance]);
    }
    body(i);
  }
}

}  // namespace detail

// One round's connect over pairs; true if a label has changed.
template <class Rule, class L>
inline bool connect_pairs(const L& labels, const phase::Relabel<typename L::Id>& relabel, const typename L::Id* u,
                          const typename L::Id* v, i64 count) {
  bool changed = false;
  detail::labelled_pairs<Rule>(labels, u, v, count,
                               [&](i64 i) { changed |= Rule::connect(labels, relabel(u[i]), relabel(v[i])); });
  return changed;
}

// The pairs that made roots children in that; callback_of(i) is called for pair i with the root, relabelled.
template <class Rule, class L, class CallbackOf>
inline void claim_pairs(const L& labels, const phase::Relabel<typename L::Id>& relabel, const typename L::Id* u,
                        const typename L::Id* v, i64 count, const CallbackOf& callback_of) {
  detail::labelled_pairs<Rule>(labels, u, v, count,
                               [&](i64 i) { Rule::claim(labels, relabel(u[i]), relabel(v[i]), callback_of(i)); });
}

}  // namespace lb::cpu

// The CPU's schedule: which thread runs which loop body, and how far ahead it prefetches. A rule is a template; all
// that surrounds it (layouts, id widths, windows of rows, skipping, stages) reaches it as small batches of edges that
// stay in the first-level cache, so only this loop is instantiated for each rule.
#pragma once
#include "../phase/round.hpp"
#include "../phase/unite.hpp"
#include "long_paths.hpp"

namespace lb::cpu {

// Edges in a batch: 8 KiB of 32-bit pairs.
constexpr i64 batch_edges = 1024;
// How many edges ahead the parents are prefetched: enough for the lines a core can have in flight.
constexpr i64 prefetch_distance = 12;
// How many rows ahead their first line is prefetched.
constexpr i64 rows_ahead = 16;
// Arcs that a thread takes at a time: large enough to make the hand-out free, small enough to balance.
constexpr i64 chunk_arcs = i64{1} << 15;
// Vertices a thread takes at a time in passes over the parents.
constexpr i64 chunk_vertices = i64{1} << 14;

namespace detail {

// body(i) for the edges [begin, end) of `count`, in order, with the cells of both endpoints and of their parents
// prefetched, also those of the edges behind `end`; unless they are near: in the cache already.
template <class M, class Id, class Body>
inline void with_prefetch(const M& cells, const Id* u, const Id* v, i64 begin, i64 end, i64 count, bool near,
                          const Body& body) {
  const auto parent_of = [&](Id x) { cells.prefetch(cells.parent(cells.load_stale(x), x)); };
  const i64 last = count - 2 * prefetch_distance;
  const i64 ahead = near ? begin : last < end ? last : end;
  // One loop: a body that is compiled twice is called, and what it captures is read from memory for each edge.
  for (i64 i = begin; i < end; ++i) {
    if (i < ahead) {
      cells.prefetch(u[i + 2 * prefetch_distance]);
      cells.prefetch(v[i + 2 * prefetch_distance]);
      parent_of(u[i + prefetch_distance]);
      parent_of(v[i + prefetch_distance]);
    }
    body(i);
  }
}

template <class M, class Id, class Body>
inline void with_prefetch(const M& cells, const Id* u, const Id* v, i64 count, bool near, const Body& body) {
  with_prefetch(cells, u, v, 0, count, count, near, body);
}

}  // namespace detail

// callback_of(i) is what the link of pair i calls. near: the cells of neighbouring pairs lie near each other.
template <class Link, class F, class CallbackOf>
inline void unite_pairs(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count, bool near,
                        const CallbackOf& callback_of) {
  phase::UniteRun<Link, F> run(forest);
  in_pieces_without_long_paths<Link>(forest.parent, u, v, count, [&](i64 begin, i64 end) {
    detail::with_prefetch(forest.parent, u, v, begin, end, count, near,
                          [&](i64 i) { run.edge(u[i], v[i], callback_of(i)); });
  });
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

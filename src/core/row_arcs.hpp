// The arcs of rows as edges, and those to smaller vertices, without a branch for each row or arc: rows have any length,
// and a processor guesses wrongly where one ends.
#pragma once
#include <algorithm>
#include <atomic>

#include "graph.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "vector_instructions.hpp"

namespace lb::core {

// How many arcs are looked at together.
constexpr i64 arcs_at_once = 512;
// At most so many united arcs of a row are left out.
constexpr i64 most_united = 16;

// Edges that wait for a kernel; with `numbered` the arc of each. A vector is written whole, so there is space for the
// rest of one behind them.
template <class Id, bool numbered>
struct EdgePairs {
  static constexpr i64 vector_lanes = 16, capacity = cpu::batch_edges;
  i64 count = 0;
  Id u[capacity + vector_lanes];
  Id v[capacity + vector_lanes];
  i64 arc[numbered ? capacity + vector_lanes : 1];
};

// Marks the arcs [begin, begin + count) at which rows begin: marks[i] becomes the last row that begins at arc begin +
// i, or 0; marks[0] that of arc `begin`, which is x or lies behind it. Returns the row of the last arc.
template <class Id, class Offsets>
i64 mark_rows(const Offsets& offsets, i64 vertices, i64 x, i64 begin, i64 count, Id* marks) {
  std::fill_n(marks, count, Id{0});
  marks[0] = static_cast<Id>(x);
  for (; x + 1 < vertices; ++x) {
    const i64 at = static_cast<i64>(static_cast<u64>(offsets.unbounded(x + 1)) - static_cast<u64>(begin));
    if (at >= count) break;
    marks[std::max<i64>(at, 0)] = static_cast<Id>(x + 1);
  }
  return x;
}

// Cells of 32 bits are compared and moved in vectors of so many of them, as far as the processor has such; 0: one by
// one. Tests allow fewer.
inline std::atomic<int> lanes_allowed{16};
inline int vector_lanes() { return std::min(lanes_allowed.load(std::memory_order_relaxed), widest_lanes()); }

namespace in_vectors {

void carry_marks(u32* marks, i64 count);
template <bool smaller, class T, bool numbered>
void keep_arcs(const u32* marks, const T* neighbors, i64 count, i64 number, i64 united, EdgePairs<u32, numbered>& to);
void part_firsts(EdgePairs<u32, false>& edges, EdgePairs<u32, false>& firsts);
void part_firsts(EdgePairs<u32, true>& edges, EdgePairs<u32, true>& firsts);
template <class T>
bool lead_to_any(const u64* set, u32 last, const T* neighbors, i64 count);

}  // namespace in_vectors

// Makes marks the rows of all arcs.
template <class Id>
void carry_marks(Id* marks, i64 count) {
  if constexpr (sizeof(Id) == 4) {
    if (vector_lanes() > 0) return in_vectors::carry_marks(marks, count);
  }
  for (i64 i = 1; i < count; ++i) marks[i] = std::max(marks[i], marks[i - 1]);
}

namespace detail {

template <bool smaller, bool leaves_out, class Id, class T, bool numbered>
void keep_arcs(const Id* marks, const T* neighbors, i64 count, i64 number, [[maybe_unused]] i64 united,
               EdgePairs<Id, numbered>& to) {
  Id row = 0;
  i64 end = to.count;
  [[maybe_unused]] i64 place = united;  // in its row; the row of the first arc counts as past the united ones
  for (i64 i = 0; i < count; ++i) {
    if constexpr (leaves_out) place = i > 0 && marks[i] != 0 ? 0 : place + 1;
    row = std::max(row, marks[i]);
    const Id y = static_cast<Id>(read_once(neighbors + i));
    to.u[end] = row;
    to.v[end] = y;
    if constexpr (numbered) to.arc[end] = number + i;
    bool is_kept = true;
    if constexpr (smaller) is_kept &= y < row;
    if constexpr (leaves_out) is_kept &= place >= united;
    end += is_kept ? 1 : 0;
  }
  to.count = end;
}

}  // namespace detail

// Adds the edges of `count` marked arcs, or those that lead to a smaller vertex than that of their row, without those
// at the first `united` places of rows that begin behind the first of these arcs. The first arc has this number.
template <bool smaller, class Id, class T, bool numbered>
void keep_arcs(const Id* marks, const T* neighbors, i64 count, i64 number, i64 united, EdgePairs<Id, numbered>& to) {
  if constexpr (sizeof(Id) == 4) {
    if (vector_lanes() > 0) return in_vectors::keep_arcs<smaller>(marks, neighbors, count, number, united, to);
  }
  if (united > 0)
    detail::keep_arcs<smaller, true>(marks, neighbors, count, number, united, to);
  else
    detail::keep_arcs<smaller, false>(marks, neighbors, count, number, united, to);
}

// Whether one of `count` arcs leads to a vertex whose bit is set; ids above the last vertex, which their owner may
// write meanwhile, stand for that one.
template <class Id, class T>
bool lead_to_any(const u64* set, Id last, const T* neighbors, i64 count) {
  if constexpr (sizeof(Id) == 4) {
    if (vector_lanes() > 0 && gathers_well()) return in_vectors::lead_to_any(set, last, neighbors, count);
  }
  u64 any = 0;
  for (i64 i = 0; i < count; ++i) {
    const Id v = std::min(static_cast<Id>(read_once(neighbors + i)), last);
    any |= set[v >> 6] >> (v & 63);
  }
  return (any & 1) != 0;
}

// Moves the first edge of each row from `edges` to `firsts`, which is empty. While one thread unites rows in ascending
// order, the first edge of a row finds its vertex alone, and links it after one step; how many steps others need is
// hard to guess, and in between those of the first ones would be, too.
template <class Id, bool numbered>
void part_firsts(EdgePairs<Id, numbered>& edges, EdgePairs<Id, numbered>& firsts) {
  if constexpr (sizeof(Id) == 4) {
    if (vector_lanes() > 0) return in_vectors::part_firsts(edges, firsts);
  }
  Id before = none<Id>;
  i64 first = 0, other = 0;
  for (i64 i = 0; i < edges.count; ++i) {
    const Id x = edges.u[i], y = edges.v[i];
    firsts.u[first] = edges.u[other] = x;
    firsts.v[first] = edges.v[other] = y;
    if constexpr (numbered) firsts.arc[first] = edges.arc[other] = edges.arc[i];
    first += x != before ? 1 : 0;
    other += x == before ? 1 : 0;
    before = x;
  }
  firsts.count = first;
  edges.count = other;
}

}  // namespace lb::core

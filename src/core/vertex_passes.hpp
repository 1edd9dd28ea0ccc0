// Passes over the vertices on CPU threads.
#pragma once
#include "landbridge/cpu/schedule.hpp"
#include "landbridge/phase/vertex.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace lb::core {

// body(x) for every vertex.
template <class Id, class Body>
void for_each_vertex(i64 n, int threads, const Body& body) {
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (Id x = static_cast<Id>(b); x < static_cast<Id>(e); ++x) body(x);
  });
}

// Whether the parents of a few of the vertices [b, e) lie near them, by what parent_of(x) says.
template <class ParentOf>
bool near_parents(i64 b, i64 e, const ParentOf& parent_of) {
  constexpr i64 probes = 8, near = 2 * cpu::chunk_vertices;
  i64 far = 0;
  for (i64 i = 0; i < probes; ++i) {
    const i64 x = b + (e - b) * i / probes;
    far += x - static_cast<i64>(parent_of(x)) > near ? 1 : 0;
  }
  return far <= 1;
}

// Vertices ahead whose parents' cells are prefetched, where those lie far away.
constexpr i64 vertices_ahead = 48;

// body(x) for the vertices [b, e) of a chunk in ascending order, with the cell of parent_of(x) at hand.
template <class M, class ParentOf, class Body>
void for_children(const M& cells, i64 b, i64 e, const ParentOf& parent_of, const Body& body) {
  i64 x = b;
  if (!near_parents(b, e, parent_of)) {
    for (; x < e - vertices_ahead; ++x) {
      cells.prefetch(parent_of(x + vertices_ahead));
      body(x);
    }
  }
  for (; x < e; ++x) body(x);
}

// Makes every vertex the root of a tree of its own.
template <class Id>
void make_singletons(Id* parent, i64 n, int threads) {
  const SerialMemory<Id> cells(parent);  // each of one thread in this pass
  for_each_vertex<Id>(n, threads, [=](Id x) { cells.store(x, x); });
}

// Makes every parent the root of its tree.
template <class Id>
void flatten(Id* parent, i64 n, int threads) {
  const SharedMemory<Id> cells(parent);
  parallel_in_order(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (Id x = static_cast<Id>(b); x < static_cast<Id>(e); ++x) phase::compress(cells, x);
  });
}

// Makes the smallest vertex of each tree its root, where every parent is a root. Takes n ids of memory.
template <class Id>
void roots_to_minima(Id* roots, i64 n, int threads) {
  Buffer<Id> smallest(static_cast<std::size_t>(n));
  const SharedMemory<Id> low(smallest.data()), cells(roots);
  for_each_vertex<Id>(n, threads, [&](Id x) { low.store(x, none<Id>); });
  for_each_vertex<Id>(n, threads, [&](Id x) { phase::offer_low(low, cells.load(x), x); });
  for_each_vertex<Id>(n, threads, [&](Id x) { cells.store(x, low.load(cells.load(x))); });
}

}  // namespace lb::core

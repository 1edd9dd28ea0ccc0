// Random and regular graphs. Item i of every graph is a pure function of the parameters, the seed and i
// (counter_rng.hpp), so the edges are the same for any number of threads and on every platform.
//
// Each function returns the edges in a fixed order; `Id` is int32 while the number of vertices is below 2^31,
// else int64. The parameters are trusted: the Python layer checks them and names the one that is wrong.
#pragma once
#include <cstdint>

#include "memory.hpp"

namespace lb::core {

// Edge i joins u[i] and v[i].
template <class Id>
struct Edges {
  Buffer<Id> u, v;
  Edges() = default;
  explicit Edges(std::int64_t m) : u(static_cast<std::size_t>(m)), v(static_cast<std::size_t>(m)) {}
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(u.size()); }
};

// The chances of the four quadrants of a recursive matrix, in units of 2^-20; they add up to 2^20.
struct Quadrants {
  std::uint32_t a, b, c, d;
};

// What a lattice has besides the edges right and down; keep: each edge stays with probability keep * 2^-64,
// the largest value meaning always.
struct Lattice {
  bool wrap = false;
  bool diagonal = false;
  std::uint64_t keep = UINT64_MAX;
};

// m distinct pairs u < v, ascending by (u, v); n <= 2^32, m <= n (n - 1) / 2.
template <class Id>
Edges<Id> gnm(std::uint64_t n, std::int64_t m, std::uint64_t seed, int threads);

// `parts` independent gnm graphs on equal shares of the vertices and edges.
template <class Id>
Edges<Id> gnm_parts(std::uint64_t n, std::int64_t m, std::int64_t parts, std::uint64_t seed, int threads);

// Each pair u > v independently with probability p, ascending by (u, v); n <= 2^32.
template <class Id>
Edges<Id> gnp(std::uint64_t n, double p, std::uint64_t seed, int threads);

// m draws from the recursive matrix over 2^scale rows, those with an endpoint >= n drawn again. `shuffle` permutes
// the vertices.
template <class Id>
Edges<Id> rmat(int scale, std::uint64_t n, std::int64_t m, Quadrants q, bool shuffle, std::uint64_t seed, int threads);

// m draws of two endpoints, each uniform in [0, n).
template <class Id>
Edges<Id> uniform(std::uint64_t n, std::int64_t m, std::uint64_t seed, int threads);

// Preferential attachment: vertex v has edges v k .. v k + k - 1, each to an endpoint of an earlier edge.
template <class Id>
Edges<Id> ba(std::uint64_t n, std::uint64_t k, std::uint64_t seed, int threads);

// A cycle through all vertices in random order, then 3 n uniform edges.
template <class Id>
Edges<Id> r4(std::uint64_t n, std::uint64_t seed, int threads);

// rows x columns cells, id = row * columns + column; edges ordered by cell, then right, down, diagonal.
template <class Id>
Edges<Id> lattice(std::int64_t rows, std::int64_t columns, Lattice kind, std::uint64_t seed, int threads);

// The Delaunay triangulation of n random points of a square, u < v; n <= 2^29. Ids are in the order of drawing,
// which says nothing about the place. Serial but for the sorting; 64 bytes per vertex of scratch.
Edges<std::int32_t> delaunay(std::int64_t n, std::uint64_t seed, int threads);

// That of given points, coordinates in [0, 2^30). InputError for a coordinate outside and for equal points.
Edges<std::int32_t> delaunay_of(const std::int32_t* x, const std::int32_t* y, std::int64_t n, int threads);

// A random spanning tree of a nearly square grid of n cells, plus each other edge of the grid with
// probability extra * 2^-64.
template <class Id>
Edges<Id> maze(std::int64_t n, std::uint64_t extra, std::uint64_t seed, int threads);

// Replaces the edges of a graph on `inner` vertices by paths through new vertices inner .. n - 1, numbered
// along the paths and shared out evenly. At least one edge.
template <class Id>
Edges<Id> subdivide(const Edges<Id>& base, std::int64_t inner, std::int64_t n, int threads);

// One component of `core` vertices (a tree of short links, then `more` edges of which local * 2^-64 are short
// and the rest from a recursive matrix), then `small` components of 1 to 3 vertices, two on average.
template <class Id>
Edges<Id> web(std::int64_t core, std::int64_t small, std::int64_t more, std::uint64_t local, std::int64_t reach,
              std::uint64_t seed, int threads);

// `layers` coverings of the vertices by disjoint cliques of `size`; the first in order of ids, the others
// random.
template <class Id>
Edges<Id> cliques(std::int64_t n, std::int64_t size, std::int64_t layers, std::uint64_t seed, int threads);

// Random trees of smallest .. largest vertices on consecutive ids.
template <class Id>
Edges<Id> tiny(std::int64_t n, std::int64_t smallest, std::int64_t largest, std::uint64_t seed, int threads);

// `count` paths of n / count vertices, ids at random; count <= n.
template <class Id>
Edges<Id> list_graph(std::int64_t n, std::int64_t count, std::uint64_t seed, int threads);

// `count` trees grown one vertex at a time below a random vertex with fewer than k children; count <= n.
template <class Id>
Edges<Id> tree_graph(std::int64_t n, std::int64_t count, std::int64_t k, std::uint64_t seed, int threads);

// The successors of `lists` linked lists through n elements in random order; the first starts at 0 and a tail
// points to itself; lists <= n.
template <class Id>
Buffer<Id> linked_list(std::int64_t n, std::int64_t lists, std::uint64_t seed, int threads);

// Replaces every vertex by its place in a random permutation of [0, n).
template <class Id>
void shuffle_ids(Edges<Id>& edges, std::int64_t n, std::uint64_t seed, int threads);

// Renumbers the vertices that have one of the m edges as 0 .. count - 1 in their order; returns count.
template <class Id>
std::int64_t drop_isolated(Id* u, Id* v, std::int64_t m, std::int64_t n, int threads);

}  // namespace lb::core

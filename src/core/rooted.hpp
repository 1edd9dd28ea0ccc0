// A forest as a parent for each vertex, so that the path between two vertices is read off without a search.
#pragma once
#include "landbridge/platform.hpp"
#include "memory.hpp"

namespace lb::core {

// parent[x] == x exactly for roots. edge[x] is the position, among the forest's edges, of the one between x and its
// parent, and depth[x] the number of edges from x to its root; a root has edge -1 and depth 0.
template <class Id>
struct Rooted {
  Buffer<Id> parent, edge, depth;
};

// u[i] and v[i] are the endpoints of edge i of a forest of the vertices 0..n-1. A serial pass that removes leaf after
// leaf: O(n + edges) work, and 4 arrays of n. Throws InputError for endpoints out of range and for edges with a cycle.
// Instantiated for int32 and int64.
template <class Id>
Rooted<Id> rooted(const Id* u, const Id* v, i64 edges, i64 n);

}  // namespace lb::core

// The vertices that occur in edges, from the components of all of 0..n-1: a vertex occurs exactly if its component has
// two vertices or more, or if it has a self-loop. Endpoints of other edges are not read.
#pragma once
#include "graph.hpp"

namespace lb::core {

template <class Label, class Id>
struct Occurring {
  Buffer<Id> ids;        // the vertices that occur, ascending
  Buffer<Label> labels;  // their labels, 0..count-1, numbered by the smallest vertex
  i64 count = 0;
};

// labels: of the vertices 0..n-1, below `count` and numbered by the smallest vertex of each component. Edge i joins
// u[i] and v[i], of m. O(n + m) work, one pass over u and v in order, count / 4 bytes of scratch. Throws
// InputError for labels and self-loops out of range. Label is i32 or i64; Id is i32, i64, u32 or u64.
template <class Label, class Id>
Occurring<Label, Id> occurring(const Label* labels, i64 n, i64 count, const IdArray& u, const IdArray& v, i64 m,
                               int threads);

// The endpoints of the edges of a spanning forest (fu[i] and fv[i], of `trees`) and of the self-loops among the m edges
// u[i], v[i]: all vertices of 0..n-1 that occur in the edges, ascending. O(n + m), n / 8 bytes.
template <class Id>
Buffer<Id> occurring_endpoints(i64 n, const IdArray& fu, const IdArray& fv, i64 trees, const IdArray& u,
                               const IdArray& v, i64 m, int threads);

}  // namespace lb::core

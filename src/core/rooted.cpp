#include "rooted.hpp"

#include <algorithm>
#include <string>

#include "error.hpp"
#include "id_width.hpp"
#include "interrupt.hpp"

namespace lb::core {
namespace {

// Elements between two stop points.
constexpr i64 block = i64{1} << 18;

}  // namespace

// A vertex holds the XOR of its neighbours and of its edges: of a leaf, the one neighbour and the one edge. Removing a
// leaf removes it from both words of its neighbour, which may then be a leaf itself. No adjacency is built.
template <class Id>
Rooted<Id> rooted(const Id* u, const Id* v, i64 edges, i64 n) {
  const auto size = static_cast<std::size_t>(n);
  Rooted<Id> r{Buffer<Id>(size, "the parents"), Buffer<Id>(size, "the edges to parents"), Buffer<Id>(size, "depths")};
  Buffer<Id> removed(static_cast<std::size_t>(edges), "the vertices of a forest in order");
  Id *const parent = r.parent.data(), *const edge = r.edge.data(), *const degree = r.depth.data();
  std::fill(parent, parent + n, Id{0});
  std::fill(edge, edge + n, Id{0});
  std::fill(degree, degree + n, Id{0});
  in_blocks(i64{0}, edges, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const Id a = u[i], b = v[i];
      if (a < 0 || a >= n || b < 0 || b >= n || a == b)
        throw InputError("edge " + std::to_string(i) + " of the forest joins " + std::to_string(a) + " and " +
                         std::to_string(b) + ", and n = " + std::to_string(n));
      const auto at = static_cast<Id>(i);
      parent[a] ^= b, edge[a] ^= at, ++degree[a];
      parent[b] ^= a, edge[b] ^= at, ++degree[b];
    }
  });
  i64 count = 0;
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      for (auto x = static_cast<Id>(i); degree[x] == 1;) {
        const Id above = parent[x], by = edge[x];
        removed.data()[count++] = x;
        degree[x] = 0;
        --degree[above], parent[above] ^= x, edge[above] ^= by;
        x = above;
      }
    }
  });
  if (count != edges) throw InputError("the edges of the forest have a cycle");
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    // What remains of a root: its words are 0, as 0 may be a neighbour and an edge of others.
    for (i64 i = begin; i < end; ++i) degree[i] = 1;
  });
  in_blocks(i64{0}, edges, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) degree[removed.data()[i]] = 0;
  });
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i)
      if (degree[i] == 1) parent[i] = static_cast<Id>(i), edge[i] = -1, degree[i] = 0;
  });
  in_blocks(i64{0}, edges, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const Id x = removed.data()[edges - 1 - i];
      degree[x] = static_cast<Id>(degree[parent[x]] + 1);
    }
  });
  return r;
}

#define LB_INSTANTIATE(Id) template Rooted<Id> rooted<Id>(const Id*, const Id*, i64, i64);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

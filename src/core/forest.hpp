// A spanning forest as a run leaves it, one bit for each edge, and as an array of edges: positions and endpoints.
#pragma once
#include "edge_bitmap.hpp"
#include "graph.hpp"
#include "memory.hpp"

namespace lb::core {

// One bit for each of `edges` edges, all 0 at first.
class EdgeBitmap {
 public:
  EdgeBitmap(i64 edges, int threads);
  EdgeBits bits() const { return {const_cast<u64*>(words_.data()), nullptr}; }
  i64 words() const { return static_cast<i64>(words_.size()); }
  u64 word(i64 i) const { return words_[static_cast<std::size_t>(i)]; }

 private:
  Buffer<u64> words_;
};

// Edge edge[i] of the input joins u[i] and v[i], in this direction; edge ascends.
template <class Id>
struct TreeEdges {
  Buffer<Id> u, v;
  Buffer<i64> edge;
};

// The edges of a graph that are in the bitmap. O(n + m / 64) work.
template <class Id>
TreeEdges<Id> tree_edges(const GraphView& graph, const EdgeBitmap& bitmap, int threads);

}  // namespace lb::core

// A spanning forest as a run leaves it, one bit for each edge, and as arrays: the positions and the endpoints of its
// edges.
#pragma once
#include <vector>

#include "edge_bitmap.hpp"
#include "graph.hpp"
#include "memory.hpp"

namespace lb::core {

// One bit for each of `edges` edges, all 0 at first.
class EdgeBitmap {
 public:
  EdgeBitmap() = default;
  EdgeBitmap(i64 edges, int threads);
  EdgeBits bits() const { return {const_cast<u64*>(words_.data()), nullptr}; }
  i64 words() const { return static_cast<i64>(words_.size()); }
  u64 word(i64 i) const { return words_[static_cast<std::size_t>(i)]; }

 private:
  Buffer<u64> words_;
};

// The endpoints of the edges of a forest: edge i of it joins u[i] and v[i], in the direction in which it is stored.
template <class Id>
struct Endpoints {
  Buffer<Id> u, v;
};

// A spanning forest as a run leaves it: a bit for each edge of the input. Arrays are made of it where they are read.
class ForestBits {
 public:
  ForestBits() = default;
  // Counts the edges. O(m / 64).
  ForestBits(EdgeBitmap bitmap, int threads);

  // How many edges there are.
  i64 count() const { return before_.empty() ? 0 : before_.back(); }
  std::size_t bytes() const { return static_cast<std::size_t>(bitmap_.words()) * sizeof(u64); }

  // The positions of the edges in the input, ascending. O(n + m / 64) work, as are the endpoints.
  Buffer<i64> positions(int threads) const;

  // Their endpoints in the graph that the run has read; ids that have changed meanwhile are bounded. Throws InputError
  // for a graph of another number of edges.
  template <class Id>
  Endpoints<Id> endpoints(const GraphView& graph, int threads) const;

  // A digest of the endpoints of a few of the edges, and of a few offsets: another one after a change of the arrays
  // that is not a small one. O(1).
  u64 sample(const GraphView& graph) const;

 private:
  EdgeBitmap bitmap_;
  std::vector<i64> before_;  // edges before each chunk of the bitmap, and all
};

}  // namespace lb::core

// The vertices of the largest tree while edges are still being united: an edge between two of them needs no union, and
// the set is small enough for a cache that the parents are too large for.
#pragma once
#include "cached.hpp"
#include "landbridge/memory.hpp"
#include "memory.hpp"
#include "vector_instructions.hpp"

namespace lb::core {

// Edges for each vertex before a set is made, after which a random graph has 98 vertices in 100 in one tree. It is made
// again each time that there are twice as many.
constexpr i64 sifts_from = 2;

template <class Id>
class LargestTree {
 public:
  // Whether a set of bits is faster to look at than the parents of n vertices.
  static bool pays(i64 n) { return !cached<Id>(n); }

  // Making a set takes about the time that it saves in so many edges of one tree whose parents would be compared: while
  // parents lie in a third-level cache, comparing them is hardly slower.
  static i64 comparisons_for_a_set(i64 n) {
    const i64 third_level = 32 * cached_set_bytes.load(std::memory_order_relaxed);
    return n * static_cast<i64>(sizeof(Id)) <= third_level ? 4 * n : n / 8;
  }

  // Whether most vertices lie in one tree, as far as short walks from a few of them show. Links and finds may run.
  static bool in_sight(const SharedMemory<Id>& parent, i64 n, u64 seed);

  // Takes the children of the root of the largest tree among the vertices [0, n). Links and finds may run: what has
  // been connected stays so. The set is empty afterwards where the tree does not hold most vertices, or where there is
  // no memory for it.
  void mark(const SharedMemory<Id>& parent, i64 n, u64 seed, int threads);

  // The share of random edges that `joins` lets through; 1 where the set is empty.
  double lets_through() const { return lets_through_; }

  // Of up to 64 edges, those that may join two trees as bits: all but such as have both endpoints in the tree. Any
  // number is an id.
  u64 joining(const Id* u, const Id* v, int count) const;

 private:
  bool has(Id x) const {
    const u64 group = std::min(static_cast<u64>(x) >> shift_, none_);
    return (words_[static_cast<std::size_t>(group >> 6)] >> (group & 63) & 1) != 0;
  }
  void group(Buffer<u64> members, i64 n, int shift, int threads);

  // Bit g says that the 2^shift vertices from g * 2^shift on are in the tree, all of them; bit `none_` says no.
  Buffer<u64> words_;
  u64 none_ = 0;
  int shift_ = 0;
  double lets_through_ = 1;
  const bool gathers_ = gathers_well();
};

}  // namespace lb::core

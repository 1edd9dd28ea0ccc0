// Phases of breadth-first search and low-diameter decomposition: one arc at a time, and the set of visited vertices.
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// A set of vertices, one bit each, in 64-bit cells behind a memory policy.
template <class M>
struct Bits {
  M words;
  LB_FN bool test(u64 x) const { return ((words.load(x >> 6) >> (x & 63)) & 1) != 0; }
  // Adds x; true if it was not in the set before. Exactly one caller gets true.
  LB_FN bool add(u64 x) const {
    const u64 bit = u64{1} << (x & 63);
    u64 word = words.load(x >> 6);
    while ((word & bit) == 0) {
      const u64 previous = words.compare_exchange(x >> 6, word, word | bit);
      if (previous == word) return true;
      word = previous;
    }
    return false;
  }
};

// Push: an arc from the frontier to w. True if this call discovered w, which then belongs to `source`.
template <class M, class B>
LB_FN bool push_arc(const M& owner, const B& visited, typename M::Cell w, typename M::Cell source) {
  if (visited.test(w) || !visited.add(w)) return false;
  owner.store(w, source);
  return true;
}

// Growing clusters: an arc from a member of `cluster` to w. True if w joined through this call; the first
// of several clusters gets it. A cell holds `none` until its vertex has joined a cluster.
template <class M>
LB_FN bool grow_arc(const M& cluster_of, typename M::Cell w, typename M::Cell cluster) {
  using Id = typename M::Cell;
  return cluster_of.load(w) == none<Id> && cluster_of.compare_exchange(w, none<Id>, cluster) == none<Id>;
}

}  // namespace lb::phase

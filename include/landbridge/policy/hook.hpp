// Hook policies: what else is written when root r stops being one. A link calls hook(r) exactly once for
// each successful link, by the thread that won it.
#pragma once
#include "../platform.hpp"

namespace lb::hook {

// Components need nothing but the parents.
struct Nothing {
  template <class Id>
  LB_FN void operator()(Id) const {}
};

// Counts the links of one thread: n less all links is the number of trees.
struct Count {
  u32* links;
  template <class Id>
  LB_FN void operator()(Id) const {
    ++*links;
  }
};

// The edge that cost a root its place joins two trees for good: these n - k edges are a spanning forest, whoever
// links and in whatever order, as long as nothing but a link moves a vertex to another tree. `edges` is a set of
// edge positions; each is added at most once.
template <class Set>
struct Mark {
  Set edges;
  u64 edge;
  template <class Id>
  LB_FN void operator()(Id) const {
    edges.add(edge);
  }
};

}  // namespace lb::hook

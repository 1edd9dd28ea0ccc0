// Callbacks of links: what is written beside the parent when root r becomes a child. A link calls on_link(r) exactly
// once for each successful link, by the thread whose link it was.
#pragma once
#include "../platform.hpp"

namespace lb::callback {

// Components need nothing but the parents.
struct Nothing {
  template <class Id>
  LB_FN void operator()(Id) const {}
};
// Whether anything is written beside the parent.
template <class OnLink>
inline constexpr bool writes = true;
template <>
inline constexpr bool writes<Nothing> = false;

// Counts the links of one thread: n less all links is the number of trees.
struct CountLinks {
  u32* links;
  template <class Id>
  LB_FN void operator()(Id) const {
    ++*links;
  }
};

// The edge that made a root a child joins two trees for good: these n - k edges are a spanning forest, in whatever
// order threads link, as long as nothing but a link moves a vertex to another tree. `edges` is a set of edge positions;
// each is added at most once.
template <class Set>
struct RecordEdge {
  Set edges;
  u64 edge;
  template <class Id>
  LB_FN void operator()(Id) const {
    edges.add(edge);
  }
};

}  // namespace lb::callback

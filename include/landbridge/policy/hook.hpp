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

// The edge that cost r its root is owned by r: n - k such edges are a spanning forest. The cell has one
// writer for ever and is read after a barrier, so a plain store will do.
template <class Edge>
struct Record {
  Edge* owner;
  Edge edge;
  template <class Id>
  LB_FN void operator()(Id r) const {
    owner[r] = edge;
  }
};

}  // namespace lb::hook

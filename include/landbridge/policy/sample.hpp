// Sampling rules: which few arcs of a vertex are united before everything else, so that the largest component
// forms early and its vertices can be skipped afterwards.
#pragma once
#include "../random.hpp"

namespace lb::sample {

// Labels looked up to find the most frequent one, and vertices to find one of large degree (Afforest; ConnectIt; GConn:
// the same number).
constexpr int drawn_labels = 1024;

// k-out (Afforest; ConnectIt): the arc of a vertex of degree `degree` > 0 that is united in `round`, as a
// position in its row, or -1 for none.

// The first k arcs: good locality where rows are sorted. No guarantee, and the fastest in practice.
struct First {
  static constexpr bool needs_degrees = false;
  LB_FN static i64 arc(u64, u64, int round, i64 degree) { return round < degree ? round : -1; }
};

// k independent random arcs: the sampling of the theory (Holm et al. 2019).
struct Pure {
  static constexpr bool needs_degrees = false;
  LB_FN static i64 arc(u64 seed, u64 vertex, int round, i64 degree) {
    return static_cast<i64>(mix(seed + static_cast<u64>(round), vertex) % static_cast<u64>(degree));
  }
};

// The first arc, then random ones among the others.
struct Hybrid {
  static constexpr bool needs_degrees = false;
  LB_FN static i64 arc(u64 seed, u64 vertex, int round, i64 degree) {
    if (round == 0) return 0;
    return degree < 2 ? -1 : 1 + Pure::arc(seed, vertex, round, degree - 1);
  }
};

// The neighbour of largest degree (chosen by the caller in round 0), then random ones.
struct MaxDegree {
  static constexpr bool needs_degrees = true;
  LB_FN static i64 arc(u64 seed, u64 vertex, int round, i64 degree) { return Pure::arc(seed, vertex, round, degree); }
};

}  // namespace lb::sample

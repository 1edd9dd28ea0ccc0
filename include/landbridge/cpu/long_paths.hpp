// What a rule that shortens no path needs so that one long path does not make every edge a long walk: where a few of
// the vertices of some edges lie far below their roots, the paths of all of them are split first, as a find rule does
// it, beside the walks of other threads. No such rule moves subtrees; the rule itself stays as it is.
#pragma once
#include "../policy/find.hpp"

namespace lb::cpu {

// Edges between two looks.
constexpr i64 edges_between_looks = 256;
// Edges whose cells have been prefetched when their piece begins.
constexpr i64 edges_at_hand = 12;
// Steps to a root from which on a path is long. Random graphs without a shortening rule have paths of about lg n steps.
constexpr int long_path = 64;

// Whether an endpoint of one of up to four of these edges is that far below its root. All walks take their steps in
// turn, so that no load waits for one of another walk.
template <class M>
inline bool far_below(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count) {
  constexpr i64 probes = 4;
  typename M::Cell x[2 * probes];
  for (i64 k = 0; k < probes; ++k) {
    const i64 edge = (count - 1) * k / (probes - 1);
    x[k] = u[edge];
    x[probes + k] = v[edge];
  }
  for (int steps = 0; steps <= long_path; ++steps) {
    bool below = false;
    for (auto& vertex : x) {
      const auto parent = m.load(vertex);
      below |= parent != vertex;
      vertex = parent;
    }
    if (!below) return false;
  }
  return true;
}

// Whether paths in these cells may become long under a link or a find: it shortens none, and no ranks bound them.
template <class Rule, class M>
constexpr bool paths_grow = !Rule::shortens && !requires { M::max_rank; };

// Splits the paths of all vertices of these edges if some are long and would stay so; whether that was necessary. The
// paths of the first `probed` edges are looked at.
template <class Rule, class M>
inline bool split_long_paths(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count, i64 probed) {
  if constexpr (paths_grow<Rule, M>) {
    if (count == 0 || !far_below(m, u, v, probed)) return false;
    for (i64 i = 0; i < count; ++i) {
      find::Split<>::find(m, u[i]);
      find::Split<>::find(m, v[i]);
    }
    return true;
  } else {
    return false;
  }
}

template <class Rule, class M>
inline bool split_long_paths(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count) {
  return split_long_paths<Rule>(m, u, v, count, count);
}

// body(begin, end) for pieces of the edges u, v, in order. The edges that are looked at are the next ones, whose cells
// are in the cache by then.
template <class Rule, class M, class Body>
inline void in_pieces_without_long_paths(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count,
                                         const Body& body) {
  if constexpr (!paths_grow<Rule, M>) {
    body(i64{0}, count);
  } else {
    for (i64 begin = 0; begin < count; begin += edges_between_looks) {
      const i64 piece = count - begin < edges_between_looks ? count - begin : edges_between_looks;
      split_long_paths<Rule>(m, u + begin, v + begin, piece, piece < edges_at_hand ? piece : edges_at_hand);
      body(begin, begin + piece);
    }
  }
}

}  // namespace lb::cpu

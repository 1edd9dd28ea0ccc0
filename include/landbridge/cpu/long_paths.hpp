// What a rule that shortens no path needs so that one long path does not make every edge a long walk: where a few of
// the vertices of some edges lie far below their roots, the paths of all of them are split first. By compare-and-swap,
// as a find rule does it, so any thread may at any time; the rule itself stays as it is.
#pragma once
#include "../policy/find.hpp"

namespace lb::cpu {

// Edges between two looks.
constexpr i64 edges_between_looks = 256;
// Steps to a root from which on a path is long. Random graphs without a shortening rule have paths of about lg n steps.
constexpr int long_path = 64;

// Whether one of up to four of these vertices is that far below its root.
template <class M>
inline bool far_below(const M& m, const typename M::Cell* vertices, i64 count) {
  constexpr i64 probes = 4;
  for (i64 k = 0; k < probes; ++k) {
    auto x = vertices[(count - 1) * k / (probes - 1)];
    for (int steps = 0;; ++steps) {
      const auto parent = m.load(x);
      if (parent == x) break;
      if (steps == long_path) return true;
      x = parent;
    }
  }
  return false;
}

// Whether paths in these cells may become long under a link or a find: it shortens none, and no ranks bound them.
template <class Rule, class M>
constexpr bool paths_grow = !Rule::shortens && !requires { M::max_rank; };

// Splits the paths of all vertices of these edges if some are long and would stay so; whether that was necessary.
template <class Rule, class M>
inline bool split_long_paths(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count) {
  if constexpr (paths_grow<Rule, M>) {
    if (count == 0 || (!far_below(m, u, count) && !far_below(m, v, count))) return false;
    for (i64 i = 0; i < count; ++i) {
      find::Split<>::find(m, u[i]);
      find::Split<>::find(m, v[i]);
    }
    return true;
  } else {
    return false;
  }
}

// body(begin, count) for pieces of the edges u, v, in order.
template <class Rule, class M, class Body>
inline void in_pieces_without_long_paths(const M& m, const typename M::Cell* u, const typename M::Cell* v, i64 count,
                                         const Body& body) {
  if constexpr (!paths_grow<Rule, M>) {
    body(i64{0}, count);
  } else {
    for (i64 begin = 0; begin < count; begin += edges_between_looks) {
      const i64 piece = count - begin < edges_between_looks ? count - begin : edges_between_looks;
      split_long_paths<Rule>(m, u + begin, v + begin, piece);
      body(begin, piece);
    }
  }
}

}  // namespace lb::cpu

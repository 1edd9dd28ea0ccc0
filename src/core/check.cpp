#include "check.hpp"

#include <vector>

#include "interrupt.hpp"

namespace lb::core {
namespace {

// Plain union by size with path halving; sizes are kept as negative numbers in root cells.
template <class T>
class DisjointSets {
 public:
  explicit DisjointSets(i64 n) : cell_(static_cast<std::size_t>(n), T{-1}) {}
  i64 root(i64 x) {
    for (;;) {
      const T p = at(x);
      if (p < 0) return x;
      const T g = at(p);
      if (g < 0) return p;
      at(x) = g;
      x = g;
    }
  }
  // False if they were in one set before.
  bool join(i64 x, i64 y) {
    x = root(x);
    y = root(y);
    if (x == y) return false;
    if (at(x) > at(y)) std::swap(x, y);
    at(x) += at(y);
    at(y) = static_cast<T>(x);
    return true;
  }

 private:
  T& at(i64 x) { return cell_[static_cast<std::size_t>(x)]; }
  std::vector<T> cell_;
};

constexpr const char* joins = " joins {} and {}";

// Calls edge(i, x, y) for every stored edge until one returns a problem. Each arc once, also where offsets change
// meanwhile.
template <class Edge>
Problem for_edges(const GraphView& g, const Edge& edge) {
  if (!g.csr) {
    for (i64 i = 0; i < g.arcs; ++i) {
      stop_point_at(i);
      if (auto wrong = edge(i, static_cast<i64>(g.a[i]), static_cast<i64>(g.b[i])); !wrong.empty()) return wrong;
    }
    return {};
  }
  for (i64 x = 0, i = 0; x < g.vertices; ++x) {
    stop_point_at(x);
    for (const i64 end = g.row_begin(x + 1); i < end; ++i) {
      stop_point_at(i);
      if (auto wrong = edge(i, x, static_cast<i64>(g.a[i])); !wrong.empty()) return wrong;
    }
  }
  return {};
}

// Of the placeholders of a problem the first are for its vertices, and as many more for their labels.
template <class T>
Problem check(const GraphView& g, const IdArray& labels) {
  const i64 n = g.vertices;
  DisjointSets<T> sets(n);
  const auto edge = [&](i64 i, i64 x, i64 y) -> Problem {
    if (labels[x] != labels[y]) {
      return {std::string(g.csr ? "arc " : "edge ") + std::to_string(i) + joins + ", but their labels are {} and {}",
              {x, y}};
    }
    sets.join(x, y);
    return {};
  };
  if (auto wrong = for_edges(g, edge); !wrong.empty()) return wrong;
  // The endpoints of edges agree, so a component has one label. Two components with one label, or a wrong number, show
  // when the vertices are visited upward: the first vertex of each set must introduce the next number.
  std::vector<T> first;
  std::vector<bool> visited(static_cast<std::size_t>(n), false);
  for (i64 v = 0; v < n; ++v) {
    stop_point_at(v);
    const i64 r = sets.root(v);
    if (visited[static_cast<std::size_t>(r)]) continue;
    visited[static_cast<std::size_t>(r)] = true;
    const u64 label = labels[v];
    if (label < first.size()) {
      const i64 other = first[label];
      return {"vertex {} and vertex {} have label {}, but no path joins them", {other, v}};
    }
    if (label > first.size()) {
      return {
          "vertex {} is the first of its component and must have label " + std::to_string(first.size()) + ", not {}",
          {v}};
    }
    first.push_back(static_cast<T>(v));
  }
  return {};
}

template <class T>
Problem check_trees(const GraphView& g, const IdArray& u, const IdArray& v, const IdArray& edge, i64 size) {
  const std::string kind = g.csr ? "arc " : "edge ";
  const auto in_row = [&](i64 x, i64 i) { return g.row_begin(x) <= i && i < g.row_begin(x + 1); };
  DisjointSets<T> sets(g.vertices);
  for (i64 i = 0; i < size; ++i) {
    stop_point_at(i);
    const std::string which = "forest edge " + std::to_string(i);
    const u64 at = edge[i], first = u[i], second = v[i];
    if (at >= static_cast<u64>(g.arcs)) {
      return {which + ": position " + std::to_string(at) + " is out of range for " + std::to_string(g.arcs) + " edges",
              {}};
    }
    for (const u64 endpoint : {first, second}) {
      if (endpoint >= static_cast<u64>(g.vertices)) {
        return {
            which + ": vertex " + std::to_string(endpoint) + " is out of range for n = " + std::to_string(g.vertices),
            {}};
      }
    }
    const auto e = static_cast<i64>(at), x = static_cast<i64>(first), y = static_cast<i64>(second);
    const bool joined = g.csr ? (in_row(x, e) && g.a[e] == second) || (in_row(y, e) && g.a[e] == first)
                              : (g.a[e] == first && g.b[e] == second) || (g.a[e] == second && g.b[e] == first);
    if (!joined) return {which + joins + ", but " + kind + std::to_string(e) + " of the graph does not", {x, y}};
    if (!sets.join(x, y)) {
      return {which + joins + ", which the forest edges before it have joined: it closes a cycle", {x, y}};
    }
  }
  return for_edges(g, [&](i64 i, i64 x, i64 y) -> Problem {
    if (sets.root(x) == sets.root(y)) return {};
    return {kind + std::to_string(i) + joins + ", but no path of the forest does", {x, y}};
  });
}

}  // namespace

Problem check_forest(const GraphView& graph, const IdArray& u, const IdArray& v, const IdArray& edge, i64 size) {
  const bool narrow = width_for(graph.vertices) == IdWidth::narrow;
  return narrow ? check_trees<i32>(graph, u, v, edge, size) : check_trees<i64>(graph, u, v, edge, size);
}

Problem check_labels(const GraphView& graph, const IdArray& labels) {
  return width_for(graph.vertices) == IdWidth::narrow ? check<i32>(graph, labels) : check<i64>(graph, labels);
}

}  // namespace lb::core

#include "check.hpp"

#include <vector>

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
  void join(i64 x, i64 y) {
    x = root(x);
    y = root(y);
    if (x == y) return;
    if (at(x) > at(y)) std::swap(x, y);
    at(x) += at(y);
    at(y) = static_cast<T>(x);
  }

 private:
  T& at(i64 x) { return cell_[static_cast<std::size_t>(x)]; }
  std::vector<T> cell_;
};

std::string vertex(i64 v) { return "vertex " + std::to_string(v); }

template <class T>
std::string check(const GraphView& g, const IdArray& labels) {
  const i64 n = g.vertices;
  DisjointSets<T> sets(n);
  const auto edge = [&](i64 i, i64 x, i64 y) -> std::string {
    if (labels[x] != labels[y]) {
      return std::string(g.rows ? "arc " : "edge ") + std::to_string(i) + " joins " + std::to_string(x) + " and " +
             std::to_string(y) + ", but their labels are " + std::to_string(labels[x]) + " and " + std::to_string(labels[y]);
    }
    sets.join(x, y);
    return {};
  };
  if (g.rows) {
    for (i64 x = 0; x < n; ++x) {
      for (i64 i = g.row_begin(x); i < g.row_begin(x + 1); ++i) {
        if (auto wrong = edge(i, x, static_cast<i64>(g.a[i])); !wrong.empty()) return wrong;
      }
    }
  } else {
    for (i64 i = 0; i < g.arcs; ++i) {
      if (auto wrong = edge(i, static_cast<i64>(g.a[i]), static_cast<i64>(g.b[i])); !wrong.empty()) return wrong;
    }
  }
  // Ends of edges agree, so a component has one label. Two components with one label, or a wrong number, show when the
  // vertices are visited upward: the first vertex of each set must introduce the next number.
  std::vector<T> first;
  std::vector<bool> met(static_cast<std::size_t>(n), false);
  for (i64 v = 0; v < n; ++v) {
    const i64 r = sets.root(v);
    if (met[static_cast<std::size_t>(r)]) continue;
    met[static_cast<std::size_t>(r)] = true;
    const u64 label = labels[v];
    if (label < first.size()) {
      const i64 other = first[label];
      return vertex(other) + " and " + vertex(v) + " have label " + std::to_string(label) + ", but no path joins them";
    }
    if (label > first.size()) {
      return vertex(v) + " is the first of its component and must have label " + std::to_string(first.size()) + ", not " +
             std::to_string(label);
    }
    first.push_back(static_cast<T>(v));
  }
  return {};
}

}  // namespace

std::string check_labels(const GraphView& graph, const IdArray& labels) {
  return graph.vertices < (i64{1} << 31) ? check<i32>(graph, labels) : check<i64>(graph, labels);
}

}  // namespace lb::core

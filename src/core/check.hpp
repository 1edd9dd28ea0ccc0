// An independent verifier: shares no rule, kernel or schedule with the engine.
#pragma once
#include <string>
#include <vector>

#include "graph.hpp"

namespace lb::core {

// What is wrong, in one line with {} in the place of each of `vertices`; an empty text if nothing is.
struct Problem {
  std::string text;
  std::vector<i64> vertices;
  bool empty() const { return text.empty(); }
};

// Empty if labels[v] are the components of the graph numbered by their smallest vertices; otherwise one line with the
// edge or the vertices that prove the opposite. Serial union by size over all edges; 8 bytes per vertex for ids below
// 2^31, 16 above.
Problem check_labels(const GraphView& graph, const IdArray& labels);

// Empty if the `size` edges are a spanning forest of the graph: edge[i] is the position of an edge that joins u[i] and
// v[i] (in either direction), none closes a cycle, and the endpoints of every edge of the graph lie in one tree.
// Otherwise one line with the edge that proves the opposite. u, v, edge hold integers that are not negative; serial,
// memory as above.
Problem check_forest(const GraphView& graph, const IdArray& u, const IdArray& v, const IdArray& edge, i64 size);

}  // namespace lb::core

// An independent verifier: shares no rule, kernel or schedule with the engine.
#pragma once
#include <string>

#include "graph.hpp"

namespace lb::core {

// Empty if labels[v] are the components of the graph numbered by their smallest vertices; otherwise one line that names
// the edge or the vertices that prove the opposite. Serial union by size over all edges; 8 bytes a vertex for ids below
// 2^31, 16 above.
std::string check_labels(const GraphView& graph, const IdArray& labels);

}  // namespace lb::core

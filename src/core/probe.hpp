// Properties of a few vertices, for choosing a plan: microseconds, whatever the size of the graph.
#pragma once
#include <optional>

#include "graph.hpp"

namespace lb::core {

// What a fixed sample of CSR rows shows; the same for the same graph, every time. All 0 for a COO edge list or no
// edges.
struct Probe {
  double largest_degree = 0;  // the largest degree of the sample
  double first_smaller = 0;   // share of the vertices with arcs whose first neighbour is smaller
  double upward = 0;          // share whose first and last neighbours are both larger
  double local = 0;           // share of their first and last neighbours within n/64 ids of them
  double expansion = 0;  // new vertices two steps away for each vertex one step away: d-1 in random graphs, about 2 in
                         // planar ones, 1 along paths. Rows are sampled, 8 arcs each
  double empty = 0;      // share of the vertices without arcs
  double enclosed = 0;   // share of third steps that end no more than two steps away: nearly all in small components
  double equidistant = 0;  // share of pairs of far first neighbours that are equally far off, in 256 parts of the ids:
                           // 1/192 for ids in no order, more where the same distances return throughout the graph
};
Probe probe_rows(const GraphView& rows);

struct Arc {
  i64 row, neighbor;
};
// Of arcs spread evenly over all, at most so many, one whose reverse is in no row: the first by its ends. None is
// looked for in long rows once so many neighbours have been read.
std::optional<Arc> unmatched_arc(GraphView rows, i64 sample, i64 neighbors_read);

}  // namespace lb::core

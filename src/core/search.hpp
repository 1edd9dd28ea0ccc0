// Samplings that search the graph: what they reach becomes stars in the parent array, rooted at the smallest vertex.
// With marks, each arc over which a vertex was reached is marked: the trees of the searches.
#pragma once
#include "edge_bitmap.hpp"
#include "graph.hpp"

namespace lb::core {

// Searches from `source` (direction-optimising, level-synchronous) and hangs all it reaches below the smallest vertex
// reached; all others become roots. Returns that smallest vertex. On rows that are not symmetric it may reach only a
// part of the component.
template <class Id>
Id bfs_star(const GraphView& rows, Id source, Id* parent, int threads, const Marks& marks = {});

// Low-diameter decomposition (Miller, Peng & Xu 2013): clusters grow from centres that join in exponentially growing
// waves with parameter beta; each becomes a star below its smallest vertex.
template <class Id>
void ldd_stars(const GraphView& rows, double beta, u64 seed, Id* parent, int threads, const Marks& marks = {});

}  // namespace lb::core

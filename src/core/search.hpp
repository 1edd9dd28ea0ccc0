// Searches of a CSR graph: what they reach becomes stars in the parent array, rooted at the smallest vertex. Each arc
// over which a vertex was reached is added to `tree_edges`, if that is not null: the trees of the searches.
#pragma once
#include "edge_bitmap.hpp"
#include "graph.hpp"

namespace lb::core {

// Where a frontier has more than one in so many of all arcs, the vertices not reached look for it instead.
constexpr i64 frontier_share = 20;

// Searches from `source` (direction-optimising, level-synchronous) and hangs all it reaches below the smallest vertex
// reached; all others become roots. Returns that smallest vertex. In CSR that is not symmetric it may reach only a part
// of the component.
template <class Id>
Id bfs_star(const GraphView& graph, Id source, Id* parent, int threads, const EdgeBits& tree_edges = {});

// Low-diameter decomposition (Miller, Peng & Xu 2013): clusters grow from centres that join in exponentially growing
// waves with parameter beta; each becomes a star below its smallest vertex.
template <class Id>
void ldd_stars(const GraphView& graph, double beta, u64 seed, Id* parent, int threads, const EdgeBits& tree_edges = {});

}  // namespace lb::core

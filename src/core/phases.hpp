// The phases of a run on CPU threads: a source file each, instantiated there for every type of ids, with and without a
// forest.
#pragma once
#include "frequent_root.hpp"
#include "run_context.hpp"

namespace lb::core {

// Ways to finish: each unites the endpoints of all edges, with a sampling before where the plan has one.
template <class Id, bool forest>
void finish_by_link(RunContext<Id, forest>& run);
template <class Id, bool forest>
void finish_in_rounds(RunContext<Id, forest>& run);
template <class Id, bool forest>
void finish_standalone(RunContext<Id, forest>& run);

// The sampling phase: runs the plan's sampling, which unites by run.kernel.
template <class Id, bool forest>
void sample(RunContext<Id, forest>& run);

// The roots of a few random vertices that have arcs: one of a large tree is among them as often as the tree is large.
// Where paths are long, as of the sample of a mesh, every parent is a root then.
template <class Id, bool forest>
RootCounts<Id> drawn_roots(RunContext<Id, forest>& run);

// Makes every parent a root, and returns the vertices outside the tree of `skip` that have arcs; in CSR that is not
// symmetric also those without, because an arc may lead to them.
template <class Id, bool forest>
VertexBits flatten_around(RunContext<Id, forest>& run, Id skip);

// Hands all edges to the kernel of the run.
template <class Id, bool forest>
void unite_edges(RunContext<Id, forest>& run);

// All edges but those that cannot matter: vertices inside the tree that is skipped do not expand their rows. In CSR
// that is not symmetric an edge may be stored at its skipped endpoint only: then the rows of skipped vertices are read,
// and of their arcs those that lead out of the tree are united.
template <class Id, bool forest>
void unite_edges_outside(RunContext<Id, forest>& run, const VertexBits& outside);

// Numbers the components in place, and returns how many there are.
template <class Id>
i64 number(RunContext<Id, false>& run);

}  // namespace lb::core

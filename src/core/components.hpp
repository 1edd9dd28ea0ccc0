// Static connected components and spanning forests on CPU threads: sample, skip, finish; then number, or collect the
// edges that linked.
#pragma once
#include <string>

#include "forest.hpp"
#include "graph.hpp"
#include "landbridge/platform.hpp"
#include "stopwatch.hpp"
#include "values.hpp"

namespace lb::core {

// A plan in the words of the registry, whose rules go together: the grammar has checked that.
struct Plan {
  std::string sample;    // a row of axis sample, or ""
  Values sample_values;  // its parameters
  std::string finish;    // a row of axis link, or of axis finish
  std::string find;      // of a link, else ""
  std::string splice;    // of a link that takes one, else ""
  Values values;         // the parameters of a row of axis finish
  double stages = 0;     // COO: edges of a stage as a share of the vertices; 0: a single stage
  bool csr = false;      // make CSR of a COO edge list, whether the rules need it or not
  u64 seed = 1;
  int threads = 1;
  bool climb = false;      // one thread climbs to roots where that is faster, under rules that go up by steps
  bool owners = false;     // threads own ranges of vertices, under rules that allow it
  bool skip_tree = false;  // COO: edges inside one tree are left out
  bool adapt = false;      // more is sampled where the largest tree is small
};

// What a run did: seconds by phase in order, what sampling achieved, and how many rounds the finish took.
struct Profile {
  Phases seconds;
  i64 skipped_vertices = 0;      // vertices whose rows the finish did not expand
  i64 owned_edges = 0;           // united without locked instructions, by the thread that owned their vertices
  i64 climbed_edges = 0;         // united by climbing to roots, by a thread that alone wrote the cells it met
  i64 skipped_edges = 0;         // COO: edges inside one tree that were left out
  bool sampled_further = false;  // the largest tree was small
  bool united_all = false;       // it was so small that nothing was skipped
  bool all_rows_read = false;    // of CSR that is not symmetric: arcs to what remained outside were looked for
  i64 rounds = 0;                // of all stages together; 0 for a finish without rounds
};

// Fills labels[0..n-1] with 0..k-1, numbered by the smallest vertex of each component, and returns k. Uses `labels` as
// the parent array: no other memory grows with the graph, unless the rules need it (hooks and rem_lock: 1 id per
// vertex; jtb: 8 bytes and 1 id; bfs: 2 bits and an id; ldd: 3 ids; a plan that needs CSR of a COO edge list, or
// symmetric CSR of one that is not, gets it made; several threads: the walks that owners have cut off, for at most
// about one edge in 32). Id is u32 for n < 2^31, u64 above. Throws InputError for a plan of which there is no kernel,
// std::bad_alloc when memory runs out.
template <class Id>
i64 components(const GraphView& graph, const Plan& plan, Id* labels, Profile& profile, bool any_id = false);

// Whether labels or parents are worth being ReservedCells, behind which there is a cell for any id: the edges of a COO
// edge list need not be copied to be compared then. For components() that is `any_id`.
template <class Id>
bool reserves_cells(const GraphView& graph, const Plan& plan);

// A spanning forest: the edges that linked, a bit for each edge of the input. Which ones depends on the plan and on the
// schedule; that they are n - k edges of the input without a cycle does not. Takes the parents beside the bits; CSR
// made for the plan has 8 bytes per arc for the edge behind it. Throws InputError also for rules whose links make no
// forest.
template <class Id>
ForestBits spanning_forest(const GraphView& graph, const Plan& plan, Profile& profile);

// Replaces roots, in an array where every vertex holds the smallest vertex of its component, by labels as above, and
// returns k.
template <class Id>
i64 number_roots(Id* roots, i64 n, int threads);
// The same from parents that are smaller than their children, and need not be roots.
template <class Id>
i64 number_parents(Id* parents, i64 n, int threads);

}  // namespace lb::core

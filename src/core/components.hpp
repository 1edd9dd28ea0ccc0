// Static connected components and spanning forests on CPU threads: sample, skip, finish; then number, or collect the
// edges that linked.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forest.hpp"
#include "graph.hpp"
#include "standalone.hpp"

namespace lb::core {

// A plan in the words of the registry; the grammar has made sure that they go together.
struct Request {
  std::string sample;            // "" or a row of axis sample
  std::string choice = "first";  // kout: which arcs
  int k = 2;                     // kout, hb: arcs a vertex
  double beta = 0.2;             // ldd
  std::string link, find, splice;
  std::string finish;  // a row of axis finish instead of a link, or ""
  Values values;       // its parameters
  bool rows = false;   // make rows of pairs, whether the rules need them or not
  double stage = 0;    // pairs: edges in a stage as a share of the vertices; 0 = all at once
  u64 seed = 1;
  int threads = 1;
};

// What a run did: seconds by phase in order, what sampling achieved, and how many rounds the finish took.
struct Profile {
  std::vector<std::pair<std::string, double>> seconds;
  i64 skipped_vertices = 0;  // vertices whose rows the finish did not expand
  i64 rounds = 0;            // of all stages together; 0 for a finish without rounds
};

// Fills labels[0..n-1] with 0..k-1, numbered by the smallest vertex of each component, and returns k. Uses `labels` as
// the parent array: no other memory grows with the graph, unless the rules ask for it (hooks and rem_lock: 1 id a
// vertex; jtb: 8 bytes and 1 id; bfs: 2 bits and an id; ldd: 3 ids; a plan that needs rows of a graph given as pairs,
// or symmetric rows of one that is not, gets them made). Id is u32 for n < 2^31, u64 above. Throws InputError for a
// plan that names no kernel, std::bad_alloc when memory runs out.
template <class Id>
i64 components(const GraphView& graph, const Request& plan, Id* labels, Profile& profile);

// The same for pairs whose number of vertices nobody has said, in one pass over them: each chunk of ids is checked and
// then united while it is still in the cache, and the parent array grows as larger ids turn up. `labels` gets n =
// largest id + 1 elements. Nothing if this way is not open: an id is negative, not below 2^31 - 1 or far beyond the
// number of edges, the plan needs more than the parent
// array (rows, stages, auxiliary or ranked cells), or so much address space cannot be reserved; the caller then
// validates and takes the other way.
struct FoundComponents {
  i64 count = 0;
  Buffer<u32> labels;
};
std::optional<FoundComponents> components_of_pairs(const IdArray& u, const IdArray& v, i64 edges, const Request& plan,
                                                   Profile& profile);

// A spanning forest: the edges that linked, in the order of the input. Which ones depends on the plan and on the
// schedule; that they are n - k edges of the input without a cycle does not. Parents and one bit for each edge beside
// the result; rows made for the plan remember in 8 bytes an arc where it came from. Throws InputError also for rules
// whose links make no forest.
template <class Id>
TreeEdges<Id> spanning_forest(const GraphView& graph, const Request& plan, Profile& profile);

// The same for pairs whose number of vertices nobody has said; nothing where components_of_pairs would give nothing.
struct FoundForest {
  i64 vertices = 0;
  TreeEdges<u32> edges;
};
std::optional<FoundForest> spanning_forest_of_pairs(const IdArray& u, const IdArray& v, i64 edges, const Request& plan,
                                                    Profile& profile);

// For arrays in which every vertex holds its root. roots_to_minima makes each root the smallest vertex of its tree (n
// ids of memory); number_roots, after that, replaces roots by labels as above and returns k.
template <class Id>
void roots_to_minima(Id* roots, i64 n, int threads);
template <class Id>
i64 number_roots(Id* roots, i64 n, int threads);

}  // namespace lb::core

// Standalone algorithms: the rows of axis finish. Each is one function template lb::core::standalone::<Type>, defined
// in a source file of its own and instantiated there for every type of ids; the table is made from the rows.
#pragma once
#include <string_view>
#include <vector>

#include "edge_bitmap.hpp"
#include "graph.hpp"
#include "registry_words.hpp"
#include "values.hpp"

namespace lb::core {

// What a standalone algorithm is called with. graph: CSR, symmetric where the row of the registry says so, or COO.
// parent: n cells. Those of an algorithm with the trait `stages` hold a forest of stars to go on from, each below its
// smallest vertex; those of any other hold nothing. tree_edges: where an algorithm with the trait `forest` adds the
// edges that join two trees, if it is not null.
template <class Id>
struct StandaloneRun {
  const GraphView& graph;
  Id* parent;
  const EdgeBits& tree_edges;
  const Values& values;
  int threads;
  u64 seed;
};

// What it leaves: from every vertex the parents lead to the one root of its component. flat: every parent is a root.
// smallest: every root is the smallest vertex of its component. rounds: how many it took, 0 for one without rounds.
struct StandaloneResult {
  bool flat, smallest;
  i64 rounds = 0;
};

namespace standalone {
#define LB_FINISH(name, code, Type, ...) \
  template <class Id>                    \
  StandaloneResult Type(const StandaloneRun<Id>& run);
#include "landbridge/policy/registry.def"
}  // namespace standalone

// A row of axis finish that runs on the CPU.
template <class Id>
struct Standalone {
  std::string_view name, traits;
  StandaloneResult (*run)(const StandaloneRun<Id>&);
  bool has(std::string_view trait) const { return has_word(traits, trait); }
};

// The row of that name; null if there is none for the CPU.
template <class Id>
const Standalone<Id>* find_standalone(std::string_view name);

// A standalone algorithm that is a struct of lb::system: its row's name, the struct, how many arrays of its own it has,
// and whether every root is the smallest vertex of its component.
struct SystemRow {
  const char *name, *type;
  int vertex_cells, edge_cells;
  bool smallest;
};
const std::vector<SystemRow>& systems();

}  // namespace lb::core

// Instantiates lb::core::standalone::<name> for every type of ids; inside that namespace.
#define LB_STANDALONE_OF(name, Id) template StandaloneResult name<Id>(const StandaloneRun<Id>&);

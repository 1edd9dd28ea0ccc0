// What ECL-CC (Jaiganesh & Burtscher 2018) has beside its link.
#pragma once
#include "../policy/find.hpp"

namespace lb::phase {

// Single pointer jumping (Jump2, Fini3): only the first vertex of a path is pointed at the root.
struct Single : find::Traits {
  static constexpr bool blind_store = true;
  static constexpr bool needs_order = true;
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    const auto root = find::Naive<>::find(m, x);
    if (root != x && m.load(x) != root) m.store(x, root);
    return root;
  }
};

// The neighbour that is the initial parent of a vertex. Parents are smaller and edges join them, so no cycle can form
// and every start is a forest of the graph.
enum class Start : int {
  self,      // Init1
  smallest,  // Init2: the smallest neighbour if that is smaller
  first,     // Init3: the first neighbour in the row that is smaller
};

// A row is anything that has row[i] for i in [0, degree).
template <class Id, class Row>
LB_FN Id initial_parent(Start how, Id v, const Row& row, i64 degree) {
  Id low = v;
  if (how == Start::self) return low;
  for (i64 i = 0; i < degree; ++i) {
    const Id w = static_cast<Id>(row[i]);
    if (w < low) low = w;
    if (how == Start::first && low != v) break;
  }
  return low;
}

}  // namespace lb::phase

// Passes over edges in ranges of vertices with an owner each; see owned.hpp.
#pragma once
#include <vector>

#include "edge_bitmap.hpp"
#include "kernels.hpp"
#include "owned.hpp"
#include "threads.hpp"

namespace lb::core {

// Whether threads own ranges of vertices: where the plan requests it and the kernel can.
template <class Id>
bool may_own(const Kernel<Id>& kernel, bool forest, int threads, bool owners) {
  const bool able = forest ? kernel.record_owned != nullptr : kernel.unite_owned != nullptr;
  return owners && able && threads > 1;
}

// The walks that were cut off, by compare and swap. No range has an owner any more.
template <class Id, bool forest>
void unite_cut_walks(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges,
                     const std::vector<OwnedRange<Id, forest>>& ranges, int threads);

// What a pass over a list did: edges that their owners united, those of them that climbed, and edges inside one tree
// that were left out.
struct ListPass {
  i64 owned = 0, climbed = 0, left_out = 0;
};

// Unites the endpoints of all edges of a list, from vertices that are trees of their own. any_id: there are cells for
// all ids that may be read, also for those of other vertices (ReservedCells), and the kernel uses no other arrays.
// admit(begin, end) is called for edges before they are united, by any thread; none are if it is false. sifts: whether
// edges inside one tree are left out (Sifting). by_time: whether one thread or all unite edges, by what these take, as
// fits passes in which edges link. vertices(): the number of vertices, of those seen so far.
template <class Id, bool forest>
ListPass unite_edge_list(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, const IdArray& u,
                         const IdArray& v, i64 edges, const EdgeDivision& division, int team, bool any_id, bool sifts,
                         bool by_time, FunctionRef<i64()> vertices, FunctionRef<bool(i64 begin, i64 end)> admit);

}  // namespace lb::core

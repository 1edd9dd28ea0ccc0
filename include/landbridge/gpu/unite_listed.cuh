// Uniting the edges of the vertices outside a search whose members are bits: those of a list.
#pragma once
#include "search_members.cuh"
#include "unite_csr.cuh"

namespace lb::gpu {

// The cells of a forest in which all members hang below the smallest of them for good: theirs are neither read nor
// written, and need not have been stored. To move such a vertex would take it to another ancestor; it stays, and the
// walk that would have moved it goes on as if it had.
template <class CellType>
struct MemberMemory : PlainCell<CellType> {
  using Cell = CellType;
  DeviceMemory<Cell> cells;
  SetOnlyBits members;
  const u32* isolated;
  Cell smallest;
  __device__ bool hangs(Cell x) const { return x != smallest && members.has(static_cast<u64>(x)); }
  __device__ Cell load(Cell x) const { return hangs(x) ? smallest : cells.load(x); }
  __device__ Cell load_stale(Cell x) const { return hangs(x) ? smallest : cells.load_stale(x); }
  __device__ void store(Cell x, Cell v) const {
    if (!hangs(x)) cells.store(x, v);
  }
  __device__ Cell compare_exchange(Cell x, Cell old, Cell v) const {
    return hangs(x) ? smallest : cells.compare_exchange(x, old, v);
  }
  __device__ Cell fetch_min(Cell x, Cell v) const { return hangs(x) ? smallest : cells.fetch_min(x, v); }
  __device__ void shorten(Cell x, Cell old, Cell v) const {
    if (!hangs(x)) cells.shorten(x, old, v);
  }
  __device__ void prefetch(Cell) const {}
  __device__ void pause() const { cells.pause(); }
};

// A vertex without edges has no cell. No row names one where both directions of all edges are stored, which may have
// been promised and not be so.
template <class Id>
__device__ inline bool has_cell(const MemberMemory<Id>& m, Id x) {
  return (m.isolated[x / warp_threads] >> (x % warp_threads) & 1) == 0;
}

// The forest of the finish: a rule with cells of its own has them filled from all parents.
template <class Link, class Id>
__device__ inline auto forest_outside(const Cells<Id>& cells, const SearchArrays<Id>& arrays) {
  if constexpr (Link::ranked || Link::uses_aux) {
    return forest_of<Link>(cells);
  } else {
    using M = MemberMemory<Id>;
    const SetOnlyBits members{arrays.members};
    const Id smallest = static_cast<Id>(cells.control[word_lowest]);
    return Forest<M>{{{}, DeviceMemory<Id>(cells.parent), members, arrays.isolated, smallest},
                     {{}, DeviceMemory<Id>(nullptr), members, arrays.isolated, smallest}};
  }
}

// The rows that list_outside has queued: gathered ones by a thread or a warp each, the longest by all blocks.
template <class Link, class Id, class T, class O, class Hooks>
__device__ inline void unite_listed_rows(const CsrArrays<T, O>& graph, const Cells<Id>& cells,
                                         const SearchArrays<Id>& arrays, const RowQueues<Id>& queues,
                                         const RowSchedule& rows, const Hooks& hooks) {
  u64* const control = cells.control;
  if (!runs(control, rows.run_if, rows.bound)) return;
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, graph.vertices))) return;
  const Csr<T, O> g = view_of(graph);
  const Window window{rows.first, rows.limit};
  const auto body = row_body<Link>(forest_outside<Link>(cells, arrays), graph.neighbors, cells, rows, hooks);
  drain_gathered<Id>(g, window, queues.list, control, body);
  huge_rows<Id>(g, window, queues.huge, control, body);
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    unite_listed(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ RowQueues<Id> queues,
                 const __grid_constant__ RowSchedule rows) {
  u32 links = 0;
  unite_listed_rows<Link>(graph, cells, arrays, queues, rows, Counting{&links});
}

}  // namespace lb::gpu

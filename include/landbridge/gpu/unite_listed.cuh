// Uniting the edges of the vertices outside a search whose members are bits.
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

// What a warp has read and gathered from the bits and not taken yet.
template <class Id>
struct GatheredVertices {
  Id of[2 * warp_threads];
  u32 words[warp_threads];
};

// The vertices outside that a warp takes, warp_threads at a time: from the list, or, where that has not places for all,
// from the bits. The words of a warp lie far apart: where vertices outside lie side by side, all warps have some.
template <class Id>
struct OutsideVertices {
  const SearchArrays<Id>& arrays;
  const i64 vertices;
  GatheredVertices<Id>& own;
  const bool listed;
  const i64 units;  // places of the list, or words
  i64 next;
  unsigned read = 0;  // lanes whose words have been read and not been gathered
  int count = 0;      // vertices gathered

  __device__ OutsideVertices(const SearchArrays<Id>& search, i64 n, u64 gathered, GatheredVertices<Id>& of_warp)
      : arrays(search),
        vertices(n),
        own(of_warp),
        listed(gathered <= static_cast<u64>(search.places)),
        units(listed ? static_cast<i64>(gathered) : bit_words(n)),
        next(thread_in_grid() / warp_threads * (listed ? warp_threads : 1)) {}

  // Gives each lane a vertex, or `vertices` where it has none; false if there is none for any. All lanes call it.
  __device__ bool take(i64& x) {
    x = vertices;
    if (listed) {
      if (next >= units) return false;
      const i64 at = next + static_cast<i64>(lane());
      if (at < units) x = static_cast<i64>(arrays.queue[at]);
      next += threads_in_grid();
      return true;
    }
    while (count < warp_threads && (read != 0 || next < units)) read == 0 ? read_words() : gather();
    __syncwarp();
    const int size = count < warp_threads ? count : warp_threads;
    count -= size;
    if (static_cast<int>(lane()) < size) x = static_cast<i64>(own.of[count + static_cast<int>(lane())]);
    __syncwarp();
    return size != 0;
  }

 private:
  __device__ static i64 word_of(i64 first, int of) { return first + of * (threads_in_grid() / warp_threads); }
  // Each lane reads a word.
  __device__ void read_words() {
    const i64 w = word_of(next, static_cast<int>(lane()));
    const u32 left = w < units ? outside_of(arrays, w) : 0;
    __syncwarp();
    own.words[lane()] = left;
    __syncwarp();
    read = __ballot_sync(0xffffffffu, left != 0);
    next += threads_in_grid();
  }
  // The vertices of the word of one lane.
  __device__ void gather() {
    const int of = __ffs(static_cast<int>(read)) - 1;
    read &= read - 1;
    const u32 some = own.words[of];
    const i64 x = word_of(next - threads_in_grid(), of) * warp_threads + static_cast<i64>(lane());
    if ((some >> lane() & 1) != 0) own.of[count + __popc(some & lanes_below())] = static_cast<Id>(x);
    count += __popc(some);
  }
};

// The rows of the vertices outside, but for those of all blocks.
template <class Id, class G, class Row>
__device__ inline void rows_outside(const G& g, Window window, const SearchArrays<Id>& arrays, const u64* control,
                                    const Row& row) {
  __shared__ GatheredVertices<Id> gathered[block_threads / warp_threads];
  OutsideVertices<Id> outside(arrays, g.vertices, control[word_gathered], gathered[threadIdx.x / warp_threads]);
  for (i64 x; outside.take(x);) {
    i64 begin = 0, end = 0;
    if (x < g.vertices) window.cut(g, x, begin, end);
    if (end - begin > block_row) end = begin;
    warp_rows(static_cast<Id>(x), begin, end, row);
  }
}

// The same, and the longest rows by all blocks.
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
  rows_outside<Id>(g, window, arrays, control, body);
  huge_rows<Id>(g, window, queues.huge, control, body);
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    unite_listed(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ RowQueues<Id> queues,
                 const __grid_constant__ RowSchedule rows) {
  u32 links = 0;
  unite_listed_rows<Link>(graph, cells, arrays, queues, rows, Counting{&links});
}

}  // namespace lb::gpu

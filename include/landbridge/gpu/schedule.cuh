// Which thread takes which edges of CSR. A schedule calls `row(x, begin, end, first, stride)`: the edges begin + first,
// begin + first + stride, ... < end of vertex x belong to the calling thread. `selects(x)` says whether the row of x is
// read at all. Where the lanes of a warp meet between rows, all of them call `row.pause()`.
#pragma once
#include "../view.hpp"
#include "warp.cuh"

namespace lb::gpu {

// The part of a row that is read: neighbors [first, first + limit).
struct Window {
  i64 first, limit;
  template <class G>
  __device__ void cut(const G& g, i64 x, i64& begin, i64& end) const {
    begin = g.begin(x) + first;
    end = g.end(x);
    if (begin > end) begin = end;
    if (end - begin > limit) end = begin + limit;
  }
};

// Queues a row too long for one block. Its places are as many as rows of that length can exist.
template <class Id>
__device__ inline void queue_huge(Id* huge, u64* control, Id x) {
  huge[atomicAdd(control + word_huge, u64{1})] = x;
}

// How rows are dealt out in tiles. lanes, a power of two: threads that share a short row; where that is one, rows are
// taken at once. tile: vertices of one. heavy_edges: edges in longer rows of a tile above which it is queued for all
// blocks. huge: so many places, for rows too long for one block from the left, and for heavy tiles from the right. They
// cannot meet: each stands for block_row edges of its own.
template <class Id>
struct Tiling {
  i64 lanes, tile, heavy_edges;
  Id* huge;
  i64 places;
  __device__ Id& heavy(u64 i) const { return huge[places - 1 - static_cast<i64>(i)]; }
};

// Selected vertices of the grid's tiles, with the rows of a tile balanced inside of its block: they are gathered in
// shared memory first, so that lanes have work however few there are.
template <class Id, class G, class Selects, class Row>
__device__ inline void tiled_rows(const G& g, Window window, const Tiling<Id>& tiling, u64* control,
                                  const Selects& selects, const Row& row) {
  __shared__ Id brief[tile_vertices];  // short rows
  __shared__ Id queue[tile_vertices];  // rows for warps from the left, for the block from the right
  __shared__ int few, medium, large, edges;
  constexpr int warps = block_threads / warp_threads;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_threads;
  const int share = static_cast<int>(tiling.lanes), tile = static_cast<int>(tiling.tile);
  for (i64 base = static_cast<i64>(blockIdx.x) * tile; base < g.vertices; base += static_cast<i64>(gridDim.x) * tile) {
    if (thread == 0) few = medium = large = edges = 0;
    __syncthreads();
    for (int i = thread; i < tile; i += block_threads) {
      const i64 x = base + i;
      if (x >= g.vertices || !selects(static_cast<Id>(x))) continue;
      i64 begin, end;
      window.cut(g, x, begin, end);
      const i64 degree = end - begin;
      if (degree <= thread_row) {
        if (degree == 0) continue;
        if (share == 1)
          row(static_cast<Id>(x), begin, end, i64{0}, i64{1});
        else
          brief[atomicAdd(&few, 1)] = static_cast<Id>(x);
      } else if (degree <= block_row || tiling.huge == nullptr) {
        if (degree <= warp_row)
          queue[atomicAdd(&medium, 1)] = static_cast<Id>(x);
        else
          queue[tile_vertices - 1 - atomicAdd(&large, 1)] = static_cast<Id>(x);
        if (degree <= block_row) atomicAdd(&edges, static_cast<int>(degree));
      } else {
        queue_huge(tiling.huge, control, static_cast<Id>(x));
      }
    }
    __syncthreads();
    row.pause();
    // Whole warps go round.
    for (int some = warp * warp_threads / share; some < few; some += block_threads / share, row.pause()) {
      const int i = some + static_cast<int>(lane()) / share;
      if (i >= few) continue;
      i64 begin, end;
      window.cut(g, static_cast<i64>(brief[i]), begin, end);
      row(brief[i], begin, end, static_cast<i64>(thread & (share - 1)), tiling.lanes);
    }
    if (tiling.huge != nullptr && edges > tiling.heavy_edges) {
      if (thread == 0) tiling.heavy(atomicAdd(control + word_heavy, u64{1})) = static_cast<Id>(base);
      __syncthreads();
      continue;
    }
    for (int i = warp; i < medium; i += warps) {
      i64 begin, end;
      window.cut(g, static_cast<i64>(queue[i]), begin, end);
      row(queue[i], begin, end, static_cast<i64>(lane()), i64{warp_threads});
      row.pause();
    }
    for (int i = 0; i < large; ++i) {
      const Id x = queue[tile_vertices - 1 - i];
      i64 begin, end;
      window.cut(g, static_cast<i64>(x), begin, end);
      row(x, begin, end, static_cast<i64>(thread), i64{block_threads});
      row.pause();
    }
    __syncthreads();
  }
}

// The rows of the tiles that were queued for all blocks, but for the short and the huge ones: one for each warp.
template <class Id, class G, class Selects, class Row>
__device__ inline void heavy_tiles(const G& g, Window window, const Tiling<Id>& tiling, const u64* control,
                                   const Selects& selects, const Row& row) {
  constexpr i64 warps = block_threads / warp_threads;
  const i64 warp = static_cast<i64>(threadIdx.x) / warp_threads;
  const u64 count = control[word_heavy];
  const i64 pieces = (tiling.tile + warps - 1) / warps;
  i64 turn = blockIdx.x;  // pieces until this block's next one, over all tiles
  for (u64 i = 0; i < count; ++i, turn -= pieces) {
    const i64 base = static_cast<i64>(tiling.heavy(i));
    const i64 end_of_tile = base + tiling.tile < g.vertices ? base + tiling.tile : g.vertices;
    for (; turn < pieces; turn += gridDim.x) {
      const i64 x = base + turn * warps + warp;
      if (x < end_of_tile) {
        i64 begin, end;
        window.cut(g, x, begin, end);
        const bool mine = end - begin > thread_row && end - begin <= block_row;
        if (mine && __shfl_sync(0xffffffffu, lane() == 0 && selects(static_cast<Id>(x), false), 0))
          row(static_cast<Id>(x), begin, end, static_cast<i64>(lane()), i64{warp_threads});
      }
      row.pause();
    }
  }
}

// Short rows at once; the others into the double-sided list of n places, which cannot meet: each vertex is in it once.
template <class Id, class G, class Selects, class Row>
__device__ inline void listed_rows(const G& g, Window window, Id* list, u64* control, const Selects& selects,
                                   const Row& row) {
  for (i64 x = thread_in_grid(); x < g.vertices; x += threads_in_grid()) {
    if (!selects(static_cast<Id>(x))) continue;
    i64 begin, end;
    window.cut(g, x, begin, end);
    if (end - begin <= thread_row) {
      if (end > begin) row(static_cast<Id>(x), begin, end, i64{0}, i64{1});
    } else if (end - begin <= warp_row) {
      list[atomicAdd(control + word_medium, u64{1})] = static_cast<Id>(x);
    } else {
      list[g.vertices - 1 - static_cast<i64>(atomicAdd(control + word_large, u64{1}))] = static_cast<Id>(x);
    }
  }
}

// Vertex gathering: selected vertices with edges go to a list of n places, so that no lane of the kernel that empties
// it idles for a vertex that was not selected.
template <class Id, class G, class Selects>
__device__ inline void gathered_rows(const G& g, Window window, Id* list, u64* control, const Selects& selects,
                                     bool aggregated) {
  // Whole warps take part in the append, also past the last vertex.
  for (i64 x = thread_in_grid(); x - static_cast<i64>(lane()) < g.vertices; x += threads_in_grid()) {
    bool selected = x < g.vertices && selects(static_cast<Id>(x));
    if (selected) {
      i64 begin, end;
      window.cut(g, x, begin, end);
      selected = begin < end;
    }
    if (aggregated) {
      const u64 place = append(control + word_gathered, selected);
      if (selected) list[place] = static_cast<Id>(x);
    } else if (selected) {
      list[atomicAdd(control + word_gathered, u64{1})] = static_cast<Id>(x);
    }
  }
}

// The rows of the lanes of a warp: short ones by a lane each, those longer than thread_row by the warp together, one
// after another. All lanes call it; the row of one that has none is empty.
template <class Id, class Row>
__device__ inline void warp_rows(Id x, i64 begin, i64 end, const Row& row) {
  const bool many = end - begin > thread_row;
  if (!many && begin < end) row(x, begin, end, i64{0}, i64{1});
  for (unsigned left = __ballot_sync(0xffffffffu, many); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    row(__shfl_sync(0xffffffffu, x, owner), __shfl_sync(0xffffffffu, begin, owner),
        __shfl_sync(0xffffffffu, end, owner), static_cast<i64>(lane()), i64{warp_threads});
    __syncwarp();
  }
  row.pause();
}

// Empties that list.
template <class Id, class G, class Row>
__device__ inline void drain_gathered(const G& g, Window window, const Id* list, const u64* control, const Row& row) {
  const i64 count = static_cast<i64>(control[word_gathered]);
  for (i64 i = thread_in_grid(); i - static_cast<i64>(lane()) < count; i += threads_in_grid()) {
    i64 begin = 0, end = 0;
    Id x = 0;
    if (i < count) {
      x = list[i];
      window.cut(g, static_cast<i64>(x), begin, end);
    }
    warp_rows(x, begin, end, row);
  }
}

// Empties the double-sided list: warps take from its left, then blocks from its right.
template <class Id, class G, class Row>
__device__ inline void drain_list(const G& g, Window window, const Id* list, u64* control, const Row& row) {
  const u64 medium = control[word_medium];
  const u64 large = control[word_large];
  for (;;) {
    u64 i = 0;
    if (lane() == 0) i = atomicAdd(control + word_medium_next, u64{1});
    i = __shfl_sync(0xffffffffu, i, 0);
    if (i >= medium) break;
    const Id x = list[i];
    i64 begin, end;
    window.cut(g, static_cast<i64>(x), begin, end);
    row(x, begin, end, static_cast<i64>(lane()), i64{warp_threads});
    row.pause();
  }
  __shared__ u64 mine;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) mine = atomicAdd(control + word_large_next, u64{1});
    __syncthreads();
    if (mine >= large) break;
    const Id x = list[g.vertices - 1 - static_cast<i64>(mine)];
    i64 begin, end;
    window.cut(g, static_cast<i64>(x), begin, end);
    row(x, begin, end, static_cast<i64>(threadIdx.x), i64{block_threads});
    row.pause();
  }
}

// One row per thread, per warp or per block, dealt out in turn to whole warps.
template <int group, class Id, class G, class Selects, class Row>
__device__ inline void grouped_rows(const G& g, Window window, const Selects& selects, const Row& row) {
  const i64 groups = threads_in_grid() / group;
  const i64 inside = static_cast<i64>(lane()) / group;  // 0 where a warp or a block takes a row
  for (i64 first = thread_in_grid() / group - inside; first < g.vertices; first += groups, row.pause()) {
    const i64 x = first + inside;
    if (x >= g.vertices || !selects(static_cast<Id>(x))) continue;
    i64 begin, end;
    window.cut(g, x, begin, end);
    row(static_cast<Id>(x), begin, end, static_cast<i64>(threadIdx.x % group), i64{group});
  }
}

// Rows and edges in one line, each row before its edges: the row that is at place `at` or has its edges around it. A
// search by a warp, 32 places at a time. All lanes call it.
template <class G>
__device__ inline i64 row_at(const G& g, i64 at) {
  i64 low = 0, high = g.vertices;  // between them lies the first row that comes after `at`
  while (low < high) {
    const i64 step = (high - low + warp_threads) / (warp_threads + 1);
    const i64 x = low + step * (static_cast<i64>(lane()) + 1) - 1;
    const unsigned after = __ballot_sync(0xffffffffu, x >= high || g.begin(x) + x > at);
    const int before = after == 0 ? warp_threads : __ffs(static_cast<int>(after)) - 1;
    const i64 first = low + step * (before + 1) - 1;
    low += step * before;
    if (after != 0 && first < high) high = first;
  }
  return low - 1;
}

// The row that holds edge a, at or after row x whose beginning is not behind it: steps that double, then halves.
template <class G>
__device__ inline i64 row_of(const G& g, i64 x, i64 a) {
  i64 step = 1;
  while (x + step < g.vertices && g.begin(x + step) <= a) x += step, step <<= 1;
  for (; step > 0; step >>= 1) {
    if (x + step < g.vertices && g.begin(x + step) <= a) x += step;
  }
  return x;
}

// Every warp takes an equal share of all rows and edges (the merge path of Merrill & Garland 2016), a window of 32 rows
// at a time. The edges of selected rows are dealt evenly: `take(x, a)` is called by all lanes, for several edges each;
// x is none where a lane has no edge.
template <int each, class Id, class G, class Selects, class Take>
__device__ inline void shared_edges(const G& g, Window window, const Selects& selects, const Take& take) {
  const i64 all = g.end(g.vertices - 1) + g.vertices;
  const i64 warps = threads_in_grid() / warp_threads, warp = thread_in_grid() / warp_threads;
  const i64 share = (all + warps - 1) / warps;
  const i64 low = warp * share;
  if (low >= all) return;
  const i64 high = low + share < all ? low + share : all;
  i64 r = row_at(g, low);
  const i64 last = row_at(g, high - 1);
  // Edges before a place: a row comes before its edges.
  const auto edges_before = [&](i64 place, i64 x) {
    const i64 begin = g.begin(x);
    return place <= begin + x ? begin : place - x - 1;
  };
  const i64 from = edges_before(low, r), to = edges_before(high, last);
  i64 x = r + static_cast<i64>(lane());
  i64 begin = 0, end = 0;
  if (x <= last) begin = g.begin(x), end = g.end(x);
  while (r <= last) {
    // What this window's rows have for this warp.
    i64 first = begin, stop = end;
    if (x <= last) window.cut(g, x, first, stop);
    if (first < from) first = from;
    if (stop > to) stop = to;
    // A row is counted by the warp that reads it before its edges.
    const bool mine = x <= last && selects(static_cast<Id>(x), begin + x >= low);
    const int degree = mine && stop > first ? static_cast<int>(stop - first) : 0;
    const int upto = sum_up_to(degree);
    const i64 edge_zero = first - (upto - degree);  // plus a place among the window's edges: the edge
    const i64 row = r;
    r += warp_threads;
    x = r + static_cast<i64>(lane());
    if (x <= last) begin = g.begin(x), end = g.end(x);
    const int count = __shfl_sync(0xffffffffu, upto, warp_threads - 1);
    for (int base = 0; base < count; base += each * warp_threads) {
      Id vertices[each];
      i64 edges[each];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const int at = base + i * warp_threads + static_cast<int>(lane());
        int j = 0;
#pragma unroll
        for (int step = warp_threads / 2; step > 0; step >>= 1) {
          if (__shfl_sync(0xffffffffu, upto, j + step - 1) <= at) j += step;
        }
        edges[i] = __shfl_sync(0xffffffffu, edge_zero, j) + at;
        vertices[i] = at < count ? static_cast<Id>(row + j) : none<Id>;
      }
      take(vertices, edges);
    }
  }
}

// The rows queued for all blocks, in pieces of a block's longest row.
template <class Id, class G, class Row>
__device__ inline void huge_rows(const G& g, Window window, const Id* huge, const u64* control, const Row& row) {
  const u64 count = control[word_huge];
  i64 turn = blockIdx.x;  // pieces until this block's next one, over all rows
  for (u64 i = 0; i < count; ++i) {
    const Id x = huge[i];
    i64 begin, end;
    window.cut(g, static_cast<i64>(x), begin, end);
    const i64 pieces = (end - begin + block_row - 1) / block_row;
    for (; turn < pieces; turn += gridDim.x) {
      const i64 from = begin + turn * block_row;
      const i64 to = from + block_row < end ? from + block_row : end;
      row(x, from, to, static_cast<i64>(threadIdx.x), i64{block_threads});
      row.pause();
    }
    turn -= pieces;
  }
}

}  // namespace lb::gpu

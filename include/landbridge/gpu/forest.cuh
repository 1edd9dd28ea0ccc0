// Spanning forests: the kernels that unite, with a hook that marks the edge that linked, one bit for each edge of the input;
// and the pass that reads the forest off the marks, in the order of the input.
#pragma once
#include "kernels.cuh"

namespace lb::gpu {

// The edges that linked are counted and added to a set of bits. origin: of rows made for the run the edge of the input behind
// each arc, else null.
struct Linked {
  DeviceWords<u64> marks;
  const i64* origin;
  u32* links;
  __device__ void add(u64 edge) const {
    ++*links;
    const u64 at = origin == nullptr ? edge : static_cast<u64>(origin[edge]);
    marks.join(at >> 6, u64{1} << (at & 63));
  }
};

// As Counting; what waits keeps its position.
struct Marking {
  DeviceWords<u64> marks;
  const i64* origin;
  u32* links;
  template <int places>
  struct Kept {
    i64 edges[places];
    __device__ void keep(int place, i64 edge) { edges[place] = edge; }
    __device__ i64 kept(int place) const { return edges[place]; }
  };
  __device__ hook::Mark<Linked> of(i64 edge) const { return {{marks, origin, links}, static_cast<u64>(edge)}; }
};

__device__ inline Marking marking(u64* marks, const i64* origin, u32* links) {
  return {DeviceWords<u64>(marks), origin, links};
}

// ---- uniting: as the kernels named unite_..., hook_... in kernels.cuh -----------------------------------------------------

template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, balance == static_cast<int>(Balance::edge) ? crew_blocks : 1)
    mark_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge, u64* control,
              i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64 lanes, i64 flags, u64* marks, const i64* origin) {
  u32 links = 0;
  unite_picked<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner, tile,
                              lanes, flags, marking(marks, origin, &links));
}
template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    mark_queued(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge, u64* control,
                i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64, i64 flags, u64* marks, const i64* origin) {
  u32 links = 0;
  unite_waiting<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner, tile,
                               flags, marking(marks, origin, &links));
}
template <class Link, class Choice, int arcs, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    mark_sample(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, u64* control, i64 k, u64 seed,
                u64* marks, const i64* origin) {
  u32 links = 0;
  unite_few<Link, Choice, arcs>(offsets, neighbors, n, parent, words, aux, control, k, seed, marking(marks, origin, &links));
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    mark_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux, u64* control, i64 from,
               i64 to, i64 raise, u64* marks, const i64* origin) {
  u32 links = 0;
  unite_list<Link>(u, v, u_stride, v_stride, parent, words, aux, control, from, to, raise, marking(marks, origin, &links));
}
template <class Id, class T, class O>
__global__ void mark_hooks(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* control, i64 symmetric, u64* marks,
                           const i64* origin) {
  u32 links = 0;  // hook_firsts has a count of its own
  const Linked linked{DeviceWords<u64>(marks), origin, &links};
  hook_firsts(offsets, neighbors, n, parent, control, symmetric, [&](i64 arc) { linked.add(static_cast<u64>(arc)); });
}

// ---- collecting -----------------------------------------------------------------------------------------------------------

// Empties the set, and the tiles of the scan that reads it off.
template <class Word>
__global__ void clear_marks(Word* marks, i64 words, Word* tiles, i64 tile_count) {
  for (i64 i = thread_in_grid(); i < words; i += threads_in_grid()) marks[i] = 0;
  for (i64 i = thread_in_grid(); i < tile_count; i += threads_in_grid()) tiles[i] = 0;
}

// Words of marks a block takes at a time: one a thread.
constexpr int mark_tile = block_threads;

// The row that an arc is in. A search by a warp, all lanes call it.
template <class G>
__device__ inline i64 row_of(const G& g, i64 arc) {
  i64 low = 0, high = g.vertices - 1;
  while (low < high) {
    const i64 step = (high - low + warp_threads) / (warp_threads + 1);
    const i64 x = low + step * (static_cast<i64>(lane()) + 1) - 1;
    const unsigned after = __ballot_sync(0xffffffffu, x >= high || g.end(x) > arc);
    const int before = after == 0 ? warp_threads : __ffs(static_cast<int>(after)) - 1;
    const i64 first = low + step * (before + 1) - 1;
    low += step * before;
    if (after != 0 && first < high) high = first;
  }
  return low;
}

// Writes the marked edges in ascending order: position and ends, of rows (b is null) or pairs. One pass, a scan with
// decoupled look-back over tiles of mark_tile words. Each output has a place for every mark. A lane takes the edges of a
// word; their rows it looks for from the first row of its tile on.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    collect_marks(const O* offsets, const T* a, const T* b, i64 a_stride, i64 b_stride, i64 n, const u64* marks, i64 words,
                  u64* tiles, u64* control, Id* u, Id* v, i64* edge) {
  constexpr int warps = block_threads / warp_threads;
  __shared__ u64 ticket, before;
  __shared__ i64 first_row;
  __shared__ int counts[warps];
  const Csr<T, O> g{offsets, a, n};
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const i64 tile_count = (words + mark_tile - 1) / mark_tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(control + word_ticket, u64{1});
    __syncthreads();
    const i64 tile = static_cast<i64>(ticket);
    if (tile >= tile_count) return;
    const i64 at = tile * mark_tile + threadIdx.x;
    u64 word = at < words ? marks[at] : 0;
    const int mine = __popcll(word);
    int upto = mine;
    for (int d = 1; d < warp_threads; d <<= 1) {
      const int left = __shfl_up_sync(0xffffffffu, upto, static_cast<unsigned>(d));
      if (static_cast<int>(lane()) >= d) upto += left;
    }
    if (lane() == warp_threads - 1) counts[warp] = upto;
    __syncthreads();
    int left = 0, total = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) left += counts[w];
      total += counts[w];
    }
    if (warp == 0) {
      const u64 prefix = sum_before(tiles, tile, static_cast<u64>(total));
      if (lane() == 0) before = prefix;
    } else if (warp == 1 && b == nullptr && total != 0) {
      const i64 row = row_of(g, tile * mark_tile * 64);
      if (lane() == 0) first_row = row;
    }
    __syncthreads();
    if (word == 0) continue;
    u64 place = before + static_cast<u64>(left + upto - mine);
    i64 row = b == nullptr ? first_row : 0;  // no edge of this word lies before it
    for (; word != 0; word &= word - 1, ++place) {
      const i64 e = at * 64 + (__ffsll(static_cast<long long>(word)) - 1);
      edge[place] = e;
      if (b != nullptr) {
        u[place] = static_cast<Id>(a[e * a_stride]);
        v[place] = static_cast<Id>(b[e * b_stride]);
        continue;
      }
      if (g.end(row) <= e) {
        // The first row that ends after e: strides double until one does, then halve.
        i64 low = row, stride = 1;
        while (low + stride < n && g.end(low + stride) <= e) low += stride, stride *= 2;
        i64 high = low + stride < n ? low + stride : n - 1;
        while (high - low > 1) {
          const i64 middle = low + (high - low) / 2;
          if (g.end(middle) <= e) low = middle;
          else high = middle;
        }
        row = high;
      }
      u[place] = static_cast<Id>(row);
      v[place] = static_cast<Id>(a[e]);
    }
  }
}

// Symmetric rows of pairs as scatter_pairs makes them, which also keep the pair behind each arc.
template <class T>
__global__ void scatter_origins(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 count, u64* next, T* neighbors,
                                i64* origin) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const T x = u[i * u_stride], y = v[i * v_stride];
    u64 place = atomicAdd(next + x, u64{1});
    neighbors[place] = y;
    origin[place] = i;
    if (x == y) continue;
    place = atomicAdd(next + y, u64{1});
    neighbors[place] = x;
    origin[place] = i;
  }
}

}  // namespace lb::gpu

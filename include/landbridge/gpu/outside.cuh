// Edges of a list of which nearly all join members of the largest tree, and are dropped by their bits. A block is alone
// on its multiprocessor and leaves the L1 cache to the bits.
#pragma once
#include "edge_list.cuh"

namespace lb::gpu {

// Edges that wait for their warp, fewer than warp_threads before as many come, and where they lie in their range.
template <class Id, bool with_places>
struct RemainingEdges {
  static constexpr int warps = outside_threads / warp_threads, places = 2 * warp_threads;
  Id u[warps][places], v[warps][places];
  u32 at[with_places ? warps : 1][with_places ? places : 1];
};

// Unites the edges [begin, end), fewer than 2^32, but for those between members. Edges with an endpoint that has no
// cell are left out. `unite(a, b, i)` is true unless its walk was cut off; i is 0 unless places are kept. Once
// `stops()` the rest is left out. Blocks of outside_threads.
template <class Id, class T, class M, bool with_places, class Unite, class Stops>
__device__ inline void unite_outside_tree(const EdgeReader<T>& edges, i64 begin, i64 end, const SetOnlyBits& members,
                                          const M& cells, RemainingEdges<Id, with_places>& remaining,
                                          const Unite& unite, const Stops& stops) {
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  auto& remaining_u = remaining.u[warp];
  auto& remaining_v = remaining.v[warp];
  auto& remaining_at = remaining.at[with_places ? warp : 0];
  const auto take = [&](int place) {
    const Id a = remaining_u[place], b = remaining_v[place];
    i64 i = 0;
    if constexpr (with_places) i = begin + static_cast<i64>(remaining_at[place]);
    if (!unite(a, b, i)) return false;
    join_members(members, cells, a, b);
    return true;
  };
  int waiting = 0;
  bool full = false;
  const i64 step = threads_in_grid() * lane_edges;
  i64 base = begin + thread_in_grid() / warp_threads * warp_edges;
  T x[lane_edges], y[lane_edges];
  u32 exist = base < end ? edges.read(base, end, x, y) : 0;
  while (base < end && !full) {
    // The next edges are under way while these are looked up.
    const i64 next = base + step;
    T next_x[lane_edges], next_y[lane_edges];
    const u32 next_exist = next < end ? edges.read(next, end, next_x, next_y) : 0;
    u32 remain = 0;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const u64 a = static_cast<u64>(x[k]), b = static_cast<u64>(y[k]);
      const bool dropped = edges.has_cells(x[k], y[k]) && members.has(a) && members.has(b);
      remain |= (dropped ? 0u : 1u) << k;
    }
    remain &= exist;
    // Few remain: a lane adds one at a time.
    while (!full) {
      const unsigned lanes = __ballot_sync(0xffffffffu, remain != 0);
      if (lanes == 0) break;
      if (remain != 0) {
        const int place = waiting + __popc(lanes & lanes_below());
        const int k = __ffs(static_cast<int>(remain)) - 1;
        remain &= remain - 1;
        const T a = k == 0 ? x[0] : k == 1 ? x[1] : k == 2 ? x[2] : x[3];
        const T b = k == 0 ? y[0] : k == 1 ? y[1] : k == 2 ? y[2] : y[3];
        const bool inside = edges.has_cells(a, b);
        if (!inside) edges.note_left_out();
        remaining_u[place] = inside ? static_cast<Id>(a) : Id{0};  // a loop else
        remaining_v[place] = inside ? static_cast<Id>(b) : Id{0};
        if constexpr (with_places) remaining_at[place] = static_cast<u32>(base + edges.place(k) - begin);
      }
      waiting += __popc(lanes);
      __syncwarp();
      if (waiting < warp_threads) continue;
      waiting -= warp_threads;
      const bool done = take(waiting + static_cast<int>(lane()));
      full = __any_sync(0xffffffffu, !done && stops()) != 0;  // lanes need not get the same answer
      __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) x[k] = next_x[k], y[k] = next_y[k];
    exist = next_exist;
    base = next;
  }
  if (!full && static_cast<int>(lane()) < waiting) take(static_cast<int>(lane()));
}

}  // namespace lb::gpu

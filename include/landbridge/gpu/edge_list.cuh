// The edges of an edge list, four per lane: for components, forests and streams alike. Under rules whose walks can be
// cut off, the default among them, a walk that takes too many steps is cut off, and its edge waits to be
// settled.
#pragma once
#include "../phase/bounded.hpp"
#include "../system/grid_vote.hpp"
#include "bits.cuh"
#include "edge_reader.cuh"
#include "flatten.cuh"
#include "unite_edge.cuh"

namespace lb::gpu {

// Which of a lane's edges join members of the largest tree.
template <class Vertex>
__device__ inline u32 within_tree(const u32* members, const Vertex (&a)[lane_edges], const Vertex (&b)[lane_edges]) {
  u32 both[lane_edges], dropped = 0;
#pragma unroll
  for (int k = 0; k < lane_edges; ++k) {
    both[k] = device::load_weak(members + (a[k] >> 5)) >> (a[k] & 31) &
              device::load_weak(members + (b[k] >> 5)) >> (b[k] & 31);
  }
#pragma unroll
  for (int k = 0; k < lane_edges; ++k) dropped |= (both[k] & 1) << k;
  return dropped;
}

// Which of a lane's edges have endpoints whose cells, perhaps old ones, hold the same parent.
template <class M, class Vertex>
__device__ inline u32 with_one_parent(const M& cells, const Vertex (&a)[lane_edges], const Vertex (&b)[lane_edges]) {
  Vertex parent_a[lane_edges], parent_b[lane_edges];
  u32 dropped = 0;
#pragma unroll
  for (int k = 0; k < lane_edges; ++k) {
    parent_a[k] = M::parent(cells.load_stale(a[k]), a[k]);
    parent_b[k] = M::parent(cells.load_stale(b[k]), b[k]);
  }
#pragma unroll
  for (int k = 0; k < lane_edges; ++k) dropped |= (parent_a[k] == parent_b[k] ? 1u : 0u) << k;
  return dropped;
}

// What is united with a member of the largest tree becomes a member, too. a, b: united now.
template <class M, class Vertex>
__device__ inline void join_members(const SetOnlyBits& members, const M& cells, Vertex a, Vertex b) {
  const bool in_a = members.has(a), in_b = members.has(b);
  if (in_a != in_b)
    members.set(in_a ? b : a);
  else if (!in_a && members.has(M::parent(cells.load_stale(a), a)))
    members.set(a), members.set(b);
}

// The members of the largest tree decide once it holds one in so many of the vertices.
constexpr u64 worth_marking = 8;

// Which of a lane's edges are the same as the one before: what becomes of that is enough for both.
template <class Vertex>
__device__ inline u32 repeated(const Vertex (&a)[lane_edges], const Vertex (&b)[lane_edges]) {
  u32 dropped = 0;
#pragma unroll
  for (int k = 1; k < lane_edges; ++k) dropped |= (a[k] == a[k - 1] && b[k] == b[k - 1] ? 1u : 0u) << k;
  return dropped;
}

// Whether it pays to compare the parents of edges before they are walked. edges: how many there are up to the last.
__device__ inline bool precheck_pays(u64 edges, i64 vertices) {
  return edges * precheck_vertices > static_cast<u64>(vertices) * precheck_edges;
}

// Which edges are dropped before they are walked: those that repeat another, and those that join members of the largest
// tree or, while that is small or not marked and if `prechecks`, vertices with one parent.
struct TreeMembers {
  SetOnlyBits bits;
  bool decide;

  __device__ TreeMembers(const LargestTree& largest, i64 vertices)
      : bits{largest.members},
        decide(largest.members != nullptr &&
               largest.control[tree_word_members] * worth_marking >= static_cast<u64>(vertices)) {}
  template <class M, class Vertex>
  __device__ u32 drop(const M& cells, const Vertex (&a)[lane_edges], const Vertex (&b)[lane_edges],
                      bool prechecks) const {
    const u32 dropped = repeated(a, b);
    if (decide) return dropped | within_tree(bits.words, a, b);
    return prechecks ? dropped | with_one_parent(cells, a, b) : dropped;
  }
  template <class M, class Vertex>
  __device__ void united(const M& cells, Vertex a, Vertex b) const {
    if (decide) join_members(bits, cells, a, b);
  }
};

// Bit x of the members: whether the parent of x is `root`. Every cell holds its root. The grid's threads call it.
template <class Id>
__device__ inline void mark_members(const Cells<Id>& cells, Id root, const LargestTree& largest) {
  const i64 n = cells.vertices;
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  u64 members = 0;
  constexpr int each = 4;  // reads that are under way at once
  const i64 step = threads_in_grid();
  for (i64 first = thread_in_grid(); first < end; first += each * step) {
    bool member[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 x = first + k * step;
      member[k] = x < n && cells.parent[x] == root;
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 x = first + k * step;
      const unsigned word = __ballot_sync(0xffffffffu, member[k]);
      members += member[k];
      if (lane() == 0 && x < end) largest.members[x / warp_threads] = word;
    }
  }
  add_counts(largest.control + tree_word_members, members);
}

// The same as a kernel, of the tree that holds word_skip now.
template <class Id>
__global__ void mark_tree(const Cells<Id> cells, const LargestTree largest) {
  mark_members(cells, cells.parent[cells.control[word_skip]], largest);
}

// ---- walks that are cut off

using phase::cuts_off;

// Walks an edge. steps: as phase::unite_within takes them. False if the walk was cut off: the edge has to be walked
// again.
static_assert(cut_walk > phase::own_steps && long_walk > phase::own_steps && whole_walk > phase::own_steps);
template <class Link, class F, class OnLink>
__device__ inline bool walk_edge(const F& forest, typename F::Id u, typename F::Id v, i64 steps,
                                 const OnLink& on_link) {
  if constexpr (cuts_off<Link>) {
    if constexpr (merges<Link>) {
      if (!Link::raise(forest, u, v)) return true;
    }
    return phase::unite_within<Link>(forest, u, v, static_cast<int>(steps), on_link);
  } else {
    phase::UniteRun<Link, F> run(forest);
    run.edge(u, v, on_link);
    return true;
  }
}

// The same of an edge that has waited or is walked with all others again: from the parents, so that, once all paths are
// flat, a single step makes a link unless another has been made.
template <class Link, class F, class OnLink>
__device__ inline bool walk_again(const F& forest, typename F::Id u, typename F::Id v, i64 steps,
                                  const OnLink& on_link) {
  return walk_edge<Link>(forest, forest.parent.load_stale(u), forest.parent.load_stale(v), steps, on_link);
}

// Where edges wait whose walks were cut off. They are counted by word_cut, also beyond the places.
template <class Id>
struct CutQueue {
  const CutEdges<Id>& edges;
  u64* count;
  __device__ CutQueue(const CutEdges<Id>& cut, u64* control) : edges(cut), count(control + word_cut) {}
  __device__ bool is_full() const { return device::load(count) > static_cast<u64>(edges.capacity); }
  __device__ void add(Id u, Id v, u64 position) const {
    if (is_full()) return;
    const u64 place = atomicAdd(count, u64{1});
    if (place >= static_cast<u64>(edges.capacity)) return;
    edges.u[place] = u;
    edges.v[place] = v;
    if (edges.position != nullptr) edges.position[place] = position;
  }
};

// ---- uniting

// The shared memory of a block that unites an edge list: edges that wait for their warp.
template <class Id>
struct WaitingEdges {
  static constexpr int places = warp_edges + warp_threads;
  Id u[block_threads / warp_threads][places], v[block_threads / warp_threads][places];
  u32 at[block_threads / warp_threads][places];
};

// Unites the edges [begin, end) of an edge list, fewer than 2^32, of one warp's share. Most edges of a long stream join
// what is joined. They are dropped at their first look-up: `drops(base, a, b)` gives their bits. The others wait in
// shared memory until there is one for each lane of the warp, in the order of the list: where neighbouring edges link
// neighbouring vertices, the swaps of a warp go to few sectors. `unite(a, b, i)` is true unless its walk was cut off.
// All lanes call pause() now and then. Once `stops()` the rest is left out: everything is walked again.
template <class Id, class Vertex, class T, class Drops, class Unite, class Stops, class Pause>
__device__ inline void unite_waiting(const EdgeReader<T>& batch, i64 begin, i64 end, WaitingEdges<Id>& waiting_edges,
                                     const Drops& drops, const Unite& unite, const Stops& stops, const Pause& pause) {
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  auto& waiting_u = waiting_edges.u[warp];
  auto& waiting_v = waiting_edges.v[warp];
  auto& waiting_at = waiting_edges.at[warp];
  int waiting = 0;
  const auto take = [&](int place) {
    return unite(static_cast<Vertex>(waiting_u[place]), static_cast<Vertex>(waiting_v[place]),
                 begin + static_cast<i64>(waiting_at[place]));
  };
  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = begin + thread_in_grid() / warp_threads * warp_edges; base < end; base += step) {
    Vertex a[lane_edges], b[lane_edges];
    const u32 exist = batch.load(base, end, a, b);
    const u32 remain = exist & ~drops(base, a, b);
    if (!__any_sync(0xffffffffu, remain != 0)) continue;
    unsigned lanes[lane_edges];
    int place = waiting;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      lanes[k] = __ballot_sync(0xffffffffu, (remain >> k & 1) != 0);
      place += __popc(lanes[k] & lanes_below());
    }
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if (!batch.in_fours) place = waiting + __popc(lanes[k] & lanes_below());
      if ((remain >> k & 1) != 0) {
        waiting_u[place] = static_cast<Id>(a[k]);
        waiting_v[place] = static_cast<Id>(b[k]);
        waiting_at[place] = static_cast<u32>(base + batch.place(k) - begin);
        ++place;
      }
      waiting += __popc(lanes[k]);
    }
    __syncwarp();
    while (waiting >= warp_threads) {
      waiting -= warp_threads;
      const bool done = take(waiting + static_cast<int>(lane()));
      pause();
      const bool full = !done && stops();  // lanes need not get the same answer
      if (__any_sync(0xffffffffu, full)) return;
    }
  }
  if (static_cast<int>(lane()) < waiting) take(static_cast<int>(lane()));
  __syncwarp();
  pause();
}

// ---- hooking

// Each edge of a range once: an endpoint that is still the root of its tree and larger than the other endpoint becomes
// a child of that. `below` has the bits of the vertices that are no roots; null reads the parents instead, which is
// faster where edges follow each other in memory. An edge whose larger endpoint was no root has to be united
// afterwards, unless it lies along a hook; `left` is at least how many. `on_link(i, u, v, root)` is called for a link
// by edge i. A warp reads edges beside each other, a lane each, so that its swaps go to few sectors.
template <class Id, class T, class OnLink>
__device__ inline void hook_range(const EdgeArrays<T>& edges, i64 vertices, const DeviceMemory<Id>& m,
                                  const SetOnlyBits& below, i64 begin, i64 end, u32& left, const OnLink& on_link) {
  const EdgeReader<T> batch(edges, begin, vertices, false);
  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = begin + thread_in_grid() / warp_threads * warp_edges; base < end; base += step) {
    Id a[lane_edges], b[lane_edges];
    u32 roots = batch.load(base, end, a, b);
    u32 turned = 0;  // whose larger endpoint is the second
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if (a[k] < b[k]) swap(a[k], b[k]), turned |= 1u << k;
    }
    u32 children = 0, united = 0;  // united: loops, and edges along a hook
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const Id above = below.words == nullptr ? m.load_stale(a[k]) : a[k];
      const bool child = below.words == nullptr ? above != a[k] : below.has(a[k]);
      united |= (a[k] == b[k] || above == b[k] ? 1u : 0u) << k;
      children |= (child ? 1u : 0u) << k;
    }
    roots &= ~united;
    left += static_cast<u32>(__popc(roots));
    roots &= ~children;
    if (roots == 0) continue;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((roots >> k & 1) == 0) continue;
      const Id value = m.compare_exchange(a[k], a[k], b[k]);
      if (value == a[k] || value == b[k]) --left;
      if (value == a[k]) {
        const bool back = (turned >> k & 1) != 0;
        on_link(base + batch.place(k), back ? b[k] : a[k], back ? a[k] : b[k], a[k]);
      }
      if (below.words != nullptr) below.set(a[k]);
    }
  }
}

// ---- edges whose walks were cut off

// Counts blocks that are done; the last one empties what the launch has used.
__device__ inline void end_settling(u64* control) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(control + word_cut_done, u64{1}) + 1 != gridDim.x) return;
  for (int word = word_cut; word <= word_cut_done; ++word) device::store(control + word, u64{0});
}

// Flattens all paths and walks the edges that were cut off, and so on until no walk is cut off. Between two flattenings
// the trees of an edge that is cut off have grown by as many roots as it made steps, so few rounds are made, and no
// path makes one of them long. Where few edges wait they are walked once before, which takes less than flattening:
// while many threads link one tree, walks are long, and short afterwards. A cooperative launch. `walk(times)` walks the
// edges that wait, and is false if a walk was cut off; walks that have a limit of their own need not go so many times
// as far. waits: how many edges there are; asks: whether paths are flattened in any case. Both are the same for all
// threads.
template <class Id, class Walk>
__device__ inline void settle(const Cells<Id>& cells, u64 waits, bool asks, const Walk& walk) {
  u64* const control = cells.control;
  if (waits == 0 && !asks) return;
  system::GridVote<DeviceMemory<u64>> vote(DeviceMemory<u64>(control), static_cast<u64>(word_cut_vote));
  u64 barriers = 0;
  const bool first = thread_in_grid() == 0;
  const auto barrier = [&] { grid_barrier(control + word_cut_barrier, barriers); };
  const u64 share = static_cast<u64>(cells.vertices) / few_walks_share;
  for (bool flattens = asks || waits > (share < few_walks ? few_walks : share);; flattens = true) {
    if (flattens) {
      flatten_paths(DeviceMemory<Id>(cells.parent), cells.vertices);
      if (waits == 0) break;
      barrier();
    }
    if (!walk(flattens ? 1 : 2)) vote.yes();
    if (vote.close(first, barrier) == 0) break;
  }
  end_settling(control);
}

// Walks the edges of the queue, so many times as far as before. `on_link(u, v, position)` is the callback of one. False
// if a walk was cut off.
template <class Link, class F, class Id, class OnLink>
__device__ inline bool walk_queue(const F& forest, const CutEdges<Id>& cut, u64 count, int times,
                                  const OnLink& on_link) {
  const i64 queued = static_cast<i64>(count) < cut.capacity ? static_cast<i64>(count) : cut.capacity;
  bool done = true;
  for (i64 i = thread_in_grid(); i < queued; i += threads_in_grid()) {
    const Id u = cut.u[i], v = cut.v[i];
    if (u == v) continue;
    const u64 position = cut.position == nullptr ? 0 : cut.position[i];
    if (walk_again<Link>(forest, u, v, times * cut.steps, on_link(u, v, position)))
      cut.u[i] = v;  // united
    else
      done = false;
  }
  return done;
}

}  // namespace lb::gpu

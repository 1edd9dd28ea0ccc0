// A search for one large component, whose members are bits: a bitmap fits the L2 cache where parents do not. A few
// levels are searched breadth-first from one vertex, which takes a grid with barriers. Then the vertices outside look
// for a neighbor among the members, pass after pass; who joins in a pass is seen by those that look later. Nothing has
// to be complete: members are connected at any time, and the finish unites whatever lies outside.
#pragma once
#include "bits.cuh"
#include "search.cuh"

namespace lb::gpu {

static_assert(word_joined + 1 + member_passes == word_outside, "a word for the levels, and one for each pass");

__device__ inline i64 bit_words(i64 vertices) { return (vertices + warp_threads - 1) / warp_threads; }

// Vertices that the lanes of a warp queue one by one, written together: the one counter of a queue takes about 2 ns
// each time it is moved.
template <class Id>
struct QueuedVertices {
  static constexpr u32 places = queued_bytes / sizeof(Id) / warp_threads * warp_threads;
  Id of[places];
};
template <class Id>
struct VertexQueue {
  Id* queue;
  u64 places;  // of the queue: what comes when they are taken is counted and not stored
  u64* tail;   // how many vertices were queued
  QueuedVertices<Id>* own;
  u32 count = 0;  // the same in all lanes

  // All lanes call it.
  __device__ void add(bool adds, Id y) {
    const unsigned some = __ballot_sync(0xffffffffu, adds);
    if (adds) own->of[count + static_cast<u32>(__popc(some & lanes_below()))] = y;
    count += static_cast<u32>(__popc(some));
    if (count > QueuedVertices<Id>::places - warp_threads) flush();
  }
  __device__ void flush() {
    __syncwarp();
    if (count == 0) return;
    u64 base = 0;
    if (lane() == 0) base = atomicAdd(tail, static_cast<u64>(count));
    base = __shfl_sync(0xffffffffu, base, 0);
    for (u32 i = lane(); i < count && base + i < places; i += warp_threads) device::store(queue + base + i, own->of[i]);
    __syncwarp();
    count = 0;
  }
};

// What the threads of a search from one vertex share. Members reach their neighbors: those that are no members join,
// and are queued. All lanes of a warp call the functions.
template <class Id, class T, class O, class Reached>
struct MemberSearch {
  const Csr<T, O>& g;
  const SetOnlyBits members;
  const Reached& reached;
  VertexQueue<Id> queue;
  u64 joined = 0, width = 0, lowest = none<u64>, every = 1;

  // Edge a of x, if it `exists`.
  __device__ void reach(bool exists, i64 a, i64 x) {
    const Id y = exists ? static_cast<Id>(g.neighbors[a]) : Id{0};
    const bool joins = exists && !members.has(static_cast<u64>(y)) && members.add(static_cast<u64>(y));
    queue.add(joins, y);
    if (joins) {
      reached.add(a, static_cast<Id>(x), y);
      ++joined;
      if (static_cast<u64>(y) < lowest) lowest = static_cast<u64>(y);
      // The edges of the next level, by one vertex in `every`, a power of two.
      if ((static_cast<u64>(y) & (every - 1)) == 0) width += static_cast<u64>(g.end(y) - g.begin(y)) * every;
    }
    reached.pause();
  }
  // All edges of x, for all threads of the grid.
  __device__ void expand(i64 x) {
    const i64 end = g.end(x);
    for (i64 first = g.begin(x) + thread_in_grid() - static_cast<i64>(lane()); first < end;
         first += threads_in_grid()) {
      const i64 a = first + static_cast<i64>(lane());
      reach(a < end, a, x);
    }
  }
  // The first edges of some vertices, each by a few lanes: to walk along a row takes longer than to read it. The others
  // are found by those that they lead to.
  __device__ void expand(const Id* from, u64 count) {
    const u64 step = static_cast<u64>(threads_in_grid()) / expanding_lanes;
    const u64 first = static_cast<u64>(thread_in_grid() - static_cast<i64>(lane())) / expanding_lanes;
    for (u64 i = first; i < count; i += step) {
      const u64 at = i + lane() / expanding_lanes;
      const bool exists = at < count;
      const i64 x = exists ? static_cast<i64>(device::load(from + at)) : 0;
      const i64 begin = exists ? g.begin(x) : 0;
      i64 end = exists ? g.end(x) : 0;
      if (end - begin > most_expanded) end = begin + most_expanded;
      for (i64 a = begin + lane() % expanding_lanes; __any_sync(0xffffffffu, a < end); a += expanding_lanes) {
        reach(a < end, a, x);
      }
    }
  }
};

// A search from the vertex of largest degree among few random ones. It ends where the next level has a good share of
// all edges, which word_grew says, and where too few vertices join. A cooperative launch.
template <class Id, class T, class O, class Reached>
__device__ inline void search_largest(const CsrArrays<T, O>& graph, const Cells<Id>& cells,
                                      const SearchArrays<Id>& arrays, QueuedVertices<Id>* queued,
                                      const Reached& reached) {
  const Csr<T, O> g = view_of(graph);
  const i64 n = g.vertices, edges = g.end(n - 1);
  u64* const control = cells.control;
  u64 round = 0;
  for (i64 w = thread_in_grid(); w < bit_words(n); w += threads_in_grid()) {
    device::store(arrays.members + w, u32{0});
    device::store(arrays.isolated + w, u32{0});
  }
  const i64 source = widest_of_some(g, arrays.seed);
  grid_barrier(control + word_barrier, round);
  const u64 places = static_cast<u64>(arrays.places);
  MemberSearch<Id, T, O, Reached> search{
      g, {arrays.members}, reached, {arrays.queue, places, nullptr, queued + threadIdx.x / warp_threads}};
  if (thread_in_grid() == 0) {
    search.members.set(static_cast<u64>(source));
    search.joined = 1;
    device::store(control + word_lowest, static_cast<u64>(source));
  }
  grid_barrier(control + word_barrier, round);
  // A level counts in words of its own, so that one barrier is enough between two: when they are read, no thread adds
  // to them any more, and they are emptied before a level counts in them again.
  const Id* from = arrays.queue;
  u64 count = 1, all = 0, stored = 0;
  bool broad = false, last = false;
  for (int level = 0; level < most_levels; ++level) {
    u64* const words = control + word_level + 2 * (level % 3);
    search.queue.tail = words;
    search.queue.queue = arrays.queue + stored;
    search.queue.places = places - stored;
    search.every = all < few_joined ? 1 : width_share;
    if (level == 0)
      search.expand(source);
    else
      search.expand(from, count);
    search.queue.flush();
    add_counts(words + 1, search.width);
    search.width = 0;
    grid_barrier(control + word_barrier, round);
    const u64 joined = device::load(words), width = device::load(words + 1);
    // Members without a place are not expanded: passes find what they lead to.
    from = arrays.queue + stored;
    count = joined < places - stored ? joined : places - stored;
    stored += count;
    all += joined;
    const u64 share = static_cast<u64>(edges) / broad_share;
    broad = broad || width > share;
    if (thread_in_grid() == 0) {
      u64* const next_but_one = control + word_level + 2 * ((level + 2) % 3);
      device::store(next_but_one, u64{0});
      device::store(next_but_one + 1, u64{0});
      if (broad) device::store(control + word_grew, u64{1});
    }
    if (last || count == 0 || (level >= slow_levels && all < u64{1} << level)) break;
    // Of a broad level a part is searched, unless it has hubs: their neighbors find them soon.
    if (broad && width / joined > hub_share * static_cast<u64>(edges / n + 1)) break;
    if (broad) {
      const u64 part = joined * (share + 1) / width + 1;
      count = part < count ? part : count;
      last = true;
    }
  }
  lower_word(control + word_lowest, search.lowest);
  add_counts(control + word_joined, search.joined);
}

// The members that a search and so many passes have found.
__device__ inline u64 members_of(const u64* control, i64 passes) {
  u64 all = 0;
  for (i64 pass = 0; pass <= passes; ++pass) all += control[word_joined + pass];
  return all;
}

// One pass over the vertices outside: those with a member among their first neighbors join. A warp has the vertices of
// one word of bits, which no other writes. The first pass runs behind a search that grew, others while many are left.
template <class Id, class T, class O, class Reached>
__device__ inline void grow(const CsrArrays<T, O>& graph, const Cells<Id>& cells, const SearchArrays<Id>& arrays,
                            const Reached& reached) {
  const Csr<T, O> g = view_of(graph);
  const i64 n = g.vertices, number = arrays.number;
  u64* const control = cells.control;
  if (control[word_grew] == 0) return;
  const u64 settled = members_of(control, number - 1) + control[word_isolated];
  if (number > 1 && settled + static_cast<u64>(n / left_share) > static_cast<u64>(n)) return;
  const SetOnlyBits members{arrays.members};
  const i64 step = threads_in_grid() / warp_threads;
  u64 joined = 0, isolated = 0, lowest = none<u64>;
  for (i64 w = thread_in_grid() / warp_threads; w < bit_words(n); w += step, reached.pause()) {
    const u32 own = device::load(arrays.members + w);
    const u32 left = ~(own | (number > 1 ? arrays.isolated[w] : 0));
    if (left == 0) continue;
    const i64 x = w * warp_threads + static_cast<i64>(lane());
    const bool outside = x < n && (left >> lane() & 1) != 0;
    const i64 begin = outside ? g.begin(x) : 0;
    i64 end = outside ? g.end(x) : 0, at = -1;
    const bool alone = outside && begin == end;
    if (end - begin > most_looks) end = begin + most_looks;
    Id y = 0;
    for (i64 a = begin; a < end && at < 0; ++a) {
      y = static_cast<Id>(g.neighbors[a]);
      if (members.has(static_cast<u64>(y))) at = a;
    }
    const unsigned joins = __ballot_sync(0xffffffffu, at >= 0);
    if (joins != 0 && lane() == 0) device::store(arrays.members + w, own | joins);
    if (at >= 0) {
      ++joined;
      reached.add(at, static_cast<Id>(x), y);
      if (static_cast<u64>(x) < lowest) lowest = static_cast<u64>(x);
    }
    if (number > 1) continue;
    isolated += alone;
    const unsigned without = __ballot_sync(0xffffffffu, alone);
    if (without != 0 && lane() == 0 && graph.symmetric != 0) arrays.isolated[w] = without;
  }
  lower_word(control + word_lowest, lowest);
  add_counts(control + word_joined + number, joined);
  if (number == 1) add_isolated(control, isolated, graph.symmetric != 0);
}

template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads, member_blocks)
    search_members(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                   const __grid_constant__ SearchArrays<Id> arrays) {
  __shared__ QueuedVertices<Id> queued[search_threads / warp_threads];
  search_largest(graph, cells, arrays, queued, NoEdges{});
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, 8)
    grow_members(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ SearchArrays<Id> arrays) {
  grow(graph, cells, arrays, NoEdges{});
}

// The share of all vertices that members are, those without edges left out.
__device__ inline u64 member_coverage(const u64* control, i64 n) {
  const u64 members = members_of(control, member_passes), with_edges = static_cast<u64>(n) - control[word_isolated];
  return members >= with_edges ? coverage_scale : members * coverage_scale / with_edges;
}
// Whether members are so many that cells of others alone are looked at, in all that follows.
__device__ inline bool members_are_most(u64 coverage) { return coverage >= coverage_scale / 2; }

// The members become one tree below the smallest of them, which the finish skips, and all others singletons. Leaves the
// links of the tree and its coverage in the control block, unless it stores the rest of the cells alone.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    adopt_members(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ Adoption adoption) {
  const i64 n = graph.vertices;
  u64* const control = cells.control;
  const Id smallest = static_cast<Id>(control[word_lowest]);
  const u64 coverage = member_coverage(control, n);
  const bool some = members_are_most(coverage) && adoption.which != Adopted::all;
  const bool later = adoption.which == Adopted::rest;
  if (thread_in_grid() == 0 && !later) {
    control[word_skip] = static_cast<u64>(smallest);
    control[word_links] = members_of(control, member_passes) - 1;
    control[word_coverage] = coverage;
  }
  if (later && !some) return;
  const DeviceMemory<Id> owner(cells.parent);
  // A lane looks at a word, and all lanes at the vertices of those where some are stored.
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < bit_words(n); first += threads_in_grid()) {
    const i64 w = first + static_cast<i64>(lane());
    const u32 of_tree = w < bit_words(n) ? arrays.members[w] : 0;
    u32 stored = ~u32{0};
    if (some) {
      const u32 apart = of_tree | (w < bit_words(n) ? arrays.isolated[w] : 0);
      const u32 own = static_cast<i64>(smallest) / warp_threads == w ? u32{1} << (smallest % warp_threads) : 0;
      stored = later ? apart & ~own : ~apart | own;
    }
    for (unsigned words = __ballot_sync(0xffffffffu, stored != 0); words != 0; words &= words - 1) {
      const int of = __ffs(static_cast<int>(words)) - 1;
      const i64 x = (first + of) * warp_threads + static_cast<i64>(lane());
      const bool member = (__shfl_sync(0xffffffffu, of_tree, of) >> lane() & 1) != 0;
      const bool stores = (__shfl_sync(0xffffffffu, stored, of) >> lane() & 1) != 0;
      if (stores && x < n) owner.store(static_cast<Id>(x), member ? smallest : static_cast<Id>(x));
    }
  }
}

// Of a word of bits: the vertices outside. The last word may name some that do not exist.
template <class Id>
__device__ inline u32 outside_of(const SearchArrays<Id>& arrays, i64 w) {
  return ~(arrays.members[w] | arrays.isolated[w]);
}

// Queues the vertices outside that have edges: those with the longest rows for all blocks, others gathered. Where these
// are more than the queue has places, their number alone is of use.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    list_outside(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ RowQueues<Id> queues,
                 const __grid_constant__ RowSchedule rows) {
  __shared__ QueuedVertices<Id> queued[block_threads / warp_threads];
  const Csr<T, O> g = view_of(graph);
  const i64 n = g.vertices;
  u64* const control = cells.control;
  if (!runs(control, rows.run_if, rows.bound)) return;
  if (thread_in_grid() == 0) control[word_outside] = static_cast<u64>(n) - members_of(control, member_passes);
  VertexQueue<Id> gathered{arrays.queue, static_cast<u64>(arrays.places), control + word_gathered,
                           queued + threadIdx.x / warp_threads};
  // A lane looks at a word, and all lanes at the vertices of those where some are left.
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < bit_words(n); first += threads_in_grid()) {
    const i64 w = first + static_cast<i64>(lane());
    const u32 left = w < bit_words(n) ? outside_of(arrays, w) : 0;
    for (unsigned some = __ballot_sync(0xffffffffu, left != 0); some != 0; some &= some - 1) {
      const int of = __ffs(static_cast<int>(some)) - 1;
      const i64 x = (first + of) * warp_threads + static_cast<i64>(lane());
      const bool outside = (__shfl_sync(0xffffffffu, left, of) >> lane() & 1) != 0 && x < n;
      const i64 row = outside ? g.end(x) - g.begin(x) : 0;
      gathered.add(row > 0 && row <= block_row, static_cast<Id>(x));
      if (row > block_row) queues.huge[atomicAdd(control + word_huge, u64{1})] = static_cast<Id>(x);
    }
  }
  gathered.flush();
}

}  // namespace lb::gpu

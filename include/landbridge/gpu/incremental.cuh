// Batches of a stream: inserts, queries, and both in one kernel. Every kernel leaves out ids that have no cell and says
// so in the control block, so no array of ids can make it write outside of its arrays.
#pragma once
#include "../phase/query.hpp"
#include "layout/streams.hpp"
#include "unite_edge.cuh"

namespace lb::gpu {

constexpr int warp_edges = lane_edges * warp_threads;
// Blocks per multiprocessor while edges are inserted: cache look-ups need many warps with few registers each.
template <class Cell>
constexpr int insert_blocks = sizeof(Cell) == 4 ? 6 : 4;
// The members of the largest tree decide once it holds one in so many of the vertices.
constexpr u64 worth_marking = 8;

// What a thread does with a link it makes.
template <class Id>
struct OnStreamLink {
  u32* links;
  const LinkEdges<Id>& edges;
  u64 position;
  Id u, v;
  template <class Root>
  LB_FN void operator()(Root root) const {
    ++*links;
    if (edges.position == nullptr) return;
    edges.position[root] = position;
    edges.u[root] = u;
    edges.v[root] = v;
  }
};

// The position of operation i in the stream.
__device__ inline u64 position_of(const Inserts& inserts, i64 i) {
  return inserts.first + (inserts.at == nullptr ? static_cast<u64>(i) : inserts.at[i]);
}

// The vertices of `growth` become singletons.
template <class Link, class Id>
__global__ void begin_cells(const Cells<Id> cells, const LinkEdges<Id> edges, const Growth growth) {
  for (i64 i = growth.begin + thread_in_grid(); i < growth.end; i += threads_in_grid()) {
    if constexpr (Link::ranked)
      cells.words[i] = RankedCell::root(0);
    else
      cells.parent[i] = static_cast<Id>(i);
    if constexpr (Link::uses_aux) cells.aux[i] = none<Id>;
    if (edges.u != nullptr) edges.u[i] = none<Id>;
  }
}

// Bits of vertices, which are only ever set.
struct SetOnlyBits {
  u32* words;
  __device__ bool has(u64 x) const { return (device::load_weak(words + (x >> 5)) >> (x & 31) & 1) != 0; }
  __device__ void set(u64 x) const { atomicOr(words + (x >> 5), u32{1} << (x & 31)); }
};

// Four ids in a row, read once: they leave the caches to the parents.
__device__ inline void read_four(const u32* p, u32 (&x)[lane_edges]) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(p));
  x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}
__device__ inline void read_four(const u64* p, u64 (&x)[lane_edges]) {
  const auto* pairs = reinterpret_cast<const ulonglong2*>(p);
  const ulonglong2 low = __ldcs(pairs), high = __ldcs(pairs + 1);
  x[0] = low.x, x[1] = low.y, x[2] = high.x, x[3] = high.y;
}

// An edge list of which a warp reads warp_edges at a time. Ids from `bound` on have no cell.
template <class T>
struct WarpEdges {
  const T* u;
  const T* v;
  i64 u_stride, v_stride;
  u64 bound;
  bool in_fours;  // whether each lane may read its edges in one access

  __device__ WarpEdges(const EdgeArrays<T>& edges, i64 begin, i64 vertices)
      : u(edges.u), v(edges.v), u_stride(edges.u_stride), v_stride(edges.v_stride), bound(static_cast<u64>(vertices)) {
    in_fours = u_stride == 1 && v_stride == 1 &&
               ((reinterpret_cast<u64>(u + begin) | reinterpret_cast<u64>(v + begin)) & 15) == 0;
  }
  // Where edge k of this lane lies behind the warp's first.
  __device__ i64 place(int k) const {
    return in_fours ? static_cast<i64>(lane()) * lane_edges + k
                    : static_cast<i64>(k) * warp_threads + static_cast<i64>(lane());
  }
  // The ids of this lane's edges from `base` on. Returns the bits of the edges that exist: those before `end`.
  __device__ u32 read(i64 base, i64 end, T (&x)[lane_edges], T (&y)[lane_edges]) const {
    if (in_fours && base + warp_edges <= end) {
      read_four(u + base + place(0), x);
      read_four(v + base + place(0), y);
      return (1u << lane_edges) - 1;
    }
    u32 exist = 0;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const i64 i = base + place(k);
      x[k] = y[k] = 0;
      if (i < end) x[k] = u[i * u_stride], y[k] = v[i * v_stride], exist |= 1u << k;
    }
    return exist;
  }
  // The same as vertices; an edge with an endpoint that has no cell does not exist.
  template <class Vertex>
  __device__ u32 load(i64 base, i64 end, Vertex (&a)[lane_edges], Vertex (&b)[lane_edges], bool& outside) const {
    T x[lane_edges], y[lane_edges];
    u32 exist = read(base, end, x, y);
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const bool inside = static_cast<u64>(x[k]) < bound && static_cast<u64>(y[k]) < bound;
      if (!inside) exist &= ~(1u << k), outside = true;
      a[k] = inside ? static_cast<Vertex>(x[k]) : Vertex{0};
      b[k] = inside ? static_cast<Vertex>(y[k]) : Vertex{0};
    }
    return exist;
  }
};

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

// Inserts a range of edges, fewer than 2^32. Most edges of a long stream join what is joined. They are dropped at their
// first look-up: both endpoints are members of the largest tree or, while that is small or not marked, have the same
// parent. The others wait in shared memory until there is one for each lane of the warp. What is united with a member
// becomes a member, too.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    insert_edges(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                 const Inserts inserts, const LargestTree largest) {
  using F = ForestOf<Link, Id>;
  using M = typename F::Memory;
  using Vertex = typename F::Id;
  constexpr int places = warp_edges + warp_threads;
  __shared__ Id waiting_u[block_threads / warp_threads][places], waiting_v[block_threads / warp_threads][places];
  __shared__ u32 waiting_at[block_threads / warp_threads][places];
  const auto forest = forest_of<Link>(cells);
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const i64 begin = inserts.begin, end = inserts.end;
  const WarpEdges<T> batch(edges, begin, cells.vertices);
  const SetOnlyBits tree{largest.members};
  const bool by_tree = largest.members != nullptr &&
                       largest.control[tree_word_vertices] * worth_marking >= static_cast<u64>(cells.vertices);
  u32 links = 0;
  bool outside = false;
  int waiting = 0;

  const auto unite = [&](int place) {
    const Vertex a = waiting_u[warp][place], b = waiting_v[warp][place];
    const u64 position = position_of(inserts, begin + static_cast<i64>(waiting_at[warp][place]));
    phase::UniteRun<Link, F> run(forest);
    run.edge(a, b, OnStreamLink<Id>{&links, link_edges, position, static_cast<Id>(a), static_cast<Id>(b)});
    if (!by_tree) return;
    const bool in_a = tree.has(a), in_b = tree.has(b);
    if (in_a != in_b)
      tree.set(in_a ? b : a);
    else if (!in_a && tree.has(M::parent(forest.parent.load_stale(a), a)))
      tree.set(a), tree.set(b);
  };

  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = begin + thread_in_grid() / warp_threads * warp_edges; base < end; base += step) {
    Vertex a[lane_edges], b[lane_edges];
    const u32 exist = batch.load(base, end, a, b, outside);
    const u32 remain = exist & ~(by_tree ? within_tree(largest.members, a, b) : with_one_parent(forest.parent, a, b));
    if (!__any_sync(0xffffffffu, remain != 0)) continue;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const bool remains = (remain >> k & 1) != 0;
      const unsigned lanes = __ballot_sync(0xffffffffu, remains);
      if (remains) {
        const int place = waiting + __popc(lanes & lanes_below());
        waiting_u[warp][place] = static_cast<Id>(a[k]);
        waiting_v[warp][place] = static_cast<Id>(b[k]);
        waiting_at[warp][place] = static_cast<u32>(base + batch.place(k) - begin);
      }
      waiting += __popc(lanes);
    }
    __syncwarp();
    while (waiting >= warp_threads) {
      waiting -= warp_threads;
      unite(waiting + static_cast<int>(lane()));
      __syncwarp();
    }
  }
  if (static_cast<int>(lane()) < waiting) unite(static_cast<int>(lane()));
  add_counts(inserts.control + stream_word_links, links);
  if (outside) inserts.control[stream_word_outside] = 1;
}

// Each edge of a range once: an endpoint that is still the root of its tree and larger than the other endpoint becomes
// a child of that. `linked` has the bits of the vertices that are no roots; null reads the parents instead, which is
// faster where edges follow each other in memory. An edge whose larger endpoint was no root has to be inserted
// afterwards.
template <class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    hook_edges(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges, const Inserts inserts,
               const VertexBits linked) {
  const DeviceMemory<Id> m(cells.parent);
  const i64 end = inserts.end;
  const WarpEdges<T> batch(edges, inserts.begin, cells.vertices);
  const SetOnlyBits below{linked.words};
  u32 links = 0;
  bool outside = false;
  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = inserts.begin + thread_in_grid() / warp_threads * warp_edges; base < end; base += step) {
    Id a[lane_edges], b[lane_edges];
    u32 roots = batch.load(base, end, a, b, outside);
    u32 turned = 0;  // whose larger endpoint is the second
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if (a[k] < b[k]) swap(a[k], b[k]), turned |= 1u << k;
    }
    u32 children = 0;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const bool child = below.words == nullptr ? m.load_stale(a[k]) != a[k] : below.has(a[k]);
      children |= (child || a[k] == b[k] ? 1u : 0u) << k;
    }
    roots &= ~children;
    if (roots == 0) continue;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((roots >> k & 1) == 0) continue;
      if (m.compare_exchange(a[k], a[k], b[k]) == a[k]) {
        const u64 position = position_of(inserts, base + batch.place(k));
        const bool back = (turned >> k & 1) != 0;
        OnStreamLink<Id>{&links, link_edges, position, back ? b[k] : a[k], back ? a[k] : b[k]}(a[k]);
      }
      if (below.words != nullptr) below.set(a[k]);
    }
  }
  add_counts(inserts.control + stream_word_links, links);
}

// Bit x of `linked`: whether x is no root. Words behind the last vertex's are not written.
template <class Id>
__global__ void mark_linked(const Cells<Id> cells, const VertexBits linked) {
  const i64 n = cells.vertices;
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const unsigned word = __ballot_sync(0xffffffffu, x < n && cells.parent[x] != static_cast<Id>(x));
    if (lane() == 0) linked.words[x / warp_threads] = word;
  }
}

// Bit x of the members: whether the parent of x is word_skip. Every cell holds its root.
template <class Id>
__global__ void mark_tree(const Cells<Id> cells, const LargestTree largest) {
  const Id root = static_cast<Id>(cells.control[word_skip]);
  const i64 n = cells.vertices;
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  u64 members = 0;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const bool member = x < n && cells.parent[x] == root;
    members += member;
    const unsigned word = __ballot_sync(0xffffffffu, member);
    if (lane() == 0) largest.members[x / warp_threads] = word;
  }
  add_counts(largest.control + tree_word_vertices, members);
}

// All operations of an edge list, an insert or a query each. An id without a cell is connected to itself alone; an
// insert of one is left out.
template <class Link, class Find, class Read, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    run_operations(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                   const OperationRun run) {
  const auto forest = forest_of<Link>(cells);
  using F = ForestOf<Link, Id>;
  using Vertex = typename F::Id;
  const u64 bound = static_cast<u64>(cells.vertices);
  const i64 count = edges.edges;
  u32 links = 0;
  bool outside = false;
  // Whole warps, so that all lanes vote.
  const i64 end = (count + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < end; i += threads_in_grid()) {
    bool connected = false;
    if (i < count) {
      const T x = edges.u[i * edges.u_stride], y = edges.v[i * edges.v_stride];
      const bool inside = static_cast<u64>(x) < bound && static_cast<u64>(y) < bound;
      const auto a = static_cast<Vertex>(x), b = static_cast<Vertex>(y);
      if (run.is_query == nullptr || run.is_query[i] != 0) {
        if (run.queries != 0) connected = inside ? phase::same<Find, Read>(forest.parent, a, b) : x == y;
      } else if (run.inserts != 0) {
        outside |= !inside;
        if (inside) {
          phase::UniteRun<Link, F> unite(forest);
          unite.edge(a, b,
                     OnStreamLink<Id>{&links, link_edges, run.first + static_cast<u64>(i), static_cast<Id>(x),
                                      static_cast<Id>(y)});
        }
      }
    }
    if (run.queries != 0) {
      const unsigned word = __ballot_sync(0xffffffffu, connected);
      if (lane() == 0) run.answers[i / warp_threads] = word;
    }
  }
  add_counts(run.control + stream_word_links, links);
  if (outside) run.control[stream_word_outside] = 1;
}

// One byte for each bit.
template <class Answer>
__global__ void spread_bits(const AnswerSpread<Answer> spread) {
  for (i64 i = thread_in_grid(); i < spread.count; i += threads_in_grid()) {
    spread.answers[i] = static_cast<Answer>((spread.packed[i / warp_threads] >> (i % warp_threads)) & 1);
  }
}

// The largest id of inserts and the first id at fault: a negative one is a huge one. With `near` from 0 on also how the
// endpoints of edges lie to each other.
template <class T>
__global__ void check_batch(const EdgeArrays<T> edges, const BatchCheck check) {
  const WarpEdges<T> batch(edges, 0, 0);
  const i64 count = edges.edges;
  u64 vertices = 0, refused = 0;
  u32 near = 0, descents = 0;
  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = thread_in_grid() / warp_threads * warp_edges; base < count; base += step) {
    T x[lane_edges], y[lane_edges];
    const u32 exist = batch.read(base, count, x, y);
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((exist >> k & 1) == 0) continue;
      const i64 i = base + batch.place(k);
      const u64 a = static_cast<u64>(x[k]), b = static_cast<u64>(y[k]);
      const u64 larger = a < b ? b : a, smaller = a < b ? a : b;
      if (larger >= check.limit) {
        const u64 from_end = static_cast<u64>(count - i);
        refused = refused < from_end ? from_end : refused;
      } else if (check.is_query == nullptr || check.is_query[i] == 0) {
        vertices = vertices <= larger ? larger + 1 : vertices;
      }
      near += larger - smaller <= static_cast<u64>(check.near);
      if (batch.in_fours)
        descents += k > 0 && x[k] < x[k - 1];
      else if (check.near >= 0 && i > 0)
        descents += x[k] < edges.u[(i - 1) * edges.u_stride];
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    const u64 n = __shfl_down_sync(0xffffffffu, vertices, d), r = __shfl_down_sync(0xffffffffu, refused, d);
    vertices = n > vertices ? n : vertices;
    refused = r > refused ? r : refused;
  }
  if (lane() == 0) {
    if (vertices != 0) atomicMax(check.report + batch_word_vertices, vertices);
    if (refused != 0) atomicMax(check.report + batch_word_refused, refused);
  }
  if (check.near < 0) return;
  const u64 all_near = block_sum(near), all_descents = block_sum(descents);
  if (threadIdx.x == 0) {
    atomicAdd(check.report + batch_word_near, all_near);
    atomicAdd(check.report + batch_word_descents, all_descents);
  }
}

}  // namespace lb::gpu

// Batches of a stream: inserts, queries, and both in one kernel. Every kernel skips ids that have no cell and says so
// in the control block, so no array of ids can make it touch what is not its own.
#pragma once
#include "../phase/query.hpp"
#include "kernels.cuh"

namespace lb::gpu {

// Edges a lane has in flight: what is asked of their ends is asked together.
constexpr int several = 4;
constexpr int warp_edges = several * warp_threads;
// Blocks a multiprocessor holds while edges are inserted: lookups in caches want many warps, and few registers each.
template <class Cell>
constexpr int insert_blocks = sizeof(Cell) == 4 ? 6 : 4;
// Marks decide once the marked tree holds one in so many of the vertices.
constexpr u64 worth_marking = 8;

// The operation that cost a root its place, in three arrays with a cell for each vertex; null where no forest is kept.
template <class Id>
struct Owners {
  u64* position;
  Id* u;
  Id* v;
};

// What a thread does with a link it makes.
template <class Id>
struct Linked {
  u32* links;
  const Owners<Id>& owners;
  u64 position;
  Id u, v;
  template <class Root>
  LB_FN void operator()(Root root) const {
    ++*links;
    if (owners.position == nullptr) return;
    owners.position[root] = position;
    owners.u[root] = u;
    owners.v[root] = v;
  }
};

// Vertices [from, to) become singletons.
template <class Link, class Id>
__global__ void begin_cells(Id* parent, u64* words, Id* aux, Id* owner_u, i64 from, i64 to) {
  for (i64 i = from + thread_in_grid(); i < to; i += threads_in_grid()) {
    if constexpr (Link::ranked)
      words[i] = RankedCell::root(0);
    else
      parent[i] = static_cast<Id>(i);
    if constexpr (Link::uses_aux) aux[i] = none<Id>;
    if (owner_u != nullptr) owner_u[i] = none<Id>;
  }
}

// Bits of vertices, which are only ever set.
struct Marks {
  u32* words;
  __device__ bool has(u64 x) const { return (device::load_weak(words + (x >> 5)) >> (x & 31) & 1) != 0; }
  __device__ void set(u64 x) const { atomicOr(words + (x >> 5), u32{1} << (x & 31)); }
};

// Four ids in a row, read once: they leave the caches to the parents.
__device__ inline void read_four(const u32* p, u32 (&x)[several]) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(p));
  x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}
__device__ inline void read_four(const u64* p, u64 (&x)[several]) {
  const auto* pairs = reinterpret_cast<const ulonglong2*>(p);
  const ulonglong2 low = __ldcs(pairs), high = __ldcs(pairs + 1);
  x[0] = low.x, x[1] = low.y, x[2] = high.x, x[3] = high.y;
}

// A batch in device memory, of which a warp takes warp_edges at a time.
template <class T>
struct Batch {
  const T* u;
  const T* v;
  i64 u_stride, v_stride;
  u64 known;      // ids from here on have no cell
  bool in_fours;  // whether each lane may read its edges at once

  __device__ Batch(const T* a, const T* b, i64 a_stride, i64 b_stride, i64 first, i64 cells)
      : u(a), v(b), u_stride(a_stride), v_stride(b_stride), known(static_cast<u64>(cells)) {
    in_fours = u_stride == 1 && v_stride == 1 &&
               ((reinterpret_cast<u64>(u + first) | reinterpret_cast<u64>(v + first)) & 15) == 0;
  }
  // Where edge k of this lane lies behind the warp's first.
  __device__ i64 place(int k) const {
    return in_fours ? static_cast<i64>(lane()) * several + k
                    : static_cast<i64>(k) * warp_threads + static_cast<i64>(lane());
  }
  // The ids of this lane's edges from `base` on, and which of them are there: those before `to`.
  __device__ u32 read(i64 base, i64 to, T (&x)[several], T (&y)[several]) const {
    if (in_fours && base + warp_edges <= to) {
      read_four(u + base + place(0), x);
      read_four(v + base + place(0), y);
      return (1u << several) - 1;
    }
    u32 here = 0;
#pragma unroll
    for (int k = 0; k < several; ++k) {
      const i64 i = base + place(k);
      x[k] = y[k] = 0;
      if (i < to) x[k] = u[i * u_stride], y[k] = v[i * v_stride], here |= 1u << k;
    }
    return here;
  }
  // The same as vertices; an edge with an end that has no cell is not there.
  template <class Vertex>
  __device__ u32 take(i64 base, i64 to, Vertex (&a)[several], Vertex (&b)[several], bool& beyond) const {
    T x[several], y[several];
    u32 here = read(base, to, x, y);
#pragma unroll
    for (int k = 0; k < several; ++k) {
      const bool inside = static_cast<u64>(x[k]) < known && static_cast<u64>(y[k]) < known;
      if (!inside) here &= ~(1u << k), beyond = true;
      a[k] = inside ? static_cast<Vertex>(x[k]) : Vertex{0};
      b[k] = inside ? static_cast<Vertex>(y[k]) : Vertex{0};
    }
    return here;
  }
};

// Inserts the edges [from, to), fewer than 2^32. Most edges of a long stream join what is joined. They are dropped at
// their first look: both ends are marked as members of one tree or, while that tree is small or `marks` is null, the
// cells of both, perhaps old ones, hold the same parent. The others wait in shared memory until there is one for each
// lane of the warp. Whatever is united with a marked vertex is marked, too. The position of edge i is at[i] + first, or
// first + i.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    insert_edges(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux, u64* owner,
                 Id* owner_u, Id* owner_v, const u64* at, u64 first, u64* control, i64 from, i64 to, i64 cells,
                 u32* marks, const u64* marked) {
  const auto forest = forest_of<Link>(parent, words, aux);
  using F = decltype(forest_of<Link>(parent, words, aux));
  using M = typename F::Memory;
  using Vertex = typename F::Id;
  constexpr int places = warp_edges + warp_threads;
  __shared__ Id waiting_u[block_threads / warp_threads][places], waiting_v[block_threads / warp_threads][places];
  __shared__ u32 waiting_at[block_threads / warp_threads][places];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const Owners<Id> owners{owner, owner_u, owner_v};
  const Batch<T> batch(u, v, u_stride, v_stride, from, cells);
  const Marks tree{marks};
  const bool by_marks = marks != nullptr && marked[word_count] * worth_marking >= static_cast<u64>(cells);
  u32 links = 0;
  bool beyond = false;
  int waits = 0;

  const auto unite = [&](int place) {
    const Vertex a = waiting_u[warp][place], b = waiting_v[warp][place];
    const u64 i = static_cast<u64>(from) + waiting_at[warp][place];
    const u64 position = first + (at == nullptr ? i : at[i]);
    phase::UniteRun<Link, F> run(forest);
    run.edge(a, b, Linked<Id>{&links, owners, position, static_cast<Id>(a), static_cast<Id>(b)});
    if (!by_marks) return;
    const bool in_a = tree.has(a), in_b = tree.has(b);
    if (in_a != in_b)
      tree.set(in_a ? b : a);
    else if (!in_a && tree.has(M::parent(forest.parent.load_stale(a), a)))
      tree.set(a), tree.set(b);
  };

  const i64 step = threads_in_grid() * several;
  for (i64 base = from + thread_in_grid() / warp_threads * warp_edges; base < to; base += step) {
    Vertex a[several], b[several];
    const u32 here = batch.take(base, to, a, b, beyond);
    u32 dropped = 0;
    if (by_marks) {
      u32 both[several];
#pragma unroll
      for (int k = 0; k < several; ++k) {
        both[k] = device::load_weak(marks + (a[k] >> 5)) >> (a[k] & 31) &
                  device::load_weak(marks + (b[k] >> 5)) >> (b[k] & 31);
      }
#pragma unroll
      for (int k = 0; k < several; ++k) dropped |= (both[k] & 1) << k;
    } else {
      Vertex parent_a[several], parent_b[several];
#pragma unroll
      for (int k = 0; k < several; ++k) {
        parent_a[k] = M::parent(forest.parent.load_stale(a[k]), a[k]);
        parent_b[k] = M::parent(forest.parent.load_stale(b[k]), b[k]);
      }
#pragma unroll
      for (int k = 0; k < several; ++k) dropped |= (parent_a[k] == parent_b[k] ? 1u : 0u) << k;
    }
    const u32 kept = here & ~dropped;
    if (!__any_sync(0xffffffffu, kept != 0)) continue;
#pragma unroll
    for (int k = 0; k < several; ++k) {
      const bool mine = (kept >> k & 1) != 0;
      const unsigned some = __ballot_sync(0xffffffffu, mine);
      if (mine) {
        const int place = waits + __popc(some & lanes_below());
        waiting_u[warp][place] = static_cast<Id>(a[k]);
        waiting_v[warp][place] = static_cast<Id>(b[k]);
        waiting_at[warp][place] = static_cast<u32>(base + batch.place(k) - from);
      }
      waits += __popc(some);
    }
    __syncwarp();
    while (waits >= warp_threads) {
      waits -= warp_threads;
      unite(waits + static_cast<int>(lane()));
      __syncwarp();
    }
  }
  if (static_cast<int>(lane()) < waits) unite(static_cast<int>(lane()));
  add_links(control, links);
  if (beyond) control[word_outside] = 1;
}

// Edges [from, to), seen once: an end that is still the root of its tree and larger than the other end is hung below
// that. `linked` marks the vertices that are no roots; null looks at the parents instead, which is faster where edges
// follow each other in memory. An edge whose larger end was no root has to be inserted afterwards.
template <class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    hook_edges(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* owner, Id* owner_u, Id* owner_v,
               const u64* at, u64 first, u64* control, i64 from, i64 to, i64 cells, u32* linked) {
  const DeviceMemory<Id> m(parent);
  const Owners<Id> owners{owner, owner_u, owner_v};
  const Batch<T> batch(u, v, u_stride, v_stride, from, cells);
  const Marks below{linked};
  u32 links = 0;
  bool beyond = false;
  const i64 step = threads_in_grid() * several;
  for (i64 base = from + thread_in_grid() / warp_threads * warp_edges; base < to; base += step) {
    Id a[several], b[several];
    u32 roots = batch.take(base, to, a, b, beyond);
    u32 turned = 0;  // whose larger end is the second
#pragma unroll
    for (int k = 0; k < several; ++k) {
      if (a[k] < b[k]) swap(a[k], b[k]), turned |= 1u << k;
    }
    u32 hung = 0;
#pragma unroll
    for (int k = 0; k < several; ++k) {
      const bool child = linked == nullptr ? m.load_stale(a[k]) != a[k] : below.has(a[k]);
      hung |= (child || a[k] == b[k] ? 1u : 0u) << k;
    }
    roots &= ~hung;
    if (roots == 0) continue;
#pragma unroll
    for (int k = 0; k < several; ++k) {
      if ((roots >> k & 1) == 0) continue;
      if (m.compare_exchange(a[k], a[k], b[k]) == a[k]) {
        const u64 i = static_cast<u64>(base + batch.place(k));
        const bool back = (turned >> k & 1) != 0;
        Linked<Id>{&links, owners, first + (at == nullptr ? i : at[i]), back ? b[k] : a[k], back ? a[k] : b[k]}(a[k]);
      }
      if (linked != nullptr) below.set(a[k]);
    }
  }
  add_links(control, links);
}

// Bit x of `marks`: whether x is no root. Words behind the last vertex's are not touched.
template <class Id>
__global__ void mark_linked(const Id* parent, i64 n, u32* marks) {
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const unsigned word = __ballot_sync(0xffffffffu, x < n && parent[x] != static_cast<Id>(x));
    if (lane() == 0) marks[x / warp_threads] = word;
  }
}

// Bit x of `marks`: whether x hangs at marked[word_skip]. Every cell holds its root. marked[word_count] counts them.
template <class Id>
__global__ void mark_tree(const Id* parent, i64 n, u64* marked, u32* marks) {
  const Id root = static_cast<Id>(marked[word_skip]);
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  u64 members = 0;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const bool member = x < n && parent[x] == root;
    members += member;
    const unsigned word = __ballot_sync(0xffffffffu, member);
    if (lane() == 0) marks[x / warp_threads] = word;
  }
  members = block_sum(members);
  if (threadIdx.x == 0 && members != 0) atomicAdd(marked + word_count, members);
}

// Operations [0, count), an insert or a query each, `what` telling which run: bit 0 inserts, bit 1 queries. is_query
// null: all are queries. Bit i % 32 of bits[i / 32] is 1 iff operation i is a query of two connected vertices. An id
// without a cell is connected to itself alone; an insert of one is skipped.
template <class Link, class Find, class Read, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    run_operations(const T* u, const T* v, i64 u_stride, i64 v_stride, const u8* is_query, Id* parent, u64* words,
                   Id* aux, u64* owner, Id* owner_u, Id* owner_v, u64 first, u64* control, i64 count, i64 cells,
                   u32* bits, i64 what) {
  const auto forest = forest_of<Link>(parent, words, aux);
  using F = decltype(forest_of<Link>(parent, words, aux));
  using Vertex = typename F::Id;
  const Owners<Id> owners{owner, owner_u, owner_v};
  const u64 known = static_cast<u64>(cells);
  u32 links = 0;
  bool beyond = false;
  // Whole warps, so that all lanes vote.
  const i64 end = (count + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < end; i += threads_in_grid()) {
    bool yes = false;
    if (i < count) {
      const T x = u[i * u_stride], y = v[i * v_stride];
      const bool here = static_cast<u64>(x) < known && static_cast<u64>(y) < known;
      const auto a = static_cast<Vertex>(x), b = static_cast<Vertex>(y);
      if (is_query == nullptr || is_query[i] != 0) {
        if ((what & 2) != 0) yes = here ? phase::same<Find, Read>(forest.parent, a, b) : x == y;
      } else if ((what & 1) != 0) {
        beyond |= !here;
        if (here) {
          phase::UniteRun<Link, F> run(forest);
          run.edge(a, b,
                   Linked<Id>{&links, owners, first + static_cast<u64>(i), static_cast<Id>(x), static_cast<Id>(y)});
        }
      }
    }
    if ((what & 2) != 0) {
      const unsigned word = __ballot_sync(0xffffffffu, yes);
      if (lane() == 0) bits[i / warp_threads] = word;
    }
  }
  add_links(control, links);
  if (beyond) control[word_outside] = 1;
}

// One byte for each bit.
template <class Answer>
__global__ void spread_bits(const u32* bits, Answer* answers, i64 count) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    answers[i] = static_cast<Answer>((bits[i / warp_threads] >> (i % warp_threads)) & 1);
  }
}

// The largest id of inserts (all, where is_query is null) in control[word_lowest], one more than it; a negative one
// shows as a huge one. In control[word_next], how many operations from the end the first id at fault stands, for signed
// ids. With `near` from 0 on also how the batch looks: in control[word_frontier] how many pairs are no further apart
// than that, in control[word_grew] how many begin below the one before them, of the pairs whose lane has both.
template <class T>
__global__ void largest_inserted(const T* u, const T* v, i64 u_stride, i64 v_stride, const u8* is_query, i64 count,
                                 u64 limit, u64* control, i64 near) {
  const Batch<T> batch(u, v, u_stride, v_stride, 0, 0);
  u64 most = 0, wrong = 0;
  u32 close = 0, falls = 0;
  const i64 step = threads_in_grid() * several;
  for (i64 base = thread_in_grid() / warp_threads * warp_edges; base < count; base += step) {
    T x[several], y[several];
    const u32 here = batch.read(base, count, x, y);
#pragma unroll
    for (int k = 0; k < several; ++k) {
      if ((here >> k & 1) == 0) continue;
      const i64 i = base + batch.place(k);
      const u64 a = static_cast<u64>(x[k]), b = static_cast<u64>(y[k]);
      const u64 larger = a < b ? b : a, smaller = a < b ? a : b;
      if (larger >= limit) {
        const u64 from_end = static_cast<u64>(count - i);
        wrong = wrong < from_end ? from_end : wrong;
      } else if (is_query == nullptr || is_query[i] == 0) {
        most = most <= larger ? larger + 1 : most;
      }
      close += larger - smaller <= static_cast<u64>(near);
      if (batch.in_fours)
        falls += k > 0 && x[k] < x[k - 1];
      else if (near >= 0 && i > 0)
        falls += x[k] < u[(i - 1) * u_stride];
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    const u64 m = __shfl_down_sync(0xffffffffu, most, d), w = __shfl_down_sync(0xffffffffu, wrong, d);
    most = m > most ? m : most;
    wrong = w > wrong ? w : wrong;
  }
  if (lane() == 0) {
    if (most != 0) atomicMax(control + word_lowest, most);
    if (wrong != 0) atomicMax(control + word_next, wrong);
  }
  if (near < 0) return;
  const u64 all_close = block_sum(close), all_falls = block_sum(falls);
  if (threadIdx.x == 0) {
    atomicAdd(control + word_frontier, all_close);
    atomicAdd(control + word_grew, all_falls);
  }
}

}  // namespace lb::gpu

// Batches of a stream: inserts, queries, and both in one kernel. Every kernel skips ids that have no cell and says so in the
// control block, so no array of ids can make it touch what is not its own.
#pragma once
#include "../phase/query.hpp"
#include "kernels.cuh"

namespace lb::gpu {

// Edges a thread has in flight: their parents are asked for together.
constexpr int several = 4;

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
    if constexpr (Link::ranked) words[i] = RankedCell::root(0);
    else parent[i] = static_cast<Id>(i);
    if constexpr (Link::uses_aux) aux[i] = none<Id>;
    if (owner_u != nullptr) owner_u[i] = none<Id>;
  }
}

// Inserts the edges [from, to). Most edges of a long stream join what is joined: pairs whose cells, perhaps old ones, hold the
// same parent are left before a rule looks at them. The position of edge i is at[i] + first, or first + i.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    insert_edges(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux, u64* owner, Id* owner_u,
                 Id* owner_v, const u64* at, u64 first, u64* control, i64 from, i64 to, i64 cells) {
  const auto forest = forest_of<Link>(parent, words, aux);
  using F = decltype(forest_of<Link>(parent, words, aux));
  using M = typename F::Memory;
  using Vertex = typename F::Id;
  const Owners<Id> owners{owner, owner_u, owner_v};
  const u64 known = static_cast<u64>(cells);
  u32 links = 0;
  bool beyond = false;
  constexpr i64 tile = block_threads * several;
  for (i64 base = from + static_cast<i64>(blockIdx.x) * tile; base < to; base += static_cast<i64>(gridDim.x) * tile) {
    Vertex a[several], b[several], above_a[several], above_b[several];
#pragma unroll
    for (int k = 0; k < several; ++k) {
      const i64 i = base + k * block_threads + static_cast<i64>(threadIdx.x);
      a[k] = b[k] = 0;
      if (i >= to) continue;
      const u64 x = static_cast<u64>(u[i * u_stride]), y = static_cast<u64>(v[i * v_stride]);
      const bool here = x < known && y < known;
      beyond |= !here;
      a[k] = here ? static_cast<Vertex>(x) : 0;
      b[k] = here ? static_cast<Vertex>(y) : 0;
    }
#pragma unroll
    for (int k = 0; k < several; ++k) {
      above_a[k] = M::parent(forest.parent.load_stale(a[k]), a[k]);
      above_b[k] = M::parent(forest.parent.load_stale(b[k]), b[k]);
    }
#pragma unroll
    for (int k = 0; k < several; ++k) {
      if (above_a[k] == above_b[k]) continue;
      const i64 i = base + k * block_threads + static_cast<i64>(threadIdx.x);
      const u64 position = at == nullptr ? first + static_cast<u64>(i) : first + at[i];
      phase::UniteRun<Link, F> run(forest);
      run.edge(a[k], b[k], Linked<Id>{&links, owners, position, static_cast<Id>(a[k]), static_cast<Id>(b[k])});
    }
  }
  add_links(control, links);
  if (beyond) control[word_outside] = 1;
}

// Operations [0, count), an insert or a query each, `what` telling which run: bit 0 inserts, bit 1 queries. is_query null:
// all are queries. Bit i % 32 of bits[i / 32] is 1 iff operation i is a query of two connected vertices. An id without a cell
// is connected to itself alone; an insert of one is skipped.
template <class Link, class Find, class Read, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    run_operations(const T* u, const T* v, i64 u_stride, i64 v_stride, const u8* is_query, Id* parent, u64* words, Id* aux,
                   u64* owner, Id* owner_u, Id* owner_v, u64 first, u64* control, i64 count, i64 cells, u32* bits, i64 what) {
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
          run.edge(a, b, Linked<Id>{&links, owners, first + static_cast<u64>(i), static_cast<Id>(x), static_cast<Id>(y)});
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

// The largest id of inserts (all, where is_query is null) in control[word_low], one more than it; a negative one shows as a
// huge one. In control[word_next], how many operations from the end the first id at fault stands, for signed ids.
template <class T>
__global__ void largest_inserted(const T* u, const T* v, i64 u_stride, i64 v_stride, const u8* is_query, i64 count, u64 limit,
                                 u64* control) {
  u64 most = 0, wrong = 0;
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const u64 x = static_cast<u64>(u[i * u_stride]), y = static_cast<u64>(v[i * v_stride]);
    const u64 larger = x < y ? y : x;
    if (larger >= limit) {
      const u64 from_end = static_cast<u64>(count - i);
      wrong = wrong < from_end ? from_end : wrong;
    } else if (is_query == nullptr || is_query[i] == 0) {
      most = most <= larger ? larger + 1 : most;
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    const u64 m = __shfl_down_sync(0xffffffffu, most, d), w = __shfl_down_sync(0xffffffffu, wrong, d);
    most = m > most ? m : most;
    wrong = w > wrong ? w : wrong;
  }
  if (lane() == 0) {
    if (most != 0) atomicMax(control + word_low, most);
    if (wrong != 0) atomicMax(control + word_next, wrong);
  }
}

}  // namespace lb::gpu

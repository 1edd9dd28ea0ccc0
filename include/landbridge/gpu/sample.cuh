// k-out sampling: k edges of every vertex are united.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

// What the schedules of a sampling share.
template <class Link, class Id, class T, class Hooks>
struct SampleBody {
  using F = ForestOf<Link, Id>;
  using Vertex = typename F::Id;
  using Run = phase::UniteRun<Link, F>;
  const F forest;
  const T* neighbors;
  const Hooks& hooks;
  u64* const control;

  // The edge of x at position `a`, to y.
  __device__ void operator()(Run& run, i64 x, T y, i64 a) const {
    unite_edge<Hooks::may_defer>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(y),
                                 hooks.of(a, static_cast<Id>(x), static_cast<Id>(y)), control);
  }
};

// A thread takes the k edges of a vertex. Whole warps take part, here and below, also past the last vertex.
template <class Choice, class G, class Body>
__device__ inline void sample_vertices(const G& g, const Sampling& sampling, const Body& unite) {
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < g.vertices;
       first += threads_in_grid(), unite.hooks.pause()) {
    const i64 x = first + static_cast<i64>(lane());
    const i64 begin = x < g.vertices ? g.begin(x) : 0;
    const i64 degree = x < g.vertices ? g.end(x) - begin : 0;
    if (degree == 0) continue;
    typename Body::Run run(unite.forest);
    for (int round = 0; round < static_cast<int>(sampling.k); ++round) {
      i64 place = 0;
      // Only the choice by degree reads all neighbors for its first edge.
      if (Choice::needs_degrees && round == 0) {
        i64 widest = -1;
        for (i64 a = 0; a < degree; ++a) {
          const i64 y = static_cast<i64>(unite.neighbors[begin + a]);
          const i64 width = g.end(y) - g.begin(y);
          if (width > widest) widest = width, place = a;
        }
      } else {
        place = Choice::arc(sampling.seed, static_cast<u64>(x), round, degree);
        if (place < 0) break;
      }
      unite(run, x, unite.neighbors[begin + place], begin + place);
    }
  }
}

// Neighboring threads take the k edges of a vertex.
template <class Choice, class G, class Body>
__device__ inline void sample_coalesced(const G& g, const Sampling& sampling, const Body& unite) {
  const i64 k = sampling.k, all = g.vertices * k;
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < all;
       first += threads_in_grid(), unite.hooks.pause()) {
    const i64 i = first + static_cast<i64>(lane());
    if (i >= all) continue;
    const i64 x = i / k;
    const i64 begin = g.begin(x);
    const i64 degree = g.end(x) - begin;
    const i64 place =
        degree == 0 ? -1 : Choice::arc(sampling.seed, static_cast<u64>(x), static_cast<int>(i % k), degree);
    if (place < 0) continue;
    typename Body::Run run(unite.forest);
    unite(run, x, unite.neighbors[begin + place], begin + place);
  }
}

// Pairs of threads load the first two neighbors of two vertices and exchange them.
template <class T, class G, class Body>
__device__ inline void sample_reorganised(const G& g, const Body& unite) {
  const i64 odd = static_cast<i64>(lane() & 1);
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < g.vertices;
       first += threads_in_grid(), unite.hooks.pause()) {
    const i64 base = first + static_cast<i64>(lane()) - odd;
    const auto load = [&](i64 x) -> T {
      if (x >= g.vertices) return 0;
      const i64 at = g.begin(x) + odd;
      return at < g.end(x) ? unite.neighbors[at] : T{0};
    };
    T mine = load(base);
    T other = load(base + 1);
    if (odd) swap(mine, other);
    other = __shfl_xor_sync(0xffffffffu, other, 1);
    if (odd) swap(mine, other);
    const i64 x = base + odd;
    if (x >= g.vertices) continue;
    const i64 begin = g.begin(x);
    const i64 degree = g.end(x) - begin;
    typename Body::Run run(unite.forest);
    if (degree > 0) unite(run, x, mine, begin);
    if (degree > 1) unite(run, x, other, begin + 1);
  }
}

template <class Link, class Choice, Arcs arcs, class Id, class T, class O, class Hooks>
__device__ inline void unite_some(const CsrArrays<T, O>& graph, const Cells<Id>& cells, const Sampling& sampling,
                                  const Hooks& hooks) {
  const Csr<T, O> g = view_of(graph);
  const SampleBody<Link, Id, T, Hooks> unite{forest_of<Link>(cells), graph.neighbors, hooks, cells.control};
  if constexpr (arcs == Arcs::vertex)
    sample_vertices<Choice>(g, sampling, unite);
  else if constexpr (arcs == Arcs::coalesced)
    sample_coalesced<Choice>(g, sampling, unite);
  else
    sample_reorganised<T>(g, unite);
  add_links(cells.control, *hooks.links);
  hooks.finish();
}
template <class Link, class Choice, Arcs arcs, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    unite_sample(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ Sampling sampling) {
  u32 links = 0;
  unite_some<Link, Choice, arcs>(graph, cells, sampling, Counting{&links});
}

}  // namespace lb::gpu

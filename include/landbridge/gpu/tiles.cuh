// A start that contracts tiles: a block owns consecutive vertices and unites all edges among them in shared memory, so
// that only edges between tiles are left to global memory. For graphs whose neighbors are near: meshes and roads in
// natural order, whose edges would contend there for few roots.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

// Leaves every vertex of a tile of 2^bits below the smallest vertex that edges inside of the tile join it to. Takes
// 2^bits cells of dynamic shared memory. Hooks first, flattens, and unites what is left: chains are shorter then.
template <class Id, class T, class O>
__global__ void __launch_bounds__(contract_threads)
    contract_tiles(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                   const __grid_constant__ TileContraction tiles) {
  extern __shared__ TileCell tile[];
  using Link = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  using M = BlockMemory<TileCell>;
  const Csr<T, O> g = view_of(graph);
  const M m(tile);
  const Forest<M> forest{m, m};
  const callback::Nothing nothing;
  const QuietMemory<Id> out(cells.parent);
  const i64 n = g.vertices, size = i64{1} << tiles.bits;
  const bool symmetric = graph.symmetric != 0;
  u64 hooked = 0, isolated = 0;
  for (i64 base = blockIdx.x * size; base < n; base += gridDim.x * size) {
    const int count = static_cast<int>(n - base < size ? n - base : size);
    const auto place = [&](T v) { return static_cast<i64>(v) - base; };
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      const i64 begin = g.begin(base + i);
      const bool singleton = begin == g.end(base + i);
      const i64 first = singleton ? i : place(g.neighbors[begin]);
      isolated += singleton;
      m.store(static_cast<TileCell>(i), static_cast<TileCell>(first >= 0 && first < i ? first : i));
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      TileCell p = m.load(static_cast<TileCell>(i)), grandparent = m.load(p);
      while (phase::jump_step(m, static_cast<TileCell>(i), p, grandparent)) {
      }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      const i64 end = g.end(base + i);
      for (i64 a = g.begin(base + i); a < end; ++a) {
        const i64 v = place(g.neighbors[a]);
        // Of symmetric CSR each edge comes from its larger endpoint.
        if (v < 0 || v >= (symmetric ? i : count)) continue;
        Link::unite(forest, static_cast<TileCell>(i), static_cast<TileCell>(v), nothing);
      }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      const TileCell root = find::Naive<>::find(m, static_cast<TileCell>(i));
      hooked += root != i;
      out.store(static_cast<Id>(base + i), static_cast<Id>(base + root));
    }
    __syncthreads();
  }
  add_links(cells.control, hooked);
  add_isolated(cells.control, isolated, symmetric);
}

}  // namespace lb::gpu

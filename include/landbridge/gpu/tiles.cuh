// A start that contracts tiles: a block owns consecutive vertices and unites all edges among them in shared memory, so
// that only edges between tiles are left to global memory. For graphs whose neighbours are near: meshes and roads in
// natural order, whose edges would fight there for few roots.
#pragma once
#include "kernels.cuh"

namespace lb::gpu {

using TileCell = unsigned short;  // a place in a tile

// Leaves every vertex of a tile of 2^bits below the smallest vertex that arcs inside the tile join it to. Takes 2^bits
// cells of dynamic shared memory. Hooks first, flattens, and unites what is left: chains are shorter then.
template <class Id, class T, class O>
__global__ void __launch_bounds__(contract_threads)
    contract_tiles(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* control, i64 bits, i64 symmetric) {
  extern __shared__ TileCell cells[];
  using Link = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  using M = BlockMemory<TileCell>;
  const Csr<T, O> g{offsets, neighbors, n};
  const M m(cells);
  const Forest<M> forest{m, m};
  const callback::Nothing nothing;
  const QuietMemory<Id> out(parent);
  const i64 size = i64{1} << bits;
  u64 hooked = 0, isolated = 0;
  for (i64 base = blockIdx.x * size; base < n; base += gridDim.x * size) {
    const int count = static_cast<int>(n - base < size ? n - base : size);
    const auto place = [&](T v) { return static_cast<i64>(v) - base; };
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      const i64 begin = g.begin(base + i);
      const bool alone = begin == g.end(base + i);
      const i64 first = alone ? i : place(neighbors[begin]);
      isolated += alone;
      m.store(static_cast<TileCell>(i), static_cast<TileCell>(first >= 0 && first < i ? first : i));
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      TileCell p = m.load(static_cast<TileCell>(i)), above = m.load(p);
      while (phase::jump_step(m, static_cast<TileCell>(i), p, above)) {
      }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += contract_threads) {
      const i64 end = g.end(base + i);
      for (i64 a = g.begin(base + i); a < end; ++a) {
        const i64 v = place(neighbors[a]);
        // Of symmetric rows each edge comes from its larger end.
        if (v < 0 || v >= (symmetric != 0 ? i : count)) continue;
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
  add_links(control, hooked);
  isolated = block_sum(symmetric != 0 ? isolated : 0);
  if (threadIdx.x == 0 && isolated != 0) atomicAdd(control + word_isolated, isolated);
}

}  // namespace lb::gpu

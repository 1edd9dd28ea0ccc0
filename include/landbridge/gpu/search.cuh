// Breadth-first search and low-diameter decomposition in one launch each: grids that fit the device, with a barrier
// between levels, so that nothing is read back. A vertex enters the queue once in a run, so n places are enough and a
// level is the part of the queue that the one before has appended.
#pragma once
#include "../phase/search.hpp"
#include "../phase/vertex.hpp"
#include "../policy/sample.hpp"
#include "counts.cuh"

namespace lb::gpu {

// What happens when a search reaches a vertex over an edge, by the position of the edge, the vertex whose row it is in
// and its other endpoint. All lanes of a warp call `pause()` now and then. Here nothing.
struct NoEdges {
  template <class Id>
  __device__ void add(i64, Id, Id) const {}
  __device__ void pause() const {}
};

// Expands x, whose edges the lanes of a warp share: vertices that join the search through them are queued.
template <class Id, class T, class M, class Reached>
__device__ inline void expand(const T* neighbors, const M& owner, Id x, Id source, Id* queue, u64* tail, i64 begin,
                              i64 end, const Reached& reached) {
  for (i64 base = begin; base < end; base += warp_threads) {
    const i64 a = base + lane();
    bool joined = false;
    Id y = 0;
    if (a < end) {
      y = static_cast<Id>(neighbors[a]);
      joined = phase::grow_arc(owner, y, source);
    }
    const u64 place = append(tail, joined);
    if (joined) {
      queue[place] = y;
      reached.add(a, x, y);
    }
    reached.pause();
  }
}

// The level queue[head, tail): a warp takes a vertex; members of one search share `source`, members of clusters do not.
template <class Id, class T, class O, class Reached>
__device__ inline void expand_level(const Csr<T, O>& g, const DeviceMemory<Id>& owner, bool clusters, Id source,
                                    Id* queue, u64 head, u64 tail, u64* control, const Reached& reached) {
  const u64 warps = static_cast<u64>(threads_in_grid() / warp_threads);
  for (u64 i = head + static_cast<u64>(thread_in_grid() / warp_threads); i < tail; i += warps) {
    const Id x = static_cast<Id>(device::load(queue + i));
    const Id label = clusters ? owner.load(x) : source;
    expand(g.neighbors, owner, x, label, queue, control + word_tail, g.begin(static_cast<i64>(x)),
           g.end(static_cast<i64>(x)), reached);
  }
}

// The minimum of a word, which only falls, and the values of the lanes of a warp. All lanes call it.
__device__ inline void lower_word(u64* word, u64 lowest) {
  for (int d = warp_threads / 2; d > 0; d >>= 1) {
    const u64 other = __shfl_xor_sync(0xffffffffu, lowest, d);
    lowest = other < lowest ? other : lowest;
  }
  if (lane() == 0 && lowest < device::load(word)) atomicMin(word, lowest);
}

// One search from `source` in cells that hold `none` until their vertex is reached. Direction-optimising: a level whose
// vertices have more than a twentieth of all edges is the last that pushes; from then on, unreached vertices look for a
// reached neighbor until a sweep adds none. The whole grid calls it.
template <class Id, class T, class O, class Reached>
__device__ inline void search_from(const Csr<T, O>& g, Id source, Id* parent, Id* queue, u64* control, u64& round,
                                   const Reached& reached) {
  const DeviceMemory<Id> owner(parent);
  const i64 edges = g.end(g.vertices - 1);
  u64 head = device::load(control + word_tail);
  grid_barrier(control + word_barrier, round);
  if (thread_in_grid() == 0) {
    owner.store(source, source);
    device::store(queue + head, source);
    device::store(control + word_tail, head + 1);
  }
  grid_barrier(control + word_barrier, round);
  u64 tail = head + 1;
  while (head < tail) {
    // The edges of the frontier.
    u64 width = 0;
    for (u64 i = head + static_cast<u64>(thread_in_grid()); i < tail; i += static_cast<u64>(threads_in_grid())) {
      const i64 x = static_cast<i64>(device::load(queue + i));
      width += static_cast<u64>(g.end(x) - g.begin(x));
    }
    for (int d = warp_threads / 2; d > 0; d >>= 1) width += __shfl_xor_sync(0xffffffffu, width, d);
    if (lane() == 0 && width != 0) atomicAdd(control + word_frontier, width);
    grid_barrier(control + word_barrier, round);
    const bool broad = device::load(control + word_frontier) > static_cast<u64>(edges) / 20;
    grid_barrier(control + word_barrier, round);
    if (thread_in_grid() == 0) device::store(control + word_frontier, u64{0});
    if (broad) break;
    expand_level(g, owner, false, source, queue, head, tail, control, reached);
    grid_barrier(control + word_barrier, round);
    head = tail;
    tail = device::load(control + word_tail);
    grid_barrier(control + word_barrier, round);
  }
  for (bool grew = head < tail; grew;) {
    if (thread_in_grid() == 0) device::store(control + word_grew, u64{0});
    grid_barrier(control + word_barrier, round);
    bool any = false;
    // Whole warps take part.
    for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < g.vertices;
         first += threads_in_grid(), reached.pause()) {
      const i64 x = first + static_cast<i64>(lane());
      if (x >= g.vertices || owner.load(static_cast<Id>(x)) != none<Id>) continue;
      for (i64 a = g.begin(x); a < g.end(x); ++a) {
        const Id y = static_cast<Id>(g.neighbors[a]);
        if (owner.load(y) != source) continue;
        owner.store(static_cast<Id>(x), source);
        reached.add(a, static_cast<Id>(x), y);
        any = true;
        break;
      }
    }
    if (any) device::store(control + word_grew, u64{1});
    grid_barrier(control + word_barrier, round);
    grew = device::load(control + word_grew) != 0;
    grid_barrier(control + word_barrier, round);
  }
}

// The vertex of largest degree among few random ones, and of several the one drawn first. All threads of a block call
// it; all blocks find the same one.
template <class G>
__device__ inline i64 widest_of_some(const G& g, u64 seed) {
  __shared__ u64 best;
  const i64 n = g.vertices;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  const int draws = n < drawn_labels ? static_cast<int>(n) : drawn_labels;
  const auto draw = [&](int i) {
    return n <= drawn_labels ? static_cast<i64>(i)
                             : static_cast<i64>(mix(seed, static_cast<u64>(i)) % static_cast<u64>(n));
  };
  for (int i = static_cast<int>(threadIdx.x); i < draws; i += static_cast<int>(blockDim.x)) {
    const i64 x = draw(i);
    atomicMax(&best, static_cast<u64>(g.end(x) - g.begin(x)) << 16 | static_cast<u64>(draws - i));
  }
  __syncthreads();
  return draw(draws - static_cast<int>(best & 0xffffu));
}

// One search per component, from its smallest vertex. Cells hold `none` before.
template <class Id, class T, class O, class Reached>
__device__ inline void search_each(const CsrArrays<T, O>& graph, const Cells<Id>& cells, const SearchArrays<Id>& arrays,
                                   const Reached& reached) {
  const Csr<T, O> g = view_of(graph);
  const i64 n = g.vertices;
  u64* const control = cells.control;
  const DeviceMemory<Id> owner(cells.parent);
  u64 round = 0;
  // Vertices without edges are components of their own.
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    if (g.begin(x) == g.end(x)) owner.store(static_cast<Id>(x), static_cast<Id>(x));
  }
  for (i64 cursor = 0; cursor < n;) {
    if (thread_in_grid() == 0) {
      device::store(control + word_next_source, none<u64>);
      device::store(control + word_tail, u64{0});
    }
    grid_barrier(control + word_barrier, round);
    // The next window of vertices, for one that no search has reached.
    const i64 x = cursor + thread_in_grid();
    const bool fresh = x < n && owner.load(static_cast<Id>(x)) == none<Id>;
    lower_word(control + word_next_source, fresh ? static_cast<u64>(x) : none<u64>);
    grid_barrier(control + word_barrier, round);
    const u64 next = device::load(control + word_next_source);
    if (next == none<u64>) {
      cursor += threads_in_grid();
      continue;
    }
    search_from(g, static_cast<Id>(next), cells.parent, arrays.queue, control, round, reached);
    cursor = static_cast<i64>(next) + 1;
  }
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads)
    search_all(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ SearchArrays<Id> arrays) {
  search_each(graph, cells, arrays, NoEdges{});
}

// Low-diameter decomposition (Miller, Peng & Xu 2013): waves of new centres, e^beta times as many each time, and
// clusters that grow by one level a wave. Cells hold `none` before and the centre of their cluster after. All vertices
// but the centres are counted as links.
template <class Id, class T, class O, class Reached>
__device__ inline void grow_clusters(const CsrArrays<T, O>& graph, const Cells<Id>& cells,
                                     const SearchArrays<Id>& arrays, const Reached& reached) {
  const Csr<T, O> g = view_of(graph);
  const i64 n = g.vertices;
  const u64 seed = arrays.seed;
  const double growth = arrays.growth;
  Id* const queue = arrays.queue;
  u64* const control = cells.control;
  const DeviceMemory<Id> cluster(cells.parent);
  u64 round = 0;
  // The order in which vertices are offered as centres: an odd multiple modulo the next power of two; what falls
  // outside is left out.
  u64 places = 1;
  while (places < static_cast<u64>(n)) places <<= 1;
  const u64 step = mix(seed, 0) | 1, shift = mix(seed, 1);
  u64 offered = 0, head = 0, tail = 0, centres = 0;
  double wave = 1;
  while (offered < places || head < tail) {
    const u64 left = places - offered;
    const u64 until = wave < static_cast<double>(left) ? offered + static_cast<u64>(wave) : places;
    const u64 span = (until - offered + warp_threads - 1) / warp_threads * warp_threads;
    for (u64 i = static_cast<u64>(thread_in_grid()); i < span; i += static_cast<u64>(threads_in_grid())) {
      const u64 at = ((offered + i) * step + shift) & (places - 1);
      const bool centre = offered + i < until && at < static_cast<u64>(n) &&
                          phase::grow_arc(cluster, static_cast<Id>(at), static_cast<Id>(at));
      const u64 place = append(control + word_tail, centre);
      if (centre) device::store(queue + place, static_cast<Id>(at));
      centres += centre;
    }
    offered = until;
    wave = wave * growth < static_cast<double>(places) ? wave * growth : static_cast<double>(places);
    grid_barrier(control + word_barrier, round);
    tail = device::load(control + word_tail);
    grid_barrier(control + word_barrier, round);
    expand_level(g, cluster, true, Id{0}, queue, head, tail, control, reached);
    grid_barrier(control + word_barrier, round);
    head = tail;
    tail = device::load(control + word_tail);
    grid_barrier(control + word_barrier, round);
  }
  add_links(control, (thread_in_grid() == 0 ? static_cast<u64>(n) : 0) - centres);  // modulo 2^64
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads)
    decompose(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
              const __grid_constant__ SearchArrays<Id> arrays) {
  grow_clusters(graph, cells, arrays, NoEdges{});
}

}  // namespace lb::gpu

// Fractional independent sets (Banerjee and Kothapalli): rounds remove elements that are no neighbors, the remaining
// lists are ranked, and the removed elements return in reverse order.
#pragma once
#include "list_survey.cuh"

namespace lb::gpu {

template <class S, class T, class Id, class V>
__global__ void start_removals(const ListArrays<S> lists, const ElementArray<T> predecessor,
                               const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  if (thread_in_grid() == 0) removal.sizes[0] = static_cast<u64>(lists.elements);
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 s = next(static_cast<u64>(i));
    elements.next[i] = s == static_cast<u64>(i) ? none<Id> : static_cast<Id>(s);
    elements.previous[i] = predecessor.cells[i] < 0 ? none<Id> : static_cast<Id>(predecessor.cells[i]);
    removal.active[i] = static_cast<Id>(i);
  }
}

// The elements left before a round.
template <class Id>
__device__ i64 left_before(const Removal<Id>& removal) {
  return static_cast<i64>(removal.sizes[removal.round - 1]);
}

// Which elements are removed, and how many stay of each tile.
template <class Id, class V>
__global__ void select_removed(const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  const i64 left = left_before(removal);
  const phase::DrawnBits drawn{removal.bits, static_cast<u64>(removal.drawn), static_cast<u64>(elements.elements),
                               removal.key};
  const u64 key = removal.key;
  const auto bit = [&](u64 u) { return drawn.words != nullptr ? drawn(u) : (mix(key, u) & 1) != 0; };
  for (i64 tile = blockIdx.x; tile * removal_tile < left; tile += gridDim.x) {
    u64 stay = 0;
    for (i64 i = threadIdx.x; i < removal_tile; i += blockDim.x) {
      const i64 k = tile * removal_tile + i;
      if (k >= left) break;
      const u64 u = static_cast<u64>(removal.active[k]);
      const bool selected = phase::in_independent_set(elements.next, elements.previous, bit, u);
      removal.selected[k] = selected;
      stay += !selected;
    }
    stay = block_sum(stay);
    if (threadIdx.x == 0) removal.stay[tile] = stay;
  }
}

// How many stay before each tile, and of all tiles: one block adds up.
template <class Id>
__global__ void scan_tiles(const Removal<Id> removal) {
  static_assert(removal_scan_threads == warp_threads * warp_threads);
  __shared__ u64 of_warps[warp_threads];
  const i64 tiles = (left_before(removal) + removal_tile - 1) / removal_tile;
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  u64 before = 0;
  for (i64 first = 0; first < tiles; first += removal_scan_threads) {
    const i64 tile = first + threadIdx.x;
    const u64 own = tile < tiles ? removal.stay[tile] : 0, up_to = sum_up_to(own);
    if (lane() == warp_threads - 1) of_warps[warp] = up_to;
    __syncthreads();
    const u64 up_to_warp = sum_up_to(of_warps[lane()]);
    const u64 earlier = __shfl_sync(0xffffffffu, up_to_warp, warp == 0 ? 0 : warp - 1);
    if (tile < tiles) removal.stay[tile] = before + (warp == 0 ? 0 : earlier) + up_to - own;
    before += __shfl_sync(0xffffffffu, up_to_warp, warp_threads - 1);
    __syncthreads();
  }
  if (threadIdx.x == 0) removal.sizes[removal.round] = before;
}

// Unlinks the selected elements and lists them in order behind those of earlier rounds; lists the survivors in order.
template <class Id, class V>
__global__ void unlink_removed(const LinkedElements<Id, V> elements, const Removal<Id> removal,
                               const ScanValues<V> scan) {
  __shared__ u32 warps[32];
  const rank::Monoid<V> f(scan.op);
  const i64 left = left_before(removal);
  const i64 earlier = elements.elements - left;
  for (i64 tile = blockIdx.x; tile * removal_tile < left; tile += gridDim.x) {
    i64 at = static_cast<i64>(removal.stay[tile]);
    for (i64 first = tile * removal_tile; first < (tile + 1) * removal_tile && first < left; first += blockDim.x) {
      const i64 k = first + threadIdx.x;
      const bool inside = k < left, selected = inside && removal.selected[k] != 0;
      const unsigned stays = __ballot_sync(0xffffffffu, inside && !selected);
      const int warp = static_cast<int>(threadIdx.x) / warp_threads;
      if (lane() == 0) warps[warp] = static_cast<u32>(__popc(stays));
      __syncthreads();
      u32 ahead = static_cast<u32>(__popc(stays & lanes_below())), all = 0;
      for (int w = 0; w < static_cast<int>(blockDim.x) / warp_threads; ++w) {
        if (w < warp) ahead += warps[w];
        all += warps[w];
      }
      if (inside) {
        const Id u = removal.active[k];
        if (selected) {
          removal.removed[earlier + k - (at + ahead)] = u;
          phase::unlink(elements.next, elements.previous, elements.value, f, static_cast<u64>(u));
        } else {
          removal.survivors[at + ahead] = u;
        }
      }
      at += all;
      __syncthreads();
    }
  }
}

template <class Id, class V>
__global__ void number_remaining(const RemainingLists<Id, V> rest) {
  for (i64 k = thread_in_grid(); k < rest.count; k += threads_in_grid())
    rest.position[rest.active[k]] = static_cast<Id>(k);
}
template <class Id, class V>
__global__ void gather_remaining(const LinkedElements<Id, V> elements, const RemainingLists<Id, V> rest) {
  bool cycle = false;
  for (i64 k = thread_in_grid(); k < rest.count; k += threads_in_grid()) {
    const Id u = rest.active[k], p = elements.previous[u];
    cycle |= p == u;  // what removals have left of a cycle
    rest.previous[k] = p == none<Id> ? i64{-1} : static_cast<i64>(rest.position[p]);
    rest.value[k] = elements.value[u];
  }
  if (cycle) refuse_lists(elements.control);
}
template <class Id, class V, class T>
__global__ void scatter_remaining(const RemainingLists<Id, V> rest, const RemainingRanks<V> ranks,
                                  const RankOutput<V, T> output) {
  for (i64 k = thread_in_grid(); k < rest.count; k += threads_in_grid()) {
    const Id u = rest.active[k];
    output.ranks[u] = ranks.place[k];
    if (output.ends != nullptr) output.ends[u] = static_cast<T>(rest.active[ranks.end[k]]);
  }
}

// The elements that one round removed are inserted again, each before its successor.
template <class Id, class V, class T>
__global__ void reinsert_removed(const LinkedElements<Id, V> elements, const RemovedElements<Id> removed,
                                 const ScanValues<V> scan, const RankOutput<V, T> output) {
  const rank::Monoid<V> f(scan.op);
  for (i64 k = thread_in_grid(); k < removed.count; k += threads_in_grid()) {
    const Id u = removed.elements[k];
    output.ranks[u] = f(elements.value[u], output.ranks[elements.next[u]]);
    if (output.ends != nullptr) output.ends[u] = output.ends[elements.next[u]];
  }
}

}  // namespace lb::gpu

// Fractional independent sets (Banerjee and Kothapalli): rounds remove elements that are no neighbors, the remaining
// lists are ranked, and the removed elements return in reverse order.
#pragma once
#include "list_survey.cuh"

namespace lb::gpu {

template <class S, class T, class Id, class V>
__global__ void start_removals(const ListArrays<S> lists, const ElementArray<T> predecessor,
                               const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  if (thread_in_grid() == 0) lists.control[list_word_left] = static_cast<u64>(lists.elements);
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 s = next(static_cast<u64>(i));
    elements.next[i] = s == static_cast<u64>(i) ? none<Id> : static_cast<Id>(s);
    elements.previous[i] = predecessor.cells[i] < 0 ? none<Id> : static_cast<Id>(predecessor.cells[i]);
    removal.active[i] = static_cast<Id>(i);
  }
}

// Which elements are removed, and how many stay of each tile.
template <class Id, class V>
__global__ void select_removed(const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  const i64 left = static_cast<i64>(elements.control[list_word_left]);
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

// How many stay before each tile: one block adds up. stay[tiles] is the sum.
template <class Id, class V>
__global__ void scan_tiles(const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  __shared__ u64 part[removal_scan_threads];
  __shared__ u64 before;
  u64* const stay = removal.stay;
  const i64 tiles = (static_cast<i64>(elements.control[list_word_left]) + removal_tile - 1) / removal_tile;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) before = 0;
  for (i64 first = 0; first < tiles; first += removal_scan_threads) {
    const u64 own = first + t < tiles ? stay[first + t] : 0;
    part[t] = own;
    __syncthreads();
    for (int d = 1; d < removal_scan_threads; d <<= 1) {
      const u64 left = t >= d ? part[t - d] : 0;
      __syncthreads();
      part[t] += left;
      __syncthreads();
    }
    if (first + t < tiles) stay[first + t] = before + part[t] - own;
    __syncthreads();
    if (t == removal_scan_threads - 1) before += part[t];
    __syncthreads();
  }
  if (t == 0) stay[tiles] = before;
}

// Unlinks the selected elements and lists them in order behind those of earlier rounds; lists the survivors in order.
template <class Id, class V>
__global__ void unlink_removed(const LinkedElements<Id, V> elements, const Removal<Id> removal,
                               const ScanValues<V> scan) {
  __shared__ u32 warps[32];
  const rank::Monoid<V> f(scan.op);
  const i64 left = static_cast<i64>(elements.control[list_word_left]);
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
__global__ void end_round(const LinkedElements<Id, V> elements, const Removal<Id> removal) {
  const i64 tiles = (static_cast<i64>(elements.control[list_word_left]) + removal_tile - 1) / removal_tile;
  elements.control[list_word_left] = removal.stay[tiles];
  removal.sizes[removal.round] = removal.stay[tiles];
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

// The survey of the successors that every plan of list ranking begins with, and the predecessors.
#pragma once
#include "../phase/rank.hpp"
#include "layout/lists.hpp"
#include "warp.cuh"

namespace lb::gpu {

__device__ inline void refuse_lists(u64* control) { device::store(control + list_word_invalid, u64{1}); }

// Counts tails, adds up the other successors, and looks for one out of range. The threads of the grid call it.
template <class S>
__device__ inline void survey(const ListArrays<S>& lists) {
  const i64 n = lists.elements;
  u64 sum = 0, out_of_range = 0;
  u32 tails = 0;
  constexpr int in_flight = 4;  // loads
  const i64 stride = threads_in_grid();
  for (i64 first = thread_in_grid(); first < n; first += in_flight * stride) {
    S read[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      read[k] = first + k * stride < n ? lists.successor[first + k * stride] : S{0};
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const i64 i = first + k * stride;
      if (i >= n) break;
      const S s = read[k];
      if (s == static_cast<S>(i) || s == S{-1})
        ++tails;
      else if (s < 0 || s >= n)
        out_of_range = out_of_range > ~static_cast<u64>(i) ? out_of_range : ~static_cast<u64>(i);
      else
        sum += static_cast<u64>(s);
    }
  }
  if (out_of_range != 0) atomicMax(lists.control + list_word_out_of_range, out_of_range);
  const u64 all_tails = block_sum(tails);
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    if (all_tails != 0) atomicAdd(lists.control + list_word_tails, all_tails);
    if (sum != 0) atomicAdd(lists.control + list_word_sum, sum);
  }
}

template <class S>
__global__ void survey_lists(const ListArrays<S> lists) {
  survey(lists);
}

// Sets the bit of each element that has a predecessor; invalid if one has two.
template <class S>
__global__ void mark_predecessors(const ListArrays<S> lists, const ElementBits has_predecessor) {
  bool twice = false;
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 s = next(static_cast<u64>(i));
    if (s == static_cast<u64>(i)) continue;
    const u32 bit = 1u << (s & 31);
    twice |= (atomicOr(has_predecessor.words + (s >> 5), bit) & bit) != 0;
  }
  if (twice) refuse_lists(lists.control);
}

// Lists the elements whose bit is not set, without those that are sampled splitters.
template <class S>
__global__ void list_heads(const ListArrays<S> lists, const ElementBits has_predecessor, const HeadList list,
                           const SplitterSampling sampling) {
  const i64 n = lists.elements;
  const bool sampled = sampling.shift >= 0;
  const rank::SampledSplitters splitters{static_cast<u64>(n), static_cast<u32>(sampled ? sampling.shift : 0),
                                         static_cast<u32>(sampling.key)};
  const i64 ceiling = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < ceiling; i += threads_in_grid()) {
    const bool head = i < n && (has_predecessor.words[i >> 5] >> (i & 31) & 1) == 0;
    const bool listed = head && !(sampled && splitters.is_splitter(static_cast<u64>(i)));
    const u64 at = append(lists.control + list_word_heads, listed);
    if (listed && static_cast<i64>(at) < list.capacity) list.heads[at] = i;
  }
}

// Predecessors, -1 for heads (the array is -1 before); invalid if an element has two.
template <class S, class T>
__global__ void find_predecessors(const ListArrays<S> lists, const ElementArray<T> predecessor) {
  bool twice = false;
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 s = next(static_cast<u64>(i));
    if (s == static_cast<u64>(i)) continue;
    T* const cell = predecessor.cells + s;
    if constexpr (sizeof(T) == 4) {
      twice |= atomicExch(reinterpret_cast<u32*>(cell), static_cast<u32>(i)) != none<u32>;
    } else {
      twice |= atomicExch(reinterpret_cast<u64*>(cell), static_cast<u64>(i)) != none<u64>;
    }
  }
  if (twice) refuse_lists(lists.control);
}

}  // namespace lb::gpu

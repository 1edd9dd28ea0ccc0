// Pointer jumping: over all elements, and over the sublists of other plans.
#pragma once
#include "list_survey.cuh"

namespace lb::gpu {

// One round of jumps from one pair of arrays into another.
template <class Id, class V>
__global__ void jump_round(const JumpArrays<Id, V> from, const JumpArrays<Id, V> to, const JumpRound work,
                           const ScanValues<V> scan) {
  const rank::Monoid<V> f(scan.op);
  bool moving = false;
  for (i64 i = thread_in_grid(); i < work.elements; i += threads_in_grid()) {
    moving |= phase::jump_between(from.last, from.value, to.last, to.value, f, static_cast<u64>(i));
  }
  if (__syncthreads_or(moving) != 0 && threadIdx.x == 0)
    device::store(work.control + list_word_moving, static_cast<u64>(work.round));
}

// Successors as the first jumps.
template <class S, class Id, class V>
__global__ void start_jumps(const ListArrays<S> lists, const JumpArrays<Id, V> jumps) {
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 s = next(static_cast<u64>(i));
    jumps.last[i] = static_cast<Id>(s) | (s == static_cast<u64>(i) ? phase::end_bit<Id> : Id{0});
  }
}

// The indices of a thread: every p-th, so that neighboring threads touch neighboring words, or a block of its own.
struct ThreadShare {
  i64 first, last, step;
  __device__ ThreadShare(i64 n, bool blocked) {
    const i64 threads = threads_in_grid(), length = (n + threads - 1) / threads;
    first = blocked ? thread_in_grid() * length : thread_in_grid();
    last = blocked && first + length < n ? first + length : n;
    step = blocked ? 1 : threads;
  }
};

template <class S>
__global__ void start_words(const ListArrays<S> lists, const JumpWords jumps) {
  const ThreadShare share(lists.elements, jumps.blocked != 0);
  const rank::Successors<S> next(lists.successor, lists.elements);
  for (i64 i = share.first; i < share.last; i += share.step) {
    const u64 s = next(static_cast<u64>(i));
    const bool end = s == static_cast<u64>(i);
    jumps.words[i] = rank::Jump::word(end ? 0 : 1, s, end);
  }
}
// One round of jumps in place.
template <class S>
__global__ void jump_words(const ListArrays<S> lists, const JumpWords jumps, const JumpRound work) {
  const DeviceMemory<u64> m(jumps.words);
  const ThreadShare share(lists.elements, jumps.blocked != 0);
  bool moving = false;
  for (i64 i = share.first; i < share.last; i += share.step) moving |= phase::jump_word(m, static_cast<u64>(i));
  if (__syncthreads_or(moving) != 0 && threadIdx.x == 0)
    device::store(work.control + list_word_moving, static_cast<u64>(work.round));
}
template <class S, class T>
__global__ void unpack_words(const ListArrays<S> lists, const JumpWords jumps, const RankOutput<T, T> output) {
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    output.ranks[i] = static_cast<T>(rank::Jump::value(jumps.words[i]));
    if (output.ends != nullptr) output.ends[i] = static_cast<T>(rank::Jump::last(jumps.words[i]));
  }
}

}  // namespace lb::gpu

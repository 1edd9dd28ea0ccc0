// A single list of which all that walks write fits the cache, ranked by one launch: its survey, the walks between
// sampled splitters, the jumps of their sublists, and the ranks. Launches and barriers are most of what such a list
// costs, so jumps need none among themselves: the word of a sublist holds at any time.
#pragma once
#include "list_sampled.cuh"

namespace lb::gpu {

// Of many sublists one in two leads: it jumps over leaders, so that jumps, a read and a write each at a place of their
// own, are few. The others walk to the next leader once that has reached the end. Of few sublists all lead.
__device__ inline u32 leader_shift(i64 sublists) { return sublists > 1 << 16 ? 1 : 0; }

// So many words a jump over sound lists hardly ever reads before it is at the end.
constexpr u32 usual_jumps = 64;

// The word of a sublist once it has reached the last one, or one of a longer list than there can be. `goes_on(x,
// jumps)` is called with each word on the way; the last one is returned where that is false, too.
template <class GoesOn>
__device__ inline u64 to_last_sublist(const DeviceMemory<u64>& m, u64 k, u64 most, const GoesOn& goes_on) {
  u64 x = m.load(k);
  for (u32 jumps = 1; !rank::Jump::finished(x) && rank::Jump::value(x) <= most; ++jumps) {
    const u64 y = m.load(rank::Jump::last(x));
    x = rank::Jump::word(rank::Jump::value(x) + rank::Jump::value(y), rank::Jump::last(y), rank::Jump::finished(y));
    if (!goes_on(x, jumps)) break;
  }
  return x;
}

// The last block that comes here copies the control block to where the host reads it, and empties it.
__device__ inline void answer_lists(u64* control, const ListAnswer& answer) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(control + list_word_done, u64{1}) + 1 != gridDim.x) return;
  __threadfence();
  volatile u64* const words = answer.answer;
  for (int word = 0; word < list_word_end; ++word) {
    if (word != list_word_done) words[word] = device::load(control + word);
    device::store(control + word, u64{0});
  }
  __threadfence_system();
  words[list_word_done] = gridDim.x;
}

// Ranks from the tail, or from the head where output.from_tail is 0. Walks leave their items where the ranks of their
// elements will be. No ranks, and the reason in the control block, where the lists are not sound, are several, or have
// a walk too long. The last sublist has a place for the head if that is no splitter. All threads of a grid that fits
// the device call it.
template <class S, class T>
__device__ inline void rank_one(const ListArrays<S>& lists, const SplitterSampling& sampling, const SampledWalks& walks,
                                const ItemQueues& queues, const SampledSublists& sublists,
                                const RankOutput<T, T>& output) {
  static_assert(sizeof(T) == sizeof(u32));
  const i64 n = lists.elements, stride = threads_in_grid();
  u64* const control = lists.control;
  u32* const items = reinterpret_cast<u32*>(output.ranks);
  u64 barriers = 0;
  survey(lists);
  for (i64 i = thread_in_grid(); i < n; i += stride) items[i] = none<u32>;
  for (i64 k = thread_in_grid(); k < sublists.count; k += stride) sublists.predecessors[k] = 0;
  grid_barrier(control + list_word_barrier, barriers);
  const u64 all = static_cast<u64>(n);
  const u64 head = all * (all - 1) / 2 - device::load(control + list_word_sum);
  if (device::load(control + list_word_out_of_range) != 0 || device::load(control + list_word_tails) != 1) return;
  if (head >= all) {
    refuse_lists(control);
    return;
  }
  SampledWalker<S> walk(lists, sampling, walks, queues, sublists);
  const i64 splitters = static_cast<i64>(walk.splitters.count());
  const i64 count = splitters + (walk.splitters.is_splitter(head) ? 0 : 1);
  for (i64 k = thread_in_grid(); k < count; k += stride) {
    walk.owner = static_cast<u64>(k);
    walk.at = k < splitters ? walk.splitters.splitter(walk.owner) : head;
    walk.place = 0;
    walk.active = true;
    while (walk.active) {
      const u64 at = walk.at;
      items[at] = static_cast<u32>(walk.step());
    }
  }
  walk.report(control);
  grid_barrier(control + list_word_barrier, barriers);
  if (device::load(control + list_word_claimed) != all || device::load(control + list_word_invalid) != 0 ||
      device::load(control + list_word_too_long) != 0) {
    return;
  }
  const DeviceMemory<u64> m(sublists.words);
  const rank::SampledSplitters leaders{static_cast<u64>(count), leader_shift(count), ~walk.splitters.key};
  bool broken = false;
  for (i64 l = thread_in_grid(); l < static_cast<i64>(leaders.count()); l += stride) {
    const u64 k = leaders.splitter(static_cast<u64>(l));
    // In a cycle in which none leads a jump would go on until it has counted to n. Such a cycle is entered at a sublist
    // with two predecessors.
    broken |= !rank::Jump::finished(to_last_sublist(m, k, all, [&](u64 x, u32 jumps) {
      m.store(k, x);
      return jumps < usual_jumps || device::load(sublists.predecessors + rank::Jump::last(x)) < 2;
    }));
  }
  grid_barrier(control + list_word_barrier, barriers);
  for (i64 k = thread_in_grid(); k < count; k += stride) {
    broken |= device::load(sublists.predecessors + k) > 1;
    if (leaders.is_splitter(static_cast<u64>(k))) continue;
    // The members of such a cycle have to jump over each other for the same reason.
    const u64 x = to_last_sublist(m, static_cast<u64>(k), all, [&](u64 y, u32 jumps) {
      if (jumps >= usual_jumps) m.store(static_cast<u64>(k), y);
      return true;
    });
    broken |= !rank::Jump::finished(x);
    m.store(static_cast<u64>(k), x);
  }
  if (broken) refuse_lists(control);
  grid_barrier(control + list_word_barrier, barriers);
  if (device::load(control + list_word_invalid) != 0) return;
  const ItemFormat format(queues);
  for (i64 i = thread_in_grid(); i < n; i += stride) {
    const u64 item = device::load(items + i), owner = format.owner(item);
    if (owner >= static_cast<u64>(count)) {
      refuse_lists(control);
      continue;
    }
    const u64 word = m.load(owner);
    const u64 to_tail = rank::Jump::value(word) - format.place(item);
    output.ranks[i] = static_cast<T>(output.from_tail != 0 ? to_tail : all - 1 - to_tail);
    if (output.ends != nullptr) output.ends[i] = static_cast<T>(device::load(sublists.tail + rank::Jump::last(word)));
  }
}

// The same as a cooperative launch, which leaves an answer for the host. `blocks` of them fit a multiprocessor.
template <class S, class T, int blocks>
__global__ void __launch_bounds__(sampled_threads, blocks)
    rank_one_list(const ListArrays<S> lists, const SplitterSampling sampling, const SampledWalks walks,
                  const ItemQueues queues, const SampledSublists sublists, const RankOutput<T, T> output,
                  const ListAnswer answer) {
  rank_one(lists, sampling, walks, queues, sublists, output);
  answer_lists(lists.control, answer);
}

}  // namespace lb::gpu

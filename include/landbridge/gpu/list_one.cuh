// A single list of which all that walks write fits the cache, ranked by one launch: its survey, the walks between
// sampled splitters, the jumps of their sublists, and the ranks. Launches and barriers are most of what such a list
// costs, so the jumps need none: the word of a sublist holds at any time.
#pragma once
#include "list_sampled.cuh"

namespace lb::gpu {

// The word of sublist k once its jumps have reached the last one, or one that tells of a longer list than there can be.
__device__ inline u64 jump_to_end(const DeviceMemory<u64>& m, u64 k, u64 most) {
  u64 x = m.load(k);
  while (!rank::Jump::finished(x) && rank::Jump::value(x) <= most) {
    const u64 y = m.load(rank::Jump::last(x));
    x = rank::Jump::word(rank::Jump::value(x) + rank::Jump::value(y), rank::Jump::last(y), rank::Jump::finished(y));
    m.store(k, x);
  }
  return x;
}

// Ranks from the tail, or from the head where output.from_tail is 0. Leaves the ranks unwritten, and the reason in the
// control block, where the lists are not sound, are several, or have a walk too long. The last sublist has a place for
// the head if that is no splitter. A cooperative launch; `blocks` of them fit a multiprocessor.
template <class S, class T, int blocks>
__global__ void __launch_bounds__(sampled_threads, blocks)
    rank_one_list(const ListArrays<S> lists, const SplitterSampling sampling, const SampledWalks walks,
                  const ItemQueues queues, const SampledSublists sublists, const RankOutput<T, T> output) {
  const i64 n = lists.elements, stride = threads_in_grid();
  u64* const control = lists.control;
  u64 barriers = 0;
  survey(lists);
  for (i64 i = thread_in_grid(); i < n; i += stride) queues.items[i] = none<u64>;
  for (i64 k = thread_in_grid(); k < sublists.count; k += stride) sublists.has_predecessor[k] = 0;
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
      queues.items[at] = walk.step();
    }
  }
  walk.report(control);
  grid_barrier(control + list_word_barrier, barriers);
  if (device::load(control + list_word_claimed) != all || device::load(control + list_word_invalid) != 0 ||
      device::load(control + list_word_too_long) != 0) {
    return;
  }
  const DeviceMemory<u64> m(sublists.words);
  bool endless = false;
  for (i64 k = thread_in_grid(); k < count; k += stride) {
    endless |= !rank::Jump::finished(jump_to_end(m, static_cast<u64>(k), all));
  }
  if (endless) refuse_lists(control);
  grid_barrier(control + list_word_barrier, barriers);
  if (device::load(control + list_word_invalid) != 0) return;
  const ItemFormat format(queues);
  for (i64 i = thread_in_grid(); i < n; i += stride) {
    const u64 item = device::load(queues.items + i), owner = format.owner(item);
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

}  // namespace lb::gpu

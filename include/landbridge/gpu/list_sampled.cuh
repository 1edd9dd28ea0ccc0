// Walks between splitters that need no mark, for ranks in 32 bits. A walk writes nothing where it goes. What it finds
// of element j (its own number and the place) goes to the end of a queue of j's window, a part of the result small
// enough for the cache; a block reserves room in all queues at once, so queues fill line by line. Later one window
// after another is put in order.
#pragma once
#include "list_survey.cuh"

namespace lb::gpu {

// An item: index in its window | number of the walk | place, from the low bits up.
struct ItemFormat {
  u32 window_bits, owner_bits;
  __device__ explicit ItemFormat(const ItemQueues& queues)
      : window_bits(static_cast<u32>(queues.window_bits)), owner_bits(static_cast<u32>(queues.owner_bits)) {}
  __device__ u64 pack(u64 j, u64 owner, u64 place) const {
    return (j & ((u64{1} << window_bits) - 1)) | owner << window_bits | place << (window_bits + owner_bits);
  }
  __device__ u64 index(u64 w) const { return w & ((u64{1} << window_bits) - 1); }
  __device__ u64 owner(u64 w) const { return w >> window_bits & ((u64{1} << owner_bits) - 1); }
  __device__ u64 place(u64 w) const { return w >> (window_bits + owner_bits); }
};

// The head of the only list of a survey; none if there are more lists, or successors out of range. The head is the one
// element that the sum of successors lacks.
template <class S>
__device__ u64 only_head(const ListArrays<S>& lists) {
  const u64 n = static_cast<u64>(lists.elements);
  if (lists.control[list_word_tails] != 1 || lists.control[list_word_out_of_range] != 0) return none<u64>;
  const u64 sum = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  const u64 head = sum - lists.control[list_word_sum];
  return head < n ? head : none<u64>;
}

// Whether a kernel has found that the walks are not those of the lists: the others have nothing to do then.
template <class S>
__device__ bool refused(const ListArrays<S>& lists) {
  return device::load(lists.control + list_word_invalid) != 0;
}

// Whether walks may follow the successors.
template <class S>
__device__ bool sound_for_walks(const ListArrays<S>& lists, const SampledWalks& walks) {
  return walks.heads != nullptr || only_head(lists) != none<u64>;
}

// A thread that walks. sublists.predecessors is 0 before. It refers to the parameters of its kernel, which take no
// registers.
template <class S>
struct SampledWalker {
  const ListArrays<S>& lists;
  const SampledWalks& walks;
  rank::Successors<S> next_of;
  rank::SampledSplitters splitters;
  ItemFormat format;
  u32 limit;
  u64* words;
  u32 *tail, *predecessors;
  u64 at = 0, owner = 0, claimed = 0;
  u32 place = 0;
  bool active = false, broken = false, too_long = false;

  __device__ SampledWalker(const ListArrays<S>& list_arrays, const SplitterSampling& sampling,
                           const SampledWalks& sampled_walks, const ItemQueues& queues, const SampledSublists& sublists)
      : lists(list_arrays),
        walks(sampled_walks),
        next_of(lists.successor, lists.elements),
        splitters{static_cast<u64>(lists.elements), static_cast<u32>(sampling.shift), static_cast<u32>(sampling.key)},
        format(queues),
        limit(static_cast<u32>(walks.limit)),
        words(sublists.words),
        tail(sublists.tail),
        predecessors(sublists.predecessors) {}

  __device__ void begin(u64 number) {
    owner = number;
    place = 0;
    active = true;
    if (owner < splitters.count()) {
      at = splitters.splitter(owner);
      return;
    }
    at = walks.heads != nullptr ? static_cast<u64>(walks.heads[owner - splitters.count()]) : only_head(lists);
    if (walks.heads == nullptr && splitters.is_splitter(at)) {  // another walk has begun there: this one is empty
      words[owner] = rank::Jump::word(0, owner, true);
      tail[owner] = static_cast<u32>(at);
      active = false;
    }
  }
  // Claims the element `at`: its item; then stands before the next one, or is active no more.
  __device__ u64 step() {
    const u64 item = format.pack(at, owner, place), next = next_of(at);
    ++claimed;
    if (next == at) {
      words[owner] = rank::Jump::word(place, owner, true);
      tail[owner] = static_cast<u32>(at);
      active = false;
    } else if (splitters.is_splitter(next)) {
      words[owner] = rank::Jump::word(place + 1, splitters.block(next), false);
      atomicAdd(predecessors + splitters.block(next), 1u);  // nothing waits for what was there
      active = false;
    } else if (++place == limit) {
      too_long = true;
      active = false;
    }
    at = next;
    return item;
  }
  __device__ void report(u64* control) {
    if (broken) refuse_lists(control);
    if (too_long) device::store(control + list_word_too_long, u64{1});
    const u64 all = block_sum(claimed);
    if (threadIdx.x == 0 && all != 0) atomicAdd(control + list_word_claimed, all);
  }
};

// queues.fill is 0 before. A block takes every so many-th walk, its threads one after another: a number that all blocks
// share would be waited for by all lanes whenever one of them ends a walk.
template <class S>
__global__ void __launch_bounds__(sampled_threads, sampled_blocks)
    walk_to_queues(const ListArrays<S> lists, const SplitterSampling sampling, const SampledWalks walks,
                   const ItemQueues queues, const SampledSublists sublists) {
  __shared__ u32 walk_count;  // that threads of the block have taken
  __shared__ u32 appended[most_windows];
  __shared__ u64 room[most_windows];
  SampledWalker<S> walk(lists, sampling, walks, queues, sublists);
  const i64 n = lists.elements, window_bits = queues.window_bits;
  const int windows = static_cast<int>((n + (i64{1} << window_bits) - 1) >> window_bits);
  if (!sound_for_walks(lists, walks)) {
    refuse_lists(lists.control);
    return;
  }
  if (threadIdx.x == 0) walk_count = 0;
  bool more = true;
  for (;;) {
    for (int w = static_cast<int>(threadIdx.x); w < windows; w += sampled_threads) appended[w] = 0;
    __syncthreads();
    u64 item[sampled_steps];
    u32 place[sampled_steps];  // window << 16 | number in what the block appends to it
    static_assert(sampled_threads * sampled_steps < 1 << 16 && most_windows <= 1 << 15);
#pragma unroll
    for (int step = 0; step < sampled_steps; ++step) {
      place[step] = none<u32>;
      if (!walk.active && more) {
        const u64 number = blockIdx.x + static_cast<u64>(atomicAdd(&walk_count, 1u)) * gridDim.x;
        more = number < static_cast<u64>(sublists.count);
        if (more) walk.begin(number);
      }
      if (!walk.active) continue;
      const u32 window = static_cast<u32>(walk.at >> window_bits);
      item[step] = walk.step();
      place[step] = window << 16 | atomicAdd(appended + window, 1u);
    }
    const bool unfinished = __syncthreads_or(walk.active || more) != 0;
    for (int w = static_cast<int>(threadIdx.x); w < windows; w += sampled_threads) {
      if (appended[w] != 0) room[w] = atomicAdd(queues.fill + w, static_cast<u64>(appended[w]));
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < sampled_steps; ++step) {
      if (place[step] == none<u32>) continue;
      const u32 window = place[step] >> 16;
      const u64 in = room[window] + (place[step] & 0xffffu);
      const u64 to = (static_cast<u64>(window) << window_bits) + in;
      if (in < (u64{1} << window_bits) && to < static_cast<u64>(n))
        queues.items[to] = item[step];
      else
        walk.broken = true;
    }
    if (!unfinished) break;
  }
  walk.report(lists.control);
}

// The same where all items fit the cache: an element's item lies in its own place (where all bits are set before), and
// a thread has one walk.
template <class S>
__global__ void walk_in_place(const ListArrays<S> lists, const SplitterSampling sampling, const SampledWalks walks,
                              const ItemQueues queues, const SampledSublists sublists) {
  SampledWalker<S> walk(lists, sampling, walks, queues, sublists);
  if (!sound_for_walks(lists, walks)) {
    refuse_lists(lists.control);
    return;
  }
  if (thread_in_grid() < sublists.count) walk.begin(static_cast<u64>(thread_in_grid()));
  while (walk.active) {
    const u64 at = walk.at;
    queues.items[at] = walk.step();
  }
  walk.report(lists.control);
}

// All rounds of jumps over the words of sublists; a cooperative launch. Invalid if some have not reached an end after
// so many rounds as the longest list takes.
template <class S>
__global__ void jump_sublists(const ListArrays<S> lists, const SampledSublists sublists) {
  const DeviceMemory<u64> m(sublists.words);
  const int rounds = 64 - __clzll(sublists.count) + 1;
  u64 barriers = 0;
  bool moving = false;
  if (refused(lists)) return;  // since the walks: all threads read the same
  for (int round = 0; round <= rounds; ++round) {
    moving = false;
    for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid())
      moving |= phase::jump_word(m, static_cast<u64>(k));
    grid_barrier(lists.control + list_word_barrier, barriers);
  }
  if (moving) refuse_lists(lists.control);
}

// The length of each list under the number of its last sublist, from the walk that began at its head.
template <class S>
__global__ void measure_lists(const ListArrays<S>, const SampledSublists sublists, const SublistRanks ranks) {
  for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid()) {
    if (sublists.predecessors[k] != 0) continue;
    const u64 word = sublists.words[k];
    ranks.length[rank::Jump::last(word)] = static_cast<u32>(rank::Jump::value(word));
  }
}

// The rank of each sublist's first element, and the tail of its list. Invalid if two sublists lead to one.
template <class S>
__global__ void rank_sublists(const ListArrays<S> lists, const SampledSublists sublists, const SublistRanks ranks) {
  for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid()) {
    if (sublists.predecessors[k] > 1) refuse_lists(lists.control);
    const u32 value = static_cast<u32>(rank::Jump::value(sublists.words[k]));
    const u32 last = static_cast<u32>(rank::Jump::last(sublists.words[k]));
    ranks.first[k] = ranks.length == nullptr ? value : ranks.length[last] - value;
    if (ranks.tail != nullptr) ranks.tail[k] = sublists.tail[last];
  }
}

// Items of each window to their elements.
template <class S, class T>
__global__ void scatter_ranks(const ListArrays<S> lists, const ItemQueues queues, const SampledSublists sublists,
                              const SublistRanks ranks, const RankOutput<T, T> output) {
  const ItemFormat format(queues);
  const i64 i = thread_in_grid(), n = lists.elements;
  if (i >= n) return;
  const u64 item = __ldcs(queues.items + i);  // read while the control block is
  if (refused(lists)) return;
  const u64 window = static_cast<u64>(i) >> format.window_bits << format.window_bits;
  const u64 j = window + format.index(item), owner = format.owner(item);
  if (j >= static_cast<u64>(n) || owner >= static_cast<u64>(sublists.count)) {
    refuse_lists(lists.control);
    return;
  }
  const u32 place = static_cast<u32>(format.place(item)), first = ranks.first[owner];
  output.ranks[j] = static_cast<T>(ranks.length != nullptr ? first + place : first - place);
  if (output.ends != nullptr) output.ends[j] = static_cast<T>(ranks.tail[owner]);
}

// Invalid unless every element has a rank, in an array that was -1.
template <class S, class T>
__global__ void check_all_ranked(const ListArrays<S> lists, const RankOutput<T, T> output) {
  bool missed = false;
  if (refused(lists)) return;
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) missed |= output.ranks[i] < 0;
  if (missed) refuse_lists(lists.control);
}

}  // namespace lb::gpu

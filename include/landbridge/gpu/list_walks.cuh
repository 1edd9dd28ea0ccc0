// Walks between marked splitters: the states of elements are written where walks go, sublists are ranked by pointer
// jumping, and each element adds its place to that of its sublist.
#pragma once
#include "list_jumps.cuh"
#include "list_survey.cuh"

namespace lb::gpu {

// The states of rank::Bits64 and rank::Separate over device memory, by name.
template <class S>
struct LayoutBits64 {
  using State = rank::Bits64<DeviceWords<u64>, S>;
  __device__ static State state(const ListArrays<S>& lists, const StateArrays<u64, u32>& arrays) {
    return {DeviceWords<u64>(arrays.words), {lists.successor, lists.elements}};
  }
};
template <class S, class Owner, class V>
struct LayoutSeparate {
  using State = rank::Separate<DeviceWords<Owner>, DeviceWords<V>, S>;
  __device__ static State state(const ListArrays<S>& lists, const StateArrays<Owner, V>& arrays) {
    return {DeviceWords<Owner>(arrays.words), DeviceWords<V>(arrays.places), {lists.successor, lists.elements}};
  }
};

// What is added up: links, or values.
template <class V>
struct AddLinks {
  __device__ static rank::UnitValues<V> values(const ScanValues<V>&) { return {}; }
};
template <class V>
struct AddValues {
  __device__ static rank::ArrayValues<V> values(const ScanValues<V>& scan) {
    return {scan.values, rank::Monoid<V>(scan.op), scan.exclusive != 0};
  }
};

template <class Layout, class S, class W, class V>
__global__ void reset_states(const ListArrays<S> lists, const StateArrays<W, V> arrays) {
  const auto s = Layout::state(lists, arrays);
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) s.reset(static_cast<u64>(i));
}

// start[0 .. blocks-1]: the splitters, -1 where that is a head, too; heads follow.
template <class S, class V>
__global__ void place_splitters(const ListArrays<S> lists, const ElementBits has_predecessor,
                                const SplitterBlocks splitters, const Sublists<V> sublists) {
  const u64 n = static_cast<u64>(lists.elements), blocks = static_cast<u64>(splitters.blocks);
  for (i64 k = thread_in_grid(); k < splitters.blocks; k += threads_in_grid()) {
    const u64 block = static_cast<u64>(k);
    const u64 s = splitters.first_of_block != 0 ? rank::block_start(n, blocks, block)
                                                : rank::splitter_of(n, blocks, block, splitters.seed);
    const bool head = (has_predecessor.words[s >> 5] >> (s & 31) & 1) == 0;
    sublists.start[k] = head ? i64{-1} : static_cast<i64>(s);
  }
}

template <class Layout, class Add, class S, class W, class V>
__global__ void claim_starts(const ListArrays<S> lists, const StateArrays<W, V> arrays, const ScanValues<V> scan,
                             const Sublists<V> sublists) {
  const auto s = Layout::state(lists, arrays);
  const auto f = Add::values(scan);
  for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid()) {
    const i64 start = sublists.start[k];
    if (start >= 0) phase::claim_start(s, f, static_cast<u64>(start), static_cast<u64>(k));
  }
}

// One walk per thread. sublists.previous is -1 before.
template <class Layout, class Add, class S, class W, class V>
__global__ void walk_sublists(const ListArrays<S> lists, const StateArrays<W, V> arrays, const ScanValues<V> scan,
                              const Sublists<V> sublists) {
  using State = typename Layout::State;
  const State s = Layout::state(lists, arrays);
  const auto f = Add::values(scan);
  const i64 count = sublists.count;
  const V neutral = rank::neutral_of<V>(scan.op);
  u64 claimed = 0;
  bool broken = false;
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    sublists.next[k] = sublists.tail[k] = -1;
    sublists.total[k] = neutral;
    const i64 start = sublists.start[k];
    if (start < 0) continue;
    phase::SublistWalk<typename State::V> w;
    u64 owner = rank::unowned;
    auto status = phase::begin_walk(s, f, static_cast<u64>(start), static_cast<u64>(k), w);
    while (status == phase::WalkStatus::active) status = phase::step_walk(s, f, w, owner);
    claimed += w.length;
    sublists.total[k] = w.sum;
    if (status == phase::WalkStatus::at_tail) {
      sublists.tail[k] = static_cast<i64>(w.at);
      continue;
    }
    sublists.next[k] = static_cast<i64>(owner);
    const bool at_start = owner < static_cast<u64>(count) && sublists.start[owner] == static_cast<i64>(w.at) &&
                          owner != static_cast<u64>(k);
    broken |=
        !at_start || atomicExch(reinterpret_cast<u64*>(sublists.previous) + owner, static_cast<u64>(k)) != none<u64>;
  }
  if (broken) refuse_lists(lists.control);
  claimed = block_sum(claimed);
  if (threadIdx.x == 0 && claimed != 0) atomicAdd(lists.control + list_word_claimed, claimed);
}

// Sublists as jumps from each to the one before it: its value becomes the sum of all sublists before it.
template <class V>
__global__ void start_sublist_jumps(const Sublists<V> sublists, const ScanValues<V> scan,
                                    const JumpArrays<u64, V> jumps) {
  const V neutral = rank::neutral_of<V>(scan.op);
  for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid()) {
    const i64 p = sublists.previous[k];
    jumps.last[k] = p < 0 ? phase::end_bit<u64> | static_cast<u64>(k) : static_cast<u64>(p);
    jumps.value[k] = p < 0 ? neutral : sublists.total[p];
  }
}

// The tail and the sum of each list, by its first sublist.
template <class V>
__global__ void total_lists(const Sublists<V> sublists, const ScanValues<V> scan, const JumpArrays<u64, V> jumps,
                            const ListTotals<V> totals) {
  const rank::Monoid<V> f(scan.op);
  for (i64 k = thread_in_grid(); k < sublists.count; k += threads_in_grid()) {
    if (sublists.tail[k] < 0) continue;
    const u64 list = jumps.last[k] & ~phase::end_bit<u64>;
    totals.tail[list] = sublists.tail[k];
    totals.whole[list] = f(jumps.value[k], sublists.total[k]);
  }
}

// The answer of every element: its place after the base of its sublist; from_tail: what is left of the whole, for
// links.
template <class Layout, class S, class W, class V, class R, class T>
__global__ void write_ranks(const ListArrays<S> lists, const StateArrays<W, V> arrays, const Sublists<V> sublists,
                            const ScanValues<V> scan, const JumpArrays<u64, V> jumps, const ListTotals<V> totals,
                            const RankOutput<R, T> output) {
  const auto s = Layout::state(lists, arrays);
  const rank::Monoid<V> f(scan.op);
  bool missed = false;
  for (i64 i = thread_in_grid(); i < lists.elements; i += threads_in_grid()) {
    const u64 k = s.owner(static_cast<u64>(i));
    if (k == rank::unowned) {
      missed = true;
      continue;
    }
    const u64 list = jumps.last[k] & ~phase::end_bit<u64>;
    const V sum = f(jumps.value[k], s.place(static_cast<u64>(i)));
    output.ranks[i] = static_cast<R>(output.from_tail != 0 ? totals.whole[list] - sum : sum);
    if (output.ends != nullptr)
      output.ends[i] = static_cast<T>(output.heads != 0 ? sublists.start[list] : totals.tail[list]);
  }
  if (missed) refuse_lists(lists.control);
}

}  // namespace lb::gpu

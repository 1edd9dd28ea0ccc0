// List ranking on a GPU: __global__ shells over the phases. Successors are S (int or long long); a control block of
// 64-bit words carries what kernels leave for each other and for the host.
#pragma once
#include "../phase/rank.hpp"
#include "warp.cuh"

namespace lb::gpu {

enum RankWord : int {
  rank_tails = 0,  // how many there are
  rank_sum,        // of the successors of all others
  rank_wrong,      // ~i of the first successor out of range, 0 for none
  rank_broken,     // whether the successors turned out to be no lists
  rank_heads,      // heads listed so far
  rank_taken,      // elements that walks have taken
  rank_ticket,     // next walk to be handed out
  rank_barrier,    // arrivals at the grid's barrier
  rank_moving,     // whether a round of jumps has to be followed by another
  rank_long,       // whether a walk was given up because it went on too long
  rank_left,       // elements left after a round of removals
  rank_words = 16,
};

__device__ inline void set(u64* word) { device::store(word, u64{1}); }

// ---- what every plan asks first
// ------------------------------------------------------------------------------------------------

template <class S>
__global__ void survey_lists(const S* successor, i64 n, u64* control) {
  u64 sum = 0, wrong = 0;
  u32 tails = 0;
  constexpr int at_once = 4;  // loads in flight
  const i64 stride = threads_in_grid();
  for (i64 first = thread_in_grid(); first < n; first += at_once * stride) {
    S read[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) read[k] = first + k * stride < n ? successor[first + k * stride] : S{0};
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const i64 i = first + k * stride;
      if (i >= n) break;
      const S s = read[k];
      if (s == static_cast<S>(i) || s == S{-1})
        ++tails;
      else if (s < 0 || s >= n)
        wrong = wrong > ~static_cast<u64>(i) ? wrong : ~static_cast<u64>(i);
      else
        sum += static_cast<u64>(s);
    }
  }
  if (wrong != 0) atomicMax(control + rank_wrong, wrong);
  const u64 ends = block_sum(tails);
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    if (ends != 0) atomicAdd(control + rank_tails, ends);
    if (sum != 0) atomicAdd(control + rank_sum, sum);
  }
}

// A bit for each element that somebody leads to; broken if two do.
template <class S>
__global__ void mark_led(const S* successor, i64 n, u32* led, u64* control) {
  bool twice = false;
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const u64 s = rank::Links<S>{successor}(static_cast<u64>(i));
    if (s == static_cast<u64>(i)) continue;
    const u32 bit = 1u << (s & 31);
    twice |= (atomicOr(led + (s >> 5), bit) & bit) != 0;
  }
  if (twice) set(control + rank_broken);
}

// The elements whose bit is not set; with `shift` >= 0 without those that are splitters of blocks of 2^shift anyway.
template <class S>
__global__ void list_heads(i64 n, const u32* led, i64 shift, u64 key, i64* heads, i64 most, u64* control) {
  const rank::Posts posts{static_cast<u64>(n), static_cast<u32>(shift < 0 ? 0 : shift), static_cast<u32>(key)};
  const i64 ceiling = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < ceiling; i += threads_in_grid()) {
    const bool wants =
        i < n && (led[i >> 5] >> (i & 31) & 1) == 0 && (shift < 0 || !posts.is_post(static_cast<u64>(i)));
    const u64 at = append(control + rank_heads, wants);
    if (wants && static_cast<i64>(at) < most) heads[at] = i;
  }
}

// Predecessors, -1 for heads (the array is -1 before); broken if an element has two.
template <class S, class T>
__global__ void reverse_lists(const S* successor, i64 n, T* before, u64* control) {
  bool twice = false;
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const u64 s = rank::Links<S>{successor}(static_cast<u64>(i));
    if (s == static_cast<u64>(i)) continue;
    if constexpr (sizeof(T) == 4) {
      twice |= atomicExch(reinterpret_cast<u32*>(before + s), static_cast<u32>(i)) != none<u32>;
    } else {
      twice |= atomicExch(reinterpret_cast<u64*>(before + s), static_cast<u64>(i)) != none<u64>;
    }
  }
  if (twice) set(control + rank_broken);
}

// ---- walks between marked splitters
// -------------------------------------------------------------------------------------------

// States over raw memory, by name.
template <class S>
struct Layout64 {
  using State = rank::Bits64<DeviceWords<u64>, S>;
  __device__ static State make(const S* s, void* a, void*) { return {DeviceWords<u64>(static_cast<u64*>(a)), {s}}; }
};
template <class S, class Owner, class V>
struct LayoutApart {
  using State = rank::Apart<DeviceWords<Owner>, DeviceWords<V>, S>;
  __device__ static State make(const S* s, void* a, void* b) {
    return {DeviceWords<Owner>(static_cast<Owner*>(a)), DeviceWords<V>(static_cast<V*>(b)), {s}};
  }
};
// What is added up: links, or values.
template <class V>
struct AddOnes {
  using F = rank::Ones<V>;
  __device__ static F make(const void*, i64, V, i64) { return {}; }
};
template <class V>
struct AddValues {
  using F = rank::Values<V>;
  __device__ static F make(const void* values, i64 op, V neutral, i64 exclusive) {
    return {static_cast<const V*>(values), {static_cast<rank::Op>(op), neutral}, exclusive != 0};
  }
};

template <class Layout, class S>
__global__ void reset_states(const S* successor, i64 n, void* a, void* b) {
  const auto s = Layout::make(successor, a, b);
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) s.reset(static_cast<u64>(i));
}

// start[0 .. blocks-1]: the splitters, -1 where that is a head, too; heads follow.
template <class S>
__global__ void place_starts(i64 n, i64 blocks, i64 first, u64 seed, const u32* led, i64* start) {
  for (i64 k = thread_in_grid(); k < blocks; k += threads_in_grid()) {
    const u64 at = static_cast<u64>(k), m = static_cast<u64>(n), r = static_cast<u64>(blocks);
    const u64 s = first != 0 ? rank::block_start(m, r, at) : rank::splitter_of(m, r, at, seed);
    start[k] = (led[s >> 5] >> (s & 31) & 1) == 0 ? i64{-1} : static_cast<i64>(s);
  }
}

template <class Layout, class Add, class S, class V>
__global__ void claim_starts(const S* successor, void* a, void* b, const void* values, i64 op, V neutral, i64 exclusive,
                             const i64* start, i64 count) {
  const auto s = Layout::make(successor, a, b);
  const auto f = Add::make(values, op, neutral, exclusive);
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    if (start[k] >= 0) phase::claim_start(s, f, static_cast<u64>(start[k]), static_cast<u64>(k));
  }
}

// One thread a walk. next: the piece after, -1 at a tail and for slots without a walk; tail: only at tails, else -1;
// before: of each piece, the one that leads to it (-1 before).
template <class Layout, class Add, class S, class V>
__global__ void walk_pieces(const S* successor, void* a, void* b, const void* values, i64 op, V neutral, i64 exclusive,
                            const i64* start, i64 count, i64* next, i64* tail, i64* before, V* total, u64* control) {
  using State = typename Layout::State;
  const State s = Layout::make(successor, a, b);
  const auto f = Add::make(values, op, neutral, exclusive);
  u64 taken = 0;
  bool broken = false;
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    next[k] = tail[k] = -1;
    total[k] = neutral;
    if (start[k] < 0) continue;
    phase::Walk<typename State::V> w;
    u64 owner = rank::unowned;
    auto end = phase::begin_walk(s, f, static_cast<u64>(start[k]), static_cast<u64>(k), w);
    while (end == phase::End::none) end = phase::step_walk(s, f, w, owner);
    taken += w.taken;
    total[k] = w.sum;
    if (end == phase::End::tail) {
      tail[k] = static_cast<i64>(w.at);
      continue;
    }
    next[k] = static_cast<i64>(owner);
    const bool good =
        owner < static_cast<u64>(count) && start[owner] == static_cast<i64>(w.at) && owner != static_cast<u64>(k);
    broken |= !good || atomicExch(reinterpret_cast<u64*>(before) + owner, static_cast<u64>(k)) != none<u64>;
  }
  if (broken) set(control + rank_broken);
  taken = block_sum(taken);
  if (threadIdx.x == 0 && taken != 0) atomicAdd(control + rank_taken, taken);
}

// Pieces as jumps from each to what lies before it: the base of a piece is what all pieces before it amount to.
template <class V>
__global__ void aim_pieces(const i64* before, const V* total, i64 count, V neutral, u64* last, V* value) {
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    const i64 p = before[k];
    last[k] = p < 0 ? phase::arrived<u64> | static_cast<u64>(k) : static_cast<u64>(p);
    value[k] = p < 0 ? neutral : total[p];
  }
}

// One round of jumps from one pair of arrays into another.
template <class Id, class V>
__global__ void jump_round(const Id* last, const V* value, Id* to_last, V* to_value, i64 n, i64 op, V neutral,
                           u64* control) {
  const rank::Monoid<V> f{static_cast<rank::Op>(op), neutral};
  bool moving = false;
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    moving |= phase::jump_apart(last, value, to_last, to_value, f, static_cast<u64>(i));
  }
  if (__syncthreads_or(moving) != 0 && threadIdx.x == 0) set(control + rank_moving);
}

// What a list is, by its first piece: its tail, and what it amounts to.
template <class V>
__global__ void end_lists(const u64* last, const V* value, const V* total, const i64* tail, i64 count, i64 op,
                          V neutral, i64* list_tail, V* whole) {
  const rank::Monoid<V> f{static_cast<rank::Op>(op), neutral};
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    if (tail[k] < 0) continue;
    const u64 list = last[k] & ~phase::arrived<u64>;
    list_tail[list] = tail[k];
    whole[list] = f(value[k], total[k]);
  }
}

// What every element gets: its place after the base of its piece; from_tail: what is left of the whole, for links.
template <class Layout, class S, class V, class R, class T>
__global__ void give_ranks(const S* successor, void* a, void* b, i64 n, i64 op, V neutral, const u64* last,
                           const V* value, const i64* list_tail, const V* whole, const i64* start, i64 from_tail,
                           i64 name_heads, R* out, T* tails, u64* control) {
  const auto s = Layout::make(successor, a, b);
  const rank::Monoid<V> f{static_cast<rank::Op>(op), neutral};
  bool missed = false;
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const u64 k = s.owner(static_cast<u64>(i));
    if (k == rank::unowned) {
      missed = true;
      continue;
    }
    const u64 list = last[k] & ~phase::arrived<u64>;
    const V sum = f(value[k], s.place(static_cast<u64>(i)));
    out[i] = static_cast<R>(from_tail != 0 ? whole[list] - sum : sum);
    if (tails != nullptr) tails[i] = static_cast<T>(name_heads != 0 ? start[list] : list_tail[list]);
  }
  if (missed) set(control + rank_broken);
}

// ---- the chase: walks between splitters that need no mark
// ---------------------------------------------------------------------

// A walk writes nothing where it goes. What it finds of element j (its own number and the place) goes to the end of a
// queue of j's window, a part of the result small enough for the cache; a block asks for room in all queues at once, so
// queues fill line by line. Later one window after another is put in order. An item is index in its window | walk |
// place, from the low bits up.
constexpr int chase_threads = 512;
constexpr int chase_steps = 4;
constexpr int chase_blocks = 2;  // on a multiprocessor, at least
constexpr int most_windows = 128;

struct Item {
  u32 window_bits, owner_bits;
  __device__ u64 pack(u64 j, u64 owner, u64 place) const {
    return (j & ((u64{1} << window_bits) - 1)) | owner << window_bits | place << (window_bits + owner_bits);
  }
  __device__ u64 index(u64 w) const { return w & ((u64{1} << window_bits) - 1); }
  __device__ u64 owner(u64 w) const { return w >> window_bits & ((u64{1} << owner_bits) - 1); }
  __device__ u64 place(u64 w) const { return w >> (window_bits + owner_bits); }
};

// A thread that walks. words[k], tail[k]: of piece k as Jump has it (finished at a tail) and the tail; led[k] (0
// before): whether another leads to it. Walks below posts.count() start at splitters, the others at heads that are
// none.
template <class S>
struct Chaser {
  const S* successor;
  rank::Posts posts;
  Item form;
  u32 limit;
  u64* words;
  u32 *tail, *led;
  u64 at = 0, owner = 0, taken = 0;
  u32 place = 0;
  bool active = false, broken = false, too_long = false;

  __device__ void begin(u64 number, const i64* heads) {
    owner = number;
    at = owner < posts.count() ? posts.post(owner) : static_cast<u64>(heads[owner - posts.count()]);
    place = 0;
    active = true;
  }
  // Takes the element `at`: its item; then stands before the next one, or is active no more.
  __device__ u64 step() {
    const S raw = successor[at];
    const u64 item = form.pack(at, owner, place), next = raw < 0 ? at : static_cast<u64>(raw);
    ++taken;
    if (next == at) {
      words[owner] = rank::Jump::word(place, owner, true);
      tail[owner] = static_cast<u32>(at);
      active = false;
    } else if (posts.is_post(next)) {
      words[owner] = rank::Jump::word(place + 1, posts.number(next), false);
      broken |= atomicExch(led + posts.number(next), 1u) != 0;
      active = false;
    } else if (++place == limit) {
      too_long = true;
      active = false;
    }
    at = next;
    return item;
  }
  __device__ void report(u64* control) {
    if (broken) set(control + rank_broken);
    if (too_long) set(control + rank_long);
    const u64 all = block_sum(taken);
    if (threadIdx.x == 0 && all != 0) atomicAdd(control + rank_taken, all);
  }
};

// fill[w] (0 before): items in the queue of window w.
template <class S>
__global__ void __launch_bounds__(chase_threads, chase_blocks)
    chase(const S* successor, i64 n, const i64* heads, i64 count, i64 shift, u64 key, i64 window_bits, i64 owner_bits,
          i64 limit, u64* items, u64* fill, u64* words, u32* tail, u32* led, u64* control) {
  __shared__ u32 here[most_windows];
  __shared__ u64 room[most_windows];
  Chaser<S> walk{successor,
                 {static_cast<u64>(n), static_cast<u32>(shift), static_cast<u32>(key)},
                 {static_cast<u32>(window_bits), static_cast<u32>(owner_bits)},
                 static_cast<u32>(limit),
                 words,
                 tail,
                 led};
  const int windows = static_cast<int>((n + (i64{1} << window_bits) - 1) >> window_bits);
  bool more = true;
  for (;;) {
    for (int w = static_cast<int>(threadIdx.x); w < windows; w += chase_threads) here[w] = 0;
    __syncthreads();
    u64 item[chase_steps];
    u32 slot[chase_steps];
    int window[chase_steps];
#pragma unroll
    for (int step = 0; step < chase_steps; ++step) {
      window[step] = -1;
      if (!walk.active && more) {
        const u64 number = atomicAdd(control + rank_ticket, u64{1});
        more = number < static_cast<u64>(count);
        if (more) walk.begin(number, heads);
      }
      if (!walk.active) continue;
      window[step] = static_cast<int>(walk.at >> window_bits);
      item[step] = walk.step();
      slot[step] = atomicAdd(here + window[step], 1u);
    }
    const bool some = __syncthreads_or(walk.active || more) != 0;
    for (int w = static_cast<int>(threadIdx.x); w < windows; w += chase_threads) {
      if (here[w] != 0) room[w] = atomicAdd(fill + w, static_cast<u64>(here[w]));
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < chase_steps; ++step) {
      if (window[step] < 0) continue;
      const u64 in = room[window[step]] + slot[step];
      const u64 to = (static_cast<u64>(window[step]) << window_bits) + in;
      if (in < (u64{1} << window_bits) && to < static_cast<u64>(n))
        items[to] = item[step];
      else
        walk.broken = true;
    }
    if (!some) break;
  }
  walk.report(control);
}

// The same where all items fit the cache: an element's item lies in its own place (where all bits are set before), and
// a thread has one walk.
template <class S>
__global__ void chase_here(const S* successor, i64 n, const i64* heads, i64 count, i64 shift, u64 key, i64 owner_bits,
                           i64 limit, u64* items, u64* words, u32* tail, u32* led, u64* control) {
  Chaser<S> walk{successor,
                 {static_cast<u64>(n), static_cast<u32>(shift), static_cast<u32>(key)},
                 {0, static_cast<u32>(owner_bits)},
                 static_cast<u32>(limit),
                 words,
                 tail,
                 led};
  if (thread_in_grid() < count) walk.begin(static_cast<u64>(thread_in_grid()), heads);
  while (walk.active) {
    const u64 at = walk.at;
    items[at] = walk.step();
  }
  walk.report(control);
}

// All rounds of jumps over the words of pieces; a cooperative launch. Broken if some have not arrived in `rounds`.
template <class S>
__global__ void settle_pieces(u64* words, i64 count, i64 rounds, u64* control) {
  const DeviceMemory<u64> m(words);
  u64 barriers = 0;
  bool moving = false;
  for (i64 round = 0; round <= rounds; ++round) {
    moving = false;
    for (i64 k = thread_in_grid(); k < count; k += threads_in_grid())
      moving |= phase::jump_word(m, static_cast<u64>(k));
    grid_barrier(control + rank_barrier, barriers);
  }
  if (moving) set(control + rank_broken);
}

// The length of each list under the number of its last piece, from the walk that began at its head.
template <class S>
__global__ void measure_lists(const u64* words, const u32* led, i64 count, u32* length) {
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    if (led[k] == 0) length[rank::Jump::last(words[k])] = static_cast<u32>(rank::Jump::value(words[k]));
  }
}
// The rank of each piece's first element, and its list's tail in `tail` (in place: only the last pieces had one).
// length: null for ranks from the tail.
template <class S>
__global__ void name_pieces(const u64* words, i64 count, const u32* length, u32* first, const u32* tail, u32* named) {
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    const u32 value = static_cast<u32>(rank::Jump::value(words[k])),
              last = static_cast<u32>(rank::Jump::last(words[k]));
    first[k] = length == nullptr ? value : length[last] - value;
    if (named != nullptr) named[k] = tail[last];
  }
}

// Items of each window to their elements. first: as above; named: null where tails are not wanted.
template <class T>
__global__ void scatter_ranks(const u64* items, i64 n, i64 window_bits, i64 owner_bits, const u32* first,
                              const u32* named, i64 count, i64 from_head, T* out, T* tails, u64* control) {
  const Item form{static_cast<u32>(window_bits), static_cast<u32>(owner_bits)};
  const i64 i = thread_in_grid();
  if (i >= n) return;
  const u64 item = __ldcs(items + i);
  const u64 j = (static_cast<u64>(i) >> window_bits << window_bits) + form.index(item), owner = form.owner(item);
  if (j >= static_cast<u64>(n) || owner >= static_cast<u64>(count)) {
    set(control + rank_broken);
    return;
  }
  const u32 place = static_cast<u32>(form.place(item));
  out[j] = static_cast<T>(from_head != 0 ? first[owner] + place : first[owner] - place);
  if (tails != nullptr) tails[j] = static_cast<T>(named[owner]);
}

// Whether every element got a rank, in an array that was -1.
template <class T>
__global__ void check_given(const T* out, i64 n, u64* control) {
  bool missed = false;
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) missed |= out[i] < 0;
  if (missed) set(control + rank_broken);
}

// ---- pointer jumping over all elements
// --------------------------------------------------------------------------------------

// The indices of a thread: every p-th, so that neighbouring threads touch neighbouring words, or a block of its own.
struct Share {
  i64 first, last, step;
  __device__ Share(i64 n, i64 blocks) {
    const i64 threads = threads_in_grid(), length = (n + threads - 1) / threads;
    first = blocks != 0 ? thread_in_grid() * length : thread_in_grid();
    last = blocks != 0 && first + length < n ? first + length : n;
    step = blocks != 0 ? 1 : threads;
  }
};

template <class S>
__global__ void start_words(const S* successor, i64 n, i64 blocks, u64* words) {
  const Share share(n, blocks);
  for (i64 i = share.first; i < share.last; i += share.step) {
    const u64 s = rank::Links<S>{successor}(static_cast<u64>(i));
    const bool end = s == static_cast<u64>(i);
    words[i] = rank::Jump::word(end ? 0 : 1, s, end);
  }
}
template <class S>
__global__ void jump_words(u64* words, i64 n, i64 blocks, u64* control) {
  const DeviceMemory<u64> m(words);
  const Share share(n, blocks);
  bool moving = false;
  for (i64 i = share.first; i < share.last; i += share.step) moving |= phase::jump_word(m, static_cast<u64>(i));
  if (__syncthreads_or(moving) != 0 && threadIdx.x == 0) set(control + rank_moving);
}
template <class T>
__global__ void take_words(const u64* words, i64 n, T* out, T* ends) {
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    out[i] = static_cast<T>(rank::Jump::value(words[i]));
    if (ends != nullptr) ends[i] = static_cast<T>(rank::Jump::last(words[i]));
  }
}
template <class S, class Id>
__global__ void start_apart(const S* successor, i64 n, Id* last) {
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const u64 s = rank::Links<S>{successor}(static_cast<u64>(i));
    last[i] = static_cast<Id>(s) | (s == static_cast<u64>(i) ? phase::arrived<Id> : Id{0});
  }
}

// ---- fractional independent sets
// ------------------------------------------------------------------------------------------------

constexpr i64 fis_tile = 2048;

template <class S, class T, class Id>
__global__ void fis_start(const S* successor, const T* predecessor, i64 n, Id* next, Id* before, Id* active,
                          u64* control) {
  if (thread_in_grid() == 0) control[rank_left] = static_cast<u64>(n);
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    const u64 s = rank::Links<S>{successor}(static_cast<u64>(i));
    next[i] = s == static_cast<u64>(i) ? none<Id> : static_cast<Id>(s);
    before[i] = predecessor[i] < 0 ? none<Id> : static_cast<Id>(predecessor[i]);
    active[i] = static_cast<Id>(i);
  }
}

// Bits drawn elsewhere, one for each active element in their order, to the elements.
template <class Id>
__global__ void fis_deal(const Id* active, const u64* bits, u8* drew, const u64* control) {
  const i64 left = static_cast<i64>(control[rank_left]);
  for (i64 k = thread_in_grid(); k < left; k += threads_in_grid())
    drew[active[k]] = static_cast<u8>(bits[k >> 6] >> (k & 63) & 1);
}

// Who leaves, and how many stay of each tile. `drew`: null for bits drawn here, by element.
template <class Id>
__global__ void fis_decide(const Id* active, const Id* next, const Id* before, const u8* drew, u64 key, u8* drop,
                           u64* stay, const u64* control) {
  const i64 left = static_cast<i64>(control[rank_left]);
  const auto bit = [&](u64 u) { return drew != nullptr ? drew[u] != 0 : (mix(key, u) & 1) != 0; };
  for (i64 tile = blockIdx.x; tile * fis_tile < left; tile += gridDim.x) {
    u64 here = 0;
    for (i64 i = threadIdx.x; i < fis_tile; i += blockDim.x) {
      const i64 k = tile * fis_tile + i;
      if (k >= left) break;
      const bool out = phase::leaves(next, before, bit, static_cast<u64>(active[k]));
      drop[k] = out;
      here += !out;
    }
    here = block_sum(here);
    if (threadIdx.x == 0) stay[tile] = here;
  }
}

// Where each tile's stayers go: one block adds up. stay[tiles] is the sum.
template <class Id>
__global__ void fis_offsets(u64* stay, u64* control) {
  __shared__ u64 part[1024];
  __shared__ u64 before;
  const i64 tiles = (static_cast<i64>(control[rank_left]) + fis_tile - 1) / fis_tile;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) before = 0;
  for (i64 first = 0; first < tiles; first += 1024) {
    const u64 own = first + t < tiles ? stay[first + t] : 0;
    part[t] = own;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
      const u64 left = t >= d ? part[t - d] : 0;
      __syncthreads();
      part[t] += left;
      __syncthreads();
    }
    if (first + t < tiles) stay[first + t] = before + part[t] - own;
    __syncthreads();
    if (t == 1023) before += part[t];
    __syncthreads();
  }
  if (t == 0) stay[tiles] = before;
}

// Unlinks those that leave, in order to the log, of which n - left places are taken; the others in order to `kept`.
template <class Id, class V>
__global__ void fis_remove(const Id* active, Id* kept, Id* log, const u8* drop, const u64* stay, Id* next, Id* before,
                           V* value, i64 n, i64 op, V neutral, const u64* control) {
  __shared__ u32 warps[32];
  const rank::Monoid<V> f{static_cast<rank::Op>(op), neutral};
  const i64 left = static_cast<i64>(control[rank_left]);
  for (i64 tile = blockIdx.x; tile * fis_tile < left; tile += gridDim.x) {
    i64 at = static_cast<i64>(stay[tile]);
    for (i64 first = tile * fis_tile; first < (tile + 1) * fis_tile && first < left; first += blockDim.x) {
      const i64 k = first + threadIdx.x;
      const bool here = k < left, out = here && drop[k] != 0;
      const unsigned stays = __ballot_sync(0xffffffffu, here && !out);
      const int warp = static_cast<int>(threadIdx.x) / warp_threads;
      if (lane() == 0) warps[warp] = static_cast<u32>(__popc(stays));
      __syncthreads();
      u32 ahead = static_cast<u32>(__popc(stays & lanes_below())), all = 0;
      for (int w = 0; w < static_cast<int>(blockDim.x) / warp_threads; ++w) {
        if (w < warp) ahead += warps[w];
        all += warps[w];
      }
      if (here) {
        const Id u = active[k];
        if (out) {
          log[n - left + k - (at + ahead)] = u;
          phase::unlink(next, before, value, f, static_cast<u64>(u));
        } else {
          kept[at + ahead] = u;
        }
      }
      at += all;
      __syncthreads();
    }
  }
}
template <class Id>
__global__ void fis_next(const u64* stay, u64* sizes, i64 round, u64* control) {
  const i64 tiles = (static_cast<i64>(control[rank_left]) + fis_tile - 1) / fis_tile;
  control[rank_left] = stay[tiles];
  sizes[round] = stay[tiles];
}

// The survivors as a list of their own, backwards: rest[k] is the position of what lay before the k-th.
template <class Id>
__global__ void fis_number(const Id* active, i64 left, Id* position) {
  for (i64 k = thread_in_grid(); k < left; k += threads_in_grid()) position[active[k]] = static_cast<Id>(k);
}
template <class Id, class V>
__global__ void fis_gather(const Id* active, i64 left, const Id* position, const Id* before, const V* value, i64* rest,
                           V* rest_value, u64* control) {
  bool ring = false;
  for (i64 k = thread_in_grid(); k < left; k += threads_in_grid()) {
    const Id u = active[k], p = before[u];
    ring |= p == u;  // what removals have left of a cycle
    rest[k] = p == none<Id> ? i64{-1} : static_cast<i64>(position[p]);
    rest_value[k] = value[u];
  }
  if (ring) set(control + rank_broken);
}
template <class Id, class V, class T>
__global__ void fis_spread(const Id* active, i64 left, const V* place, const i64* rest_end, V* result, T* ends) {
  for (i64 k = thread_in_grid(); k < left; k += threads_in_grid()) {
    result[active[k]] = place[k];
    if (ends != nullptr) ends[active[k]] = static_cast<T>(active[rest_end[k]]);
  }
}
template <class Id, class V, class T>
__global__ void fis_return(const Id* log, i64 count, const Id* next, const V* value, i64 op, V neutral, V* result,
                           T* ends) {
  const rank::Monoid<V> f{static_cast<rank::Op>(op), neutral};
  for (i64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
    const Id u = log[k];
    result[u] = f(value[u], result[next[u]]);
    if (ends != nullptr) ends[u] = ends[next[u]];
  }
}

}  // namespace lb::gpu

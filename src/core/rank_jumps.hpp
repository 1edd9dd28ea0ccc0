// Pointer jumping (Wyllie): in every round each element doubles its reach towards the end of its list.
#pragma once
#include <atomic>
#include <bit>
#include <utility>

#include "interrupt.hpp"
#include "landbridge/phase/rank.hpp"
#include "memory.hpp"
#include "rank_strategy.hpp"
#include "rank_successors.hpp"

namespace lb::core::lists {

// Calls body(i) for 0 <= i < n, and returns whether any call returned true. Each thread has a block of indices, which
// suits caches, or with `stride` every p-th index, which suits GPUs.
template <class Body>
bool any_element(i64 n, int threads, bool stride, const Body& body) {
  std::atomic<bool> any{false};
  if (stride) {
    parallel(threads, [&](int worker) {
      bool result = false;
      in_blocks(i64{worker}, n, grain * threads, [&](i64 b, i64 e) {
        for (i64 i = b; i < e; i += threads) result |= body(i);
      });
      if (result) any.store(true, std::memory_order_relaxed);
    });
  } else {
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
      bool result = false;
      for (i64 i = b; i < e; ++i) result |= body(i);
      if (result) any.store(true, std::memory_order_relaxed);
    });
  }
  return any.load();
}

// More rounds than the longest list takes; elements of a cycle go on for ever.
inline int most_jump_rounds(i64 n) { return std::bit_width(static_cast<u64>(n)) + 2; }

// words[i]: the distance from i to the end of its list and that end, as rank::Jump has them. For n < 2^31. False if a
// list has no end.
template <class S>
bool jump_packed(ListsView<S> lists, Buffer<u64>& words, int threads, bool stride) {
  const rank::Successors<S> next(lists.successor, lists.n);
  const SharedWords<u64> m(words.data());
  any_element(lists.n, threads, stride, [&](i64 i) {
    const u64 s = next(static_cast<u64>(i));
    const bool end = s == static_cast<u64>(i);
    m.store(static_cast<u64>(i), rank::Jump::word(end ? 0 : 1, s, end));
    return false;
  });
  for (int round = most_jump_rounds(lists.n); round > 0; --round) {
    const bool moving =
        any_element(lists.n, threads, stride, [&](i64 i) { return phase::jump_word(m, static_cast<u64>(i)); });
    if (!moving) return true;
  }
  return false;
}

// value[i] <- value[i] (+) .. (+) the value of the end of its list, which is last[i]. last: the successors before.
// False if a list has no end.
template <class T, class V>
bool jump_arrays(Buffer<Unsigned<T>>& last, Buffer<V>& value, i64 n, const rank::Monoid<V>& op, int threads,
                 bool stride) {
  using U = Unsigned<T>;
  Buffer<U> other_last(static_cast<std::size_t>(n));
  Buffer<V> other_value(static_cast<std::size_t>(n));
  for (int round = most_jump_rounds(n); round > 0; --round) {
    const bool moving = any_element(n, threads, stride, [&](i64 i) {
      return phase::jump_between<U, V>(last.data(), value.data(), other_last.data(), other_value.data(), op,
                                       static_cast<u64>(i));
    });
    std::swap(last, other_last);
    std::swap(value, other_value);
    if (!moving) return true;
  }
  return false;
}

// The suffixes of prefix() by jumps.
template <class S, class T, class V>
bool suffix_by_jumps(ListsView<S> lists, Buffer<V>& value, const rank::Monoid<V>& op, T* tails, bool stride,
                     int threads, Stopwatch& watch) {
  using U = Unsigned<T>;
  const rank::Successors<S> next(lists.successor, lists.n);
  Buffer<U> last(static_cast<std::size_t>(lists.n));
  for_each_element(lists.n, threads, [&](i64 i) {
    const u64 s = next(static_cast<u64>(i));
    last[i] = static_cast<U>(s) | (s == static_cast<u64>(i) ? phase::end_bit<U> : U{0});
  });
  if (!jump_arrays<T>(last, value, lists.n, op, threads, stride)) return false;
  watch.lap("jump");
  if (tails != nullptr) {
    for_each_element(lists.n, threads,
                     [&](i64 i) { tails[i] = static_cast<T>(last[i] & static_cast<U>(~phase::end_bit<U>)); });
  }
  return true;
}

}  // namespace lb::core::lists

// One walk from the head of each list to its tail.
#pragma once
#include <tuple>
#include <utility>

#include "interrupt.hpp"
#include "memory.hpp"
#include "rank_successors.hpp"

namespace lb::core::lists {

// Calls list(head) for the head of every list; false if an element has two predecessors.
template <class S, class List>
bool for_each_list(ListsView<S> lists, const Survey& survey, const List& list) {
  const i64 n = lists.n;
  if (survey.tails == 1) {
    if (survey.head >= static_cast<u64>(n)) return false;
    list(static_cast<i64>(survey.head));
    return true;
  }
  const rank::Successors<S> next(lists.successor, lists.n);
  Buffer<u8> has_predecessor(static_cast<std::size_t>(n));
  std::fill(has_predecessor.begin(), has_predecessor.end(), u8{0});
  bool distinct = true;
  in_blocks(i64{0}, n, i64{1} << 16, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const u64 s = next(static_cast<u64>(i));
      if (s != static_cast<u64>(i) && std::exchange(has_predecessor[s], u8{1}) != 0) distinct = false;
    }
  });
  if (!distinct) return false;
  in_blocks(i64{0}, n, i64{1} << 16, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      if (has_predecessor[i] == 0) list(i);
    }
  });
  return true;
}

// The tail of the list of a head, and its length; more than n where the path has no end.
template <class S>
std::pair<i64, i64> tail_and_length(rank::Successors<S> next, i64 n, i64 head) {
  u64 tail = static_cast<u64>(head), following = next(tail);
  i64 length = 1;
  for (;;) {
    const i64 bound = next_stop(length, n + 1);
    for (; following != tail && length < bound; following = next(tail)) tail = following, ++length;
    if (length < bound || length > n) return {static_cast<i64>(tail), length};
    stop_point();
  }
}

// Writes the ranks of a list of this length: `distance` at the head, then in steps of `step`. False if it has another
// length.
template <class S, class T>
bool write_ranks(rank::Successors<S> next, i64 head, i64 length, i64 distance, i64 step, i64 tail, T* ranks, T* tails) {
  u64 at = static_cast<u64>(head);
  i64 k = 0;
  for (;;) {
    for (const i64 bound = next_stop(k, length); k < bound; ++k) {
      ranks[at] = static_cast<T>(distance);
      if (tails != nullptr) tails[at] = static_cast<T>(tail);
      distance += step;
      const u64 successor = next(at);
      if (successor == at) return k + 1 == length;
      at = successor;
    }
    if (k == length) return false;
    stop_point();
  }
}

// Ranks from the head or from the tail; false if the successors are no lists.
template <class S, class T>
bool rank_serially(ListsView<S> lists, const Survey& survey, bool from_head, T* ranks, T* tails) {
  const rank::Successors<S> next(lists.successor, lists.n);
  const i64 n = lists.n;
  i64 visited = 0;
  bool sound = true;
  const bool distinct = for_each_list(lists, survey, [&](i64 head) {
    // A path that reaches a tail has no element twice. Any other path is in a cycle and has no end.
    i64 length = n, tail = head;
    if (survey.tails > 1 || tails != nullptr) std::tie(tail, length) = tail_and_length(next, n, head);
    sound = sound && length <= n - visited;
    if (!sound) return;  // the sum of successors that are no lists is no head
    visited += length;
    const i64 first = from_head ? 0 : length - 1, step = from_head ? 1 : -1;
    sound = write_ranks(next, head, length, first, step, tail, ranks, tails);
  });
  return distinct && sound && visited == n;
}

// Writes prefixes from a head on, of at most n elements: the last one and how many there are. `ended`: whether it is a
// tail.
template <class S, class T, class V>
std::pair<u64, i64> write_prefixes(rank::Successors<S> next, const rank::ArrayValues<V>& f, u64 head, i64 n, V* out,
                                   T* heads, bool& ended) {
  V before = f.neutral();
  u64 at = head;
  for (i64 k = 0;;) {
    for (const i64 bound = next_stop(k, n); k < bound;) {
      const V own = f.value(at);
      out[at] = f.place(before, own);
      if (heads != nullptr) heads[at] = static_cast<T>(head);
      before = f.add(before, own);
      ++k;
      const u64 successor = next(at);
      if (successor == at) {
        ended = true;
        return {at, k};
      }
      at = successor;
    }
    if (k == n) return {at, k};
    stop_point();
  }
}

// Writes the tail of a list to its `length` elements.
template <class S, class T>
void write_tail(rank::Successors<S> next, u64 head, u64 tail, i64 length, T* tails) {
  u64 at = head;
  for (i64 k = 0; k < length; ++k) {
    stop_point_at(k + 1);
    tails[at] = static_cast<T>(tail);
    if (at == tail) return;
    at = next(at);
  }
}

// Prefixes from the head of each list; false if the successors are no lists.
template <class S, class T, class V>
bool prefix_serially(ListsView<S> lists, const Survey& survey, const rank::ArrayValues<V>& f, V* out,
                     ListEnds<T> ends) {
  const i64 n = lists.n;
  i64 visited = 0, tails = 0;
  const rank::Successors<S> next(lists.successor, lists.n);
  const bool distinct = for_each_list(lists, survey, [&](i64 head) {
    if (visited == n) return;
    bool ended = false;
    const auto [tail, length] = write_prefixes(next, f, static_cast<u64>(head), n - visited, out, ends.heads, ended);
    visited += length;
    tails += ended;
    if (ends.tails != nullptr) write_tail(next, static_cast<u64>(head), tail, length, ends.tails);
  });
  // A path that reaches a tail has no element twice.
  return distinct && visited == n && tails == survey.tails;
}

}  // namespace lb::core::lists

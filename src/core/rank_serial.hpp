// One walk from the head of each list to its tail.
#pragma once
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
  const rank::Successors<S> next{lists.successor};
  Buffer<u8> has_predecessor(static_cast<std::size_t>(n));
  std::fill(has_predecessor.begin(), has_predecessor.end(), u8{0});
  for (i64 i = 0; i < n; ++i) {
    const u64 s = next(static_cast<u64>(i));
    if (s != static_cast<u64>(i) && std::exchange(has_predecessor[s], u8{1}) != 0) return false;
  }
  for (i64 i = 0; i < n; ++i) {
    if (has_predecessor[i] == 0) list(i);
  }
  return true;
}

// Ranks from the head or from the tail; false if the successors are no lists.
template <class S, class T>
bool rank_serially(ListsView<S> lists, const Survey& survey, bool from_head, T* ranks, T* tails) {
  const S* const successor = lists.successor;
  const i64 n = lists.n;
  i64 visited = 0;
  const bool distinct = for_each_list(lists, survey, [&](i64 head) {
    // A path that reaches a tail has no element twice. Any other path is in a cycle and has no end.
    i64 length = 1, tail = head;
    if (survey.tails > 1 || tails != nullptr) {
      for (i64 next = successor[tail]; next != tail && next >= 0 && length <= n; next = successor[tail]) {
        stop_point_at(length);
        tail = next, ++length;
      }
      if (length > n) return;  // the sum of successors that are no lists is no head
    } else {
      length = n;
    }
    i64 at = head, distance = from_head ? 0 : length - 1;
    const i64 step = from_head ? 1 : -1;
    for (i64 k = 0; k < length && visited < n; ++k) {
      stop_point_at(visited);
      ranks[at] = static_cast<T>(distance);
      if (tails != nullptr) tails[at] = static_cast<T>(tail);
      distance += step;
      ++visited;
      const i64 next = successor[at];
      if (next == at || next < 0) {
        if (k + 1 < length) visited = -n;  // shorter than it must be
        break;
      }
      if (k + 1 == length) visited = -n;  // longer
      at = next;
    }
  });
  return distinct && visited == n;
}

// Prefixes from the head of each list; false if the successors are no lists.
template <class S, class T, class V>
bool prefix_serially(ListsView<S> lists, const Survey& survey, const rank::ArrayValues<V>& f, V* out,
                     ListEnds<T> ends) {
  const i64 n = lists.n;
  i64 visited = 0, tails = 0;
  const rank::Successors<S> next{lists.successor};
  const bool distinct = for_each_list(lists, survey, [&](i64 head) {
    V before = f.neutral();
    u64 at = static_cast<u64>(head);
    for (; visited < n; ++visited) {
      stop_point_at(visited);
      const V own = f.value(at);
      out[at] = f.place(before, own);
      if (ends.heads != nullptr) ends.heads[at] = static_cast<T>(head);
      before = f.add(before, own);
      const u64 successor = next(at);
      if (successor == at) {
        ++visited, ++tails;
        break;
      }
      at = successor;
    }
    if (ends.tails == nullptr) return;
    const u64 tail = at;
    at = static_cast<u64>(head);
    for (i64 k = 0; k < n; ++k) {
      stop_point_at(k);
      ends.tails[at] = static_cast<T>(tail);
      if (at == tail) break;
      at = next(at);
    }
  });
  // A path that reaches a tail has no element twice.
  return distinct && visited == n && tails == survey.tails;
}

}  // namespace lb::core::lists

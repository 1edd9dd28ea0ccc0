// One walk from the head of each list to its tail.
#pragma once
#include <algorithm>
#include <tuple>
#include <utility>

#include "cached.hpp"
#include "interrupt.hpp"
#include "memory.hpp"
#include "rank_successors.hpp"

namespace lb::core::lists {

// Elements whose lists begin together: what is fetched for each head is at hand when its turn comes.
constexpr i64 heads_at_once = 64;

// Calls walk(heads, count) until every list has been named by its head; false, and nothing is named, if an element has
// two predecessors. Heads and tails in no order are nothing that a processor could guess: no branch depends on them
// before the lists are walked.
template <class S, class Walk>
bool for_all_lists(ListsView<S> lists, const Survey& survey, const Walk& walk) {
  const i64 n = lists.n;
  if (survey.tails == 1) {
    if (survey.head >= static_cast<u64>(n)) return false;
    i64 head = static_cast<i64>(survey.head);
    walk(&head, 1);
    return true;
  }
  constexpr i64 block = i64{1} << 16;
  // A cell for each element, and one for what follows tails.
  Buffer<u8> has_predecessor(static_cast<std::size_t>(n) + 1);
  std::fill(has_predecessor.begin(), has_predecessor.end(), u8{0});
  const auto cells = has_predecessor.data();
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const u64 s = static_cast<Unsigned<S>>(lists.successor[i]);
      cells[(s < static_cast<u64>(n)) & (s != static_cast<u64>(i)) ? s : static_cast<u64>(n)] = 1;
    }
  });
  // There are as many successors as elements but tails: one that is met twice leaves a head too many.
  i64 followers = 0;
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    u32 some = 0;
    for (i64 i = begin; i < end; ++i) some += cells[i];
    followers += some;
  });
  if (n - followers != survey.tails) return false;
  in_blocks(i64{0}, n, block, [&](i64 begin, i64 end) {
    i64 heads[heads_at_once];
    for (i64 from = begin; from < end; from += heads_at_once) {
      int count = 0;
      for (i64 i = from; i < std::min(end, from + heads_at_once); ++i) {
        heads[count] = i;
        count += cells[i] == 0;
      }
      walk(heads, count);
    }
  });
  return true;
}

// A stop point whenever the elements that have been visited come to another 2^16, also by short walks.
inline void stop_point_between(i64 before, i64 visited) {
  if (before >> 16 != visited >> 16) stop_point();
}

// Whether cells that lists come to one after the other are better fetched before.
template <class S>
bool worth_fetching(i64 n) {
  return !nearly_cached<S>(2 * n);
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

// Fetches what the second elements of several lists have in both arrays.
template <class S, class Out>
void fetch_second(rank::Successors<S> next, const i64* heads, int count, const S* successor, const Out* out) {
  for (int k = 0; k < count; ++k) {
    const u64 second = next(static_cast<u64>(heads[k]));
    __builtin_prefetch(successor + second);
    __builtin_prefetch(out + second, 1);
  }
}

// Elements up to which a list is short: its elements are kept, so they are read once.
constexpr int short_list = 16;

// Writes the ranks, and the tail, of a short list: its length. 0, and nothing is written, for a longer one.
template <class S, class T>
i64 rank_short_list(rank::Successors<S> next, i64 head, bool from_head, T* ranks, T* tails) {
  u64 path[short_list], at = static_cast<u64>(head);
  int length = 0;
  for (;;) {
    path[length++] = at;
    const u64 following = next(at);
    if (following == at) break;
    if (length == short_list) return 0;
    at = following;
  }
  for (int k = 0; k < length; ++k) {
    ranks[path[k]] = static_cast<T>(from_head ? k : length - 1 - k);
    if (tails != nullptr) tails[path[k]] = static_cast<T>(at);
  }
  return length;
}

// The same for short ones of several lists: the number of all their elements. The heads of others come first in `heads`
// then: `longer` of them.
template <class S, class T>
i64 rank_short_lists(rank::Successors<S> next, i64* heads, int count, bool from_head, T* ranks, T* tails, int& longer) {
  i64 elements = 0;
  int rest = 0;
  for (int k = 0; k < count; ++k) {
    const i64 length = rank_short_list(next, heads[k], from_head, ranks, tails);
    heads[rest] = heads[k];
    rest += length == 0;
    elements += length;
  }
  longer = rest;
  return elements;
}

// Ranks from the head or from the tail; false if the successors are no lists.
template <class S, class T>
bool rank_serially(ListsView<S> lists, const Survey& survey, bool from_head, T* ranks, T* tails) {
  const rank::Successors<S> next(lists.successor, lists.n);
  const i64 n = lists.n;
  const bool fetches = worth_fetching<S>(n);
  i64 visited = 0;
  bool sound = true;
  const auto rank_list = [&](i64 head) {
    // A path that reaches a tail has no element twice. Any other path is in a cycle and has no end.
    if (!sound) return;
    i64 length = n, tail = head;
    if (survey.tails > 1 || tails != nullptr) std::tie(tail, length) = tail_and_length(next, n, head);
    sound = sound && length <= n - visited;
    if (!sound) return;  // the sum of successors that are no lists is no head
    visited += length;
    const i64 first = from_head ? 0 : length - 1, step = from_head ? 1 : -1;
    sound = write_ranks(next, head, length, first, step, tail, ranks, tails);
  };
  const bool distinct = for_all_lists(lists, survey, [&](i64* heads, int count) {
    if (fetches) fetch_second(next, heads, count, lists.successor, ranks);
    const i64 before = visited;
    int longer;
    visited += rank_short_lists(next, heads, count, from_head, ranks, tails, longer);
    for (int k = 0; k < longer; ++k) rank_list(heads[k]);
    stop_point_between(before, visited);
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
  const bool fetches = worth_fetching<S>(n);
  const auto scan_list = [&](i64 head) {
    if (visited == n) return;
    bool ended = false;
    const auto [tail, length] = write_prefixes(next, f, static_cast<u64>(head), n - visited, out, ends.heads, ended);
    visited += length;
    tails += ended;
    if (ends.tails != nullptr) write_tail(next, static_cast<u64>(head), tail, length, ends.tails);
  };
  const bool distinct = for_all_lists(lists, survey, [&](const i64* heads, int count) {
    if (fetches) fetch_second(next, heads, count, lists.successor, out);
    const i64 before = visited;
    for (int k = 0; k < count; ++k) scan_list(heads[k]);
    stop_point_between(before, visited);
  });
  // A path that reaches a tail has no element twice.
  return distinct && visited == n && tails == survey.tails;
}

}  // namespace lb::core::lists

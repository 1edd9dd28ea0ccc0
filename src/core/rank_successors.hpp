// Passes over the successors of all elements that plans of list ranking share.
#pragma once
#include <algorithm>
#include <type_traits>

#include "rank.hpp"
#include "threads.hpp"

namespace lb::core::lists {

constexpr i64 grain = i64{1} << 15;  // elements that a thread takes at a time

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// The ends of each element's list; null where they are not requested.
template <class T>
struct ListEnds {
  T* tails = nullptr;
  T* heads = nullptr;
};

// The survey that every plan begins with.
struct Survey {
  i64 tails = 0;
  u64 head = 0;  // the head, if there is one list and the successors are sound
};

// Throws ListError for a successor out of range.
template <class S>
Survey survey(ListsView<S> lists, int threads);

// Throws ListError with the first problem of successors that are no lists.
template <class S>
[[noreturn]] void refuse(ListsView<S> lists);

// Whether no element has two predecessors.
template <class S>
bool predecessors_are_distinct(ListsView<S> lists, int threads);

// The predecessor of each element, -1 for heads; false if an element has two.
template <class S, class T>
bool find_predecessors(ListsView<S> lists, T* predecessor, int threads);

// The same successors as T, with -1 for tails.
template <class S, class T>
void copy_successors(ListsView<S> lists, T* successor, int threads);

// From the head of each element's list to its tail.
template <class S, class T>
void heads_to_tails(ListsView<S> lists, T* ends, int threads);

// Calls body(i) for 0 <= i < n.
template <class Body>
void for_each_element(i64 n, int threads, const Body& body) {
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) body(i);
  });
}

}  // namespace lb::core::lists

// List ranking and scans over lists on CPU threads.
#pragma once
#include <string>

#include "error.hpp"
#include "landbridge/policy/rank.hpp"
#include "stopwatch.hpp"
#include "values.hpp"

namespace lb::core {

// Successors that are no lists; the message names an element that proves it.
struct ListError : InputError {
  using InputError::InputError;
};

// Integers to be added whose sizes add up to 2^63 or more.
struct SumOverflow : InputError {
  using InputError::InputError;
};

// successor[0..n-1]: the element after each; a tail has itself or -1. S is i32 or i64.
template <class S>
struct ListsView {
  const S* successor;
  i64 n;
};

// A row of the registry's axis `rank`, its parameters, the seed of what is random, and how many threads run.
struct ListPlan {
  std::string name;
  Values values;
  u64 seed = 1;
  int threads = 1;
};

// What a scan combines.
struct ScanSpec {
  rank::ScanOp op = rank::ScanOp::sum;
  bool from_head = true;   // element i gets the values from its head to i; otherwise from i to its tail
  bool exclusive = false;  // without i's own
  bool of_links = false;   // values belong to links: that of a tail does not count
};

// T, the type of ranks and elements in the result, is i32 for n < 2^31, i64 above. Every function throws ListError if
// the successors are no lists: one is out of range, an element has two predecessors, or elements form a cycle. It
// always returns, and n = 0 is legal.

// ranks[i]: the number of links from i to its tail, or from its head to i with `from_head`. tails (may be null): the
// tail of i's list.
template <class S, class T>
void rank_elements(ListsView<S> lists, bool from_head, T* ranks, T* tails, const ListPlan& plan, Phases& phases);

// out[i]: the values of a part of i's list, combined in its order. V is i64 or double. Integer sums are exact: throws
// SumOverflow if the absolute values add up to more than V holds.
template <class S, class T, class V>
void scan_lists(ListsView<S> lists, const V* values, const ScanSpec& spec, V* out, T* tails, const ListPlan& plan,
                Phases& phases);

// The first thing wrong with the successors, as one line; empty if they are lists. Serial.
template <class S>
std::string problem_of_lists(ListsView<S> lists);

// An independent verifier: empty if `ranks` is the scan's result, else one line that names the first element whose
// value is wrong, and the right one. Doubles may differ by what rounding explains. Shares nothing with the above.
template <class S, class V>
std::string check_scan(ListsView<S> lists, const V* values, const ScanSpec& spec, const V* ranks);

}  // namespace lb::core

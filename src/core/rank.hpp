// List ranking and scans over lists on CPU threads.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "landbridge/policy/rank.hpp"

namespace lb::core {

// Successors that are no lists; the message names an element that proves it.
struct ListError : InputError {
  using InputError::InputError;
};

// A plan in the words of the registry's axis `rank`; a parameter of another plan is not looked at.
struct RankRequest {
  std::string plan = "serial";
  std::string layout = "bits64";  // random_splitter
  std::string share = "native";   // wyllie: which elements a thread takes: every p-th, or a block of them
  i64 splitters = 0;              // random_splitter, wei_jaja: sub-lists; chains: 0 for as many as the length asks for
  i64 width = 64;                 // chains: walks a thread follows at once
  i64 per_thread = 8;             // helman_jaja
  i64 stop = 100;                 // rehman: the length from which recursion gives up
  double factor = 4;              // fis: rounds as a multiple of lg lg n
  u64 seed = 1;
  int threads = 1;
};

using Phases = std::vector<std::pair<std::string, double>>;

// successor[0..n-1]: the element after each; a tail has itself or -1. S is i32 or i64; T, the type of ranks and
// elements in the result, is i32 for n < 2^31, i64 above. Every function throws ListError if the successors are no
// lists: one is out of range, an element has two predecessors, or elements form a cycle. It always returns, and n = 0
// is legal.

// ranks[i]: the number of links from i to its tail, or from its head to i with `from_head`. tails (may be null): the
// tail of i's list.
template <class S, class T>
void rank_elements(const S* successor, i64 n, bool from_head, T* ranks, T* tails, const RankRequest& plan,
                   Phases& phases);

// What a scan combines.
struct Scan {
  rank::Op op = rank::Op::sum;
  bool from_head = true;   // element i gets the values from its head to i; otherwise from i to its tail
  bool exclusive = false;  // without i's own
  bool of_links = false;   // values belong to links: that of a tail does not count
};

// out[i]: the values of a part of i's list, combined in its order. V is i64 or double. Integer sums are exact: throws
// InputError if the absolute values add up to more than V holds.
template <class S, class T, class V>
void scan_lists(const S* successor, i64 n, const V* values, const Scan& scan, V* out, T* tails, const RankRequest& plan,
                Phases& phases);

// The first thing wrong with the successors, as one line; empty if they are lists. Serial.
template <class S>
std::string problem_of_lists(const S* successor, i64 n);

// An independent verifier: empty if `ranks` is what the scan asks for, else one line that names the first element whose
// value is wrong, and the right one. Doubles may differ by what rounding explains. Shares nothing with the above.
template <class S, class V>
std::string check_scan(const S* successor, i64 n, const V* values, const Scan& scan, const V* ranks);

}  // namespace lb::core

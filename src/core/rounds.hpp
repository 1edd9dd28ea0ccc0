// The table of compiled rounds: one row for each sound choice of words of each row of axis round, for each width of
// ids.
#pragma once
#include <string_view>
#include <vector>

#include "kernels.hpp"
#include "standalone.hpp"

namespace lb::core {

// A rule of policy/round.hpp that runs on the CPU. Vertex 0 and Cells::relabeled_root have exchanged labels.
//   connect.unite    propagates labels between u[i] and v[i], and sets Cells::changed if one has changed; any number of
//                    threads may call it
//   connect.flatten  makes labels roots
//   claim            the same edges again, before a pass: its `record` adds the edges that made roots children (null
//   for
//                    rules that make no spanning forest), where that of `connect` connects and adds nothing
// The others visit vertices, each in one call, and never while `connect` runs:
//   begin   [begin, end) before the first round
//   pass    those of [begin, end) that are in `subset`, a bit each, or all if it is null; begin is a multiple of 64
//   active  whether the arcs of x have to be looked at in this round; null if always
template <class Id>
struct Rounds {
  std::string_view name;
  std::vector<std::string_view> words;
  bool root_based, rewrites, uses_old;
  int passes;
  Kernel<Id> connect, claim;
  void (*begin)(const Cells<Id>&, i64 begin, i64 end);
  void (*pass)(const Cells<Id>&, int number, const u64* subset, i64 begin, i64 end);
  bool (*active)(const Cells<Id>&, Id x);
};

// A row with one choice of words, as the plan language sees it.
struct RoundVariant {
  std::string_view name;
  std::vector<std::string_view> words;
  const char* reason;     // null if it is sound
  const char* no_forest;  // null if it also makes a spanning forest
  bool root_based, rewrites, by_hops, published;
};
const std::vector<RoundVariant>& round_variants();

// Whether a row of axis round has this name.
bool is_round(std::string_view name);
// The rounds of a sound choice of words, which are in the row's order; null for any other.
template <class Id>
const Rounds<Id>* find_rounds(std::string_view name, const std::vector<std::string_view>& words);

}  // namespace lb::core

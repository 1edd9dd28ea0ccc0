// The parameters of the plans of list ranking: each row of the registry's axis `rank` is a function from its parameters
// and the number of elements to a strategy. The algorithms read strategies and no plan's name.
#pragma once
#include "rank.hpp"

namespace lb::core::lists {

enum class Method { serial, walks, jumps, independent_sets };

struct Strategy {
  Method method = Method::serial;

  // Walks: one splitter in each of so many blocks of indices begins a sublist.
  i64 blocks = 0;
  bool first_of_block = false;  // the splitter is its block's first element instead of a random one
  int width = 1;                // walks that a thread follows at once
  enum class Layout { bits64, bits48, fused } layout = Layout::bits64;  // of 32-bit ranks
  bool recursion = false;                                               // the same plan ranks the sublists
  int sublist_threads = 1;                                              // or so many threads do

  bool stride = false;  // jumps: a thread takes every p-th element instead of a block of them

  int rounds = 0;  // independent sets: of removals

  // Whether values are combined from the start of a list on. Jumps and removals combine towards its end.
  bool from_start() const { return method == Method::serial || method == Method::walks; }
};

// The strategy of a plan for n elements. Throws InputError for a name that no row of the CPU has.
Strategy strategy_of(const ListPlan& plan, i64 n);

// Plans that another plan's algorithm uses for the part it leaves.
ListPlan serial_plan();
ListPlan chains_plan(u64 seed, int threads);

}  // namespace lb::core::lists

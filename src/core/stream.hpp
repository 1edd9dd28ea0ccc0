// The table of compiled rules for streams: one row for each combination that is sound and each width of cells.
#pragma once
#include <string_view>
#include <vector>

#include "kernels.hpp"
#include "landbridge/cpu/stream.hpp"

namespace lb::core {

// A rule as a stream runs it, over Cells (of which ranked rules use `words` alone; they exist for u64 only).
//   insert, mixed, answer   a batch, see cpu/stream.hpp; any number of threads at once. mixed is null for the rules
//                           whose queries must not run beside links, and answer must not for them.
//   insert_exclusive        insert where nothing is a query; no other call may run
//   start                   makes the vertices [begin, end) singletons
//   load_roots              makes roots[x - begin] the parent of x; each root is its own
//   roots                   writes the root of x to roots[x - begin], shortening; no other call may run
template <class Id>
struct StreamKernel {
  const char *link, *find, *splice;
  bool ranked, uses_aux;
  i64 (*insert)(const Cells<Id>&, const Id* u, const Id* v, const u8* is_query, i64 count, const cpu::LinkLog<Id>&);
  i64 (*insert_exclusive)(const Cells<Id>&, const Id* u, const Id* v, i64 count, const cpu::LinkLog<Id>&);
  i64 (*mixed)(const Cells<Id>&, const Id* u, const Id* v, const u8* is_query, i64 count, const cpu::LinkLog<Id>&,
               u8* bits);
  void (*answer)(const Cells<Id>&, const Id* u, const Id* v, const u8* is_query, i64 count, u8* bits);
  void (*start)(const Cells<Id>&, i64 begin, i64 end);
  void (*load_roots)(const Cells<Id>&, i64 begin, i64 end, const Id* roots);
  void (*roots)(const Cells<Id>&, i64 begin, i64 end, Id* roots);
};

// The kernel of a sound combination; null for any other name, and for ranked rules where Id is u32.
template <class Id>
const StreamKernel<Id>* find_stream_kernel(std::string_view link, std::string_view find, std::string_view splice);

}  // namespace lb::core

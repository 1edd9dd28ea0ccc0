// A non-owning view of a graph. Read-only while a kernel runs, so plain loads.
#pragma once
#include "platform.hpp"

namespace lb {

// Compressed sparse rows: the neighbours of x are neighbors[offsets[x] .. offsets[x + 1]).
template <class Id, class Offset>
struct Csr {
  const Offset* offsets;
  const Id* neighbors;
  i64 vertices;
  LB_FN i64 begin(i64 x) const { return static_cast<i64>(offsets[x]); }
  LB_FN i64 end(i64 x) const { return static_cast<i64>(offsets[x + 1]); }
};

}  // namespace lb

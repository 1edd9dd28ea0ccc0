// Copies of ids into pinned memory for a device: narrowed to 32 bits if possible, and checked on the
// way.
#pragma once
#include <span>

#include "graph.hpp"

namespace lb::core {

// Copies `count` ids of each array, of any width and stride, into contiguous arrays of 32- or 64-bit elements and
// returns the largest as unsigned (a negative one is larger than any legal one), 0 for none. An id that does not fit
// loses its upper half: the caller sees that in what is returned. The arrays do not overlap.
struct IdCopy {
  IdArray from;
  void* to;
};
u64 copy_ids(std::span<const IdCopy> copies, i64 count, IdWidth width, int threads);

}  // namespace lb::core

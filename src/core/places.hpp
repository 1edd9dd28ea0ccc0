// Two columns of ids as places in the ascending list of the different ones, by a sort.
#pragma once
#include "graph.hpp"
#include "memory.hpp"

namespace lb::core {

struct Places {
  Buffer<u64> ids;   // ascending, no two of them equal
  Buffer<i32> a, b;  // of each row the place of its id
};

// O(count * 64 / threads) at most, 48 bytes of scratch and 8 to 24 bytes of answer for a row. Throws InputError for
// 2^30 rows or more. The answer does not depend on `threads`.
Places places_of(const u64* a, const u64* b, i64 count, int threads);

}  // namespace lb::core

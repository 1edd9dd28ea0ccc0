// Arbitrary integer ids -> 0..k-1, by rank: the smallest id that occurs becomes 0. Deterministic for any number of
// threads.
#pragma once
#include <cstdint>

#include "memory.hpp"

namespace lb::core {

template <class Id>
struct Renumbered {
  Buffer<Id> ids;        // the ids that occur, ascending
  bool is_wide = false;  // ranks need 64 bits
  Buffer<std::int32_t> u, v;
  Buffer<std::int64_t> wide_u, wide_v;
};

// u and v have m elements each. Ids close together (a range of at most 64 ids per edge) take a bitmap: O(m + range /
// 64) time and range * 3 / 16 bytes. Others are grouped into ranges that fit the cache, made unique there, and looked
// up in a hash table: O(m + k log k) expected time, 16 m bytes of scratch and then about 32 k. Instantiated for int32,
// int64, uint32, uint64.
template <class Id>
Renumbered<Id> renumber(const Id* u, const Id* v, std::int64_t m, int threads);

}  // namespace lb::core

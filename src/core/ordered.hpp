// The union of two ascending lists of ids, by merging.
#pragma once
#include "names.hpp"

namespace lb::core {

// The number of different ids of both lists, and the places of each list's ids among them.
template <class Place>
struct Union {
  Buffer<Place> a, b;
  i64 count = 0;
};

template <class Id>
bool ascends(const Id* ids, i64 n, int threads);
// Texts by bytes, a prefix first. Throws InputError for offsets that do not ascend within the data.
bool ascends(const TextColumn& texts, int threads);

// O(n / threads + threads log n) comparisons. Both must ascend. Place is i32 (fewer than 2^31 ids in all) or i64.
template <class Place, class Id>
Union<Place> unite(const Id* a, i64 na, const Id* b, i64 nb, Id* ids, int threads);  // ids: room for na + nb
template <class Place>
Union<Place> unite(const TextColumn& a, const TextColumn& b, Buffer<i64>& offsets, Buffer<u8>& data, int threads);

}  // namespace lb::core

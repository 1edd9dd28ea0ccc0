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

// One of several lists that are merged, and where the place of each of its ids goes.
struct Ascending {
  const u64* ids;
  i64 count;
  i32* places;
};

// Writes the different ids of all lists to `ids`, ascending, and the place of each id of each list, counted from
// `first`; returns how many there are. O(n log lists). spare, tags: room for twice the ids of all lists.
i64 merge_ascending(const std::vector<Ascending>& lists, i64 first, u64* ids, u64* spare, i32* tags);

}  // namespace lb::core

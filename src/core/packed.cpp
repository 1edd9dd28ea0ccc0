#include "packed.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>

#include "landbridge/random.hpp"

namespace lb::core {

namespace {

// Calls visit(i, value i) for each.
template <class T, class Visit>
void each_value(const T* values, i64 count, bool steps, const Visit& visit) {
  if (steps) {
    for (i64 i = 0; i < count; ++i) visit(i, static_cast<u64>(values[i + 1]) - static_cast<u64>(values[i]));
  } else {
    for (i64 i = 0; i < count; ++i) visit(i, static_cast<u64>(values[i]));
  }
}

}  // namespace

template <class T>
Planes planes_of(const T* values, i64 count, bool steps) {
  if (count == 0) return {0, 0};
  u64 smallest = ~u64{0}, largest = 0;
  each_value(values, count, steps, [&](i64, u64 value) {
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  });
  return {smallest, (static_cast<int>(std::bit_width(largest - smallest)) + 7) / 8};
}

template <class T>
void to_planes(const T* values, i64 count, bool steps, const Planes& planes, u8* bytes) {
  for (int p = 0; p < planes.width; ++p, bytes += count) {
    each_value(values, count, steps,
               [&](i64 i, u64 value) { bytes[i] = static_cast<u8>((value - planes.smallest) >> (8 * p)); });
  }
}

template <class T>
void from_planes(const u8* bytes, i64 count, const Planes& planes, T* values) {
  using Word = std::make_unsigned_t<T>;  // sums of the planes of negative numbers wrap
  std::fill_n(values, count, static_cast<T>(planes.smallest));
  for (int p = 0; p < planes.width; ++p, bytes += count) {
    for (i64 i = 0; i < count; ++i) {
      const u64 exceeds = static_cast<u64>(bytes[i]) << (8 * p);
      values[i] = static_cast<T>(static_cast<Word>(values[i]) + static_cast<Word>(exceeds));
    }
  }
}

template Planes planes_of(const u64*, i64, bool);
template Planes planes_of(const i32*, i64, bool);
template void to_planes(const u64*, i64, bool, const Planes&, u8*);
template void to_planes(const i32*, i64, bool, const Planes&, u8*);
template void from_planes(const u8*, i64, const Planes&, u64*);
template void from_planes(const u8*, i64, const Planes&, i32*);

template <class T>
bool few_values(const T* values, i64 count, i64 most, std::vector<u64>& different, u64* places) {
  // Open addressing, at most half full. Of each cell the number of its value, 0 if it is empty.
  const auto cells = std::bit_ceil(static_cast<u64>(2 * std::max<i64>(most, 1)));
  std::vector<i32> table(cells, 0);
  different.clear();
  for (i64 i = 0; i < count; ++i) {
    const auto value = static_cast<u64>(values[i]);
    u64 at = mix(value, 0) & (cells - 1);
    while (table[at] != 0 && different[static_cast<std::size_t>(table[at] - 1)] != value) at = (at + 1) & (cells - 1);
    if (table[at] == 0) {
      if (static_cast<i64>(different.size()) == most) return false;
      different.push_back(value);
      table[at] = static_cast<i32>(different.size());
    }
    places[i] = static_cast<u64>(table[at] - 1);
  }
  std::vector<u64> order(different.size()), rank(different.size());
  std::iota(order.begin(), order.end(), u64{0});
  std::sort(order.begin(), order.end(), [&](u64 a, u64 b) { return different[a] < different[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::sort(different.begin(), different.end());
  for (i64 i = 0; i < count; ++i) places[i] = rank[places[i]];
  return true;
}

template bool few_values(const u64*, i64, i64, std::vector<u64>&, u64*);
template bool few_values(const i32*, i64, i64, std::vector<u64>&, u64*);

}  // namespace lb::core

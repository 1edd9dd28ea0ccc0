// Columns of messages: numbers as planes of bytes, and the few different values of a column.
#pragma once
#include <vector>

#include "graph.hpp"

namespace lb::core {

// The smallest of `count` values, and how many low bytes what the others exceed it by takes. With `steps`, the values
// are those of a column after its first, each less the one before; count + 1 are read.
struct Planes {
  u64 smallest;
  int width;
};
template <class T>
Planes planes_of(const T* values, i64 count, bool steps);

// bytes[p * count + i] is byte p of what value i exceeds the smallest by.
template <class T>
void to_planes(const T* values, i64 count, bool steps, const Planes& planes, u8* bytes);
template <class T>
void from_planes(const u8* bytes, i64 count, const Planes& planes, T* values);

// The different values ascending, and of each row the place of its value; false if they are more than `most`.
template <class T>
bool few_values(const T* values, i64 count, i64 most, std::vector<u64>& different, u64* places);

}  // namespace lb::core

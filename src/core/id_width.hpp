// The widths of vertex ids, and the one list of types that explicit instantiations are made from.
#pragma once
#include "landbridge/platform.hpp"

namespace lb::core {

// 32 bits while there are fewer than 2^31 vertices, else 64.
enum class IdWidth : bool { narrow, wide };

template <class Id>
constexpr IdWidth width_of = sizeof(Id) == 8 ? IdWidth::wide : IdWidth::narrow;

// The width that holds the ids of `vertices` vertices.
constexpr IdWidth width_for(i64 vertices) { return vertices < (i64{1} << 31) ? IdWidth::narrow : IdWidth::wide; }

// Calls f.operator()<u32>() or f.operator()<u64>().
template <class F>
decltype(auto) with_id(IdWidth width, const F& f) {
  return width == IdWidth::wide ? f.template operator()<u64>() : f.template operator()<u32>();
}

}  // namespace lb::core

// Calls INSTANTIATE(Id) for every type of vertex ids.
#define LB_FOR_EACH_ID(INSTANTIATE) INSTANTIATE(::lb::u32) INSTANTIATE(::lb::u64)
// The same for arrays of signed ids, as NumPy gets them.
#define LB_FOR_EACH_SIGNED_ID(INSTANTIATE) INSTANTIATE(std::int32_t) INSTANTIATE(std::int64_t)
// Calls INSTANTIATE(Id, forest) for every kind of run: with and without a forest.
#define LB_FOR_EACH_RUN(INSTANTIATE) \
  INSTANTIATE(::lb::u32, false)      \
  INSTANTIATE(::lb::u32, true)       \
  INSTANTIATE(::lb::u64, false)      \
  INSTANTIATE(::lb::u64, true)

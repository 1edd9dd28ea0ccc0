#include "pinned_copy.hpp"

#include <algorithm>
#include <vector>

#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 copied_at_once = i64{1} << 16;

template <class From, class To>
u64 copy(const From* from, i64 stride, To* to, i64 count) {
  From largest = 0;
  const auto take = [&](i64 i, From id) {
    largest = std::max(largest, id);
    to[i] = static_cast<To>(id);
  };
  if (stride == 1) {
    for (i64 i = 0; i < count; ++i) take(i, from[i]);
  } else {
    for (i64 i = 0; i < count; ++i) take(i, from[i * stride]);
  }
  return largest;
}

}  // namespace

u64 copy_ids(std::span<const IdCopy> copies, i64 count, IdWidth width, int threads) {
  std::vector<u64> largest(static_cast<std::size_t>(std::max(1, threads)), 0);
  const i64 parts = (count + copied_at_once - 1) / copied_at_once;
  parallel_for(parts * static_cast<i64>(copies.size()), 1, threads, [&](i64 begin, i64 end, int worker) {
    for (i64 i = begin; i < end; ++i) {
      const auto& [from, to] = copies[static_cast<std::size_t>(i / parts)];
      const i64 b = i % parts * copied_at_once, size = std::min(copied_at_once, count - b);
      const auto chunk = [&](const auto* ids) {
        const auto* source = ids + b * from.stride;
        return width == IdWidth::wide ? copy(source, from.stride, static_cast<u64*>(to) + b, size)
                                      : copy(source, from.stride, static_cast<u32*>(to) + b, size);
      };
      u64& mine = largest[static_cast<std::size_t>(worker)];
      mine = std::max<u64>(mine, from.width == IdWidth::wide ? chunk(from.as<u64>()) : chunk(from.as<u32>()));
    }
  });
  return *std::max_element(largest.begin(), largest.end());
}

}  // namespace lb::core

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

u64 copy_ids(const IdArray& from, i64 count, void* to, IdWidth width, int threads) {
  std::vector<u64> largest(static_cast<std::size_t>(std::max(1, threads)), 0);
  parallel_for(count, copied_at_once, threads, [&](i64 b, i64 e, int worker) {
    const auto chunk = [&](const auto* source) {
      return width == IdWidth::wide ? copy(source + b * from.stride, from.stride, static_cast<u64*>(to) + b, e - b)
                                    : copy(source + b * from.stride, from.stride, static_cast<u32*>(to) + b, e - b);
    };
    u64& mine = largest[static_cast<std::size_t>(worker)];
    mine = std::max(mine, from.width == IdWidth::wide ? chunk(from.as<u64>()) : chunk(from.as<u32>()));
  });
  return *std::max_element(largest.begin(), largest.end());
}

}  // namespace lb::core

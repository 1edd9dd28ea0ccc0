#include "places.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "error.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 grain = i64{1} << 14;
constexpr int most_bits = 12;             // of the first pass: as many buckets as a thread can write to at once
constexpr i64 in_cache = i64{1} << 11;    // items that the passes over a bucket find in the cache
constexpr i64 most_rows = INT32_MAX / 2;  // a place has 31 bits, and each id may be another

// What is sorted: by key, and of equal keys by position. Position 2 i is row i of the first column.
struct Items {
  Buffer<u64> keys;
  Buffer<u32> positions;
  explicit Items(i64 n) : keys(static_cast<std::size_t>(n), "ids in order"), positions(keys.size(), "ids in order") {}
};

// The items [begin, end) by the low `bits` bits of their keys, digit after digit; where they are then.
Items& sort_bucket(Items& from, Items& to, i64 begin, i64 end, int bits) {
  const int digit = end - begin < (i64{1} << 15) ? 8 : 11, passes = (bits + digit - 1) / digit;
  Items *source = &from, *target = &to;
  std::array<i64, 1 << 11> at{};
  for (int pass = 0, shift = 0; pass < passes; ++pass) {
    const int width = (bits - shift + passes - pass - 1) / (passes - pass);
    const u64 mask = (u64{1} << width) - 1;
    const u64* const keys = source->keys.data();
    std::fill_n(at.begin(), mask + 1, 0);
    for (i64 i = begin; i < end; ++i) ++at[keys[i] >> shift & mask];
    if (at[keys[begin] >> shift & mask] < end - begin) {  // the digit differs
      i64 sum = begin;
      for (u64 d = 0; d <= mask; ++d) sum += std::exchange(at[d], sum);
      for (i64 i = begin; i < end; ++i) {
        const i64 place = at[keys[i] >> shift & mask]++;
        target->keys.data()[place] = keys[i];
        target->positions.data()[place] = source->positions.data()[i];
      }
      std::swap(source, target);
    }
    shift += width;
  }
  return *source;
}

}  // namespace

Places places_of(const u64* a, const u64* b, i64 count, int threads) {
  if (count > most_rows) throw InputError("there are 2^30 edges or more");
  const i64 n = 2 * count;
  Places out;
  out.a = Buffer<i32>(static_cast<std::size_t>(count), "the places of ids");
  out.b = Buffer<i32>(static_cast<std::size_t>(count), "the places of ids");
  if (n == 0) return out;
  const int workers = n < 4 * grain ? 1 : std::max(1, threads);
  const auto share = [=](int w) { return n * w / workers; };
  std::vector<std::pair<u64, u64>> bounds(static_cast<std::size_t>(workers), {UINT64_MAX, 0});
  // The keys are copied before they are used: a caller that changes them meanwhile changes no number of a bucket.
  Items items(n), others(n);
  u64* const copy = others.keys.data();
  parallel(workers, [&](int w) {
    auto [least, most] = bounds[static_cast<std::size_t>(w)];
    for (i64 i = share(w); i < share(w + 1); ++i) {
      const u64 x = read_once((i & 1 ? b : a) + (i >> 1));
      copy[i] = x;
      least = std::min(least, x), most = std::max(most, x);
    }
    bounds[static_cast<std::size_t>(w)] = {least, most};
  });
  u64 least = UINT64_MAX, most = 0;
  for (const auto& [low, high] : bounds) least = std::min(least, low), most = std::max(most, high);

  // By the leading bits of what a key exceeds the least one by, into buckets.
  const int bits = std::bit_width(most - least);
  const int first = std::min({bits, most_bits, static_cast<int>(std::bit_width(static_cast<u64>(n / in_cache)))});
  const int shift = bits - first;
  const auto bucket_of = [=](u64 x) { return first == 0 ? 0 : static_cast<std::size_t>((x - least) >> shift); };
  const auto buckets = std::size_t{1} << first;
  std::vector<i64> at(static_cast<std::size_t>(workers) * buckets);
  parallel(workers, [&](int w) {
    i64* const own = at.data() + static_cast<std::size_t>(w) * buckets;
    for (i64 i = share(w); i < share(w + 1); ++i) ++own[bucket_of(copy[i])];
  });
  std::vector<i64> start(buckets + 1, n), different(buckets + 1, 0);
  i64 sum = 0;
  for (std::size_t d = 0; d < buckets; ++d) {
    start[d] = sum;
    for (std::size_t w = 0; w < static_cast<std::size_t>(workers); ++w) sum += std::exchange(at[w * buckets + d], sum);
  }
  parallel(workers, [&](int w) {
    i64* const own = at.data() + static_cast<std::size_t>(w) * buckets;
    for (i64 i = share(w); i < share(w + 1); ++i) {
      const u64 x = copy[i];
      const auto place = static_cast<std::size_t>(own[bucket_of(x)]++);
      items.keys[place] = x - least;
      items.positions[place] = static_cast<u32>(i);
    }
  });

  // Each bucket in order: its different keys to its beginning, and the place of each among them.
  std::vector<u8> elsewhere(buckets);
  parallel_for(static_cast<i64>(buckets), 1, threads, [&](i64 d, i64, int) {
    const auto begin = start[static_cast<std::size_t>(d)], end = start[static_cast<std::size_t>(d) + 1];
    if (begin == end) return;
    const Items& sorted = sort_bucket(items, others, begin, end, shift);
    elsewhere[static_cast<std::size_t>(d)] = &sorted == &others;
    i64 distinct = 1;
    for (i64 i = begin + 1; i < end; ++i) distinct += sorted.keys.data()[i] != sorted.keys.data()[i - 1];
    different[static_cast<std::size_t>(d) + 1] = distinct;
  });
  for (std::size_t d = 0; d < buckets; ++d) different[d + 1] += different[d];
  out.ids = Buffer<u64>(static_cast<std::size_t>(different[buckets]), "the ids that occur");
  parallel_for(static_cast<i64>(buckets), 1, threads, [&](i64 d, i64, int) {
    const auto bucket = static_cast<std::size_t>(d);
    const Items& sorted = elsewhere[bucket] ? others : items;
    i64 place = different[bucket] - 1;
    for (i64 i = start[bucket]; i < start[bucket + 1]; ++i) {
      const u64 x = sorted.keys.data()[i];
      if (i == start[bucket] || x != sorted.keys.data()[i - 1]) out.ids.data()[++place] = x + least;
      const u32 position = sorted.positions.data()[i];
      (position & 1 ? out.b : out.a).data()[position >> 1] = static_cast<i32>(place);
    }
  });
  return out;
}

}  // namespace lb::core

// A batch of a stream as its caller hands it over, and loops over its ids.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "edge_batches.hpp"
#include "graph.hpp"
#include "landbridge/cpu/stream.hpp"
#include "threads.hpp"

namespace lb::core {

// Operation i has the vertices u[i] and v[i]. It is a query where is_query[i] is not 0, else an insert. Without
// is_query all are of the one kind that the called function takes.
struct Operations {
  IdArray u, v;
  i64 count = 0;
  bool is_signed = false;
  const u8* is_query = nullptr;
};

// Some operations of a batch: [begin, end).
struct Range {
  i64 begin, end;
  i64 size() const { return end - begin; }
};

// The operations of a batch from `begin` on.
inline Operations from(const Operations& batch, i64 begin) {
  const auto rest = [&](IdArray ids) {
    const auto bytes = begin * ids.stride * (ids.width == IdWidth::wide ? 8 : 4);
    ids.data = static_cast<const char*>(ids.data) + bytes;
    return ids;
  };
  return {rest(batch.u), rest(batch.v), batch.count - begin, batch.is_signed,
          batch.is_query == nullptr ? nullptr : batch.is_query + begin};
}

// Where operations stand in the stream: operation i of a batch at at[i], or at first + i where `at` is null.
struct Positions {
  u64 first = 0;
  const u64* at = nullptr;
  u64 operator()(i64 i) const { return at == nullptr ? first + static_cast<u64>(i) : at[i]; }
  // Those of the operations from `begin` on.
  Positions from(i64 begin) const { return {first + static_cast<u64>(begin), at == nullptr ? nullptr : at + begin}; }
};

// Operations that a thread takes at a time. A batch up to this size is not worth waking another thread for.
constexpr i64 chunk_operations = i64{1} << 13;
// Operations up to which one thread takes a stream.
constexpr i64 small_stream = i64{1} << 18;
// Vertices up to which one thread makes their cells, copies their parents or shortens their paths.
constexpr i64 shared_vertices = i64{1} << 19;
// Edges of a batch that are sampled, and then treated alike, at a time, where one thread inserts; several take up to a
// part.
constexpr i64 group_operations = i64{1} << 18;
// Edges of a part of a large batch: between two parts an insert may be stopped.
constexpr i64 part_operations = i64{1} << 20;
static_assert(part_operations % group_operations == 0);
static_assert(cpu::batch_edges % 8 == 0 && chunk_operations % 64 == 0 && group_operations % chunk_operations == 0);

// body(range) for chunks of [0, count), by several threads where there is more than one.
template <class Body>
void for_chunks(i64 count, int threads, const Body& body) {
  if (count <= chunk_operations) {
    if (count > 0) body(Range{0, count});
    return;
  }
  const i64 each = std::clamp(count / threads / 64 * 64, chunk_operations / 8, chunk_operations);  // for each a chunk
  parallel_for(count, each, threads, [&](i64 b, i64 e, int) { body(Range{b, e}); });
}

// Whether all ids of a range lie below `bound` <= 2^63 (2^31 for 32 bits). The top bit shows it without a comparison.
inline bool all_below(const IdArray& ids, Range range, u64 bound) {
  const auto with = [&]<class T>() {
    constexpr int top = sizeof(T) * 8 - 1;
    const T last = static_cast<T>(std::min<u64>(bound, u64{1} << top) - 1);
    const T* p = ids.as<T>() + range.begin * ids.stride;
    const i64 count = range.size();
    T beyond = 0;
    if (ids.stride == 1) {
      for (i64 i = 0; i < count; ++i) beyond |= static_cast<T>(last - p[i]) | p[i];
    } else {
      for (i64 i = 0; i < count; ++i) beyond |= static_cast<T>(last - p[i * ids.stride]) | p[i * ids.stride];
    }
    return beyond >> top == 0;
  };
  if (bound == 0) return range.size() == 0;
  return with_id(ids.width, with);
}

inline bool all_below(const Operations& batch, Range range, u64 bound) {
  return all_below(batch.u, range, bound) && all_below(batch.v, range, bound);
}

// How many of the first `count` bits are set; those behind them are 0.
inline i64 bits_in(const u64* words, i64 count) {
  i64 bits = 0;
  for (i64 i = 0; i < (count + 63) / 64; ++i) bits += std::popcount(words[i]);
  return bits;
}

// The largest id of a batch, nothing for an empty one. Throws InputError naming the first negative one as an entry of
// `what` ("edge 17: ...").
inline std::optional<u64> largest_of(const Operations& batch, const char* what, int threads) {
  if (batch.count <= small_stream) threads = 1;
  const auto a = largest_id(batch.u, batch.count, batch.is_signed, what, threads);
  const auto b = largest_id(batch.v, batch.count, batch.is_signed, what, threads);
  return std::max(a, b);
}

// The largest id of the inserts of a batch that has queries, too. most: the largest of all, which they were compared
// with; callers may change them meanwhile.
inline std::optional<u64> largest_inserted(const Operations& batch, u64 most) {
  std::optional<u64> result;
  for (i64 i = 0; i < batch.count; ++i) {
    if (batch.is_query[i] != 0) continue;
    result = std::max(result, std::optional<u64>(std::min(most, std::max(batch.u[i], batch.v[i]))));
  }
  return result;
}

}  // namespace lb::core

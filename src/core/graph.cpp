#include "graph.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "error.hpp"
#include "extremes.hpp"
#include "fresh_pages.hpp"
#include "interrupt.hpp"
#include "landbridge/memory.hpp"
#include "long_sort.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 scan_chunk = i64{1} << 18;
constexpr i64 block = i64{1} << 16;  // what one thread does between stop points

template <class T>
T max_of(const T* p, i64 stride, i64 count) {
  T m = 0;
  i64 i = 0;
  if (stride == 1) {
    // Eight chains of comparisons, none of which waits for another.
    T lane[8] = {};
    for (; i + 8 <= count; i += 8) {
      for (int k = 0; k < 8; ++k) lane[k] = p[i + k] > lane[k] ? p[i + k] : lane[k];
    }
    for (const T l : lane) m = l > m ? l : m;
  }
  for (; i < count; ++i) m = p[i * stride] > m ? p[i * stride] : m;
  return m;
}

std::string show(const IdArray& ids, i64 i, bool is_signed) {
  if (!is_signed) return std::to_string(ids[i]);
  return std::to_string(ids.width == IdWidth::wide ? static_cast<i64>(ids[i]) : static_cast<i32>(ids[i]));
}

u64 sign_limit(const IdArray& ids, bool is_signed) {
  if (!is_signed) return ~u64{0};
  return ids.width == IdWidth::wide ? (~u64{0} >> 1) : 0x7fffffffu;
}

u64 unsigned_max(const IdArray& ids, i64 count, int threads) {
  std::vector<u64> best(static_cast<std::size_t>(std::max(1, threads)), 0);
  parallel_for(count, scan_chunk, threads, [&](i64 b, i64 e, int w) {
    auto& largest = best[static_cast<std::size_t>(w)];
    largest = std::max(largest, max_in(ids, b, e));
  });
  return *std::max_element(best.begin(), best.end());
}

i64 first_not_below(const IdArray& ids, i64 count, u64 limit) {
  for (i64 i = 0; i < count; ++i) {
    stop_point_at(i);
    if (ids[i] >= limit) return i;
  }
  return count;
}

// Whether `count` ids are all below a bound of at most 2^31. Comparing signed words and collecting all bits takes a few
// instructions for a vector of ids; a maximum of unsigned ones takes many on the oldest processors that have to run
// this.
template <class T>
bool below(const T* ids, i64 stride, i64 count, u64 bound) {
  const auto last = static_cast<std::int32_t>(bound - 1);
  T bits = 0;
  std::int32_t too_large = 0;
  const auto look = [&](T id) {
    bits |= id;
    too_large |= static_cast<std::int32_t>(static_cast<u32>(id)) > last ? -1 : 0;
  };
  if (stride == 1) {
    for (i64 i = 0; i < count; ++i) look(ids[i]);
  } else {
    for (i64 i = 0; i < count; ++i) look(ids[i * stride]);
  }
  return too_large == 0 && bits >> 31 == 0;
}

// Whether offsets [begin, end] ascend and none of them is negative. Of two that are not negative the difference is
// negative where they fall; its sign and theirs take a few instructions for a vector of offsets.
template <class T>
bool ascend(const T* offsets, i64 begin, i64 end) {
  T signs = offsets[begin];
  for (i64 i = begin; i < end; ++i) signs |= offsets[i + 1] | (offsets[i + 1] - offsets[i]);
  return signs >> (sizeof(T) * 8 - 1) == 0;
}

}  // namespace

bool all_below(const IdArray& ids, i64 begin, i64 end, u64 bound) {
  if (bound == 0) return begin == end;
  const i64 at = begin * ids.stride;
  return ids.width == IdWidth::wide ? below(ids.as<u64>() + at, ids.stride, end - begin, bound)
                                    : below(ids.as<u32>() + at, ids.stride, end - begin, bound);
}

u64 max_in(const IdArray& ids, i64 begin, i64 end) {
  const i64 at = begin * ids.stride;
  return ids.width == IdWidth::wide ? max_of(ids.as<u64>() + at, ids.stride, end - begin)
                                    : max_of(ids.as<u32>() + at, ids.stride, end - begin);
}

std::optional<u64> largest_id(const IdArray& ids, i64 count, bool is_signed, const char* what, int threads) {
  if (count == 0) return std::nullopt;
  const u64 m = unsigned_max(ids, count, threads);
  const u64 limit = sign_limit(ids, is_signed);
  if (m > limit) {
    const i64 i = first_not_below(ids, count, limit + 1);
    throw InputError(std::string(what) + " " + std::to_string(i) + ": vertex " + show(ids, i, is_signed) +
                     " is negative");
  }
  return m;
}

void check_range(const IdArray& ids, i64 count, bool is_signed, i64 n, const char* what, int threads) {
  if (0 < n && n <= i64{1} << 31) {
    std::atomic<bool> fine{true};
    parallel_for(count, scan_chunk, threads, [&](i64 b, i64 e, int) {
      if (!all_below(ids, b, e, static_cast<u64>(n))) fine.store(false, std::memory_order_relaxed);
    });
    if (fine.load(std::memory_order_relaxed)) return;
  }
  const auto m = largest_id(ids, count, is_signed, what, threads);
  if (!m || *m < static_cast<u64>(n)) return;
  const i64 i = first_not_below(ids, count, static_cast<u64>(n));
  throw InputError(std::string(what) + " " + std::to_string(i) + ": vertex " + show(ids, i, is_signed) +
                   " is out of range for n = " + std::to_string(n));
}

void check_offsets(const IdArray& offsets, i64 vertices, i64 arcs, int threads) {
  if (offsets[0] != 0) throw InputError("offsets[0] is " + show(offsets, 0, true) + ", not 0");
  std::atomic<i64> bad{vertices};
  parallel_for(vertices, scan_chunk, threads, [&](i64 b, i64 e, int) {
    if (offsets.width == IdWidth::wide ? ascend(offsets.as<u64>(), b, e) : ascend(offsets.as<u32>(), b, e)) return;
    for (i64 i = b; i < e; ++i) {
      const bool falls = offsets.width == IdWidth::wide ? offsets.as<i64>()[i] > offsets.as<i64>()[i + 1]
                                                        : offsets.as<i32>()[i] > offsets.as<i32>()[i + 1];
      if (!falls) continue;
      lower_to(bad, i);
      return;
    }
  });
  const i64 i = bad.load(std::memory_order_relaxed);
  if (i < vertices) {
    throw InputError("offsets[" + std::to_string(i + 1) + "] is " + show(offsets, i + 1, true) + ", below offsets[" +
                     std::to_string(i) + "] = " + show(offsets, i, true));
  }
  if (static_cast<i64>(offsets[vertices]) != arcs) {
    throw InputError("the last offset is " + show(offsets, vertices, true) + ", but there are " + std::to_string(arcs) +
                     " neighbors");
  }
}

namespace {

// Calls arc(x, y, i) for every stored edge i in [begin, end) of a graph.
template <class F>
void for_arcs(const GraphView& g, i64 begin, i64 end, const F& arc) {
  if (!g.csr) {
    for (i64 i = begin; i < end; ++i) arc(g.a[i], g.b[i], i);
    return;
  }
  // The row that holds arc `begin`: the last one that starts at or before it.
  i64 lo = 0, hi = g.vertices;
  while (hi - lo > 1) {
    const i64 mid = lo + (hi - lo) / 2;
    (g.row_begin(mid) <= begin ? lo : hi) = mid;
  }
  i64 x = lo;
  for (i64 i = begin; i < end; ++i) {
    while (x + 1 < g.vertices && g.row_begin(x + 1) <= i) ++x;
    arc(static_cast<u64>(x), g.a[i], i);
  }
}

// Sorts neighbors, and origins along with them.
template <class Id>
void sort_together(Id* neighbors, i64* origins, i64 count, std::vector<std::pair<Id, i64>>& both) {
  both.clear();
  if (count > block) both.reserve(static_cast<std::size_t>(count));
  in_blocks(i64{0}, count, block, [&](i64 b, i64 e) {
    for (i64 i = b; i < e; ++i) both.emplace_back(neighbors[i], origins[i]);
  });
  sort_with_stops(both.data(), count);
  in_blocks(i64{0}, count, block, [&](i64 b, i64 e) {
    for (i64 i = b; i < e; ++i) std::tie(neighbors[i], origins[i]) = both[static_cast<std::size_t>(i)];
  });
}

// Sorts the rows [begin, end), and the origins of their arcs, if there are any, along with them.
template <class Id>
void sort_rows(const i64* offsets, Id* neighbors, i64* origins, i64 begin, i64 end) {
  std::vector<std::pair<Id, i64>> both;
  i64 until_stop = block;
  for (i64 x = begin; x < end; ++x) {
    const i64 count = offsets[x + 1] - offsets[x];
    if (count <= 0) continue;
    if ((until_stop -= count) < 0) {
      stop_point();
      until_stop = block;
    }
    if (origins != nullptr)
      sort_together(neighbors + offsets[x], origins + offsets[x], count, both);
    else
      sort_with_stops(neighbors + offsets[x], count);
  }
}

}  // namespace

template <class Id>
CsrArrays<Id> symmetric_csr(const GraphView& g, int threads, bool origins) {
  const bool mirror = !g.symmetric;
  const i64 n = g.vertices;
  CsrArrays<Id> out;
  out.offsets = Buffer<i64>(static_cast<std::size_t>(n) + 1, "the offsets of symmetric rows");
  i64* const at = out.offsets.data();
  parallel_for(n + 1, scan_chunk, threads, [&](i64 b, i64 e, int) { std::fill(at + b, at + e, i64{0}); });
  // Count, scan, place. Counters are shared, so the order within a row depends on the run; sorting removes that.
  const auto bump = [&](u64 x) { return std::atomic_ref<i64>(at[x]).fetch_add(1, std::memory_order_relaxed); };
  parallel_for(g.arcs, scan_chunk, threads, [&](i64 b, i64 e, int) {
    for_arcs(g, b, e, [&](u64 x, u64 y, i64) {
      bump(x);
      if (mirror && x != y) bump(y);
    });
  });
  i64 total = 0;
  in_blocks(i64{0}, n, block, [&](i64 b, i64 e) {
    for (i64 x = b; x < e; ++x) total += std::exchange(at[x], total);
  });
  at[n] = total;
  out.neighbors = Buffer<Id>(static_cast<std::size_t>(total), "symmetric rows");
  Id* const neighbors = out.neighbors.data();
  touch_pages(neighbors, total, threads);
  // An edge that a caller changes between both passes leaves a place free, or finds none.
  if (origins) {
    out.origins = Buffer<i64>(static_cast<std::size_t>(total));
    parallel_for(total, scan_chunk, threads,
                 [&](i64 b, i64 e, int) { std::fill(out.origins.data() + b, out.origins.data() + e, i64{0}); });
  }
  i64* const origin = out.origins.data();
  const auto place = [&](u64 x, u64 y, i64 arc) {
    const i64 slot = bump(x);
    if (slot >= total) return;
    neighbors[slot] = static_cast<Id>(y);
    if (origins) origin[slot] = arc;
  };
  parallel_for(g.arcs, scan_chunk, threads, [&](i64 b, i64 e, int) {
    for_arcs(g, b, e, [&](u64 x, u64 y, i64 i) {
      place(x, y, i);
      if (mirror && x != y) place(y, x, i);
    });
  });
  // Placing moved every offset to its row's end: shift them back by one.
  // Rows do not overlap, even if the input has changed meanwhile.
  i64 next = total;
  in_blocks(i64{0}, n, block, [&](i64 b, i64 e) {
    for (i64 x = n - b; x > n - e; --x) next = at[x] = std::min(at[x - 1], next);
  });
  if (n > 0) at[0] = 0;
  parallel_for(n, i64{1} << 12, threads,
               [&](i64 b, i64 e, int) { sort_rows(at, neighbors, origins ? origin : nullptr, b, e); });
  return out;
}

#define LB_INSTANTIATE(Id) template CsrArrays<Id> symmetric_csr<Id>(const GraphView&, int, bool);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

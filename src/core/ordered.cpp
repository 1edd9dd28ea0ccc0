#include "ordered.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "error.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 grain = i64{1} << 14;

template <class Id>
struct Numbers {
  const Id* ids;
  i64 count;
  int compare(i64 i, const Numbers& other, i64 j) const { return ids[i] < other.ids[j] ? -1 : ids[i] > other.ids[j]; }
};

struct Texts {
  const TextColumn& column;
  i64 count;
  const char* at(i64 i) const { return column.data + column.offsets[i]; }
  i64 length(i64 i) const { return static_cast<i64>(column.offsets[i + 1] - column.offsets[i]); }
  int compare(i64 i, const Texts& other, i64 j) const {
    const i64 m = length(i), n = other.length(j);
    const int order = std::memcmp(at(i), other.at(j), static_cast<std::size_t>(std::min(m, n)));
    return order != 0 ? order : m < n ? -1 : m > n;
  }
};

template <class List>
bool ascending(const List& list, int threads) {
  std::atomic<bool> all{true};
  parallel_for(list.count, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = std::max<i64>(b, 1); i < e; ++i) {
      if (list.compare(i - 1, list, i) >= 0) all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load();
}

// The first place in `list` whose id is not below id i of `other`.
template <class List>
i64 lower_bound(const List& list, const List& other, i64 i) {
  i64 low = 0, high = list.count;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (list.compare(middle, other, i) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Matching cuts of both lists, at every grain-th id of the longer one.
template <class List>
std::vector<std::pair<i64, i64>> cuts(const List& a, const List& b) {
  const bool by_a = a.count >= b.count;
  const List &longer = by_a ? a : b, &other = by_a ? b : a;
  std::vector<std::pair<i64, i64>> at{{0, 0}};
  for (i64 i = grain; i < longer.count; i += grain) {
    const i64 j = lower_bound(other, longer, i);
    at.push_back(by_a ? std::pair(i, j) : std::pair(j, i));
  }
  at.emplace_back(a.count, b.count);
  return at;
}

// Merges the chunks independently, then adds to the places of each the number of ids in front of it.
template <class Place, class List>
Union<Place> unite_lists(const List& a, const List& b, const std::vector<std::pair<i64, i64>>& cut, int threads) {
  Union<Place> out;
  out.a = Buffer<Place>(static_cast<std::size_t>(a.count), "the places of the ids");
  out.b = Buffer<Place>(static_cast<std::size_t>(b.count), "the places of the ids");
  const auto chunks = static_cast<i64>(cut.size()) - 1;
  std::vector<i64> start(cut.size(), 0);
  const auto each = [&](auto&& body) {
    parallel_for(chunks, 1, threads, [&](i64 c, i64, int) {
      const auto [i, j] = cut[static_cast<std::size_t>(c)];
      const auto [i_end, j_end] = cut[static_cast<std::size_t>(c) + 1];
      body(c, i, j, i_end, j_end);
    });
  };
  each([&](i64 c, i64 i, i64 j, i64 i_end, i64 j_end) {
    Place next = 0;
    // No branch depends on the order, which of interleaved lists nothing foretells: each place is written until it is
    // the right one.
    while (i < i_end && j < j_end) {
      const int order = a.compare(i, b, j);
      out.a[static_cast<std::size_t>(i)] = next;
      out.b[static_cast<std::size_t>(j)] = next;
      i += order <= 0;
      j += order >= 0;
      ++next;
    }
    while (i < i_end) out.a[static_cast<std::size_t>(i++)] = next++;
    while (j < j_end) out.b[static_cast<std::size_t>(j++)] = next++;
    start[static_cast<std::size_t>(c) + 1] = next;
  });
  for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  out.count = start.back();
  each([&](i64 c, i64 i, i64 j, i64 i_end, i64 j_end) {
    const auto before = static_cast<Place>(start[static_cast<std::size_t>(c)]);
    for (; i < i_end; ++i) out.a[static_cast<std::size_t>(i)] += before;
    for (; j < j_end; ++j) out.b[static_cast<std::size_t>(j)] += before;
  });
  return out;
}

void check(const TextColumn& texts, int threads) {
  parallel_for(texts.count, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      const u64 from = texts.offsets[i], to = texts.offsets[i + 1];
      if (from > to || to > static_cast<u64>(texts.size)) {
        throw InputError("row " + std::to_string(i) + ": the offsets of a name do not lie within its column");
      }
    }
  });
}

}  // namespace

template <class Id>
bool ascends(const Id* ids, i64 n, int threads) {
  return ascending(Numbers<Id>{ids, n}, threads);
}

bool ascends(const TextColumn& texts, int threads) {
  check(texts, threads);
  return ascending(Texts{texts, texts.count}, threads);
}

template <class Place, class Id>
Union<Place> unite(const Id* a, i64 na, const Id* b, i64 nb, Id* ids, int threads) {
  const Numbers<Id> x{a, na}, y{b, nb};
  auto out = unite_lists<Place>(x, y, cuts(x, y), threads);
  const auto put = [&](const Id* from, const Buffer<Place>& places) {
    parallel_for(static_cast<i64>(places.size()), grain, threads, [&](i64 begin, i64 end, int) {
      for (i64 i = begin; i < end; ++i) ids[places[static_cast<std::size_t>(i)]] = from[i];
    });
  };
  put(a, out.a);
  put(b, out.b);  // ids of both lists are written twice, with equal values, by one loop after the other
  return out;
}

template <class Place>
Union<Place> unite(const TextColumn& a, const TextColumn& b, Buffer<i64>& offsets, Buffer<u8>& data, int threads) {
  check(a, threads);
  check(b, threads);
  const Texts x{a, a.count}, y{b, b.count};
  auto out = unite_lists<Place>(x, y, cuts(x, y), threads);
  offsets = Buffer<i64>(static_cast<std::size_t>(out.count) + 1, "the names");
  offsets[0] = 0;
  const auto each = [&](const Texts& from, const Buffer<Place>& places, auto&& body) {
    parallel_for(from.count, grain, threads, [&](i64 begin, i64 end, int) {
      for (i64 i = begin; i < end; ++i) body(from, i, static_cast<std::size_t>(places[static_cast<std::size_t>(i)]));
    });
  };
  const auto measure = [&](const Texts& from, i64 i, std::size_t place) { offsets[place + 1] = from.length(i); };
  each(x, out.a, measure);
  each(y, out.b, measure);
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  data = Buffer<u8>(static_cast<std::size_t>(offsets[offsets.size() - 1]), "the names");
  const auto copy = [&](const Texts& from, i64 i, std::size_t place) {
    std::memcpy(data.data() + offsets[place], from.at(i), static_cast<std::size_t>(from.length(i)));
  };
  each(x, out.a, copy);
  each(y, out.b, copy);
  return out;
}

namespace {

// Some ids in order, and of each the list that it is from; of a list that was not merged yet that is `list`.
struct Run {
  const u64* ids = nullptr;
  const i32* tags = nullptr;
  i64 count = 0;
  i32 list = 0;
  i32 tag(i64 i) const { return tags == nullptr ? list : tags[i]; }
};

// Calls put(id, tag) for all ids of both runs in order. No branch depends on the order, which nothing foretells.
template <class Put>
void merge_each(const Run& a, const Run& b, const Put& put) {
  i64 i = 0, j = 0;
  while (i < a.count && j < b.count) {
    const u64 x = a.ids[i], y = b.ids[j];
    const i32 of_x = a.tag(i), of_y = b.tag(j);
    const bool second = y < x;
    put(second ? y : x, second ? of_y : of_x);
    i += !second;
    j += second;
  }
  for (; i < a.count; ++i) put(a.ids[i], a.tag(i));
  for (; j < b.count; ++j) put(b.ids[j], b.tag(j));
}

// How many of the first `count` ids of both runs in order are of `a`, whose ids come first where they are equal.
i64 cut(const Run& a, const Run& b, i64 count) {
  i64 low = std::max<i64>(0, count - b.count), high = std::min(count, a.count);
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (a.ids[middle] <= b.ids[count - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Writes all ids of both runs in order, and their lists. A step waits for the one before: so several stretches are
// merged in turn.
template <bool tagged>
void merge(const Run& a, const Run& b, u64* ids, i32* tags) {
  constexpr std::size_t stretches = 4;
  std::array<i64, stretches> i, j, i_end, j_end;
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto at = [&](std::size_t part) { return (a.count + b.count) * static_cast<i64>(part) / i64{stretches}; };
    i[s] = cut(a, b, at(s)), j[s] = at(s) - i[s];
    i_end[s] = cut(a, b, at(s + 1)), j_end[s] = at(s + 1) - i_end[s];
  }
  const auto step = [&](std::size_t s) {
    const u64 x = a.ids[i[s]], y = b.ids[j[s]];
    const i32 of_x = tagged ? a.tags[i[s]] : a.list, of_y = tagged ? b.tags[j[s]] : b.list;
    const bool second = y < x;
    ids[i[s] + j[s]] = second ? y : x;
    tags[i[s] + j[s]] = second ? of_y : of_x;
    i[s] += !second;
    j[s] += second;
  };
  const auto both = [&](std::size_t s) { return std::min(i_end[s] - i[s], j_end[s] - j[s]); };
  while (const i64 steps = std::min({both(0), both(1), both(2), both(3)})) {
    for (i64 k = 0; k < steps; ++k) {
      for (std::size_t s = 0; s < stretches; ++s) step(s);
    }
  }
  const auto copy = [&](const Run& run, i64 begin, i64 end, i64 to) {
    std::copy(run.ids + begin, run.ids + end, ids + to);
    if (tagged) {
      std::copy(run.tags + begin, run.tags + end, tags + to);
    } else {
      std::fill_n(tags + to, end - begin, run.list);
    }
  };
  for (std::size_t s = 0; s < stretches; ++s) {
    while (both(s) > 0) step(s);
    copy(a, i[s], i_end[s], i[s] + j[s]);
    copy(b, j[s], j_end[s], i_end[s] + j[s]);
  }
}

}  // namespace

i64 merge_ascending(const std::vector<Ascending>& lists, i64 first, u64* ids, u64* spare, i32* tags) {
  std::vector<Run> runs;
  std::vector<i32*> next;
  i64 total = 0;
  for (const auto& list : lists) {
    runs.push_back({list.ids, nullptr, list.count, static_cast<i32>(runs.size())});
    next.push_back(list.places);
    total += list.count;
  }
  // Two by two, from one half of the room to the other.
  for (bool upper = false, tagged = false; runs.size() > 2; upper = !upper, tagged = true) {
    i64 at = upper ? total : 0;
    std::vector<Run> merged;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const Run other = r + 1 < runs.size() ? runs[r + 1] : Run{};
      tagged ? merge<true>(runs[r], other, spare + at, tags + at) : merge<false>(runs[r], other, spare + at, tags + at);
      merged.push_back({spare + at, tags + at, runs[r].count + other.count, 0});
      at += merged.back().count;
    }
    runs = std::move(merged);
  }
  runs.resize(2);
  i64 count = 0;
  merge_each(runs[0], runs[1], [&](u64 id, i32 tag) {
    count += count == 0 || ids[count - 1] != id;
    ids[count - 1] = id;
    *next[static_cast<std::size_t>(tag)]++ = static_cast<i32>(first + count - 1);
  });
  return count;
}

#define LB_UNITE(Id)                                                   \
  template bool ascends(const Id*, i64, int);                          \
  template Union<i32> unite(const Id*, i64, const Id*, i64, Id*, int); \
  template Union<i64> unite(const Id*, i64, const Id*, i64, Id*, int);
LB_UNITE(i32)
LB_UNITE(i64)
LB_UNITE(u32)
LB_UNITE(u64)
#undef LB_UNITE
template Union<i32> unite(const TextColumn&, const TextColumn&, Buffer<i64>&, Buffer<u8>&, int);
template Union<i64> unite(const TextColumn&, const TextColumn&, Buffer<i64>&, Buffer<u8>&, int);

}  // namespace lb::core

// What the generators share: edges made by index or by walking, even shares, uniform pairs.
#pragma once
#include <algorithm>
#include <utility>

#include "counter_rng.hpp"
#include "generate.hpp"
#include "landbridge/platform.hpp"
#include "threads.hpp"

namespace lb::core::generate {

// The random sequences of a seed: one for each independent decision.
enum : u64 { edge_sequence, id_sequence, extra_sequence, choice_sequence, tile_sequence, retry_sequence };

constexpr i64 grain = i64{1} << 15;

inline i64 at(u64 x) { return static_cast<i64>(x); }

struct Pair {
  u64 u, v;
};

// m edges: edge i is pair_of(i).
template <class Id, class F>
void fill(Edges<Id>& edges, i64 begin, i64 m, int threads, const F& pair_of) {
  parallel_for(m, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      const Pair p = pair_of(static_cast<u64>(i));
      edges.u[static_cast<std::size_t>(begin + i)] = static_cast<Id>(p.u);
      edges.v[static_cast<std::size_t>(begin + i)] = static_cast<Id>(p.v);
    }
  });
}

struct Count {
  i64 n = 0;
  void operator()(u64, u64) noexcept { ++n; }
};

template <class Id>
struct Write {
  Id *u, *v;
  void operator()(u64 a, u64 b) noexcept {
    *u++ = static_cast<Id>(a);
    *v++ = static_cast<Id>(b);
  }
};

// The edges that walk(begin, end, sink) hands to its sink for consecutive pieces of [0, items): two walks, the first
// only counts. walk must give the same edges both times.
template <class Id, class F>
Edges<Id> emit(i64 items, i64 piece, int threads, const F& walk) {
  const i64 pieces = (items + piece - 1) / piece;
  Buffer<i64> place(static_cast<std::size_t>(pieces));
  parallel_for(pieces, 1, threads, [&](i64 b, i64, int) {
    Count count;
    walk(b * piece, std::min(items, (b + 1) * piece), count);
    place[static_cast<std::size_t>(b)] = count.n;
  });
  i64 sum = 0;
  for (i64& p : place) sum += std::exchange(p, sum);
  Edges<Id> edges(sum);
  parallel_for(pieces, 1, threads, [&](i64 b, i64, int) {
    const i64 start = place[static_cast<std::size_t>(b)];
    Write<Id> write{edges.u.data() + start, edges.v.data() + start};
    walk(b * piece, std::min(items, (b + 1) * piece), write);
  });
  return edges;
}

inline bool chance(u64 word, u64 threshold) { return word < threshold || threshold == UINT64_MAX; }

// Where share j of `count` begins when n items are shared out evenly, and the share that item i is in.
inline i64 share_start(i64 n, i64 count, i64 j) { return at(static_cast<u64>(static_cast<u128>(n) * j / count)); }
inline i64 share_of(i64 n, i64 count, i64 i) {
  return at(static_cast<u64>((static_cast<u128>(i + 1) * count - 1) / n));
}

// Two uniform endpoints.
inline Pair uniform_pair(const RandomSequence& random, u64 i, u64 n) {
  return {random.below(2 * i, n), random.below(2 * i + 1, n)};
}

}  // namespace lb::core::generate

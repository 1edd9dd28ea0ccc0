// Graphs of skewed degrees: recursive matrices, preferential attachment, the web.
#include <algorithm>
#include <bit>
#include <vector>

#include "generate_edges.hpp"
#include "id_width.hpp"

namespace lb::core {

using namespace generate;
namespace {

// Draws cells of a recursive matrix, three levels with each look-up: the 64 cells three levels down have the
// products of three quadrants' chances, exact in units of 2^-60.
class RecursiveMatrix {
 public:
  RecursiveMatrix(int scale, u64 n, Quadrants q, RandomSequence random)
      : n_(n), groups_(static_cast<u64>((scale + 2) / 3)), random_(random), table_(6, weights(q)) {
    first_ = scale - 3 * (static_cast<int>(groups_) - 1);
    words_ = (groups_ + 1) / 2;
    full_ = n == u64{1} << scale;
  }
  Pair operator()(u64 i) const {
    Pair p = once(random_, i);
    if (full_) return p;
    for (u64 attempt = 0; p.u >= n_ || p.v >= n_; ++attempt) p = once(random_.sub(attempt), i);
    return p;
  }

 private:
  Pair once(const RandomSequence& random, u64 i) const {
    u64 u = 0, v = 0, word = 0;
    for (u64 g = 0; g < groups_; ++g) {
      word = g % 2 == 0 ? random.word(i * words_ + g / 2) : word >> 32;
      const std::uint32_t cell = table_(static_cast<std::uint32_t>(word));  // row bits, then column bits
      if (g == 0) {
        u = (cell >> 3) >> (3 - first_);
        v = (cell & 7) >> (3 - first_);
      } else {
        u = u << 3 | cell >> 3;
        v = v << 3 | (cell & 7);
      }
    }
    return {u, v};
  }
  static std::vector<u64> weights(Quadrants q) {
    const u64 w[4] = {q.a, q.b, q.c, q.d};
    std::vector<u64> product(64);
    for (unsigned cell = 0; cell < 64; ++cell) {
      product[cell] = 1;
      for (unsigned level = 0; level < 3; ++level) {
        product[cell] *= w[(cell >> (3 + level) & 1) * 2 + (cell >> level & 1)];
      }
    }
    return product;
  }
  u64 n_, groups_, words_;
  int first_;  // levels in the first group: 1 to 3
  bool full_;
  RandomSequence random_;
  AliasTable table_;
};

}  // namespace

template <class Id>
Edges<Id> rmat(int scale, u64 n, i64 m, Quadrants q, bool shuffle, u64 seed, int threads) {
  const RecursiveMatrix matrix(scale, n, q, RandomSequence(seed, edge_sequence));
  Edges<Id> edges(m);
  if (shuffle) {
    const Permutation order(n, RandomSequence(seed, id_sequence));
    fill(edges, 0, m, threads, [&](u64 i) {
      const Pair p = matrix(i);
      return Pair{order(p.u), order(p.v)};
    });
  } else {
    fill(edges, 0, m, threads, matrix);
  }
  return edges;
}

template <class Id>
Edges<Id> ba(u64 n, u64 k, u64 seed, int threads) {
  // The list of all endpoints so far holds i / k at 2 i and a copy of a random earlier entry at 2 i + 1. Nothing
  // is stored: a copy of a copy is followed back to an even position, two steps on average.
  const RandomSequence random(seed, edge_sequence);
  Edges<Id> edges(at(n * k));
  fill(edges, 0, at(n * k), threads, [&](u64 i) {
    u64 end = random.below(i, 2 * i + 1);
    while (end % 2 != 0) end = random.below(end / 2, end);
    return Pair{i / k, end / 2 / k};
  });
  return edges;
}

template <class Id>
Edges<Id> web(i64 core, i64 small, i64 more, u64 local, i64 reach, u64 seed, int threads) {
  const u64 n = static_cast<u64>(core), far = static_cast<u64>(reach);
  const RandomSequence tree(seed, tile_sequence), extra(seed, extra_sequence), sizes(seed, choice_sequence);
  const int scale = std::max(1, static_cast<int>(std::bit_width(n - 1)));
  const RecursiveMatrix matrix(scale, n, {597688, 199229, 199229, 52430}, RandomSequence(seed, edge_sequence));
  // Small component j begins at 2 j, an odd one (after an even one) up to one vertex earlier or later; the
  // last of an odd number has two vertices.
  const auto start = [&](i64 j) {
    const bool moved = j % 2 != 0 && j < small;
    return 2 * j + (moved ? at(sizes.below(static_cast<u64>(j / 2), 3)) - 1 : 0);
  };
  const Edges<Id> rest = emit<Id>(small, grain, threads, [&](i64 b, i64 e, auto& sink) {
    for (i64 j = b; j < e; ++j) {
      const i64 end = start(j + 1);
      for (i64 x = start(j); x + 1 < end; ++x) sink(n + static_cast<u64>(x), n + static_cast<u64>(x) + 1);
    }
  });
  Edges<Id> edges(core - 1 + more + rest.size());
  fill(edges, 0, core - 1, threads, [&](u64 i) { return Pair{i + 1, i - tree.below(i, std::min(i + 1, far))}; });
  fill(edges, core - 1, more, threads, [&](u64 i) {
    if (!chance(extra.word(3 * i), local)) return matrix(i);
    const u64 u = extra.below(3 * i + 1, n);
    const u64 low = u < far ? 0 : u - far, high = std::min(n - 1, u + far);
    return Pair{u, low + extra.below(3 * i + 2, high - low + 1)};
  });
  fill(edges, core - 1 + more, rest.size(), threads,
       [&](u64 i) { return Pair{static_cast<u64>(rest.u[i]), static_cast<u64>(rest.v[i])}; });
  return edges;
}

#define LB_INSTANTIATE(Id)                                               \
  template Edges<Id> rmat<Id>(int, u64, i64, Quadrants, bool, u64, int); \
  template Edges<Id> ba<Id>(u64, u64, u64, int);                         \
  template Edges<Id> web<Id>(i64, i64, i64, u64, i64, u64, int);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

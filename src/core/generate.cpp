#include "generate.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "counter_rng.hpp"
#include "sort.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;

// The numbers of the random streams of a seed: one for each independent decision.
enum : u64 { edges_stream, ids_stream, extra_stream, choice_stream, tile_stream, retry_stream };

constexpr i64 grain = i64{1} << 15;

i64 at(u64 x) { return static_cast<i64>(x); }

struct Pair {
  u64 u, v;
};

// m edges, edge i given by pair_of(i).
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

// The edges that walk(begin, end, sink) hands to its sink for consecutive pieces of [0, items): walked twice,
// first to count them. walk must give the same edges both times.
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

bool chance(u64 word, u64 threshold) { return word < threshold || threshold == UINT64_MAX; }

// Where share j of `count` begins when n items are shared out evenly, and the share that item i is in.
i64 share_start(i64 n, i64 count, i64 j) { return at(static_cast<u64>(static_cast<u128>(n) * j / count)); }
i64 share_of(i64 n, i64 count, i64 i) { return at(static_cast<u64>((static_cast<u128>(i + 1) * count - 1) / n)); }

// --- distinct pairs -------------------------------------------------------------------------------------

// m distinct keys u << bits | v with u < v < n, ascending. Draws m pairs, sorts, drops repeats, and draws as
// many as are missing until none is.
Buffer<u64> distinct_pairs(u64 n, i64 m, int bits, Stream stream, int threads) {
  const auto draw = [&](u64* to, i64 first, i64 count) {
    parallel_for(count, grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const u64 position = static_cast<u64>(first + i) * 2;
        const u64 x = stream.below(position, n);
        u64 y = stream.below(position + 1, n - 1);
        y += y >= x;
        to[i] = std::min(x, y) << bits | std::max(x, y);
      }
    });
  };
  Buffer<u64> keys(static_cast<std::size_t>(m)), spare(static_cast<std::size_t>(m));
  draw(keys.data(), 0, m);
  sort_keys(keys.data(), spare.data(), m, 2 * bits, threads);
  i64 size = unique_keys(keys.data(), spare.data(), m, threads);
  std::swap(keys, spare);
  for (i64 drawn = m; size < m;) {
    const i64 missing = m - size;
    Buffer<u64> more(static_cast<std::size_t>(missing));
    draw(more.data(), drawn, missing);
    drawn += missing;
    sort_keys(more.data(), spare.data(), missing, 2 * bits, threads);
    i64 fresh = unique_keys(more.data(), spare.data(), missing, threads);
    fresh = std::remove_if(spare.data(), spare.data() + fresh,
                           [&](u64 k) { return std::binary_search(keys.data(), keys.data() + size, k); }) -
            spare.data();
    // Merged from the back, in place: position size + fresh - 1 downwards.
    i64 to = size + fresh, old = size, add = fresh;
    size = to;
    while (add > 0) {
      const bool take_old =
          old > 0 && keys[static_cast<std::size_t>(old - 1)] > spare[static_cast<std::size_t>(add - 1)];
      keys[static_cast<std::size_t>(--to)] =
          take_old ? keys[static_cast<std::size_t>(--old)] : spare[static_cast<std::size_t>(--add)];
    }
  }
  return keys;
}

u64 pairs(u64 n) { return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2); }

// gnm on the ids base .. base + n - 1, written from position `begin`.
template <class Id>
void gnm_into(Edges<Id>& edges, i64 begin, u64 base, u64 n, i64 m, Stream stream, int threads) {
  if (m == 0) return;
  const int bits = std::max(1, static_cast<int>(std::bit_width(n - 1)));
  const u64 mask = (u64{1} << bits) - 1;
  const u64 all = pairs(n);
  if (static_cast<u64>(m) <= all / 2) {
    const Buffer<u64> keys = distinct_pairs(n, m, bits, stream, threads);
    fill(edges, begin, m, threads, [&](u64 i) { return Pair{base + (keys[i] >> bits), base + (keys[i] & mask)}; });
    return;
  }
  // More than half of all pairs: draw those to leave out.
  const i64 out = at(all) - m;
  const Buffer<u64> keys = distinct_pairs(n, out, bits, stream, threads);
  parallel_for(at(n), 64, threads, [&](i64 b, i64 e, int) {
    const u64* skip = std::lower_bound(keys.data(), keys.data() + out, static_cast<u64>(b) << bits);
    const u64 before = static_cast<u64>(b) * n - pairs(static_cast<u64>(b) + 1);
    i64 to = begin + at(before) - (skip - keys.data());
    for (u64 u = static_cast<u64>(b); u < static_cast<u64>(e); ++u) {
      for (u64 v = u + 1; v < n; ++v) {
        if (skip != keys.data() + out && *skip == (u << bits | v)) {
          ++skip;
          continue;
        }
        edges.u[static_cast<std::size_t>(to)] = static_cast<Id>(base + u);
        edges.v[static_cast<std::size_t>(to++)] = static_cast<Id>(base + v);
      }
    }
  });
}

// --- geometric skips ------------------------------------------------------------------------------------

// The upper half of the product of two fractions in units of 2^-128.
u128 multiply(u128 x, u128 y) {
  const u64 x1 = static_cast<u64>(x >> 64), x0 = static_cast<u64>(x);
  const u64 y1 = static_cast<u64>(y >> 64), y0 = static_cast<u64>(y);
  const u128 low = static_cast<u128>(x0) * y0 >> 64;
  const u128 m1 = static_cast<u128>(x1) * y0, m2 = static_cast<u128>(x0) * y1;
  const u128 carry = (low + static_cast<u64>(m1) + static_cast<u64>(m2)) >> 64;
  return static_cast<u128>(x1) * y1 + (m1 >> 64) + (m2 >> 64) + carry;
}

// Draws the number of failures before a success of probability p without a logarithm: the digits of such a
// number to the base 2^8 are independent, and the digit of weight 2^(8 g) takes the value x with a chance
// proportional to (1 - p)^(x 2^(8 g)). One table for each digit, built in integers.
class Geometric {
 public:
  explicit Geometric(u128 failure) {  // 1 - p in units of 2^-128
    u128 q = failure;
    for (int g = 0; g < 16; ++g) {
      std::vector<u128> power(256);
      power[0] = u128{1} << 64;
      u128 sum = power[0];
      u128 x_power = q;
      for (int x = 1; x < 256; ++x) {
        power[x] = x_power >> 64;
        sum += power[x];
        x_power = multiply(x_power, q);
      }
      std::vector<u64> weight(256);
      u64 total = 0;
      for (int x = 1; x < 256; ++x) {
        weight[x] = static_cast<u64>((power[x] << 59) / sum * 2);
        total += weight[x];
      }
      if (total == 0) break;
      weight[0] = (u64{1} << 60) - total;
      digit_.emplace_back(8, std::move(weight));
      for (int i = 0; i < 8; ++i) q = multiply(q, q);
    }
    words_ = std::max<u64>(1, (digit_.size() + 1) / 2);
  }
  // Draw i of the stream; UINT64_MAX for anything that does not fit 64 bits.
  u64 operator()(const Stream& stream, u64 i) const {
    u64 value = 0, word = 0;
    for (std::size_t g = 0; g < digit_.size(); ++g) {
      word = g % 2 == 0 ? stream.word(i * words_ + g / 2) : word >> 32;
      const u64 digit = digit_[g](static_cast<std::uint32_t>(word));
      if (g < 8) {
        value |= digit << (8 * g);
      } else if (digit != 0) {
        return UINT64_MAX;
      }
    }
    return value;
  }

 private:
  std::vector<AliasTable> digit_;
  u64 words_;
};

// The row u > 0 of the lower triangle (row u holds the pairs (u, 0) .. (u, u - 1)) that pair `index` is in.
u64 triangle_row(u64 index) {
  u64 u = static_cast<u64>(std::sqrt(2.0 * static_cast<double>(index)));
  const auto start = [](u64 r) { return static_cast<u128>(r) * (r - 1) / 2; };
  u = std::max<u64>(u, 1);
  while (start(u) > index) --u;
  while (start(u + 1) <= index) ++u;
  return u;
}

// --- recursive matrices ---------------------------------------------------------------------------------

// Draws cells of a recursive matrix, three levels with each look-up: the 64 cells three levels down have the
// products of three quadrants' chances, exact in units of 2^-60.
class RecursiveMatrix {
 public:
  RecursiveMatrix(int scale, u64 n, Quadrants q, Stream stream)
      : n_(n), groups_(static_cast<u64>((scale + 2) / 3)), stream_(stream), table_(6, weights(q)) {
    first_ = scale - 3 * (static_cast<int>(groups_) - 1);
    words_ = (groups_ + 1) / 2;
    full_ = n == u64{1} << scale;
  }
  Pair operator()(u64 i) const {
    Pair p = once(stream_, i);
    if (full_) return p;
    for (u64 attempt = 0; p.u >= n_ || p.v >= n_; ++attempt) p = once(stream_.sub(attempt), i);
    return p;
  }

 private:
  Pair once(const Stream& stream, u64 i) const {
    u64 u = 0, v = 0, word = 0;
    for (u64 g = 0; g < groups_; ++g) {
      word = g % 2 == 0 ? stream.word(i * words_ + g / 2) : word >> 32;
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
  Stream stream_;
  AliasTable table_;
};

// A uniform pair of ends.
Pair uniform_pair(const Stream& stream, u64 i, u64 n) { return {stream.below(2 * i, n), stream.below(2 * i + 1, n)}; }

// Parents of a serial union-find, halving paths.
template <class T>
T find_root(T* parent, T x) {
  while (parent[x] != x) x = parent[x] = parent[parent[x]];
  return x;
}

// Exchanges the items of [0, n) into random order.
template <class T>
void shuffle(T* item, i64 n, const Stream& stream) {
  for (i64 i = n - 1; i > 0; --i) {
    std::swap(item[i], item[stream.below(static_cast<u64>(i), static_cast<u64>(i) + 1)]);
  }
}

}  // namespace

template <class Id>
Edges<Id> gnm(u64 n, i64 m, u64 seed, int threads) {
  Edges<Id> edges(m);
  gnm_into(edges, 0, 0, n, m, Stream(seed, edges_stream), threads);
  return edges;
}

template <class Id>
Edges<Id> gnm_parts(u64 n, i64 m, i64 parts, u64 seed, int threads) {
  Edges<Id> edges(m);
  const Stream stream(seed, edges_stream);
  const auto part = [&](i64 j, int inner) {
    const i64 base = share_start(at(n), parts, j), begin = share_start(m, parts, j);
    gnm_into(edges, begin, static_cast<u64>(base), static_cast<u64>(share_start(at(n), parts, j + 1) - base),
             share_start(m, parts, j + 1) - begin, stream.sub(static_cast<u64>(j)), inner);
  };
  if (parts < 4 * threads) {
    for (i64 j = 0; j < parts; ++j) part(j, threads);
  } else {
    parallel_for(parts, 1, threads, [&](i64 j, i64, int) { part(j, 1); });
  }
  return edges;
}

template <class Id>
Edges<Id> gnp(u64 n, double p, u64 seed, int threads) {
  int exponent = 0;
  const u64 mantissa = static_cast<u64>(std::ldexp(std::frexp(p, &exponent), 53));
  const int shift = 75 + exponent;  // p = mantissa * 2^(exponent - 53), wanted in units of 2^-128
  const u128 success = p >= 1        ? 0
                       : shift >= 0  ? static_cast<u128>(mantissa) << shift
                       : shift > -64 ? mantissa >> -shift
                                     : 0;
  if (n < 2 || (success == 0 && p < 1)) return Edges<Id>(0);
  const Geometric geometric(p >= 1 ? u128{0} : u128{0} - success);
  const Stream stream(seed, edges_stream);
  const u64 all = pairs(n);
  // Pieces of the triangle that hold 2^16 edges on average: the process has no memory, so each starts afresh.
  const double wide = 65536.0 / p;
  const u64 piece = wide < static_cast<double>(all) ? static_cast<u64>(wide) : all;
  return emit<Id>(at(all), at(piece), threads, [&](i64 b, i64 e, auto& sink) {
    const Stream own = stream.sub(static_cast<u64>(b));
    u64 u = triangle_row(static_cast<u64>(b));
    u64 v = static_cast<u64>(b) - u * (u - 1) / 2;  // may run past the end of the row
    u64 left = static_cast<u64>(e - b);
    for (u64 i = 0;; ++i) {
      const u64 skip = geometric(own, i);
      if (skip >= left) return;
      left -= skip + 1;
      for (v += skip; v >= u; ++u) v -= u;
      sink(u, v++);
    }
  });
}

template <class Id>
Edges<Id> rmat(int scale, u64 n, i64 m, Quadrants q, bool shuffle, u64 seed, int threads) {
  const RecursiveMatrix matrix(scale, n, q, Stream(seed, edges_stream));
  Edges<Id> edges(m);
  if (shuffle) {
    const Permutation rename(n, Stream(seed, ids_stream));
    fill(edges, 0, m, threads, [&](u64 i) {
      const Pair p = matrix(i);
      return Pair{rename(p.u), rename(p.v)};
    });
  } else {
    fill(edges, 0, m, threads, matrix);
  }
  return edges;
}

template <class Id>
Edges<Id> uniform(u64 n, i64 m, u64 seed, int threads) {
  const Stream stream(seed, edges_stream);
  Edges<Id> edges(m);
  fill(edges, 0, m, threads, [&](u64 i) { return uniform_pair(stream, i, n); });
  return edges;
}

template <class Id>
Edges<Id> ba(u64 n, u64 k, u64 seed, int threads) {
  // The list of all ends so far holds i / k at 2 i and a copy of a random earlier entry at 2 i + 1. Nothing
  // is stored: a copy of a copy is followed back to an even position, two steps on average.
  const Stream stream(seed, edges_stream);
  Edges<Id> edges(at(n * k));
  fill(edges, 0, at(n * k), threads, [&](u64 i) {
    u64 end = stream.below(i, 2 * i + 1);
    while (end % 2 != 0) end = stream.below(end / 2, end);
    return Pair{i / k, end / 2 / k};
  });
  return edges;
}

template <class Id>
Edges<Id> r4(u64 n, u64 seed, int threads) {
  const Permutation order(n, Stream(seed, ids_stream));
  const Stream stream(seed, edges_stream);
  Edges<Id> edges(at(4 * n));
  fill(edges, 0, at(n), threads, [&](u64 i) { return Pair{order(i), order(i + 1 == n ? 0 : i + 1)}; });
  fill(edges, at(n), at(3 * n), threads, [&](u64 i) { return uniform_pair(stream, i, n); });
  return edges;
}

template <class Id>
Edges<Id> lattice(i64 rows, i64 columns, Lattice kind, u64 seed, int threads) {
  const Stream stream(seed, edges_stream);
  const u64 a = static_cast<u64>(rows), b = static_cast<u64>(columns);
  // Round two cells a wrap would repeat the edge between them, round one it would be a loop.
  const bool wrap_right = kind.wrap && b > 2, wrap_down = kind.wrap && a > 2;
  return emit<Id>(rows * columns, grain, threads, [&](i64 begin, i64 end, auto& sink) {
    u64 r = static_cast<u64>(begin) / b, c = static_cast<u64>(begin) % b;
    for (u64 x = static_cast<u64>(begin); x < static_cast<u64>(end); ++x) {
      const bool right = c + 1 < b, down = r + 1 < a;
      const auto keep = [&](u64 way) { return kind.keep == UINT64_MAX || stream.word(3 * x + way) < kind.keep; };
      if ((right || wrap_right) && keep(0)) sink(x, right ? x + 1 : x + 1 - b);
      if ((down || wrap_down) && keep(1)) sink(x, down ? x + b : c);
      if (kind.diagonal && right && down && keep(2)) sink(x, x + b + 1);
      if (++c == b) {
        c = 0;
        ++r;
      }
    }
  });
}

template <class Id>
Edges<Id> maze(i64 n, u64 extra, u64 seed, int threads) {
  // Kruskal's algorithm in random order inside tiles of 32 x 32 cells, then the same on the grid of tiles,
  // where an edge is one random edge across the border: a spanning tree of the cells, made tile by tile.
  constexpr i64 side = 32;
  constexpr std::uint8_t right = 1, down = 2;
  if (n == 0) return Edges<Id>(0);
  i64 b = static_cast<i64>(std::sqrt(static_cast<double>(n)));
  while (b * b < n) ++b;
  const i64 a = (n + b - 1) / b;  // rows; the last may be short
  const i64 tile_rows = (a + side - 1) / side, tile_columns = (b + side - 1) / side;
  const i64 tiles = tile_rows * tile_columns;
  const Stream inside(seed, tile_stream), across(seed, choice_stream), more(seed, extra_stream);
  Buffer<std::uint8_t> kept(static_cast<std::size_t>(n));
  parallel_for(tiles, 1, threads, [&](i64 t, i64, int) {
    const i64 r0 = t / tile_columns * side, c0 = t % tile_columns * side;
    const i64 height = std::min(side, a - r0), width = std::min(side, b - c0);
    std::uint16_t edge[2 * side * side], parent[side * side];
    i64 count = 0;
    for (i64 r = 0; r < height; ++r) {
      for (i64 c = 0; c < width; ++c) {
        const i64 cell = r * side + c, x = (r0 + r) * b + c0 + c;
        if (x >= n) break;
        kept[static_cast<std::size_t>(x)] = 0;
        parent[cell] = static_cast<std::uint16_t>(cell);
        if (c + 1 < width && x + 1 < n) edge[count++] = static_cast<std::uint16_t>(2 * cell);
        if (r + 1 < height && x + b < n) edge[count++] = static_cast<std::uint16_t>(2 * cell + 1);
      }
    }
    shuffle(edge, count, inside.sub(static_cast<u64>(t)));
    for (i64 i = 0; i < count; ++i) {
      const int cell = edge[i] / 2;
      const bool vertical = edge[i] % 2 != 0;
      const auto x = find_root(parent, static_cast<std::uint16_t>(cell));
      const auto y = find_root(parent, static_cast<std::uint16_t>(cell + (vertical ? side : 1)));
      if (x == y) continue;
      parent[std::max(x, y)] = std::min(x, y);
      kept[static_cast<std::size_t>((r0 + cell / side) * b + c0 + cell % side)] |= vertical ? down : right;
    }
  });
  std::vector<i64> border, parent(static_cast<std::size_t>(tiles));
  std::iota(parent.begin(), parent.end(), i64{0});
  for (i64 t = 0; t < tiles; ++t) {
    // A tile of the last row exists only where the short last row of cells reaches it.
    const i64 r0 = t / tile_columns * side, c0 = t % tile_columns * side;
    if (c0 + side < b && r0 * b + c0 + side < n) border.push_back(2 * t);
    if (r0 + side < a && (r0 + side) * b + c0 < n) border.push_back(2 * t + 1);
  }
  shuffle(border.data(), static_cast<i64>(border.size()), across);
  for (const i64 e : border) {
    const i64 t = e / 2;
    const bool vertical = e % 2 != 0;
    const i64 x = find_root(parent.data(), t), y = find_root(parent.data(), t + (vertical ? tile_columns : 1));
    if (x == y) continue;
    parent[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
    const i64 r0 = t / tile_columns * side, c0 = t % tile_columns * side;
    // The cells on the far side of the border, of which the first `present` exist.
    i64 present = vertical ? std::min(side, b - c0) : std::min(side, a - r0);
    while (vertical ? (r0 + side) * b + c0 + present - 1 >= n : (r0 + present - 1) * b + c0 + side >= n) --present;
    const i64 pick = at(across.sub(1).below(static_cast<u64>(e), static_cast<u64>(present)));
    const i64 cell = vertical ? (r0 + side - 1) * b + c0 + pick : (r0 + pick) * b + c0 + side - 1;
    kept[static_cast<std::size_t>(cell)] |= vertical ? down : right;
  }
  return emit<Id>(n, grain, threads, [&](i64 begin, i64 end, auto& sink) {
    i64 c = begin % b;
    for (i64 x = begin; x < end; ++x) {
      const std::uint8_t k = kept[static_cast<std::size_t>(x)];
      const u64 cell = static_cast<u64>(x);
      if (++c == b) {
        c = 0;
      } else if (x + 1 < n && ((k & right) || chance(more.word(2 * cell), extra))) {
        sink(cell, cell + 1);
      }
      if (x + b < n && ((k & down) || chance(more.word(2 * cell + 1), extra))) {
        sink(cell, cell + static_cast<u64>(b));
      }
    }
  });
}

template <class Id>
Edges<Id> subdivide(const Edges<Id>& base, i64 inner, i64 n, int threads) {
  const i64 links = base.size(), added = n - inner;
  Edges<Id> edges(links + added);
  parallel_for(links, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 j = b; j < e; ++j) {
      const i64 first = share_start(added, links, j), last = share_start(added, links, j + 1);
      std::size_t to = static_cast<std::size_t>(j + first);
      Id from = base.u[static_cast<std::size_t>(j)];
      for (i64 x = first; x < last; ++x, ++to) {
        edges.u[to] = from;
        edges.v[to] = from = static_cast<Id>(inner + x);
      }
      edges.u[to] = from;
      edges.v[to] = base.v[static_cast<std::size_t>(j)];
    }
  });
  return edges;
}

template <class Id>
Edges<Id> web(i64 core, i64 small, i64 more, u64 local, i64 reach, u64 seed, int threads) {
  const u64 n = static_cast<u64>(core), far = static_cast<u64>(reach);
  const Stream tree(seed, tile_stream), extra(seed, extra_stream), sizes(seed, choice_stream);
  const int scale = std::max(1, static_cast<int>(std::bit_width(n - 1)));
  const RecursiveMatrix matrix(scale, n, {597688, 199229, 199229, 52430}, Stream(seed, edges_stream));
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

template <class Id>
Edges<Id> cliques(i64 n, i64 size, i64 layers, u64 seed, int threads) {
  std::vector<Permutation> order;
  for (i64 l = 0; l < layers; ++l) {
    order.emplace_back(static_cast<u64>(n), Stream(seed, ids_stream).sub(static_cast<u64>(l)));
  }
  const i64 groups = (n + size - 1) / size;
  return emit<Id>(groups * layers, 64, threads, [&](i64 b, i64 e, auto& sink) {
    std::vector<u64> member;
    for (i64 g = b; g < e; ++g) {
      const i64 layer = g / groups, first = g % groups * size;
      member.clear();
      for (i64 x = first; x < std::min(n, first + size); ++x) {
        member.push_back(layer == 0 ? static_cast<u64>(x)
                                    : order[static_cast<std::size_t>(layer)](static_cast<u64>(x)));
      }
      for (std::size_t i = 0; i < member.size(); ++i) {
        for (std::size_t j = i + 1; j < member.size(); ++j) sink(member[i], member[j]);
      }
    }
  });
}

template <class Id>
Edges<Id> tiny(i64 n, i64 smallest, i64 largest, u64 seed, int threads) {
  const Stream stream(seed, edges_stream), sizes(seed, choice_stream);
  // The sizes are drawn afresh in every piece of 2^15 ids, so that the pieces can be made side by side.
  return emit<Id>(n, grain, threads, [&](i64 b, i64 e, auto& sink) {
    for (i64 first = b; first < e;) {
      i64 size = smallest + at(sizes.below(static_cast<u64>(first), static_cast<u64>(largest - smallest + 1)));
      size = std::min(size, e - first);
      if (e - first - size == 1) size += size < largest ? 1 : -1;  // leave no vertex alone
      size = std::max<i64>(size, 1);
      for (i64 x = first + 1; x < first + size; ++x) {
        const u64 up = stream.below(static_cast<u64>(x), static_cast<u64>(x - first));
        sink(static_cast<u64>(x), static_cast<u64>(first) + up);
      }
      first += size;
    }
  });
}

template <class Id>
Edges<Id> list_graph(i64 n, i64 count, u64 seed, int threads) {
  const Permutation order(static_cast<u64>(n), Stream(seed, ids_stream));
  Edges<Id> edges(n - count);
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    i64 path = share_of(n, count, b), next = share_start(n, count, path + 1);
    u64 id = order(static_cast<u64>(b));
    for (i64 i = b; i < e && i + 1 < n; ++i) {
      const u64 follower = order(static_cast<u64>(i + 1));
      if (i + 1 == next) {
        next = share_start(n, count, ++path + 1);
      } else {
        edges.u[static_cast<std::size_t>(i - path)] = static_cast<Id>(id);
        edges.v[static_cast<std::size_t>(i - path)] = static_cast<Id>(follower);
      }
      id = follower;
    }
  });
  return edges;
}

template <class Id>
Edges<Id> tree_graph(i64 n, i64 count, i64 k, u64 seed, int threads) {
  // Position i is the i-th vertex to join; the parent of each is drawn one after another, the rest in
  // parallel.
  const Stream stream(seed, edges_stream);
  Buffer<Id> up(static_cast<std::size_t>(n)), open(static_cast<std::size_t>(n)), children(static_cast<std::size_t>(n));
  i64 not_full = 0;
  for (i64 i = 0; i < n; ++i) {
    const std::size_t x = static_cast<std::size_t>(i);
    if (i >= count) {
      const std::size_t pick = stream.below(x, static_cast<u64>(not_full));
      up[x] = open[pick];
      if (++children[static_cast<std::size_t>(up[x])] == static_cast<Id>(k))
        open[pick] = open[static_cast<std::size_t>(--not_full)];
    }
    children[x] = 0;
    open[static_cast<std::size_t>(not_full++)] = static_cast<Id>(i);
  }
  const Permutation order(static_cast<u64>(n), Stream(seed, ids_stream));
  Edges<Id> edges(n - count);
  fill(edges, 0, n - count, threads, [&](u64 i) {
    const u64 x = i + static_cast<u64>(count);
    return Pair{order(static_cast<u64>(up[x])), order(x)};
  });
  return edges;
}

template <class Id>
Buffer<Id> linked_list(i64 n, i64 lists, u64 seed, int threads) {
  Buffer<Id> successor(static_cast<std::size_t>(n));
  if (n == 0) return successor;
  const Permutation rest(static_cast<u64>(n - 1), Stream(seed, ids_stream));
  const auto order = [&](i64 i) { return i == 0 ? u64{0} : 1 + rest(static_cast<u64>(i - 1)); };
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    i64 list = share_of(n, lists, b), next = share_start(n, lists, list + 1);
    u64 id = order(b);
    for (i64 i = b; i < e; ++i) {
      const u64 follower = i + 1 < n ? order(i + 1) : id;
      if (i + 1 == next) {
        successor[id] = static_cast<Id>(id);
        next = share_start(n, lists, ++list + 1);
      } else {
        successor[id] = static_cast<Id>(follower);
      }
      id = follower;
    }
  });
  return successor;
}

template <class Id>
void shuffle_ids(Edges<Id>& edges, i64 n, u64 seed, int threads) {
  const Permutation rename(static_cast<u64>(n), Stream(seed, ids_stream));
  fill(edges, 0, edges.size(), threads,
       [&](u64 i) { return Pair{rename(static_cast<u64>(edges.u[i])), rename(static_cast<u64>(edges.v[i]))}; });
}

template <class Id>
i64 drop_isolated(Id* u, Id* v, i64 m, i64 n, int threads) {
  Buffer<std::uint8_t> used(static_cast<std::size_t>(n));
  std::fill(used.begin(), used.end(), std::uint8_t{0});
  parallel_for(m, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      for (const Id x : {u[i], v[i]}) {
        std::atomic_ref(used[static_cast<std::size_t>(x)]).store(1, std::memory_order_relaxed);
      }
    }
  });
  Buffer<Id> rename(static_cast<std::size_t>(n));
  i64 count = 0;
  for (std::size_t x = 0; x < used.size(); ++x) {
    rename[x] = static_cast<Id>(count);
    count += used[x];
  }
  parallel_for(m, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      u[i] = rename[static_cast<std::size_t>(u[i])];
      v[i] = rename[static_cast<std::size_t>(v[i])];
    }
  });
  return count;
}

#define LB_INSTANTIATE(Id)                                               \
  template Edges<Id> gnm<Id>(u64, i64, u64, int);                        \
  template Edges<Id> gnm_parts<Id>(u64, i64, i64, u64, int);             \
  template Edges<Id> gnp<Id>(u64, double, u64, int);                     \
  template Edges<Id> rmat<Id>(int, u64, i64, Quadrants, bool, u64, int); \
  template Edges<Id> uniform<Id>(u64, i64, u64, int);                    \
  template Edges<Id> ba<Id>(u64, u64, u64, int);                         \
  template Edges<Id> r4<Id>(u64, u64, int);                              \
  template Edges<Id> lattice<Id>(i64, i64, Lattice, u64, int);           \
  template Edges<Id> maze<Id>(i64, u64, u64, int);                       \
  template Edges<Id> subdivide<Id>(const Edges<Id>&, i64, i64, int);     \
  template Edges<Id> web<Id>(i64, i64, i64, u64, i64, u64, int);         \
  template Edges<Id> cliques<Id>(i64, i64, i64, u64, int);               \
  template Edges<Id> tiny<Id>(i64, i64, i64, u64, int);                  \
  template Edges<Id> list_graph<Id>(i64, i64, u64, int);                 \
  template Edges<Id> tree_graph<Id>(i64, i64, i64, u64, int);            \
  template Buffer<Id> linked_list<Id>(i64, i64, u64, int);               \
  template void shuffle_ids<Id>(Edges<Id>&, i64, u64, int);              \
  template i64 drop_isolated<Id>(Id*, Id*, i64, i64, int);
LB_INSTANTIATE(std::int32_t)
LB_INSTANTIATE(std::int64_t)
#undef LB_INSTANTIATE

}  // namespace lb::core

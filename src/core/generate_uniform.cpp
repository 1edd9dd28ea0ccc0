// Graphs of independent edges: a number of distinct pairs, each pair with a probability, uniform draws.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "generate_edges.hpp"
#include "id_width.hpp"
#include "sort.hpp"

namespace lb::core {

using namespace generate;
namespace {

// m distinct keys u << bits | v with u < v < n, ascending. Draws m pairs, sorts, drops repeats, and draws as
// many as are missing until none is.
Buffer<u64> distinct_pairs(u64 n, i64 m, int bits, RandomSequence random, int threads) {
  const auto draw = [&](u64* to, i64 first, i64 count) {
    parallel_for(count, grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const u64 position = static_cast<u64>(first + i) * 2;
        const u64 x = random.below(position, n);
        u64 y = random.below(position + 1, n - 1);
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
void gnm_into(Edges<Id>& edges, i64 begin, u64 base, u64 n, i64 m, RandomSequence random, int threads) {
  if (m == 0) return;
  const int bits = std::max(1, static_cast<int>(std::bit_width(n - 1)));
  const u64 mask = (u64{1} << bits) - 1;
  const u64 all = pairs(n);
  if (static_cast<u64>(m) <= all / 2) {
    const Buffer<u64> keys = distinct_pairs(n, m, bits, random, threads);
    fill(edges, begin, m, threads, [&](u64 i) { return Pair{base + (keys[i] >> bits), base + (keys[i] & mask)}; });
    return;
  }
  // More than half of all pairs: draw those to leave out.
  const i64 out = at(all) - m;
  const Buffer<u64> keys = distinct_pairs(n, out, bits, random, threads);
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
  // Draw i of the sequence; UINT64_MAX for anything that does not fit 64 bits.
  u64 operator()(const RandomSequence& random, u64 i) const {
    u64 value = 0, word = 0;
    for (std::size_t g = 0; g < digit_.size(); ++g) {
      word = g % 2 == 0 ? random.word(i * words_ + g / 2) : word >> 32;
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

}  // namespace

template <class Id>
Edges<Id> gnm(u64 n, i64 m, u64 seed, int threads) {
  Edges<Id> edges(m);
  gnm_into(edges, 0, 0, n, m, RandomSequence(seed, edge_sequence), threads);
  return edges;
}

template <class Id>
Edges<Id> gnm_parts(u64 n, i64 m, i64 parts, u64 seed, int threads) {
  Edges<Id> edges(m);
  const RandomSequence random(seed, edge_sequence);
  const auto part = [&](i64 j, int inner) {
    const i64 base = share_start(at(n), parts, j), begin = share_start(m, parts, j);
    gnm_into(edges, begin, static_cast<u64>(base), static_cast<u64>(share_start(at(n), parts, j + 1) - base),
             share_start(m, parts, j + 1) - begin, random.sub(static_cast<u64>(j)), inner);
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
  const int shift = 75 + exponent;  // p = mantissa * 2^(exponent - 53), here in units of 2^-128
  const u128 success = p >= 1        ? 0
                       : shift >= 0  ? static_cast<u128>(mantissa) << shift
                       : shift > -64 ? mantissa >> -shift
                                     : 0;
  if (n < 2 || (success == 0 && p < 1)) return Edges<Id>(0);
  const Geometric geometric(p >= 1 ? u128{0} : u128{0} - success);
  const RandomSequence random(seed, edge_sequence);
  const u64 all = pairs(n);
  // Pieces of the triangle that hold 2^16 edges on average: the process has no memory, so each starts afresh.
  const double wide = 65536.0 / p;
  const u64 piece = wide < static_cast<double>(all) ? static_cast<u64>(wide) : all;
  return emit<Id>(at(all), at(piece), threads, [&](i64 b, i64 e, auto& sink) {
    const RandomSequence own = random.sub(static_cast<u64>(b));
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
Edges<Id> uniform(u64 n, i64 m, u64 seed, int threads) {
  const RandomSequence random(seed, edge_sequence);
  Edges<Id> edges(m);
  fill(edges, 0, m, threads, [&](u64 i) { return uniform_pair(random, i, n); });
  return edges;
}

template <class Id>
Edges<Id> r4(u64 n, u64 seed, int threads) {
  const Permutation order(n, RandomSequence(seed, id_sequence));
  const RandomSequence random(seed, edge_sequence);
  Edges<Id> edges(at(4 * n));
  fill(edges, 0, at(n), threads, [&](u64 i) { return Pair{order(i), order(i + 1 == n ? 0 : i + 1)}; });
  fill(edges, at(n), at(3 * n), threads, [&](u64 i) { return uniform_pair(random, i, n); });
  return edges;
}

#define LB_INSTANTIATE(Id)                                   \
  template Edges<Id> gnm<Id>(u64, i64, u64, int);            \
  template Edges<Id> gnm_parts<Id>(u64, i64, i64, u64, int); \
  template Edges<Id> gnp<Id>(u64, double, u64, int);         \
  template Edges<Id> uniform<Id>(u64, i64, u64, int);        \
  template Edges<Id> r4<Id>(u64, u64, int);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

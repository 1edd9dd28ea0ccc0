#include "forest.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "edge_batches.hpp"
#include "error.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

// Words of the bitmap a thread takes at a time: 2^15 edges.
constexpr i64 chunk_words = 512;
// Words of the bitmap whose rows are looked up together: 2^12 edges.
constexpr i64 block_words = 64;
static_assert(chunk_words % block_words == 0);
// Words of the bitmap of which an edge is compared.
constexpr i64 sampled_words = 256;

// A block of the bitmap: words [begin, end), with `count` edges in them, before[i] of these before word begin + i.
struct Block {
  i64 begin, end;
  i64 before[block_words];
  i64 count = 0;
};

// The rows of the arcs in ascending blocks of the bitmap. A row is not searched for arc by arc: the arcs before its end
// are counted, and its number is written so often, four times at once and seldom more, without a branch on how often.
template <class Id, class Offsets>
class RowsOfArcs {
 public:
  RowsOfArcs(const Offsets& offsets, i64 vertices) : offsets_(offsets), vertices_(vertices) {}

  // For a block that is not empty.
  void operator()(const EdgeBitmap& bitmap, const Block& block, Id* rows) {
#if defined(__x86_64__)
    if (counts_bits_) return write_counting(bitmap, block, rows);
#endif
    write(bitmap, block, rows, [](u64 word) { return bit_count(word); });
  }

 private:
#if defined(__x86_64__)
  // The same by the instruction that counts bits, which the baseline does not have.
  __attribute__((target("popcnt"))) void write_counting(const EdgeBitmap& bitmap, const Block& block, Id* rows) {
    write(bitmap, block, rows,
          [](u64 word) __attribute__((target("popcnt"))) { return static_cast<i64>(__builtin_popcountll(word)); });
  }
  const bool counts_bits_ = __builtin_cpu_supports("popcnt") != 0;
#endif

  template <class Count>
  [[gnu::always_inline]] void write(const EdgeBitmap& bitmap, const Block& block, Id* rows, const Count& count) {
    const i64 first_arc = block.begin * 64;
    const Offsets offsets = offsets_;  // no store of an id can change a copy
    const i64 vertices = vertices_;
    i64 row = row_ < 0 ? row_at(offsets, vertices, first_arc) : row_;
    while (row + 1 < vertices && static_cast<i64>(offsets[row + 1]) <= first_arc) ++row;
    Id out[block_words * 64 + stride];
    for (i64 filled = 0;; ++row) {
      const i64 next = std::max(first_arc, static_cast<i64>(offsets[row + 1]));
      const i64 word = next >> 6;
      const bool last = word >= block.end;
      const u64 below = (u64{1} << (next & 63)) - 1;
      const i64 upto = last ? block.count : block.before[word - block.begin] + count(bitmap.word(word) & below);
      for (i64 k = 0; k < stride; ++k) out[filled + k] = static_cast<Id>(row);
      for (i64 k = filled + stride; k < upto; ++k) out[k] = static_cast<Id>(row);
      filled = upto;
      if (last || row + 1 == vertices) {
        for (i64 k = filled; k < block.count; ++k) out[k] = static_cast<Id>(row);
        break;
      }
    }
    row_ = row;
    std::copy(out, out + block.count, rows);
  }

  static constexpr i64 stride = 4;
  const Offsets offsets_;
  i64 vertices_;
  i64 row_ = -1;  // the row that the next block begins in
};

std::size_t chunk_of(i64 word) { return static_cast<std::size_t>(word / chunk_words); }

// How many edges lie before each chunk of the bitmap; the last element is the number of all edges.
std::vector<i64> edges_before_chunks(const EdgeBitmap& bitmap, int threads) {
  std::vector<i64> first(chunk_of(bitmap.words() + chunk_words - 1) + 1, 0);
  parallel_for(bitmap.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
    i64 count = 0;
    for (i64 i = b; i < e; ++i) count += bit_count(bitmap.word(i));
    first[chunk_of(b)] = count;
  });
  i64 total = 0;
  for (auto& f : first) {
    const i64 count = f;
    f = total;
    total += count;
  }
  return first;
}

// Writes the positions of the edges in [begin, end) of the bitmap's words, and returns how many there are.
i64 write_positions(const EdgeBitmap& bitmap, i64 begin, i64 end, i64* edge) {
  i64 count = 0;
  for (i64 i = begin; i < end; ++i) {
    u64 word = bitmap.word(i);
    if (word == ~u64{0}) {
      for (i64 k = 0; k < 64; ++k) edge[count + k] = i * 64 + k;
      count += 64;
      continue;
    }
    for (; word != 0; word &= word - 1) edge[count++] = i * 64 + std::countr_zero(word);
  }
  return count;
}

// Whether all edges of some words are in the forest, as in a path or a star.
bool all_edges(const EdgeBitmap& bitmap, i64 begin, i64 end) {
  u64 in_all = ~u64{0};
  for (i64 i = begin; i < end; ++i) in_all &= bitmap.word(i);
  return in_all == ~u64{0};
}

// Writes the endpoints block by block: where the edges are, then the endpoints at these places, so that no load waits
// for another. second[i * stride] is the second endpoint of edge i, Stride an integer or a constant; a copy of `first`
// serves each chunk, and first(block, edge, u) writes the first endpoints of a block, edge(k) being the k-th edge.
template <class Id, class First, class Second, class Stride>
void collect(const EdgeBitmap& bitmap, int threads, const std::vector<i64>& before, const First& first,
             const Second& second, Stride stride, Endpoints<Id>& out) {
  parallel_for(bitmap.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
    auto first_of = first;
    const Second second_of = second;
    const Stride step = stride;
    auto at = static_cast<std::size_t>(before[chunk_of(b)]);
    i64 edge[block_words * 64];
    for (i64 begin = b; begin < e; begin += block_words) {
      Block block;
      block.begin = begin;
      block.end = std::min(e, begin + block_words);
      const auto write = [&](const auto& edge_at) {
        Id* const v = out.v.data() + at;
        for (i64 k = 0; k < block.count; ++k) v[k] = static_cast<Id>(second_of.unbounded(edge_at(k) * step));
        bound_ids(v, block.count, static_cast<Id>(second_of.last));
        first_of(block, edge_at, out.u.data() + at);
      };
      if (all_edges(bitmap, begin, block.end)) {
        for (i64 i = begin; i < block.end; ++i) block.before[i - begin] = (i - begin) * 64;
        block.count = (block.end - begin) * 64;
        write([first_edge = begin * 64](i64 k) { return first_edge + k; });
      } else {
        for (i64 i = begin; i < block.end; ++i) {
          block.before[i - begin] = block.count;
          block.count += write_positions(bitmap, i, i + 1, edge + block.count);
        }
        if (block.count > 0) write([&edge](i64 k) { return edge[k]; });
      }
      at += static_cast<std::size_t>(block.count);
    }
  });
}

// Calls f(a, b) with the endpoint arrays of a COO edge list as Bounded.
template <class F>
void with_pairs(const GraphView& graph, const F& f) {
  with_id(graph.a.width, [&]<class T>() {
    const auto bounded = [](const IdArray& ids) {
      return Bounded<T>{ids.as<T>(), static_cast<T>(std::min<u64>(ids.last, none<T>))};
    };
    f(bounded(graph.a), bounded(graph.b));
  });
}

}  // namespace

EdgeBitmap::EdgeBitmap(i64 edges, int threads) : words_(static_cast<std::size_t>((edges + 63) / 64)) {
  parallel_for(words(), i64{1} << 16, threads,
               [&](i64 b, i64 e, int) { std::fill(words_.data() + b, words_.data() + e, u64{0}); });
}

ForestBits::ForestBits(EdgeBitmap bitmap, int threads)
    : bitmap_(std::move(bitmap)), before_(edges_before_chunks(bitmap_, threads)) {}

Buffer<i64> ForestBits::positions(int threads) const {
  Buffer<i64> out(static_cast<std::size_t>(count()));
  parallel_for(bitmap_.words(), chunk_words, threads,
               [&](i64 b, i64 e, int) { write_positions(bitmap_, b, e, out.data() + before_[chunk_of(b)]); });
  return out;
}

template <class Id>
Endpoints<Id> ForestBits::endpoints(const GraphView& graph, int threads) const {
  if ((graph.arcs + 63) / 64 != bitmap_.words()) throw InputError("a forest of a graph of another number of edges");
  const auto size = static_cast<std::size_t>(count());
  Endpoints<Id> out{Buffer<Id>(size), Buffer<Id>(size)};
  if (graph.csr) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      using Offsets = std::remove_cvref_t<decltype(offsets)>;
      const auto rows = [lookup = RowsOfArcs<Id, Offsets>(offsets, graph.vertices), this](
                            const Block& block, const auto&, Id* u) mutable { lookup(bitmap_, block, u); };
      collect(bitmap_, threads, before_, rows, neighbors, std::integral_constant<i64, 1>(), out);
    });
  } else {
    with_pairs(graph, [&](const auto& a, const auto& b) {
      const auto collect_at = [&](auto stride_of_a, auto stride_of_b) {
        const auto firsts = [a, stride_of_a](const Block& block, const auto& edge, Id* u) {
          for (i64 k = 0; k < block.count; ++k) u[k] = static_cast<Id>(a.unbounded(edge(k) * stride_of_a));
          bound_ids(u, block.count, static_cast<Id>(a.last));
        };
        collect(bitmap_, threads, before_, firsts, b, stride_of_b, out);
      };
      constexpr std::integral_constant<i64, 1> adjacent;
      if (graph.a.stride == 1 && graph.b.stride == 1)
        collect_at(adjacent, adjacent);
      else
        collect_at(graph.a.stride, graph.b.stride);
    });
  }
  return out;
}

u64 ForestBits::sample(const GraphView& graph) const {
  u64 digest = count();
  const auto add = [&](u64 value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 29;
  };
  if (graph.csr) {
    const i64 offsets = std::min(graph.vertices, sampled_words);
    for (i64 i = 1; i <= offsets; ++i) add(static_cast<u64>(graph.row_begin(graph.vertices / offsets * i)));
  }
  const i64 words = std::min(bitmap_.words(), sampled_words);
  for (i64 i = 0; i < words; ++i) {
    const i64 word = bitmap_.words() / words * i;
    if (bitmap_.word(word) == 0) continue;
    const i64 edge = word * 64 + std::countr_zero(bitmap_.word(word));
    if (graph.csr) {
      with_csr(graph, [&](const auto&, const auto& neighbors) { add(static_cast<u64>(neighbors[edge])); });
    } else {
      with_pairs(graph, [&](const auto& a, const auto& b) {
        add(static_cast<u64>(a[edge * graph.a.stride]));
        add(static_cast<u64>(b[edge * graph.b.stride]));
      });
    }
  }
  return digest;
}

#define LB_INSTANTIATE(Id) template Endpoints<Id> ForestBits::endpoints<Id>(const GraphView&, int) const;
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

#include "forest.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "bits.hpp"
#include "edge_batches.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

// Words of the bitmap a thread takes at a time: 2^15 edges.
constexpr i64 chunk_words = 512;
// Words of the bitmap whose rows are looked up together: 2^12 edges.
constexpr i64 block_words = 64;
static_assert(chunk_words % block_words == 0);

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
      const i64 upto = last ? block.count : block.before[word - block.begin] + bit_count(bitmap.word(word) & below);
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

 private:
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

// Writes the edges block by block: where they are, then the endpoints at these places, so that no load waits for
// another. second[i * stride] is the second endpoint of edge i, Stride an integer or a constant; a copy of `first`
// serves each chunk, and first(block, edge, u) writes the first endpoints of a block.
template <class Id, class First, class Second, class Stride>
void collect(const EdgeBitmap& bitmap, int threads, const std::vector<i64>& before, const First& first,
             const Second& second, Stride stride, TreeEdges<Id>& out) {
  parallel_for(bitmap.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
    auto first_of = first;
    const Second second_of = second;
    const Stride step = stride;
    auto at = static_cast<std::size_t>(before[chunk_of(b)]);
    for (i64 begin = b; begin < e; begin += block_words) {
      Block block;
      block.begin = begin;
      block.end = std::min(e, begin + block_words);
      i64* const edge = out.edge.data() + at;
      i64 count = 0;
      for (i64 i = begin; i < block.end; ++i) {
        block.before[i - begin] = count;
        for (u64 word = bitmap.word(i); word != 0; word &= word - 1) edge[count++] = i * 64 + std::countr_zero(word);
      }
      if (count == 0) continue;
      block.count = count;
      Id* const v = out.v.data() + at;
      for (i64 k = 0; k < count; ++k) v[k] = static_cast<Id>(second_of.unbounded(edge[k] * step));
      bound_ids(v, count, static_cast<Id>(second_of.last));
      first_of(block, edge, out.u.data() + at);
      at += static_cast<std::size_t>(count);
    }
  });
}

}  // namespace

EdgeBitmap::EdgeBitmap(i64 edges, int threads) : words_(static_cast<std::size_t>((edges + 63) / 64)) {
  parallel_for(words(), i64{1} << 16, threads,
               [&](i64 b, i64 e, int) { std::fill(words_.data() + b, words_.data() + e, u64{0}); });
}

template <class Id>
TreeEdges<Id> tree_edges(const GraphView& graph, const EdgeBitmap& bitmap, int threads) {
  const std::vector<i64> before = edges_before_chunks(bitmap, threads);
  const auto size = static_cast<std::size_t>(before.back());
  TreeEdges<Id> out{Buffer<Id>(size), Buffer<Id>(size), Buffer<i64>(size)};
  if (graph.csr) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      using Offsets = std::remove_cvref_t<decltype(offsets)>;
      const auto rows = [lookup = RowsOfArcs<Id, Offsets>(offsets, graph.vertices), &bitmap](
                            const Block& block, const i64*, Id* u) mutable { lookup(bitmap, block, u); };
      collect(bitmap, threads, before, rows, neighbors, std::integral_constant<i64, 1>(), out);
    });
  } else {
    with_id(graph.a.width, [&]<class T>() {
      const auto bounded = [](const IdArray& ids) {
        return Bounded<T>{ids.as<T>(), static_cast<T>(std::min<u64>(ids.last, none<T>))};
      };
      const auto endpoints = [a = bounded(graph.a), stride = graph.a.stride](const Block& block, const i64* edge,
                                                                             Id* u) {
        for (i64 k = 0; k < block.count; ++k) u[k] = static_cast<Id>(a[edge[k] * stride]);
      };
      collect(bitmap, threads, before, endpoints, bounded(graph.b), graph.b.stride, out);
    });
  }
  return out;
}

#define LB_INSTANTIATE(Id) template TreeEdges<Id> tree_edges<Id>(const GraphView&, const EdgeBitmap&, int);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

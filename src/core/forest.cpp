#include "forest.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "edge_batches.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

// Words of marks a thread takes at a time: 2^15 edges.
constexpr i64 chunk_words = 512;
// Words of marks whose rows are found together: 2^12 edges.
constexpr i64 block_words = 64;
static_assert(chunk_words % block_words == 0);

// Bits set in a word: arithmetic, where a processor that has an instruction for it cannot be taken for granted.
i64 ones(u64 x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<i64>(x * 0x0101010101010101u >> 56);
}

// The row of each marked arc of ascending blocks of words. A row is not searched for arc by arc: how many marks lie
// before its end is counted, and its number is written so often, four times at once and seldom more, without a branch
// on how often.
template <class Id, class Offset>
class RowsOfMarks {
 public:
  RowsOfMarks(const Offset* offsets, i64 vertices) : offsets_(offsets), vertices_(vertices) {}

  // Words [begin, end) of the marks; there are `count` > 0 marks in them, before[i] of them before word begin + i.
  void operator()(const MarkBits& bits, i64 begin, i64 end, const i64* before, i64 count, Id* rows) {
    if (row_ < 0)
      row_ = std::upper_bound(offsets_, offsets_ + vertices_ + 1, static_cast<Offset>(begin * 64)) - offsets_ - 1;
    while (static_cast<i64>(offsets_[row_ + 1]) <= begin * 64) ++row_;
    Id out[block_words * 64 + at_once];
    i64 row = row_;
    for (i64 done = 0;; ++row) {
      const i64 next = static_cast<i64>(offsets_[row + 1]);
      const i64 word = next >> 6;
      const bool last = word >= end;
      const i64 upto = last ? count : before[word - begin] + ones(bits.word(word) & ((u64{1} << (next & 63)) - 1));
      for (i64 k = 0; k < at_once; ++k) out[done + k] = static_cast<Id>(row);
      for (i64 k = done + at_once; k < upto; ++k) out[k] = static_cast<Id>(row);
      done = upto;
      if (last || row + 1 == vertices_) break;
    }
    row_ = row;
    std::copy(out, out + count, rows);
  }

 private:
  static constexpr i64 at_once = 4;
  const Offset* offsets_;
  i64 vertices_;
  i64 row_ = -1;  // the row that the next block begins in
};

}  // namespace

MarkBits::MarkBits(i64 edges, int threads) : words_(static_cast<std::size_t>((edges + 63) / 64)) {
  parallel_for(words(), i64{1} << 16, threads,
               [&](i64 b, i64 e, int) { std::fill(words_.data() + b, words_.data() + e, u64{0}); });
}

template <class Id>
TreeEdges<Id> marked_edges(const GraphView& graph, const MarkBits& bits, int threads) {
  std::vector<i64> first(static_cast<std::size_t>((bits.words() + chunk_words - 1) / chunk_words));
  const auto chunk_of = [](i64 word) { return static_cast<std::size_t>(word / chunk_words); };
  parallel_for(bits.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
    i64 here = 0;
    for (i64 i = b; i < e; ++i) here += ones(bits.word(i));
    first[chunk_of(b)] = here;
  });
  i64 total = 0;
  for (auto& f : first) {
    const i64 here = f;
    f = total;
    total += here;
  }
  const auto size = static_cast<std::size_t>(total);
  TreeEdges<Id> out{Buffer<Id>(size), Buffer<Id>(size), Buffer<i64>(size)};
  // Block by block: where the marks are, then what there is at these places, so that no load waits for another.
  const auto collect = [&](const auto& first_ends, const auto* second_ends, i64 stride) {
    parallel_for(bits.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
      auto ends_of = first_ends;
      auto at = static_cast<std::size_t>(first[chunk_of(b)]);
      for (i64 begin = b; begin < e; begin += block_words) {
        const i64 end = std::min(e, begin + block_words);
        i64* const edge = out.edge.data() + at;
        i64 before[block_words];
        i64 count = 0;
        for (i64 i = begin; i < end; ++i) {
          before[i - begin] = count;
          for (u64 word = bits.word(i); word != 0; word &= word - 1) edge[count++] = i * 64 + std::countr_zero(word);
        }
        if (count == 0) continue;
        for (i64 k = 0; k < count; ++k)
          out.v[at + static_cast<std::size_t>(k)] = static_cast<Id>(second_ends[edge[k] * stride]);
        ends_of(begin, end, before, count, edge, out.u.data() + at);
        at += static_cast<std::size_t>(count);
      }
    });
  };
  if (graph.rows) {
    with_row_types(graph, [&](const auto* offsets, const auto* neighbors) {
      using Offset = std::remove_cvref_t<decltype(*offsets)>;
      const auto rows = [finder = RowsOfMarks<Id, Offset>(offsets, graph.vertices), &bits](
                            i64 begin, i64 end, const i64* before, i64 count, const i64*, Id* u) mutable {
        finder(bits, begin, end, before, count, u);
      };
      collect(rows, neighbors, 1);
    });
  } else {
    const auto with = [&]<class T>() {
      const T* const a = graph.a.as<T>();
      const auto ends = [&, a](i64, i64, const i64*, i64 count, const i64* edge, Id* u) {
        for (i64 k = 0; k < count; ++k) u[k] = static_cast<Id>(a[edge[k] * graph.a.stride]);
      };
      collect(ends, graph.b.as<T>(), graph.b.stride);
    };
    if (graph.a.width == IdWidth::wide)
      with.template operator()<u64>();
    else
      with.template operator()<u32>();
  }
  return out;
}

template TreeEdges<u32> marked_edges<u32>(const GraphView&, const MarkBits&, int);
template TreeEdges<u64> marked_edges<u64>(const GraphView&, const MarkBits&, int);

}  // namespace lb::core

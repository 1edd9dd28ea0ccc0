#include "forest.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "threads.hpp"

namespace lb::core {
namespace {

// Words of marks a thread takes at a time: 2^15 edges.
constexpr i64 chunk_words = 512;

// The row of each of ascending arcs: the first is searched for, the others are walked to.
template <class Offset>
class RowOf {
 public:
  RowOf(const Offset* offsets, i64 vertices) : offsets_(offsets), vertices_(vertices) {}
  i64 operator()(i64 arc) {
    if (row_ < 0) row_ = std::upper_bound(offsets_, offsets_ + vertices_ + 1, static_cast<Offset>(arc)) - offsets_ - 1;
    while (static_cast<i64>(offsets_[row_ + 1]) <= arc) ++row_;
    return row_;
  }

 private:
  const Offset* offsets_;
  i64 vertices_;
  i64 row_ = -1;
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
    for (i64 i = b; i < e; ++i) here += std::popcount(bits.word(i));
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
  const auto collect = [&](const auto& ends_of) {
    parallel_for(bits.words(), chunk_words, threads, [&](i64 b, i64 e, int) {
      auto ends = ends_of;
      auto at = static_cast<std::size_t>(first[chunk_of(b)]);
      for (i64 i = b; i < e; ++i) {
        for (u64 word = bits.word(i); word != 0; word &= word - 1, ++at) {
          const i64 edge = i * 64 + std::countr_zero(word);
          out.edge[at] = edge;
          out.u[at] = static_cast<Id>(ends(edge));
          out.v[at] = static_cast<Id>(graph.rows ? graph.a[edge] : graph.b[edge]);
        }
      }
    });
  };
  if (!graph.rows) collect([&](i64 edge) { return graph.a[edge]; });
  else if (graph.offsets.wide) collect(RowOf<i64>(graph.offsets.as<i64>(), graph.vertices));
  else collect(RowOf<i32>(graph.offsets.as<i32>(), graph.vertices));
  return out;
}

template TreeEdges<u32> marked_edges<u32>(const GraphView&, const MarkBits&, int);
template TreeEdges<u64> marked_edges<u64>(const GraphView&, const MarkBits&, int);

}  // namespace lb::core

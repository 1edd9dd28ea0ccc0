// Streams by algorithms in rounds. A batch of inserts is relabelled by the roots of its ends, and rounds run over these
// pairs and the roots they name until one changes nothing: an earlier edge is never looked at again, because only roots
// are ever told anything, and a batch costs what it holds, not what the stream does.
#pragma once
#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#include "edge_buffer.hpp"
#include "graph.hpp"
#include "landbridge/phase/round.hpp"
#include "landbridge/phase/vertex.hpp"
#include "memory.hpp"
#include "stream.hpp"
#include "threads.hpp"

namespace lb::core {

// The edges of a batch as they were given: what a stream keeps of those that cost roots their places.
struct Given {
  const IdArray &u, &v;
  u64 first;  // operation i of the batch has the position at[i], or first + i where `at` is null
  const u64* at;
  u64 position(i64 i) const { return at == nullptr ? first + static_cast<u64>(i) : at[i]; }
};

// A root-based choice of words of a row of axis round as streams run it. Between batches Cells::aux holds `none` for
// every vertex; in one it is Labels::old of the roots that the batch names.
//   kernel   of its functions there is none that inserts
//   connect  tells the ends of pairs; true if a label fell
//   claim    after that: owner[r] becomes the edge that cost root r its place; pair i was the operation at[i] of the
//   batch pass     over some vertices, each in one call; true if a label fell
template <class Id>
struct StreamRounds {
  StreamKernel<Id> kernel;
  std::vector<std::string_view> words;
  bool rewrites;
  bool (*connect)(const Cells<Id>&, const Id* u, const Id* v, i64 count);
  void (*claim)(const Cells<Id>&, const Id* u, const Id* v, i64 count, const i64* at, const Given&,
                cpu::StreamEdge<Id>* owner);
  bool (*pass)(const Cells<Id>&, const Id* vertices, i64 count);
};

// The rounds of that name with these words; null if there are none that streams run.
template <class Id>
const StreamRounds<Id>* find_stream_rounds(std::string_view name, const std::vector<std::string_view>& words);

// The pairs of a group of inserts, and the roots they name.
template <class Id>
class RoundGroup {
 public:
  using Rule = StreamRounds<Id>;
  using Cell = SharedMemory<Id>;

  // Room for groups of up to `most` inserts.
  RoundGroup(i64 most, int threads)
      : most_(most),
        threads_(threads),
        pairs_(most, threads),
        roots_(static_cast<std::size_t>(2 * most)),
        counts_(static_cast<std::size_t>((most + cpu::chunk_arcs - 1) / cpu::chunk_arcs)) {}
  i64 most() const { return most_; }

  // Inserts the operations [begin, end) that are no queries (is_query null: all); nobody else uses the cells. With
  // `owner` the edges that make links are kept. Returns how many links that took.
  i64 insert(const Rule& rule, const Cells<Id>& cells, const Given& given, const u8* is_query, i64 begin, i64 end,
             cpu::StreamEdge<Id>* owner) {
    relabel(cells, given, is_query, begin, end);
    const round::Labels<Cell> labels{Cell(cells.parent), Cell(cells.aux)};
    for (;;) {
      std::atomic<bool> fell{false};
      const auto tell = [&](bool some) {
        if (some) fell.store(true, std::memory_order_relaxed);
      };
      pairs_.each([&](const Id* u, const Id* v, i64 count, const i64*) { tell(rule.connect(cells, u, v, count)); });
      if (owner != nullptr && fell.load(std::memory_order_relaxed)) {
        pairs_.each([&](const Id* u, const Id* v, i64 count, const i64* at) {
          rule.claim(cells, u, v, count, at, given, owner);
        });
      }
      each_root([&](const Id* roots, i64 count) { tell(rule.pass(cells, roots, count)); });
      if (!fell.load(std::memory_order_relaxed)) break;
      if (rule.rewrites && !pairs_.thin_out([&](Id& u, Id& v) { return phase::rewrite(labels, u, v); })) break;
    }
    std::atomic<i64> links{0};
    each_root([&](const Id* roots, i64 count) {
      i64 some = 0;
      for (i64 i = 0; i < count; ++i) {
        some += phase::compress(labels.now, roots[i]) != roots[i];
        labels.old.store(roots[i], none<Id>);
      }
      links.fetch_add(some, std::memory_order_relaxed);
    });
    return links.load(std::memory_order_relaxed);
  }

 private:
  // The pairs of roots, and each root once: with itself in `aux`, as before every round.
  void relabel(const Cells<Id>& cells, const Given& given, const u8* is_query, i64 begin, i64 end) {
    chunks_ = (end - begin + cpu::chunk_arcs - 1) / cpu::chunk_arcs;
    std::fill_n(counts_.begin(), chunks_, i64{0});
    const Cell parent(cells.parent), old(cells.aux);
    pairs_.load(
        end - begin,
        [&](i64 i) {
          const i64 operation = begin + i;
          if (is_query != nullptr && is_query[operation] != 0) return std::pair{Id{0}, Id{0}};
          const Id u = phase::compress(parent, static_cast<Id>(given.u[operation]));
          const Id v = phase::compress(parent, static_cast<Id>(given.v[operation]));
          const auto list = [&](Id root) {
            if (old.load(root) != none<Id> || old.compare_exchange(root, none<Id>, root) != none<Id>) return;
            const i64 chunk = i / cpu::chunk_arcs;
            roots_[static_cast<std::size_t>(2 * chunk * cpu::chunk_arcs + counts_[static_cast<std::size_t>(chunk)]++)] =
                root;
          };
          if (u != v) list(u), list(v);
          return std::pair{u, v};
        },
        begin);
  }

  // body(roots, count), each root in one call.
  template <class Body>
  void each_root(const Body& body) const {
    parallel_for(chunks_, 1, threads_, [&](i64 b, i64 e, int) {
      for (i64 c = b; c < e; ++c) body(roots_.data() + 2 * c * cpu::chunk_arcs, counts_[static_cast<std::size_t>(c)]);
    });
  }

  const i64 most_;
  const int threads_;
  EdgeBuffer<Id, true> pairs_;
  Buffer<Id> roots_;  // of the pairs of a chunk, from twice its beginning on
  std::vector<i64> counts_;
  i64 chunks_ = 0;
};

}  // namespace lb::core

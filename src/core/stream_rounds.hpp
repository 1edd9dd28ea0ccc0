// Streams by algorithms in rounds. A batch of inserts is relabelled by the roots of its endpoints, and rounds run over
// these pairs and the roots they name until one changes nothing: earlier edges take no part, because only roots change
// their labels, and a batch costs what it holds, not what the stream does.
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
#include "stream_operations.hpp"
#include "threads.hpp"

namespace lb::core {

// A batch and where its operations stand in the stream: what link edges are written from.
struct PlacedBatch {
  const Operations& batch;
  const Positions& positions;
};

// A root-based choice of words of a row of axis round as streams run it. Between batches Cells::aux holds `none` for
// every vertex; in one it is Labels::old of the roots that the batch names.
//   kernel   of its functions there is none that inserts
//   connect  propagates labels between the endpoints of pairs; true if a label changed
//   claim    after that: link_edges[r] becomes the edge that made root r a child; pair i was operation[i] of the batch
//   pass     over some vertices, each in one call; true if a label changed
template <class Id>
struct StreamRounds {
  StreamKernel<Id> kernel;
  std::vector<std::string_view> words;
  bool rewrites;
  bool (*connect)(const Cells<Id>&, const Id* u, const Id* v, i64 count);
  void (*claim)(const Cells<Id>&, const Id* u, const Id* v, i64 count, const i64* operation, const PlacedBatch&,
                cpu::StreamEdge<Id>* link_edges);
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

  // Inserts the operations of a range that are no queries (is_query null: all); no other call uses the cells. With
  // `link_edges` the edges that make links are written there. Returns how many links that took.
  i64 insert(const Rule& rule, const Cells<Id>& cells, const PlacedBatch& source, Range range,
             cpu::StreamEdge<Id>* link_edges) {
    relabel(cells, source.batch, range);
    run_rounds(rule, cells, source, link_edges);
    return release_roots(cells);
  }

 private:
  // The pairs of roots, and each root once: with itself in `aux`, as before every round.
  void relabel(const Cells<Id>& cells, const Operations& batch, Range range) {
    chunks_ = (range.size() + cpu::chunk_arcs - 1) / cpu::chunk_arcs;
    std::fill_n(counts_.begin(), chunks_, i64{0});
    const Cell parent(cells.parent), old(cells.aux);
    pairs_.load(
        range.size(),
        [&](i64 i) {
          const i64 operation = range.begin + i;
          if (batch.is_query != nullptr && batch.is_query[operation] != 0) return std::pair{Id{0}, Id{0}};
          const Id u = phase::compress(parent, static_cast<Id>(batch.u[operation]));
          const Id v = phase::compress(parent, static_cast<Id>(batch.v[operation]));
          const auto list = [&](Id root) {
            if (old.load(root) != none<Id> || old.compare_exchange(root, none<Id>, root) != none<Id>) return;
            const i64 chunk = i / cpu::chunk_arcs;
            roots_[static_cast<std::size_t>(2 * chunk * cpu::chunk_arcs + counts_[static_cast<std::size_t>(chunk)]++)] =
                root;
          };
          if (u != v) list(u), list(v);
          return std::pair{u, v};
        },
        range.begin);
  }

  void run_rounds(const Rule& rule, const Cells<Id>& cells, const PlacedBatch& source,
                  cpu::StreamEdge<Id>* link_edges) {
    const round::Labels<Cell> labels{Cell(cells.parent), Cell(cells.aux)};
    for (;;) {
      std::atomic<bool> changed{false};
      const auto report = [&](bool some) {
        if (some) changed.store(true, std::memory_order_relaxed);
      };
      pairs_.each([&](const Id* u, const Id* v, i64 count, const i64*) { report(rule.connect(cells, u, v, count)); });
      if (link_edges != nullptr && changed.load(std::memory_order_relaxed)) {
        pairs_.each([&](const Id* u, const Id* v, i64 count, const i64* operation) {
          rule.claim(cells, u, v, count, operation, source, link_edges);
        });
      }
      each_root([&](const Id* roots, i64 count) { report(rule.pass(cells, roots, count)); });
      if (!changed.load(std::memory_order_relaxed)) break;
      if (rule.rewrites && !pairs_.thin_out([&](Id& u, Id& v) { return phase::rewrite(labels, u, v); })) break;
    }
  }

  // Empties the auxiliary cells; how many roots became children.
  i64 release_roots(const Cells<Id>& cells) {
    const Cell parent(cells.parent), old(cells.aux);
    std::atomic<i64> links{0};
    each_root([&](const Id* roots, i64 count) {
      i64 some = 0;
      for (i64 i = 0; i < count; ++i) {
        some += phase::compress(parent, roots[i]) != roots[i];
        old.store(roots[i], none<Id>);
      }
      links.fetch_add(some, std::memory_order_relaxed);
    });
    return links.load(std::memory_order_relaxed);
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

#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "edge_batches.hpp"
#include "extremes.hpp"
#include "interrupt.hpp"
#include "landbridge/phase/search.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "standalone.hpp"
#include "threads.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

using WordBits = phase::Bits<SharedMemory<u64>>;

// A set of vertices in memory of its own.
class VertexSet {
 public:
  VertexSet(i64 vertices, int threads) : words_(static_cast<std::size_t>((vertices + 63) / 64)), threads_(threads) {
    clear();
  }
  void clear() {
    parallel_for(static_cast<i64>(words_.size()), i64{1} << 16, threads_,
                 [&](i64 b, i64 e, int) { std::fill(words_.data() + b, words_.data() + e, u64{0}); });
  }
  WordBits bits() { return {SharedMemory<u64>(words_.data())}; }
  void add_all(const VertexSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  Buffer<u64> words_;
  int threads_;
};

// A frontier, and the vertices of the next one, a list for each worker.
template <class Id>
class Frontier {
 public:
  explicit Frontier(int threads) : next_(static_cast<std::size_t>(std::max(1, threads))) {}
  std::vector<Id> current;
  std::vector<Id>& next(int worker) { return next_[static_cast<std::size_t>(worker)]; }
  void advance() {
    current.clear();
    for (auto& list : next_) {
      current.insert(current.end(), list.begin(), list.end());
      list.clear();
    }
  }

 private:
  std::vector<std::vector<Id>> next_;
};

constexpr i64 frontier_chunk = 64;

// Adds the arc over which a vertex was reached.
template <class O>
void add_tree_edge(const EdgeBits& tree_edges, O arc) {
  if (tree_edges) AtomicEdgeSet<SharedMemory>{tree_edges}.add(static_cast<u64>(arc));
}

// A search over one set of visited vertices, to be started from several sources.
template <class Id>
class Search {
 public:
  Search(const GraphView& graph, Id* parent, const EdgeBits& tree_edges, int threads)
      : graph_(graph),
        owner_(parent),
        tree_edges_(tree_edges),
        visited_(graph.vertices, threads),
        frontier_(threads),
        threads_(threads) {}

  bool visited(i64 v) { return visited_.bits().test(static_cast<u64>(v)); }

  // Stores `source` in the cell of everything reached, and returns the smallest vertex reached.
  Id run(Id source) {
    smallest_.store(source, std::memory_order_relaxed);
    visited_.bits().add(source);
    owner_.store(source, source);
    frontier_.current.assign(1, source);
    with_csr(graph_, [&](const auto& offsets, const auto& neighbors) {
      while (!frontier_.current.empty()) {
        i64 arcs = 0;
        for (const Id x : frontier_.current) arcs += static_cast<i64>(offsets[x + 1]) - static_cast<i64>(offsets[x]);
        if (arcs > graph_.arcs / frontier_share) {
          pull(offsets, neighbors, source);
          return;
        }
        push(offsets, neighbors, source, arcs);
        frontier_.advance();
      }
    });
    return smallest_.load(std::memory_order_relaxed);
  }

 private:
  template <class Offsets, class Neighbors>
  void push(const Offsets& offsets, const Neighbors& neighbors, Id source, i64 arcs) {
    const auto bits = visited_.bits();
    const auto& current = frontier_.current;
    parallel_for(static_cast<i64>(current.size()), frontier_chunk, arcs < 4096 ? 1 : threads_,
                 [&](i64 b, i64 e, int w) {
                   const Offsets row_begin = offsets;  // copies, which no store of an id can change
                   const Neighbors ids = neighbors;
                   auto& next = frontier_.next(w);
                   Id low = none<Id>;
                   for (i64 i = b; i < e; ++i) {
                     const Id x = current[static_cast<std::size_t>(i)];
                     if (i + 2 * cpu::rows_ahead < e) {
                       row_begin.prefetch(current[static_cast<std::size_t>(i + 2 * cpu::rows_ahead)]);
                       const Id next_x = current[static_cast<std::size_t>(i + cpu::rows_ahead)];
                       ids.prefetch(static_cast<i64>(row_begin.unbounded(next_x)));
                     }
                     for (auto a = row_begin[x], end = row_begin[x + 1]; a < end; ++a) {
                       const Id y = static_cast<Id>(ids[a]);
                       if (phase::push_arc(owner_, bits, y, source)) {
                         add_tree_edge(tree_edges_, a);
                         next.push_back(y);
                         low = std::min(low, y);
                       }
                     }
                   }
                   lower_to(smallest_, low);
                 });
  }

  // Unvisited vertices look for a neighbour visited before this level, until a level adds nothing. A search does not
  // return to pushing: the frontier was large, and a few sweeps reach what remains.
  template <class Offsets, class Neighbors>
  void pull(const Offsets& offsets, const Neighbors& neighbors, Id source) {
    VertexSet added(graph_.vertices, threads_);
    for (bool grew = true; grew;) {
      std::atomic<bool> any{false};
      const auto old = visited_.bits();
      const auto fresh = added.bits();
      parallel_for(graph_.vertices, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
        const Offsets row_begin = offsets;
        const Neighbors ids = neighbors;
        Id low = none<Id>;
        for (i64 x = b; x < e; ++x) {
          if (old.test(static_cast<u64>(x))) continue;
          for (auto a = row_begin[x], end = row_begin[x + 1]; a < end; ++a) {
            if (!old.test(static_cast<u64>(ids[a]))) continue;
            fresh.add(static_cast<u64>(x));
            owner_.store(static_cast<Id>(x), source);
            add_tree_edge(tree_edges_, a);
            low = std::min(low, static_cast<Id>(x));
            break;
          }
        }
        if (low != none<Id>) {
          any.store(true, std::memory_order_relaxed);
          lower_to(smallest_, low);
        }
      });
      grew = any.load(std::memory_order_relaxed);
      visited_.add_all(added);
    }
    frontier_.current.clear();
  }

  const GraphView& graph_;
  SharedMemory<Id> owner_;
  const EdgeBits& tree_edges_;
  VertexSet visited_;
  Frontier<Id> frontier_;
  std::atomic<Id> smallest_{0};
  int threads_;
};

}  // namespace

template <class Id>
Id bfs_star(const GraphView& graph, Id source, Id* parent, int threads, const EdgeBits& tree_edges) {
  make_singletons(parent, graph.vertices, threads);
  Search<Id> search(graph, parent, tree_edges, threads);
  const Id root = search.run(source);
  if (root == source) return root;
  const SharedMemory<Id> cells(parent);
  for_each_vertex<Id>(graph.vertices, threads, [&](Id v) {
    if (search.visited(static_cast<i64>(v))) cells.store(v, root);
  });
  return root;
}

// One search for each component, from its smallest vertex.
template <class Id>
StandaloneResult standalone::bfscc(const StandaloneRun<Id>& run) {
  Search<Id> search(run.graph, run.parent, run.tree_edges, run.threads);
  for (i64 v = 0; v < run.graph.vertices; ++v) {
    stop_point_at(v);
    if (!search.visited(v)) search.run(static_cast<Id>(v));
  }
  return {.flat = true, .smallest = true};
}

namespace {

// The order in which vertices are offered as centres of clusters: an affine permutation of 0..n-1.
class CentreOrder {
 public:
  CentreOrder(i64 n, u64 seed) : n_(static_cast<u64>(n)), step_(mix(seed, 0) % n_ | 1), shift_(mix(seed, 1) % n_) {
    while (std::gcd(step_, n_) != 1) ++step_;
  }
  u64 operator()(i64 i) const {
    return static_cast<u64>((static_cast<unsigned __int128>(step_) * static_cast<u64>(i) + shift_) % n_);
  }

 private:
  u64 n_, step_, shift_;
};

}  // namespace

template <class Id>
void ldd_stars(const GraphView& graph, double beta, u64 seed, Id* parent, int threads, const EdgeBits& tree_edges) {
  const i64 n = graph.vertices;
  if (n == 0) return;
  const SharedMemory<Id> cluster(parent);
  for_each_vertex<Id>(n, threads, [&](Id v) { cluster.store(v, none<Id>); });
  const CentreOrder centre(n, seed);
  Frontier<Id> frontier(threads);
  i64 offered = 0;
  double wave = 1;
  with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
    while (offered < n || !frontier.current.empty()) {
      const i64 until = offered + static_cast<i64>(std::min(std::floor(wave), static_cast<double>(n - offered)));
      parallel_for(until - offered, frontier_chunk, until - offered < 4096 ? 1 : threads, [&](i64 b, i64 e, int w) {
        for (i64 i = offered + b; i < offered + e; ++i) {
          const Id v = static_cast<Id>(centre(i));
          if (phase::grow_arc(cluster, v, v)) frontier.next(w).push_back(v);
        }
      });
      offered = until;
      wave = std::min(wave * std::exp(beta), static_cast<double>(n));
      auto members = std::move(frontier.current);
      frontier.advance();
      members.insert(members.end(), frontier.current.begin(), frontier.current.end());
      parallel_for(static_cast<i64>(members.size()), frontier_chunk, members.size() < 1024 ? 1 : threads,
                   [&](i64 b, i64 e, int w) {
                     auto& next = frontier.next(w);
                     for (i64 i = b; i < e; ++i) {
                       const Id x = members[static_cast<std::size_t>(i)];
                       const Id c = cluster.load(x);
                       for (auto a = offsets[x], end = offsets[x + 1]; a < end; ++a) {
                         const Id y = static_cast<Id>(neighbors[a]);
                         if (!phase::grow_arc(cluster, y, c)) continue;
                         next.push_back(y);
                         add_tree_edge(tree_edges, a);
                       }
                     }
                   });
      frontier.advance();
    }
  });
  // The cells hold centres: each becomes the smallest vertex of the cluster, so that parents stay below children.
  roots_to_minima(parent, n, threads);
}

#define LB_INSTANTIATE(Id)                                                   \
  template Id bfs_star<Id>(const GraphView&, Id, Id*, int, const EdgeBits&); \
  template StandaloneResult standalone::bfscc<Id>(const StandaloneRun<Id>&); \
  template void ldd_stars<Id>(const GraphView&, double, u64, Id*, int, const EdgeBits&);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

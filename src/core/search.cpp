#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "edge_batches.hpp"
#include "landbridge/phase/search.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "standalone.hpp"
#include "threads.hpp"

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

// Vertices found in one level, one list a worker; joined into the next frontier.
template <class Id>
class Frontier {
 public:
  explicit Frontier(int threads) : found_(static_cast<std::size_t>(std::max(1, threads))) {}
  std::vector<Id> current;
  std::vector<Id>& found(int worker) { return found_[static_cast<std::size_t>(worker)]; }
  void advance() {
    current.clear();
    for (auto& f : found_) {
      current.insert(current.end(), f.begin(), f.end());
      f.clear();
    }
  }

 private:
  std::vector<std::vector<Id>> found_;
};

constexpr i64 frontier_chunk = 64;

// The arc over which a vertex was reached.
template <class O>
void mark(const Marks& marks, O arc) {
  if (marks) MarkedEdges<SharedMemory>{marks}.add(static_cast<u64>(arc));
}

// A search over one set of visited vertices, to be started from several sources.
template <class Id>
class Search {
 public:
  Search(const GraphView& rows, Id* parent, const Marks& marks, int threads)
      : rows_(rows),
        owner_(parent),
        marks_(marks),
        visited_(rows.vertices, threads),
        frontier_(threads),
        threads_(threads) {}

  bool visited(i64 v) { return visited_.bits().test(static_cast<u64>(v)); }

  // Stores `source` in the cell of everything reached, and returns the smallest vertex reached.
  Id run(Id source) {
    smallest_.store(source, std::memory_order_relaxed);
    visited_.bits().add(source);
    owner_.store(source, source);
    frontier_.current.assign(1, source);
    with_row_types(rows_, [&](const auto* offsets, const auto* neighbors) {
      while (!frontier_.current.empty()) {
        i64 arcs = 0;
        for (const Id x : frontier_.current) arcs += static_cast<i64>(offsets[x + 1]) - static_cast<i64>(offsets[x]);
        if (arcs > rows_.arcs / 20) {
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
  void lower_smallest(Id v) {
    Id seen = smallest_.load(std::memory_order_relaxed);
    while (v < seen && !smallest_.compare_exchange_weak(seen, v, std::memory_order_relaxed)) {
    }
  }

  template <class O, class T>
  void push(const O* offsets, const T* neighbors, Id source, i64 arcs) {
    const auto bits = visited_.bits();
    const auto& current = frontier_.current;
    parallel_for(static_cast<i64>(current.size()), frontier_chunk, arcs < 4096 ? 1 : threads_,
                 [&](i64 b, i64 e, int w) {
                   auto& found = frontier_.found(w);
                   Id low = none<Id>;
                   for (i64 i = b; i < e; ++i) {
                     const Id x = current[static_cast<std::size_t>(i)];
                     for (auto a = offsets[x]; a < offsets[x + 1]; ++a) {
                       const Id y = static_cast<Id>(neighbors[a]);
                       if (phase::push_arc(owner_, bits, y, source)) {
                         mark(marks_, a);
                         found.push_back(y);
                         low = std::min(low, y);
                       }
                     }
                   }
                   lower_smallest(low);
                 });
  }

  // Unvisited vertices look for a neighbour visited before this level, until a level adds nothing. Once here, a search
  // stays here: the frontier was large, and what remains is found in a few sweeps.
  template <class O, class T>
  void pull(const O* offsets, const T* neighbors, Id source) {
    VertexSet added(rows_.vertices, threads_);
    for (bool grew = true; grew;) {
      std::atomic<bool> any{false};
      const auto old = visited_.bits();
      const auto fresh = added.bits();
      parallel_for(rows_.vertices, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
        Id low = none<Id>;
        for (i64 x = b; x < e; ++x) {
          if (old.test(static_cast<u64>(x))) continue;
          for (auto a = offsets[x]; a < offsets[x + 1]; ++a) {
            if (!old.test(static_cast<u64>(neighbors[a]))) continue;
            fresh.add(static_cast<u64>(x));
            owner_.store(static_cast<Id>(x), source);
            mark(marks_, a);
            low = std::min(low, static_cast<Id>(x));
            break;
          }
        }
        if (low != none<Id>) {
          any.store(true, std::memory_order_relaxed);
          lower_smallest(low);
        }
      });
      grew = any.load(std::memory_order_relaxed);
      visited_.add_all(added);
    }
    frontier_.current.clear();
  }

  const GraphView& rows_;
  SharedMemory<Id> owner_;
  const Marks& marks_;
  VertexSet visited_;
  Frontier<Id> frontier_;
  std::atomic<Id> smallest_{0};
  int threads_;
};

template <class Id>
void each_alone(Id* parent, i64 n, int threads) {
  const SharedMemory<Id> cells(parent);
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (i64 v = b; v < e; ++v) cells.store(static_cast<Id>(v), static_cast<Id>(v));
  });
}

}  // namespace

template <class Id>
Id bfs_star(const GraphView& rows, Id source, Id* parent, int threads, const Marks& marks) {
  each_alone(parent, rows.vertices, threads);
  Search<Id> search(rows, parent, marks, threads);
  const Id root = search.run(source);
  if (root == source) return root;
  const SharedMemory<Id> cells(parent);
  parallel_for(rows.vertices, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (i64 v = b; v < e; ++v) {
      if (search.visited(v)) cells.store(static_cast<Id>(v), root);
    }
  });
  return root;
}

// One search for each component, from its smallest vertex.
template <class Id>
StandaloneResult standalone::bfscc(const StandaloneRun<Id>& run) {
  Search<Id> search(run.graph, run.parent, run.marks, run.threads);
  for (i64 v = 0; v < run.graph.vertices; ++v) {
    if (!search.visited(v)) search.run(static_cast<Id>(v));
  }
  return {.settled = true, .smallest = true};
}

template <class Id>
void ldd_stars(const GraphView& rows, double beta, u64 seed, Id* parent, int threads, const Marks& marks) {
  const i64 n = rows.vertices;
  if (n == 0) return;
  const SharedMemory<Id> cluster(parent);
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (i64 v = b; v < e; ++v) cluster.store(static_cast<Id>(v), none<Id>);
  });
  // The order in which vertices are offered as centres: an affine permutation of 0..n-1.
  u64 step = mix(seed, 0) % static_cast<u64>(n) | 1;
  while (std::gcd(step, static_cast<u64>(n)) != 1) ++step;
  const u64 shift = mix(seed, 1) % static_cast<u64>(n);
  const auto at = [&](i64 i) {
    return static_cast<Id>((static_cast<unsigned __int128>(step) * static_cast<u64>(i) + shift) % static_cast<u64>(n));
  };
  Frontier<Id> frontier(threads);
  i64 offered = 0;
  double wave = 1;
  with_row_types(rows, [&](const auto* offsets, const auto* neighbors) {
    while (offered < n || !frontier.current.empty()) {
      const i64 until = offered + static_cast<i64>(std::min(std::floor(wave), static_cast<double>(n - offered)));
      parallel_for(until - offered, frontier_chunk, until - offered < 4096 ? 1 : threads, [&](i64 b, i64 e, int w) {
        for (i64 i = offered + b; i < offered + e; ++i) {
          const Id v = at(i);
          if (phase::grow_arc(cluster, v, v)) frontier.found(w).push_back(v);
        }
      });
      offered = until;
      wave = std::min(wave * std::exp(beta), static_cast<double>(n));
      auto members = std::move(frontier.current);
      frontier.advance();
      members.insert(members.end(), frontier.current.begin(), frontier.current.end());
      parallel_for(static_cast<i64>(members.size()), frontier_chunk, members.size() < 1024 ? 1 : threads,
                   [&](i64 b, i64 e, int w) {
                     auto& found = frontier.found(w);
                     for (i64 i = b; i < e; ++i) {
                       const Id x = members[static_cast<std::size_t>(i)];
                       const Id c = cluster.load(x);
                       for (auto a = offsets[x]; a < offsets[x + 1]; ++a) {
                         const Id y = static_cast<Id>(neighbors[a]);
                         if (!phase::grow_arc(cluster, y, c)) continue;
                         found.push_back(y);
                         mark(marks, a);
                       }
                     }
                   });
      frontier.advance();
    }
  });
  // Clusters are named by their centres: name them by their smallest vertex, so that parents stay below children.
  Buffer<Id> lows(static_cast<std::size_t>(n));
  const SharedMemory<Id> low(lows.data());
  const auto all = [&](const auto& body) {
    parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
      for (i64 v = b; v < e; ++v) body(static_cast<Id>(v));
    });
  };
  all([&](Id v) { low.store(v, none<Id>); });
  all([&](Id v) { phase::offer_low(low, cluster.load(v), v); });
  all([&](Id v) { cluster.store(v, low.load(cluster.load(v))); });
}

template u32 bfs_star<u32>(const GraphView&, u32, u32*, int, const Marks&);
template u64 bfs_star<u64>(const GraphView&, u64, u64*, int, const Marks&);
template StandaloneResult standalone::bfscc<u32>(const StandaloneRun<u32>&);
template StandaloneResult standalone::bfscc<u64>(const StandaloneRun<u64>&);
template void ldd_stars<u32>(const GraphView&, double, u64, u32*, int, const Marks&);
template void ldd_stars<u64>(const GraphView&, double, u64, u64*, int, const Marks&);

}  // namespace lb::core

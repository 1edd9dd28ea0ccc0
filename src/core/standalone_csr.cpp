// The standalone algorithms of published systems that follow CSR rows, on CPU threads.
#include <algorithm>
#include <atomic>
#include <vector>

#include "edge_batches.hpp"
#include "interrupt.hpp"
#include "landbridge/phase/ecl.hpp"
#include "landbridge/phase/graft.hpp"
#include "landbridge/phase/search.hpp"
#include "landbridge/phase/unite.hpp"
#include "landbridge/policy/link.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "search.hpp"
#include "standalone.hpp"
#include "threads.hpp"
#include "vertex_passes.hpp"

namespace lb::core::standalone {
namespace {

// ---- ECL-CC

template <class Memory, class Find, class Id>
void ecl_hook(const StandaloneRun<Id>& run, bool singletons) {
  using Link = link::Ecl<Find>;
  const Forest<Memory> forest{Memory(run.parent), Memory(run.parent)};
  with_csr(run.graph, [&](const auto& offsets, const auto& neighbors) {
    parallel_for(run.graph.arcs, cpu::chunk_arcs, run.threads, [&](i64 b, i64 e, int) {
      [[maybe_unused]] i64 until_look = 0;
      for_row_pieces(offsets, neighbors, run.graph.vertices, b, e, [&](i64 x, const auto row, i64 count) {
        const Id v = static_cast<Id>(x);
        if constexpr (cpu::paths_grow<Link, Memory>) {
          until_look -= count;
          for (i64 i = 0; until_look < 0 && i < count; i += cpu::batch_edges) {
            Id w[cpu::batch_edges], own[cpu::batch_edges];
            const i64 some = std::min(count - i, cpu::batch_edges);
            for (i64 k = 0; k < some; ++k) w[k] = static_cast<Id>(row[i + k]), own[k] = v;
            if (!cpu::split_long_paths<Link>(forest.parent, own, w, some)) until_look = cpu::edges_between_looks;
          }
        }
        // A root has no smaller neighbour: its edges are united from their other endpoints.
        if (!singletons && forest.parent.load(v) == v) return;
        phase::UniteRun<Link, Forest<Memory>> unite(forest);
        for (i64 i = 0; i < count; ++i) {
          const Id w = static_cast<Id>(row[i]);
          if (w < v) unite.edge(v, w, callback::Nothing{});
        }
      });
    });
  });
}

// One thread needs no swaps: the serial version of the paper is the same code on plain memory.
template <class Find, class Id>
void ecl_hook(const StandaloneRun<Id>& run, bool singletons) {
  if (run.threads == 1)
    ecl_hook<SerialMemory<Id>, Find>(run, singletons);
  else
    ecl_hook<SharedMemory<Id>, Find>(run, singletons);
}

}  // namespace

template <class Id>
StandaloneResult ecl_cc(const StandaloneRun<Id>& run) {
  const auto& init = run.values.word("init");
  const auto& jump = run.values.word("jump");
  const auto& fini = run.values.word("fini");
  const SharedMemory<Id> parent(run.parent);
  const auto start = init == "init1"   ? phase::Start::self
                     : init == "init2" ? phase::Start::smallest
                                       : phase::Start::first;
  with_csr(run.graph, [&](const auto& offsets, const auto& neighbors) {
    for_each_vertex<Id>(run.graph.vertices, run.threads, [&](Id x) {
      const auto row = static_cast<i64>(offsets[x]);
      const i64 degree = static_cast<i64>(offsets[x + 1]) - row;
      parent.store(x, phase::initial_parent(start, x, neighbors + row, degree));
    });
  });
  const bool singletons = start == phase::Start::self;
  if (jump == "jump1")
    ecl_hook<find::Compress<>>(run, singletons);
  else if (jump == "jump2")
    ecl_hook<phase::Single>(run, singletons);
  else if (jump == "jump3")
    ecl_hook<find::Naive<>>(run, singletons);
  else
    ecl_hook<find::Inter<>>(run, singletons);
  for_each_vertex<Id>(run.graph.vertices, run.threads, [&](Id x) {
    if (fini == "fini1")
      parent.store(x, find::Inter<>::find(parent, x));
    else if (fini == "fini2")
      find::Compress<>::find(parent, x);
    else
      phase::Single::find(parent, x);
  });
  // Intermediate jumping may write to the path of a vertex that has its root already.
  return {.flat = fini != "fini1" || run.threads == 1, .smallest = true};
}

// ---- CRONO

// CRONO's components (Ahmad et al. 2015): rounds over the rows of all vertices. The parent of a neighbour, if a root,
// goes below the parent of the vertex if that is smaller; then every vertex is flattened.
template <class Id>
StandaloneResult crono_sv(const StandaloneRun<Id>& run) {
  const SharedMemory<Id> parent(run.parent);
  const i64 n = run.graph.vertices;
  make_singletons(run.parent, n, run.threads);
  i64 rounds = 0;
  for (std::atomic<bool> changed{true}; changed.load(std::memory_order_relaxed); ++rounds) {
    changed.store(false, std::memory_order_relaxed);
    with_csr(run.graph, [&](const auto& offsets, const auto& neighbors) {
      parallel_for(run.graph.arcs, cpu::chunk_arcs, run.threads, [&](i64 b, i64 e, int) {
        bool open = false;
        for_row_pieces(offsets, neighbors, n, b, e, [&](i64 x, const auto row, i64 count) {
          for (i64 i = 0; i < count; ++i) {
            const Id own = parent.load(static_cast<Id>(x));
            const Id other = parent.load(static_cast<Id>(row[i]));
            if (!(own < other)) continue;
            // Whether or not this thread may graft, the edge has two trees at its endpoints.
            open = true;
            if (parent.load(other) == other) phase::graft(parent, own, other);
          }
        });
        if (open) changed.store(true, std::memory_order_relaxed);
      });
    });
    for_each_vertex<Id>(n, run.threads, [&](Id v) { phase::climb(parent, v); });
  }
  return {.flat = true, .smallest = true, .rounds = rounds};
}

// ---- the serial search of the thesis

// Depth-first from every vertex in order, on one thread and with a stack of its own (Yogaratnam 2010).
template <class Id>
StandaloneResult serial_search(const StandaloneRun<Id>& run) {
  const i64 n = run.graph.vertices;
  const SerialMemory<Id> label(run.parent);
  std::fill(run.parent, run.parent + n, none<Id>);
  std::vector<Id> stack;
  i64 steps = 0;  // arcs since the last stop point
  with_csr(run.graph, [&](const auto offsets, const auto neighbors) {
    for (i64 v = 0; v < n; ++v) {
      stop_point_at(v);
      const Id source = static_cast<Id>(v);
      if (label.load(source) != none<Id>) continue;
      label.store(source, source);
      stack.push_back(source);
      while (!stack.empty()) {
        const Id x = stack.back();
        stack.pop_back();
        // The row of the vertex that follows, if this one reaches no other.
        if (!stack.empty()) neighbors.prefetch(static_cast<i64>(offsets.unbounded(stack.back())));
        auto a = offsets[x];
        const auto end = offsets[x + 1];
        if (end > a) steps += static_cast<i64>(end - a);
        if (steps >= 0x10000) {
          steps = 0;
          stop_point();
        }
        for (; a < end; ++a) {
          const Id y = static_cast<Id>(neighbors[a]);
          if (label.load(y) != none<Id>) continue;
          label.store(y, source);
          stack.push_back(y);
          offsets.prefetch(y);
        }
      }
    }
  });
  return {.flat = true, .smallest = true};
}

// ---- Multistep

namespace {

// The vertex of largest degree, the smallest of several.
template <class Degree>
i64 widest_vertex(i64 n, int threads, const Degree& degree) {
  const auto wider = [&](i64 v, i64 best) {
    return degree(v) > degree(best) || (degree(v) == degree(best) && v < best);
  };
  std::vector<i64> widest(static_cast<std::size_t>(threads), 0);
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int w) {
    i64& best = widest[static_cast<std::size_t>(w)];
    for (i64 v = b; v < e; ++v) {
      if (wider(v, best)) best = v;
    }
  });
  i64 source = 0;
  for (const i64 v : widest) {
    if (wider(v, source)) source = v;
  }
  return source;
}

// Label propagation from active vertices: a round lowers the labels of their neighbours, and a vertex whose label
// changes for the first time in it is active in the next.
template <class Id>
class Propagation {
 public:
  Propagation(SharedMemory<Id> label, i64 n, int threads)
      : label_(label), n_(n), threads_(threads), next_(static_cast<std::size_t>(threads)) {}

  // All vertices that satisfy the condition are active.
  template <class Condition>
  void begin(const Condition& condition) {
    parallel_for(n_, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int w) {
      for (i64 v = b; v < e; ++v) {
        if (condition(v)) next_[static_cast<std::size_t>(w)].push_back(static_cast<Id>(v));
      }
    });
    advance();
    words_ = Buffer<u64>(active_.empty() ? 0 : static_cast<std::size_t>((n_ + 63) / 64));
    std::fill(words_.begin(), words_.end(), u64{0});
  }
  // Rounds while more than `few` vertices are active.
  template <class Offsets, class Neighbors>
  void rounds(const Offsets& offsets, const Neighbors& neighbors, i64 few) {
    while (static_cast<i64>(active_.size()) > few) {
      const i64 count = static_cast<i64>(active_.size());
      parallel_for(count, 64, count < 1024 ? 1 : threads_, [&](i64 b, i64 e, int w) {
        for (i64 i = b; i < e; ++i)
          propagate(offsets, neighbors, active_[static_cast<std::size_t>(i)], next_[static_cast<std::size_t>(w)]);
      });
      advance();
      // Each bit was set with the push of its vertex.
      for (const Id x : active_) words_[static_cast<std::size_t>(x >> 6)] = 0;
    }
  }
  // The rest on one thread: a stack, to which a vertex returns whose label changes again.
  template <class Offsets, class Neighbors>
  void serial(const Offsets& offsets, const Neighbors& neighbors) {
    for (const Id x : active_) queued().add(x);
    for (i64 step = 1; !active_.empty(); ++step) {
      stop_point_at(step);
      const Id x = active_.back();
      active_.pop_back();
      words_[static_cast<std::size_t>(x >> 6)] &= ~(u64{1} << (x & 63));
      propagate(offsets, neighbors, x, active_);
    }
  }

 private:
  phase::Bits<SharedMemory<u64>> queued() { return {SharedMemory<u64>(words_.data())}; }
  template <class Offsets, class Neighbors>
  void propagate(const Offsets& offsets, const Neighbors& neighbors, Id x, std::vector<Id>& next) {
    const auto bits = queued();
    const Id own = label_.load(x);
    for (auto a = offsets[x], end = offsets[x + 1]; a < end; ++a) {
      const Id y = static_cast<Id>(neighbors[a]);
      if (own < label_.load(y) && own < label_.fetch_min(y, own) && bits.add(y)) next.push_back(y);
    }
  }
  void advance() {
    active_.clear();
    for (auto& list : next_) {
      active_.insert(active_.end(), list.begin(), list.end());
      list.clear();
    }
  }

  SharedMemory<Id> label_;
  i64 n_;
  int threads_;
  std::vector<Id> active_;
  std::vector<std::vector<Id>> next_;  // a list for each worker
  Buffer<u64> words_;                  // the vertices in next_, a bit each
};

}  // namespace

// Slota, Rajamanickam & Madduri 2014: one search from the vertex of largest degree; label propagation over what it has
// not reached; one thread as soon as no more than `serial` vertices are active.
template <class Id>
StandaloneResult multistep(const StandaloneRun<Id>& run) {
  const i64 n = run.graph.vertices;
  const SharedMemory<Id> label(run.parent);
  with_csr(run.graph, [&](const auto& offsets, const auto& neighbors) {
    const auto degree = [&](i64 v) { return static_cast<i64>(offsets[v + 1]) - static_cast<i64>(offsets[v]); };
    const Id source = static_cast<Id>(widest_vertex(n, run.threads, degree));
    const Id reached = bfs_star<Id>(run.graph, source, run.parent, run.threads);
    Propagation<Id> propagation(label, n, run.threads);
    propagation.begin([&](i64 v) { return label.load(static_cast<Id>(v)) != reached && degree(v) > 0; });
    propagation.rounds(offsets, neighbors, run.values.integer("serial"));
    propagation.serial(offsets, neighbors);
  });
  return {.flat = true, .smallest = true};
}

// ---- ndHybrid

namespace {

// Edges between clusters, a list for each worker.
template <class Id>
using CutEdges = std::vector<std::vector<std::pair<Id, Id>>>;

// The arcs between clusters, each once.
template <class Id>
CutEdges<Id> cut_edges(const GraphView& graph, const SharedMemory<Id>& cluster, int threads) {
  CutEdges<Id> cut(static_cast<std::size_t>(threads));
  with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
    parallel_for(graph.arcs, cpu::chunk_arcs, threads, [&](i64 b, i64 e, int w) {
      auto& own = cut[static_cast<std::size_t>(w)];
      for_row_pieces(offsets, neighbors, graph.vertices, b, e, [&](i64 x, const auto row, i64 count) {
        const Id a = cluster.load(static_cast<Id>(x));
        for (i64 i = 0; i < count; ++i) {
          const Id c = cluster.load(static_cast<Id>(row[i]));
          if (c < a) own.emplace_back(a, c);
        }
      });
    });
  });
  return cut;
}

// The graph of the clusters that have an edge to another, in their order; `cut` is empty afterwards.
template <class Id>
CsrArrays<Id> contract(CutEdges<Id>& cut, i64 edges, const Buffer<Id>& number, i64 clusters, int threads) {
  Buffer<Id> u(static_cast<std::size_t>(edges)), v(static_cast<std::size_t>(edges));
  std::size_t at = 0;
  for (auto& list : cut) {
    for (const auto& [a, c] : list) {
      stop_point_at(static_cast<i64>(at));
      u[at] = number[a], v[at] = number[c], ++at;
    }
    std::vector<std::pair<Id, Id>>().swap(list);
  }
  GraphView pairs;
  pairs.vertices = clusters;
  pairs.arcs = edges;
  pairs.a = u.data();
  pairs.b = v.data();
  return symmetric_csr<Id>(pairs, threads);
}

// Labels every vertex of symmetric CSR with the smallest vertex of its component: clusters of low diameter, then the
// same on the graph of the clusters that have an edge to another, until no such edge is left.
template <class Id>
void decompose(const GraphView& graph, double beta, u64 seed, Id* parent, int threads) {
  const i64 n = graph.vertices;
  ldd_stars<Id>(graph, beta, seed, parent, threads);
  const SharedMemory<Id> cluster(parent);
  CutEdges<Id> cut = cut_edges(graph, cluster, threads);
  i64 edges = 0;
  for (const auto& list : cut) edges += static_cast<i64>(list.size());
  if (edges == 0) return;
  Buffer<Id> number(static_cast<std::size_t>(n));
  for_each_vertex<Id>(n, threads, [&](Id v) { number[v] = none<Id>; });
  for (const auto& list : cut) {
    in_blocks(std::size_t{0}, list.size(), std::size_t{1} << 16, [&](std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i) number[list[i].first] = number[list[i].second] = 0;
    });
  }
  std::vector<Id> smallest_of;  // the smallest vertices of the clusters that stay
  for (i64 v = 0; v < n; ++v) {
    stop_point_at(v);
    if (number[static_cast<std::size_t>(v)] == none<Id>) continue;
    number[static_cast<std::size_t>(v)] = static_cast<Id>(smallest_of.size());
    smallest_of.push_back(static_cast<Id>(v));
  }
  const auto clusters = static_cast<i64>(smallest_of.size());
  const CsrArrays<Id> contracted = contract(cut, edges, number, clusters, threads);
  Buffer<Id> component(smallest_of.size());
  // Another seed each time. Every cluster here has a neighbour, and the first centre takes its neighbours: fewer are
  // left.
  const u64 next_seed = mix(seed, static_cast<u64>(n));
  decompose<Id>(symmetric_view(contracted), beta, next_seed, component.data(), threads);
  for_each_vertex<Id>(n, threads, [&](Id v) {
    const Id k = number[cluster.load(v)];
    if (k != none<Id>) cluster.store(v, smallest_of[component[k]]);
  });
}

}  // namespace

// Shun, Dhulipala & Blelloch 2014: low-diameter decomposition and contraction, repeated.
template <class Id>
StandaloneResult ndhybrid(const StandaloneRun<Id>& run) {
  decompose<Id>(run.graph, run.values.number("beta"), run.seed, run.parent, run.threads);
  return {.flat = true, .smallest = true};
}

#define LB_INSTANTIATE(Id)            \
  LB_STANDALONE_OF(ecl_cc, Id)        \
  LB_STANDALONE_OF(crono_sv, Id)      \
  LB_STANDALONE_OF(serial_search, Id) \
  LB_STANDALONE_OF(multistep, Id)     \
  LB_STANDALONE_OF(ndhybrid, Id)
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core::standalone

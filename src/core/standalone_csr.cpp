// The standalone algorithms of published systems that follow rows, on CPU threads.
#include <algorithm>
#include <atomic>
#include <vector>

#include "edge_batches.hpp"
#include "landbridge/phase/ecl.hpp"
#include "landbridge/phase/graft.hpp"
#include "landbridge/phase/search.hpp"
#include "landbridge/phase/unite.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/link.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "search.hpp"
#include "standalone.hpp"
#include "threads.hpp"

namespace lb::core::standalone {
namespace {

template <class F>
void each_vertex(i64 n, int threads, const F& body) {
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (i64 v = b; v < e; ++v) body(v);
  });
}

// ---- ECL-CC

template <class Memory, class Find, class Id>
void ecl_hook(const StandaloneRun<Id>& run, bool singletons) {
  using Link = link::Ecl<Find>;
  const Forest<Memory> forest{Memory(run.parent), Memory(run.parent)};
  with_row_types(run.graph, [&](const auto* offsets, const auto* neighbors) {
    parallel_for(run.graph.arcs, cpu::chunk_arcs, run.threads, [&](i64 b, i64 e, int) {
      for_row_pieces(offsets, neighbors, run.graph.vertices, b, e, [&](i64 x, const auto* row, i64 count) {
        const Id v = static_cast<Id>(x);
        // A root has no smaller neighbour: its edges come from their other ends.
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
  with_row_types(run.graph, [&](const auto* offsets, const auto* neighbors) {
    each_vertex(run.graph.vertices, run.threads, [&](i64 v) {
      const Id x = static_cast<Id>(v);
      parent.store(
          x, phase::initial_parent(start, x, neighbors + offsets[v], static_cast<i64>(offsets[v + 1] - offsets[v])));
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
  each_vertex(run.graph.vertices, run.threads, [&](i64 v) {
    const Id x = static_cast<Id>(v);
    if (fini == "fini1")
      parent.store(x, find::Inter<>::find(parent, x));
    else if (fini == "fini2")
      find::Compress<>::find(parent, x);
    else
      phase::Single::find(parent, x);
  });
  // Intermediate jumping may write to the path of a vertex that has its root already.
  return {.settled = fini != "fini1" || run.threads == 1, .smallest = true};
}

// ---- CRONO

// CRONO's components (Ahmad et al. 2015): rounds over the rows of all vertices. The root above a neighbour goes below
// what is above the vertex if that is smaller; then everybody climbs.
template <class Id>
StandaloneResult crono_sv(const StandaloneRun<Id>& run) {
  const SharedMemory<Id> parent(run.parent);
  const i64 n = run.graph.vertices;
  each_vertex(n, run.threads, [&](i64 v) { parent.store(static_cast<Id>(v), static_cast<Id>(v)); });
  i64 rounds = 0;
  for (std::atomic<bool> changed{true}; changed.load(std::memory_order_relaxed); ++rounds) {
    changed.store(false, std::memory_order_relaxed);
    with_row_types(run.graph, [&](const auto* offsets, const auto* neighbors) {
      parallel_for(run.graph.arcs, cpu::chunk_arcs, run.threads, [&](i64 b, i64 e, int) {
        bool here = false;
        for_row_pieces(offsets, neighbors, n, b, e, [&](i64 x, const auto* row, i64 count) {
          for (i64 i = 0; i < count; ++i) {
            const Id mine = parent.load(static_cast<Id>(x));
            const Id other = parent.load(static_cast<Id>(row[i]));
            if (!(mine < other)) continue;
            // Whether or not this thread may graft, the edge has two trees at its ends.
            here = true;
            if (parent.load(other) == other) phase::graft(parent, mine, other);
          }
        });
        if (here) changed.store(true, std::memory_order_relaxed);
      });
    });
    each_vertex(n, run.threads, [&](i64 v) { phase::climb(parent, static_cast<Id>(v)); });
  }
  return {.settled = true, .smallest = true, .rounds = rounds};
}

// ---- the serial search of the thesis

// Depth-first from every vertex in order, on one thread and with a stack of its own (Yogaratnam 2010).
template <class Id>
StandaloneResult serial_search(const StandaloneRun<Id>& run) {
  const i64 n = run.graph.vertices;
  const SerialMemory<Id> label(run.parent);
  std::fill(run.parent, run.parent + n, none<Id>);
  std::vector<Id> stack;
  with_row_types(run.graph, [&](const auto* offsets, const auto* neighbors) {
    for (i64 v = 0; v < n; ++v) {
      const Id source = static_cast<Id>(v);
      if (label.load(source) != none<Id>) continue;
      label.store(source, source);
      stack.push_back(source);
      while (!stack.empty()) {
        const Id x = stack.back();
        stack.pop_back();
        for (auto a = offsets[x]; a < offsets[x + 1]; ++a) {
          const Id y = static_cast<Id>(neighbors[a]);
          if (label.load(y) != none<Id>) continue;
          label.store(y, source);
          stack.push_back(y);
        }
      }
    }
  });
  return {.settled = true, .smallest = true};
}

// ---- Multistep

// Slota, Rajamanickam & Madduri 2014: one search from the vertex of largest degree; label propagation over what it has
// not reached; one thread as soon as no more than `serial` vertices are active.
template <class Id>
StandaloneResult multistep(const StandaloneRun<Id>& run) {
  const i64 n = run.graph.vertices;
  const i64 alone_from = run.values.integer("serial");
  const SharedMemory<Id> label(run.parent);
  with_row_types(run.graph, [&](const auto* offsets, const auto* neighbors) {
    const auto degree = [&](i64 v) { return static_cast<i64>(offsets[v + 1] - offsets[v]); };
    std::vector<i64> widest(static_cast<std::size_t>(run.threads), 0);
    parallel_for(n, cpu::chunk_vertices, run.threads, [&](i64 b, i64 e, int w) {
      i64& best = widest[static_cast<std::size_t>(w)];
      for (i64 v = b; v < e; ++v) {
        if (degree(v) > degree(best) || (degree(v) == degree(best) && v < best)) best = v;
      }
    });
    i64 source = 0;
    for (const i64 v : widest) {
      if (degree(v) > degree(source) || (degree(v) == degree(source) && v < source)) source = v;
    }
    const Id reached = bfs_star<Id>(run.graph, static_cast<Id>(source), run.parent, run.threads);

    // Everybody outside who has a neighbour begins active.
    std::vector<std::vector<Id>> found(static_cast<std::size_t>(run.threads));
    std::vector<Id> active;
    const auto collect = [&] {
      active.clear();
      for (auto& f : found) {
        active.insert(active.end(), f.begin(), f.end());
        f.clear();
      }
    };
    parallel_for(n, cpu::chunk_vertices, run.threads, [&](i64 b, i64 e, int w) {
      for (i64 v = b; v < e; ++v) {
        const Id x = static_cast<Id>(v);
        if (label.load(x) != reached && degree(v) > 0) found[static_cast<std::size_t>(w)].push_back(x);
      }
    });
    collect();
    // A round tells the neighbours of the active vertices; who is lowered for the first time in it is active in the
    // next.
    Buffer<u64> words(active.empty() ? 0 : static_cast<std::size_t>((n + 63) / 64));
    const phase::Bits<SharedMemory<u64>> queued{SharedMemory<u64>(words.data())};
    std::fill(words.begin(), words.end(), u64{0});
    const auto tell = [&](Id x, std::vector<Id>& next) {
      const Id mine = label.load(x);
      for (auto a = offsets[x]; a < offsets[x + 1]; ++a) {
        const Id y = static_cast<Id>(neighbors[a]);
        if (mine < label.load(y) && mine < label.fetch_min(y, mine) && queued.add(y)) next.push_back(y);
      }
    };
    while (static_cast<i64>(active.size()) > alone_from) {
      const i64 some = static_cast<i64>(active.size());
      parallel_for(some, 64, some < 1024 ? 1 : run.threads, [&](i64 b, i64 e, int w) {
        for (i64 i = b; i < e; ++i) tell(active[static_cast<std::size_t>(i)], found[static_cast<std::size_t>(w)]);
      });
      collect();
      // Each bit is set by the push of its vertex.
      for (const Id x : active) words[static_cast<std::size_t>(x >> 6)] = 0;
    }
    // The serial end: a stack, from which a vertex that is lowered again is taken again.
    for (const Id x : active) queued.add(x);
    while (!active.empty()) {
      const Id x = active.back();
      active.pop_back();
      words[static_cast<std::size_t>(x >> 6)] &= ~(u64{1} << (x & 63));
      tell(x, active);
    }
  });
  return {.settled = true, .smallest = true};
}

// ---- ndHybrid

namespace {

// Labels every vertex of symmetric rows with the smallest vertex of its component: clusters of low diameter, then the
// same on the graph of the clusters that have an edge to another, until no such edge is left.
template <class Id>
void decompose(const GraphView& rows, double beta, u64 seed, Id* parent, int threads) {
  const i64 n = rows.vertices;
  ldd_stars<Id>(rows, beta, seed, parent, threads);
  const SharedMemory<Id> cluster(parent);
  // The arcs between clusters, each once, and the clusters they join in ascending order.
  std::vector<std::vector<std::pair<Id, Id>>> cut(static_cast<std::size_t>(threads));
  with_row_types(rows, [&](const auto* offsets, const auto* neighbors) {
    parallel_for(rows.arcs, cpu::chunk_arcs, threads, [&](i64 b, i64 e, int w) {
      auto& mine = cut[static_cast<std::size_t>(w)];
      for_row_pieces(offsets, neighbors, n, b, e, [&](i64 x, const auto* row, i64 count) {
        const Id a = cluster.load(static_cast<Id>(x));
        for (i64 i = 0; i < count; ++i) {
          const Id c = cluster.load(static_cast<Id>(row[i]));
          if (c < a) mine.emplace_back(a, c);
        }
      });
    });
  });
  i64 edges = 0;
  for (const auto& some : cut) edges += static_cast<i64>(some.size());
  if (edges == 0) return;
  Buffer<Id> number(static_cast<std::size_t>(n));
  each_vertex(n, threads, [&](i64 v) { number[static_cast<std::size_t>(v)] = none<Id>; });
  for (const auto& some : cut) {
    for (const auto& [a, c] : some) number[a] = number[c] = 0;
  }
  std::vector<Id> named;  // the clusters that stay, by their smallest vertex
  for (i64 v = 0; v < n; ++v) {
    if (number[static_cast<std::size_t>(v)] == none<Id>) continue;
    number[static_cast<std::size_t>(v)] = static_cast<Id>(named.size());
    named.push_back(static_cast<Id>(v));
  }
  Rows<Id> contracted;
  {
    Buffer<Id> u(static_cast<std::size_t>(edges)), v(static_cast<std::size_t>(edges));
    std::size_t at = 0;
    for (auto& some : cut) {
      for (const auto& [a, c] : some) u[at] = number[a], v[at] = number[c], ++at;
      std::vector<std::pair<Id, Id>>().swap(some);
    }
    GraphView pairs;
    pairs.vertices = static_cast<i64>(named.size());
    pairs.arcs = edges;
    pairs.a = {u.data()};
    pairs.b = {v.data()};
    contracted = symmetric_rows<Id>(pairs, threads);
  }
  GraphView smaller;
  smaller.vertices = static_cast<i64>(named.size());
  smaller.arcs = static_cast<i64>(contracted.neighbors.size());
  smaller.rows = smaller.symmetric = true;
  smaller.offsets = {contracted.offsets.data()};
  smaller.a = {contracted.neighbors.data()};
  Buffer<Id> above(named.size());
  // Another seed each time. Every cluster here has a neighbour, and the first centre takes its neighbours: fewer are
  // left.
  decompose<Id>(smaller, beta, mix(seed, static_cast<u64>(n)), above.data(), threads);
  each_vertex(n, threads, [&](i64 v) {
    const Id c = cluster.load(static_cast<Id>(v));
    const Id k = number[c];
    if (k != none<Id>) cluster.store(static_cast<Id>(v), named[above[k]]);
  });
}

}  // namespace

// Shun, Dhulipala & Blelloch 2014: low-diameter decomposition and contraction, repeated.
template <class Id>
StandaloneResult ndhybrid(const StandaloneRun<Id>& run) {
  decompose<Id>(run.graph, run.values.number("beta"), run.seed, run.parent, run.threads);
  return {.settled = true, .smallest = true};
}

#define LB_INSTANTIATE(name)                                      \
  template StandaloneResult name<u32>(const StandaloneRun<u32>&); \
  template StandaloneResult name<u64>(const StandaloneRun<u64>&);
LB_INSTANTIATE(ecl_cc)
LB_INSTANTIATE(crono_sv)
LB_INSTANTIATE(serial_search)
LB_INSTANTIATE(multistep)
LB_INSTANTIATE(ndhybrid)
#undef LB_INSTANTIATE

}  // namespace lb::core::standalone

// The samplings: k-out, hook-based, breadth-first search and low-diameter decomposition.
#include <algorithm>
#include <limits>

#include "error.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/sample.hpp"
#include "phases.hpp"
#include "sampling.hpp"
#include "search.hpp"

namespace lb::core::sampling {
namespace {

// The position of the neighbour of largest degree, the first of several.
template <class Row>
i64 widest(const GraphView& graph, const Row& row, i64 count) {
  const auto degree = [&](i64 i) {
    const auto y = static_cast<i64>(row[i]);
    return graph.row_begin(y + 1) - graph.row_begin(y);
  };
  i64 best = 0, most = degree(0);
  for (i64 i = 1; i < count; ++i) {
    if (const i64 d = degree(i); d > most) best = i, most = d;
  }
  return best;
}

// How many arcs k of every vertex are.
template <class Id, bool forest>
i64 first_arcs(const RunContext<Id, forest>& run, i64 k) {
  return k < run.graph.arcs / std::max<i64>(run.n, 1) ? k * run.n : run.graph.arcs;
}

template <class Choice, class Id, bool forest>
void unite_k_arcs(RunContext<Id, forest>& run, int k) {
  run.template for_rows<Choice::needs_degrees>(
      first_arcs(run, k), [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
        for (int round = 0; round < k; ++round) {
          const i64 arc = Choice::needs_degrees && round == 0 ? widest(run.graph, row, degree)
                                                              : Choice::arc(run.plan.seed, x, round, degree);
          if (arc < 0) break;
          batch.add(x, static_cast<Id>(row.unbounded(arc)), first + arc);
        }
      });
}

// Hooks every vertex to its first neighbour if that is smaller, so that the first arcs of all rows are united but those
// of the vertices that stay roots. Returns those of them that have arcs.
template <class Id, bool forest>
VertexBits hook_to_first(RunContext<Id, forest>& run) {
  VertexBits roots(run.n);
  with_csr(run.graph, [&](const auto& offsets, const auto& neighbors) {
    run.for_vertices([&](i64 b, i64 e) {
      const auto row_begin = offsets;  // copies, which no store of an id can change
      const auto ids = neighbors;
      const auto parent = run.parent;
      const EdgeBits own = run.tree_edges.exclusive(static_cast<i64>(row_begin[b]), static_cast<i64>(row_begin[e]));
      [[maybe_unused]] BufferedEdgeSet<SharedMemory> tree_edges(own);
      for (i64 i = b; i < e; ++i) {
        if (i + cpu::rows_ahead < e) ids.prefetch(static_cast<i64>(row_begin.unbounded(i + cpu::rows_ahead)));
        const Id x = static_cast<Id>(i);
        const auto row = static_cast<i64>(row_begin[i]);
        const bool has_arcs = row < static_cast<i64>(row_begin[i + 1]);
        Id first = has_arcs ? static_cast<Id>(ids[row]) : x;
        // Vertices of this chunk before x are hooked already: x goes below their parent, and chains stay short.
        if (static_cast<i64>(first) >= b && first < x) first = parent.load(first);
        const bool root = phase::hook_first(parent, x, first);
        if (root && has_arcs) roots.add(i);
        if constexpr (forest) {
          if (!root) tree_edges.add(row);
        }
      }
    });
  });
  return roots;
}

// The vertex of largest degree among a few random ones.
template <class Id, bool forest>
Id vertex_of_large_degree(const RunContext<Id, forest>& run) {
  i64 best = 0;
  const auto degree = [&](i64 x) { return run.graph.row_begin(x + 1) - run.graph.row_begin(x); };
  for (i64 i = 0; i < std::min<i64>(run.n, lb::sample::drawn_labels); ++i) {
    const i64 x = random_vertex(run, i);
    if (degree(x) > degree(best)) best = x;
  }
  return static_cast<Id>(best);
}

}  // namespace

template <class Id, bool forest>
SamplingResult kout(RunContext<Id, forest>& run) {
  constexpr i64 most = std::numeric_limits<int>::max();
  const int k = static_cast<int>(std::min(most, run.plan.sample_values.integer("k")));
  const auto& choice = run.plan.sample_values.word("choice");
  run.start(false);
  if (choice == "first")
    unite_k_arcs<sample::First>(run, k);
  else if (choice == "pure")
    unite_k_arcs<sample::Pure>(run, k);
  else if (choice == "hybrid")
    unite_k_arcs<sample::Hybrid>(run, k);
  else if (choice == "max_degree")
    unite_k_arcs<sample::MaxDegree>(run, k);
  else
    throw InputError("kout has no choice " + choice);
  return {.united_arcs = choice == "first" ? k : 0};
}

template <class Id, bool forest>
SamplingResult hb(RunContext<Id, forest>& run) {
  const i64 k = run.plan.sample_values.integer("k");
  const VertexBits roots = hook_to_first(run);
  if (run.kernel->uses_aux || run.kernel->ranked) run.start(true);
  run.for_rows_in(roots, first_arcs(run, k), [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
    for (i64 i = 0; i < std::min(k, degree); ++i) batch.add(x, static_cast<Id>(row.unbounded(i)), first + i);
  });
  return {.united_arcs = std::min<i64>(k, 1)};
}

template <class Id, bool forest>
SamplingResult bfs(RunContext<Id, forest>& run) {
  bfs_star<Id>(run.graph, vertex_of_large_degree(run), run.cells.parent, run.threads, run.tree_edges);
  run.start(true);
  return {};
}

template <class Id, bool forest>
SamplingResult ldd(RunContext<Id, forest>& run) {
  ldd_stars<Id>(run.graph, run.plan.sample_values.number("beta"), run.plan.seed, run.cells.parent, run.threads,
                run.tree_edges);
  run.start(true);
  return {};
}

#define LB_INSTANTIATE(Id, forest) \
  LB_SAMPLING_OF(kout, Id, forest) \
  LB_SAMPLING_OF(hb, Id, forest)   \
  LB_SAMPLING_OF(bfs, Id, forest)  \
  LB_SAMPLING_OF(ldd, Id, forest)
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core::sampling

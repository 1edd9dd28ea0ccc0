// The last phase of a run: components numbered by their smallest vertices.
#include "landbridge/phase/vertex.hpp"
#include "phases.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

template <class Id>
void count_roots(RunContext<Id, false>& run, i64 b, i64 e) {
  i64 count = 0;
  for (i64 x = b; x < e; ++x) count += phase::is_root(run.parent, static_cast<Id>(x));
  run.roots[run.chunk_of(b)] = count;
}

// Makes every parent the smallest vertex of its tree, and counts the roots of each chunk.
template <class Id>
void flatten_and_count(RunContext<Id, false>& run) {
  if (run.kernel != nullptr && run.kernel->ranked) {
    run.flatten();
    roots_to_minima(run.cells.parent, run.n, run.threads);
    run.counted = false;  // the roots are other vertices now, and may lie in other chunks
  } else if (!run.flat) {
    run.for_vertices([&](i64 b, i64 e) {
      run.kernel->flatten(run.cells, b, e);
      count_roots(run, b, e);
    });
    run.counted = true;
  }
  if (!run.counted) run.for_vertices([&](i64 b, i64 e) { count_roots(run, b, e); });
}

}  // namespace

template <class Id>
i64 number(RunContext<Id, false>& run) {
  flatten_and_count(run);
  std::vector<i64>& first = run.roots;  // the number of the first root of each chunk
  i64 count = 0;
  for (auto& r : first) {
    const i64 before = count;
    count += r;
    r = before;
  }
  // One component: every cell holds vertex 0, and 0 is its label.
  if (count > 1) {
    run.for_vertices([&](i64 b, i64 e) {
      const auto chunk = run.chunk_of(b);
      i64 next = first[chunk];
      const i64 end = chunk + 1 < first.size() ? first[chunk + 1] : count;
      if (next == end) return;
      for (i64 x = b; x < e; ++x) next += phase::number_root(run.parent, static_cast<Id>(x), next);
    });
    for_each_vertex<Id>(run.n, run.threads, [&](Id x) { phase::take_label(run.parent, x); });
  }
  run.watch.lap("number");
  return count;
}

template <class Id>
i64 number_roots(Id* roots, i64 n, int threads) {
  if (n == 0) return 0;
  GraphView graph;
  graph.vertices = n;
  Plan plan;
  plan.threads = threads;
  Profile profile;
  RunContext<Id, false> run(graph, plan, roots, profile);
  run.flat = true;
  return number(run);
}

#define LB_INSTANTIATE(Id)                         \
  template i64 number<Id>(RunContext<Id, false>&); \
  template i64 number_roots<Id>(Id*, i64, int);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

// The sampling phase, and the skip phase after it.
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "error.hpp"
#include "landbridge/policy/find.hpp"
#include "once.hpp"
#include "phases.hpp"
#include "registry_words.hpp"
#include "sampling.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

template <class Id, bool forest>
struct Sampling {
  std::string_view name;
  SamplingResult (*run)(RunContext<Id, forest>&);
};

// A row for another engine has no function here.
#define LB_SAMPLE(name, code, Type, parameters, engines, ...) \
  if constexpr (has_word(engines, "cpu")) rows.push_back({#name, &sampling::Type<Id, forest>});
template <class Id, bool forest>
std::vector<Sampling<Id, forest>> make_table() {
  std::vector<Sampling<Id, forest>> rows;
#include "landbridge/policy/registry.def"
  return rows;
}

}  // namespace

template <class Id, bool forest>
void sample(RunContext<Id, forest>& run) {
  const auto& table = once([] { return make_table<Id, forest>(); });
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == run.plan.sample; });
  if (row == table.end()) throw InputError("no sampling " + run.plan.sample);
  run.sampled_arcs = row->run(run).united_arcs;
}

// Paths of a sample may be as long as a side of a mesh. Where many steps are needed, all threads flatten the trees,
// which flatten_around does anyhow, where it follows; otherwise all edges are united, which takes several times as
// long.
template <class Id, bool forest>
RootCounts<Id> drawn_roots(RunContext<Id, forest>& run) {
  const i64 most_steps = most_drawn_steps.load(std::memory_order_relaxed);
  bool flat = run.flat;
  const auto flatten = [&] {
    run.flatten();
    flat = true;
  };
  if (run.kernel->ranked) flatten();
  const i64 draws = std::min<i64>(run.n, lb::sample::drawn_labels);
  RootCounts<Id> roots(draws);
  i64 steps = 0;
  for (i64 i = 0; i < draws; ++i) {
    const i64 x = random_vertex(run, i);
    if (run.graph.row_begin(x) == run.graph.row_begin(x + 1)) continue;
    Id root = run.parent.load(static_cast<Id>(x));
    for (Id above = run.parent.load(root); above != root; above = run.parent.load(root)) {
      root = above;
      if (++steps > most_steps && !flat) flatten();
    }
    roots.add(root);
  }
  return roots;
}

namespace {

// Points v and its parent at their root, which is returned.
template <class M>
typename M::Cell compress_with_parent(const M& m, typename M::Cell v) {
  const auto p = m.load(v);
  const auto g = m.load(p);
  if (p == g) return p;
  const auto r = find::Naive<>::find(m, g);
  m.store(v, r);
  if (g != r) m.store(p, r);
  return r;
}

}  // namespace

template <class Id, bool forest>
VertexBits flatten_around(RunContext<Id, forest>& run, Id skip) {
  VertexBits outside(run.n);
  std::atomic<i64> skipped{0};
  const bool ranked = run.kernel->ranked;  // flat already
  // A vertex without arcs is none of which anything is looked at. But the arcs of others name it where a caller calls
  // rows symmetric that are not, or changes them meanwhile. Rounds that claim its root must visit it to take that back.
  const bool visits_all = forest && run.rounds != nullptr;
  run.for_vertices_in_order([&](i64 b, i64 e) {
    const SharedMemory<Id> parent = run.parent;
    const GraphView& graph = run.graph;
    // Vertices near each other have the same parent then, and it pays to point that at its root as well. Elsewhere each
    // such store takes a line from another thread's cache.
    const bool near = !ranked && near_parents(b, e, [&](i64 x) { return parent.load(static_cast<Id>(x)); });
    if (!ranked && !near) run.kernel->flatten(run.cells, b, e);
    i64 inside = 0, roots = 0;
    for (i64 i = b; i < e; i += 64) {
      u64 word = 0;
      const i64 last = std::min(e, i + 64);
      for (i64 x = i; x < last; ++x) {
        const Id v = static_cast<Id>(x);
        const Id p = near ? compress_with_parent(parent, v) : parent.load(v);
        word |= static_cast<u64>(p != skip) << (x - i);
        roots += p == v;
      }
      u64 with_arcs = word;
      if (graph.symmetric) {
        for (u64 left = word; left != 0; left &= left - 1) {
          const i64 x = i + std::countr_zero(left);
          if (graph.row_begin(x) == graph.row_begin(x + 1)) with_arcs &= ~(left & (~left + 1));
        }
      }
      outside.words[static_cast<std::size_t>(i >> 6)] = visits_all ? word : with_arcs;
      inside += last - i - std::popcount(with_arcs);
    }
    run.roots[run.chunk_of(b)] = roots;
    skipped.fetch_add(inside, std::memory_order_relaxed);
  });
  run.flat = run.counted = true;
  run.profile.skipped_vertices = skipped.load(std::memory_order_relaxed);
  return outside;
}

#define LB_INSTANTIATE(Id, forest)                                          \
  template void sample<Id, forest>(RunContext<Id, forest>&);                \
  template RootCounts<Id> drawn_roots<Id, forest>(RunContext<Id, forest>&); \
  template VertexBits flatten_around<Id, forest>(RunContext<Id, forest>&, Id);
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

// Finishes by a standalone algorithm.
#include "error.hpp"
#include "phases.hpp"
#include "standalone.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

template <class Id, bool forest>
void run_algorithm(RunContext<Id, forest>& run, const Standalone<Id>& algorithm, const GraphView& graph) {
  const StandaloneResult result =
      algorithm.run({graph, run.cells.parent, run.tree_edges, run.plan.values, run.threads, run.plan.seed});
  run.profile.rounds += result.rounds;
  if (!result.flat) flatten(run.cells.parent, run.n, run.threads);
  if (!result.smallest) roots_to_minima(run.cells.parent, run.n, run.threads);
}

// Endpoints are replaced by their parents in all stages; in the first these are the endpoints.
template <class Id, bool forest>
void run_in_stages(RunContext<Id, forest>& run, const Standalone<Id>& algorithm) {
  run.for_stages([&](i64 from, i64 to) {
    Buffer<Id> u(static_cast<std::size_t>(to - from)), v(static_cast<std::size_t>(to - from));
    parallel_for(to - from, cpu::chunk_arcs, run.threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        u[static_cast<std::size_t>(i)] = run.parent.load(static_cast<Id>(run.graph.a[from + i]));
        v[static_cast<std::size_t>(i)] = run.parent.load(static_cast<Id>(run.graph.b[from + i]));
      }
    });
    GraphView stage;
    stage.vertices = run.n;
    stage.arcs = to - from;
    stage.a = u.data();
    stage.b = v.data();
    run_algorithm(run, algorithm, stage);
  });
}

}  // namespace

template <class Id, bool forest>
void finish_standalone(RunContext<Id, forest>& run) {
  const Plan& plan = run.plan;
  const Standalone<Id>* const algorithm = find_standalone<Id>(plan.finish);
  if (algorithm == nullptr) throw InputError("no finish " + plan.finish);
  if (forest && !algorithm->has("forest")) throw InputError(plan.finish + " makes no spanning forest");
  if (algorithm->has("symmetric"))
    run.require_symmetric_csr();
  else if (!algorithm->has("coo"))
    run.require_csr();
  if (plan.stages > 0 || algorithm->has("stages")) make_singletons(run.cells.parent, run.n, run.threads);
  if (plan.stages > 0)
    run_in_stages(run, *algorithm);
  else
    run_algorithm(run, *algorithm, run.graph);
  run.flat = true;
  run.watch.lap("finish");
}

#define LB_INSTANTIATE(Id, forest) template void finish_standalone<Id, forest>(RunContext<Id, forest>&);
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

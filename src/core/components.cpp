#include "components.hpp"

#include "error.hpp"
#include "phases.hpp"

namespace lb::core {
namespace {

// Unites the endpoints of every edge: sample, skip and finish.
template <class Id, bool forest>
void unite_all(RunContext<Id, forest>& run) {
  const Plan& plan = run.plan;
  if (run.n == 0) return;
  if (plan.csr) run.require_csr();
  if (plan.stages > 0 && run.graph.csr) throw InputError("stages run on COO edge lists, not on CSR");
  if (!plan.find.empty())
    finish_by_link(run);
  else if (is_round(plan.finish))
    finish_in_rounds(run);
  else
    finish_standalone(run);
}

}  // namespace

template <class Id>
i64 components(const GraphView& graph, const Plan& plan, Id* labels, Profile& profile) {
  RunContext<Id, false> run(graph, plan, labels, profile);
  unite_all(run);
  return run.n == 0 ? 0 : number(run);
}

template <class Id>
TreeEdges<Id> spanning_forest(const GraphView& graph, const Plan& plan, Profile& profile) {
  Stopwatch watch(profile.seconds);
  const int threads = std::max(1, plan.threads);
  const EdgeBitmap bitmap(graph.arcs, threads);
  {
    Buffer<Id> parents(static_cast<std::size_t>(graph.vertices));
    watch.lap("edge_bitmap");
    RunContext<Id, true> run(graph, plan, parents.data(), profile, bitmap.bits());
    unite_all(run);
  }
  watch.skip();
  auto edges = tree_edges<Id>(graph, bitmap, threads);
  watch.lap("collect");
  return edges;
}

#define LB_INSTANTIATE(Id)                                                   \
  template i64 components<Id>(const GraphView&, const Plan&, Id*, Profile&); \
  template TreeEdges<Id> spanning_forest<Id>(const GraphView&, const Plan&, Profile&);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

#include "components.hpp"

#include <utility>

#include "error.hpp"
#include "phases.hpp"
#include "reserved_cells.hpp"

namespace lb::core {
namespace {

// Edges of a COO edge list from which address space costs less than copies of them.
constexpr i64 reserved_from = i64{1} << 17;

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
bool reserves_cells(const GraphView& graph, const Plan& plan) {
  const bool edge_by_edge = !plan.find.empty() && plan.sample.empty() && plan.stages == 0 && !plan.csr;
  return sizeof(Id) == sizeof(u32) && !graph.csr && edge_by_edge && graph.arcs >= reserved_from &&
         static_cast<std::size_t>(graph.vertices) * sizeof(u32) >= huge_from;
}

template <class Id>
i64 components(const GraphView& graph, const Plan& plan, Id* labels, Profile& profile, bool any_id) {
  RunContext<Id, false> run(graph, plan, labels, profile, {}, any_id);
  unite_all(run);
  return run.n == 0 ? 0 : number(run);
}

template <class Id>
ForestBits spanning_forest(const GraphView& graph, const Plan& plan, Profile& profile) {
  Stopwatch watch(profile.seconds);
  const int threads = std::max(1, plan.threads);
  EdgeBitmap bitmap(graph.arcs, threads);
  {
    Parents<Id> parents(graph.vertices, reserves_cells<Id>(graph, plan));
    watch.lap("edge_bitmap");
    RunContext<Id, true> run(graph, plan, parents.data(), profile, bitmap.bits(), parents.any_id());
    unite_all(run);
    watch.skip();
    (void)parents.take();  // freed as an array, so that the next one may lie there
  }
  ForestBits forest(std::move(bitmap), threads);
  watch.lap("collect");
  return forest;
}

#define LB_INSTANTIATE(Id)                                                         \
  template i64 components<Id>(const GraphView&, const Plan&, Id*, Profile&, bool); \
  template bool reserves_cells<Id>(const GraphView&, const Plan&);                 \
  template ForestBits spanning_forest<Id>(const GraphView&, const Plan&, Profile&);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

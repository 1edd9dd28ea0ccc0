// Finishes that unite edge by edge with a link, and the passes over the edges that rounds use as well.
#include <atomic>

#include "error.hpp"
#include "phases.hpp"

namespace lb::core {
namespace {

constexpr auto every = [](auto) { return true; };

// Whether the arcs of x may be left out in this round.
template <class Id, bool forest>
bool idle(const RunContext<Id, forest>& run, Id x) {
  return run.rounds != nullptr && run.rounds->active != nullptr && !run.rounds->active(run.cells, x);
}

// The first arcs of every row that need not be united again. Rounds that move single vertices need them: along these
// arcs their labels reach the other vertices of a tree.
template <class Id, bool forest>
i64 united_arcs(const RunContext<Id, forest>& run) {
  const bool trees_move = run.rounds == nullptr || run.rounds->root_based;
  return trees_move ? run.sampled_arcs : 0;
}

template <class Id, bool forest>
void choose_kernel(RunContext<Id, forest>& run) {
  const Plan& plan = run.plan;
  run.kernel = find_kernel<Id>(plan.finish, plan.find, plan.splice);
  if (run.kernel == nullptr) {
    throw InputError("no kernel for " + plan.finish + "(" + plan.find + (plan.splice.empty() ? "" : "," + plan.splice) +
                     ")");
  }
  if (forest && run.kernel->record == nullptr)
    throw InputError("the links of " + plan.finish + " make no spanning forest");
  if (run.kernel->uses_aux) {
    run.aux = Buffer<Id>(static_cast<std::size_t>(run.n), "the auxiliary cells of the plan");
    run.cells.aux = run.aux.data();
  }
  if (run.kernel->ranked) {
    run.words = Buffer<u64>(static_cast<std::size_t>(run.n), "the ranks of the plan");
    run.cells.words = run.words.data();
  }
}

// Edges in stages; from the second on, endpoints are replaced by their parents before they are united (Stages, Cong &
// Muzio 2014).
template <class Id, bool forest>
void unite_in_stages(RunContext<Id, forest>& run) {
  run.for_stages([&](i64 from, i64 to) {
    if (run.kernel->ranked && from > 0) run.flatten();
    run.for_edges(from, to, [&](auto& batch, i64 b, i64 e) {
      if (from == 0) return batch.add_edges(run.graph.a, run.graph.b, b, e);
      for (i64 i = b; i < e; ++i) {
        batch.add(run.parent.load(static_cast<Id>(run.graph.a[i])), run.parent.load(static_cast<Id>(run.graph.b[i])),
                  i);
      }
    });
  });
}

}  // namespace

template <class Id, bool forest>
void unite_edges(RunContext<Id, forest>& run) {
  if (!run.graph.csr) {
    run.unite_list();
    return;
  }
  // Symmetric CSR holds each edge twice: it is united from its larger endpoint, or, in rounds that leave out rows, from
  // every endpoint whose row is active.
  const bool selective = run.rounds != nullptr && run.rounds->active != nullptr;
  run.for_row_pieces([&](auto& batch, Id x, i64 first, const auto& row, i64 count) {
    if (run.graph.symmetric && selective) {
      if (!idle(run, x)) batch.add_row(x, row, first, count, every);
    } else if (run.graph.symmetric) {
      batch.add_row(x, row, first, count, [x](Id v) { return v < x; });
    } else {
      batch.add_row(x, row, first, count, every);
    }
  });
}

template <class Id, bool forest>
void unite_edges_outside(RunContext<Id, forest>& run, const VertexBits& outside) {
  if (run.profile.skipped_vertices == run.n) return;
  const i64 united = united_arcs(run);
  std::atomic<bool> any{false};
  if (run.graph.symmetric) {
    run.for_rows(&outside, [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
      if (degree <= united || idle(run, x)) return;
      if (!any.load(std::memory_order_relaxed)) any.store(true, std::memory_order_relaxed);
      batch.add_row(x, row + united, first + united, degree - united, every);
    });
  } else {
    any.store(true, std::memory_order_relaxed);
    run.for_row_pieces([&](auto& batch, Id x, i64 first, const auto& row, i64 count) {
      if (outside.has(x))
        batch.add_row(x, row, first, count, every);
      else
        batch.add_row(x, row, first, count, [&](Id v) { return outside.has(std::min(v, run.last())); });
    });
  }
  if (any.load(std::memory_order_relaxed)) run.flat = run.counted = false;
}

template <class Id, bool forest>
void finish_by_link(RunContext<Id, forest>& run) {
  choose_kernel(run);
  if (run.plan.sample.empty()) {
    run.start(false);
    run.watch.lap("start");
    if (run.plan.stages > 0)
      unite_in_stages(run);
    else
      unite_edges(run);
  } else {
    run.require_csr();
    sample(run);
    run.watch.lap("sample");
    const VertexBits outside = flatten_around(run, frequent_root(run));
    run.watch.lap("skip");
    unite_edges_outside(run, outside);
  }
  run.watch.lap("finish");
}

#define LB_INSTANTIATE(Id, forest)                                                           \
  template void unite_edges<Id, forest>(RunContext<Id, forest>&);                            \
  template void unite_edges_outside<Id, forest>(RunContext<Id, forest>&, const VertexBits&); \
  template void finish_by_link<Id, forest>(RunContext<Id, forest>&);
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

// Finishes that unite edge by edge with a link, and the passes over the edges that rounds use as well.
#include <algorithm>
#include <atomic>
#include <vector>

#include "error.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/find.hpp"
#include "phases.hpp"
#include "sampling.hpp"

namespace lb::core {
namespace {

// The share of all vertices in the largest tree below which more is sampled.
constexpr double enough = 0.75;
// The share below which nothing is skipped: every edge is united once.
constexpr double hardly_any = 0.4;
// One vertex in so many may lie outside the largest tree before edges among those are united from one end only.
constexpr i64 few_outside = 8;
// Arcs of each row that are united at most when more is sampled.
constexpr i64 more_arcs = 2;
// Arcs per vertex below which that would be most of the graph.
constexpr i64 few_arcs = 6;
// Times as many arcs of a row as are united, beyond which all are united once more.
constexpr i64 long_row = 10;
// Before, edges between trees are searched for: so many searches, each over one arc in so many of all, within two
// bounds. Of at least so many arcs one in so many that leads out of a tree is many.
constexpr i64 searches = 8, search_share = 256, least_searched = 512, most_searched = 1 << 12;
constexpr i64 least_looked_at = 64, many_leaving = 8;

constexpr Every every;

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

// Of those, as many as are worth leaving out where each edge is united once: not few of long rows.
template <class Id, bool forest>
i64 worth_leaving_out(const RunContext<Id, forest>& run) {
  const i64 united = united_arcs(run);
  return united * long_row * run.n >= run.graph.arcs ? united : 0;
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
      if (from == 0) return batch.add_edges(run.graph.a, run.graph.b, b, e, false);
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
  if (run.graph.symmetric && !selective) return run.unite_rows_once(worth_leaving_out(run));
  if (!run.graph.symmetric) return run.unite_rows(worth_leaving_out(run));
  run.for_row_pieces([&](auto& batch, Id x, i64 first, const auto& row, i64 count) {
    if (!idle(run, x)) batch.add_row(x, row, first, count, every);
  });
}

namespace {

// The vertices of `outside` that are in another tree than `skip`, now that their rows are united. Links leave paths of
// any length among them, which are shortened.
template <class Id, bool forest>
VertexBits still_outside(RunContext<Id, forest>& run, const VertexBits& outside, Id skip, std::atomic<bool>& any) {
  VertexBits rest(run.n);
  if (run.kernel->ranked) run.flatten();
  const Id root = find::Naive<>::find(run.parent, skip);
  run.for_vertices_in_order([&](i64 b, i64 e) {
    bool some = false;
    outside.each(b, e, [&](i64 x) {
      if (phase::compress(run.parent, static_cast<Id>(x)) == root) return;
      rest.add(x);
      some = true;
    });
    if (some) any.store(true, std::memory_order_relaxed);
  });
  return rest;
}

// CSR in which an edge may be in the row of one endpoint alone. Rows outside come first: most of their vertices are in
// the largest tree then, and only arcs to the others are looked for in all rows.
template <class Id, bool forest>
void unite_rows_outside(RunContext<Id, forest>& run, const VertexBits& outside, Id skip) {
  if (run.profile.skipped_vertices == run.n) return;
  const double share = static_cast<double>(run.n - run.profile.skipped_vertices) / static_cast<double>(run.n);
  const auto arcs = static_cast<i64>(share * static_cast<double>(run.graph.arcs));
  const i64 united = run.sampled_arcs;
  run.template for_rows_in<true>(outside, arcs, [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
    if (degree > united) batch.add_row(x, row + united, first + united, degree - united, every);
  });
  run.flat = run.counted = false;
  std::atomic<bool> any{false};
  const VertexBits rest = still_outside(run, outside, skip, any);
  run.profile.all_rows_read = any.load(std::memory_order_relaxed);
  if (!run.profile.all_rows_read) return;
  run.unite_arcs_to(rest);
  run.profile.skipped_vertices = 0;
}

}  // namespace

template <class Id, bool forest>
void unite_edges_outside(RunContext<Id, forest>& run, const VertexBits& outside) {
  if (run.profile.skipped_vertices == run.n) return;
  const i64 united = united_arcs(run);
  const auto out = outside.view();
  const Id last = run.last();
  std::atomic<bool> any{false};
  if (run.graph.symmetric) {
    // An edge between two vertices outside is stored in the rows of both.
    const bool twice = run.rounds == nullptr && run.profile.skipped_vertices < run.n - run.n / few_outside;
    const double share = static_cast<double>(run.n - run.profile.skipped_vertices) / static_cast<double>(run.n);
    const auto arcs = static_cast<i64>(share * static_cast<double>(run.graph.arcs));
    run.template for_rows_in<true>(outside, arcs, [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
      if (degree <= united || idle(run, x)) return;
      if (!any.load(std::memory_order_relaxed)) any.store(true, std::memory_order_relaxed);
      const auto rest = row + united;
      first += united, degree -= united;
      if (twice)
        batch.add_row(x, rest, first, degree, [=](Id v) { return (v < x) | !out.has(std::min(v, last)); });
      else
        batch.add_row(x, rest, first, degree, every);
    });
  } else {
    any.store(true, std::memory_order_relaxed);
    run.for_row_pieces([&](auto& batch, Id x, i64 first, const auto& row, i64 count) {
      if (outside.has(x))
        batch.add_row(x, row, first, count, every);
      else
        batch.add_row(x, row, first, count, [=](Id v) { return out.has(std::min(v, last)); });
    });
  }
  if (any.load(std::memory_order_relaxed)) run.flat = run.counted = false;
}

// A sampling is judged by what it has left: where the largest tree is small, one more arc of every row is united behind
// the first `from`: the next one, or, where a row repeats its neighbours, one far away. Not if that would be most of
// the edges. step: how often that was done before.
template <class Id, bool forest>
void sample_more(RunContext<Id, forest>& run, i64 from, i64 step) {
  std::atomic<bool> apart{false};
  run.for_rows(run.n, [&](auto& batch, Id x, i64 first, const auto& row, i64 degree) {
    const i64 rest = degree - from;
    if (rest <= step) return;
    const bool repeats = from > 0 && rest > more_arcs && row.unbounded(from) == row.unbounded(from - 1);
    if (repeats && !apart.load(std::memory_order_relaxed)) apart.store(true, std::memory_order_relaxed);
    const i64 i = from + (repeats ? rest * (more_arcs - step) / more_arcs - 1 : step);
    batch.add(x, static_cast<Id>(row.unbounded(i)), first + i);
  });
  if (!apart.load(std::memory_order_relaxed)) run.sampled_arcs = from + step + 1;
  run.watch.lap("sample_more");
}

// Whether a search from x inside of its tree meets others that more sampling would join to it: many edges lead out, or
// one leads to a tree that is a quarter as large, by the `drawn` roots. Paths are shortened on the way, as no
// other thread runs.
template <class Id, bool forest>
bool is_part(RunContext<Id, forest>& run, VertexBits& reached, i64 x, i64 most, const RootCounts<Id>& drawn) {
  const GraphView& graph = run.graph;
  const Id root = phase::compress(run.parent, static_cast<Id>(x));
  const auto large = std::max<i64>(2, drawn.of(root) / 4);
  std::vector<i64> queue(1, x);
  reached.add(x);
  i64 looked_at = 0, leaving = 0;
  for (std::size_t head = 0; head < queue.size() && looked_at < most; ++head) {
    const i64 begin = graph.row_begin(queue[head]), end = graph.row_begin(queue[head] + 1);
    for (i64 a = begin; a < end && looked_at < most; ++a, ++looked_at) {
      const auto v = static_cast<i64>(graph.a[a]);
      const Id other = phase::compress(run.parent, static_cast<Id>(v));
      if (other == root) {
        if (reached.has(v)) continue;
        reached.add(v);
        queue.push_back(v);
      } else if (++leaving, drawn.of(other) >= large) {
        return true;
      }
    }
    if (looked_at >= least_looked_at && leaving * many_leaving >= looked_at) return true;
  }
  return leaving * many_leaving >= looked_at;
}

// Whether the trees of a few random vertices are whole components, or nearly so: then more sampling joins few of them.
// drawn: the roots as they are.
template <class Id, bool forest>
bool trees_are_whole(RunContext<Id, forest>& run, const RootCounts<Id>& drawn) {
  const i64 most = std::clamp<i64>(run.graph.arcs / search_share, least_searched, most_searched);
  VertexBits reached(run.n);
  int parts = 0;
  for (i64 i = 0; i < std::min(searches, run.n) && parts < 2; ++i) {
    const i64 x = random_vertex(run, i);
    if (!reached.has(x)) parts += is_part(run, reached, x, most, drawn);
  }
  return parts < 2;
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
    RootCounts<Id> drawn = drawn_roots(run);
    FrequentRoot<Id> largest = drawn.most_frequent();
    if (run.plan.adapt && largest.share < enough) {
      const i64 from = run.sampled_arcs;
      run.profile.sampled_further = run.graph.arcs >= few_arcs * run.n && !trees_are_whole(run, drawn);
      if (run.profile.sampled_further) {
        for (i64 step = 0; step < more_arcs && largest.share < enough; ++step) {
          if (step > 0 && largest.share < hardly_any && trees_are_whole(run, drawn)) break;
          sample_more(run, from, step);
          drawn = drawn_roots(run);
          largest = drawn.most_frequent();
        }
      }
      if (largest.share < hardly_any) {
        run.profile.united_all = true;
        unite_edges(run);
        run.watch.lap("finish");
        return;
      }
    }
    const VertexBits outside = flatten_around(run, largest.root);
    run.watch.lap("skip");
    if (run.graph.symmetric)
      unite_edges_outside(run, outside);
    else
      unite_rows_outside(run, outside, largest.root);
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

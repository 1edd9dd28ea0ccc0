// Finishes in rounds: policy/round.hpp.
#include <optional>
#include <utility>

#include "edge_buffer.hpp"
#include "error.hpp"
#include "landbridge/phase/round.hpp"
#include "phases.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

template <class Id, bool forest>
class RoundsRun {
 public:
  explicit RoundsRun(RunContext<Id, forest>& run) : run_(run), rounds_(choose(run)) { run_.rounds = &rounds_; }

  void finish() {
    std::optional<VertexBits> outside;
    if (run_.plan.sample.empty()) {
      make_singletons(run_.cells.parent, run_.n, run_.threads);
      run_.watch.lap("start");
    } else {
      outside = sample_and_skip();
    }
    run_.kernel = &rounds_.connect;
    if (!outside || run_.profile.skipped_vertices < run_.n) {
      if (rounds_.uses_old) {
        run_.aux = Buffer<Id>(static_cast<std::size_t>(run_.n));
        run_.cells.aux = run_.aux.data();
      }
      if (outside)
        until_stable(outside->words.data(), [&] { unite_edges_outside(run_, *outside); }, [] { return true; });
      else if (rounds_.rewrites || run_.plan.stages > 0)
        rounds_on_copies();
      else
        until_stable(nullptr, [&] { unite_edges(run_); }, [] { return true; });
      if (!forest) restore_labels();
      if (!run_.graph.symmetric) run_.profile.skipped_vertices = 0;  // every round has read all rows
    }
    run_.watch.lap("finish");
  }

 private:
  static const Rounds<Id>& choose(const RunContext<Id, forest>& run) {
    const Plan& plan = run.plan;
    const Rounds<Id>* const rounds = find_rounds<Id>(plan.finish, plan.values.words());
    if (rounds == nullptr) throw InputError("no rounds " + plan.finish + " with these words");
    if (forest && rounds->claim.record == nullptr)
      throw InputError("these rounds " + plan.finish + " make no spanning forest");
    if (rounds->rewrites && run.graph.csr)
      throw InputError("rounds that rewrite edges run on COO edge lists, not on CSR");
    return *rounds;
  }

  // Rounds have no union of their own: a link unites the sample.
  VertexBits sample_and_skip() {
    run_.kernel = find_kernel<Id>("rem_cas", "naive", "split_one");
    run_.require_csr();
    sample(run_);
    run_.watch.lap("sample");
    const Id largest = drawn_roots(run_).most_frequent().root;
    VertexBits outside = flatten_around(run_, largest);
    if (run_.profile.skipped_vertices < run_.n) relabel(largest);
    run_.watch.lap("skip");
    return outside;
  }

  void relabel(Id largest) {
    run_.cells.relabeled_root = largest;
    if (largest == 0) return;
    for_each_vertex<Id>(run_.n, run_.threads,
                        [&](Id x) { phase::relabel(run_.parent, phase::Relabel<Id>{largest}, x); });
  }

  // Undoes relabel(), behind the last round: every label is the smallest vertex of its component.
  void restore_labels() {
    run_.flatten();
    const Id root = run_.cells.relabeled_root;
    if (root != 0) {
      const auto& parent = run_.parent;
      const Id zero = parent.load(0);
      parent.store(0, parent.load(root));
      parent.store(root, zero);
      roots_to_minima(run_.cells.parent, run_.n, run_.threads);
    }
    run_.flat = true;
    run_.counted = false;
  }

  // Rounds until one changes nothing, from a forest of stars; also until `after` says that no edge is left. `connect`
  // hands every edge to the kernel. Passes visit the vertices in `subset`, or all if it is null.
  template <class Connect, class After>
  void until_stable(const u64* subset, const Connect& connect, const After& after) {
    run_.for_vertices([&](i64 b, i64 e) { rounds_.begin(run_.cells, b, e); });
    for (;;) {
      ++run_.profile.rounds;
      run_.changed.store(false, std::memory_order_relaxed);
      run_.kernel = &rounds_.connect;
      connect();
      if (forest && run_.changed.load(std::memory_order_relaxed)) {
        run_.kernel = &rounds_.claim;
        connect();
      }
      for (int k = 0; k < rounds_.passes; ++k) {
        run_.for_vertices([&](i64 b, i64 e) { rounds_.pass(run_.cells, k, subset, b, e); });
      }
      if (!run_.changed.load(std::memory_order_relaxed) || !after()) return;
    }
  }

  // Edges that the rounds rewrite, and stages, whose edges are replaced by their parents at the beginning of the stage.
  void rounds_on_copies() {
    const GraphView& graph = run_.graph;
    const bool staged = run_.plan.stages > 0;
    EdgeBuffer<Id, forest> edges(staged ? run_.stage_edges() : graph.arcs, run_.threads);
    const auto stage = [&](i64 from, i64 to) {
      if (from > 0) run_.flatten();
      edges.load(to - from, [&](i64 i) {
        const Id u = static_cast<Id>(graph.a[from + i]), v = static_cast<Id>(graph.b[from + i]);
        return from > 0 ? std::pair{run_.parent.load(u), run_.parent.load(v)} : std::pair{u, v};
      });
      until_stable(nullptr, [&] { connect_copies(edges, from); }, [&] { return !rounds_.rewrites || rewrite(edges); });
    };
    if (staged)
      run_.for_stages(stage);
    else
      stage(0, graph.arcs);
  }

  void connect_copies(const EdgeBuffer<Id, forest>& edges, [[maybe_unused]] i64 from) {
    const Kernel<Id>& kernel = *run_.kernel;
    const bool serial = run_.threads == 1;
    edges.each([&](const Id* u, const Id* v, i64 count, [[maybe_unused]] const i64* at) {
      if constexpr (forest) {
        (serial ? kernel.record_serial : kernel.record)(run_.cells, u, v, count, run_.tree_edges, {from, at});
      } else {
        (serial ? kernel.unite_serial : kernel.unite)(run_.cells, u, v, count);
      }
    });
  }

  bool rewrite(EdgeBuffer<Id, forest>& edges) {
    const round::Labels<SharedMemory<Id>> labels{run_.parent, SharedMemory<Id>(run_.cells.aux)};
    return edges.thin_out([&](Id& u, Id& v) { return phase::rewrite(labels, u, v); });
  }

  RunContext<Id, forest>& run_;
  const Rounds<Id>& rounds_;
};

}  // namespace

template <class Id, bool forest>
void finish_in_rounds(RunContext<Id, forest>& run) {
  RoundsRun<Id, forest>(run).finish();
}

#define LB_INSTANTIATE(Id, forest) template void finish_in_rounds<Id, forest>(RunContext<Id, forest>&);
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

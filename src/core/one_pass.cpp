#include "one_pass.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "extremes.hpp"
#include "owned_pass.hpp"
#include "phases.hpp"
#include "reserved_cells.hpp"

namespace lb::core {
namespace {

// Parents of vertices that turn up one after another.
class GrowingParents {
 public:
  static constexpr i64 most = (i64{1} << 31) - 1;
  bool reserved() const { return cells_.reserved(); }
  u32* cells() { return cells_.data(); }
  void expect(i64 n) {
    expected_ = std::min(n, most);
    cells_.expect(expected_);
  }
  // Makes the first n vertices with several threads, before any of them has a use.
  void prepare(i64 n, int threads) {
    n = std::min(n, most);
    parallel_for(n, step, threads, [&](i64 b, i64 e, int) { make(b, e); });
    ready_.store(n, std::memory_order_release);
  }
  // Every vertex below n exists when this returns; any thread may call it.
  void grow(i64 n) {
    if (ready_.load(std::memory_order_acquire) >= n) return;
    const std::lock_guard lock(growing_);
    const i64 from = ready_.load(std::memory_order_relaxed);
    if (from >= n) return;
    // Beyond what is expected in steps, so that ascending ids do not come here for every chunk.
    const i64 to = n <= expected_ ? expected_ : std::min(most, std::max(n, from + std::max(least_step, from / 8)));
    make(from, to);
    ready_.store(to, std::memory_order_release);
  }
  Buffer<u32> take(i64 n) { return cells_.take(n, std::max(n, ready_.load(std::memory_order_relaxed))); }

 private:
  static constexpr i64 step = i64{1} << 18, least_step = i64{1} << 14;
  void make(i64 from, i64 to) {
    for (i64 x = from; x < to; ++x) cells()[x] = static_cast<u32>(x);
  }
  ReservedCells cells_;
  i64 expected_ = 0;
  std::atomic<i64> ready_{0};
  std::mutex growing_;
};

// Unites the endpoints of edges, and returns the number of vertices; nothing if an id is out of bounds.
template <bool forest>
std::optional<i64> unite_unchecked(const Kernel<u32>& kernel, const IdArray& u, const IdArray& v, i64 edges,
                                   const Plan& plan, const EdgeBits& tree_edges, GrowingParents& parents,
                                   Profile& profile) {
  const int threads = std::max(1, plan.threads);
  LoopChoice loop;
  // Ids far beyond the number of edges would touch memory out of proportion to the input.
  const i64 most = 16 * edges + (i64{1} << 20);
  std::atomic<i64> vertices{0};
  std::atomic<bool> refused{false};
  const bool may = may_own(kernel, forest, threads, plan.owners);
  const EdgeDivision division = divide_edges(u, v, edges, may ? threads : 1);
  const u64 limit = static_cast<u64>(std::min(GrowingParents::most, most));
  // As far as a few of the ids show.
  const bool few = division.largest < limit && cached<u32>(static_cast<i64>(division.largest) + 1);
  const Cells<u32> cells{.parent = parents.cells(),
                         .distance = few ? cpu::Distance::cached : cpu::Distance::far,
                         .choice = plan.climb ? &loop : nullptr};
  if (division.largest < limit) {
    const i64 n = static_cast<i64>(division.largest) + 1;
    vertices.store(n, std::memory_order_relaxed);
    parents.expect(n);
    if (threads > 1) parents.prepare(n, threads);
  }
  const auto admit = [&](i64 b, i64 e) {
    if (refused.load(std::memory_order_relaxed)) return false;
    const i64 current = vertices.load(std::memory_order_relaxed);
    if (all_below(u, b, e, static_cast<u64>(current)) && all_below(v, b, e, static_cast<u64>(current))) {
      parents.grow(current);
      return true;
    }
    // A negative id shows as a huge one. Compared before 1 is added: the largest, -1, would wrap to a graph without
    // vertices.
    const u64 largest = std::max(max_in(u, b, e), max_in(v, b, e));
    if (largest >= limit) {
      refused.store(true, std::memory_order_relaxed);
      return false;
    }
    const i64 n = static_cast<i64>(largest) + 1;
    parents.grow(n);
    raise_to(vertices, n);
    return true;
  };
  // An id that changes behind `admit` has a cell as well.
  const ListPass pass = unite_edge_list<u32, forest>(
      kernel, cells, tree_edges, u, v, edges, division, threads, true, plan.skip_tree, true,
      [&] { return vertices.load(std::memory_order_relaxed); }, admit);
  profile.owned_edges += pass.owned;
  profile.climbed_edges += pass.climbed + loop.climbed();
  profile.skipped_edges += pass.left_out;
  if (refused.load(std::memory_order_relaxed)) return std::nullopt;
  return vertices.load(std::memory_order_relaxed);
}

// The kernel of a plan that needs nothing but the parents; null for any other plan.
const Kernel<u32>* kernel_for_one_pass(const Plan& plan) {
  const auto* kernel = find_kernel<u32>(plan.finish, plan.find, plan.splice);
  const bool edge_by_edge = plan.sample.empty() && plan.stages == 0;
  return edge_by_edge && kernel != nullptr && !kernel->ranked && !kernel->uses_aux ? kernel : nullptr;
}

}  // namespace

std::optional<OnePassComponents> components_in_one_pass(const IdArray& u, const IdArray& v, i64 edges, const Plan& plan,
                                                        Profile& profile) {
  const auto* kernel = kernel_for_one_pass(plan);
  GrowingParents parents;
  if (kernel == nullptr || !parents.reserved()) return std::nullopt;
  Stopwatch watch(profile.seconds);
  const auto n = unite_unchecked<false>(*kernel, u, v, edges, plan, {}, parents, profile);
  if (!n) return std::nullopt;
  watch.lap("finish");
  OnePassComponents result;
  if (*n > 0) {
    GraphView graph;
    graph.vertices = *n;
    RunContext<u32, false> run(graph, plan, parents.cells(), profile);
    run.kernel = kernel;
    result.count = number(run);
  }
  result.labels = parents.take(*n);
  return result;
}

std::optional<OnePassForest> forest_in_one_pass(const IdArray& u, const IdArray& v, i64 edges, const Plan& plan,
                                                Profile& profile) {
  const auto* kernel = kernel_for_one_pass(plan);
  GrowingParents parents;
  if (kernel == nullptr || kernel->record == nullptr || !parents.reserved()) return std::nullopt;
  Stopwatch watch(profile.seconds);
  const int threads = std::max(1, plan.threads);
  EdgeBitmap bitmap(edges, threads);
  watch.lap("edge_bitmap");
  const auto n = unite_unchecked<true>(*kernel, u, v, edges, plan, bitmap.bits(), parents, profile);
  if (!n) return std::nullopt;
  watch.lap("finish");
  OnePassForest result{*n, ForestBits(std::move(bitmap), threads)};
  (void)parents.take(*n);  // freed, so that the arrays of the forest may lie there
  watch.lap("collect");
  return result;
}

}  // namespace lb::core

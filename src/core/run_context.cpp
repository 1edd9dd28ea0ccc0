#include "run_context.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "edge_queue.hpp"
#include "interrupt.hpp"
#include "owned_pass.hpp"
#include "thread_choice.hpp"

namespace lb::core {
namespace {

// Rows after which their owner looks back at how many arcs were cut off.
constexpr i64 owned_rows = 1024;
// Arcs below which no other thread is woken for them.
constexpr i64 few_looked_at = i64{1} << 13;
// Arcs below which one thread unites them as long as it is fast.
constexpr i64 too_few_arcs = i64{1} << 19;

// Whether the neighbours of a few of these rows lie near them.
bool near_rows(const GraphView& graph, i64 b, i64 e) {
  constexpr i64 rows = 8;
  i64 far = 0;
  for (i64 i = 0; i < rows; ++i) {
    const i64 x = b + (e - b) * i / rows;
    const i64 first = graph.row_begin(x), end = graph.row_begin(x + 1);
    if (first >= end) continue;
    const auto from_x = [&](i64 arc) { return std::abs(static_cast<i64>(graph.a[arc]) - x); };
    far += std::max(from_x(first), from_x(end - 1)) > cpu::near_vertices;
  }
  return far <= 1;
}

// The first row that begins at or behind an arc.
i64 row_of(const GraphView& graph, i64 arc) {
  i64 low = 0, high = graph.vertices;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (graph.row_begin(middle) < arc)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// A pass over a CSR graph; positions are its rows or its arcs. What is called here is called for whole parts, so it is
// compiled once for each kind of run, and not for each body.
template <class Id, bool forest>
class DividedPass {
 public:
  using Unions = UnionBuffer<Id, forest>;
  using Visit = FunctionRef<void(Unions& batch, i64 x, i64 begin, i64 end)>;

  DividedPass(RunContext<Id, forest>& run, const CsrPass& pass, Visit visit) : run_(run), pass_(pass), visit_(visit) {}

  void unite() {
    unite_by_time(unite_by_owners());
    unite_cut_walks(*run_.kernel, run_.cells, run_.tree_edges, owned_, run_.threads);
    for (const auto& range : owned_) {
      run_.profile.owned_edges += range.edges() - range.walks();
      run_.profile.climbed_edges += range.climbed();
    }
  }

 private:
  using Parts = std::vector<std::pair<i64, i64>>;

  i64 positions() const { return pass_.by_rows ? run_.n : run_.graph.arcs; }
  i64 position_of_row(i64 x) const { return pass_.by_rows ? x : run_.graph.row_begin(x); }
  i64 arc_at(i64 position) const { return pass_.by_rows ? run_.graph.row_begin(position) : position; }
  EdgeBits bits_of(i64 begin, i64 end) const { return run_.tree_edges.exclusive(arc_at(begin), arc_at(end)); }

  void visit(Unions& batch, i64 begin, i64 end) const {
    const i64 x = pass_.by_rows ? begin : row_at(run_.graph.offsets, run_.n, begin);
    batch.near(near_rows(run_.graph, x, pass_.by_rows ? end : std::min(run_.n, x + owned_rows)));
    visit_(batch, x, begin, end);
  }

  // In ranges of rows with about equal numbers of arcs. What is left is returned; all, if rows have no owners here.
  Parts unite_by_owners() {
    std::vector<i64> begin{0};
    std::vector<i64> stopped{0};
    if (may_own(*run_.kernel, forest, run_.threads, run_.plan.owners)) {
      const i64 ranges = ranges_per_thread * run_.threads;
      for (i64 r = 1; r < ranges; ++r)
        begin.push_back(std::max(begin.back(), row_of(run_.graph, run_.graph.arcs / ranges * r) / 64 * 64));
      stopped.resize(begin.size());
      owned_.resize(begin.size());
    }
    begin.push_back(run_.n);
    parallel_for(static_cast<i64>(owned_.size()), 1, run_.threads, [&](i64 r, i64, int) {
      const auto i = static_cast<std::size_t>(r);
      owned_[i] = {static_cast<u64>(begin[i]), static_cast<u64>(begin[i + 1]),
                   cut_limit(pass_.looked_at, std::ssize(owned_)), run_.singletons};
      stopped[i] = unite_owned(owned_[i], position_of_row(begin[i]), position_of_row(begin[i + 1]));
      owned_[i].unite_crossing(*run_.kernel, run_.cells, run_.tree_edges);
    });
    run_.singletons = false;
    Parts left;
    for (std::size_t i = 0; i < stopped.size(); ++i) {
      const i64 end = position_of_row(begin[i + 1]);
      if (stopped[i] < end) left.emplace_back(stopped[i], end);
    }
    return left;
  }
  // Returns where the owner of a range has stopped, or `end`.
  i64 unite_owned(OwnedRange<Id, forest>& range, i64 begin, i64 end) const {
    const i64 piece = pass_.by_rows ? owned_rows : cpu::chunk_arcs;
    Unions batch(*run_.kernel, run_.cells, bits_of(begin, end), range, run_.last());
    for (i64 at = begin, next = 0; at < end; at = next) {
      stop_point();
      next = std::min(end, at + piece);
      visit(batch, at, next);
      if (!range.goes_on()) return next;
    }
    return end;
  }

  // What is left, without owners.
  void unite_by_time(const Parts& left) {
    EdgeQueue queue(positions());
    for (const auto& [from, to] : left) queue.add({from, to, false});
    const double each = static_cast<double>(pass_.looked_at) / static_cast<double>(std::max<i64>(1, positions()));
    const auto arcs_of = [&](i64 some) { return static_cast<i64>(std::ceil(each * static_cast<double>(some))); };
    const i64 arcs = arcs_of(queue.edges());
    const int most = pass_.by_rows && pass_.looked_at < few_looked_at ? 1 : run_.threads;
    const bool few_cells = most == 2 && nearly_cached<Id>(run_.n);
    ThreadChoice choice(most, arcs, arcs < too_few_arcs, pass_.by_time && run_.rounds == nullptr, true, few_cells);
    std::vector<BusyThread> busy(static_cast<std::size_t>(most));
    while (queue.edges() > 0) {
      const i64 before = queue.edges();
      i64 next = before;
      if (choice.compares() && arcs_of(before) > choice.next() * 3 / 2)
        next = std::max<i64>(1, static_cast<i64>(static_cast<double>(choice.next()) / each));
      const bool alone = choice.threads() == 1;
      // One thread alone takes rows in their order: so the first edge of a row finds its vertex alone.
      auto parts = queue.take(next, alone ? 1 : most);
      TurnBound bound(choice);
      parallel_for(static_cast<i64>(parts.size()), 1, choice.threads(), [&](i64 i, i64, int worker) {
        EdgePart& place = parts[static_cast<std::size_t>(i)];
        const i64 of_part = arcs_of(place.end - place.begin);
        if (!bound.admits(of_part)) return;
        const EdgePart part = std::exchange(place, {0, 0, false});
        const BusyThread::Turn turn(busy[static_cast<std::size_t>(worker)], of_part);
        Unions batch(*run_.kernel, run_.cells, bits_of(part.begin, part.end), alone, run_.last());
        visit(batch, part.begin, part.end);
      });
      for (const EdgePart& part : parts) queue.add(part);
      choice.add(arcs_of(before - queue.edges()), BusyThread::ns_of_edge(busy));
    }
  }

  RunContext<Id, forest>& run_;
  const CsrPass pass_;
  const Visit visit_;
  std::vector<OwnedRange<Id, forest>> owned_;
};

}  // namespace

template <class Id, bool forest>
void RunContext<Id, forest>::unite_csr(const CsrPass& pass,
                                       FunctionRef<void(Unions& batch, i64 x, i64 begin, i64 end)> visit) {
  DividedPass<Id, forest>(*this, pass, visit).unite();
}

template <class Id, bool forest>
void RunContext<Id, forest>::unite_rows(i64 united) {
  for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64 x, i64 b, i64 e) {
    batch.add_arcs(offsets, neighbors, n, x, b, e, united);
  });
}

template <class Id, bool forest>
void RunContext<Id, forest>::unite_rows_once(i64 united) {
  for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64 x, i64 b, i64 e) {
    batch.add_smaller(offsets, neighbors, n, x, b, e, united);
  });
}

template <class Id, bool forest>
void RunContext<Id, forest>::unite_arcs_to(const VertexBits& subset) {
  constexpr int most = 7;  // times as many arcs that are not looked at
  const auto in_subset = [last = last(), in = subset.view()](Id v) { return in.has(std::min(v, last)); };
  for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64 x, i64 b, i64 e) {
    int unseen = 0, left = 0;
    for (i64 at = b; at < e; at += arcs_at_once) {
      const i64 end = std::min(e, at + arcs_at_once);
      if (left > 0) {
        --left;
      } else {
        const bool any = lead_to_any(subset.words.data(), last(), neighbors.data + at, end - at);
        unseen = any ? std::min(2 * unseen + 1, most) : 0;
        if (!any) continue;
        left = unseen - 1;
      }
      for (; x < n; ++x) {
        const i64 row_end = static_cast<i64>(offsets[x + 1]), to = std::min(row_end, end);
        const i64 from = std::max(static_cast<i64>(offsets[x]), at);
        if (from < to && !subset.has(x))
          batch.add_row(static_cast<Id>(x), neighbors + from, from, to - from, in_subset);
        if (row_end > end) break;
      }
    }
  });
}

template <class Id, bool forest>
void RunContext<Id, forest>::unite_list() {
  const bool may = may_own(*kernel, forest, threads, plan.owners);
  const EdgeDivision division = divide_edges(graph.a, graph.b, graph.arcs, may ? threads : 1);
  // Rounds need every edge, and cells with a rank have no parent of their own.
  const bool sifts = plan.skip_tree && rounds == nullptr && !kernel->ranked;
  const ListPass pass = unite_edge_list<Id, forest>(
      *kernel, cells, tree_edges, graph.a, graph.b, graph.arcs, division, threads, only_parents(), sifts,
      rounds == nullptr, [&] { return n; }, [](i64, i64) { return true; });
  profile.owned_edges += pass.owned;
  profile.climbed_edges += pass.climbed;
  profile.skipped_edges += pass.left_out;
  singletons = false;
}

template <class Id, bool forest>
void RunContext<Id, forest>::make_symmetric_csr() {
  csr = symmetric_csr<Id>(graph, threads, forest);
  graph = symmetric_view(csr);
  tree_edges.origin = forest ? csr.origins.data() : nullptr;
  watch.lap("csr");
}

#define LB_INSTANTIATE(Id, forest) template struct RunContext<Id, forest>;
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

// What the phases of a run on CPU threads share: the graph, the working arrays, and the loops over vertices and edges.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "components.hpp"
#include "edge_batches.hpp"
#include "interrupt.hpp"
#include "landbridge/memory.hpp"
#include "owned_pass.hpp"
#include "rounds.hpp"
#include "stopwatch.hpp"
#include "threads.hpp"

namespace lb::core {

// Rows after which their owner looks back at how many arcs were cut off.
constexpr i64 owned_rows = 1024;
// Arcs below which no other thread is woken for them.
constexpr i64 few_looked_at = i64{1} << 13;
// Arcs below which one thread unites them as long as it is fast.
constexpr i64 too_few_arcs = i64{1} << 19;

// Vertices below which a pass that takes less than half a nanosecond for each is faster than waking another thread.
constexpr i64 few_vertices = i64{1} << 18;

// A set of vertices. A chunk of a pass owns whole words, so its thread writes them plainly.
struct VertexBits {
  std::vector<u64> words;
  explicit VertexBits(i64 n) : words(static_cast<std::size_t>((n + 63) / 64), 0) {}
  // The members, for loops that write to other memory: nothing is read twice.
  struct View {
    const u64* words;
    bool has(i64 x) const { return (words[x >> 6] >> (x & 63) & 1) != 0; }
  };
  View view() const { return {words.data()}; }
  bool has(i64 x) const { return view().has(x); }
  void add(i64 x) { words[static_cast<std::size_t>(x >> 6)] |= u64{1} << (x & 63); }
  // The members in [begin, end), ascending; begin is a multiple of 64.
  template <class F>
  void each(i64 begin, i64 end, const F& visit) const {
    for (i64 base = begin; base < end; base += 64) {
      for (u64 word = words[static_cast<std::size_t>(base >> 6)]; word != 0; word &= word - 1)
        visit(base + std::countr_zero(word));
    }
  }
};
static_assert(cpu::chunk_vertices % 64 == 0);

// With `forest`, the edges that link are added to `tree_edges`, and the parents are all that the run leaves.
template <class Id, bool forest>
struct RunContext {
  using Unions = UnionBuffer<Id, forest>;

  RunContext(const GraphView& g, const Plan& p, Id* labels, Profile& run_profile, const EdgeBits& bits = {},
             bool cells_of_any_id = false)
      : graph(g),
        plan(p),
        n(g.vertices),
        threads(std::max(1, p.threads)),
        any_id(cells_of_any_id),
        parent(labels),
        tree_edges(bits),
        profile(run_profile),
        watch(run_profile.seconds),
        roots(static_cast<std::size_t>((n + cpu::chunk_vertices - 1) / cpu::chunk_vertices)) {
    cells.parent = labels;
    cells.changed = &changed;
    cells.distance = distance_of<Id>(n);
    if (plan.climb) cells.choice = &loop_;
  }
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;
  ~RunContext() { profile.climbed_edges += loop_.climbed(); }

  GraphView graph;
  const Plan& plan;
  const i64 n;
  const int threads;
  const bool any_id;  // there is a cell behind `parent` for every number of 32 bits (ReservedCells)
  SharedMemory<Id> parent;
  EdgeBits tree_edges;
  Profile& profile;
  Stopwatch watch;
  const Kernel<Id>* kernel = nullptr;  // what unites edges: a link, or one round
  const Rounds<Id>* rounds = nullptr;  // the rule in rounds, if it is one
  Cells<Id> cells;
  std::atomic<bool> changed{false};  // rounds: whether a label has changed in this one
  Buffer<Id> aux;
  Buffer<u64> words;
  CsrArrays<Id> csr;        // made during the run
  i64 sampled_arcs = 0;     // the first arcs of every row, united by the sampling
  std::vector<i64> roots;   // in each chunk of vertices
  bool singletons = false;  // every vertex is a tree of its own, as far as this run has seen to it
  bool flat = false;        // every parent is a root
  bool counted = false;     // `roots` is that of the forest as it is

  // Passes over the vertices: body(begin, end), each vertex in one call.
  template <class F>
  void for_vertices(const F& body) {
    for_vertices(body, threads);
  }
  template <class F>
  void for_vertices(const F& body, int most) {
    parallel_for(n, cpu::chunk_vertices, most, [&](i64 b, i64 e, int) { body(b, e); });
  }
  // Of a pass that climbs from each vertex to its root: the vertices below it are often near it, and flat already.
  template <class F>
  void for_vertices_in_order(const F& body) {
    parallel_in_order(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { body(b, e); });
  }
  // Of a pass that takes little time for each vertex.
  int fast_pass_threads() const { return n < few_vertices ? 1 : threads; }

  // Passes over the stored edges [from, to): body(batch, begin, end).
  template <class F>
  void for_edges(i64 from, i64 to, const F& body) {
    singletons = false;
    parallel_for(to - from, cpu::chunk_arcs, threads, [&](i64 b, i64 e, int) {
      Unions batch(*kernel, cells, tree_edges.exclusive(from + b, from + e), threads == 1, last());
      body(batch, from + b, from + e);
    });
  }

  // Visits the rows of all vertices, or of those in `subset`: body(batch, x, first arc, row, degree), never an empty
  // row. A row lies anywhere, and its first line is prefetched. looked_at: how many arcs that is, about. whole: for
  // bodies that read whole rows, which would take as long as all rows are together were offsets to fall meanwhile: rows
  // do not overlap then.
  template <bool whole = false, class F>
  void for_rows(const VertexBits* subset, i64 looked_at, const F& body) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      const auto visit_rows = [&, offsets, neighbors](Unions& batch, i64 b, i64 e) {
        batch.near(near_rows(offsets, neighbors, b, e));
        i64 visited = 0;  // the end of the last row
        const auto visit = [&](i64 x) {
          const i64 row = whole ? std::max(static_cast<i64>(offsets[x]), visited) : static_cast<i64>(offsets[x]);
          const i64 degree = static_cast<i64>(offsets[x + 1]) - row;
          if (degree <= 0) return;
          if constexpr (whole) visited = row + degree;
          body(batch, static_cast<Id>(x), row, neighbors + row, degree);
        };
        if (subset != nullptr) {
          subset->each(b, e, visit);
          return;
        }
        for (i64 x = b; x < e; ++x) {
          if (x + cpu::rows_ahead < e) neighbors.prefetch(static_cast<i64>(offsets.unbounded(x + cpu::rows_ahead)));
          visit(x);
        }
      };
      const auto bits_of = [&](i64 b, i64 e) {
        return tree_edges.exclusive(static_cast<i64>(offsets[b]), static_cast<i64>(offsets[e]));
      };
      const auto owner = [&](OwnedRange<Id, forest>& range, i64 b, i64 e) {
        Unions batch(*kernel, cells, bits_of(b, e), range, last());
        for (i64 x = b; x < e; x += owned_rows) {
          stop_point();
          visit_rows(batch, x, std::min(e, x + owned_rows));
          if (!range.goes_on()) return std::min(e, x + owned_rows);
        }
        return e;
      };
      const auto left = unite_by_owners(looked_at, owner, [](i64 x) { return x; });
      const int most = looked_at < few_looked_at ? 1 : threads;
      unite_by_time(left, n, looked_at, most, subset == nullptr, [&](i64 from, i64 to, bool alone) {
        Unions batch(*kernel, cells, bits_of(from, to), alone, last());
        visit_rows(batch, from, to);
      });
      finish_owners();
    });
  }

  // Visits all rows in pieces: body(batch, x, first arc, piece, count).
  template <class F>
  void for_row_pieces(const F& body) {
    for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64, i64 b, i64 e) {
      core::for_row_pieces(offsets, neighbors, n, b, e, [&](i64 x, const auto& row, i64 count) {
        body(batch, static_cast<Id>(x), row - neighbors, row, count);
      });
    });
  }

  // Unites all arcs; the first `united` ones of a row may be left out.
  void unite_rows(i64 united) {
    for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64 x, i64 b, i64 e) {
      batch.add_arcs(offsets, neighbors, n, x, b, e, united);
    });
  }

  // Unites each edge of a symmetric CSR once, from its larger endpoint; the first `united` arcs of a row may be left
  // out.
  void unite_rows_once(i64 united) {
    for_arcs([&](Unions& batch, const auto& offsets, const auto& neighbors, i64 x, i64 b, i64 e) {
      batch.add_smaller(offsets, neighbors, n, x, b, e, united);
    });
  }

  // Unites the arcs from other vertices to those in `subset`. Some arcs are looked at together, without their rows,
  // but not where those before them again and again led there.
  void unite_arcs_to(const VertexBits& subset) {
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

  // All edges of a COO edge list.
  void unite_list() {
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

  void start(bool adopt) {
    for_vertices([&](i64 b, i64 e) { kernel->start(cells, b, e, adopt); }, fast_pass_threads());
    singletons = !adopt;
  }
  void flatten() {
    for_vertices_in_order([&](i64 b, i64 e) { kernel->flatten(cells, b, e); });
  }

  // Whether the kernel touches no cells but the parents, and there is one of those for whatever is read as an id.
  bool only_parents() const { return any_id && rounds == nullptr && !kernel->ranked && !kernel->uses_aux; }
  // The last vertex.
  Id last() const { return static_cast<Id>(n > 0 ? n - 1 : 0); }

  // A sampling needs CSR, and some standalone algorithms do: made from a COO edge list.
  void require_csr() {
    if (!graph.csr) make_symmetric_csr();
  }
  void require_symmetric_csr() {
    if (!graph.csr || !graph.symmetric) make_symmetric_csr();
  }

  static std::size_t chunk_of(i64 vertex) { return static_cast<std::size_t>(vertex / cpu::chunk_vertices); }

  // The edges of a stage, for a plan with stages; compared as floating point, because the share may exceed any integer.
  i64 stage_edges() const {
    const double share = std::min(std::ceil(plan.stages * static_cast<double>(n)), static_cast<double>(graph.arcs));
    return std::max<i64>(1, static_cast<i64>(share));
  }
  // stage(from, to) for the edges of each stage.
  template <class Stage>
  void for_stages(const Stage& stage) const {
    for (i64 from = 0; from < graph.arcs; from += stage_edges())
      stage(from, std::min(graph.arcs, from + stage_edges()));
  }

 private:
  // All arcs in chunks: visit(batch, offsets, neighbors, x, begin, end), where arc `begin` is in the row of x.
  template <class Visit>
  void for_arcs(const Visit& visit) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      const auto visit_arcs = [&](Unions& batch, i64 b, i64 e) {
        const i64 x = row_at(offsets, n, b);
        batch.near(near_rows(offsets, neighbors, x, std::min(n, x + owned_rows)));
        visit(batch, offsets, neighbors, x, b, e);
      };
      const auto owner = [&](OwnedRange<Id, forest>& range, i64 b, i64 e) {
        Unions batch(*kernel, cells, tree_edges.exclusive(b, e), range, last());
        for (i64 at = b, next = 0; at < e; at = next) {
          stop_point();
          next = std::min(e, at + cpu::chunk_arcs);
          visit_arcs(batch, at, next);
          if (!range.goes_on()) return next;
        }
        return e;
      };
      const auto left = unite_by_owners(graph.arcs, owner, [&](i64 x) { return static_cast<i64>(offsets[x]); });
      unite_by_time(left, graph.arcs, graph.arcs, threads, true, [&](i64 from, i64 to, bool alone) {
        Unions batch(*kernel, cells, tree_edges.exclusive(from, to), alone, last());
        visit_arcs(batch, from, to);
      });
      finish_owners();
    });
  }

  using Parts = std::vector<std::pair<i64, i64>>;

  // owner(range, begin, end) for ranges of rows with about equal numbers of arcs, where begin and end are
  // position(row), returns where it has stopped, or end. What is left is returned; all, if rows have no owners here.
  template <class Owner, class Position>
  Parts unite_by_owners(i64 looked_at, const Owner& owner, const Position& position) {
    std::vector<i64> begin{0};
    std::vector<i64> stopped{0};
    owned_.clear();
    if (may_own(*kernel, forest, threads, plan.owners)) {
      const i64 ranges = ranges_per_thread * threads;
      for (i64 r = 1; r < ranges; ++r)
        begin.push_back(std::max(begin.back(), row_of(graph.arcs / ranges * r) / 64 * 64));
      stopped.resize(begin.size());
      owned_.resize(begin.size());
    }
    begin.push_back(n);
    parallel_for(static_cast<i64>(owned_.size()), 1, threads, [&](i64 r, i64, int) {
      const auto i = static_cast<std::size_t>(r);
      owned_[i] = {static_cast<u64>(begin[i]), static_cast<u64>(begin[i + 1]), cut_limit(looked_at, std::ssize(owned_)),
                   singletons};
      stopped[i] = owner(owned_[i], position(begin[i]), position(begin[i + 1]));
      owned_[i].unite_crossing(*kernel, cells, tree_edges);
    });
    singletons = false;
    Parts left;
    for (std::size_t i = 0; i < stopped.size(); ++i) {
      const i64 end = position(begin[i + 1]);
      if (stopped[i] < end) left.emplace_back(stopped[i], end);
    }
    return left;
  }
  // visit(from, to, alone) for what is left of so many positions, in all of which so many arcs are looked at; by at
  // most so many threads. by_time: by one or all, as ThreadChoice says, if edges link; alone: no other thread visits.
  template <class Visit>
  void unite_by_time(const Parts& left, i64 positions, i64 looked_at, int most, bool by_time, const Visit& visit) {
    EdgeQueue queue(positions);
    for (const auto& [from, to] : left) queue.add({from, to, false});
    const double each = static_cast<double>(looked_at) / static_cast<double>(std::max<i64>(1, positions));
    const auto arcs_of = [&](i64 some) { return static_cast<i64>(std::ceil(each * static_cast<double>(some))); };
    const i64 arcs = arcs_of(queue.edges());
    const bool few_cells = most == 2 && nearly_cached<Id>(n);
    ThreadChoice choice(most, arcs, arcs < too_few_arcs, by_time && rounds == nullptr, true, few_cells);
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
        visit(part.begin, part.end, alone);
      });
      for (const EdgePart& part : parts) queue.add(part);
      choice.add(arcs_of(before - queue.edges()), BusyThread::ns_of_edge(busy));
    }
  }
  // What their owners have cut off.
  void finish_owners() {
    unite_cut_walks(*kernel, cells, tree_edges, owned_, threads);
    for (const auto& range : owned_) {
      profile.owned_edges += range.edges() - range.walks();
      profile.climbed_edges += range.climbed();
    }
    owned_.clear();
  }
  // The first row that begins at or behind an arc.
  i64 row_of(i64 arc) const {
    i64 low = 0, high = n;
    while (low < high) {
      const i64 middle = low + (high - low) / 2;
      if (graph.row_begin(middle) < arc)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  // Whether the neighbours of a few of these rows lie near them.
  template <class Offsets, class Neighbors>
  static bool near_rows(const Offsets& offsets, const Neighbors& neighbors, i64 b, i64 e) {
    constexpr i64 rows = 8;
    i64 far = 0;
    for (i64 i = 0; i < rows; ++i) {
      const i64 x = b + (e - b) * i / rows;
      const auto first = static_cast<i64>(offsets[x]), end = static_cast<i64>(offsets[x + 1]);
      if (first >= end) continue;
      const auto from_x = [&](i64 arc) { return std::abs(static_cast<i64>(neighbors[arc]) - x); };
      far += std::max(from_x(first), from_x(end - 1)) > cpu::near_vertices;
    }
    return far <= 1;
  }

  std::vector<OwnedRange<Id, forest>> owned_;
  LoopChoice loop_;  // of one thread that unites edges alone

  void make_symmetric_csr() {
    csr = symmetric_csr<Id>(graph, threads, forest);
    graph = symmetric_view(csr);
    tree_edges.origin = forest ? csr.origins.data() : nullptr;
    watch.lap("csr");
  }
};

}  // namespace lb::core

// Calls INSTANTIATE(Id, forest) for every kind of run.
#define LB_FOR_EACH_RUN(INSTANTIATE) \
  INSTANTIATE(u32, false)            \
  INSTANTIATE(u32, true)             \
  INSTANTIATE(u64, false)            \
  INSTANTIATE(u64, true)

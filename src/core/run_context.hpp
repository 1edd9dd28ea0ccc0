// What the phases of a run on CPU threads share: the graph, the working arrays, and the loops over vertices and edges.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "components.hpp"
#include "edge_batches.hpp"
#include "landbridge/memory.hpp"
#include "rounds.hpp"
#include "stopwatch.hpp"
#include "threads.hpp"

namespace lb::core {

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

// A pass over a CSR graph. by_rows: it is divided into rows, else into arcs. looked_at: how many arcs that is, about.
// by_time: by one thread or all, as ThreadChoice says, if edges link.
struct CsrPass {
  bool by_rows;
  i64 looked_at;
  bool by_time;
};

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

  // Visits the rows of all vertices: body(batch, x, first arc, row, degree), never an empty row. A row lies anywhere,
  // and its first line is prefetched. looked_at: how many arcs that is, about. whole: for bodies that read whole rows,
  // which would take as long as all rows are together were offsets to fall meanwhile: rows do not overlap then.
  template <bool whole = false, class F>
  void for_rows(i64 looked_at, const F& body) {
    for_rows_of<whole>({.by_rows = true, .looked_at = looked_at, .by_time = true}, body,
                       [&](i64 b, i64 e, const auto& offsets, const auto& neighbors, const auto& visit) {
                         for (i64 x = b; x < e; ++x) {
                           if (x + cpu::rows_ahead < e)
                             neighbors.prefetch(static_cast<i64>(offsets.unbounded(x + cpu::rows_ahead)));
                           visit(x);
                         }
                       });
  }
  // The same for the vertices in `subset`.
  template <bool whole = false, class F>
  void for_rows_in(const VertexBits& subset, i64 looked_at, const F& body) {
    for_rows_of<whole>({.by_rows = true, .looked_at = looked_at, .by_time = false}, body,
                       [&](i64 b, i64 e, const auto&, const auto&, const auto& visit) { subset.each(b, e, visit); });
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
  void unite_rows(i64 united);
  // Unites each edge of a symmetric CSR once, from its larger endpoint; the first `united` arcs of a row may be left
  // out.
  void unite_rows_once(i64 united);
  // Unites the arcs from other vertices to those in `subset`. Some arcs are looked at together, without their rows,
  // but not where those before them again and again led there.
  void unite_arcs_to(const VertexBits& subset);
  // All edges of a COO edge list.
  void unite_list();

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
  // The rows of the vertices that choose(begin, end, offsets, neighbors, visit) calls visit(x) for.
  template <bool whole, class F, class Choose>
  void for_rows_of(const CsrPass& pass, const F& body, const Choose& choose) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      unite_csr(pass, [&, offsets, neighbors](Unions& batch, i64, i64 b, i64 e) {
        i64 visited = 0;  // the end of the last row
        choose(b, e, offsets, neighbors, [&](i64 x) {
          const i64 row = whole ? std::max(static_cast<i64>(offsets[x]), visited) : static_cast<i64>(offsets[x]);
          const i64 degree = static_cast<i64>(offsets[x + 1]) - row;
          if (degree <= 0) return;
          if constexpr (whole) visited = row + degree;
          body(batch, static_cast<Id>(x), row, neighbors + row, degree);
        });
      });
    });
  }
  // All arcs in chunks: visit(batch, offsets, neighbors, x, begin, end), where arc `begin` is in the row of x.
  template <class Visit>
  void for_arcs(const Visit& visit) {
    with_csr(graph, [&](const auto& offsets, const auto& neighbors) {
      unite_csr({.by_rows = false, .looked_at = graph.arcs, .by_time = true},
                [&](Unions& batch, i64 x, i64 b, i64 e) { visit(batch, offsets, neighbors, x, b, e); });
    });
  }

  // Calls visit(batch, x, begin, end) for parts of all rows, or of all arcs; x is the vertex of the first one.
  void unite_csr(const CsrPass& pass, FunctionRef<void(Unions& batch, i64 x, i64 begin, i64 end)> visit);
  void make_symmetric_csr();

  LoopChoice loop_;  // of one thread that unites edges alone
};

}  // namespace lb::core

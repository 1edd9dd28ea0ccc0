// Algorithms in rounds, one launch each: a grid that fits the device, with a barrier between the steps of a round, so
// that nothing is read back and the rounds end on the device.
#pragma once
#include "../phase/round.hpp"
#include "../phase/vertex.hpp"
#include "counts.cuh"
#include "schedule.cuh"

// The registry's names as families of rounds: lb::named::round::lt.
#define LB_ROUND(name, code, Type, ...) using name = lb::round::Type;
namespace lb::named::round {
#include "../policy/registry.def"
}

namespace lb::gpu {

// Labels of this round are written by all threads; those of its beginning are not written while edges connect, so they
// may come from the L1 cache: the barrier between the two makes what was written before it visible to all that follows.
template <class Id>
using RoundLabels = round::Labels<DeviceMemory<Id>, QuietMemory<Id>>;

// The state of the rounds of one launch, the same in all threads of the grid but for `changed`. arrivals: the word of
// the barrier; votes: three words that take turns: one is written, one read, one cleared.
struct RoundState {
  u64* arrivals;
  u64* votes;
  u64 barriers;  // of this run of kernels, which have one grid: arrivals are never reset
  int turn = 0;
  bool changed = false;

  __device__ RoundState(u64* arrivals_word, u64* vote_words)
      : arrivals(arrivals_word), votes(vote_words), barriers(device::load(arrivals_word) / gridDim.x) {}
  __device__ explicit RoundState(u64* control) : RoundState(control + word_round_barrier, control + word_vote) {}
  __device__ void barrier() { grid_barrier(arrivals, barriers); }
  __device__ u64* word(int later) const { return votes + (turn + later) % 3; }
  // Before the first round: no label has changed.
  __device__ void begin() {
    if (thread_in_grid() < 3) device::store(votes + thread_in_grid(), u64{0});
    barrier();
  }
  // At the end of a step of a round. All threads call it.
  __device__ void step() {
    if (__syncthreads_or(changed) && threadIdx.x == 0) device::store(word(0), u64{1});
    if (thread_in_grid() == 0) device::store(word(1), u64{0});
    changed = false;
    barrier();
  }
  // At the end of a round: whether a label changed in it.
  __device__ bool next() {
    const bool any = device::load(word(0)) != 0;
    turn = (turn + 1) % 3;
    return any;
  }
};

// Calls visit(v) for this thread's vertices: all, or those of a list that is filled from both sides. Not a generic
// lambda: older compilers take its call operator for a function of the host.
template <class Id>
struct EachVertex {
  phase::Relabel<Id> new_label;
  i64 n;
  const Id* list = nullptr;
  i64 short_rows = 0, long_rows = 0;
  template <class Visit>
  __device__ void operator()(const Visit& visit) const {
    if (list != nullptr) {
      for (i64 i = thread_in_grid(); i < short_rows + long_rows; i += threads_in_grid()) {
        visit(new_label(list[i < short_rows ? i : n - 1 - (i - short_rows)]));
      }
    } else {
      for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) visit(static_cast<Id>(x));
    }
  }
};

// Calls visit(i) for this thread's places of `count`.
struct EachPlace {
  i64 count;
  template <class Visit>
  __device__ void operator()(const Visit& visit) const {
    for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) visit(i);
  }
  // The same; all lanes pause after each place.
  template <class Visit, class Edges>
  __device__ void together(const Visit& visit, const Edges& edges) const {
    for (i64 base = thread_in_grid() - static_cast<i64>(lane()); base < count; base += threads_in_grid()) {
      const i64 i = base + static_cast<i64>(lane());
      if (i < count) visit(i);
      edges.pause();
    }
  }
};

// The passes over vertices after the edges: each(visit) calls visit(v) for this thread's vertices.
template <class Rule, class Id, class L, class Each>
__device__ inline void round_passes(const L& labels, RoundState& round, const Each& each) {
  if constexpr (Rule::passes > 0) {
    each([&](Id v) { round.changed |= Rule::template pass<0>(labels, v); });
    round.step();
  }
  if constexpr (Rule::passes > 1) {
    each([&](Id v) { round.changed |= Rule::template pass<1>(labels, v); });
    round.step();
  }
}

// Edges are rewritten by the labels of their endpoints, each by the thread that connects it in the next round. One
// whose endpoints are equal is left out from then on.
template <class L, class Id>
__device__ inline void rewrite_edges(const L& labels, const EachPlace& each_edge, Id* u, Id* v) {
  each_edge([&](i64 i) {
    Id a = u[i], b = v[i];
    if (a == b) return;
    phase::rewrite(labels, a, b);
    u[i] = a;
    v[i] = b;
  });
}

// Every edge of every row, in pieces of equal length for warps: visit(x, edge), and pause() by all lanes after a piece.
template <class T, class O, class Visit, class Edges>
__device__ inline void each_directed_edge(const Csr<T, O>& g, const Visit& visit, const Edges& edges) {
  const i64 all = g.end(g.vertices - 1);
  const i64 warps = threads_in_grid() / warp_threads;
  for (i64 base = thread_in_grid() / warp_threads * round_piece; base < all; base += warps * round_piece) {
    const i64 end = base + round_piece < all ? base + round_piece : all;
    i64 x = 0;
    for (i64 a = base + lane(); a < end; a += warp_threads) {
      x = row_of(g, x, a);
      visit(x, a);
    }
    edges.pause();
  }
}

// What happens to an edge on which a root becomes a child, beside that: nothing, where components are computed. Loops
// that look for no such edge pause with it, too.
struct Uncollected {
  static constexpr bool collects = false;
  __device__ void pause() const {}
};

// The edges of a round over CSR. visit(u, v, edge, x): an edge of row x, its endpoints by the labels that they have
// while rounds run.
template <class Rule, class L, class T, class O>
struct EachCsrEdge {
  using Id = typename L::Id;
  const L& labels;
  const Csr<T, O>& g;
  phase::Relabel<Id> new_label;
  bool symmetric, skips;
  const Id* list;  // where vertices are skipped, the others: short rows from its beginning, long ones from its end
  i64 short_rows, long_rows;

  // The edges begin + first, begin + first + stride, .. of a listed vertex.
  template <class Visit>
  __device__ void row(Id x, i64 first, i64 stride, const Visit& visit) const {
    const Id v = new_label(x);
    if (Rule::selective && !Rule::active(labels, v)) return;
    for (i64 a = g.begin(static_cast<i64>(x)) + first; a < g.end(static_cast<i64>(x)); a += stride) {
      visit(v, new_label(static_cast<Id>(g.neighbors[a])), a, x);
    }
  }
  template <class Visit, class Edges>
  __device__ void operator()(const Visit& visit, const Edges& edges) const {
    if (skips) {
      const i64 warps = threads_in_grid() / warp_threads;
      for (i64 i = thread_in_grid() / warp_threads; i < short_rows; i += warps) {
        row(list[i], lane(), warp_threads, visit);
        edges.pause();
      }
      for (i64 i = 0; i < long_rows; ++i) {
        row(list[g.vertices - 1 - i], thread_in_grid(), threads_in_grid(), visit);
        edges.pause();
      }
      return;
    }
    const auto one = [&](i64 x, i64 a) {
      const Id u = new_label(static_cast<Id>(x));
      // Symmetric CSR holds each edge twice: it is taken from an active endpoint, or from the larger one.
      if (Rule::selective && symmetric && !Rule::active(labels, u)) return;
      const Id y = static_cast<Id>(g.neighbors[a]);
      if (!Rule::selective && symmetric && static_cast<i64>(y) >= x) return;
      visit(u, new_label(y), a, static_cast<Id>(x));
    };
    each_directed_edge(g, one, edges);
  }
};

// The beginning of rounds over CSR: relabels the sampled forest. If vertices are skipped, the others that have edges
// are listed, those with short rows from the left, those with long ones from the right.
template <class Rule, class Id, class T, class O>
__device__ inline void begin_rounds(const Csr<T, O>& g, const RoundLabels<Id>& labels,
                                    const phase::Relabel<Id>& new_label, bool skips, Id* list, u64* control) {
  const i64 n = g.vertices;
  for (i64 base = 0; base < n; base += threads_in_grid()) {
    const i64 x = base + thread_in_grid();
    const Id v = static_cast<Id>(x);
    if (skips) {
      const bool outside = x < n && labels.now.load(v) != new_label.root && g.begin(x) < g.end(x);
      const bool is_long = outside && g.end(x) - g.begin(x) > block_row;
      const u64 place = append(control + word_listed, outside && !is_long);
      const u64 long_place = append(control + word_listed_long, is_long);
      if (outside) list[is_long ? static_cast<u64>(n) - 1 - long_place : place] = v;
    }
    if (x >= n) continue;
    if (new_label.root != 0) phase::relabel(labels.now, new_label, v);
    Rule::begin(labels, v);
  }
}

// The end of rounds that were relabelled: of stars with any root every vertex offers itself as the smallest, and takes
// the smallest. `old` becomes the array of these.
template <class Id>
__device__ inline void restore_labels(const RoundLabels<Id>& labels, const phase::Relabel<Id>& new_label,
                                      const DeviceMemory<Id>& smallest, i64 n, RoundState& round) {
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    phase::compress(labels.now, static_cast<Id>(x));
    labels.old.store(static_cast<Id>(x), none<Id>);
  }
  round.barrier();
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    phase::offer_low(smallest, labels.now.load(new_label(static_cast<Id>(x))), static_cast<Id>(x));
  }
  round.barrier();
  const auto smallest_of = [&](Id v) { return smallest.load(labels.now.load(v)); };
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const Id v = static_cast<Id>(x);
    if (v == 0) {
      const Id zero = smallest_of(new_label.root), other = smallest_of(0);
      labels.now.store(0, zero);
      labels.now.store(new_label.root, other);
    } else if (v != new_label.root) {
      labels.now.store(v, smallest_of(v));
    }
  }
}

// Rounds over CSR. A sampled forest consists of stars, and its largest tree is that of word_skip. `edges` collects the
// edges on which roots become children, if it collects any; the parents then keep the labels of the rounds.
template <class Rule, class Id, class T, class O, class Edges>
__device__ inline void run_over_csr(const CsrArrays<T, O>& graph, const Cells<Id>& cells, const RoundArrays<Id>& arrays,
                                    const Edges& edges) {
  const i64 n = graph.vertices;
  u64* const control = cells.control;
  const bool sampled = arrays.sampled != 0, symmetric = graph.symmetric != 0;
  // One tree is left only if a sampling has united everything, because nothing else counts links before rounds.
  if (sampled && device::load(control + word_links) + 1 >= static_cast<u64>(n)) return;
  const Csr<T, O> g = view_of(graph);
  const RoundLabels<Id> labels{DeviceMemory<Id>(cells.parent), QuietMemory<Id>(arrays.old)};
  const phase::Relabel<Id> new_label{sampled ? static_cast<Id>(control[word_skip]) : Id{0}};
  const bool skips = sampled && symmetric;
  Id* const list = arrays.list;
  RoundState round(control);
  begin_rounds<Rule>(g, labels, new_label, skips, list, control);
  round.begin();
  const i64 short_rows = skips ? static_cast<i64>(device::load(control + word_listed)) : 0;
  const i64 long_rows = skips ? static_cast<i64>(device::load(control + word_listed_long)) : 0;
  // A vertex without arcs is in no list, but the arcs of others name it where rows are called symmetric that are not.
  // If its root may be claimed, a pass has to take the mark back: then passes visit all vertices.
  const Id* const visited = skips && !Edges::collects ? list : nullptr;
  const EachVertex<Id> each_vertex{new_label, n, visited, short_rows, long_rows};
  const EachCsrEdge<Rule, RoundLabels<Id>, T, O> each_edge{labels, g,    new_label,  symmetric,
                                                           skips,  list, short_rows, long_rows};
  do {
    each_edge([&](Id u, Id v, i64, Id) { round.changed |= Rule::connect(labels, u, v); }, Uncollected{});
    round.step();
    if constexpr (Edges::collects) {
      each_edge([&](Id u, Id v, i64 edge, Id x) { Rule::claim(labels, u, v, edges.of(edge, x)); }, edges);
      round.step();
    }
    round_passes<Rule, Id>(labels, round, each_vertex);
  } while (round.next());
  if (sampled && thread_in_grid() == 0) control[word_outside] = static_cast<u64>(skips ? short_rows + long_rows : n);
  if (new_label.root == 0 || Edges::collects) return;
  restore_labels(labels, new_label, DeviceMemory<Id>(arrays.old), n, round);
}

// Rounds over a range of an edge list, from a forest of stars. `edges` as above.
template <class Rule, class Id, class T, class Edges>
__device__ inline void run_over_coo(const EdgeArrays<T>& coo, const Cells<Id>& cells, const EdgeRange& range,
                                    const RoundArrays<Id>& arrays, const Edges& edges) {
  const RoundLabels<Id> labels{DeviceMemory<Id>(cells.parent), QuietMemory<Id>(arrays.old)};
  RoundState round(cells.control);
  const EachVertex<Id> each_vertex{phase::Relabel<Id>{Id{0}}, cells.vertices};
  const EachPlace each_edge{range.end - range.begin};
  Id* const own_u = arrays.own_u;
  Id* const own_v = arrays.own_v;
  const auto listed_u = [&](i64 i) { return endpoint<Id>(coo.u, coo.u_stride, range.begin + i); };
  const auto listed_v = [&](i64 i) { return endpoint<Id>(coo.v, coo.v_stride, range.begin + i); };
  each_vertex([&](Id x) { Rule::begin(labels, x); });
  if (own_u != nullptr) {
    const bool raised = range.raised != 0;
    each_edge([&](i64 i) {
      const Id a = listed_u(i), b = listed_v(i);
      own_u[i] = raised ? labels.now.load(a) : a;
      own_v[i] = raised ? labels.now.load(b) : b;
    });
  }
  round.begin();
  do {
    each_edge([&](i64 i) {
      const Id a = own_u != nullptr ? own_u[i] : listed_u(i);
      const Id b = own_u != nullptr ? own_v[i] : listed_v(i);
      if (a != b) round.changed |= Rule::connect(labels, a, b);
    });
    round.step();
    if constexpr (Edges::collects) {
      each_edge.together(
          [&](i64 i) {
            const Id a = own_u != nullptr ? own_u[i] : listed_u(i);
            const Id b = own_u != nullptr ? own_v[i] : listed_v(i);
            if (a != b) Rule::claim(labels, a, b, edges.of(range.begin + i, Id{0}));
          },
          edges);
      round.step();
    }
    round_passes<Rule, Id>(labels, round, each_vertex);
    if constexpr (Rule::rewrites) rewrite_edges(labels, each_edge, own_u, own_v);
  } while (round.next());
}

template <class Rule, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, round_blocks)
    rounds_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ RoundArrays<Id> arrays) {
  run_over_csr<Rule>(graph, cells, arrays, Uncollected{});
}
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    rounds_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EdgeRange range, const __grid_constant__ RoundArrays<Id> arrays) {
  run_over_coo<Rule>(edges, cells, range, arrays, Uncollected{});
}

}  // namespace lb::gpu

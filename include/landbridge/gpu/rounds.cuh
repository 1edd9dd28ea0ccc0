// Algorithms in rounds, one launch each: a grid that fits the device, with a barrier between the steps of a round, so
// that nothing is read back and the rounds end on the device.
#pragma once
#include "../phase/round.hpp"
#include "../phase/vertex.hpp"
#include "schedule.cuh"

// The registry's names as families of rounds: lb::named::round::lt.
#define LB_SAMPLE(...)
#define LB_FIND(...)
#define LB_SPLICE(...)
#define LB_LINK(...)
#define LB_FINISH(...)
#define LB_ROUND(name, code, Type, ...) using name = lb::round::Type;
namespace lb::named::round {
#include "../policy/registry.def"
}
#undef LB_SAMPLE
#undef LB_FIND
#undef LB_SPLICE
#undef LB_LINK
#undef LB_FINISH
#undef LB_ROUND

namespace lb::gpu {

// Labels of this round are written by everyone; those of its beginning are not written while edges connect, so they may
// come from the L1 cache: the barrier between the two makes what was written before it visible to all that follows.
template <class Id>
using RoundLabels = round::Labels<DeviceMemory<Id>, QuietMemory<Id>>;

// The state of the rounds of one launch, the same in all threads of the grid but for `fell`.
struct RoundTurn {
  u64* control;
  u64 barriers;  // of this run of kernels: arrivals are never reset
  int turn = 0;
  bool fell = false;

  __device__ explicit RoundTurn(u64* c) : control(c), barriers(device::load(c + word_round_barrier) / gridDim.x) {}
  __device__ void barrier() { grid_barrier(control + word_round_barrier, barriers); }
  // Three words take turns: one is written, one read, one cleared.
  __device__ u64* word(int later) const { return control + word_vote + (turn + later) % 3; }
  // Before the first round: nobody has told anything.
  __device__ void begin() {
    if (thread_in_grid() < 3) device::store(control + word_vote + thread_in_grid(), u64{0});
    barrier();
  }
  // At the end of a step of a round. All threads call it.
  __device__ void step() {
    if (__syncthreads_or(fell) && threadIdx.x == 0) device::store(word(0), u64{1});
    if (thread_in_grid() == 0) device::store(word(1), u64{0});
    fell = false;
    barrier();
  }
  // At the end of a round: whether a label fell in it.
  __device__ bool next() {
    const bool any = device::load(word(0)) != 0;
    turn = (turn + 1) % 3;
    return any;
  }
};

// Calls visit(v) for this thread's vertices: all, or those of a list that is filled from both ends. Not a generic
// lambda: older compilers take its call operator for a function of the host.
template <class Id>
struct EachVertex {
  phase::Relabel<Id> names;
  i64 n;
  const Id* list = nullptr;
  i64 few = 0, wide = 0;
  template <class Visit>
  __device__ void operator()(const Visit& visit) const {
    if (list != nullptr) {
      for (i64 i = thread_in_grid(); i < few + wide; i += threads_in_grid()) {
        visit(names(list[i < few ? i : n - 1 - (i - few)]));
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
__device__ inline void round_passes(const L& labels, RoundTurn& turn, const Each& each) {
  if constexpr (Rule::passes > 0) {
    each([&](Id v) { turn.fell |= Rule::template pass<0>(labels, v); });
    turn.step();
  }
  if constexpr (Rule::passes > 1) {
    each([&](Id v) { turn.fell |= Rule::template pass<1>(labels, v); });
    turn.step();
  }
}

// Pairs follow their ends, each by the thread that connects it in the next round. One whose ends are equal is passed
// over from then on.
template <class L, class Id>
__device__ inline void rewrite_pairs(const L& labels, const EachPlace& each_pair, Id* u, Id* v) {
  each_pair([&](i64 i) {
    Id a = u[i], b = v[i];
    if (a == b) return;
    phase::rewrite(labels, a, b);
    u[i] = a;
    v[i] = b;
  });
}

// The row that holds arc a, at or after row x whose beginning is not behind it: steps that double, then halves.
template <class G>
__device__ inline i64 row_of(const G& g, i64 x, i64 a) {
  i64 step = 1;
  while (x + step < g.vertices && g.begin(x + step) <= a) x += step, step <<= 1;
  for (; step > 0; step >>= 1) {
    if (x + step < g.vertices && g.begin(x + step) <= a) x += step;
  }
  return x;
}

// Arcs of a warp's piece: long enough that looking up its first row does not show.
constexpr i64 arcs_piece = 1024;

// Every arc of every row, in pieces of equal length for warps: visit(x, arc), and pause() by all lanes after a piece.
template <class T, class O, class Visit, class Edges>
__device__ inline void each_arc(const Csr<T, O>& g, const Visit& visit, const Edges& edges) {
  const i64 arcs = g.end(g.vertices - 1);
  const i64 warps = threads_in_grid() / warp_threads;
  for (i64 base = thread_in_grid() / warp_threads * arcs_piece; base < arcs; base += warps * arcs_piece) {
    const i64 end = base + arcs_piece < arcs ? base + arcs_piece : arcs;
    i64 x = 0;
    for (i64 a = base + lane(); a < end; a += warp_threads) {
      x = row_of(g, x, a);
      visit(x, a);
    }
    edges.pause();
  }
}

// What happens to edges that cost roots their places, beside that: nothing, where components are wanted; and how loops
// that look for none pause.
struct Unnamed {
  static constexpr bool wanted = false;
  __device__ void pause() const {}
};

// The edges of a round over rows. visit(u, v, arc, x): an arc of row x, its ends by their names while rounds run.
template <class Rule, class L, class T, class O>
struct EachRowEdge {
  using Id = typename L::Id;
  const L& labels;
  const Csr<T, O>& g;
  phase::Relabel<Id> names;
  bool symmetric, skips;
  const Id*
      list;  // of vertices whose arcs matter, if others are skipped: `few` with short rows, from its end `wide` others
  i64 few, wide;

  // The arcs begin + first, begin + first + stride, .. of a listed vertex.
  template <class Visit>
  __device__ void row(Id x, i64 first, i64 stride, const Visit& visit) const {
    const Id v = names(x);
    if (Rule::selective && !Rule::active(labels, v)) return;
    for (i64 a = g.begin(static_cast<i64>(x)) + first; a < g.end(static_cast<i64>(x)); a += stride) {
      visit(v, names(static_cast<Id>(g.neighbors[a])), a, x);
    }
  }
  template <class Visit, class Edges>
  __device__ void operator()(const Visit& visit, const Edges& edges) const {
    if (skips) {
      const i64 warps = threads_in_grid() / warp_threads;
      for (i64 i = thread_in_grid() / warp_threads; i < few; i += warps) {
        row(list[i], lane(), warp_threads, visit);
        edges.pause();
      }
      for (i64 i = 0; i < wide; ++i) {
        row(list[g.vertices - 1 - i], thread_in_grid(), threads_in_grid(), visit);
        edges.pause();
      }
      return;
    }
    const auto one = [&](i64 x, i64 a) {
      const Id u = names(static_cast<Id>(x));
      // Symmetric rows hold each edge twice: it is taken from an end that has news, or from its larger end.
      if (Rule::selective && symmetric && !Rule::active(labels, u)) return;
      const Id y = static_cast<Id>(g.neighbors[a]);
      if (!Rule::selective && symmetric && static_cast<i64>(y) >= x) return;
      visit(u, names(y), a, static_cast<Id>(x));
    };
    each_arc(g, one, edges);
  }
};

// Rounds over rows. `old` has n cells if the rule uses them or the run is sampled; `list` has n places if it is sampled
// and the rows are symmetric. A sampled forest consists of stars, and its largest tree is that of word_skip. `edges` is
// told of the edges that cost roots their places if it wants them; nobody wants parents then, which keep the names of
// the rounds.
template <class Rule, class Id, class T, class O, class Edges>
__device__ inline void run_over_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* old, Id* list,
                                     u64* control, i64 sampled, i64 symmetric, const Edges& edges) {
  // Counted links can only say so if a sampling has united everything.
  if (sampled != 0 && device::load(control + word_links) + 1 >= static_cast<u64>(n)) return;
  const Csr<T, O> g{offsets, neighbors, n};
  const RoundLabels<Id> labels{DeviceMemory<Id>(parent), QuietMemory<Id>(old)};
  const phase::Relabel<Id> names{sampled != 0 ? static_cast<Id>(control[word_skip]) : Id{0}};
  const bool skips = sampled != 0 && symmetric != 0;
  RoundTurn turn(control);
  for (i64 base = 0; base < n; base += threads_in_grid()) {
    const i64 x = base + thread_in_grid();
    const Id v = static_cast<Id>(x);
    if (skips) {
      // Vertices outside the largest tree that have arcs: those with short rows from the left, the others from the
      // right.
      const bool outside = x < n && labels.now.load(v) != names.root && g.begin(x) < g.end(x);
      const bool wide = outside && g.end(x) - g.begin(x) > block_row;
      const u64 place = append(control + word_outside, outside && !wide);
      const u64 wide_place = append(control + word_huge, wide);
      if (outside) list[wide ? static_cast<u64>(n) - 1 - wide_place : place] = v;
    }
    if (x >= n) continue;
    if (names.root != 0) phase::relabel(labels.now, names, v);
    Rule::begin(labels, v);
  }
  turn.begin();
  const i64 few = skips ? static_cast<i64>(device::load(control + word_outside)) : 0;
  const i64 wide = skips ? static_cast<i64>(device::load(control + word_huge)) : 0;
  const EachVertex<Id> each_vertex{names, n, skips ? list : nullptr, few, wide};
  const EachRowEdge<Rule, RoundLabels<Id>, T, O> each_edge{labels, g, names, symmetric != 0, skips, list, few, wide};
  do {
    each_edge([&](Id u, Id v, i64, Id) { turn.fell |= Rule::connect(labels, u, v); }, Unnamed{});
    turn.step();
    if constexpr (Edges::wanted) {
      each_edge([&](Id u, Id v, i64 arc, Id x) { Rule::claim(labels, u, v, edges.of(arc, x)); }, edges);
      turn.step();
    }
    round_passes<Rule, Id>(labels, turn, each_vertex);
  } while (turn.next());
  if (skips && thread_in_grid() == 0) control[word_outside] = static_cast<u64>(few + wide);
  if (names.root == 0 || Edges::wanted) return;
  // The names as they were: stars of any root, in which every vertex offers itself.
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    phase::compress(labels.now, static_cast<Id>(x));
    labels.old.store(static_cast<Id>(x), none<Id>);
  }
  turn.barrier();
  const DeviceMemory<Id> low(old);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    phase::offer_low(low, labels.now.load(names(static_cast<Id>(x))), static_cast<Id>(x));
  }
  turn.barrier();
  const auto lowest_of = [&](Id v) { return low.load(labels.now.load(v)); };
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const Id v = static_cast<Id>(x);
    if (v == 0) {
      const Id zero = lowest_of(names.root), other = lowest_of(0);
      labels.now.store(0, zero);
      labels.now.store(names.root, other);
    } else if (v != names.root) {
      labels.now.store(v, lowest_of(v));
    }
  }
}

// Rounds over the pairs [from, to) of a list, from a forest of stars. `own_u`, `own_v` have to - from places if the
// rule rewrites edges or `raise` says that ends are replaced by their parents first (Stages); null otherwise. `edges`
// as above.
template <class Rule, class Id, class T, class Edges>
__device__ inline void run_over_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 n, Id* parent, Id* old,
                                      Id* own_u, Id* own_v, u64* control, i64 from, i64 to, i64 raise,
                                      const Edges& edges) {
  const RoundLabels<Id> labels{DeviceMemory<Id>(parent), QuietMemory<Id>(old)};
  RoundTurn turn(control);
  const EachVertex<Id> each_vertex{phase::Relabel<Id>{Id{0}}, n};
  const EachPlace each_pair{to - from};
  each_vertex([&](Id x) { Rule::begin(labels, x); });
  if (own_u != nullptr) {
    each_pair([&](i64 i) {
      const Id a = static_cast<Id>(u[(from + i) * u_stride]), b = static_cast<Id>(v[(from + i) * v_stride]);
      own_u[i] = raise != 0 ? labels.now.load(a) : a;
      own_v[i] = raise != 0 ? labels.now.load(b) : b;
    });
  }
  turn.begin();
  do {
    each_pair([&](i64 i) {
      const Id a = own_u != nullptr ? own_u[i] : static_cast<Id>(u[(from + i) * u_stride]);
      const Id b = own_u != nullptr ? own_v[i] : static_cast<Id>(v[(from + i) * v_stride]);
      if (a != b) turn.fell |= Rule::connect(labels, a, b);
    });
    turn.step();
    if constexpr (Edges::wanted) {
      each_pair.together(
          [&](i64 i) {
            const Id a = own_u != nullptr ? own_u[i] : static_cast<Id>(u[(from + i) * u_stride]);
            const Id b = own_u != nullptr ? own_v[i] : static_cast<Id>(v[(from + i) * v_stride]);
            if (a != b) Rule::claim(labels, a, b, edges.of(from + i, Id{0}));
          },
          edges);
      turn.step();
    }
    round_passes<Rule, Id>(labels, turn, each_vertex);
    if constexpr (Rule::rewrites) rewrite_pairs(labels, each_pair, own_u, own_v);
  } while (turn.next());
}

template <class Rule, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, round_blocks)
    rounds_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* old, Id* list, u64* control, i64 sampled,
                i64 symmetric) {
  run_over_rows<Rule>(offsets, neighbors, n, parent, old, list, control, sampled, symmetric, Unnamed{});
}
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    rounds_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 n, Id* parent, Id* old, Id* own_u, Id* own_v,
                 u64* control, i64 from, i64 to, i64 raise) {
  run_over_pairs<Rule>(u, v, u_stride, v_stride, n, parent, old, own_u, own_v, control, from, to, raise, Unnamed{});
}

}  // namespace lb::gpu

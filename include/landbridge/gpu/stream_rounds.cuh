// Batches of a stream in rounds, one launch each: inserts are relabelled by the roots of their endpoints, and rounds
// run over these edges and the roots they name.
#pragma once
#include "incremental.cuh"
#include "rounds.cuh"

namespace lb::gpu {

// Lists each root once: the thread whose exchange finds `none` in `old` appends it, and its label of the beginning is
// then itself. All lanes of a warp call it.
template <class Id>
__device__ inline void list_root(const DeviceMemory<Id>& old, const InsertRounds<Id>& rounds, Id root, bool named) {
  const bool lists = named && old.load(root) == none<Id> && old.compare_exchange(root, none<Id>, root) == none<Id>;
  const u64 place = append(rounds.control + rounds_word_roots, lists);
  if (lists) rounds.roots[place] = root;
}

// The inserts of a range as edges between roots, and the list of these; other operations become self-loops.
template <class Id, class T, class L>
__device__ inline void relabel_inserts(const EdgeArrays<T>& edges, const Cells<Id>& cells, const Inserts& inserts,
                                       const InsertRounds<Id>& rounds, const L& labels) {
  const DeviceMemory<Id> old(cells.aux);
  const u64 bound = static_cast<u64>(cells.vertices);
  const i64 count = inserts.end - inserts.begin;
  // Whole warps, so that all lanes append.
  const i64 end = (count + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < end; i += threads_in_grid()) {
    const i64 operation = inserts.begin + i;
    Id a = 0, b = 0;
    if (i < count && (rounds.is_query == nullptr || rounds.is_query[operation] == 0)) {
      const u64 x = static_cast<u64>(edges.u[operation * edges.u_stride]);
      const u64 y = static_cast<u64>(edges.v[operation * edges.v_stride]);
      const bool inside = x < bound && y < bound;
      if (inside) {
        a = phase::compress(labels.now, static_cast<Id>(x));
        b = phase::compress(labels.now, static_cast<Id>(y));
      }
    }
    if (i < count) rounds.own_u[i] = a, rounds.own_v[i] = b;
    list_root(old, rounds, a, a != b);
    list_root(old, rounds, b, a != b);
  }
}

// Inserts a range of operations. Before and afterwards the auxiliary cells hold `none` for every vertex.
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    insert_rounds(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                  const Inserts inserts, const InsertRounds<Id> rounds) {
  const RoundLabels<Id> labels{DeviceMemory<Id>(cells.parent), QuietMemory<Id>(cells.aux)};
  Id* const own_u = rounds.own_u;
  Id* const own_v = rounds.own_v;
  RoundState round(rounds.control + rounds_word_barrier, rounds.control + rounds_word_vote);
  relabel_inserts(edges, cells, inserts, rounds, labels);
  round.begin();
  const i64 named = static_cast<i64>(device::load(rounds.control + rounds_word_roots));
  const EachVertex<Id> each_root{phase::Relabel<Id>{Id{0}}, named, rounds.roots, named};
  const EachPlace each_edge{inserts.end - inserts.begin};
  do {
    each_edge([&](i64 i) {
      if (own_u[i] != own_v[i]) round.changed |= Rule::connect(labels, own_u[i], own_v[i]);
    });
    round.step();
    if (link_edges.position != nullptr) {
      each_edge([&](i64 i) {
        if (own_u[i] == own_v[i]) return;
        const i64 operation = inserts.begin + i;
        u32 uncounted = 0;  // links are counted once all rounds have run
        Rule::claim(labels, own_u[i], own_v[i],
                    OnStreamLink<Id>{&uncounted, link_edges, position_of(inserts, operation),
                                     static_cast<Id>(edges.u[operation * edges.u_stride]),
                                     static_cast<Id>(edges.v[operation * edges.v_stride])});
      });
      round.step();
    }
    round_passes<Rule, Id>(labels, round, each_root);
    if constexpr (Rule::rewrites) rewrite_edges(labels, each_edge, own_u, own_v);
  } while (round.next());
  u32 links = 0;
  each_root([&](Id root) {
    links += phase::compress(labels.now, root) != root;
    labels.old.store(root, none<Id>);
  });
  add_counts(inserts.control + stream_word_links, links);
}

}  // namespace lb::gpu

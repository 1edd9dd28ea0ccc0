// Batches of a stream in rounds, one launch each: inserts are relabelled by the roots of their ends, and rounds run
// over these pairs and the roots they name.
#pragma once
#include "incremental.cuh"
#include "rounds.cuh"

namespace lb::gpu {

// Inserts the operations [from, to) that are no queries (is_query null: all). Before and afterwards `old` holds `none`
// for every vertex. own_u, own_v have to - from places; `roots` has one for each root that may be named: two an insert,
// or one a vertex. The owners of links are kept unless `owner` is null; the position of operation i is at[i] + first,
// or first + i. `turns` is a control block of zeros; links are counted in `control`.
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    insert_rounds(const T* u, const T* v, i64 u_stride, i64 v_stride, const u8* is_query, Id* parent, Id* old,
                  u64* owner, Id* owner_u, Id* owner_v, const u64* at, u64 first, u64* control, u64* turns, i64 from,
                  i64 to, i64 cells, Id* own_u, Id* own_v, Id* roots) {
  const RoundLabels<Id> labels{DeviceMemory<Id>(parent), QuietMemory<Id>(old)};
  const DeviceMemory<Id> listed(old);
  const Owners<Id> owners{owner, owner_u, owner_v};
  const u64 known = static_cast<u64>(cells);
  const i64 count = to - from;
  RoundState turn(turns);
  bool beyond = false;
  // Each root is listed once, by whoever is the first to find `none`; its label of the beginning is itself.
  const auto name = [&](Id root, bool wanted) {
    const bool lists =
        wanted && listed.load(root) == none<Id> && listed.compare_exchange(root, none<Id>, root) == none<Id>;
    const u64 place = append(turns + word_medium, lists);
    if (lists) roots[place] = root;
  };
  // Whole warps, so that all lanes append.
  const i64 end = (count + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < end; i += threads_in_grid()) {
    Id a = 0, b = 0;
    if (i < count && (is_query == nullptr || is_query[from + i] == 0)) {
      const u64 x = static_cast<u64>(u[(from + i) * u_stride]), y = static_cast<u64>(v[(from + i) * v_stride]);
      const bool here = x < known && y < known;
      beyond |= !here;
      if (here) {
        a = phase::compress(labels.now, static_cast<Id>(x));
        b = phase::compress(labels.now, static_cast<Id>(y));
      }
    }
    if (i < count) own_u[i] = a, own_v[i] = b;
    name(a, a != b);
    name(b, a != b);
  }
  turn.begin();
  const i64 named = static_cast<i64>(device::load(turns + word_medium));
  const EachVertex<Id> each_root{phase::Relabel<Id>{Id{0}}, named, roots, named};
  const EachPlace each_pair{count};
  do {
    each_pair([&](i64 i) {
      if (own_u[i] != own_v[i]) turn.changed |= Rule::connect(labels, own_u[i], own_v[i]);
    });
    turn.step();
    if (owner != nullptr) {
      each_pair([&](i64 i) {
        if (own_u[i] == own_v[i]) return;
        const i64 operation = from + i;
        u32 roots_lost = 0;
        Rule::claim(
            labels, own_u[i], own_v[i],
            Linked<Id>{&roots_lost, owners, first + (at == nullptr ? static_cast<u64>(operation) : at[operation]),
                       static_cast<Id>(u[operation * u_stride]), static_cast<Id>(v[operation * v_stride])});
      });
      turn.step();
    }
    round_passes<Rule, Id>(labels, turn, each_root);
    if constexpr (Rule::rewrites) rewrite_edges(labels, each_pair, own_u, own_v);
  } while (turn.next());
  u32 links = 0;
  each_root([&](Id root) {
    links += phase::compress(labels.now, root) != root;
    labels.old.store(root, none<Id>);
  });
  add_links(control, links);
  if (beyond) control[word_outside] = 1;
}

}  // namespace lb::gpu

// Spanning forests by rounds: the edges that cost roots their places are written out, as by the kernels of forest.cuh.
#pragma once
#include "forest.cuh"
#include "rounds.cuh"

namespace lb::gpu {

// What rounds do with such edges.
template <class Id, class T>
struct RoundEdges : Writing<Id, T> {
  static constexpr bool wanted = true;
};

// As the kernels named rounds_... Their last parameters are those of EdgeSink.
template <class Rule, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, round_blocks)
    forest_round_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* old, Id* list, u64* control,
                      i64 sampled, i64 symmetric, const T* a, const T* b, i64 a_stride, i64 b_stride, const i64* origin,
                      Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;  // counted for links alone
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  const RoundEdges<Id, T> edges{{&links, writer}};
  run_over_rows<Rule>(offsets, neighbors, n, parent, old, list, control, sampled, symmetric, edges);
  edges.finish();
}
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    forest_round_pairs(const T* us, const T* vs, i64 u_stride, i64 v_stride, i64 n, Id* parent, Id* old, Id* own_u,
                       Id* own_v, u64* control, i64 from, i64 to, i64 raise, const T* a, const T* b, i64 a_stride,
                       i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  const RoundEdges<Id, T> edges{{&links, writer}};
  run_over_pairs<Rule>(us, vs, u_stride, v_stride, n, parent, old, own_u, own_v, control, from, to, raise, edges);
  edges.finish();
}

}  // namespace lb::gpu

// Spanning forests by rounds: the kernels of rounds.cuh, and a sink for the edges on which roots become children.
#pragma once
#include "forest_sink.cuh"
#include "rounds.cuh"

namespace lb::gpu {

template <class Id, class T>
struct RoundEdges : Writing<Id, T> {
  static constexpr bool collects = true;
};

template <class Rule, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, round_blocks)
    forest_rounds_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                      const __grid_constant__ RoundArrays<Id> arrays, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ BlockEdges<Id, T, block_threads> shared;
  u32 links = 0;  // the callbacks count; nothing reads the count
  const EdgeWriter<Id, T, block_threads> writer{&shared};
  writer.begin(sink, cells.control);
  const RoundEdges<Id, T> collected{{&links, writer}};
  run_over_csr<Rule>(graph, cells, arrays, collected);
  collected.finish();
}
template <class Rule, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    forest_rounds_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
                      const __grid_constant__ EdgeRange range, const __grid_constant__ RoundArrays<Id> arrays,
                      const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ BlockEdges<Id, T, block_threads> shared;
  u32 links = 0;  // the callbacks count; nothing reads the count
  const EdgeWriter<Id, T, block_threads> writer{&shared};
  writer.begin(sink, cells.control);
  const RoundEdges<Id, T> collected{{&links, writer}};
  run_over_coo<Rule>(edges, cells, range, arrays, collected);
  collected.finish();
}

}  // namespace lb::gpu

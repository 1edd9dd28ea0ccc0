// Spanning forests by searches: the kernels of search.cuh and search_members.cuh, and a sink.
#pragma once
#include "forest_sink.cuh"
#include "search_members.cuh"

namespace lb::gpu {

// Searches have read the other endpoint of an edge.
template <class Id, class T, int threads, class At, int bytes = searched_bytes>
using ReachedEdges = BlockEdges<Id, T, threads, At, bytes, true>;
template <class Id, class T, int threads, class At, int bytes = searched_bytes>
using ReachedWriter = EdgeWriter<Id, T, threads, At, bytes, true>;

template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads, member_blocks)
    forest_members(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                   const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ QueuedVertices<Id> queued[search_threads / warp_threads];
  __shared__ ReachedEdges<Id, T, search_threads, O> shared;
  const ReachedWriter<Id, T, search_threads, O> writer{&shared};
  writer.begin(sink, cells.control);
  search_largest(graph, cells, arrays, queued, writer);
  writer.finish();
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_growth(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ ReachedEdges<Id, T, block_threads, O, grown_bytes> shared;
  const ReachedWriter<Id, T, block_threads, O, grown_bytes> writer{&shared};
  writer.begin(sink, cells.control);
  grow(graph, cells, arrays, writer);
  writer.finish();
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads, 1)
    forest_search_all(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                      const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ ReachedEdges<Id, T, search_threads, i64> shared;
  const ReachedWriter<Id, T, search_threads, i64> writer{&shared};
  writer.begin(sink, cells.control);
  search_each(graph, cells, arrays, writer);
  writer.finish();
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads, 1)
    forest_clusters(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                    const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ ReachedEdges<Id, T, search_threads, i64> shared;
  const ReachedWriter<Id, T, search_threads, i64> writer{&shared};
  writer.begin(sink, cells.control);
  grow_clusters(graph, cells, arrays, writer);
  writer.finish();
}

}  // namespace lb::gpu

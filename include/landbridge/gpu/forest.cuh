// Spanning forests: the kernels that unite, with callbacks that write the edge of every link. As those named unite_...
// and hook_csr, and a sink.
#pragma once
#include "forest_sink.cuh"
#include "sample.cuh"
#include "unite_coo.cuh"
#include "unite_csr.cuh"
#include "unite_leaving.cuh"
#include "unite_listed.cuh"

namespace lb::gpu {

template <class Link, Balance balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ RowQueues<Id> queues, const __grid_constant__ RowSchedule rows,
               const __grid_constant__ ForestSink<Id, T> sink) {
  // Queues of warps leave no room for the other endpoints.
  using Hooks = Writing<Id, T, O, balance != Balance::edge>;
  __shared__ typename Hooks::Shared shared;
  u32 links = 0;
  const typename Hooks::Writer writer{&shared};
  writer.begin(sink, cells.control);
  unite_rows<Link, balance>(graph, cells, queues, rows, Hooks{&links, writer});
}
template <class Link, Balance balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_queued(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ RowQueues<Id> queues, const __grid_constant__ RowSchedule rows,
                  const __grid_constant__ ForestSink<Id, T> sink) {
  using Hooks = Writing<Id, T, O, true>;
  __shared__ typename Hooks::Shared shared;
  u32 links = 0;
  const typename Hooks::Writer writer{&shared};
  writer.begin(sink, cells.control);
  unite_queued_rows<Link, balance>(graph, cells, queues, rows, Hooks{&links, writer});
}
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_listed(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ SearchArrays<Id> arrays, const __grid_constant__ RowQueues<Id> queues,
                  const __grid_constant__ RowSchedule rows, const __grid_constant__ ForestSink<Id, T> sink) {
  using Hooks = Writing<Id, T, O, true>;
  __shared__ typename Hooks::Shared shared;
  u32 links = 0;
  const typename Hooks::Writer writer{&shared};
  writer.begin(sink, cells.control);
  unite_listed_rows<Link>(graph, cells, arrays, queues, rows, Hooks{&links, writer});
}
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    forest_leaving(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                   const __grid_constant__ LeavingEdges leaving, const __grid_constant__ ForestSink<Id, T> sink) {
  using Hooks = Writing<Id, T, O, true>;
  __shared__ typename Hooks::Shared shared;
  u32 links = 0;
  const typename Hooks::Writer writer{&shared};
  writer.begin(sink, cells.control);
  unite_leaving_edges<Link>(graph, cells, leaving, Hooks{&links, writer});
}
template <class Link, class Choice, Arcs arcs, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_sample(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ Sampling sampling, const __grid_constant__ ForestSink<Id, T> sink) {
  using Hooks = Writing<Id, T, O, true>;
  __shared__ typename Hooks::Shared shared;
  u32 links = 0;
  const typename Hooks::Writer writer{&shared};
  writer.begin(sink, cells.control);
  unite_some<Link, Choice, arcs>(graph, cells, sampling, Hooks{&links, writer});
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EdgeRange range, const __grid_constant__ LargestTree largest,
               const __grid_constant__ CutEdges<Id> cut, const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ BlockEdges<Id, T, block_threads> shared;
  u32 links = 0;
  const EdgeWriter<Id, T, block_threads> writer{&shared};
  writer.begin(sink, cells.control);
  unite_edges<Link>(edges, cells, range, largest, cut, Writing<Id, T>{&links, writer});
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    forest_settle(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ EdgeRange range, const __grid_constant__ CutEdges<Id> cut,
                  const __grid_constant__ ForestSink<Id, T> sink) {
  __shared__ BlockEdges<Id, T, block_threads> shared;
  u32 links = 0;
  const EdgeWriter<Id, T, block_threads> writer{&shared};
  writer.begin(sink, cells.control);
  settle_range<Link>(edges, cells, range, cut, Writing<Id, T>{&links, writer});
}

// Nearly every vertex has an edge to write here, so a block finds places for those of hook_items times its threads at
// once.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_hooks(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ ForestSink<Id, T> arrays) {
  constexpr int warps = block_threads / warp_threads;
  __shared__ u32 counts[hook_items * warps];
  __shared__ u64 base;
  const EdgeSink<Id, T> sink{arrays, cells.control};
  const QuietMemory<Id> m(cells.parent);
  const i64 n = graph.vertices;
  const O* const offsets = graph.offsets;
  const T* const neighbors = graph.neighbors;
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  u64 hooked = 0, isolated = 0;
  constexpr i64 tile = hook_items * block_threads;
  for (i64 first = static_cast<i64>(blockIdx.x) * tile; first < n; first += static_cast<i64>(gridDim.x) * tile) {
    O begin[hook_items];
    T other[hook_items];
    bool singleton[hook_items];
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      const i64 x = first + j * block_threads + threadIdx.x;
      begin[j] = x < n ? offsets[x] : O{0};
      singleton[j] = x >= n || begin[j] == offsets[x + 1];
    }
#pragma unroll
    for (int j = 0; j < hook_items; ++j) other[j] = singleton[j] ? T{0} : neighbors[begin[j]];
    u32 place[hook_items];
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      const i64 x = first + j * block_threads + threadIdx.x;
      const Id id = static_cast<Id>(x);
      const bool stays = x >= n || phase::hook_first(m, id, singleton[j] ? id : static_cast<Id>(other[j]));
      const unsigned leaves = __ballot_sync(0xffffffffu, !stays);
      place[j] = stays ? none<u32> : static_cast<u32>(__popc(leaves & lanes_below()));
      if (lane() == 0) counts[j * warps + warp] = static_cast<u32>(__popc(leaves));
      hooked += !stays;
      isolated += singleton[j] && x < n;
    }
    __syncthreads();
    if (warp == 0) {
      // Every count becomes the sum of those before it.
      static_assert(hook_items * warps == warp_threads);
      const u32 mine = counts[lane()];
      const u32 upto = sum_up_to(mine);
      counts[lane()] = upto - mine;
      if (lane() == warp_threads - 1) base = upto == 0 ? 0 : sink.places(upto);
    }
    __syncthreads();
    const u64 places = base;
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      if (place[j] == none<u32>) continue;
      const i64 x = first + j * block_threads + threadIdx.x;
      sink.write(places + counts[j * warps + warp] + place[j], static_cast<i64>(begin[j]), static_cast<Id>(x),
                 static_cast<Id>(other[j]));
    }
    __syncthreads();
  }
  add_links(cells.control, hooked);
  add_isolated(cells.control, isolated, graph.symmetric != 0);
}

}  // namespace lb::gpu

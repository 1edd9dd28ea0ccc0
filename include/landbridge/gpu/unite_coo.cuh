// Uniting an edge list under any rule, and the edges that were deferred.
#pragma once
#include "warp_queue.cuh"

namespace lb::gpu {

// The edges of a range.
template <class Link, class Id, class T, class Hooks>
__device__ inline void unite_edges(const EdgeArrays<T>& edges, const Cells<Id>& cells, const EdgeRange& range,
                                   const Hooks& hooks) {
  using F = ForestOf<Link, Id>;
  const F forest = forest_of<Link>(cells);
  u64* const control = cells.control;
  const Id* const parent = cells.parent;
  const bool raised = range.raised != 0;
  const i64 end = range.end;
  const auto load = [&](const T* ids, i64 stride, i64 i) {
    const Id x = endpoint<Id>(ids, stride, i);
    return raised ? device::load_weak(parent + x) : x;
  };
  if constexpr (Link::steps && !Link::ranked) {
    using Queue = WarpQueue<Link, Id, Hooks>;
    __shared__ typename Queue::Storage storage[block_threads / warp_threads];
    constexpr int each = Queue::each;
    Queue queue(forest, storage + threadIdx.x / warp_threads, hooks, control);
    // Whole warps take part, also past the last edge.
    for (i64 base = range.begin + thread_in_grid() - static_cast<i64>(lane()); base < end;
         base += each * threads_in_grid()) {
      Id a[each], b[each];
      i64 positions[each];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const i64 at = positions[i] = base + static_cast<i64>(lane()) + i * threads_in_grid();
        a[i] = at < end ? load(edges.u, edges.u_stride, at) : none<Id>;
        b[i] = at < end ? load(edges.v, edges.v_stride, at) : none<Id>;
      }
      queue.add(a, b, positions);
    }
    queue.finish();
  } else {
    using Vertex = typename F::Id;
    for (i64 first = range.begin + thread_in_grid() - static_cast<i64>(lane()); first < end;
         first += threads_in_grid(), hooks.pause()) {
      const i64 i = first + static_cast<i64>(lane());
      if (i >= end) continue;
      phase::UniteRun<Link, F> run(forest);
      run.edge(static_cast<Vertex>(load(edges.u, edges.u_stride, i)),
               static_cast<Vertex>(load(edges.v, edges.v_stride, i)), hooks.of(i, Id{0}));
    }
  }
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    unite_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
              const __grid_constant__ EdgeRange range) {
  u32 links = 0;
  unite_edges<Link>(edges, cells, range, Counting{&links});
}

// Unites the deferred edges, after the forest is flattened, and empties their queue and those of rows. One block.
template <class Id>
__global__ void __launch_bounds__(block_threads)
    unite_deferred(const __grid_constant__ Cells<Id> cells, const __grid_constant__ DeferredOptions options) {
  using Link = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  u64* const control = cells.control;
  const auto forest = forest_of<Link, Id>(cells.parent, nullptr, nullptr);
  u32 links = 0;
  const i64 count = one_tree(control, cells.vertices) ? 0 : deferred_count(control);
  for (i64 i = threadIdx.x; i < count && i < deferred_capacity; i += block_threads) {
    const u64* const at = control + control_words + 2 * i;
    Link::unite(forest, static_cast<Id>(at[0]), static_cast<Id>(at[1]), callback::CountLinks{&links});
  }
  add_links(control, links);
  __syncthreads();
  if (threadIdx.x != 0) return;
  control[word_deferred] = static_cast<u64>(options.unbounded) << 63;
  reset_queues(control);
}

}  // namespace lb::gpu

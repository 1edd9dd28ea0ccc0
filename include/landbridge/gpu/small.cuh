// A whole run in one launch of one block, for graphs so small that launches are what they cost.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

// Numbers the roots of a forest and gives every vertex the number of its root: a scan by one block.
template <class M>
__device__ inline u64 number_in_block(const M& m, i64 n) {
  using Id = typename M::Cell;
  constexpr int warps = fused_threads / warp_threads;
  __shared__ int sums[warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  u64 before = 0;
  for (i64 base = 0; base < n; base += fused_threads) {
    const i64 x = base + threadIdx.x;
    const Id cell = x < n ? m.load(static_cast<Id>(x)) : none<Id>;
    const unsigned roots = __ballot_sync(0xffffffffu, cell == static_cast<Id>(x));
    if (lane() == 0) sums[warp] = __popc(roots);
    __syncthreads();
    int left = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) left += sums[w];
      all += sums[w];
    }
    const u64 mine = before + static_cast<u64>(left + __popc(roots & lanes_below()));
    if (x < n) m.store(static_cast<Id>(x), phase::mark_cell(cell, static_cast<Id>(x), static_cast<Id>(mine)));
    before += static_cast<u64>(all);
    __syncthreads();
  }
  for (i64 x = threadIdx.x; x < n; x += fused_threads) phase::resolve_label(m, static_cast<Id>(x));
  return before;
}

// Unites the edges of the threads of a block. An edge whose walk takes more than a few steps is deferred, as by
// `defer`, until everything else is done and paths are short.
template <class Link, class M>
class BlockUnion {
 public:
  using Id = typename M::Cell;
  struct Overflow {
    Id x[fused_deferred], y[fused_deferred];
    u32 count;
  };

  // All threads make one, before a barrier.
  __device__ BlockUnion(const Forest<M>& forest, Overflow* overflow) : forest_(forest), overflow_(overflow) {
    if (threadIdx.x == 0) overflow_->count = 0;
  }
  __device__ void edge(phase::UniteRun<Link, Forest<M>>& run, Id u, Id v) const {
    if constexpr (Link::steps) {
      typename Link::template EdgeWalk<Id> walk{u, v, Link::Reads::load(forest_.parent, u),
                                                Link::Reads::load(forest_.parent, v)};
      for (int left = long_path; walk.parent_x != walk.parent_y;) {
        Link::step(forest_, walk, callback::Nothing{});
        if (--left == 0 && defer(walk.x, walk.y)) break;
      }
    } else {
      run.edge(u, v, callback::Nothing{});
    }
  }
  // All threads call it, between barriers, after the last edge: unites the deferred edges. n: the cells in use.
  __device__ void finish(i64 n) const {
    const u32 count = overflow_->count;
    if (count == 0) return;
    for (i64 x = threadIdx.x; x < n; x += fused_threads) {
      Id p = forest_.parent.load(static_cast<Id>(x)), g = forest_.parent.load(p);
      while (phase::jump_step(forest_.parent, static_cast<Id>(x), p, g)) {
      }
    }
    __syncthreads();
    using Last = link::RemCas<find::Naive<>, splice::HalveOne<>>;
    for (u32 i = threadIdx.x; i < count && i < fused_deferred; i += fused_threads) {
      Last::unite(forest_, overflow_->x[i], overflow_->y[i], callback::Nothing{});
    }
  }

 private:
  __device__ bool defer(Id x, Id y) const {
    const u32 place = atomicAdd(&overflow_->count, 1u);
    if (place >= fused_deferred) return false;
    overflow_->x[place] = x;
    overflow_->y[place] = y;
    return true;
  }

  const Forest<M>& forest_;
  Overflow* const overflow_;
};

// Start, unite everything, number, for rules that need nothing beside the parents. The edges are those of the edge list
// where `graph` has no offsets, else those of CSR, whose rows warps take.
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(fused_threads)
    unite_small(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ EdgeArrays<T> edges,
                const __grid_constant__ Cells<Id> cells) {
  using M = DeviceMemory<Id>;
  __shared__ typename BlockUnion<Link, M>::Overflow overflow;
  const i64 n = cells.vertices;
  const M m(cells.parent);
  const Forest<M> forest{m, M(nullptr)};
  const BlockUnion<Link, M> block(forest, &overflow);
  if (threadIdx.x < control_words) cells.control[threadIdx.x] = 0;
  for (i64 x = threadIdx.x; x < n; x += fused_threads) m.store(static_cast<Id>(x), static_cast<Id>(x));
  __syncthreads();
  if (graph.offsets == nullptr) {
    for (i64 i = threadIdx.x; i < edges.edges; i += fused_threads) {
      phase::UniteRun<Link, Forest<M>> run(forest);
      block.edge(run, endpoint<Id>(edges.u, edges.u_stride, i), endpoint<Id>(edges.v, edges.v_stride, i));
    }
  } else {
    const Csr<T, O> g = view_of(graph);
    for (i64 x = threadIdx.x / warp_threads; x < n; x += fused_threads / warp_threads) {
      phase::UniteRun<Link, Forest<M>> run(forest);
      for (i64 i = g.begin(x) + lane(); i < g.end(x); i += warp_threads) {
        block.edge(run, static_cast<Id>(x), static_cast<Id>(g.neighbors[i]));
      }
    }
  }
  __syncthreads();
  block.finish(n);
  __syncthreads();
  const u64 count = number_in_block(m, n);
  if (threadIdx.x == 0) cells.control[word_count] = count;
}

// The same for an edge list that is not validated: finds the largest id, unites in shared memory, numbers, and writes
// the labels. Refuses the edges if an id is negative or not below the number of vertices, unchecked_vertices at most.
// The host need not wait for the end of the kernel: all labels are written when it has the answer.
template <class Link, class T>
__global__ void __launch_bounds__(fused_threads) unite_unchecked(const __grid_constant__ UncheckedEdges<T> edges) {
  using M = BlockMemory<u32>;
  __shared__ u32 cells[unchecked_vertices];
  __shared__ u32 largest;
  __shared__ typename BlockUnion<Link, M>::Overflow overflow;
  volatile u64* const answer = edges.answer;
  const M m(cells);
  const Forest<M> forest{m, m};
  const BlockUnion<Link, M> block(forest, &overflow);
  if (threadIdx.x == 0) largest = 0;
  for (i64 x = threadIdx.x; x < unchecked_vertices; x += fused_threads) {
    m.store(static_cast<u32>(x), static_cast<u32>(x));
  }
  // As if unsigned, a negative id is a large one.
  u64 most = 0;
  for (i64 i = threadIdx.x; i < edges.edges; i += fused_threads) {
    const u64 a = endpoint<u64>(edges.u, edges.u_stride, i), b = endpoint<u64>(edges.v, edges.v_stride, i);
    most = a > most ? a : most;
    most = b > most ? b : most;
  }
  const u64 bound = edges.vertices < 0 ? unchecked_vertices : static_cast<u64>(edges.vertices);
  if (__syncthreads_or(edges.edges != 0 && most >= bound)) {
    if (threadIdx.x == 0) {
      answer[unchecked_word_refused] = 1;
      __threadfence_system();
      answer[unchecked_word_answered] = 1;
    }
    return;
  }
  atomicMax(&largest, static_cast<u32>(most));
  for (i64 i = threadIdx.x; i < edges.edges; i += fused_threads) {
    phase::UniteRun<Link, Forest<M>> run(forest);
    block.edge(run, endpoint<u32>(edges.u, edges.u_stride, i), endpoint<u32>(edges.v, edges.v_stride, i));
  }
  __syncthreads();
  const i64 n = edges.vertices >= 0 ? edges.vertices : edges.edges == 0 ? 0 : static_cast<i64>(largest) + 1;
  block.finish(n);
  __syncthreads();
  const u64 count = number_in_block(m, n);
  // A thread resolves the same vertices that it copies.
  for (i64 x = threadIdx.x; x < n; x += fused_threads) edges.labels[x] = m.load(static_cast<u32>(x));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    answer[unchecked_word_count] = count;
    answer[unchecked_word_vertices] = static_cast<u64>(n);
    answer[unchecked_word_refused] = 0;
    __threadfence_system();
    answer[unchecked_word_answered] = 1;
  }
}

}  // namespace lb::gpu

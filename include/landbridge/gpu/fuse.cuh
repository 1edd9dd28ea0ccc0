// A whole run in one launch of one block, for graphs so small that launches are what they cost.
#pragma once
#include "kernels.cuh"

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

// Unites the edges that the threads of a block hand over. A walk of more than a few steps is put aside, as in defer,
// until everything else is done and paths are short.
template <class Link, class M>
class Block {
 public:
  using Id = typename M::Cell;
  static constexpr u32 places = 256;
  struct Waiting {
    Id x[places], y[places];
    u32 count;
  };

  // All threads make one, before a barrier.
  __device__ Block(const Forest<M>& forest, Waiting* waiting) : forest_(forest), waiting_(waiting) {
    if (threadIdx.x == 0) waiting_->count = 0;
  }
  __device__ void edge(phase::UniteRun<Link, Forest<M>>& run, Id u, Id v) const {
    if constexpr (Link::steps) {
      typename Link::template EdgeWalk<Id> walk{u, v, Link::Reads::load(forest_.parent, u),
                                                Link::Reads::load(forest_.parent, v)};
      for (int left = long_path; walk.parent_x != walk.parent_y;) {
        Link::step(forest_, walk, callback::Nothing{});
        if (--left == 0 && aside(walk.x, walk.y)) break;
      }
    } else {
      run.edge(u, v, callback::Nothing{});
    }
  }
  // All threads call it, between barriers, after the last edge: takes what was put aside. n: the cells in use.
  __device__ void finish(i64 n) const {
    const u32 count = waiting_->count;
    if (count == 0) return;
    for (i64 x = threadIdx.x; x < n; x += fused_threads) {
      Id p = forest_.parent.load(static_cast<Id>(x)), above = forest_.parent.load(p);
      while (phase::jump_step(forest_.parent, static_cast<Id>(x), p, above)) {
      }
    }
    __syncthreads();
    using Last = link::RemCas<find::Naive<>, splice::HalveOne<>>;
    for (u32 i = threadIdx.x; i < count && i < places; i += fused_threads) {
      Last::unite(forest_, waiting_->x[i], waiting_->y[i], callback::Nothing{});
    }
  }

 private:
  __device__ bool aside(Id x, Id y) const {
    const u32 place = atomicAdd(&waiting_->count, 1u);
    if (place >= places) return false;
    waiting_->x[place] = x;
    waiting_->y[place] = y;
    return true;
  }

  const Forest<M>& forest_;
  Waiting* const waiting_;
};

// Start, unite everything, number, for rules that need nothing beside the parents: edges are pairs (offsets is null) or
// rows, whose vertices warps take.
template <class Link, class Id, class T, class O>
__global__ void __launch_bounds__(fused_threads) unite_small(const O* offsets, const T* a, const T* b, i64 a_stride,
                                                             i64 b_stride, i64 n, i64 edges, Id* parent, u64* control) {
  using M = DeviceMemory<Id>;
  __shared__ typename Block<Link, M>::Waiting waiting;
  const M m(parent);
  const Forest<M> forest{m, M(nullptr)};
  const Block<Link, M> block(forest, &waiting);
  if (threadIdx.x < control_words) control[threadIdx.x] = 0;
  for (i64 x = threadIdx.x; x < n; x += fused_threads) m.store(static_cast<Id>(x), static_cast<Id>(x));
  __syncthreads();
  if (offsets == nullptr) {
    for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
      phase::UniteRun<Link, Forest<M>> run(forest);
      block.edge(run, static_cast<Id>(a[i * a_stride]), static_cast<Id>(b[i * b_stride]));
    }
  } else {
    const Csr<T, O> g{offsets, a, n};
    for (i64 x = threadIdx.x / warp_threads; x < n; x += fused_threads / warp_threads) {
      phase::UniteRun<Link, Forest<M>> run(forest);
      for (i64 i = g.begin(x) + lane(); i < g.end(x); i += warp_threads) {
        block.edge(run, static_cast<Id>(x), static_cast<Id>(a[i]));
      }
    }
  }
  __syncthreads();
  block.finish(n);
  __syncthreads();
  const u64 count = number_in_block(m, n);
  if (threadIdx.x == 0) control[word_count] = count;
}

// The same for pairs that nobody has looked at yet: finds the largest id, unites in shared memory, numbers, and writes
// the labels. Gives up, which word_refused tells, if an id is negative or not below unchecked_vertices. `control` may
// be memory of the host; of its words it fills word_count, word_vertices and word_refused.
template <class Link, class T>
__global__ void __launch_bounds__(fused_threads)
    unite_unseen(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 edges, u32* labels, u64* control) {
  using M = BlockMemory<u32>;
  __shared__ u32 cells[unchecked_vertices];
  __shared__ u32 largest;
  __shared__ typename Block<Link, M>::Waiting waiting;
  const M m(cells);
  const Forest<M> forest{m, m};
  const Block<Link, M> block(forest, &waiting);
  if (threadIdx.x == 0) largest = 0;
  for (i64 x = threadIdx.x; x < unchecked_vertices; x += fused_threads)
    m.store(static_cast<u32>(x), static_cast<u32>(x));
  // As if unsigned, a negative id is a large one.
  u64 most = 0;
  for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
    const u64 a = static_cast<u64>(u[i * u_stride]), b = static_cast<u64>(v[i * v_stride]);
    most = a > most ? a : most;
    most = b > most ? b : most;
  }
  if (__syncthreads_or(most >= unchecked_vertices)) {
    if (threadIdx.x == 0) control[word_refused] = 1;
    return;
  }
  atomicMax(&largest, static_cast<u32>(most));
  for (i64 i = threadIdx.x; i < edges; i += fused_threads) {
    phase::UniteRun<Link, Forest<M>> run(forest);
    block.edge(run, static_cast<u32>(u[i * u_stride]), static_cast<u32>(v[i * v_stride]));
  }
  __syncthreads();
  const i64 n = edges == 0 ? 0 : static_cast<i64>(largest) + 1;
  block.finish(n);
  __syncthreads();
  const u64 count = number_in_block(m, n);
  // A thread resolves the same vertices that it copies.
  for (i64 x = threadIdx.x; x < n; x += fused_threads) labels[x] = m.load(static_cast<u32>(x));
  if (threadIdx.x == 0) {
    control[word_count] = count;
    control[word_vertices] = static_cast<u64>(n);
    control[word_refused] = 0;
  }
}

}  // namespace lb::gpu

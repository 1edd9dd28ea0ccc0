// Spanning forests: the kernels that unite and search, with a hook that writes out the edge that linked, in whatever
// order links happen.
#pragma once
#include "kernels.cuh"
#include "search.cuh"

namespace lb::gpu {

// Where the edges of a forest go: their ends and positions, as many places as a forest can have edges, counted by
// word_edges of the control block. a, b: the edges of the input, rows if b is null. origin: of rows made of pairs the
// pair behind each arc, else null.
template <class Id, class T>
struct EdgeSink {
  const T* a;
  const T* b;
  i64 a_stride, b_stride;
  const i64* origin;
  Id* u;
  Id* v;
  i64* edge;
  u64* control;

  // Places for some edges. One lane calls it.
  __device__ u64 places(u32 count) const { return atomicAdd(control + word_edges, static_cast<u64>(count)); }
  __device__ void write(u64 place, i64 at, Id row) const { write(place, at, row, b == nullptr ? a + at : nullptr); }
  // The same where the other end is known.
  __device__ void write(u64 place, i64 at, Id row, const T* other) const {
    if (b == nullptr) {
      edge[place] = at;
      u[place] = row;
      v[place] = static_cast<Id>(*other);
      return;
    }
    const i64 e = origin == nullptr ? at : origin[at];
    edge[place] = e;
    u[place] = static_cast<Id>(a[e * a_stride]);
    v[place] = static_cast<Id>(b[e * b_stride]);
  }
};

// The edges that a warp has found and not written yet.
template <class Id>
struct Found {
  i64 edges[collected_edges];
  Id rows[collected_edges];
  u32 count;  // may be more than there are places: who gets none writes himself
};

// The shared memory of a block that finds edges. The sink is there, too: it would take twenty registers.
template <class Id, class T, int threads>
struct Outbox {
  EdgeSink<Id, T> sink;
  Found<Id> warps[threads / warp_threads];
};

// What threads do with the edges of a forest: keep them until there are enough for a warp to write.
template <class Id, class T, int threads>
struct Writer {
  Outbox<Id, T, threads>* box;

  // All threads of the block call it, before the first edge.
  __device__ void begin(const EdgeSink<Id, T>& sink) const {
    if (threadIdx.x == 0) box->sink = sink;
    if (lane() == 0) warp().count = 0;
    __syncthreads();
  }
  // Any lane, wherever the others are. sparse: whether no lane comes twice between two calls of rest().
  template <bool sparse = false>
  __device__ void add(i64 edge, Id row) const {
    Found<Id>& found = warp();
    const u32 place = atomicAdd(&found.count, 1u);
    if (sparse || place < collected_edges) {
      found.edges[place] = edge;
      found.rows[place] = row;
      return;
    }
    const unsigned here = __activemask();
    const int leader = __ffs(static_cast<int>(here)) - 1;
    u64 base = 0;
    if (static_cast<int>(lane()) == leader) base = box->sink.places(static_cast<u32>(__popc(here)));
    base = __shfl_sync(here, base, leader);
    box->sink.write(base + static_cast<u64>(__popc(here & lanes_below())), edge, row);
  }
  // All lanes. Afterwards there are places for an edge a lane, or for two.
  __device__ void rest() const { flush(collected_edges - warp_threads); }
  __device__ void pause() const { flush(collected_edges - 2 * warp_threads); }
  __device__ void finish() const { flush(1); }

 private:
  __device__ Found<Id>& warp() const { return box->warps[threadIdx.x / warp_threads]; }
  // Writes what there is if it is `enough`.
  __device__ void flush(u32 enough) const {
    __syncwarp();
    Found<Id>& found = warp();
    // One lane looks: another that goes on may add before all have looked.
    u32 count = lane() == 0 ? device::load_shared(&found.count) : 0;
    count = __shfl_sync(0xffffffffu, count, 0);
    if (count < enough) return;
    if (count > collected_edges) count = collected_edges;
    u64 base = 0;
    if (lane() == 0) base = box->sink.places(count);
    base = __shfl_sync(0xffffffffu, base, 0);
    for (u32 i = lane(); i < count; i += warp_threads) box->sink.write(base + i, found.edges[i], found.rows[i]);
    __syncwarp();
    if (lane() == 0) found.count = 0;
    __syncwarp();
  }
};

// As Counting; what waits keeps its position.
template <class Id, class T>
struct Writing {
  static constexpr bool waits = false;
  u32* links;
  Writer<Id, T, block_threads> writer;
  template <int places>
  struct Kept {
    i64 edges[places];
    __device__ void keep(int place, i64 edge) { edges[place] = edge; }
    __device__ i64 kept(int place) const { return edges[place]; }
  };
  // The hook of one edge.
  template <bool sparse>
  struct Edge {
    u32* links;
    Writer<Id, T, block_threads> writer;
    i64 edge;
    Id row;
    template <class Root>
    __device__ void operator()(Root) const {
      ++*links;
      writer.template add<sparse>(edge, row);
    }
  };
  __device__ Edge<false> of(i64 edge, Id row) const { return {links, writer, edge, row}; }
  __device__ Edge<true> only(i64 edge, Id row) const { return {links, writer, edge, row}; }
  __device__ void rest() const { writer.rest(); }
  __device__ void pause() const { writer.pause(); }
  __device__ void finish() const { writer.finish(); }
};

// ---- as the kernels named unite_..., hook_..., search_..., decompose
// ------------------------------------------------------ Their last parameters are those of EdgeSink.

template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge,
                u64* control, i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64 lanes, i64 flags, const T* a,
                const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  unite_picked<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner,
                              tile, lanes, flags, Writing<Id, T>{&links, writer});
}
template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_queued(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge,
                  u64* control, i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64, i64 flags, const T* a,
                  const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  unite_waiting<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner,
                               tile, flags, Writing<Id, T>{&links, writer});
}
template <class Link, class Choice, int arcs, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_sample(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, u64* control, i64 k,
                  u64 seed, const T* a, const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v,
                  i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  unite_few<Link, Choice, arcs>(offsets, neighbors, n, parent, words, aux, control, k, seed,
                                Writing<Id, T>{&links, writer});
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_pairs(const T* us, const T* vs, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux, u64* control,
                 i64 from, i64 to, i64 raise, const T* a, const T* b, i64 a_stride, i64 b_stride, const i64* origin,
                 Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, block_threads> box;
  u32 links = 0;
  const Writer<Id, T, block_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  unite_list<Link>(us, vs, u_stride, v_stride, parent, words, aux, control, from, to, raise,
                   Writing<Id, T>{&links, writer});
}

// Nearly every vertex has an edge to write here, so a block finds places for those of hook_items times its threads at
// once.
template <class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, warp_queue_blocks)
    forest_hooks(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* control, i64 symmetric, const T* a,
                 const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  constexpr int warps = block_threads / warp_threads;
  __shared__ u32 counts[hook_items * warps];
  __shared__ u64 base;
  const EdgeSink<Id, T> sink{a, b, a_stride, b_stride, origin, u, v, edge, control};
  const QuietMemory<Id> m(parent);
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  u64 hooked = 0, isolated = 0;
  constexpr i64 tile = hook_items * block_threads;
  for (i64 first = static_cast<i64>(blockIdx.x) * tile; first < n; first += static_cast<i64>(gridDim.x) * tile) {
    O begin[hook_items];
    T other[hook_items];
    bool alone[hook_items];
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      const i64 x = first + j * block_threads + threadIdx.x;
      begin[j] = x < n ? offsets[x] : O{0};
      alone[j] = x >= n || begin[j] == offsets[x + 1];
    }
#pragma unroll
    for (int j = 0; j < hook_items; ++j) other[j] = alone[j] ? T{0} : neighbors[begin[j]];
    u32 place[hook_items];
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      const i64 x = first + j * block_threads + threadIdx.x;
      const Id id = static_cast<Id>(x);
      const bool stays = x >= n || phase::hook_first(m, id, alone[j] ? id : static_cast<Id>(other[j]));
      const unsigned leaves = __ballot_sync(0xffffffffu, !stays);
      place[j] = stays ? none<u32> : static_cast<u32>(__popc(leaves & lanes_below()));
      if (lane() == 0) counts[j * warps + warp] = static_cast<u32>(__popc(leaves));
      hooked += !stays;
      isolated += alone[j] && x < n;
    }
    __syncthreads();
    if (warp == 0) {
      // Every count becomes the sum of those before it.
      static_assert(hook_items * warps == warp_threads);
      const u32 mine = counts[lane()];
      u32 upto = mine;
      for (int d = 1; d < warp_threads; d <<= 1) {
        const u32 left = __shfl_up_sync(0xffffffffu, upto, static_cast<unsigned>(d));
        if (static_cast<int>(lane()) >= d) upto += left;
      }
      counts[lane()] = upto - mine;
      if (lane() == warp_threads - 1) base = upto == 0 ? 0 : sink.places(upto);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < hook_items; ++j) {
      if (place[j] == none<u32>) continue;
      const i64 x = first + j * block_threads + threadIdx.x;
      sink.write(base + counts[j * warps + warp] + place[j], static_cast<i64>(begin[j]), static_cast<Id>(x), &other[j]);
    }
    __syncthreads();
  }
  add_links(control, hooked);
  add_isolated(control, isolated, symmetric != 0);
}

template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads)
    forest_star(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* queue, u64* control, u64 seed, const T* a,
                const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, search_threads> box;
  const Writer<Id, T, search_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  grow_star(offsets, neighbors, n, parent, queue, control, seed, writer);
  writer.finish();
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads)
    forest_all(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* queue, u64* control, const T* a, const T* b,
               i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v, i64* edge) {
  __shared__ Outbox<Id, T, search_threads> box;
  const Writer<Id, T, search_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  grow_all(offsets, neighbors, n, parent, queue, control, writer);
  writer.finish();
}
template <class Id, class T, class O>
__global__ void __launch_bounds__(search_threads)
    forest_clusters(const O* offsets, const T* neighbors, i64 n, Id* parent, Id* queue, u64* control, double growth,
                    u64 seed, const T* a, const T* b, i64 a_stride, i64 b_stride, const i64* origin, Id* u, Id* v,
                    i64* edge) {
  __shared__ Outbox<Id, T, search_threads> box;
  const Writer<Id, T, search_threads> writer{&box};
  writer.begin({a, b, a_stride, b_stride, origin, u, v, edge, control});
  grow_clusters(offsets, neighbors, n, parent, queue, control, growth, seed, writer);
  writer.finish();
}

// ---- rows of pairs
// --------------------------------------------------------------------------------------------------------

// Symmetric rows of pairs as scatter_pairs makes them, which also keep the pair behind each arc.
template <class T>
__global__ void scatter_origins(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 count, u64* next, T* neighbors,
                                i64* origin) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const T x = u[i * u_stride], y = v[i * v_stride];
    u64 place = atomicAdd(next + x, u64{1});
    neighbors[place] = y;
    origin[place] = i;
    if (x == y) continue;
    place = atomicAdd(next + y, u64{1});
    neighbors[place] = x;
    origin[place] = i;
  }
}

}  // namespace lb::gpu

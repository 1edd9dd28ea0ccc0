// Where kernels that unite or search write the edges of a spanning forest, in whatever order links happen.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

template <class Id, class T>
struct EdgeSink : ForestSink<Id, T> {
  u64* control;

  // Places for some edges. One lane calls it.
  __device__ u64 places(u32 count) const { return atomicAdd(control + word_edges, static_cast<u64>(count)); }
  __device__ void write(u64 place, i64 at, Id row) const {
    write(place, at, row, this->b == nullptr ? this->a + at : nullptr);
  }
  // The same where the other endpoint is known.
  __device__ void write(u64 place, i64 at, Id row, const T* other) const {
    if (this->b == nullptr) {
      this->edge[place] = at;
      this->u[place] = row;
      this->v[place] = static_cast<Id>(*other);
      return;
    }
    const i64 e = this->origin == nullptr ? at : this->origin[at];
    this->edge[place] = e;
    this->u[place] = endpoint<Id>(this->a, this->a_stride, e);
    this->v[place] = endpoint<Id>(this->b, this->b_stride, e);
  }
};

// The edges that a warp has collected and not written yet, by positions of type At.
template <class Id, class At, int bytes>
struct CollectedEdges {
  static constexpr u32 places = bytes / (sizeof(Id) + sizeof(At)) / warp_threads * warp_threads;
  At edges[places];
  Id rows[places];
  u32 count;  // may exceed the places: a lane without one writes its edge at once
};

// The shared memory of a block that collects edges. The sink is there, too: it would take twenty registers.
template <class Id, class T, int threads, class At = i64, int bytes = collected_bytes>
struct BlockEdges {
  EdgeSink<Id, T> sink;
  CollectedEdges<Id, At, bytes> warps[threads / warp_threads];
};

// What threads do with the edges of a forest: collect them until there are enough for a warp to write.
template <class Id, class T, int threads, class At = i64, int bytes = collected_bytes>
struct EdgeWriter {
  using Edges = CollectedEdges<Id, At, bytes>;
  BlockEdges<Id, T, threads, At, bytes>* shared;

  // All threads of the block call it, before the first edge.
  __device__ void begin(const ForestSink<Id, T>& sink, u64* control) const {
    if (threadIdx.x == 0) shared->sink = {sink, control};
    if (lane() == 0) warp().count = 0;
    __syncthreads();
  }
  // Any lane, wherever the others are. sparse: whether no lane comes twice between two calls of rest().
  template <bool sparse = false>
  __device__ void add(i64 edge, Id row) const {
    Edges& own = warp();
    const u32 place = atomicAdd(&own.count, 1u);
    if (sparse || place < Edges::places) {
      own.edges[place] = static_cast<At>(edge);
      own.rows[place] = row;
      return;
    }
    const unsigned active = __activemask();
    const int leader = __ffs(static_cast<int>(active)) - 1;
    u64 base = 0;
    if (static_cast<int>(lane()) == leader) base = shared->sink.places(static_cast<u32>(__popc(active)));
    base = __shfl_sync(active, base, leader);
    shared->sink.write(base + static_cast<u64>(__popc(active & lanes_below())), edge, row);
  }
  // All lanes. Afterwards there are places for one edge per lane, or for two.
  __device__ void rest() const { flush(Edges::places - warp_threads); }
  __device__ void pause() const { flush(Edges::places - 2 * warp_threads); }
  __device__ void finish() const { flush(1); }

 private:
  __device__ Edges& warp() const { return shared->warps[threadIdx.x / warp_threads]; }
  // Writes all that is collected if that is `enough`, which is 0 where few edges have places.
  __device__ void flush(u32 enough) const {
    __syncwarp();
    Edges& own = warp();
    // One lane reads the count: another that goes on may add before all have read it.
    u32 count = lane() == 0 ? device::load_shared(&own.count) : 0;
    count = __shfl_sync(0xffffffffu, count, 0);
    if (count < enough || count == 0) return;
    if (count > Edges::places) count = Edges::places;
    u64 base = 0;
    if (lane() == 0) base = shared->sink.places(count);
    base = __shfl_sync(0xffffffffu, base, 0);
    for (u32 i = lane(); i < count; i += warp_threads) {
      shared->sink.write(base + i, static_cast<i64>(own.edges[i]), own.rows[i]);
    }
    __syncwarp();
    if (lane() == 0) own.count = 0;
    __syncwarp();
  }
};

// As Counting; queued edges have positions, and links write their edges.
template <class Id, class T, class At = i64>
struct Writing {
  using Writer = EdgeWriter<Id, T, block_threads, At>;
  using Shared = BlockEdges<Id, T, block_threads, At>;
  static constexpr bool may_defer = false;
  u32* links;
  Writer writer;
  template <int places>
  struct Positions {
    At edges[places];
    __device__ void store(int place, i64 edge) { edges[place] = static_cast<At>(edge); }
    __device__ i64 load(int place) const { return static_cast<i64>(edges[place]); }
  };
  // The callback of one edge.
  template <bool sparse>
  struct Edge {
    u32* links;
    Writer writer;
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

}  // namespace lb::gpu

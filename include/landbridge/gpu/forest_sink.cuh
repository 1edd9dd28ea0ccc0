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
    write(place, at, row, this->b == nullptr ? static_cast<Id>(this->a[at]) : Id{0});
  }
  // The same where the other endpoint is known.
  __device__ void write(u64 place, i64 at, Id row, Id other) const {
    if (this->b == nullptr) {
      this->edge[place] = at;
      this->u[place] = row;
      this->v[place] = other;
      return;
    }
    const i64 e = this->origin == nullptr ? at : this->origin[at];
    this->edge[place] = e;
    this->u[place] = endpoint<Id>(this->a, this->a_stride, e);
    this->v[place] = endpoint<Id>(this->b, this->b_stride, e);
  }
};

// The edges that a warp has collected and not written yet, by positions of type At. known: their other endpoints are
// collected with them; else they are read again when an edge is written, where they are often no longer in a cache.
template <class Id, class At, int bytes, bool known>
struct CollectedEdges {
  static constexpr u32 places = bytes / (sizeof(Id) * (known ? 2 : 1) + sizeof(At)) / warp_threads * warp_threads;
  static_assert(places >= 2 * warp_threads, "pause() leaves two places for each lane");
  At edges[places];
  Id rows[places];
  Id others[known ? places : 1];
  u32 count;  // may exceed the places: a lane without one writes its edge at once
};

// The shared memory of a block that collects edges. The sink is there, too: it would take twenty registers.
template <class Id, class T, int threads, class At = i64, int bytes = collected_bytes, bool known = false>
struct BlockEdges {
  EdgeSink<Id, T> sink;
  CollectedEdges<Id, At, bytes, known> warps[threads / warp_threads];
};

// What threads do with the edges of a forest: collect them until there are enough for a warp to write.
template <class Id, class T, int threads, class At = i64, int bytes = collected_bytes, bool known = false>
struct EdgeWriter {
  using Edges = CollectedEdges<Id, At, bytes, known>;
  BlockEdges<Id, T, threads, At, bytes, known>* shared;

  // All threads of the block call it, before the first edge.
  __device__ void begin(const ForestSink<Id, T>& sink, u64* control) const {
    if (threadIdx.x == 0) shared->sink = {sink, control};
    if (lane() == 0) warp().count = 0;
    __syncthreads();
  }
  // Any lane, wherever the others are. other: the other endpoint, where endpoints are known. sparse: whether no lane
  // comes twice between two calls of rest().
  template <bool sparse = false>
  __device__ void add(i64 edge, Id row, Id other = Id{0}) const {
    Edges& own = warp();
    const u32 place = atomicAdd(&own.count, 1u);
    if (sparse || place < Edges::places) {
      own.edges[place] = static_cast<At>(edge);
      own.rows[place] = row;
      if constexpr (known) own.others[place] = other;
      return;
    }
    const unsigned active = __activemask();
    const int leader = __ffs(static_cast<int>(active)) - 1;
    u64 base = 0;
    if (static_cast<int>(lane()) == leader) base = shared->sink.places(static_cast<u32>(__popc(active)));
    base = __shfl_sync(active, base, leader);
    write(base + static_cast<u64>(__popc(active & lanes_below())), edge, row, other);
  }
  // All lanes. Afterwards there are places for one edge per lane, or for two.
  __device__ void rest() const { flush(Edges::places - warp_threads); }
  __device__ void pause() const { flush(Edges::places - 2 * warp_threads); }
  __device__ void finish() const { flush(1); }

 private:
  __device__ void write(u64 place, i64 edge, Id row, Id other) const {
    if constexpr (known)
      shared->sink.write(place, edge, row, other);
    else
      shared->sink.write(place, edge, row);
  }
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
      write(base + i, static_cast<i64>(own.edges[i]), own.rows[i], own.others[known ? i : 0]);
    }
    __syncwarp();
    if (lane() == 0) own.count = 0;
    __syncwarp();
  }
};

// As Counting; queued edges have positions, and links write their edges. known: as of CollectedEdges.
template <class Id, class T, class At = i64, bool known = false>
struct Writing {
  static constexpr int bytes = known ? known_bytes : collected_bytes;
  using Writer = EdgeWriter<Id, T, block_threads, At, bytes, known>;
  using Shared = BlockEdges<Id, T, block_threads, At, bytes, known>;
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
    Id row, other;
    template <class Root>
    __device__ void operator()(Root) const {
      ++*links;
      writer.template add<sparse>(edge, row, other);
    }
  };
  __device__ Edge<false> of(i64 edge, Id row, Id other = Id{0}) const { return {links, writer, edge, row, other}; }
  __device__ Edge<true> only(i64 edge, Id row, Id other) const { return {links, writer, edge, row, other}; }
  __device__ void rest() const { writer.rest(); }
  __device__ void pause() const { writer.pause(); }
  __device__ void finish() const { writer.finish(); }
};

}  // namespace lb::gpu

// Reads the edges of an edge list, four per lane.
#pragma once
#include "layout/streams.hpp"
#include "warp.cuh"

namespace lb::gpu {

constexpr int warp_edges = lane_edges * warp_threads;

// Four ids in a row, read once: they leave the caches to the parents.
__device__ inline void read_four(const u32* p, u32 (&x)[lane_edges]) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(p));
  x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}
__device__ inline void read_four(const u64* p, u64 (&x)[lane_edges]) {
  const auto* pairs = reinterpret_cast<const ulonglong2*>(p);
  const ulonglong2 low = __ldcs(pairs), high = __ldcs(pairs + 1);
  x[0] = low.x, x[1] = low.y, x[2] = high.x, x[3] = high.y;
}

// An edge list of which a warp reads warp_edges at a time. Ids from `bound` on have no cell, but vertex 0 has one.
// left_out: a word that becomes 1 when an edge is left out for that; null if none is asked for.
template <class T>
struct EdgeReader {
  const T* u;
  const T* v;
  i64 u_stride, v_stride;
  u64 bound;
  u64* left_out;
  bool in_fours;  // whether each lane may read its edges in one access

  __device__ EdgeReader(const EdgeArrays<T>& edges, i64 begin, i64 vertices, bool may_read_fours = true,
                        u64* left_out = nullptr)
      : u(edges.u),
        v(edges.v),
        u_stride(edges.u_stride),
        v_stride(edges.v_stride),
        bound(static_cast<u64>(vertices)),
        left_out(left_out) {
    in_fours = may_read_fours && u_stride == 1 && v_stride == 1 &&
               ((reinterpret_cast<u64>(u + begin) | reinterpret_cast<u64>(v + begin)) & 15) == 0;
  }
  // Where edge k of this lane lies behind the warp's first.
  __device__ i64 place(int k) const {
    return in_fours ? static_cast<i64>(lane()) * lane_edges + k
                    : static_cast<i64>(k) * warp_threads + static_cast<i64>(lane());
  }
  // The ids of this lane's edges from `base` on. Returns the bits of the edges that exist: those before `end`.
  __device__ u32 read(i64 base, i64 end, T (&x)[lane_edges], T (&y)[lane_edges]) const {
    if (in_fours && base + warp_edges <= end) {
      read_four(u + base + place(0), x);
      read_four(v + base + place(0), y);
      return (1u << lane_edges) - 1;
    }
    u32 exist = 0;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const i64 i = base + place(k);
      x[k] = y[k] = 0;
      if (i < end) x[k] = u[i * u_stride], y[k] = v[i * v_stride], exist |= 1u << k;
    }
    return exist;
  }
  // The same as vertices; an edge with an endpoint that has no cell becomes a loop at vertex 0.
  template <class Vertex>
  __device__ u32 load(i64 base, i64 end, Vertex (&a)[lane_edges], Vertex (&b)[lane_edges]) const {
    T x[lane_edges], y[lane_edges];
    const u32 exist = read(base, end, x, y);
    bool all_inside = true;
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const bool inside = has_cells(x[k], y[k]);
      all_inside &= inside;
      a[k] = inside ? static_cast<Vertex>(x[k]) : Vertex{0};
      b[k] = inside ? static_cast<Vertex>(y[k]) : Vertex{0};
    }
    if (!all_inside) note_left_out();
    return exist;
  }
  __device__ void note_left_out() const {
    if (left_out != nullptr) device::store(left_out, u64{1});
  }
  __device__ bool has_cells(T x, T y) const { return static_cast<u64>(x) < bound && static_cast<u64>(y) < bound; }
};

}  // namespace lb::gpu

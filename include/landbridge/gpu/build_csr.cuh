// Symmetric CSR built on the device, from an edge list or from CSR that need not be symmetric: count, scan, scatter.
#pragma once
#include "counts.cuh"

namespace lb::gpu {

// Each edge adds to the degrees of both endpoints; a loop adds once.
template <class T>
__global__ void count_endpoints(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ CsrOutput<T> csr) {
  for (i64 i = thread_in_grid(); i < edges.edges; i += threads_in_grid()) {
    const T a = edges.u[i * edges.u_stride], b = edges.v[i * edges.v_stride];
    atomicAdd(csr.positions + a, u64{1});
    if (a != b) atomicAdd(csr.positions + b, u64{1});
  }
}
template <class T>
__global__ void scatter_edges(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ CsrOutput<T> csr) {
  for (i64 i = thread_in_grid(); i < edges.edges; i += threads_in_grid()) {
    const T a = edges.u[i * edges.u_stride], b = edges.v[i * edges.v_stride];
    csr.neighbors[atomicAdd(csr.positions + a, u64{1})] = b;
    if (a != b) csr.neighbors[atomicAdd(csr.positions + b, u64{1})] = a;
  }
}
// The same, and the position of the edge behind each neighbor.
template <class T>
__global__ void scatter_origins(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ CsrOutput<T> csr) {
  for (i64 i = thread_in_grid(); i < edges.edges; i += threads_in_grid()) {
    const T a = edges.u[i * edges.u_stride], b = edges.v[i * edges.v_stride];
    u64 place = atomicAdd(csr.positions + a, u64{1});
    csr.neighbors[place] = b;
    csr.origin[place] = i;
    if (a == b) continue;
    place = atomicAdd(csr.positions + b, u64{1});
    csr.neighbors[place] = a;
    csr.origin[place] = i;
  }
}

// The first edge of every row of a list that consists of rows; offsets of empty rows and the last one are left.
template <class T, class O>
__global__ void mark_rows(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ RowStarts<O> rows) {
  const T* const u = edges.u;
  for (i64 i = thread_in_grid(); i < edges.edges; i += threads_in_grid()) {
    const T x = u[i * edges.u_stride];
    if (i == 0 || u[(i - 1) * edges.u_stride] != x) rows.offsets[x] = static_cast<O>(i);
  }
}
// Those that were left: the first edge of a larger vertex.
template <class T, class O>
__global__ void fill_rows(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ RowStarts<O> rows) {
  for (i64 x = thread_in_grid(); x <= rows.vertices; x += threads_in_grid()) {
    if (rows.offsets[x] != none<O>) continue;
    i64 low = 0, high = edges.edges;
    while (low < high) {
      const i64 middle = low + (high - low) / 2;
      if (static_cast<i64>(edges.u[middle * edges.u_stride]) < x)
        low = middle + 1;
      else
        high = middle;
    }
    rows.offsets[x] = static_cast<O>(low);
  }
}

// The vertex whose row each neighbor is in: CSR as an edge list.
template <class T, class O>
__global__ void list_sources(const __grid_constant__ CsrArrays<T, O> graph,
                             const __grid_constant__ RowSources<T> rows) {
  const O* const offsets = graph.offsets;
  const i64 warps = threads_in_grid() / warp_threads;
  for (i64 x = thread_in_grid() / warp_threads; x < graph.vertices; x += warps) {
    for (i64 a = static_cast<i64>(offsets[x]) + lane(); a < static_cast<i64>(offsets[x + 1]); a += warp_threads) {
      rows.sources[a] = static_cast<T>(x);
    }
  }
}

}  // namespace lb::gpu

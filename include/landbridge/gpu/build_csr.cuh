// Symmetric CSR built on the device, from an edge list or from CSR that need not be symmetric: count, scan, scatter;
// and the probe of some rows of CSR.
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

// Probes some rows spread over all vertices, for the choice of a plan: the report of the family `probe`.
template <class T, class O>
__global__ void probe_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ CsrProbe probe) {
  const O* const offsets = graph.offsets;
  const T* const neighbors = graph.neighbors;
  const i64 count = probe.count, near = probe.near;
  u64* const report = probe.report;
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const i64 x = count > 1 ? i * (graph.vertices - 1) / (count - 1) : 0;
    const i64 begin = static_cast<i64>(offsets[x]), end = static_cast<i64>(offsets[x + 1]);
    if (begin == end) continue;
    const i64 first = static_cast<i64>(neighbors[begin]), last = static_cast<i64>(neighbors[end - 1]);
    const auto close = [&](i64 y) { return y < x ? x - y < near : y - x < near; };
    atomicMax(report + probe_word_degree, static_cast<u64>(end - begin));
    atomicAdd(report + probe_word_rows, u64{1});
    if (first < x) atomicAdd(report + probe_word_smaller, u64{1});
    if (close(first) && close(last)) atomicAdd(report + probe_word_near, u64{1});
    const i64 middle = static_cast<i64>(neighbors[begin + (end - begin) / 2]);
    const i64 degree = static_cast<i64>(offsets[middle + 1]) - static_cast<i64>(offsets[middle]);
    if (degree > 1) atomicAdd(report + probe_word_reached, static_cast<u64>(degree - 1));
  }
}

}  // namespace lb::gpu

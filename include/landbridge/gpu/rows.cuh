// Symmetric rows made on the device, from pairs or from rows that need not be symmetric: count, scan, scatter.
#pragma once
#include "../view.hpp"
#include "warp.cuh"

namespace lb::gpu {

// Each edge adds to both of its ends; a loop adds once.
template <class T>
__global__ void count_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 count, u64* degrees) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const T a = u[i * u_stride], b = v[i * v_stride];
    atomicAdd(degrees + a, u64{1});
    if (a != b) atomicAdd(degrees + b, u64{1});
  }
}
template <class T>
__global__ void scatter_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 count, u64* next, T* neighbors) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const T a = u[i * u_stride], b = v[i * v_stride];
    neighbors[atomicAdd(next + a, u64{1})] = b;
    if (a != b) neighbors[atomicAdd(next + b, u64{1})] = a;
  }
}

// The vertex whose row an arc is in, for every arc: rows as pairs.
template <class T, class O>
__global__ void name_rows(const O* offsets, i64 n, T* sources) {
  const i64 warps = threads_in_grid() / warp_threads;
  for (i64 x = thread_in_grid() / warp_threads; x < n; x += warps) {
    for (i64 a = static_cast<i64>(offsets[x]) + lane(); a < static_cast<i64>(offsets[x + 1]); a += warp_threads) {
      sources[a] = static_cast<T>(x);
    }
  }
}

// A look at `count` rows spread over all vertices, for the choice of a plan: words 0..4 become the largest degree, how
// many rows have arcs, how many of those have a smaller first neighbour, how many have first and last neighbour within
// `near`, and the sum over their middle neighbours of the degree less one.
template <class T, class O>
__global__ void probe_rows(const O* offsets, const T* neighbors, i64 n, i64 count, i64 near, u64* words) {
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const i64 x = count > 1 ? i * (n - 1) / (count - 1) : 0;
    const i64 begin = static_cast<i64>(offsets[x]), end = static_cast<i64>(offsets[x + 1]);
    if (begin == end) continue;
    const i64 first = static_cast<i64>(neighbors[begin]), last = static_cast<i64>(neighbors[end - 1]);
    const auto close = [&](i64 y) { return y < x ? x - y < near : y - x < near; };
    atomicMax(words, static_cast<u64>(end - begin));
    atomicAdd(words + 1, u64{1});
    if (first < x) atomicAdd(words + 2, u64{1});
    if (close(first) && close(last)) atomicAdd(words + 3, u64{1});
    const i64 middle = static_cast<i64>(neighbors[begin + (end - begin) / 2]);
    const i64 degree = static_cast<i64>(offsets[middle + 1]) - static_cast<i64>(offsets[middle]);
    if (degree > 1) atomicAdd(words + 4, static_cast<u64>(degree - 1));
  }
}

}  // namespace lb::gpu

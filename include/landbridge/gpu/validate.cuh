// Validation of ids and row offsets in device memory, and a probe of some rows for the choice of a plan.
#pragma once
#include "../random.hpp"
#include "counts.cuh"
#include "edge_reader.cuh"

namespace lb::gpu {

// The range of ids, as if unsigned: the largest, and the first position whose id is the bound or more.
struct IdRange {
  u64 largest = 0, wrong = 0;
  __device__ void add(u64 id, i64 at, u64 bound) {
    if (id > largest) largest = id;
    if (id >= bound && none<u64> - static_cast<u64>(at) > wrong) wrong = none<u64> - static_cast<u64>(at);
  }
  // For all lanes: that of the warp to a report that starts as zeros.
  __device__ void report(u64* to) {
    for (int d = warp_threads / 2; d > 0; d >>= 1) {
      const u64 l = __shfl_xor_sync(0xffffffffu, largest, d);
      const u64 w = __shfl_xor_sync(0xffffffffu, wrong, d);
      largest = l > largest ? l : largest;
      wrong = w > wrong ? w : wrong;
    }
    if (lane() != 0) return;
    u64* const most = to + validation_word_largest;
    u64* const first = to + validation_word_wrong;
    if (largest > device::load(most)) atomicMax(most, largest);
    if (wrong > device::load(first)) atomicMax(first, wrong);
  }
};

template <class T>
__global__ void check_ids(const __grid_constant__ IdCheck<T> check) {
  IdRange range;
  for (i64 i = thread_in_grid(); i < check.count; i += threads_in_grid())
    range.add(static_cast<u64>(check.ids[i * check.stride]), i, check.bound);
  range.report(check.report);
}

// Copies of edges in one direction less those in the other, as two sums of words, one of each word and one of its upper
// half. Both are 0 where every edge has its reverse; otherwise by chance once in 2^64 calls. The first one alone would
// be 0 also for 2^k copies of an edge whose word is a multiple of 2^(64 - k).
struct UnmatchedArcs {
  u64 words = 0, upper_halves = 0;
  // Without a branch; ids from 2^32 on give some word.
  __device__ void add(u64 seed, u64 from, u64 to) {
    const u64 smaller = from < to ? from : to, larger = from < to ? to : from;
    const u64 word = from == to ? u64{0} : scramble(seed + (smaller << 32 | larger));
    const u64 negates = from < to ? u64{0} : ~u64{0};
    words += (word ^ negates) - negates;
    upper_halves += (word >> 32 ^ negates) - negates;
  }
  // For all lanes: adds those of the warp.
  __device__ void report(u64* to) {
    for (int d = warp_threads / 2; d > 0; d >>= 1) {
      words += __shfl_xor_sync(0xffffffffu, words, d);
      upper_halves += __shfl_xor_sync(0xffffffffu, upper_halves, d);
    }
    if (lane() != 0) return;
    if (words != 0) atomicAdd(to + rows_word_unmatched, words);
    if (upper_halves != 0) atomicAdd(to + rows_word_upper_halves, upper_halves);
  }
};

// The same of the two ids of edges and, if asked, whether the edges lie in the rows of a symmetric CSR: by first
// endpoints that never fall, and each as many times in one direction as in the other.
template <class T>
__global__ void __launch_bounds__(block_threads)
    check_pairs(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ PairCheck check) {
  const EdgeReader<T> reader(edges, 0, 0);
  const i64 m = edges.edges, begin = thread_in_grid() / warp_threads * warp_edges;
  const i64 step = threads_in_grid() / warp_threads * warp_edges;
  T most_u = 0, most_v = 0;
  bool falls = check.asks_rows == 0;
  UnmatchedArcs unmatched;
  T a[lane_edges], b[lane_edges];
  for (i64 base = begin; base < m; base += step) {
    const u32 exist = reader.read(base, m, a, b);
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      most_u = a[k] > most_u ? a[k] : most_u;
      most_v = b[k] > most_v ? b[k] : most_v;
    }
    if (falls) continue;
    const bool in_a_row = reader.in_fours && base + warp_edges <= m;
    const i64 first = base + reader.place(0);
    T before = in_a_row && first > 0 ? reader.u[first - 1] : T{0};
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      const i64 i = base + reader.place(k);
      if (!in_a_row) before = (exist >> k & 1) != 0 && i > 0 ? reader.u[i - 1] : T{0};
      falls |= before > a[k];  // edges that do not exist are loops at vertex 0, with nothing before them
      before = a[k];
      unmatched.add(check.seed, static_cast<u64>(a[k]), static_cast<u64>(b[k]));
    }
  }
  IdRange range_u{static_cast<u64>(most_u)}, range_v{static_cast<u64>(most_v)};
  if (range_u.largest >= check.bound || range_v.largest >= check.bound) {
    for (i64 base = begin; base < m; base += step) {
      const u32 exist = reader.read(base, m, a, b);
      for (int k = 0; k < lane_edges; ++k) {
        if ((exist >> k & 1) == 0) continue;
        range_u.add(static_cast<u64>(a[k]), base + reader.place(k), check.bound);
        range_v.add(static_cast<u64>(b[k]), base + reader.place(k), check.bound);
      }
    }
  }
  range_u.report(check.report);
  range_v.report(check.report + validation_word_end);
  u64* const rows = check.report + 2 * validation_word_end;
  unmatched.report(rows);
  if (__any_sync(0xffffffffu, falls) != 0 && lane() == 0 && device::load(rows + rows_word_falls) == 0) {
    device::store(rows + rows_word_falls, u64{1});
  }
}

// The first position at which row offsets fall, and their ends.
template <class O>
__global__ void check_offsets(const __grid_constant__ OffsetCheck<O> check) {
  const O* const offsets = check.offsets;
  if (thread_in_grid() == 0) {
    check.report[validation_word_first] = static_cast<u64>(offsets[0]);
    check.report[validation_word_last] = static_cast<u64>(offsets[check.vertices]);
  }
  for (i64 i = thread_in_grid(); i < check.vertices; i += threads_in_grid()) {
    if (offsets[i + 1] < offsets[i]) {
      atomicMax(check.report + validation_word_wrong, none<u64> - static_cast<u64>(i));
    }
  }
}

// Some neighbors of x, evenly spaced in its row: how many, and where they are. Nothing where offsets are wrong.
template <class T, class O>
class ProbedRow {
 public:
  __device__ ProbedRow(const CsrArrays<T, O>& graph, i64 edges, i64 x) : neighbors_(graph.neighbors) {
    if (x < 0 || x >= graph.vertices) return;
    begin_ = static_cast<i64>(graph.offsets[x]);
    const i64 end = static_cast<i64>(graph.offsets[x + 1]);
    degree_ = begin_ < 0 || end < begin_ || end > edges ? 0 : end - begin_;
  }
  __device__ i64 degree() const { return degree_; }
  __device__ i64 some() const { return degree_ < probed_edges ? degree_ : probed_edges; }
  __device__ i64 at(i64 place) const { return static_cast<i64>(neighbors_[begin_ + place]); }
  // -1 for places past the last.
  __device__ i64 spaced(i64 i) const { return i < some() ? at(i * degree_ / some()) : i64{-1}; }

 private:
  const T* neighbors_;
  i64 begin_ = 0, degree_ = 0;
};

// Vertex i of so many that are spread evenly over all.
__device__ inline i64 spread_vertex(i64 i, i64 count, i64 vertices) {
  return count > 1 ? i * (vertices - 1) / (count - 1) : 0;
}

// Counts the vertices whose first neighbor is smaller, a lane for each of warp_threads times as many vertices: hooking
// leaves the others roots. In natural order these are a few of all; where blocks of ids are shuffled, there is one for
// every other block, which only many vertices show.
template <class T, class O>
__device__ inline void probe_firsts(const CsrArrays<T, O>& graph, const CsrProbe& probe) {
  const i64 count = probe.count * warp_threads, most = count < graph.vertices ? count : graph.vertices;
  for (i64 first = thread_in_grid() - static_cast<i64>(lane()); first < most; first += threads_in_grid()) {
    const i64 i = first + static_cast<i64>(lane());
    const i64 x = i < most ? spread_vertex(i, most, graph.vertices) : -1;
    const ProbedRow<T, O> row(graph, probe.edges, x);
    const unsigned rows = __ballot_sync(0xffffffffu, row.degree() != 0);
    const unsigned smaller = __ballot_sync(0xffffffffu, row.degree() != 0 && row.at(0) < x);
    if (lane() == 0 && rows != 0) {
      atomicAdd(probe.report + probe_word_firsts, static_cast<u64>(__popc(rows)));
      atomicAdd(probe.report + probe_word_smaller, static_cast<u64>(__popc(smaller)));
    }
  }
}

// A step of each lane from the first of its vertices two steps away that no other lane has, to the first or last
// neighbor there. A warp counts these steps, and those that end at x, at a vertex y of a lane, or at one two steps
// away.
template <class T, class O, int each>
__device__ inline void probe_third_steps(const CsrArrays<T, O>& graph, const CsrProbe& probe, i64 x, i64 y,
                                         const i64 (&z)[each], const bool (&fresh)[each]) {
  i64 from = -1;
#pragma unroll
  for (int j = 0; j < each; ++j) {
    if (fresh[j] && from < 0) from = z[j];
  }
  const ProbedRow<T, O> row(graph, probe.edges, from);
  const i64 end = row.degree() == 0 ? i64{-1} : row.at(lane() % 2 == 0 ? i64{0} : row.degree() - 1);
  bool known = end == x;
  for (int l = 0; l < warp_threads; ++l) {
    known |= end == __shfl_sync(0xffffffffu, y, l);
#pragma unroll
    for (int j = 0; j < each; ++j) known |= end == __shfl_sync(0xffffffffu, z[j], l);
  }
  const unsigned steps = __ballot_sync(0xffffffffu, end >= 0);
  const unsigned enclosed = __ballot_sync(0xffffffffu, end >= 0 && known);
  if (lane() != 0) return;
  atomicAdd(probe.report + probe_word_stepped_on, static_cast<u64>(__popc(steps)));
  atomicAdd(probe.report + probe_word_enclosed, static_cast<u64>(__popc(enclosed)));
}

// Rows spread over all vertices, a warp each: the report of the family `probe`. Vertices two steps away are counted
// once each, so that rows whose neighbors have one another for neighbors, as in meshes, differ from those of random
// graphs. Offsets and ids need not be valid.
template <class T, class O>
__global__ void probe_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ CsrProbe probe) {
  constexpr int lanes_each = warp_threads / probed_edges, each = probed_edges / lanes_each;
  const i64 near = probe.near;
  u64* const report = probe.report;
  probe_firsts(graph, probe);
  const ProbedRow<T, O> middle(graph, probe.edges, graph.vertices / 2);
  for (i64 i = thread_in_grid() / warp_threads; i < probe.count; i += threads_in_grid() / warp_threads) {
    const i64 x = spread_vertex(i, probe.count, graph.vertices);
    const ProbedRow<T, O> row(graph, probe.edges, x);
    if (row.degree() == 0) continue;
    const i64 y = row.spaced(static_cast<i64>(lane()) / lanes_each);
    const ProbedRow<T, O> next(graph, probe.edges, y);
    i64 z[each];
    unsigned walked = 0, reached = 0;
#pragma unroll
    for (int j = 0; j < each; ++j) {
      z[j] = next.spaced(static_cast<i64>(lane()) % lanes_each * each + j);
      if (z[j] == x) z[j] = -1;
      walked += __popc(__ballot_sync(0xffffffffu, z[j] >= 0));
    }
    bool fresh[each];
#pragma unroll
    for (int j = 0; j < each; ++j) fresh[j] = z[j] >= 0;
    for (int l = 0; l < warp_threads; ++l) {
      const i64 other = __shfl_sync(0xffffffffu, y, l);
      i64 before[each];
#pragma unroll
      for (int j = 0; j < each; ++j) before[j] = __shfl_sync(0xffffffffu, z[j], l);
#pragma unroll
      for (int j = 0; j < each; ++j) {
        if (z[j] == other) fresh[j] = false;
#pragma unroll
        for (int k = 0; k < each; ++k) {
          if (z[j] == before[k] && (l < static_cast<int>(lane()) || (l == static_cast<int>(lane()) && k < j))) {
            fresh[j] = false;
          }
        }
      }
    }
#pragma unroll
    for (int j = 0; j < each; ++j) reached += __popc(__ballot_sync(0xffffffffu, fresh[j]));
    if (i % probed_around == 0) probe_third_steps(graph, probe, x, y, z, fresh);
    i64 degree = row.degree() < next.degree() ? next.degree() : row.degree();
    for (int d = warp_threads / 2; d > 0; d >>= 1) {
      const i64 other = __shfl_xor_sync(0xffffffffu, degree, d);
      degree = degree < other ? other : degree;
    }
    if (lane() != 0) continue;
    const i64 first = row.at(0), last = row.at(row.degree() - 1);
    const auto distance = [&](i64 v) { return v < x ? x - v : v - x; };
    const auto close = [&](i64 v) { return distance(v) < near; };
    atomicMax(report + probe_word_degree, static_cast<u64>(degree));
    atomicAdd(report + probe_word_rows, u64{1});
    if (!close(first) && first >= 0 && first < graph.vertices) {
      atomicAdd(probe.far + distance(first) * probed_distances / graph.vertices, u64{1});
    }
    if (close(first) && close(last)) atomicAdd(report + probe_word_near_rows, u64{1});
    if (row.degree() > 1 && row.at(1) == first) atomicAdd(report + probe_word_doubled, u64{1});
    if (middle.degree() != 0 && middle.at(0) == first) atomicAdd(report + probe_word_shared, u64{1});
    atomicAdd(report + probe_word_stepped, static_cast<u64>(row.some()));
    atomicAdd(report + probe_word_walked, static_cast<u64>(walked));
    atomicAdd(report + probe_word_reached, static_cast<u64>(reached));
  }
}

}  // namespace lb::gpu

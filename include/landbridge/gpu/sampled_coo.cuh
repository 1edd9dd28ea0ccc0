// Long edge lists, most of whose edges join members of one large tree once a sample of them is united: the sample, the
// marks, and what is left. Lists that look like a mesh have been hooked before (hook_coo), and are only united here.
#pragma once
#include "outside.cuh"
#include "unite_coo.cuh"

namespace lb::gpu {

// Whether edges are dropped that join members of the largest tree: mark_coo has counted them if so.
__device__ inline bool members_decide(const LargestTree& largest) { return largest.control[tree_word_members] != 0; }

// Which of a lane's edges, from `base` on, are not among the first `starts` of their row.
template <class Id, class T>
__device__ inline u32 behind_starts(const EdgeReader<T>& edges, i64 base, i64 end, i64 starts,
                                    const Id (&a)[lane_edges]) {
  u32 behind = 0;
#pragma unroll
  for (int k = 0; k < lane_edges; ++k) {
    const i64 i = base + edges.place(k);
    const bool later = i >= starts && i < end && static_cast<Id>(edges.u[(i - starts) * edges.u_stride]) == a[k];
    behind |= (later ? 1u : 0u) << k;
  }
  return behind;
}

// Unites the sample.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, sizeof(Id) == 4 ? cut_off_blocks : 1)
    sample_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EdgeSample sample, const __grid_constant__ CutEdges<Id> cut) {
  const u64 hooked = cells.control[word_hooked];
  if (is_hooked(hooked)) return;
  __shared__ WaitingEdges<Id> waiting;
  const auto forest = forest_of<Link>(cells);
  const CutQueue<Id> queue(cut, cells.control);
  const bool rows = hooked == rows_not_hooked;
  const i64 end = rows ? sample.end : sample.head;
  const EdgeReader<T> reader(edges, 0, cells.vertices);
  u32 links = 0;
  unite_waiting<Id, Id>(
      reader, 0, end, waiting,
      [&](i64 base, const Id(&a)[lane_edges], const Id(&b)[lane_edges]) {
        return rows ? behind_starts(reader, base, end, sample.starts, a) : repeated(a, b);
      },
      [&](Id a, Id b, i64 i) {
        if (walk_edge<Link>(forest, a, b, cut.steps, callback::CountLinks{&links})) return true;
        queue.add(a, b, static_cast<u64>(i));
        return false;
      },
      [&] { return queue.is_full(); }, [] {});
  add_links(cells.control, links);
}

// Members decide where one in so many edges joins two of them.
constexpr int least_within = 8;

// Whether enough of some edges join members of the largest tree. One block of block_threads calls it.
template <class T>
__device__ inline bool many_within(const EdgeArrays<T>& edges, const LargestTree& largest) {
  const SetOnlyBits members{largest.members};
  const i64 i = static_cast<i64>(mix(2, threadIdx.x) % static_cast<u64>(edges.edges));
  const bool within = members.has(static_cast<u64>(edges.u[i * edges.u_stride])) &&
                      members.has(static_cast<u64>(edges.v[i * edges.v_stride]));
  return least_within * __syncthreads_count(within) >= block_threads;
}

// Marks the members of the largest tree behind the sample, if that is worth it. A cooperative launch.
template <class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    mark_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
             const __grid_constant__ LargestTree largest) {
  u64* const control = cells.control;
  if (is_hooked(control[word_hooked]) || one_tree(control, cells.vertices)) return;
  u64 barriers = 0;
  const auto barrier = [&] { grid_barrier(control + word_cut_barrier, barriers); };
  mark_largest(cells, largest, barrier);
  barrier();
  if (blockIdx.x == 0 && !many_within(edges, largest) && threadIdx.x == 0)
    device::store(largest.control + tree_word_members, u64{0});
  end_settling(control);
}

// The edges behind the sample; all of them, where it was taken from rows or the list was hooked.
template <class Id>
__device__ inline EdgeRange rest_of(const Cells<Id>& cells, const EdgeSample& sample) {
  return {cells.control[word_hooked] <= hooked_not ? sample.head : 0, sample.end, 0};
}

// Unites the rest where members of a tree do not decide.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, sizeof(Id) == 4 ? cut_off_blocks : 1)
    unite_rest(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EdgeSample sample, const __grid_constant__ LargestTree largest,
               const __grid_constant__ CutEdges<Id> cut) {
  if (!is_hooked(cells.control[word_hooked]) && members_decide(largest)) return;
  u32 links = 0;
  unite_edges<Link>(edges, cells, rest_of(cells, sample), largest, cut, Counting{&links});
}

// Unites the rest where the members of a tree decide.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(outside_threads, 1)
    unite_outside(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
                  const __grid_constant__ EdgeSample sample, const __grid_constant__ LargestTree largest,
                  const __grid_constant__ CutEdges<Id> cut) {
  if (is_hooked(cells.control[word_hooked]) || !members_decide(largest)) return;
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && one_tree(cells.control, cells.vertices))) return;
  __shared__ RemainingEdges<Id, false> remaining;
  const EdgeRange range = rest_of(cells, sample);
  const auto forest = forest_of<Link>(cells);
  const CutQueue<Id> queue(cut, cells.control);
  u32 links = 0;
  unite_outside_tree(
      EdgeReader<T>(edges, range.begin, cells.vertices), range.begin, range.end, SetOnlyBits{largest.members},
      forest.parent, remaining,
      [&](Id a, Id b, i64) {
        if (walk_edge<Link>(forest, a, b, cut.steps, callback::CountLinks{&links})) return true;
        queue.add(a, b, 0);
        return false;
      },
      [&] { return queue.is_full(); });
  add_links(cells.control, links);
}

// Unites the edges of the rest whose walks were cut off. A cooperative launch.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    settle_rest(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
                const __grid_constant__ EdgeSample sample, const __grid_constant__ CutEdges<Id> cut) {
  u32 links = 0;
  settle_range<Link>(edges, cells, rest_of(cells, sample), cut, Counting{&links});
}

}  // namespace lb::gpu

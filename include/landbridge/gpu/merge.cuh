// Merging the trees of a stream with those of another device: kernels of the receiver read the sender's memory over the
// link between the two, and kernels of the sender prepare what is read. Trees of both are flat before, so that no walk
// is long.
#pragma once
#include "incremental.cuh"

namespace lb::gpu {

// Parents that a lane reads in one access.
constexpr int lane_parents = 4;

template <class Id>
struct alignas(lane_parents * sizeof(Id) < 16 ? lane_parents * sizeof(Id) : 16) ParentsOfLane {
  Id of[lane_parents];
};

// Unites the vertices [begin, end) with their parents in `other`. `begin` is a multiple of lane_parents, and the cells
// of `other` are aligned to it.
template <class Link, class Id>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    merge_parents(const VertexArray<Id> other, const Cells<Id> cells, const Inserts vertices) {
  using Vertex = typename ForestOf<Link, Id>::Id;
  const auto forest = forest_of<Link>(cells);
  u32 links = 0;
  const i64 step = threads_in_grid() * lane_parents;
  for (i64 base = vertices.begin + thread_in_grid() * lane_parents; base < vertices.end; base += step) {
    ParentsOfLane<Id> parents;
    if (base + lane_parents <= vertices.end) {
      parents = *reinterpret_cast<const ParentsOfLane<Id>*>(other.cells + base);
    } else {
#pragma unroll
      for (int k = 0; k < lane_parents; ++k) {
        parents.of[k] = base + k < vertices.end ? other.cells[base + k] : static_cast<Id>(base + k);
      }
    }
#pragma unroll
    for (int k = 0; k < lane_parents; ++k) {
      const Id x = static_cast<Id>(base + k);
      if (parents.of[k] == x) continue;
      walk_edge<Link>(forest, static_cast<Vertex>(x), static_cast<Vertex>(parents.of[k]), 0,
                      callback::CountLinks{&links});
    }
  }
  add_counts(vertices.control + stream_word_links, links);
}

// Unites the vertices [begin, end) that are members of a tree of the sender with its root, which is `vertices.first`.
// `begin` is a multiple of warp_threads.
template <class Link, class Id>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    merge_members(const VertexBits members, const Cells<Id> cells, const Inserts vertices) {
  using Vertex = typename ForestOf<Link, Id>::Id;
  const auto forest = forest_of<Link>(cells);
  const Vertex root = static_cast<Vertex>(vertices.first);
  u32 links = 0;
  for (i64 x = vertices.begin + thread_in_grid(); x < vertices.end; x += threads_in_grid()) {
    const bool member = (members.words[x / warp_threads] >> (x % warp_threads) & 1) != 0;
    if (!member || static_cast<Vertex>(x) == root) continue;
    walk_edge<Link>(forest, static_cast<Vertex>(x), root, 0, callback::CountLinks{&links});
  }
  add_counts(vertices.control + stream_word_links, links);
}

// Lists the links (v, parent of v) of all vertices outside of the tree word_skip; word_cut counts them, also beyond the
// places. Every cell holds its root.
template <class Id>
__global__ void list_exceptions(const Cells<Id> cells, const CutEdges<Id> list) {
  const Id root = static_cast<Id>(cells.control[word_skip]);
  const i64 n = cells.vertices;
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const Id parent = x < n ? cells.parent[x] : static_cast<Id>(x);
    const bool listed = parent != static_cast<Id>(x) && parent != root;
    const unsigned lanes = __ballot_sync(0xffffffffu, listed);
    if (lanes == 0) continue;
    u64 first = 0;
    if (lane() == 0) first = atomicAdd(cells.control + word_cut, static_cast<u64>(__popc(lanes)));
    first = __shfl_sync(0xffffffffu, first, 0);
    const u64 place = first + static_cast<u64>(__popc(lanes & lanes_below()));
    if (!listed || place >= static_cast<u64>(list.capacity)) continue;
    list.u[place] = static_cast<Id>(x);
    list.v[place] = parent;
  }
}

}  // namespace lb::gpu

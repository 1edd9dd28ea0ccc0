// Merging the trees of a stream with those of another device: kernels of the receiver read the sender's memory over the
// link between the two, and kernels of the sender prepare what is read. No edge waits in either, so few walks are long.
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
  using Memory = decltype(forest.parent);
  const Vertex root = static_cast<Vertex>(vertices.first);
  u32 links = 0;
  constexpr int each = 4;  // reads that are under way at once
  const i64 step = threads_in_grid();
  for (i64 first = vertices.begin + thread_in_grid(); first < vertices.end; first += each * step) {
    // What is below the parent of the root is connected with it: of nearly all members nothing else is read.
    const Vertex above = Memory::parent(forest.parent.load_stale(root), root);
    Vertex parent[each];
    bool member[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 x = first + k * step;
      const Vertex own = static_cast<Vertex>(x);
      member[k] = x < vertices.end && (members.words[x / warp_threads] >> (x % warp_threads) & 1) != 0;
      parent[k] = member[k] ? Memory::parent(forest.parent.load_stale(own), own) : above;
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const Vertex x = static_cast<Vertex>(first + k * step);
      if (!member[k] || parent[k] == above || x == root) continue;
      walk_edge<Link>(forest, x, root, 0, callback::CountLinks{&links});
    }
  }
  add_counts(vertices.control + stream_word_links, links);
}

// Marks the members of the tree word_skip, as far as few steps lead to its root, and lists the links (v, parent of v)
// of all other vertices; word_cut counts them, also beyond the places. A member too far below the root is listed like
// the others. No link runs.
template <class Id>
__global__ void list_exceptions(const Cells<Id> cells, const VertexBits members, const CutEdges<Id> list) {
  const QuietMemory<Id> m(cells.parent);
  const Id root = static_cast<Id>(cells.control[word_skip]);
  const i64 n = cells.vertices;
  constexpr int each = 8, most_steps = 4;
  constexpr int warps = block_threads / warp_threads;
  __shared__ u32 counts[warps];
  __shared__ u64 first_place;
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  for (i64 tile = i64{blockIdx.x} * block_threads * each; tile < n; tile += i64{gridDim.x} * block_threads * each) {
    Id parent[each], top[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 x = tile + k * block_threads + threadIdx.x;
      parent[k] = x < n ? m.load(static_cast<Id>(x)) : root;
      top[k] = parent[k];
    }
    bool rises = true;
    for (int step = 0; rises && step < most_steps; ++step) {
      rises = false;
#pragma unroll
      for (int k = 0; k < each; ++k) {
        if (top[k] == root) continue;
        const Id above = m.load(top[k]);
        rises |= above != top[k];
        top[k] = above;
      }
    }
    unsigned lanes[each];
    u32 count = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const i64 x = tile + k * block_threads + threadIdx.x;
      const unsigned inside = __ballot_sync(0xffffffffu, x < n && top[k] == root);
      lanes[k] = __ballot_sync(0xffffffffu, top[k] != root && parent[k] != static_cast<Id>(x));
      count += static_cast<u32>(__popc(lanes[k]));
      if (lane() == 0 && x < n) members.words[x / warp_threads] = inside;
    }
    if (lane() == 0) counts[warp] = count;
    __syncthreads();
    u32 before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) before += counts[w];
      all += counts[w];
    }
    // One addition for a tile: one for each warp takes ten times as long as the parents take to be read.
    if (threadIdx.x == 0) first_place = all == 0 ? 0 : atomicAdd(cells.control + word_cut, static_cast<u64>(all));
    __syncthreads();
    u64 place = first_place + before;
    if (first_place >= static_cast<u64>(list.capacity)) return;  // too many: neither list nor members are read
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const u64 at = place + static_cast<u64>(__popc(lanes[k] & lanes_below()));
      if ((lanes[k] >> lane() & 1) != 0 && at < static_cast<u64>(list.capacity)) {
        list.u[at] = static_cast<Id>(tile + k * block_threads + threadIdx.x);
        list.v[at] = parent[k];
      }
      place += static_cast<u64>(__popc(lanes[k]));
    }
  }
}

}  // namespace lb::gpu

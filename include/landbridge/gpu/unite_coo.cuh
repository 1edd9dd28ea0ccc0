// Uniting an edge list under any rule, and the edges whose walks were cut off or deferred.
#pragma once
#include "../random.hpp"
#include "edge_list.cuh"
#include "skip.cuh"
#include "warp_queue.cuh"

namespace lb::gpu {

// Whether edges that were looked at were hooked.
__device__ inline bool is_hooked(u64 word) { return word == hooked_sorted || word == hooked_scattered; }

// The edges of a range, fewer than 2^32, under a rule whose walks can be cut off.
template <class Link, class Id, class T, class Hooks>
__device__ inline void unite_cutting(const EdgeArrays<T>& edges, const Cells<Id>& cells, const EdgeRange& range,
                                     const LargestTree& largest, const CutEdges<Id>& cut, const Hooks& hooks) {
  __shared__ WaitingEdges<Id> waiting;
  const auto forest = forest_of<Link>(cells);
  const TreeMembers tree(largest, cells.vertices);
  const CutQueue<Id> queue(cut, cells.control);
  // Most edges that have been hooked join what is joined, however few there are.
  const bool prechecks =
      is_hooked(cells.control[word_hooked]) || precheck_pays(static_cast<u64>(range.end), cells.vertices);
  unite_waiting<Id, Id>(
      EdgeReader<T>(edges, range.begin, cells.vertices), range.begin, range.end, waiting,
      [&](i64, const Id(&a)[lane_edges], const Id(&b)[lane_edges]) {
        return tree.drop(forest.parent, a, b, prechecks);
      },
      [&](Id a, Id b, i64 i) {
        if (walk_edge<Link>(forest, a, b, cut.steps, hooks.of(i, Id{0}))) {
          tree.united(forest.parent, a, b);
          return true;
        }
        queue.add(a, b, static_cast<u64>(i));
        return false;
      },
      [&] { return queue.is_full(); }, [&] { hooks.pause(); });
}

// The edges of a range under any other rule.
template <class Link, class Id, class T, class Hooks>
__device__ inline void unite_whole(const EdgeArrays<T>& edges, const Cells<Id>& cells, const EdgeRange& range,
                                   const Hooks& hooks) {
  using F = ForestOf<Link, Id>;
  const F forest = forest_of<Link>(cells);
  const Id* const parent = cells.parent;
  const bool raised = range.raised != 0;
  const i64 end = range.end;
  const auto load = [&](const T* ids, i64 stride, i64 i) {
    const Id x = endpoint<Id>(ids, stride, i);
    return raised ? device::load_weak(parent + x) : x;
  };
  if constexpr (Link::steps && !Link::ranked) {
    using Queue = WarpQueue<Link, Id, Hooks>;
    __shared__ typename Queue::Storage storage[block_threads / warp_threads];
    constexpr int each = Queue::each;
    Queue queue(forest, storage + threadIdx.x / warp_threads, hooks, cells.control);
    // Whole warps take part, also past the last edge.
    for (i64 base = range.begin + thread_in_grid() - static_cast<i64>(lane()); base < end;
         base += each * threads_in_grid()) {
      Id a[each], b[each];
      i64 positions[each];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const i64 at = positions[i] = base + static_cast<i64>(lane()) + i * threads_in_grid();
        a[i] = at < end ? load(edges.u, edges.u_stride, at) : none<Id>;
        b[i] = at < end ? load(edges.v, edges.v_stride, at) : none<Id>;
      }
      queue.add(a, b, positions);
    }
    queue.finish();
  } else {
    using Vertex = typename F::Id;
    for (i64 first = range.begin + thread_in_grid() - static_cast<i64>(lane()); first < end;
         first += threads_in_grid(), hooks.pause()) {
      const i64 i = first + static_cast<i64>(lane());
      if (i >= end) continue;
      phase::UniteRun<Link, F> run(forest);
      run.edge(static_cast<Vertex>(load(edges.u, edges.u_stride, i)),
               static_cast<Vertex>(load(edges.v, edges.v_stride, i)), hooks.of(i, Id{0}));
    }
  }
}

// Whether hooking has left no edge.
__device__ inline bool all_hooked(const u64* control) {
  return is_hooked(control[word_hooked]) && control[word_left] == 0;
}

template <class Link, class Id, class T, class Hooks>
__device__ inline void unite_edges(const EdgeArrays<T>& edges, const Cells<Id>& cells, const EdgeRange& range,
                                   const LargestTree& largest, const CutEdges<Id>& cut, const Hooks& hooks) {
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && (one_tree(cells.control, cells.vertices) || all_hooked(cells.control))))
    return;
  if constexpr (cuts_off<Link>)
    unite_cutting<Link>(edges, cells, range, largest, cut, hooks);
  else
    unite_whole<Link>(edges, cells, range, hooks);
  add_links(cells.control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, cuts_off<Link> && sizeof(Id) == 4 ? cut_off_blocks : 1)
    unite_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
              const __grid_constant__ EdgeRange range, const __grid_constant__ LargestTree largest,
              const __grid_constant__ CutEdges<Id> cut) {
  u32 links = 0;
  unite_edges<Link>(edges, cells, range, largest, cut, Counting{&links});
}

// How the edges of a list lie, by those of a few places, which all blocks look at, and so what is done: hooked_not and
// so on.
template <class T>
__device__ inline u64 look_at_edges(const EdgeArrays<T>& edges, const HookChoice& choice) {
  if (edges.edges < 2) return hooked_not;
  const i64 i = static_cast<i64>(mix(1, threadIdx.x) % static_cast<u64>(edges.edges - 1));
  const u64 u = edges.u[i * edges.u_stride], v = edges.v[i * edges.v_stride], next = edges.u[(i + 1) * edges.u_stride];
  const int near = __syncthreads_count((u < v ? v - u : u - v) <= static_cast<u64>(choice.near));
  const int descents = __syncthreads_count(next < u);
  const u64 otherwise = 50 * descents <= block_threads ? rows_not_hooked : hooked_not;
  if (10 * near < 9 * block_threads) return otherwise;
  // Of edges in random order half begin below the edge before them.
  const bool scattered = 6 * descents >= block_threads && 5 * descents <= 4 * block_threads;
  if (scattered) return choice.scattered != 0 ? hooked_scattered : otherwise;
  return choice.sorted != 0 ? hooked_sorted : otherwise;
}

// The long paths that hooking makes are flattened before the edges it leaves are united where these are more than one
// for so many vertices.
constexpr u64 flattened_from = 8;

// Leaves in word_skip the root of most of some vertices. All paths are flat. One block of block_threads calls it.
template <class Id>
__device__ inline void choose_root(const Cells<Id>& cells) {
  const u64 n = static_cast<u64>(cells.vertices), t = threadIdx.x;
  const u64 x = n <= block_threads ? t : mix(1, t) % n;
  const bool draws = x < n;
  u32 times = 0;
  const u64 root = most_frequent<block_threads>(draws ? device::load(cells.parent + x) : none<Id>, draws, times);
  if (t == 0) device::store(cells.control + word_skip, root);
}

// Flattens all paths and marks the members of the largest tree. The grid's threads call it; barrier() waits for all.
template <class Id, class Barrier>
__device__ inline void mark_largest(const Cells<Id>& cells, const LargestTree& largest, const Barrier& barrier) {
  flatten_paths(DeviceMemory<Id>(cells.parent), cells.vertices);
  barrier();
  if (blockIdx.x == 0) choose_root(cells);
  barrier();
  mark_members(cells, static_cast<Id>(device::load(cells.control + word_skip)), largest);
}

// Hooks an edge list that looks like a mesh, and flattens all paths where it leaves many edges to be united. Where the
// edges are scattered, the members of the largest tree are marked then. A cooperative launch.
template <class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    hook_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
             const __grid_constant__ HookChoice choice, const __grid_constant__ LargestTree largest) {
  const u64 hooked = look_at_edges(edges, choice);
  const bool scattered = hooked == hooked_scattered;
  u64* const control = cells.control;
  if (thread_in_grid() == 0) control[word_hooked] = hooked;
  if (!is_hooked(hooked)) return;
  const i64 n = cells.vertices;
  const i64 words = (n + warp_threads - 1) / warp_threads;
  u64 barriers = 0;
  const auto barrier = [&] { grid_barrier(control + word_cut_barrier, barriers); };
  if (scattered) {
    for (i64 i = thread_in_grid(); i < words; i += threads_in_grid()) largest.members[i] = 0;
    barrier();
  }
  const DeviceMemory<Id> m(cells.parent);
  u32 links = 0, left = 0;
  hook_range(edges, n, m, SetOnlyBits{scattered ? largest.members : nullptr}, i64{0}, edges.edges, left,
             [&](i64, Id, Id, Id) { ++links; });
  add_links(control, links);
  add_counts(control + word_left, left);
  barrier();
  const bool many = device::load(control + word_left) * flattened_from > static_cast<u64>(n);
  const bool flattens = (scattered || many) && !one_tree(control, n);
  if (flattens && scattered)
    mark_largest(cells, largest, barrier);
  else if (flattens)
    flatten_paths(m, n);
  end_settling(control);
}

// Unites the edges of the range whose walks were cut off. A cooperative launch.
template <class Link, class Id, class T, class Hooks>
__device__ inline void settle_range(const EdgeArrays<T>& edges, const Cells<Id>& cells, const EdgeRange& range,
                                    const CutEdges<Id>& cut, const Hooks& hooks) {
  static_assert(cuts_off<Link>);
  __shared__ WaitingEdges<Id> waiting;
  const auto forest = forest_of<Link>(cells);
  const u64 count = one_tree(cells.control, cells.vertices) ? 0 : device::load(cells.control + word_cut);
  const bool has_all = count <= static_cast<u64>(cut.capacity);
  settle(cells, count, !has_all, [&](int times) {
    bool done = true;
    if (has_all) {
      done = walk_queue<Link>(forest, cut, count, times,
                              [&](Id, Id, u64 position) { return hooks.of(static_cast<i64>(position), Id{0}); });
      hooks.pause();
      return done;
    }
    unite_waiting<Id, Id>(
        EdgeReader<T>(edges, range.begin, cells.vertices), range.begin, range.end, waiting,
        [&](i64, const Id(&a)[lane_edges], const Id(&b)[lane_edges]) { return with_one_parent(forest.parent, a, b); },
        [&](Id a, Id b, i64 i) {
          const bool united = walk_again<Link>(forest, a, b, whole_walk, hooks.of(i, Id{0}));
          done &= united;
          return united;
        },
        [] { return false; }, [&] { hooks.pause(); });
    return done;
  });
  add_links(cells.control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    settle_coo(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ EdgeRange range, const __grid_constant__ CutEdges<Id> cut) {
  u32 links = 0;
  settle_range<Link>(edges, cells, range, cut, Counting{&links});
}

// Flattens all paths and unites the deferred edges, if there are any, and empties their queue and those of rows. A
// cooperative launch.
template <class Id>
__global__ void __launch_bounds__(block_threads, round_blocks)
    unite_deferred(const __grid_constant__ Cells<Id> cells, const __grid_constant__ DeferredOptions options) {
  using Link = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  u64* const control = cells.control;
  const auto forest = forest_of<Link, Id>(cells.parent, nullptr, nullptr);
  u32 links = 0;
  const i64 capacity = deferred_capacity(control);
  const i64 deferred = one_tree(control, cells.vertices) ? 0 : deferred_count(control);
  const i64 places = deferred < capacity ? deferred : capacity;
  const i64 count = places > 0 ? places : 0;  // below 0: none is deferred, as walks have no bound
  settle(cells, static_cast<u64>(count), count > 0, [&](int) {
    bool done = true;
    for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
      u64* const at = control + control_words + 2 * i;
      if (at[0] == at[1]) continue;
      if (walk_again<Link>(forest, static_cast<Id>(at[0]), static_cast<Id>(at[1]), long_walk,
                           callback::CountLinks{&links}))
        at[0] = at[1];  // united
      else
        done = false;
    }
    return done;
  });
  add_links(control, links);
  if (thread_in_grid() != 0) return;
  control[word_deferred] = static_cast<u64>(options.unbounded) << 63;
  reset_queues(control);
}

}  // namespace lb::gpu

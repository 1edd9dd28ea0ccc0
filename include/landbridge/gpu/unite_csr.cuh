// Uniting the edges of CSR under any rule and any schedule of rows.
#pragma once
#include "bits.cuh"
#include "schedule.cuh"
#include "warp_queue.cuh"

namespace lb::gpu {

// Whether a vertex is picked, and the count of those outside the tree that is skipped.
template <class Id>
struct Picker {
  Id* parent;
  SetOnlyBits members;
  Pick pick;
  Id skip;
  u64& outside;
  __device__ bool operator()(Id x, bool counts = true) const {
    if (pick == Pick::all) return true;
    if (pick == Pick::roots) return device::load_weak(parent + x) == x;
    if (pick == Pick::leaving) return members.has(x);
    const bool out =
        pick == Pick::unmarked ? !members.has(x) : phase::flatten_below(DeviceMemory<Id>(parent), x, skip) != skip;
    outside += out && counts;
    return out;
  }
};

// Whether a vertex has a cell in the memory of a forest.
template <class M, class Id>
__device__ inline bool has_cell(const M&, Id) {
  return true;
}

// What the kernels that unite CSR do with the edges of a row, in a forest F.
template <class Link, class Id, class T, class Hooks, class F>
struct RowBody {
  using Rule = Link;
  using Callbacks = Hooks;
  const F forest;
  const T* neighbors;
  const SetOnlyBits inside;
  const Id skip;
  const Owner owner;
  const int tile_bits;
  const bool leaving;
  const bool streaming;
  const bool ending;
  const Hooks hooks;
  u64* const control;

  __device__ Id neighbor(i64 a) const { return static_cast<Id>(streaming ? __ldcs(neighbors + a) : neighbors[a]); }
  __device__ void operator()(Id x, i64 begin, i64 end, i64 first, i64 stride) const {
    using Vertex = typename F::Id;
    phase::UniteRun<Link, F> run(forest);
    for (i64 a = begin + first; a < end; a += stride) {
      const Id v = neighbor(a);
      if (!takes(x, v) || !has_cell(forest.parent, v)) continue;
      const Vertex common = unite_edge<Hooks::may_defer>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(v),
                                                         hooks.of(a, x, v), control);
      // What is left leads into the same tree, or is in the row of a vertex outside of it.
      if (ending && common == static_cast<Vertex>(skip)) break;
    }
  }
  __device__ void pause() const { hooks.pause(); }

  // Whether the edge to v is one of those that are taken from the row of x.
  __device__ bool takes(Id x, Id v) const {
    if (owner != Owner::both) {
      return owner == Owner::larger ? v >> tile_bits < x >> tile_bits : x >> tile_bits < v >> tile_bits;
    }
    return !leaving || !inside.has(v);
  }
};

template <class Link, class Id, class T, class Hooks, class F>
__device__ inline RowBody<Link, Id, T, Hooks, F> row_body(const F& forest, const T* neighbors, const Cells<Id>& cells,
                                                          const RowSchedule& rows, const Hooks& hooks) {
  return {forest,
          neighbors,
          SetOnlyBits{rows.inside},
          static_cast<Id>(cells.control[word_skip]),
          rows.owner,
          static_cast<int>(rows.tile_bits),
          rows.pick == Pick::leaving,
          rows.streaming != 0,
          rows.ending != 0,
          hooks,
          cells.control};
}

// Balance::edge: neighbors in equal shares, with queues of warps where the rule allows it.
template <class Id, class G, class Selects, class Body>
__device__ inline void unite_shared(const G& g, Window window, const Selects& selects, const Body& body) {
  using Link = typename Body::Rule;
  if constexpr (Link::steps && !Link::ranked) {
    using Queue = WarpQueue<Link, Id, typename Body::Callbacks>;
    __shared__ typename Queue::Storage storage[block_threads / warp_threads];
    constexpr int each = Queue::each;
    Queue queue(body.forest, storage + threadIdx.x / warp_threads, body.hooks, body.control);
    shared_edges<each, Id>(g, window, selects, [&](Id(&x)[each], const i64(&a)[each]) {
      Id v[each];
#pragma unroll
      for (int i = 0; i < each; ++i) v[i] = x[i] == none<Id> ? x[i] : body.neighbor(a[i]);
#pragma unroll
      for (int i = 0; i < each; ++i) {
        if (x[i] != none<Id> && !body.takes(x[i], v[i])) x[i] = none<Id>;
      }
      queue.add(x, v, a);
    });
    queue.finish();
  } else {
    shared_edges<1, Id>(g, window, selects, [&](const Id(&x)[1], const i64(&a)[1]) {
      if (x[0] != none<Id>) body(x[0], a[0], a[0] + 1, i64{0}, i64{1});
      body.pause();
    });
  }
}

template <class Id>
__device__ inline Tiling<Id> tiling_of(const RowQueues<Id>& queues, const RowSchedule& rows) {
  return {rows.lanes, rows.tile, rows.heavy_edges, queues.huge, queues.places};
}

// Writes down which rows are read because the coverage is low, some edges of those outside or all, or because vertices
// remain outside.
__device__ inline void note_turn(u64* control, const RowSchedule& rows, i64 vertices) {
  const bool leaving = rows.pick == Pick::leaving;
  if (rows.run_if != RunIf::coverage_below && !leaving) return;
  const bool some = rows.pick == Pick::outside;
  control[word_adaptations] |= leaving ? turn_rows : some ? turn_sample : turn_all;
  if (!some) control[word_outside] = static_cast<u64>(vertices);
}

// The rows of the vertices that are picked. hooks.links points to a variable of the thread.
template <class Link, Balance balance, class Id, class T, class O, class Hooks>
__device__ inline void unite_rows(const CsrArrays<T, O>& graph, const Cells<Id>& cells, const RowQueues<Id>& queues,
                                  const RowSchedule& rows, const Hooks& hooks) {
  u64* const control = cells.control;
  if (!runs(control, rows.run_if, rows.bound)) return;
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, graph.vertices))) return;
  if (thread_in_grid() == 0) note_turn(control, rows, graph.vertices);
  const Csr<T, O> g = view_of(graph);
  const Window window{rows.first, rows.limit};
  u64 outside = 0;
  const auto body = row_body<Link>(forest_of<Link>(cells), graph.neighbors, cells, rows, hooks);
  const Picker<Id> picker{cells.parent, SetOnlyBits{rows.members}, rows.pick, body.skip, outside};
  if constexpr (balance == Balance::tile)
    tiled_rows<Id>(g, window, tiling_of(queues, rows), control, picker, body);
  else if constexpr (balance == Balance::worklist)
    listed_rows<Id>(g, window, queues.list, control, picker, body);
  else if constexpr (balance == Balance::gather)
    gathered_rows<Id>(g, window, queues.list, control, picker, rows.single_append == 0);
  else if constexpr (balance == Balance::thread)
    grouped_rows<1, Id>(g, window, picker, body);
  else if constexpr (balance == Balance::warp)
    grouped_rows<warp_threads, Id>(g, window, picker, body);
  else if constexpr (balance == Balance::edge)
    unite_shared<Id>(g, window, picker, body);
  else
    grouped_rows<block_threads, Id>(g, window, picker, body);
  add_links(control, *hooks.links);
  hooks.finish();
  if ((rows.pick != Pick::outside && rows.pick != Pick::unmarked) || rows.run_if == RunIf::coverage_below) return;
  constexpr int group = balance == Balance::warp ? warp_threads : balance == Balance::block ? block_threads : 1;
  add_counts(control + word_outside, threadIdx.x % group == 0 ? outside : 0);
}
template <class Link, Balance balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, balance == Balance::edge ? warp_queue_blocks : 1)
    unite_csr(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
              const __grid_constant__ RowQueues<Id> queues, const __grid_constant__ RowSchedule rows) {
  u32 links = 0;
  unite_rows<Link, balance>(graph, cells, queues, rows, Counting{&links});
}

// The rows that were queued meanwhile: in a list, or for all blocks.
template <class Link, Balance balance, class Id, class T, class O, class Hooks>
__device__ inline void unite_queued_rows(const CsrArrays<T, O>& graph, const Cells<Id>& cells,
                                         const RowQueues<Id>& queues, const RowSchedule& rows, const Hooks& hooks) {
  u64* const control = cells.control;
  if (!runs(control, rows.run_if, rows.bound)) return;
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, graph.vertices))) return;
  const Csr<T, O> g = view_of(graph);
  const Window window{rows.first, rows.limit};
  const auto body = row_body<Link>(forest_of<Link>(cells), graph.neighbors, cells, rows, hooks);
  if constexpr (balance == Balance::worklist) {
    drain_list<Id>(g, window, queues.list, control, body);
  } else if constexpr (balance == Balance::gather) {
    drain_gathered<Id>(g, window, queues.list, control, body);
  } else {
    u64 outside = 0;  // counted when the tiles were queued
    huge_rows<Id>(g, window, queues.huge, control, body);
    heavy_tiles<Id>(g, window, tiling_of(queues, rows), control,
                    Picker<Id>{cells.parent, SetOnlyBits{rows.members}, rows.pick, body.skip, outside}, body);
  }
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, Balance balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    unite_queued(const __grid_constant__ CsrArrays<T, O> graph, const __grid_constant__ Cells<Id> cells,
                 const __grid_constant__ RowQueues<Id> queues, const __grid_constant__ RowSchedule rows) {
  u32 links = 0;
  unite_queued_rows<Link, balance>(graph, cells, queues, rows, Counting{&links});
}

}  // namespace lb::gpu

// Batches of a stream: inserts, queries, and both in one kernel. Every kernel leaves out ids that have no cell, so no
// array of ids can make it write outside of its arrays.
#pragma once
#include "../phase/query.hpp"
#include "edge_list.cuh"
#include "layout/streams.hpp"
#include "outside.cuh"

namespace lb::gpu {

// Blocks per multiprocessor while edges are inserted: cache look-ups need many warps with few registers each.
template <class Cell>
constexpr int insert_blocks = sizeof(Cell) == 4 ? cut_off_blocks : 4;

// What a thread does with a link it makes.
template <class Id>
struct OnStreamLink {
  u32* links;
  const LinkEdges<Id>& edges;
  u64 position;
  Id u, v;
  template <class Root>
  LB_FN void operator()(Root root) const {
    ++*links;
    if (edges.position == nullptr) return;
    edges.position[root] = position;
    edges.u[root] = u;
    edges.v[root] = v;
  }
};

// The position of operation i in the stream.
__device__ inline u64 position_of(const Inserts& inserts, i64 i) {
  return inserts.first + (inserts.at == nullptr ? static_cast<u64>(i) : inserts.at[i]);
}

// The vertices of `growth` become singletons.
template <class Link, class Id>
__global__ void begin_cells(const Cells<Id> cells, const LinkEdges<Id> edges, const Growth growth) {
  for (i64 i = growth.begin + thread_in_grid(); i < growth.end; i += threads_in_grid()) {
    if constexpr (Link::ranked)
      cells.words[i] = RankedCell::root(0);
    else
      cells.parent[i] = static_cast<Id>(i);
    if constexpr (Link::uses_aux) cells.aux[i] = none<Id>;
    if (edges.u != nullptr) edges.u[i] = none<Id>;
  }
}

// The largest of what the lanes of a warp have found, for the host. All of them call it.
__device__ inline void report_largest(u64* report, u64 vertices, u64 refused) {
  for (int d = 16; d > 0; d >>= 1) {
    const u64 n = __shfl_down_sync(0xffffffffu, vertices, d), r = __shfl_down_sync(0xffffffffu, refused, d);
    vertices = n > vertices ? n : vertices;
    refused = r > refused ? r : refused;
  }
  if (lane() == 0) {
    if (vertices != 0) atomicMax(report + batch_word_bound, vertices);
    if (refused != 0) atomicMax(report + batch_word_first_fault, refused);
  }
}

// Whether one tree has all vertices that have cells: then no edge links. All threads of a block call it, which decides
// as one: others may count links meanwhile.
__device__ inline bool all_in_one_tree(const u64* control, i64 vertices) {
  return __syncthreads_or(threadIdx.x == 0 && vertices > 0 &&
                          device::load(control + stream_word_links) + 1 >= static_cast<u64>(vertices)) != 0;
}

// The edges of a range; `left_out` of the stream's control block becomes 1 where one is left out.
template <class T>
__device__ inline EdgeReader<T> reader_of(const EdgeArrays<T>& edges, const Inserts& inserts, i64 vertices) {
  return EdgeReader<T>(edges, inserts.begin, vertices, true, inserts.control + stream_word_left_out);
}

// Where one tree has all vertices that have cells no edge links, and all that is left is to look at ids that
// have not been checked. True if that is so. All threads of the grid call it.
template <class T>
__device__ inline bool nothing_links(const EdgeReader<T>& edges, const Inserts& inserts, i64 vertices) {
  if (!all_in_one_tree(inserts.control, vertices)) return false;
  const i64 step = threads_in_grid() * lane_edges;
  i64 base = inserts.unchecked != 0 ? inserts.begin + thread_in_grid() / warp_threads * warp_edges : inserts.end;
  for (; base < inserts.end; base += step) {
    T x[lane_edges], y[lane_edges];
    edges.load(base, inserts.end, x, y);
  }
  return true;
}

// Inserts a range of edges, fewer than 2^32. The grid's threads call it.
template <class Link, class Id, class T>
__device__ inline void insert_range(const EdgeArrays<T>& edges, const Cells<Id>& cells, const LinkEdges<Id>& link_edges,
                                    const Inserts& inserts, const LargestTree& largest, const CutEdges<Id>& cut,
                                    WaitingEdges<Id>& waiting) {
  const auto reader = reader_of(edges, inserts, cells.vertices);
  if (nothing_links(reader, inserts, cells.vertices)) return;
  using Vertex = typename ForestOf<Link, Id>::Id;
  const auto forest = forest_of<Link>(cells);
  const TreeMembers tree(largest, cells.vertices);
  const CutQueue<Id> queue(cut, cells.control);
  const bool prechecks = precheck_pays(inserts.first + static_cast<u64>(inserts.end), cells.vertices);
  u32 links = 0;
  unite_waiting<Id, Vertex>(
      reader, inserts.begin, inserts.end, waiting,
      [&](i64, const Vertex(&a)[lane_edges], const Vertex(&b)[lane_edges]) {
        return tree.drop(forest.parent, a, b, prechecks);
      },
      [&](Vertex a, Vertex b, i64 i) {
        const u64 position = position_of(inserts, i);
        const OnStreamLink<Id> on_link{&links, link_edges, position, static_cast<Id>(a), static_cast<Id>(b)};
        if (!walk_edge<Link>(forest, a, b, cut.steps, on_link)) {
          queue.add(static_cast<Id>(a), static_cast<Id>(b), position);
          return false;
        }
        tree.united(forest.parent, a, b);
        return true;
      },
      [&] { return queue.is_full(); }, [] {});
  add_counts(inserts.control + stream_word_links, links);
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    insert_edges(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                 const Inserts inserts, const LargestTree largest, const CutEdges<Id> cut) {
  if (largest.apart != 0 && TreeMembers(largest, cells.vertices).decide) return;
  __shared__ WaitingEdges<Id> waiting;
  insert_range<Link>(edges, cells, link_edges, inserts, largest, cut, waiting);
}

// The same where the members of the largest tree decide, under a rule whose walks can be cut off.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(outside_threads, 1)
    insert_outside(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                   const Inserts inserts, const LargestTree largest, const CutEdges<Id> cut) {
  const TreeMembers tree(largest, cells.vertices);
  const auto reader = reader_of(edges, inserts, cells.vertices);
  if (!tree.decide || nothing_links(reader, inserts, cells.vertices)) return;
  __shared__ RemainingEdges<Id, true> remaining;
  const auto forest = forest_of<Link>(cells);
  const CutQueue<Id> queue(cut, cells.control);
  u32 links = 0;
  unite_outside_tree(
      reader, inserts.begin, inserts.end, tree.bits, forest.parent, remaining,
      [&](Id a, Id b, i64 i) {
        const u64 position = position_of(inserts, i);
        if (walk_edge<Link>(forest, a, b, cut.steps, OnStreamLink<Id>{&links, link_edges, position, a, b})) return true;
        queue.add(a, b, position);
        return false;
      },
      [&] { return queue.is_full(); });
  add_counts(inserts.control + stream_word_links, links);
}

// ---- batches that one launch checks and inserts

// What a thread finds in the ids of a batch: one more than the largest, and how far from the end the first at fault is.
struct IdBounds {
  u64 vertices = 0, refused = 0;
  template <class T>
  __device__ void add(u32 exist, const T (&x)[lane_edges], const T (&y)[lane_edges], const EdgeReader<T>& reader,
                      i64 base, i64 count, u64 limit) {
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((exist >> k & 1) == 0) continue;
      const u64 a = static_cast<u64>(x[k]), b = static_cast<u64>(y[k]), larger = a < b ? b : a;
      const u64 from_end = static_cast<u64>(count - (base + reader.place(k)));
      if (larger >= limit)
        refused = refused < from_end ? from_end : refused;
      else
        vertices = vertices <= larger ? larger + 1 : vertices;
    }
  }
};

// Reports what all threads have found to the host, as soon as all ids are checked. True if every id has a cell. A grid
// barrier.
template <class Id>
__device__ inline bool report_ids(const IdBounds& found, const Cells<Id>& cells, const SmallBatch& batch) {
  u64* const report = batch.report;
  report_largest(report, found.vertices, found.refused);
  u64 barriers = 0;
  grid_barrier(report + batch_word_barrier, barriers);
  const u64 vertices = device::load(report + batch_word_bound), refused = device::load(report + batch_word_first_fault);
  if (thread_in_grid() == 0) {
    volatile u64* const answer = batch.answer;
    answer[small_word_bound] = vertices;
    answer[small_word_first_fault] = refused;
    answer[small_word_waiting] = device::load(cells.control + word_cut);
    __threadfence_system();
    answer[small_word_number] = batch.number;
  }
  return refused == 0 && vertices <= static_cast<u64>(cells.vertices);
}

// Once all blocks have read the report, the last one empties it.
__device__ inline void empty_report(u64* report) {
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(report + batch_word_done, u64{1}) + 1 != gridDim.x) return;
  for (int word = 0; word < batch_word_end; ++word) device::store(report + word, u64{0});
}

// Checks a small batch, and inserts it if every id has a cell. Four edges per thread, which are read once. A
// cooperative launch.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    insert_small(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                 const Inserts inserts, const CutEdges<Id> cut, const SmallBatch batch) {
  using Vertex = typename ForestOf<Link, Id>::Id;
  const auto forest = forest_of<Link>(cells);
  const EdgeReader<T> reader(edges, 0, 0);
  const i64 count = edges.edges;
  const i64 base = thread_in_grid() / warp_threads * warp_edges;
  T x[lane_edges], y[lane_edges];
  const u32 exist = reader.read(base, count, x, y);
  IdBounds found;
  found.add(exist, x, y, reader, base, count, batch.limit);
  u32 links = 0;
  if (report_ids(found, cells, batch)) {
    const CutQueue<Id> queue(cut, cells.control);
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((exist >> k & 1) == 0) continue;
      const auto a = static_cast<Vertex>(x[k]), b = static_cast<Vertex>(y[k]);
      const u64 position = position_of(inserts, base + reader.place(k));
      const OnStreamLink<Id> on_link{&links, link_edges, position, static_cast<Id>(a), static_cast<Id>(b)};
      if (!walk_edge<Link>(forest, a, b, cut.steps, on_link))
        queue.add(static_cast<Id>(a), static_cast<Id>(b), position);
    }
  }
  add_counts(inserts.control + stream_word_links, links);
  empty_report(batch.report);
}

// The same of a larger batch, any number of edges per thread, which are read twice. A cooperative launch.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    check_and_insert(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                     const Inserts inserts, const LargestTree largest, const CutEdges<Id> cut, const SmallBatch batch) {
  const EdgeReader<T> reader(edges, 0, 0);
  const i64 count = edges.edges;
  IdBounds found;
  const i64 step = threads_in_grid() * lane_edges;
  for (i64 base = thread_in_grid() / warp_threads * warp_edges; base < count; base += step) {
    T x[lane_edges], y[lane_edges];
    const u32 exist = reader.read(base, count, x, y);
    found.add(exist, x, y, reader, base, count, batch.limit);
  }
  __shared__ WaitingEdges<Id> waiting;
  if (report_ids(found, cells, batch)) insert_range<Link>(edges, cells, link_edges, inserts, largest, cut, waiting);
  empty_report(batch.report);
}

// Unites the edges whose walks were cut off in the range of a batch, and those that have waited since earlier ones.
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads, round_blocks)
    settle_edges(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                 const Inserts inserts, const CutEdges<Id> cut, const Settling settling) {
  static_assert(cuts_off<Link>);
  __shared__ WaitingEdges<Id> waiting;
  const auto forest = forest_of<Link>(cells);
  u32 links = 0;
  const auto on_link = [&](Id u, Id v, u64 position) { return OnStreamLink<Id>{&links, link_edges, position, u, v}; };
  const u64 count = device::load(cells.control + word_cut);
  const bool has_all = count <= static_cast<u64>(cut.capacity);
  const auto walk = [&](int times) {
    bool done = walk_queue<Link>(forest, cut, count, times, on_link);
    if (has_all) return done;
    unite_waiting<Id, Id>(
        reader_of(edges, inserts, cells.vertices), inserts.begin, inserts.end, waiting,
        [&](i64, const Id(&a)[lane_edges], const Id(&b)[lane_edges]) { return with_one_parent(forest.parent, a, b); },
        [&](Id a, Id b, i64 i) {
          if (settling.is_query != nullptr && settling.is_query[i] != 0) return true;
          const bool united = walk_again<Link>(forest, a, b, whole_walk, on_link(a, b, position_of(inserts, i)));
          done &= united;
          return united;
        },
        [] { return false; }, [] {});
    return done;
  };
  const bool asks = settling.query_run != 0 && device::load(cells.control + word_long_query) == settling.query_run;
  settle(cells, count, asks || !has_all, walk);
  add_counts(inserts.control + stream_word_links, links);
}

// hook_range over a range of a batch.
template <class Id, class T>
__global__ void __launch_bounds__(block_threads, insert_blocks<Id>)
    hook_edges(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges, const Inserts inserts,
               const VertexBits linked) {
  u32 links = 0, left = 0;
  hook_range(edges, cells.vertices, DeviceMemory<Id>(cells.parent), SetOnlyBits{linked.words}, inserts.begin,
             inserts.end, left, [&](i64 i, Id u, Id v, Id root) {
               OnStreamLink<Id>{&links, link_edges, position_of(inserts, i), u, v}(root);
             });
  add_counts(inserts.control + stream_word_links, links);
}

// Bit x of `linked`: whether x is no root. Words behind the last vertex's are not written.
template <class Id>
__global__ void mark_linked(const Cells<Id> cells, const VertexBits linked) {
  const i64 n = cells.vertices;
  const i64 end = (n + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 x = thread_in_grid(); x < end; x += threads_in_grid()) {
    const unsigned word = __ballot_sync(0xffffffffu, x < n && cells.parent[x] != static_cast<Id>(x));
    if (lane() == 0) linked.words[x / warp_threads] = word;
  }
}

// The root of x, or the vertex where a path of more than so many steps is left.
template <class M>
__device__ inline typename M::Vertex climb(const M& m, typename M::Vertex x, i64 steps, bool& cut) {
  for (i64 left = steps; left > 0; --left) {
    const auto parent = M::parent(m.load_stale(x), x);
    if (parent == x) return x;
    x = parent;
  }
  cut = true;
  return x;
}

// All operations of an edge list, an insert or a query each. An id without a cell is connected to itself alone; an
// insert of one is left out.
template <class Link, class Find, class Read, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    run_operations(const EdgeArrays<T> edges, const Cells<Id> cells, const LinkEdges<Id> link_edges,
                   const OperationRun run, const CutEdges<Id> cut) {
  if (run.again != 0 && device::load(cells.control + word_long_query) != run.query_run) return;
  const CutQueue<Id> queue(cut, cells.control);
  const auto forest = forest_of<Link>(cells);
  using Vertex = typename ForestOf<Link, Id>::Id;
  const u64 bound = static_cast<u64>(cells.vertices);
  const i64 count = edges.edges;
  u32 links = 0;
  // Whole warps, so that all lanes vote.
  const i64 end = (count + warp_threads - 1) / warp_threads * warp_threads;
  for (i64 i = thread_in_grid(); i < end; i += threads_in_grid()) {
    bool connected = false;
    if (i < count) {
      const T x = edges.u[i * edges.u_stride], y = edges.v[i * edges.v_stride];
      const bool inside = static_cast<u64>(x) < bound && static_cast<u64>(y) < bound;
      const auto a = static_cast<Vertex>(x), b = static_cast<Vertex>(y);
      if (run.is_query == nullptr || run.is_query[i] != 0) {
        if (run.queries != 0) {
          bool too_long = false;
          Vertex ancestor_a = a, ancestor_b = b;
          if (inside && run.steps != 0) {
            ancestor_a = climb(forest.parent, a, run.steps, too_long);
            ancestor_b = climb(forest.parent, b, run.steps, too_long);
          }
          if (too_long)
            device::store(cells.control + word_long_query, run.query_run);
          else
            connected = inside ? phase::same<Find, Read>(forest.parent, ancestor_a, ancestor_b) : x == y;
        }
      } else if (run.inserts != 0) {
        if (inside) {
          const u64 position = run.first + static_cast<u64>(i);
          const OnStreamLink<Id> on_link{&links, link_edges, position, static_cast<Id>(x), static_cast<Id>(y)};
          if (!walk_edge<Link>(forest, a, b, cut.steps, on_link))
            queue.add(static_cast<Id>(a), static_cast<Id>(b), position);
        }
      }
    }
    if (run.queries != 0) {
      const unsigned word = __ballot_sync(0xffffffffu, connected);
      if (lane() == 0) run.answers[i / warp_threads] = word;
    }
  }
  add_counts(run.control + stream_word_links, links);
}

// One byte for each bit.
template <class Answer>
__global__ void spread_bits(const AnswerSpread<Answer> spread) {
  for (i64 i = thread_in_grid(); i < spread.count; i += threads_in_grid()) {
    spread.answers[i] = static_cast<Answer>((spread.packed[i / warp_threads] >> (i % warp_threads)) & 1);
  }
}

// The largest id of inserts and the first id at fault: a negative one is a huge one. With `near` from 0 on also how the
// endpoints of edges lie to each other.
template <class T>
__global__ void check_batch(const EdgeArrays<T> edges, const BatchCheck check) {
  const EdgeReader<T> batch(edges, 0, 0);
  const i64 count = edges.edges;
  u64 vertices = 0, refused = 0;
  u32 near = 0, descents = 0;
  const i64 step = threads_in_grid() * lane_edges * check.every;
  for (i64 base = thread_in_grid() / warp_threads * warp_edges * check.every; base < count; base += step) {
    T x[lane_edges], y[lane_edges];
    const u32 exist = batch.read(base, count, x, y);
#pragma unroll
    for (int k = 0; k < lane_edges; ++k) {
      if ((exist >> k & 1) == 0) continue;
      const i64 i = base + batch.place(k);
      const u64 a = static_cast<u64>(x[k]), b = static_cast<u64>(y[k]);
      const u64 larger = a < b ? b : a, smaller = a < b ? a : b;
      if (larger >= check.limit) {
        const u64 from_end = static_cast<u64>(count - i);
        refused = refused < from_end ? from_end : refused;
      } else if (check.is_query == nullptr || check.is_query[i] == 0) {
        vertices = vertices <= larger ? larger + 1 : vertices;
      }
      near += larger - smaller <= static_cast<u64>(check.near);
      if (batch.in_fours)
        descents += k > 0 && x[k] < x[k - 1];
      else if (check.near >= 0 && i > 0)
        descents += x[k] < edges.u[(i - 1) * edges.u_stride];
    }
  }
  report_largest(check.report, vertices, refused);
  if (check.near < 0) return;
  const u64 all_near = block_sum(near), all_descents = block_sum(descents);
  if (threadIdx.x == 0) {
    atomicAdd(check.report + batch_word_near_edges, all_near);
    atomicAdd(check.report + batch_word_descents, all_descents);
  }
}

}  // namespace lb::gpu

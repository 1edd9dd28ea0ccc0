// The GPU's schedule in numbers. Those of published systems are named after them; the others are ours.
#pragma once
#include "../policy/sample.hpp"
#include "layout/layout.hpp"

#define LB_LAYOUT_TUNING  // a program that includes this is checked (_core.device_layout)

namespace lb::gpu {

constexpr int block_threads = 256;  // more gave nothing in any published study
constexpr int warp_threads = 32;
constexpr int round_blocks = 4;      // blocks per multiprocessor of the kernels that run rounds
constexpr int search_threads = 512;  // of kernels with a grid barrier: a block per multiprocessor, or member_blocks
constexpr int system_blocks = 2;     // and where they follow no rows, so many

// The search for the members of one large component: blocks per multiprocessor of its levels. These end with the one
// whose edges are one in broad_share of all, before it if its vertices have hub_share times as many edges as others,
// after most_levels, and from level slow_levels on where what is reached is less than doubled a level. The edges of
// a level are those of one vertex in width_share once few_joined are reached; expanding_lanes share a row, of which
// they take most_expanded edges.
constexpr int member_blocks = 2;
constexpr u64 broad_share = 64;
constexpr u64 hub_share = 4;
constexpr int most_levels = 24;
constexpr int slow_levels = 6;
constexpr u64 width_share = 8;
constexpr u64 few_joined = 1 << 10;
constexpr int expanding_lanes = 16;
constexpr i64 most_expanded = 1 << 6;
constexpr int queued_bytes = 512;     // of vertices that a warp queues together
constexpr int searched_bytes = 1536;  // of edges of a forest that it collects meanwhile, and in passes
constexpr int grown_bytes = 3072;
// Then passes over the vertices outside, each of which looks at most_looks neighbors: how many, and the share of all
// vertices that has to be left for another.
constexpr int member_passes = 2;
constexpr i64 most_looks = 1 << 6;
constexpr i64 left_share = 1 << 6;

// Rows up to the first bound belong to a thread, up to the second to a warp, up to the third to a block; what is longer
// is cut among all blocks. The first two are ECL-CC's.
constexpr i64 thread_row = 16;
constexpr i64 warp_row = 352;
constexpr i64 block_row = i64{1} << 11;

// Vertices a block takes at a time in the balanced schedule, at most; they are queued in shared memory.
constexpr int tile_vertices = 1024;

// Edges that a lane reads at a time where lanes unite independently, and the blocks per multiprocessor there.
constexpr int warp_queue_edges = 2;
constexpr int warp_queue_blocks = 6;

// Blocks per multiprocessor where walks over cells of 32 bits are cut off.
constexpr int cut_off_blocks = 6;

// Threads of a block that looks up members of the largest tree, alone on its multiprocessor.
constexpr int outside_threads = 1024;

// Bytes of the edges of a spanning forest that a warp collects before it writes them out together. Each time it moves
// the one counter of all warps, which takes about 2 ns, one warp after another: at half the bytes that is a third of a
// run.
constexpr int collected_bytes = 2048;
constexpr int known_bytes = 2304;  // the same with the other endpoints of edges
// Vertices a thread hooks at a time where their edges are written out.
constexpr int hook_items = 4;

// Threads of a block that runs everything for a small graph, and the most vertices and edges of a graph that such a
// block validates and computes in shared memory.
constexpr int fused_threads = 1024;
constexpr int unchecked_vertices = 1 << 13;
// Edges that such a block may defer.
constexpr int fused_deferred = 256;

// A tile that one block contracts has 2^contract_bits vertices, each with a cell in shared memory: a place in the tile.
constexpr int contract_threads = 1024;
constexpr int contract_bits = 13;
using TileCell = unsigned short;
constexpr int tile_cell_bytes = sizeof(TileCell);

// Vertices of a tile of the numbering scan.
constexpr int scan_items = 16;
constexpr int scan_tile = block_threads * scan_items;
// Words of bits that a lane has of such a tile where vertices are bits, and the vertices of that tile.
constexpr int bit_scan_words = 2;
constexpr int bit_scan_tile = block_threads * bit_scan_words * warp_threads;

// Neighbors of a vertex that the probe of some rows follows: a quarter of a warp, each of which follows as many.
constexpr int probed_edges = 8;
// Of so many rows one is looked at a step further.
constexpr int probed_around = 4;
// Distances of far neighbors that differ for it, in equal parts of the id range.
constexpr int probed_distances = 256;

using sample::drawn_labels;
// The coverage of a tree that has all vertices: the share of the drawn labels is counted in parts of it.
constexpr int coverage_scale = 1024;
// The bits of word_adaptations: further edges of the rows outside, all edges, all rows as vertices remained outside.
constexpr int turn_sample = 1;
constexpr int turn_all = 2;
constexpr int turn_rows = 4;

// Steps after which a path counts as long: then the forest is flattened before anything looks up its roots.
constexpr int long_path = 32;

// Steps after which a walk is long: its edge is deferred, or waits to be settled. Walks of ordinary graphs
// stay below 64 with few exceptions, and every step more is one that all walks on a contended long path take.
constexpr int long_walk = 128;
// The same of walks for edges of an edge list, which are cut off. Up to five times as long walks on contended paths
// took more than flattening all paths and looking at the edges again.
constexpr int cut_walk = 32;
// The same once all paths are flat, of all edges of a list: so many waited that not all had a place. Of a grid in
// shuffled blocks thousands of edges were cut off again at 32 or 128 steps, and a further round took a fifth of all
// the time.
constexpr int whole_walk = 512;
// The parents of edges are compared before these are walked, and edges with one parent dropped, where there are more
// than so many for so many vertices. Of fewer most link: that took a quarter of the time of lists in random order.
constexpr u64 precheck_edges = 9, precheck_vertices = 4;
// So few edges that wait, or one for so many vertices, are walked once more, twice as far, before all paths are
// flattened. That took 35 us; to flatten 2^24 vertices took 350 us, 2^20 of them 35. Stars whose edges come in
// descending order left some twenty edges, grids with two fifths of their edges missing a thousand; shuffled rings
// left many thousands, and took a sixth longer where their edges were walked twice.
constexpr u64 few_walks = 128, few_walks_share = 1 << 13;

// Words of the bits by which the vertices outside the largest tree are found first, in shared memory.
constexpr i64 fold_words = 4096;

// Neighbors of a warp's piece in rounds: long enough that looking up its first row does not show.
constexpr i64 round_piece = 1024;

struct TuningLayout : layout::Family {
  LB_EXPORT_CONSTANTS(block_threads, warp_threads, round_blocks, search_threads, system_blocks, member_blocks,
                      member_passes, thread_row, warp_row, block_row, tile_vertices, warp_queue_edges,
                      warp_queue_blocks, cut_off_blocks, outside_threads, collected_bytes, hook_items, fused_threads,
                      unchecked_vertices, fused_deferred, contract_threads, contract_bits, tile_cell_bytes,
                      probed_edges, probed_around, probed_distances, scan_items, scan_tile, drawn_labels,
                      coverage_scale, turn_sample, turn_all, turn_rows, long_path, long_walk, cut_walk, fold_words,
                      round_piece)
};

}  // namespace lb::gpu

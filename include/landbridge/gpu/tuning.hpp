// The GPU's schedule in numbers. Those of published systems are named after them; the others are ours.
#pragma once
#include "../platform.hpp"

namespace lb::gpu {

constexpr int block_threads = 256;  // more gave nothing in any published study
constexpr int warp_threads = 32;
constexpr int round_blocks = 4;      // blocks a multiprocessor of the kernels that run rounds
constexpr int search_threads = 512;  // of the kernels with a grid barrier: one block a multiprocessor
constexpr int system_blocks = 2;     // and where they follow no rows, so many

// Rows up to the first bound belong to a thread, up to the second to a warp, up to the third to a block; what is longer
// is cut among all blocks. The first two are ECL-CC's.
constexpr i64 thread_row = 16;
constexpr i64 warp_row = 352;
constexpr i64 block_row = i64{1} << 11;

// Vertices a block takes at a time in the balanced schedule; they are queued in shared memory.
constexpr int tile_vertices = 1024;

// Edges a lane reads at a time where lanes unite at their own pace, and the blocks a multiprocessor holds meanwhile.
constexpr int warp_queue_edges = 2;
constexpr int warp_queue_blocks = 6;

// Edges of a spanning forest that a warp keeps before it writes them out together: the one counter of all warps is
// moved that many times more rarely.
constexpr int kept_edges = 128;
// Vertices a thread hooks at a time where their edges are written out.
constexpr int hook_items = 4;

// The most vertices and edges that one block validates and computes in shared memory.
constexpr int unseen_vertices = 1 << 13;

// Threads of a block that contracts a tile.
constexpr int contract_threads = 1024;

// Vertices of a tile of the numbering scan.
constexpr int scan_items = 16;
constexpr int scan_tile = block_threads * scan_items;

// Labels looked up to find the most frequent one (Afforest; ConnectIt; GConn: the same number).
constexpr int drawn_labels = 1024;
// Steps after which a path counts as long: then the forest is compressed before anything looks up its roots.
constexpr int long_path = 32;

// Steps after which a walk is put aside, and how many walks can be. Walks of ordinary graphs stay below 64 with few
// exceptions, and every step more is one that crowds on a long path take, all of them.
constexpr int long_walk = 128;
constexpr i64 deferred_capacity = i64{1} << 12;

// The control block: words of 64 bits that kernels of one run leave for each other, so that nothing is read back.
enum Word : int {
  word_skip = 0,                // root of the tree whose vertices the finish skips
  word_count,                   // number of components
  word_ticket,                  // next tile of the numbering scan
  word_huge,                    // rows queued for all blocks
  word_medium,                  // rows queued for warps
  word_large,                   // rows queued for blocks
  word_taken,                   // queued rows handed out to warps
  word_taken_large,             // queued rows handed out to blocks
  word_barrier,                 // arrivals at the grid's barrier
  word_tail,                    // end of the search queue
  word_low,                     // smallest vertex a search reached
  word_next,                    // where the next source is looked for
  word_grew,                    // whether a sweep added vertices
  word_outside,                 // vertices outside the tree that is skipped
  word_arcs,                    // arcs of a frontier
  word_links,                   // vertices that are roots no more, where that is counted
  word_isolated,                // vertices without arcs, where that is counted
  word_trouble,                 // whether one block gave up: ids that are wrong or too large for it
  word_deep,                    // whether a path was met that is too long to be walked
  word_vote,                    // three words for what the threads of a grid agree about
  word_rounds = word_vote + 3,  // arrivals at the barrier of the rounds
  word_edges,                   // edges of the spanning forest that are written
  word_deferred,                // walks put aside, see defer
  control_words = 25,
};

}  // namespace lb::gpu

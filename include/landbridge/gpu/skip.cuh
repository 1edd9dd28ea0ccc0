// The choice of the tree that the finish of a sampled run skips.
#pragma once
#include "../random.hpp"
#include "unite_edge.cuh"

namespace lb::gpu {

// Counts the roots of the threads of a block in shared memory. `draws`: whether this thread has one. Returns the root
// counted most often in thread 0, and how often in `times`; all threads call it.
template <int threads>
__device__ inline u64 most_frequent(u64 root, bool draws, u32& times) {
  static_assert((threads & (threads - 1)) == 0);
  constexpr int slots = 2 * threads;
  __shared__ u64 keys[slots];
  __shared__ u32 counts[slots];
  __shared__ u64 best;
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < slots; i += threads) keys[i] = none<u64>, counts[i] = 0;
  if (t == 0) best = 0;
  __syncthreads();
  const unsigned same = __match_any_sync(0xffffffffu, root);
  if (draws && (same & lanes_below()) == 0) {
    int slot = static_cast<int>(mix(0, root) & (slots - 1));
    for (;;) {
      const u64 key = atomicCAS(keys + slot, none<u64>, root);
      if (key == none<u64> || key == root) break;
      slot = (slot + 1) & (slots - 1);
    }
    atomicAdd(counts + slot, static_cast<u32>(__popc(same)));
  }
  __syncthreads();
  for (int i = t; i < slots; i += threads) {
    if (counts[i] != 0) atomicMax(&best, static_cast<u64>(counts[i]) << 32 | static_cast<u64>(i));
  }
  __syncthreads();
  times = static_cast<u32>(best >> 32);
  return keys[best & 0xffffffffu];
}

// Leaves in the control block the root that is drawn most often from random vertices, and empties the queues of rows
// for the finish. One block of drawn_labels threads; any vertex is a correct answer, the root of a large tree a fast
// one. Beside it the coverage: the tree's share of the draws, those of vertices without edges left out, which are
// roots. A path too long to be walked is followed no further: word_deep is set, the coverage is taken for full, and a
// second choice, after the forest is flattened, finds out.
template <class Id>
__global__ void __launch_bounds__(drawn_labels)
    choose_skip(const __grid_constant__ Cells<Id> cells, const __grid_constant__ SkipChoice choice) {
  const i64 n = cells.vertices;
  u64* const control = cells.control;
  if (one_tree(control, n)) return;
  if (choice.again != 0 && control[word_deep] == 0 && static_cast<i64>(control[word_coverage]) >= choice.below) return;
  const int t = static_cast<int>(threadIdx.x);
  const bool draws = t < n;
  u64 root = none<u64>;
  bool deep = false, joined = false;
  if (draws) {
    const QuietMemory<Id> m(cells.parent);
    Id x = static_cast<Id>(n <= drawn_labels ? static_cast<u64>(t)
                                             : mix(choice.seed, static_cast<u64>(t)) % static_cast<u64>(n));
    Id p = m.load(x);
    joined = p != x;
    int steps = 0;
    for (; p != x && steps < long_path; ++steps) x = p, p = m.load(x);
    deep = steps == long_path;
    root = static_cast<u64>(x);
  }
  deep = __syncthreads_or(deep) != 0;
  const u32 in_trees = static_cast<u32>(__syncthreads_count(joined));
  u32 times = 0;
  const u64 skip = most_frequent<drawn_labels>(root, draws, times);
  if (t != 0) return;
  control[word_skip] = skip;
  const bool full = times >= in_trees || (deep && choice.again == 0);
  control[word_coverage] = full ? coverage_scale : static_cast<u64>(times) * coverage_scale / in_trees;
  control[word_deep] = deep;
  reset_queues(control);
}

}  // namespace lb::gpu

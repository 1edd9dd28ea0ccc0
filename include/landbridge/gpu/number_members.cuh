// Numbering behind a search whose members are bits. What is a member has the label of all members, and what has no
// edges is a root: the cells of other vertices alone are read. Roots become bits, too, with the number of the first one
// of each word. A search that has not found half of all vertices leaves the work to the scan over all cells.
#pragma once
#include "number.cuh"
#include "search_members.cuh"

namespace lb::gpu {

// The numbers of roots: bits, and of each word of them how many lie before.
template <class Id>
struct RootNumbers {
  const u32* roots;
  const Id* before;
  __device__ static Id number(u32 word, Id before, unsigned below) {
    return static_cast<Id>(before + static_cast<Id>(__popc(word & below)));
  }
  __device__ bool has(u64 x) const { return (roots[x >> 5] >> (x & 31) & 1) != 0; }
  __device__ Id of(u64 x) const { return number(roots[x >> 5], before[x >> 5], (u32{1} << (x & 31)) - 1); }
};

// Of a word of bits: the vertices whose cells decide. The smallest member stands for all of them.
template <class Id>
__device__ inline u32 undecided(const SearchArrays<Id>& arrays, i64 w, u64 smallest) {
  const u32 own = static_cast<i64>(smallest >> 5) == w ? u32{1} << (smallest & 31) : 0;
  return outside_of(arrays, w) | own;
}

// Finds the roots, and marks the cells of vertices that hang below another one and are no members: a scan over words of
// bits. The roots take the place of the isolated vertices, which are some of them, and their numbers that of the queue.
template <class Id>
__device__ inline void number_undecided(const Cells<Id>& cells, const NumberScan& scan,
                                        const SearchArrays<Id>& arrays) {
  const i64 n = cells.vertices, words = bit_words(n);
  u64* const control = cells.control;
  constexpr int warps = block_threads / warp_threads, at_once = 4;
  __shared__ u64 ticket, before;
  __shared__ int sums[warps];
  if (control[word_deferred] != 0) return;
  const QuietMemory<Id> m(cells.parent);
  const u64 smallest = control[word_lowest];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const i64 tiles = (n + bit_scan_tile - 1) / bit_scan_tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(control + word_ticket, u64{1});
    __syncthreads();
    const i64 tile = static_cast<i64>(ticket);
    if (tile >= tiles) return;
    const i64 first = tile * (bit_scan_tile / warp_threads) + warp * (warp_threads * bit_scan_words);
    u32 roots[bit_scan_words];
    int upto[bit_scan_words], sum = 0;
#pragma unroll
    for (int k = 0; k < bit_scan_words; ++k) {
      const i64 of_lanes = first + k * warp_threads, w = of_lanes + static_cast<i64>(lane());
      const u32 left = w < words ? undecided(arrays, w, smallest) : 0;
      roots[k] = w < words ? arrays.isolated[w] : 0;
      // All lanes look at the vertices of some words, one after another.
      for (unsigned some = __ballot_sync(0xffffffffu, left != 0); some != 0;) {
        Id cell[at_once];
        int of[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          of[i] = __ffs(static_cast<int>(some)) - 1;
          some &= some - 1;
          const u32 looks = __shfl_sync(0xffffffffu, left, of[i] & (warp_threads - 1));
          const i64 x = (of_lanes + of[i]) * warp_threads + static_cast<i64>(lane());
          const bool exists = of[i] >= 0 && (looks >> lane() & 1) != 0 && x < n;
          cell[i] = exists ? m.load(static_cast<Id>(x)) : none<Id>;
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          const Id x = static_cast<Id>((of_lanes + of[i]) * warp_threads + static_cast<i64>(lane()));
          const bool root = cell[i] == x && of[i] >= 0;
          if (cell[i] != none<Id> && !root) m.store(x, phase::mark_cell(cell[i], x, Id{0}));
          const unsigned found = __ballot_sync(0xffffffffu, root);
          if (static_cast<int>(lane()) == of[i]) roots[k] |= found;
        }
      }
      upto[k] = sum_up_to(__popc(roots[k]));
      sum += __shfl_sync(0xffffffffu, upto[k], warp_threads - 1);
    }
    if (lane() == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      const int own = static_cast<int>(lane()) < warps ? sums[lane()] : 0, up_to_own = sum_up_to(own);
      const u64 total = static_cast<u64>(__shfl_sync(0xffffffffu, up_to_own, warp_threads - 1));
      const u64 prefix = sum_before(scan.tiles, tile, total);
      if (static_cast<int>(lane()) < warps) sums[lane()] = up_to_own - own;
      if (lane() == 0) {
        before = prefix;
        if (tile == tiles - 1) control[word_count] = prefix + total;
      }
    }
    __syncthreads();
    u64 running = before + static_cast<u64>(sums[warp]);
#pragma unroll
    for (int k = 0; k < bit_scan_words; ++k) {
      const i64 w = first + k * warp_threads + static_cast<i64>(lane());
      if (w < words) {
        arrays.isolated[w] = roots[k];
        arrays.queue[w] = static_cast<Id>(running + static_cast<u64>(upto[k] - __popc(roots[k])));
      }
      running += static_cast<u64>(__shfl_sync(0xffffffffu, upto[k], warp_threads - 1));
    }
  }
}

// What cells of vertices outside lead to.
template <class Id>
struct LabelsOutside {
  const DeviceMemory<Id> m;
  const RootNumbers<Id> numbers;
  const SetOnlyBits members;
  const Id smallest;

  // Goes up from a cell to a root or a label, and returns the label; where the path leads to a member, a mark that
  // leads to the smallest one. `pass(cell)` is called for each marked cell on the way.
  template <class Pass>
  __device__ Id above(Id cell, const Pass& pass) const {
    while (phase::holds_parent(cell)) {
      const u64 p = static_cast<u64>(cell & ~phase::numbered<Id>);
      if (numbers.has(p)) return numbers.of(p);
      if (members.has(p)) return smallest | phase::numbered<Id>;
      cell = m.load(static_cast<Id>(p));
      if (phase::holds_parent(cell)) pass(cell);
    }
    return cell;
  }
};

// Words of bits that a warp has at a time, in both passes below.
constexpr int labelled_words = 8;

// Vertices outside take their labels; those below a member keep a mark that leads to the smallest. Each step of a path
// is stored, so that long ones shrink.
template <class Id>
__device__ inline void label_outside(const LabelsOutside<Id>& labels, const SearchArrays<Id>& arrays, i64 n) {
  const i64 words = bit_words(n), step = threads_in_grid() / warp_threads * labelled_words;
  for (i64 first = thread_in_grid() / warp_threads * labelled_words; first < words; first += step) {
    const i64 w = first + static_cast<i64>(lane());
    const bool exists = lane() < labelled_words && w < words;
    const u32 left = exists ? undecided(arrays, w, static_cast<u64>(labels.smallest)) : 0;
    for (unsigned some = __ballot_sync(0xffffffffu, left != 0); some != 0; some &= some - 1) {
      const int of = __ffs(static_cast<int>(some)) - 1;
      const i64 x = (first + of) * warp_threads + static_cast<i64>(lane());
      if ((__shfl_sync(0xffffffffu, left, of) >> lane() & 1) == 0 || x >= n) continue;
      const Id v = static_cast<Id>(x);
      const auto store = [&](Id cell) { labels.m.store(v, cell); };
      store(labels.above(labels.m.load(v), store));
    }
  }
}

// Every cell takes its label: first those outside, as the path above the smallest member leads through these alone.
// What a warp has labelled outside it alone looks at again.
template <class Id>
__device__ inline void label_by_bits(const Cells<Id>& cells, const SearchArrays<Id>& arrays) {
  const i64 n = cells.vertices;
  const u64* const control = cells.control;
  __shared__ Id shared_label;
  if (control[word_deferred] != 0) return;
  const u64 smallest = control[word_lowest];
  const LabelsOutside<Id> labels{
      DeviceMemory<Id>(cells.parent), {arrays.isolated, arrays.queue}, {arrays.members}, static_cast<Id>(smallest)};
  label_outside(labels, arrays, n);
  const auto& numbers = labels.numbers;
  if (threadIdx.x == 0) {
    shared_label = numbers.has(smallest) ? numbers.of(smallest)
                                         : labels.above(labels.m.load(static_cast<Id>(smallest)), [](Id) {});
  }
  __syncthreads();
  const Id of_members = shared_label;
  const i64 words = bit_words(n), step = threads_in_grid() / warp_threads * labelled_words;
  for (i64 first = thread_in_grid() / warp_threads * labelled_words; first < words; first += step) {
    const i64 w = first + static_cast<i64>(lane());
    const bool exists = lane() < labelled_words && w < words;
    const u32 own = exists ? arrays.members[w] : 0, roots = exists ? numbers.roots[w] : 0;
    const Id before = exists ? numbers.before[w] : 0;
#pragma unroll
    for (int k = 0; k < labelled_words; ++k) {
      const u32 of_tree = __shfl_sync(0xffffffffu, own, k), of_roots = __shfl_sync(0xffffffffu, roots, k);
      const Id lower = __shfl_sync(0xffffffffu, before, k);
      const i64 x = (first + k) * warp_threads + static_cast<i64>(lane());
      if (x >= n) continue;
      const Id v = static_cast<Id>(x);
      Id label = of_members;
      if ((of_roots >> lane() & 1) != 0)
        label = RootNumbers<Id>::number(of_roots, lower, lanes_below());
      else if ((of_tree >> lane() & 1) == 0 && !phase::holds_parent(labels.m.load(v)))
        continue;
      labels.m.store(v, label);
    }
  }
}

template <class Id>
__global__ void __launch_bounds__(block_threads, numbering_blocks<Id>)
    number_outside(const __grid_constant__ Cells<Id> cells, const __grid_constant__ NumberScan scan,
                   const __grid_constant__ SearchArrays<Id> arrays) {
  if (members_are_most(cells.control[word_coverage]))
    number_undecided(cells, scan, arrays);
  else
    number_cells(cells, scan);
}
template <class Id>
__global__ void __launch_bounds__(block_threads)
    label_members(const __grid_constant__ Cells<Id> cells, const __grid_constant__ SearchArrays<Id> arrays) {
  if (members_are_most(cells.control[word_coverage]))
    label_by_bits(cells, arrays);
  else
    label_cells(cells);
}

}  // namespace lb::gpu

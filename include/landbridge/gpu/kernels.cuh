// The __global__ shells: a schedule over a phase over a rule. Only those that unite edges are templates of the rule;
// they and all others meet through data: the parent array and the words of the control block.
#pragma once
#include "../phase/search.hpp"
#include "../phase/unite.hpp"
#include "../phase/vertex.hpp"
#include "rules.cuh"
#include "schedule.cuh"

namespace lb::gpu {

// The cells a rule works on: ranked rules have words of their own, and `parent` is then their settled copy.
template <class Link, class Id>
__device__ inline auto forest_of(Id* parent, u64* words, Id* aux) {
  if constexpr (Link::ranked) {
    using M = DeviceMemory<u64, RankedCell>;
    return Forest<M>{M(words), M(nullptr)};
  } else {
    using M = DeviceMemory<Id>;
    return Forest<M>{M(parent), M(aux)};
  }
}

// A link that first merges equal pairs among the lanes of a warp: what meshes pay for is not bandwidth but the
// contention of many edges between the same two trees. The pairs are those of the roots (of any ancestors, where paths
// are long) or, where `near`, of the parents.
template <class Link, bool near>
struct Merged : Link {
  template <class F>
  __device__ static typename F::Id begin(const F&, typename F::Id u) {
    return u;
  }
  // Raises u and v; false if they are one then, or another lane has the pair.
  template <class F>
  __device__ static bool raise(const F& f, typename F::Id& u, typename F::Id& v) {
    u = climbed(f.parent, u);
    v = climbed(f.parent, v);
    if (u == v) return false;
    if (u < v) swap(u, v);
    return first_with(u, v);
  }
  template <class F, class Hook>
  __device__ static void unite(const F& f, typename F::Id u, typename F::Id v, const Hook& hook) {
    if (!raise(f, u, v)) return;
    auto start = Link::begin(f, u);
    Link::unite(f, start, v, hook);
  }

 private:
  // The root above x, or whom a long path has led to.
  template <class M>
  __device__ static typename M::Cell climbed(const M& m, typename M::Cell x) {
    for (int step = 0; step < (near ? 1 : long_walk); ++step) {
      const auto above = m.parent(m.load_stale(x), x);
      if (above == x) break;
      x = above;
    }
    return x;
  }
};

template <class Link>
constexpr bool merges = false;
template <class Link, bool near>
constexpr bool merges<Merged<Link, near>> = true;

// ---- walks that are too long
// ---------------------------------------------------------------------------------------------

// Whoever walks a long path alone walks it at the speed of one thread. So after long_walk steps the two vertices that a
// walk has come to are put aside: two words, behind the control block. Labels are not numbered then: when the host
// reads the control block, it has all paths compressed and unites what was put aside. Where all places are taken, a
// walk that can be repeated is given up: the host has all edges looked at once more. word_deferred counts both until it
// is more than the places; below 0, as a signed number, it tells walks to go on whatever they meet.

__device__ inline i64 deferred_count(const u64* control) {
  return static_cast<i64>(device::load(control + word_deferred));
}

// Whether walks are given up: there is no use in beginning others.
template <class Link>
__device__ inline bool crowded(const u64* control) {
  return Link::repeatable && deferred_count(control) > deferred_capacity;
}

// True if the walk need not go on.
template <class Link, class Id>
__device__ inline bool defer(u64* control, Id x, Id y) {
  const i64 met = deferred_count(control);
  if (met < 0) return false;
  if (met >= deferred_capacity + Link::repeatable) return Link::repeatable;
  const u64 place = atomicAdd(control + word_deferred, u64{1});
  if (place >= deferred_capacity) return Link::repeatable;
  u64* const at = control + control_words + 2 * place;
  at[0] = x;
  at[1] = y;
  return true;
}

// Unites the ends of an edge, unless that takes too long and the rule offers its walk a step at a time.
template <bool waits, class Link, class F, class Hook>
__device__ inline void unite_edge(const F& forest, phase::UniteRun<Link, F>& run, typename F::Id u, typename F::Id v,
                                  const Hook& hook, u64* control) {
  if constexpr (waits && Link::steps && !Link::ranked) {
    if constexpr (merges<Link>) {
      if (!Link::raise(forest, u, v)) return;
    }
    typename Link::template EdgeWalk<typename F::Id> walk{u, v, Link::Reads::load(forest.parent, u),
                                                          Link::Reads::load(forest.parent, v)};
    for (int left = long_walk; walk.parent_x != walk.parent_y;) {
      Link::step(forest, walk, hook);
      if (--left != 0) continue;
      if (defer<Link>(control, walk.x, walk.y)) break;
      left = long_walk;
    }
  } else {
    run.edge(u, v, hook);
  }
}

// ---- start and settle
// ---------------------------------------------------------------------------------------------------

// Zeroes the control block and the tiles of the numbering scan, and makes vertices singletons unless they are adopted.
template <class Id>
__global__ void start(Id* parent, i64 n, u64* control, u64* tiles, i64 tile_count, i64 adopt) {
  const DeviceMemory<Id> m(parent);
  if (blockIdx.x == 0 && threadIdx.x < control_words) control[threadIdx.x] = 0;
  for (i64 i = thread_in_grid(); i < tile_count; i += threads_in_grid()) tiles[i] = 0;
  if (adopt != 0) return;
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) m.store(static_cast<Id>(x), static_cast<Id>(x));
}

// What a rule needs beside the parents: words with ranks, free auxiliary cells.
template <class Link, class Id>
__global__ void prepare(const Id* parent, u64* words, Id* aux, i64 n) {
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    if constexpr (Link::uses_aux) aux[x] = none<Id>;
    if constexpr (Link::ranked) {
      const Id p = parent[x];
      words[x] = p == static_cast<Id>(x) ? RankedCell::root(0) : RankedCell::child(0, p);
    }
  }
}

// Whether one tree is left, and whether every vertex that has an arc is in it: then nothing is left to unite. Exact
// where links are counted; never true otherwise, because the words stay 0.
__device__ inline bool one_tree(const u64* control, i64 n) {
  return device::load(control + word_links) + 1 >= static_cast<u64>(n) && n > 0;
}
__device__ inline bool all_united(const u64* control, i64 n) {
  const u64 links = device::load(control + word_links);
  return links != 0 && links + device::load(control + word_isolated) + 1 >= static_cast<u64>(n);
}

// Adds the links of a block's threads to the count. All threads call it.
__device__ inline void add_links(u64* control, u64 links) {
  links = block_sum(links);
  if (threadIdx.x == 0 && links != 0) atomicAdd(control + word_links, links);
}

// Adds the vertices without arcs that a block's threads have met to their count. All threads call it.
__device__ inline void add_isolated(u64* control, u64 isolated, bool symmetric) {
  // On rows that are not symmetric an arc may lead to a vertex whose own row is empty.
  isolated = block_sum(symmetric ? isolated : 0);
  if (threadIdx.x == 0 && isolated != 0) atomicAdd(control + word_isolated, isolated);
}

// Hook-based start: every vertex below its first neighbour if that is smaller.
template <class Id, class T, class O>
__global__ void hook_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* control, i64 symmetric) {
  const Csr<T, O> g{offsets, neighbors, n};
  const QuietMemory<Id> m(parent);
  u64 hooked = 0, isolated = 0;
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    const i64 begin = g.begin(x);
    const bool alone = begin == g.end(x);
    const Id first = alone ? static_cast<Id>(x) : static_cast<Id>(g.neighbors[begin]);
    hooked += !phase::hook_first(m, static_cast<Id>(x), first);
    isolated += alone;
  }
  add_links(control, hooked);
  add_isolated(control, isolated, symmetric != 0);
}

// Every parent becomes a root. No link runs. With `if_deep` only if a long path has been met. A thread follows several
// paths at once: a warp waits for its longest.
template <class Id>
__global__ void compress(Id* parent, i64 n, const u64* control, i64 if_deep) {
  if (one_tree(control, n) || (if_deep != 0 && control[word_deep] == 0)) return;
  constexpr int many = 4;
  const DeviceMemory<Id> m(parent);
  for (i64 base = thread_in_grid(); base < n; base += many * threads_in_grid()) {
    Id p[many], g[many];
#pragma unroll
    for (int i = 0; i < many; ++i) {
      const i64 x = base + i * threads_in_grid();
      p[i] = x < n ? m.load_stale(static_cast<Id>(x)) : Id{0};
    }
#pragma unroll
    for (int i = 0; i < many; ++i) g[i] = m.load_stale(p[i]);
    for (bool rises = true; rises;) {
      rises = false;
#pragma unroll
      for (int i = 0; i < many; ++i) {
        const i64 x = base + i * threads_in_grid();
        if (x < n && phase::jump_step(m, static_cast<Id>(x), p[i], g[i])) rises = true;
      }
    }
  }
}

// The same for words that hold ranks; roots need not be minima afterwards.
template <class Find, class Id>
__global__ void settle_ranked(u64* words, Id* parent, i64 n) {
  const DeviceMemory<u64, RankedCell> m(words);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    parent[x] = static_cast<Id>(Find::find(m, static_cast<u64>(x)));
  }
}

// Trees named by any member take the name of their smallest, after fill_none(low): two passes.
template <class Id>
__global__ void fill_none(Id* cells, i64 n) {
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) cells[x] = none<Id>;
}
template <class Id>
__global__ void offer_low(const Id* parent, Id* low, i64 n) {
  const DeviceMemory<Id> m(low);
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) phase::offer_low(m, parent[x], static_cast<Id>(x));
}
template <class Id>
__global__ void take_low(Id* parent, const Id* low, i64 n) {
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) parent[x] = low[parent[x]];
}

// ---- the largest tree
// ---------------------------------------------------------------------------------------------------

// Leaves in the control block the root met most often above random vertices, and empties the queues of rows for the
// finish. One block of drawn_labels threads; any vertex is a correct answer, the root of a large tree a fast one. A
// path too long to be walked is left where it is and noted; `again` looks once more, after compression, if that was so.
template <class Id>
__global__ void __launch_bounds__(drawn_labels) choose_skip(Id* parent, i64 n, u64 seed, u64* control, i64 again) {
  constexpr int slots = 2 * drawn_labels;
  __shared__ u64 keys[slots];
  __shared__ u32 counts[slots];
  __shared__ u64 best;
  if (one_tree(control, n) || (again != 0 && control[word_deep] == 0)) return;
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < slots; i += drawn_labels) keys[i] = none<u64>, counts[i] = 0;
  if (t == 0) best = 0;
  const bool draws = t < n;
  u64 root = none<u64>;
  bool deep = false;
  if (draws) {
    const QuietMemory<Id> m(parent);
    Id x =
        static_cast<Id>(n <= drawn_labels ? static_cast<u64>(t) : mix(seed, static_cast<u64>(t)) % static_cast<u64>(n));
    Id p = m.load(x);
    int steps = 0;
    for (; p != x && steps < long_path; ++steps) x = p, p = m.load(x);
    deep = steps == long_path;
    root = static_cast<u64>(x);
  }
  deep = __syncthreads_or(deep) != 0;
  const unsigned same = __match_any_sync(0xffffffffu, root);
  if (draws && (same & lanes_below()) == 0) {
    int slot = static_cast<int>(mix(0, root) & (slots - 1));
    for (;;) {
      const u64 seen = atomicCAS(keys + slot, none<u64>, root);
      if (seen == none<u64> || seen == root) break;
      slot = (slot + 1) & (slots - 1);
    }
    atomicAdd(counts + slot, static_cast<u32>(__popc(same)));
  }
  __syncthreads();
  for (int i = t; i < slots; i += drawn_labels) {
    if (counts[i] != 0) atomicMax(&best, static_cast<u64>(counts[i]) << 32 | static_cast<u64>(i));
  }
  __syncthreads();
  if (t != 0) return;
  control[word_skip] = keys[best & 0xffffffffu];
  control[word_deep] = deep;
  for (int word = word_huge; word <= word_taken_large; ++word) control[word] = 0;
}

// ---- uniting
// ------------------------------------------------------------------------------------------------------------

// Tells whether a vertex is picked, and counts those outside the tree that is skipped.
template <class Id>
struct Picker {
  Id* parent;
  Pick pick;
  Id skip;
  u64& outside;
  __device__ bool operator()(Id x, bool counts = true) const {
    if (pick == Pick::outside) {
      const bool out = phase::flatten_below(DeviceMemory<Id>(parent), x, skip) != skip;
      outside += out && counts;
      return out;
    }
    return pick != Pick::roots || device::load_weak(parent + x) == x;
  }
};

// Switches of a schedule, one bit each.
enum Flag : i64 {
  flag_streams = 1,  // neighbours are read as a stream
  flag_single = 2,   // appends to lists are one atomic a lane, not one a warp
};

// What happens when an edge links, for kernels that unite: `of(edge, row)` is the hook of an edge, given by its
// position and, of rows, the vertex whose row it is in; `Kept` are the positions of edges that wait for a lane. All
// lanes of a warp call `pause()` now and then, and all threads `finish()` in the end. `only` is for lanes that link
// once at most before all call `rest()`. `waits`: the walk of an edge may be put aside. Here links are counted, and
// nothing else matters.
struct Counting {
  static constexpr bool waits = true;
  u32* links;
  template <int places>
  struct Kept {
    __device__ void keep(int, i64) {}
    __device__ i64 kept(int) const { return 0; }
  };
  template <class Id>
  __device__ callback::CountLinks of(i64, Id) const {
    return {links};
  }
  template <class Id>
  __device__ callback::CountLinks only(i64, Id) const {
    return {links};
  }
  __device__ void rest() const {}
  __device__ void pause() const {}
  __device__ void finish() const {}
};

// What the kernels that unite rows do with the arcs of a row.
template <class Link, class Id, class T, class Hooks>
struct RowBody {
  using Rule = Link;
  using Hooked = Hooks;
  using F = decltype(forest_of<Link, Id>(nullptr, nullptr, nullptr));
  const F forest;
  const T* neighbors;
  const Id* parent;  // a snapshot for ranked rules, the live cells otherwise
  const Id skip;
  const Owner owner;
  const int tile;  // arcs inside tiles of 2^tile vertices do not count: they have been united
  const bool leading;
  const bool streams;  // neighbours are read once: they may leave the caches first
  const Hooks hooks;
  u64* const control;

  __device__ Id neighbor(i64 a) const { return static_cast<Id>(streams ? __ldcs(neighbors + a) : neighbors[a]); }
  __device__ void operator()(Id x, i64 begin, i64 end, i64 first, i64 stride) const {
    using Vertex = typename F::Id;
    phase::UniteRun<Link, F> run(forest);
    const bool only_leading = leading && device::load_weak(parent + x) == skip;
    for (i64 a = begin + first; a < end; a += stride) {
      const Id v = neighbor(a);
      if (!owns(x, v)) continue;
      if (only_leading && device::load_weak(parent + v) == skip) continue;
      unite_edge<Hooks::waits>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(v), hooks.of(a, x), control);
    }
  }
  __device__ void pause() const { hooks.pause(); }

  __device__ bool owns(Id x, Id v) const {
    return owner == Owner::both || (owner == Owner::larger ? v >> tile < x >> tile : x >> tile < v >> tile);
  }
};

// A warp that unites edges, each lane at its own pace. The ends of edges and their parents are read many at a time;
// edges whose ends have one parent are dropped, the others wait in shared memory; a lane that is done with one takes
// the next, so that no lane waits for the longest walk. For rules that offer their walk a step at a time.
template <class Link, class Id, class Hooks>
class Crew {
 public:
  static constexpr int each = warp_queue_edges;
  static constexpr int places = (each + 1) * warp_threads;
  using F = decltype(forest_of<Link, Id>(nullptr, nullptr, nullptr));
  using Walk = typename Link::template EdgeWalk<Id>;
  struct Waiting : Hooks::template Kept<places> {
    Walk walks[places];
  };

  __device__ Crew(const F& f, Waiting* waiting, const Hooks& hooks, u64* control)
      : forest_(f), waiting_(waiting), hooks_(hooks), control_(control) {}

  // Edges by their ends and positions. All lanes call it; u is none where there is no edge. Where walks are given up,
  // all are.
  __device__ void take(const Id (&u)[each], const Id (&v)[each], const i64 (&edges)[each]) {
    if (stops_) return;
    Id parent_u[each], parent_v[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      parent_u[i] = u[i] == none<Id> ? Id{0} : Link::Reads::load(forest_.parent, u[i]);
      parent_v[i] = u[i] == none<Id> ? Id{0} : Link::Reads::load(forest_.parent, v[i]);
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      bool apart = parent_u[i] != parent_v[i];
      if constexpr (merges<Link>) {
        const bool swap = parent_u[i] < parent_v[i];
        if (apart) apart = first_with(swap ? parent_v[i] : parent_u[i], swap ? parent_u[i] : parent_v[i]);
        __syncwarp();
      }
      const unsigned some = __ballot_sync(0xffffffffu, apart);
      if (apart) {
        const int place = waits_ + __popc(some & lanes_below());
        waiting_->walks[place] = {u[i], v[i], parent_u[i], parent_v[i]};
        waiting_->keep(place, edges[i]);
      }
      waits_ += __popc(some);
    }
    __syncwarp();
    work(warp_threads);
  }
  // All lanes call it, in the end.
  __device__ void finish() { work(0); }

 private:
  // Goes on until fewer than `low` edges wait, or everything is done where that is 0.
  __device__ void work(int low) {
    int left = long_walk;  // for the warp as a whole: no lane counts its own steps
    for (;;) {
      const unsigned idle = __ballot_sync(0xffffffffu, !busy_);
      const int rank = __popc(idle & lanes_below());
      if (!busy_ && rank < waits_) {
        walk_ = waiting_->walks[waits_ - 1 - rank];
        edge_ = waiting_->kept(waits_ - 1 - rank);
        row_ = walk_.x;
        busy_ = true;
      }
      const int taken = __popc(idle);
      waits_ = taken < waits_ ? waits_ - taken : 0;
      if (waits_ < low || !__any_sync(0xffffffffu, busy_)) break;
      if (busy_) {
        Link::step(forest_, walk_, hooks_.only(edge_, row_));
        busy_ = walk_.parent_x != walk_.parent_y;
      }
      hooks_.rest();
      if constexpr (Hooks::waits) {
        if (--left != 0) continue;
        left = long_walk;
        if (busy_) busy_ = !defer<Link>(control_, walk_.x, walk_.y);
        stops_ = __any_sync(0xffffffffu, crowded<Link>(control_)) != 0;
      }
    }
    __syncwarp();
  }

  const F forest_;
  Waiting* const waiting_;
  const Hooks hooks_;
  u64* const control_;
  Walk walk_{};
  i64 edge_ = 0;
  Id row_ = 0;
  int waits_ = 0;
  bool busy_ = false;
  bool stops_ = false;  // walks are given up; one for all lanes
};

template <class Link, class Id, class T, class Hooks>
__device__ inline RowBody<Link, Id, T, Hooks> row_body(const T* neighbors, Id* parent, u64* words, Id* aux,
                                                       u64* control, i64 pick, i64 owner, i64 tile, i64 flags,
                                                       const Hooks& hooks) {
  return {forest_of<Link>(parent, words, aux),
          neighbors,
          parent,
          static_cast<Id>(control[word_skip]),
          static_cast<Owner>(owner),
          static_cast<int>(tile),
          pick == static_cast<i64>(Pick::leaving),
          (flags & flag_streams) != 0,
          hooks,
          control};
}

// Balance::edge: arcs in equal shares, with crews where the rule allows it.
template <class Id, class G, class Wanted, class Body>
__device__ inline void unite_shared(const G& g, Window window, const Wanted& wanted, const Body& body) {
  using Link = typename Body::Rule;
  if constexpr (Link::steps && !Link::ranked) {
    using ThreadExecutor = Crew<Link, Id, typename Body::Hooked>;
    __shared__ typename ThreadExecutor::Waiting waiting[block_threads / warp_threads];
    constexpr int each = ThreadExecutor::each;
    ThreadExecutor crew(body.forest, waiting + threadIdx.x / warp_threads, body.hooks, body.control);
    shared_arcs<each, Id>(g, window, wanted, [&](Id(&x)[each], const i64(&a)[each]) {
      Id v[each];
#pragma unroll
      for (int i = 0; i < each; ++i) v[i] = x[i] == none<Id> ? x[i] : body.neighbor(a[i]);
#pragma unroll
      for (int i = 0; i < each; ++i) {
        if (!body.owns(x[i], v[i])) x[i] = none<Id>;
      }
      crew.take(x, v, a);
    });
    crew.finish();
  } else {
    shared_arcs<1, Id>(g, window, wanted, [&](const Id(&x)[1], const i64(&a)[1]) {
      if (x[0] != none<Id>) body(x[0], a[0], a[0] + 1, i64{0}, i64{1});
      body.pause();
    });
  }
}

// The rows of the vertices that are picked, of short ones each shared by `lanes` threads (Balance::tile). `list` has n
// places for Balance::worklist, `huge` m / block_row + 1. hooks.links points to a variable of the thread.
template <class Link, int balance, class Id, class T, class O, class Hooks>
__device__ inline void unite_picked(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux,
                                    Id* list, Id* huge, u64* control, i64 from, i64 limit, i64 pick, i64 owner,
                                    i64 tile, i64 lanes, i64 flags, const Hooks& hooks) {
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, n))) return;
  const Csr<T, O> g{offsets, neighbors, n};
  const Window window{from, limit};
  u64 outside = 0;
  const auto body = row_body<Link, Id>(neighbors, parent, words, aux, control, pick, owner, tile, flags, hooks);
  const Picker<Id> wanted{parent, static_cast<Pick>(pick), body.skip, outside};
  constexpr auto how = static_cast<Balance>(balance);
  if constexpr (how == Balance::tile)
    tiled_rows<Id>(g, window, lanes, huge, control, wanted, body);
  else if constexpr (how == Balance::worklist)
    listed_rows<Id>(g, window, list, control, wanted, body);
  else if constexpr (how == Balance::gather)
    gathered_rows<Id>(g, window, list, control, wanted, (flags & flag_single) == 0);
  else if constexpr (how == Balance::thread)
    grouped_rows<1, Id>(g, window, wanted, body);
  else if constexpr (how == Balance::warp)
    grouped_rows<warp_threads, Id>(g, window, wanted, body);
  else if constexpr (how == Balance::edge)
    unite_shared<Id>(g, window, wanted, body);
  else
    grouped_rows<block_threads, Id>(g, window, wanted, body);
  add_links(control, *hooks.links);
  hooks.finish();
  if (pick != static_cast<i64>(Pick::outside)) return;
  constexpr int group = how == Balance::warp ? warp_threads : how == Balance::block ? block_threads : 1;
  outside = block_sum(threadIdx.x % group == 0 ? outside : 0);
  if (threadIdx.x == 0 && outside != 0) atomicAdd(control + word_outside, outside);
}
template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads, balance == static_cast<int>(Balance::edge) ? warp_queue_blocks : 1)
    unite_rows(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge,
               u64* control, i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64 lanes, i64 flags) {
  u32 links = 0;
  unite_picked<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner,
                              tile, lanes, flags, Counting{&links});
}

// The rows that were queued meanwhile: in the double-sided list, or for all blocks.
template <class Link, int balance, class Id, class T, class O, class Hooks>
__device__ inline void unite_waiting(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux,
                                     Id* list, Id* huge, u64* control, i64 from, i64 limit, i64 pick, i64 owner,
                                     i64 tile, i64 flags, const Hooks& hooks) {
  // One thread decides for its block: others may count links meanwhile.
  if (__syncthreads_or(threadIdx.x == 0 && all_united(control, n))) return;
  const Csr<T, O> g{offsets, neighbors, n};
  const Window window{from, limit};
  const auto body = row_body<Link, Id>(neighbors, parent, words, aux, control, pick, owner, tile, flags, hooks);
  if constexpr (static_cast<Balance>(balance) == Balance::worklist)
    drain_list<Id>(g, window, list, control, body);
  else if constexpr (static_cast<Balance>(balance) == Balance::gather)
    drain_gathered<Id>(g, window, list, control, body);
  else
    huge_rows<Id>(g, window, huge, control, body);
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, int balance, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads)
    unite_queued(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux, Id* list, Id* huge,
                 u64* control, i64 from, i64 limit, i64 pick, i64 owner, i64 tile, i64, i64 flags) {
  u32 links = 0;
  unite_waiting<Link, balance>(offsets, neighbors, n, parent, words, aux, list, huge, control, from, limit, pick, owner,
                               tile, flags, Counting{&links});
}

// k-out: unites k arcs of every vertex. `widest` marks the choice by degree, whose first arc costs a look at all.
template <class Link, class Choice, int arcs, class Id, class T, class O, class Hooks>
__device__ inline void unite_few(const O* offsets, const T* neighbors, i64 n, Id* parent, u64* words, Id* aux,
                                 u64* control, i64 k, u64 seed, const Hooks& hooks) {
  const auto forest = forest_of<Link>(parent, words, aux);
  using F = decltype(forest_of<Link>(parent, words, aux));
  using Vertex = typename F::Id;
  const Csr<T, O> g{offsets, neighbors, n};
  constexpr auto how = static_cast<Arcs>(arcs);
  // Whole warps take part in every loop, also past the last vertex.
  const i64 start = thread_in_grid() - static_cast<i64>(lane());
  if constexpr (how == Arcs::vertex) {
    for (i64 first = start; first < n; first += threads_in_grid(), hooks.pause()) {
      const i64 x = first + static_cast<i64>(lane());
      const i64 begin = x < n ? g.begin(x) : 0;
      const i64 degree = x < n ? g.end(x) - begin : 0;
      if (degree == 0) continue;
      phase::UniteRun<Link, F> run(forest);
      for (int round = 0; round < static_cast<int>(k); ++round) {
        i64 arc = 0;
        if (Choice::needs_degrees && round == 0) {
          i64 widest = -1;
          for (i64 a = 0; a < degree; ++a) {
            const i64 y = static_cast<i64>(neighbors[begin + a]);
            const i64 width = g.end(y) - g.begin(y);
            if (width > widest) widest = width, arc = a;
          }
        } else {
          arc = Choice::arc(seed, static_cast<u64>(x), round, degree);
          if (arc < 0) break;
        }
        const i64 a = begin + arc;
        unite_edge<Hooks::waits>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(neighbors[a]),
                                 hooks.of(a, static_cast<Id>(x)), control);
      }
    }
  } else if constexpr (how == Arcs::coalesced) {
    for (i64 first = start; first < n * k; first += threads_in_grid(), hooks.pause()) {
      const i64 i = first + static_cast<i64>(lane());
      if (i >= n * k) continue;
      const i64 x = i / k;
      const i64 begin = g.begin(x);
      const i64 degree = g.end(x) - begin;
      const i64 arc = degree == 0 ? -1 : Choice::arc(seed, static_cast<u64>(x), static_cast<int>(i % k), degree);
      if (arc < 0) continue;
      phase::UniteRun<Link, F> run(forest);
      const i64 a = begin + arc;
      unite_edge<Hooks::waits>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(neighbors[a]),
                               hooks.of(a, static_cast<Id>(x)), control);
    }
  } else {
    const i64 odd = static_cast<i64>(lane() & 1);
    for (i64 first = start; first < n; first += threads_in_grid(), hooks.pause()) {
      const i64 base = first + static_cast<i64>(lane()) - odd;
      const auto load = [&](i64 x) -> T {
        if (x >= n) return 0;
        const i64 at = g.begin(x) + odd;
        return at < g.end(x) ? neighbors[at] : T{0};
      };
      T mine = load(base);
      T other = load(base + 1);
      if (odd) swap(mine, other);
      other = __shfl_xor_sync(0xffffffffu, other, 1);
      if (odd) swap(mine, other);
      const i64 x = base + odd;
      if (x >= n) continue;
      const i64 begin = g.begin(x);
      const i64 degree = g.end(x) - begin;
      phase::UniteRun<Link, F> run(forest);
      const auto take = [&](T y, i64 a) {
        unite_edge<Hooks::waits>(forest, run, static_cast<Vertex>(x), static_cast<Vertex>(y),
                                 hooks.of(a, static_cast<Id>(x)), control);
      };
      if (degree > 0) take(mine, begin);
      if (degree > 1) take(other, begin + 1);
    }
  }
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Choice, int arcs, class Id, class T, class O>
__global__ void __launch_bounds__(block_threads) unite_sample(const O* offsets, const T* neighbors, i64 n, Id* parent,
                                                              u64* words, Id* aux, u64* control, i64 k, u64 seed) {
  u32 links = 0;
  unite_few<Link, Choice, arcs>(offsets, neighbors, n, parent, words, aux, control, k, seed, Counting{&links});
}

// Edges [from, to) of a list. With `raise`, ends are replaced by their parents first (Stages).
template <class Link, class Id, class T, class Hooks>
__device__ inline void unite_list(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux,
                                  u64* control, i64 from, i64 to, i64 raise, const Hooks& hooks) {
  using F = decltype(forest_of<Link>(parent, words, aux));
  const F forest = forest_of<Link>(parent, words, aux);
  const auto end = [&](const T* ids, i64 stride, i64 i) {
    const Id x = static_cast<Id>(ids[i * stride]);
    return raise != 0 ? device::load_weak(parent + x) : x;
  };
  if constexpr (Link::steps && !Link::ranked) {
    using ThreadExecutor = Crew<Link, Id, Hooks>;
    __shared__ typename ThreadExecutor::Waiting waiting[block_threads / warp_threads];
    constexpr int each = ThreadExecutor::each;
    ThreadExecutor crew(forest, waiting + threadIdx.x / warp_threads, hooks, control);
    // Whole warps take part, also past the last edge.
    for (i64 base = from + thread_in_grid() - static_cast<i64>(lane()); base < to; base += each * threads_in_grid()) {
      Id a[each], b[each];
      i64 edges[each];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const i64 at = edges[i] = base + static_cast<i64>(lane()) + i * threads_in_grid();
        a[i] = at < to ? end(u, u_stride, at) : none<Id>;
        b[i] = at < to ? end(v, v_stride, at) : none<Id>;
      }
      crew.take(a, b, edges);
    }
    crew.finish();
  } else {
    using Vertex = typename F::Id;
    for (i64 first = from + thread_in_grid() - static_cast<i64>(lane()); first < to;
         first += threads_in_grid(), hooks.pause()) {
      const i64 i = first + static_cast<i64>(lane());
      if (i >= to) continue;
      phase::UniteRun<Link, F> run(forest);
      run.edge(static_cast<Vertex>(end(u, u_stride, i)), static_cast<Vertex>(end(v, v_stride, i)), hooks.of(i, Id{0}));
    }
  }
  add_links(control, *hooks.links);
  hooks.finish();
}
template <class Link, class Id, class T>
__global__ void __launch_bounds__(block_threads)
    unite_pairs(const T* u, const T* v, i64 u_stride, i64 v_stride, Id* parent, u64* words, Id* aux, u64* control,
                i64 from, i64 to, i64 raise) {
  u32 links = 0;
  unite_list<Link>(u, v, u_stride, v_stride, parent, words, aux, control, from, to, raise, Counting{&links});
}

// Unites what was put aside, after compression, and empties the list and the queues of rows; with `patient`, walks go
// on from now on. One block.
template <class Id>
__global__ void __launch_bounds__(block_threads) unite_deferred(Id* parent, u64* control, i64 n, i64 patient) {
  using Link = link::RemCas<find::Naive<>, splice::HalveOne<>>;
  const auto forest = forest_of<Link, Id>(parent, nullptr, nullptr);
  u32 links = 0;
  const i64 met = one_tree(control, n) ? 0 : deferred_count(control);
  for (i64 i = threadIdx.x; i < met && i < deferred_capacity; i += block_threads) {
    const u64* const at = control + control_words + 2 * i;
    Link::unite(forest, static_cast<Id>(at[0]), static_cast<Id>(at[1]), callback::CountLinks{&links});
  }
  add_links(control, links);
  __syncthreads();
  if (threadIdx.x != 0) return;
  control[word_deferred] = static_cast<u64>(patient) << 63;
  for (int word = word_huge; word <= word_taken_large; ++word) control[word] = 0;
}

// ---- labels
// -------------------------------------------------------------------------------------------------------------

// Numbers the roots in order of their ids and marks all other cells as parents: one pass, a scan with decoupled
// look-back. Nothing is numbered, here and below, while edges are left that were put aside.
template <class Id>
__global__ void __launch_bounds__(block_threads) number(Id* parent, i64 n, u64* tiles, u64* control) {
  constexpr int warps = block_threads / warp_threads;
  __shared__ u64 ticket, before;
  __shared__ int counts[scan_items * warps];
  const QuietMemory<Id> m(parent);
  const bool left = control[word_deferred] != 0;
  const bool one = one_tree(control, n);
  if (left) return;
  if (one) {
    if (blockIdx.x == 0 && threadIdx.x == 0) control[word_count] = 1;
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const i64 tile_count = (n + scan_tile - 1) / scan_tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(control + word_ticket, u64{1});
    __syncthreads();
    const i64 tile = static_cast<i64>(ticket);
    if (tile >= tile_count) return;
    const i64 base = tile * scan_tile + threadIdx.x;
    Id cell[scan_items];
    int rank[scan_items];
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const i64 x = base + j * block_threads;
      cell[j] = x < n ? m.load(static_cast<Id>(x)) : none<Id>;
    }
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const unsigned roots = __ballot_sync(0xffffffffu, cell[j] == static_cast<Id>(base + j * block_threads));
      rank[j] = __popc(roots & lanes_below());
      if (lane() == 0) counts[j * warps + warp] = __popc(roots);
    }
    __syncthreads();
    if (warp == 0) {
      constexpr int mine = scan_items * warps / warp_threads;
      int sum = 0;
      for (int j = 0; j < mine; ++j) sum += counts[static_cast<int>(lane()) * mine + j];
      int upto = sum;
      for (int d = 1; d < warp_threads; d <<= 1) {
        const int left = __shfl_up_sync(0xffffffffu, upto, static_cast<unsigned>(d));
        if (static_cast<int>(lane()) >= d) upto += left;
      }
      int running = upto - sum;
      for (int j = 0; j < mine; ++j) {
        const int here = counts[static_cast<int>(lane()) * mine + j];
        counts[static_cast<int>(lane()) * mine + j] = running;
        running += here;
      }
      const u64 total = static_cast<u64>(__shfl_sync(0xffffffffu, upto, warp_threads - 1));
      const u64 prefix = sum_before(tiles, tile, total);
      if (lane() == 0) {
        before = prefix;
        if (tile == tile_count - 1) control[word_count] = prefix + total;
      }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < scan_items; ++j) {
      const i64 x = base + j * block_threads;
      if (x >= n) continue;
      const u64 mine = before + static_cast<u64>(counts[j * warps + warp] + rank[j]);
      m.store(static_cast<Id>(x), phase::mark_cell(cell[j], static_cast<Id>(x), static_cast<Id>(mine)));
    }
  }
}

// Every cell takes the number of its root. Where there is one component, nothing needs to be looked up.
template <class Id>
__global__ void label(Id* parent, i64 n, const u64* control) {
  const bool left = control[word_deferred] != 0;
  const DeviceMemory<Id> m(parent);
  const bool one = control[word_count] == 1;
  if (left) return;
  for (i64 x = thread_in_grid(); x < n; x += threads_in_grid()) {
    if (one)
      m.store(static_cast<Id>(x), Id{0});
    else
      phase::resolve_label(m, static_cast<Id>(x));
  }
}

// ---- validation
// ---------------------------------------------------------------------------------------------------------

// The range of ids: word 0 becomes the largest, word 1 tells the first position whose id, as if unsigned, is `bound` or
// more: none<u64> less that position, or 0 if there is no such id. Both words start at 0.
template <class T>
__global__ void check_ids(const T* ids, i64 stride, i64 count, u64 bound, u64* words) {
  u64 largest = 0, wrong = 0;
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const u64 id = static_cast<u64>(ids[i * stride]);
    if (id > largest) largest = id;
    if (id >= bound && none<u64> - static_cast<u64>(i) > wrong) wrong = none<u64> - static_cast<u64>(i);
  }
  for (int d = warp_threads / 2; d > 0; d >>= 1) {
    const u64 l = __shfl_xor_sync(0xffffffffu, largest, d);
    const u64 w = __shfl_xor_sync(0xffffffffu, wrong, d);
    largest = l > largest ? l : largest;
    wrong = w > wrong ? w : wrong;
  }
  if (lane() == 0) {
    if (largest > device::load(words)) atomicMax(words, largest);
    if (wrong > device::load(words + 1)) atomicMax(words + 1, wrong);
  }
}

// Row offsets must not fall: word 1 tells the first position at which they do, as above.
template <class O>
__global__ void check_offsets(const O* offsets, i64 n, u64* words) {
  for (i64 i = thread_in_grid(); i < n; i += threads_in_grid()) {
    if (offsets[i + 1] < offsets[i]) atomicMax(words + 1, none<u64> - static_cast<u64>(i));
  }
}

}  // namespace lb::gpu

// Passes in which each vertex has a thread that owns it, so that edges are united without locked instructions
// (landbridge/cpu/owned.hpp): ranges of vertices, the walks that were cut off at another thread's, and how the edges of
// a list reach the thread that owns their vertices. Where nothing is local, a range is given up after its first edges,
// and the rest is united by compare and swap.
#pragma once
#include <algorithm>
#include <vector>

#include "graph.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"

namespace lb::core {

// Ranges for each thread: more than one, so that a thread that has finished its own helps the others.
constexpr i64 ranges_per_thread = 4;
// Edges of a chunk after which its owner looks back at how many were cut off.
constexpr i64 first_look = 4 * cpu::batch_edges;
// One edge in so many may be cut off before a range is given up, but no more than so many of all.
constexpr i64 cut_share = 32;
constexpr i64 most_cut = i64{1} << 20;
constexpr i64 cut_limit(i64 edges, i64 ranges) { return std::min(edges / cut_share, most_cut) / ranges; }

// Edges between a range and other vertices that wait until its own are united.
constexpr i64 most_crossing = i64{1} << 14;

// A range of vertices in one pass: who owns it writes here what it could not finish.
//
// Edges inside the range come first, those that lead out of it wait: until then no walk can leave the range, so that
// its links need neither locked instructions nor a look at whose vertex is next. Where many lead out, none wait any
// more, and every walk is watched. So is every walk in a forest that has links already: they may lead anywhere.
template <class Id, bool forest>
class OwnedRange {
 public:
  OwnedRange() = default;
  // Takes vertices [begin, end), and stops after `most` cut walks. singletons: whether each of them is a tree of its
  // own.
  OwnedRange(u64 begin, u64 end, i64 most, bool singletons)
      : own_{static_cast<Id>(begin), static_cast<Id>(end - begin)},
        watched_(!singletons),
        most_(std::max(most, first_look)) {}

  void unite(const Kernel<Id>& kernel, const Cells<Id>& cells, const Id* u, const Id* v, i64 count,
             const EdgeBits& tree_edges, const ArcPositions& arcs) {
    for (i64 base = 0; base < count; base += cpu::batch_edges) {
      const i64 some = std::min(count - base, cpu::batch_edges);
      const ArcPositions part{arcs.at == nullptr ? arcs.base + base : arcs.base,
                              arcs.at == nullptr ? nullptr : arcs.at + base};
      if (watched_)
        unite_watched(kernel, cells, u + base, v + base, some, tree_edges, part);
      else if (all_inside(u + base, v + base, some))
        unite_inside(kernel, cells, u + base, v + base, some, tree_edges, part);
      else
        divide(kernel, cells, u + base, v + base, some, tree_edges, part);
      taken_ += some;
    }
  }

  // Unites the edges that lead out of the range, after all of its own.
  void unite_crossing(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges) {
    watched_ = true;
    for (i64 base = 0; base < crossing_.count(); base += cpu::batch_edges) {
      const i64 some = std::min(crossing_.count() - base, cpu::batch_edges);
      unite_watched(kernel, cells, crossing_.x.data() + base, crossing_.y.data() + base, some, tree_edges,
                    {0, forest ? crossing_.arc.data() + base : nullptr});
    }
    crossing_ = {};
  }

  // Whether the edges of this range are still worth taking: few of the last ones were cut off or lead out, and not too
  // many were cut off in all.
  bool goes_on() {
    const i64 out = walks() + crossing_.count();
    const bool mostly_cut = taken_ >= cpu::batch_edges && 4 * (out - judged_) > taken_;
    edges_ += taken_;
    taken_ = 0;
    judged_ = out;
    return !mostly_cut && walks() <= most_;
  }
  i64 edges() const { return edges_ + taken_; }  // that were looked at

  i64 climbed() const { return loop_.climbed(); }
  i64 walks() const { return cut_.count(); }
  // Hands cut walks [begin, end) to a buffer of unions.
  template <class Unions>
  void add_to(Unions& unions, i64 begin, i64 end) const {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      unions.add(cut_.x[i], cut_.y[i], forest ? cut_.arc[i] : 0);
  }

 private:
  struct Edges {
    std::vector<Id> x, y;
    std::vector<i64> arc;
    i64 count() const { return static_cast<i64>(x.size()); }
    void add(Id a, Id b, i64 of) {
      x.push_back(a);
      y.push_back(b);
      if constexpr (forest) arc.push_back(of);
    }
  };

  bool inside(Id u, Id v) const { return own_.has(u) & own_.has(v); }
  // The top bit shows an id that is not inside: ids are smaller than it.
  bool all_inside(const Id* u, const Id* v, i64 count) const {
    const Id begin = own_.begin, last = std::min<Id>(own_.size - 1, none<Id> >> 1);
    Id outside = 0;
    for (i64 i = 0; i < count; ++i) {
      const Id a = static_cast<Id>(u[i] - begin), b = static_cast<Id>(v[i] - begin);
      outside |= a | static_cast<Id>(last - a) | b | static_cast<Id>(last - b);
    }
    return own_.size > 0 && outside >> (sizeof(Id) * 8 - 1) == 0;
  }

  void unite_inside(const Kernel<Id>& kernel, const Cells<Id>& cells, const Id* u, const Id* v, i64 count,
                    const EdgeBits& tree_edges, const ArcPositions& arcs) {
    LB_WORK_OWNS(owns, own_.begin, own_.size);
    Cells<Id> mine = cells;
    if (mine.choice != nullptr) mine.choice = &loop_;
    if constexpr (forest)
      kernel.record_inside(mine, u, v, count, tree_edges, arcs);
    else
      kernel.unite_inside(mine, u, v, count);
  }

  void unite_watched(const Kernel<Id>& kernel, const Cells<Id>& cells, const Id* u, const Id* v, i64 count,
                     const EdgeBits& tree_edges, const ArcPositions& arcs) {
    LB_WORK_OWNS(owns, own_.begin, own_.size);
    Id x[cpu::batch_edges], y[cpu::batch_edges];
    i64 pair[cpu::batch_edges];
    cpu::CutWalks<Id> cut{x, y, pair};
    if constexpr (forest)
      kernel.record_owned(cells, own_, u, v, count, tree_edges, arcs, cut);
    else
      kernel.unite_owned(cells, own_, u, v, count, cut);
    for (i64 i = 0; i < cut.count; ++i) cut_.add(x[i], y[i], forest ? arcs[pair[i]] : 0);
  }

  // Unites those of up to a batch of edges that lie inside the range; the others wait. Where many lead out whose larger
  // endpoint, the one that a link writes, is inside, as of those to a hub, the range is watched from now on.
  void divide(const Kernel<Id>& kernel, const Cells<Id>& cells, const Id* u, const Id* v, i64 count,
              const EdgeBits& tree_edges, const ArcPositions& arcs) {
    Id x[cpu::batch_edges], y[cpu::batch_edges];
    i64 at[forest ? cpu::batch_edges : 1];
    i64 own = 0, larger_own = 0;
    for (i64 i = 0; i < count; ++i) {
      x[own] = u[i];
      y[own] = v[i];
      if constexpr (forest) at[own] = arcs[i];
      if (inside(x[own], y[own])) {
        ++own;
      } else {
        larger_own += own_.has(std::max(x[own], y[own])) ? 1 : 0;
        crossing_.add(x[own], y[own], forest ? arcs[i] : 0);
      }
    }
    unite_inside(kernel, cells, x, y, own, tree_edges, {0, at});
    const i64 out = count - own;
    const bool to_hubs = 4 * out > count && 4 * larger_own > 3 * out;
    if (to_hubs || crossing_.count() > most_crossing) unite_crossing(kernel, cells, tree_edges);
  }

  cpu::OwnVertices<Id> own_{0, 0};
  LoopChoice loop_;
  Edges crossing_, cut_;
  bool watched_ = false;
  i64 most_ = 0;
  i64 taken_ = 0, judged_ = 0, edges_ = 0;
};

// Which range of vertices the chunks of an edge list belong to, by the endpoints of a few of their edges.
struct EdgeDivision {
  struct Range {
    u64 begin, end;  // vertices
    std::vector<i64> chunks;
  };
  std::vector<Range> ranges;
  std::vector<i64> shared;  // chunks whose larger endpoints lie anywhere
  std::vector<bool> near;   // of each chunk: whether its vertices lie close together
  u64 largest = 0;          // endpoint that was looked at
  bool few = false;         // whether one thread may unite the edges sooner than several that would share their cells
};

// Chunks of cpu::chunk_arcs edges. No ranges for a single thread, where fewer than half of the chunks belong to one
// (seven in eight, where there are as many edges for each vertex as only lattices may have), or where few edges link.
EdgeDivision divide_edges(const IdArray& u, const IdArray& v, i64 edges, int threads);

}  // namespace lb::core

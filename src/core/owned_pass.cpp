#include "owned_pass.hpp"

#include <algorithm>
#include <utility>

#include "edge_batches.hpp"
#include "edge_queue.hpp"
#include "interrupt.hpp"
#include "largest_tree.hpp"
#include "thread_choice.hpp"

namespace lb::core {

template <class Id, bool forest>
void unite_cut_walks(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges,
                     const std::vector<OwnedRange<Id, forest>>& ranges, int threads) {
  struct Piece {
    const OwnedRange<Id, forest>* range;
    i64 begin, end;
  };
  std::vector<Piece> pieces;
  for (const auto& range : ranges) {
    for (i64 i = 0; i < range.walks(); i += cpu::chunk_arcs)
      pieces.push_back({&range, i, std::min(range.walks(), i + cpu::chunk_arcs)});
  }
  parallel_for(static_cast<i64>(pieces.size()), 1, threads, [&](i64 i, i64, int) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    UnionBuffer<Id, forest> batch(kernel, cells, tree_edges, false);
    piece.range->add_to(batch, piece.begin, piece.end);
  });
}

namespace {

// The edges of a list that are united edge by edge, in the order of the list. Once there have been enough for a large
// tree, the edges between two of its vertices are left out; it is looked for again each time that their number has
// doubled, while it still grows. Where a core's own cache holds the parents, there is no set of that tree: edges whose
// endpoints have one parent are left out, without a branch. A thread that finds few such edges looks for them in a
// fraction of its chunks.
template <class Id>
class Sifting {
 public:
  // vertices: of the graph, as far as is known before its edges are read. near: whether the cells of most chunks
  // lie close together: those are cached, and a walk of one step takes no longer than a look at both parents.
  Sifting(bool sifts, i64 vertices, bool near, int threads)
      : by_set_(LargestTree<Id>::pays(vertices)),
        until_(sifts && (by_set_ || !near) ? sifts_from * vertices : 0),
        workers_(static_cast<std::size_t>(threads)) {}

  // How many of so many edges, of which some are united, come before the trees are looked at again.
  i64 next(i64 united, i64 edges) const {
    const bool grows = !by_set_ || tree_.lets_through() > sifts_well;
    // With four edges for each vertex, comparing parents loses as much to flattening as it saves.
    const i64 pays_for = by_set_ ? until_ / 2 : 2 * until_;
    return until_ > 0 && grows && edges - until_ > pays_for ? std::max(united, until_) : edges;
  }
  void mark(const Kernel<Id>& kernel, const Cells<Id>& cells, i64 n, int threads) {
    parallel_in_order(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { kernel.flatten(cells, b, e); });
    if (by_set_) tree_.mark(SharedMemory<Id>(cells.parent), n, 1, threads);
    flat_ = true;
    until_ *= 2;
  }
  // Unites a chunk of edges, some of them cached already if `near`.
  template <class Unions>
  void add(Unions& unions, const IdArray& u, const IdArray& v, i64 begin, i64 end, bool near, bool any_id, int worker) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const bool sifts = by_set_ ? tree_.lets_through() < 1 : flat_;
    if (near || !sifts || own.rest > 0) {
      own.rest = std::max(0, own.rest - 1);
      unions.add_edges(u, v, begin, end, any_id);
      return;
    }
    const i64 added = by_set_ ? unions.add_joining_edges(tree_, u, v, begin, end, any_id)
                              : unions.add_parted_edges(u, v, begin, end, any_id);
    own.left_out += end - begin - added;
    if (2 * added > end - begin) own.rest = rests;
  }
  i64 left_out() const {
    i64 sum = 0;
    for (const Worker& own : workers_) sum += own.left_out;
    return sum;
  }

 private:
  static constexpr double sifts_well = 1.0 / 64;
  static constexpr int rests = 7;  // chunks
  struct alignas(64) Worker {
    int rest = 0;
    i64 left_out = 0;
  };
  LargestTree<Id> tree_;
  const bool by_set_;
  bool flat_ = false;  // whether paths have been shortened, so that most edges of one tree show as such
  i64 until_;
  std::vector<Worker> workers_;
};

// A list whose edges are united by several threads. admit(begin, end) is called for edges before they are united, by
// any thread; none are if it is false. any_id: there are cells for all ids that may be read.
template <class Id, bool forest>
struct EdgeList {
  using Unions = UnionBuffer<Id, forest>;
  const Kernel<Id>& kernel;
  const Cells<Id>& cells;
  const EdgeBits& tree_edges;
  const IdArray &u, &v;
  const i64 edges;
  const int threads;
  const bool any_id;
  const FunctionRef<bool(i64 begin, i64 end)> admit;

  EdgePart chunk(const EdgeDivision& division, i64 c) const {
    const i64 begin = c * cpu::chunk_arcs;
    return {begin, std::min(edges, begin + cpu::chunk_arcs), division.near[static_cast<std::size_t>(c)]};
  }
  EdgeBits bits_of(const EdgePart& part) const { return tree_edges.exclusive(part.begin, part.end); }
  void add(Unions& unions, const EdgePart& part) const {
    unions.near(part.near);
    unions.add_edges(u, v, part.begin, part.end, any_id);
  }

  // The owners of ranges unite the parts in `left`, those of each range. Parts most of whose edges had to be cut off
  // stay there. singletons: whether every vertex is a tree of its own. What owners have united is added to `pass`.
  void unite_owned(const EdgeDivision& division, std::vector<std::vector<EdgePart>>& left, bool singletons,
                   ListPass& pass) const {
    constexpr int most_failed = 2;  // parts in a row
    const auto number = static_cast<i64>(division.ranges.size());
    std::vector<OwnedRange<Id, forest>> ranges;
    for (const auto& r : division.ranges) ranges.emplace_back(r.begin, r.end, cut_limit(edges, number), singletons);
    parallel_for(number, 1, threads, [&](i64 r, i64, int) {
      auto& range = ranges[static_cast<std::size_t>(r)];
      std::vector<EdgePart> not_united;
      int failed = 0;
      for (EdgePart part : left[static_cast<std::size_t>(r)]) {
        stop_point();
        if (failed < most_failed) {
          if (!admit(part.begin, part.end)) return;
          Unions unions(kernel, cells, bits_of(part), range);
          const i64 look = std::min(part.end, part.begin + first_look);
          add(unions, {part.begin, look, part.near});
          part.begin = look;
          failed = range.goes_on() ? 0 : failed + 1;
          if (failed == 0) {
            add(unions, part);
            range.goes_on();
            continue;
          }
        }
        not_united.push_back(part);
      }
      range.unite_crossing(kernel, cells, tree_edges);
      left[static_cast<std::size_t>(r)] = std::move(not_united);
    });
    unite_cut_walks(kernel, cells, tree_edges, ranges, threads);
    for (const auto& range : ranges) pass.owned += range.edges() - range.walks(), pass.climbed += range.climbed();
  }
};

}  // namespace

template <class Id, bool forest>
ListPass unite_edge_list(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, const IdArray& u,
                         const IdArray& v, i64 edges, const EdgeDivision& division, int team, bool any_id, bool sifts,
                         bool by_time, FunctionRef<i64()> vertices, FunctionRef<bool(i64 begin, i64 end)> admit) {
  constexpr i64 most_left = 8;  // one edge in so many, before owners try again
  const EdgeList<Id, forest> list{kernel, cells, tree_edges, u, v, edges, team, any_id, admit};
  std::vector<std::vector<EdgePart>> left(division.ranges.size());
  for (std::size_t r = 0; r < left.size(); ++r) {
    for (const i64 c : division.ranges[r].chunks) left[r].push_back(list.chunk(division, c));
  }
  const auto edges_left = [&] {
    i64 sum = 0;
    for (const auto& parts : left) {
      for (const EdgePart& part : parts) sum += part.end - part.begin;
    }
    return sum;
  };
  ListPass pass;
  if (!left.empty()) list.unite_owned(division, left, true, pass);
  // Edges to a hub are cut off where its root belongs to another thread and is larger than what they lead to. Once some
  // of them are united, it is small.
  if (edges_left() > edges / most_left) list.unite_owned(division, left, false, pass);
  EdgeQueue shared(edges);
  for (const auto& parts : left) {
    for (const EdgePart& part : parts) shared.add(part);
  }
  if (left.empty()) {
    for (i64 c = 0; c < static_cast<i64>(division.near.size()); ++c) shared.add(list.chunk(division, c));
  } else {
    for (const i64 c : division.shared) shared.add(list.chunk(division, c));
  }
  const i64 all = shared.edges();
  const auto near = std::count(division.near.begin(), division.near.end(), true);
  Sifting<Id> sifting(sifts, vertices(), 2 * near > static_cast<i64>(division.near.size()), team);
  ThreadChoice choice(team, all, division.few, by_time, false, nearly_cached<Id>(vertices()));
  std::vector<BusyThread> busy(static_cast<std::size_t>(team));
  while (shared.edges() > 0) {
    const i64 united = all - shared.edges(), most = sifting.next(united, all) - united;
    if (most == 0) {
      sifting.mark(kernel, cells, vertices(), team);
      continue;
    }
    const int threads = choice.threads();
    auto next = shared.take(most <= choice.next() * 3 / 2 ? most : choice.next(), team);
    TurnBound bound(choice);
    parallel_for(static_cast<i64>(next.size()), 1, threads, [&](i64 i, i64, int worker) {
      EdgePart& place = next[static_cast<std::size_t>(i)];
      if (!bound.admits(place.end - place.begin)) return;
      const EdgePart part = std::exchange(place, {0, 0, false});
      const BusyThread::Turn turn(busy[static_cast<std::size_t>(worker)], part.end - part.begin);
      if (!admit(part.begin, part.end)) return;
      UnionBuffer<Id, forest> unions(kernel, cells, list.bits_of(part), threads == 1);
      unions.near(part.near);
      sifting.add(unions, u, v, part.begin, part.end, part.near, any_id, worker);
    });
    for (const EdgePart& part : next) shared.add(part);
    choice.add(all - shared.edges() - united, BusyThread::ns_of_edge(busy));
  }
  pass.left_out = sifting.left_out();
  return pass;
}

#define LB_INSTANTIATE(Id, forest)                                                                                    \
  template void unite_cut_walks<Id, forest>(const Kernel<Id>&, const Cells<Id>&, const EdgeBits&,                     \
                                            const std::vector<OwnedRange<Id, forest>>&, int);                         \
  template ListPass unite_edge_list<Id, forest>(const Kernel<Id>&, const Cells<Id>&, const EdgeBits&, const IdArray&, \
                                                const IdArray&, i64, const EdgeDivision&, int, bool, bool, bool,      \
                                                FunctionRef<i64()>, FunctionRef<bool(i64, i64)>);
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

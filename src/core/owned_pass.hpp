// Passes over edges in ranges of vertices with an owner each; see owned.hpp.
#pragma once
#include "components.hpp"
#include "edge_batches.hpp"
#include "interrupt.hpp"
#include "threads.hpp"

namespace lb::core {

// Whether threads own ranges of vertices: where the plan requests it and the kernel can.
template <class Id>
bool may_own(const Kernel<Id>& kernel, bool forest, int threads, bool owners) {
  const bool able = forest ? kernel.record_owned != nullptr : kernel.unite_owned != nullptr;
  return owners && able && threads > 1;
}

// The walks that were cut off, by compare and swap. No range has an owner any more.
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

// Unites the endpoints of all edges of a list, from vertices that are trees of their own. any_id: there are cells for
// all ids that may be read, also for those of other vertices (ReservedCells), and the kernel uses no other arrays.
// admit(begin, end) is called for edges before they are united, by any thread; none are if it is false. Returns how
// many edges their owners took.
template <class Id, bool forest, class Admit>
i64 unite_edge_list(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, const IdArray& u,
                    const IdArray& v, i64 edges, const EdgeDivision& division, int threads, bool any_id,
                    const Admit& admit) {
  using Range = OwnedRange<Id, forest>;
  constexpr int most_failed = 2;
  struct Part {
    i64 begin, end;
    bool near;
  };
  const auto part_of = [&](i64 chunk) {
    const i64 begin = chunk * cpu::chunk_arcs;
    return Part{begin, std::min(edges, begin + cpu::chunk_arcs), division.near[static_cast<std::size_t>(chunk)]};
  };
  const auto add = [&](UnionBuffer<Id, forest>& batch, const Part& part) {
    batch.near(part.near);
    batch.add_edges(u, v, part.begin, part.end, any_id);
  };
  std::vector<Range> ranges;
  const auto number = static_cast<i64>(division.ranges.size());
  for (const auto& r : division.ranges) ranges.emplace_back(r.begin, r.end, cut_limit(edges, number), true);
  std::vector<std::vector<Part>> left(ranges.size());  // left by their owners
  parallel_for(number, 1, threads, [&](i64 r, i64, int) {
    Range& range = ranges[static_cast<std::size_t>(r)];
    int failed = 0;  // chunks in a row most of whose edges had to be cut off
    for (const i64 chunk : division.ranges[static_cast<std::size_t>(r)].chunks) {
      stop_point();
      Part part = part_of(chunk);
      if (failed < most_failed) {
        if (!admit(part.begin, part.end)) return;
        UnionBuffer<Id, forest> batch(kernel, cells, tree_edges.exclusive(part.begin, part.end), range);
        const i64 look = std::min(part.end, part.begin + first_look);
        add(batch, {part.begin, look, part.near});
        part.begin = look;
        failed = range.goes_on() ? 0 : failed + 1;
        if (failed == 0) {
          add(batch, part);
          range.goes_on();
          continue;
        }
      }
      left[static_cast<std::size_t>(r)].push_back(part);
    }
    range.unite_crossing(kernel, cells, tree_edges);
  });
  std::vector<Part> shared;
  if (number > 0) {
    for (const auto& parts : left) shared.insert(shared.end(), parts.begin(), parts.end());
    for (const i64 chunk : division.shared) shared.push_back(part_of(chunk));
  } else {
    for (i64 c = 0; c < static_cast<i64>(division.near.size()); ++c) shared.push_back(part_of(c));
  }
  parallel_for(static_cast<i64>(shared.size()), 1, threads, [&](i64 i, i64, int) {
    const Part& part = shared[static_cast<std::size_t>(i)];
    if (!admit(part.begin, part.end)) return;
    UnionBuffer<Id, forest> batch(kernel, cells, tree_edges.exclusive(part.begin, part.end), threads == 1);
    add(batch, part);
  });
  unite_cut_walks(kernel, cells, tree_edges, ranges, threads);
  i64 owned = 0;
  for (const Range& range : ranges) owned += range.edges() - range.walks();
  return owned;
}

}  // namespace lb::core

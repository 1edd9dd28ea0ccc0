// Ranges of vertices with an owner each, as runs on CPU threads have them (src/core/owned.hpp): links inside a range,
// which no walk leaves, beside those of other threads; edges that lead out wait, and are watched then; so is every walk
// in a forest that has links. Inside a range an owner walks or climbs. What is cut off is united behind a barrier. A
// store to another thread's cell is an error, whatever becomes of it. Every rule that offers its walk a step at a time.
#pragma once
#include <algorithm>
#include <array>
#include <string>

#include "landbridge/cpu/schedule.hpp"
#include "owned.hpp"
#include "program.hpp"

namespace lb::explore {

// Bugs, for mutants.
enum RangeFlaw : unsigned {
  no_range_flaw = 0,
  never_watches = 1,      // a forest that has links counts as one of single vertices
  crosses_unwatched = 2,  // walks of edges that lead out of the range are not watched
  stores_unseen = 4       // a store to another thread's cell is no error of its own
};

// The vertices of a thread, a contiguous range.
inline cpu::OwnVertices<u64> range_of(const Engine& engine, int thread) {
  const auto n = static_cast<u64>(engine.graph().n), threads = static_cast<u64>(engine.graph().threads.size());
  const auto begin_of = [=](u64 t) { return (t * n + threads - 1) / threads; };
  const u64 begin = begin_of(static_cast<u64>(thread));
  return {begin, begin_of(static_cast<u64>(thread) + 1) - begin};
}

template <unsigned flaws>
struct OwnCells : CheckedMemory<u64> {
  using CheckedMemory<u64>::CheckedMemory;
  void store(Cell x, Cell v) const {
    Engine& engine = *Engine::current;
    if ((flaws & stores_unseen) == 0 && !range_of(engine, engine.thread()).has(x))
      engine.fail("vertex " + std::to_string(x) + " is stored to by a thread that does not own it");
    CheckedMemory<u64>::store(x, v);
  }
};

// A choice of the loop that is always the same one.
template <cpu::EdgeLoop loop>
struct OneLoop {
  static constexpr bool decides(i64) { return true; }
  template <class Deep, class Unite>
  void in_pieces(i64 count, cpu::Distance, const Deep&, const Unite& unite) {
    unite(0, count, loop, false);
  }
};

// What an owner calls, on checked cells.
template <class Link, cpu::EdgeLoop loop, unsigned flaws>
struct CheckedKernel {
  using Cells = core::Cells<u64>;
  using Own = cpu::OwnVertices<u64>;
  using Cut = cpu::CutWalks<u64>;
  static auto forest() {
    using M = SingleWriter<OwnCells<flaws>>;
    return Forest<M>{M(0), M(1)};
  }
  static auto callbacks(const core::ArcPositions& arcs) {
    return [&arcs](i64 i) { return RecordOp{static_cast<int>(arcs[i])}; };
  }
  static void inside(const Cells& cells, const u64* u, const u64* v, i64 count, const core::EdgeBits&,
                     const core::ArcPositions& arcs) {
    OneLoop<loop> choice;
    cpu::unite_pairs<Link>(forest(), u, v, count, cells.distance, &choice, callbacks(arcs));
  }
  static void owned(const Cells& cells, const Own& own, const u64* u, const u64* v, i64 count, const core::EdgeBits&,
                    const core::ArcPositions& arcs, Cut& cut) {
    cpu::unite_owned_pairs<Link>(forest(), own, u, v, count, cells.distance, callbacks(arcs), cut);
  }
  static void crossing(const Cells& cells, const Own&, const u64* u, const u64* v, i64 count,
                       const core::EdgeBits& bits, const core::ArcPositions& arcs, Cut&) {
    inside(cells, u, v, count, bits, arcs);
  }
  static core::Kernel<u64> kernel() {
    core::Kernel<u64> k{};
    k.record_inside = &inside;
    k.record_owned = (flaws & crosses_unwatched) != 0 ? &crossing : &owned;
    return k;
  }
};

template <class Link, cpu::EdgeLoop loop, unsigned flaws = no_range_flaw>
void run_ranges(Engine& engine, int thread) {
  using Range = core::OwnedRange<u64, true>;
  // Outside the fibers, which own no memory.
  static std::array<Range, max_threads> ranges;
  static const auto kernel = CheckedKernel<Link, loop, flaws>::kernel();
  const Case& c = engine.graph();
  bool singletons = true;
  for (int x = 0; x < c.n; ++x) singletons &= c.parent[static_cast<std::size_t>(x)] == x;

  std::array<u64, max_ops> u{}, v{};
  std::array<i64, max_ops> number{};
  i64 count = 0;
  for (const Op& op : engine.ops(thread)) {
    const auto i = static_cast<std::size_t>(count++);
    u[i] = static_cast<u64>(op.u), v[i] = static_cast<u64>(op.v), number[i] = op.number;
  }
  const auto own = range_of(engine, thread);
  const core::Cells<u64> cells{.distance = cpu::Distance::near};  // nothing is prefetched
  const i64 together = c.ops % 2 == 0 ? max_ops : 1;
  Range& range = ranges[static_cast<std::size_t>(thread)];
  range = Range(own.begin, own.begin + own.size, 0, singletons || (flaws & never_watches) != 0);
  for (i64 b = 0; b < count; b += together)
    range.unite(kernel, cells, u.data() + b, v.data() + b, std::min(together, count - b), {}, {0, number.data() + b});
  range.unite_crossing(kernel, cells, {});

  engine.barrier();
  struct Rest {
    void add(u64 x, u64 y, i64 arc) const {
      using M = CheckedMemory<u64>;
      Link::unite(Forest<M>{M(0), M(1)}, x, y, RecordOp{static_cast<int>(arc)});
    }
  } rest;
  range.add_to(rest, 0, range.walks());
}

// Appends two programs for every pairing of the link whose walk goes by steps.
template <template <class, class, class> class Link, class Read>
void add_ranges(std::vector<Program>& out, const char* link) {
  each_pairing<Link, Read>([&]<class Find, class SpliceRule>(const char* find, const char* splice) {
    using L = Link<Find, SpliceRule, Read>;
    if constexpr (L::steps && forbidden<Find, SpliceRule>(L::ranked) == nullptr) {
      const auto append = [&](const char* suffix, auto* body) {
        out.push_back(make_program<Link, Find, SpliceRule, Read>(link, find, splice));
        out.back().name += suffix;
        out.back().claims.queries = false;
        out.back().body = body;
      };
      append("+ranges+owners", &run_ranges<L, cpu::EdgeLoop::walks>);
      append("+ranges+owners+climbing", &run_ranges<L, cpu::EdgeLoop::climbs>);
    }
  });
}

}  // namespace lb::explore

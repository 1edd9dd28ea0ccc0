// Passes in which each vertex has a thread that owns it (landbridge/cpu/owned.hpp): the edges are united without
// compare and swap, what is cut off at another thread's vertices waits for the barrier, and is united as usual then.
// Every rule that offers its walk a step at a time.
#pragma once
#include "landbridge/cpu/owned.hpp"
#include "program.hpp"

namespace lb::explore {

// Bugs, for mutants.
enum OwnerFlaw : unsigned {
  no_owner_flaw = 0,
  writes_all = 1,    // every vertex counts as the thread's own
  forgets_cut = 2,   // what was cut off is not united
  defers_early = 4,  // what was cut off is united before the barrier
};

// The vertices of thread t: a contiguous range, or every other vertex, by the number of the case's operations.
struct OwnedByThread {
  u64 vertices, threads, thread;
  bool striped, everything;
  bool has(u64 x) const {
    if (everything) return true;
    return (striped ? x % threads : x * threads / vertices) == thread;
  }
};

template <class Link, unsigned flaws = no_owner_flaw>
void run_owned(Engine& engine, int thread) {
  using M = CheckedMemory<u64>;
  using Own = SingleWriter<M>;
  const Forest<Own> forest{Own(0), Own(1)};
  const Forest<M> shared{M(0), M(1)};
  const auto threads = engine.graph().threads.size();
  const OwnedByThread own{static_cast<u64>(engine.graph().n), threads, static_cast<u64>(thread),
                          engine.graph().ops % 2 != 0, (flaws & writes_all) != 0};
  std::array<u64, max_ops> x{}, y{};
  std::array<int, max_ops> number{};
  std::size_t cut = 0;
  for (const Op& op : engine.ops(thread)) {
    if (op.query) continue;
    cpu::unite_owned<Link>(forest, own, static_cast<u64>(op.u), static_cast<u64>(op.v), RecordOp{op.number},
                           [&](u64 a, u64 b) {
                             x[cut] = a;
                             y[cut] = b;
                             number[cut++] = op.number;
                           });
  }
  if constexpr ((flaws & defers_early) == 0) engine.barrier();
  if constexpr ((flaws & forgets_cut) == 0) {
    for (std::size_t i = 0; i < cut; ++i) Link::unite(shared, x[i], y[i], RecordOp{number[i]});
  }
}

template <class Link, unsigned flaws = no_owner_flaw>
void owned(Program& p) {
  p.claims.queries = false;
  p.body = &run_owned<Link, flaws>;
}

// Appends a program for every pairing of the link whose walk goes by steps.
template <template <class, class, class> class Link, class Read>
void add_owners(std::vector<Program>& out, const char* link) {
  each_pairing<Link, Read>([&]<class Find, class SpliceRule>(const char* find, const char* splice) {
    using L = Link<Find, SpliceRule, Read>;
    if constexpr (L::steps && forbidden<Find, SpliceRule>(L::ranked) == nullptr) {
      out.push_back(make_program<Link, Find, SpliceRule, Read>(link, find, splice));
      out.back().name += "+owners";
      owned<L>(out.back());
    }
  });
}

}  // namespace lb::explore

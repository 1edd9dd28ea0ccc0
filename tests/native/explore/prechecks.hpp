// Batches with a same-parent pre-check (landbridge/phase/precheck.hpp), as large batches of a stream have it: callers
// hang vertices higher up, beside each other and beside the links and questions of others, check the parents of all
// their edges, and unite those whose endpoints did not share one.
#pragma once
#include "landbridge/phase/precheck.hpp"
#include "program.hpp"

namespace lb::explore {

struct Shortened {
  template <class M>
  static void shorten(const M& m, u64 v) {
    phase::shorten(m, v);
  }
};

// The first caller shortens all paths, the others those of their own edges.
template <class Link, class Find, class Shorten = Shortened>
void run_prechecked(Engine& engine, int thread) {
  using M = CheckedMemory<u64>;
  const Forest<M> forest{M(0), M(1)};
  std::array<u64, max_ops> u, v;
  int count = 0;
  for (const Op& op : engine.ops(thread)) {
    if (op.query) continue;
    u[static_cast<std::size_t>(count)] = static_cast<u64>(op.u);
    v[static_cast<std::size_t>(count++)] = static_cast<u64>(op.v);
  }
  for (int x = 0; thread == 0 && x < engine.graph().n; ++x) Shorten::shorten(forest.parent, static_cast<u64>(x));
  for (std::size_t i = 0; thread != 0 && i < static_cast<std::size_t>(count); ++i) {
    Shorten::shorten(forest.parent, u[i]);
    Shorten::shorten(forest.parent, v[i]);
  }
  u64 open = phase::differing(forest.parent, u.data(), v.data(), count);
  phase::UniteRun<Link, Forest<M>> run(forest);
  for (const Op& op : engine.ops(thread)) {
    engine.begin(op);
    const auto a = static_cast<u64>(op.u), b = static_cast<u64>(op.v);
    if (op.query) {
      engine.end_query(op, phase::same<Find>(forest.parent, a, b));
      continue;
    }
    if ((open & 1) != 0) run.edge(a, b, RecordOp{op.number});
    open >>= 1;
    engine.end_union(op);
  }
}

// Appends a program with a pre-check for every pairing of a link with rules that a stream may mix with questions.
template <template <class, class, class> class Link>
void add_prechecks(std::vector<Program>& out, const char* link) {
  each_pairing<Link, Fresh>([&]<class Find, class SpliceRule>(const char* find, const char* splice) {
    using L = Link<Find, SpliceRule, Fresh>;
    if constexpr (!L::ranked && forbidden<Find, SpliceRule>(false) == nullptr && separated<SpliceRule>() == nullptr) {
      out.push_back(make_program<Link, Find, SpliceRule, Fresh>(link, find, splice));
      Program& p = out.back();
      p.name += "+precheck";
      p.brief = 2;
      p.claims.blind_store = true;
      p.body = &run_prechecked<L, Find>;
    }
  });
}

}  // namespace lb::explore

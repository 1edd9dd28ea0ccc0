// Programs: what the explorer runs. One for every pairing of link, find and splice of registry.def with each
// strength of read, and the mutants: rules with a planted bug, which the explorer has to find.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "checked.hpp"
#include "landbridge/phase/query.hpp"
#include "landbridge/phase/unite.hpp"
#include "landbridge/policy/rules.hpp"

namespace lb::explore {

// What a standalone algorithm begins with.
enum class Start { singletons, stars, forest };

struct Program {
  std::string name;  // "rem_cas(naive,split_one)"
  std::string link, find, splice;
  bool stale = false;               // its reads are stale ones
  Claims claims;                    // by the traits of its rules
  const char* reason = nullptr;     // why registry.def forbids it, or the planted bug
  bool standalone = false;          // edges are those of all threads together
  Start start = Start::singletons;  // what such an algorithm goes on from
  int brief = 0;                    // unless 0, its runs are long, and this many preemptions are enough in small cases
  Engine::Body body = nullptr;
};

struct RecordOp {
  int op;
  template <class Id>
  void operator()(Id root) const {
    Engine::current->linked(root, op);
  }
};

// The body of a thread: what an engine does with a batch of edges, with questions between them.
template <class Link, class Find, class Read>
void run_thread(Engine& engine, int thread) {
  using M = std::conditional_t<Link::ranked, CheckedMemory<u64, RankedCell>, CheckedMemory<u64>>;
  const Forest<M> forest{M(0), M(1)};
  phase::UniteRun<Link, Forest<M>> run(forest);
  for (const Op& op : engine.ops(thread)) {
    engine.begin(op);
    const auto u = static_cast<u64>(op.u);
    const auto v = static_cast<u64>(op.v);
    if (op.query) {
      engine.end_query(op, phase::same<Find, Read>(forest.parent, u, v));
    } else {
      run.edge(u, v, RecordOp{op.number});
      engine.end_union(op);
    }
  }
}

// registry.def once more, with a strength of read in place of the default.
#define LB_FIND(name, code, Type, ...) , find::Type<Read>
template <class Read>
using FindsReading = Rest<TypeList<void
#include "landbridge/policy/registry.def"
                                   >>;
#define LB_SPLICE(name, code, Type, ...) , splice::Type<Read>
template <class Read>
using SplicesReading = Rest<TypeList<void
#include "landbridge/policy/registry.def"
                                     >>;

template <template <class, class, class> class Link, class Find, class SpliceRule, class Read>
Program make_program(const char* link, const char* find, const char* splice) {
  using L = Link<Find, SpliceRule, Read>;
  Program p;
  p.link = link;
  p.find = find;
  p.splice = splice;
  p.name = p.link + "(" + p.find + (p.splice.empty() ? "" : "," + p.splice) + ")";
  p.stale = Read::may_be_old;
  p.claims.ranked = L::ranked;
  p.claims.blind_store = Find::blind_store;
  p.claims.moves_subtrees = SpliceRule::moves_subtrees;
  p.claims.forest = no_forest<SpliceRule>() == nullptr;
  p.claims.queries = separated<SpliceRule>() == nullptr;
  p.reason = forbidden<Find, SpliceRule>(L::ranked);
  p.body = &run_thread<L, Find, Read>;
  return p;
}

// visit.operator()<Find, SpliceRule>(find, splice) for every pairing of a link with the rules that read its kind of
// cells, the forbidden ones included.
template <template <class, class, class> class Link, class Read, class Visit>
void each_pairing(const Visit& visit) {
  using Any = Link<find::Naive<>, splice::SplitOne<>, Fresh>;
  int f = 0;
  const auto with_find = [&]<class Find>() {
    const char* find = find_names[f++];
    if constexpr (Any::ranked ? Find::ranked_cells : Find::plain_cells) {
      if constexpr (Any::spliced) {
        [&]<class... SpliceRule>(TypeList<SpliceRule...>*) {
          int s = 0;
          (visit.template operator()<Find, SpliceRule>(find, splice_names[s++]), ...);
        }(static_cast<SplicesReading<Read>*>(nullptr));
      } else {
        visit.template operator()<Find, splice::NoSplice>(find, "");
      }
    }
  };
  [&]<class... Find>(TypeList<Find...>*) {
    (with_find.template operator()<Find>(), ...);
  }(static_cast<FindsReading<Read>*>(nullptr));
}

// Appends a program for each of them.
template <template <class, class, class> class Link, class Read>
void add_programs(std::vector<Program>& out, const char* link) {
  each_pairing<Link, Read>([&]<class Find, class SpliceRule>(const char* find, const char* splice) {
    out.push_back(make_program<Link, Find, SpliceRule, Read>(link, find, splice));
  });
}

// Every program of the registry, and the mutants.
const std::vector<Program>& registry_programs();
const std::vector<Program>& mutants();
// The same of the standalone algorithms in rounds that are written for any executor.
const std::vector<Program>& system_programs();
const std::vector<Program>& system_mutants();
// And of the rules that work in rounds.
const std::vector<Program>& round_programs();
const std::vector<Program>& round_mutants();
// Batches of a stream in rounds, and questions after them.
const std::vector<Program>& stream_programs();
const std::vector<Program>& stream_mutants();

}  // namespace lb::explore

// Batches of a stream in rounds, as the engines run them: edges are relabelled by the roots of their ends, the roots
// they name are listed, rounds run over both, and questions are asked when all is done. Every row of axis round that is
// root-based.
#include "labels.hpp"
#include "landbridge/phase/query.hpp"
#include "landbridge/phase/vertex.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// early_questions: they are asked beside the rounds, which is a bug.
template <class Rule, bool early_questions>
void run_batch(Engine& engine, int thread) {
  Crew<2, system::GridVote> crew(engine, thread);
  Turn turn;
  const round::Labels<Now, Old> labels{Now(&turn), Old(&turn)};
  const Part roots = crew.cells(1);
  std::array<u64, max_threads * max_ops> u, v;
  turn.step = Turn::listing;
  const auto name = [&](u64 root) {
    if (labels.old.load(root) != none<u64>) return;
    if (labels.old.compare_exchange(root, none<u64>, root) == none<u64>) crew.append(roots, root);
  };
  crew.some(crew.edges(), [&](i64 i) {
    const auto e = static_cast<std::size_t>(i);
    u[e] = phase::compress(labels.now, crew.u(i));
    v[e] = phase::compress(labels.now, crew.v(i));
    if (u[e] != v[e]) name(u[e]), name(v[e]);
    return false;
  });
  const i64 named = crew.appended();
  const auto pairs = [&](const auto& visit) {
    return crew.some(crew.edges(), [&](i64 i) {
      const auto e = static_cast<std::size_t>(i);
      return u[e] != v[e] && visit(u[e], v[e], i);
    });
  };
  const auto each_root = [&](const auto& visit) {
    turn.step = Turn::passing;
    return crew.some(named, [&](i64 i) {
      turn.vertex = roots.load(static_cast<u64>(i));
      return visit(turn.vertex);
    });
  };
  const auto questions = [&] {
    for (const Op& op : engine.ops(thread)) {
      if (!op.query) continue;
      engine.begin(op);
      engine.end_query(op, phase::same<find::Compress<>>(Part(0, 0), static_cast<u64>(op.u), static_cast<u64>(op.v)));
    }
  };
  if constexpr (early_questions) {
    crew.some(crew.edges(), [&](i64 i) {
      engine.begin_union(crew.number(i));
      return false;
    });
  }
  for (bool works = true; works;) {
    turn.step = Turn::connecting;
    const bool fell = pairs([&](u64 a, u64 b, i64) { return Rule::connect(labels, a, b); });
    if constexpr (early_questions) questions();
    works = crew.vote(fell);
    turn.step = Turn::claiming;
    pairs([&](u64 a, u64 b, i64 e) {
      Rule::claim(labels, a, b, [&](u64 root) { engine.hooked(root, crew.number(e)); });
      return false;
    });
    crew.vote(false);
    works |= crew.vote(each_root([&](u64 root) { return Rule::template pass<0>(labels, root); }));
    if constexpr (Rule::rewrites) {
      turn.step = Turn::connecting;
      pairs([&](u64, u64, i64 i) {
        const auto e = static_cast<std::size_t>(i);
        phase::rewrite(labels, u[e], v[e]);
        return false;
      });
    }
  }
  each_root([&](u64 root) {
    phase::compress(labels.now, root);
    labels.old.store(root, none<u64>);
    return false;
  });
  for (const Op& op : engine.ops(thread)) {
    if (!op.query) engine.end_union(op);
  }
  crew.vote(false);
  if constexpr (!early_questions) questions();
}

template <class Rule, bool early_questions = false>
Program program(std::string name, const char* planted = nullptr) {
  Program p;
  p.name = std::move(name);
  p.whole = true;
  p.start = Start::forest;
  p.claims = {.moves_subtrees = true, .forest = true, .queries = true};
  p.reason = planted;
  p.body = &run_batch<Rule, early_questions>;
  return p;
}

}  // namespace

const std::vector<Program>& stream_programs() {
  static const auto table = [] {
    std::vector<Program> t;
    each_rule([&]<class Rule>(const std::string& name) {
      if constexpr (Rule::forbidden == nullptr && Rule::root_based) t.push_back(program<Rule>(name + "+stream"));
    });
    return t;
  }();
  return table;
}

const std::vector<Program>& stream_mutants() {
  static const std::vector<Program> table = {
      program<round::RoundOf<round::ShiloachVishkin>, true>("early_questions",
                                                            "questions beside rounds, which cut trees for a while"),
  };
  return table;
}

}  // namespace lb::explore

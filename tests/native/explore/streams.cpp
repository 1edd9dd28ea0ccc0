// Batches of a stream in rounds, as the engines run them: edges are relabelled by the roots of their endpoints, these
// roots are listed, rounds run over both, and questions are asked when the batch has ended. Every row of axis round
// that is root-based.
#include "labels.hpp"
#include "landbridge/phase/query.hpp"
#include "landbridge/phase/vertex.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// queries_beside_rounds: which is a bug.
template <class Rule, bool queries_beside_rounds>
void run_batch(Engine& engine, int thread) {
  FiberExecutor<2, system::GridVote> executor(engine, thread);
  Turn turn;
  const round::Labels<Now, Old> labels{Now(&turn), Old(&turn)};
  const ArraySlice roots = executor.cells(1);
  std::array<u64, max_threads * max_ops> u, v;
  turn.step = Turn::listing;
  const auto list = [&](u64 root) {
    if (labels.old.load(root) != none<u64>) return;
    if (labels.old.compare_exchange(root, none<u64>, root) == none<u64>) executor.append(roots, root);
  };
  executor.some(executor.edges(), [&](i64 i) {
    const auto e = static_cast<std::size_t>(i);
    u[e] = phase::compress(labels.now, executor.u(i));
    v[e] = phase::compress(labels.now, executor.v(i));
    if (u[e] != v[e]) list(u[e]), list(v[e]);
    return false;
  });
  const i64 listed = executor.appended();
  const auto pairs = [&](const auto& visit) {
    return executor.some(executor.edges(), [&](i64 i) {
      const auto e = static_cast<std::size_t>(i);
      return u[e] != v[e] && visit(u[e], v[e], i);
    });
  };
  const auto each_root = [&](const auto& visit) {
    turn.step = Turn::passing;
    return executor.some(listed, [&](i64 i) {
      turn.vertex = roots.load(static_cast<u64>(i));
      return visit(turn.vertex);
    });
  };
  const auto questions = [&] {
    for (const Op& op : engine.ops(thread)) {
      if (!op.query) continue;
      engine.begin(op);
      engine.end_query(op,
                       phase::same<find::Compress<>>(ArraySlice(0, 0), static_cast<u64>(op.u), static_cast<u64>(op.v)));
    }
  };
  if constexpr (queries_beside_rounds) {
    executor.some(executor.edges(), [&](i64 i) {
      engine.begin_union(executor.number(i));
      return false;
    });
  }
  for (bool works = true; works;) {
    turn.step = Turn::connecting;
    const bool changed = pairs([&](u64 a, u64 b, i64) { return Rule::connect(labels, a, b); });
    if constexpr (queries_beside_rounds) questions();
    works = executor.vote(changed);
    turn.step = Turn::claiming;
    pairs([&](u64 a, u64 b, i64 e) {
      Rule::claim(labels, a, b, [&](u64 root) { engine.linked(root, executor.number(e)); });
      return false;
    });
    executor.vote(false);
    works |= executor.vote(each_root([&](u64 root) { return Rule::template pass<0>(labels, root); }));
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
  executor.vote(false);
  if constexpr (!queries_beside_rounds) questions();
}

template <class Rule, bool queries_beside_rounds = false>
Program program(std::string name, const char* planted = nullptr) {
  Program p;
  p.name = std::move(name);
  p.standalone = true;
  p.start = Start::forest;
  p.claims = {.moves_subtrees = true, .forest = true, .queries = true};
  p.reason = planted;
  p.body = &run_batch<Rule, queries_beside_rounds>;
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
      program<round::RoundOf<round::ShiloachVishkin>, true>("queries_beside_rounds",
                                                            "questions beside rounds, which cut trees for a while"),
  };
  return table;
}

}  // namespace lb::explore

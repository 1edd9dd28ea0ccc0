// Algorithms in rounds (landbridge/policy/round.hpp), every sound choice of words of every row of axis round: on COO,
// and on CSR from a forest of stars whose largest tree is skipped, as the engines run them. What runs here is the
// weakest executor the contract allows: a barrier after connect and after every pass, and nowhere else.
#include "labels.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// Bugs of the executor, for mutants.
enum Flaw : unsigned {
  no_flaw = 0,
  early_passes = 1,   // no barrier between connect and the passes
  early_rewrite = 2,  // edges take the labels of their endpoints while other threads still shorten
  no_relabel = 4,     // the tree that is skipped keeps its label, though smaller ones exist
  early_claims = 8,   // roots are claimed while other threads still connect
};

// How a program runs its rule.
enum Manner : unsigned {
  on_coo = 0,
  on_csr = 1,      // the star of the smallest label is skipped, and every edge is two arcs
  lists_edges = 2  // the edges that made roots children are recorded
};

// Which vertices lie outside the star that is skipped: all of them where edges are not read from a CSR. `largest`
// skips the largest star instead of that of vertex 0.
std::array<bool, max_vertices> outside_of_star(const Case& c, bool csr, bool largest) {
  int skip = 0, most = 0;
  for (int root = 0; root < c.n && largest; ++root) {
    int members = 0;
    for (int v = 0; v < c.n; ++v) members += c.parent[static_cast<std::size_t>(v)] == root ? 1 : 0;
    if (members > most) most = members, skip = root;
  }
  std::array<bool, max_vertices> outside{};
  for (int v = 0; v < c.n; ++v) {
    outside[static_cast<std::size_t>(v)] = !csr || c.parent[static_cast<std::size_t>(v)] != skip;
  }
  return outside;
}

// Visits the arcs of one vertex, those of the edges of the stars with a negative number; whether any visit changed a
// label.
template <class Executor, class Visit>
bool visit_arcs(Executor& executor, const Case& c, u64 from, const Visit& visit) {
  bool changed = false;
  const auto both = [&](u64 a, u64 b, int number) {
    if (a == from) changed |= visit(from, b, number);
    if (b == from) changed |= visit(from, a, number);
  };
  for (i64 e = 0; e < executor.edges(); ++e) both(executor.u(e), executor.v(e), executor.number(e));
  for (int w = 0; w < c.n; ++w) {
    const int root = c.parent[static_cast<std::size_t>(w)];
    if (root != w) both(static_cast<u64>(w), static_cast<u64>(root), -1);
  }
  return changed;
}

template <class Rule, unsigned manner, unsigned flaws = no_flaw, template <class> class Vote = system::GridVote>
void run_rounds(Engine& engine, int thread) {
  FiberExecutor<1, Vote> executor(engine, thread);
  Turn turn;
  const round::Labels<Now, Old> labels{Now(&turn), Old(&turn)};
  constexpr bool csr = (manner & on_csr) != 0;
  const Case& c = engine.graph();
  const auto outside = outside_of_star(c, csr, (flaws & no_relabel) != 0);
  // Edges of this thread, which rules may rewrite.
  std::array<u64, max_threads * max_ops> u, v;
  for (i64 e = 0; e < executor.edges(); ++e) {
    u[static_cast<std::size_t>(e)] = executor.u(e);
    v[static_cast<std::size_t>(e)] = executor.v(e);
  }
  // This thread's edges and arcs: visit(u, v, number), the number negative for the edges of the stars.
  const auto pairs = [&](const auto& visit) {
    return executor.some(executor.edges(), [&](i64 i) {
      const auto e = static_cast<std::size_t>(i);
      return !(Rule::rewrites && u[e] == v[e]) && visit(u[e], v[e], executor.number(i));
    });
  };
  const auto arcs = [&](const auto& visit) {
    return executor.some(executor.vertices(), [&](i64 x) {
      const u64 from = static_cast<u64>(x);
      if (!outside[from] || (Rule::selective && !Rule::active(labels, from))) return false;
      return visit_arcs(executor, c, from, visit);
    });
  };
  const auto edges = [&](const auto& visit) {
    if constexpr (csr)
      return arcs(visit);
    else
      return pairs(visit);
  };
  const auto vertices = [&](const auto& visit) {
    turn.step = Turn::passing;
    return executor.some(executor.vertices(), [&](i64 i) {
      turn.vertex = static_cast<u64>(i);
      return outside[turn.vertex] && visit(turn.vertex);
    });
  };
  executor.each(executor.vertices(), [&](i64 i) {
    turn.vertex = static_cast<u64>(i);
    Rule::begin(labels, turn.vertex);
  });
  for (bool works = true; works;) {
    turn.step = Turn::connecting;
    bool changed = edges([&](u64 a, u64 b, int) { return Rule::connect(labels, a, b); });
    works = false;
    const auto meet = [&] {
      works |= executor.vote(changed);
      changed = false;
    };
    if constexpr ((flaws & (early_passes | early_claims)) == 0) meet();
    if constexpr ((manner & lists_edges) != 0) {
      turn.step = Turn::claiming;
      edges([&](u64 a, u64 b, int number) {
        Rule::claim(labels, a, b, [&](u64 root) {
          if (number < 0) engine.fail("an edge inside a tree is recorded");
          engine.linked(root, number);
        });
        return false;
      });
      meet();
    }
    if constexpr (Rule::passes > 0) {
      changed |= vertices([&](u64 x) { return Rule::template pass<0>(labels, x); });
      if constexpr ((flaws & early_rewrite) == 0) meet();
    }
    if constexpr (Rule::passes > 1) {
      changed |= vertices([&](u64 x) { return Rule::template pass<1>(labels, x); });
      meet();
    }
    if constexpr (Rule::rewrites) {
      // Only reads: between them and the next connect, which writes other cells, no barrier is needed.
      turn.step = Turn::connecting;
      executor.some(executor.edges(), [&](i64 i) {
        const auto e = static_cast<std::size_t>(i);
        if (u[e] != v[e]) phase::rewrite(labels, u[e], v[e]);
        return false;
      });
      if constexpr ((flaws & early_rewrite) != 0) meet();
    }
  }
}

template <class Rule, unsigned manner, unsigned flaws = no_flaw, template <class> class Vote = system::GridVote>
Program program(std::string name, const char* planted = nullptr) {
  constexpr bool forest = (manner & lists_edges) != 0;
  Program p;
  p.name = std::move(name);
  p.standalone = true;
  p.start = (manner & on_csr) != 0 ? Start::stars : Start::singletons;
  p.claims = {.moves_subtrees = true, .links = forest, .forest = forest};
  p.reason = planted;
  p.body = &run_rounds<Rule, manner, flaws, Vote>;
  return p;
}

// ---- mutants

// Takes a smaller label with a plain store.
struct Storing {
  static constexpr bool root_based = false;
  template <class L>
  static bool offer(const L& l, typename L::Id x, typename L::Id y) {
    if (y >= l.now.load(x)) return false;
    l.now.store(x, y);
    return true;
  }
};

// Reports no shortcut.
struct UnreportedOnce {
  template <class L>
  static bool shorten(const L& l, typename L::Id v) {
    round::Once::shorten(l, v);
    return false;
  }
};

// Moves up to the old label of its parent, which may be larger than a label that the vertex has got since.
struct RaisingOnce {
  template <class L>
  static bool shorten(const L& l, typename L::Id v) {
    const auto p = l.old.load(v);
    const auto g = l.now.load(p);
    const bool moves = g != l.now.load(v);
    if (moves) l.now.store(v, g);
    l.old.store(v, g);
    return moves;
  }
};

// The first edge that offers a root any smaller label claims it, though the label of another may win.
struct ClaimByFirstEdge {
  template <class C>
  static bool offer(const C& c, typename C::Id x, typename C::Id) {
    if (c.old.load(x) != x || c.now.load(x) == x || !c.old.claim(x)) return false;
    c.on_link(x);
    return true;
  }
};

// Every edge that offered a root its label claims it, and there may be two.
struct ClaimWithoutSwap {
  template <class C>
  static bool offer(const C& c, typename C::Id x, typename C::Id y) {
    if (c.old.load(x) != x || c.now.load(x) != y) return false;
    c.on_link(x);
    return true;
  }
};

// A rule with another claim.
template <class Rule, class Connect, class Offer>
struct Claimed : Rule {
  template <class L, class OnLink>
  static void claim(const L& l, typename L::Id u, typename L::Id v, const OnLink& on_link) {
    using Old = decltype(l.old);
    Connect::template propagate<Offer>(round::Claims<L, OnLink>{l.now, round::Claimable<Old>(l.old), on_link}, u, v);
  }
};

}  // namespace

const std::vector<Program>& round_programs() {
  static const auto table = [] {
    std::vector<Program> t;
    each_rule([&]<class Rule>(const std::string& name) {
      // Where only roots take labels these are the same rounds under another name, and as sound.
      constexpr bool twin = Rule::updates_endpoints && Rule::root_based;
      if constexpr (Rule::forbidden == nullptr || twin) {
        t.push_back(program<Rule, on_coo>(name));
        if constexpr (!Rule::rewrites) t.push_back(program<Rule, on_csr>(name + "+skip"));
        // The same rounds as with a root update leave a forest, too, though that plan is refused.
        if constexpr (Rule::moves_trees && !twin) {
          t.push_back(program<Rule, on_coo | lists_edges>(name + "+forest"));
          if constexpr (!Rule::rewrites) t.push_back(program<Rule, on_csr | lists_edges>(name + "+skip+forest"));
        }
      }
    });
    return t;
  }();
  return table;
}

const std::vector<Program>& round_mutants() {
  using namespace round;
  static const auto table = [] {
    std::vector<Program> t;
    each_rule([&]<class Rule>(const std::string& name) {
      constexpr bool twin = Rule::updates_endpoints && Rule::root_based;
      if constexpr (Rule::forbidden != nullptr && !twin) t.push_back(program<Rule, on_coo>(name, Rule::forbidden));
      if constexpr (Rule::forbidden == nullptr && !Rule::rewrites && Rule::updates_endpoints) {
        t.push_back(program<Rule, on_csr, no_relabel>(name + "+skip+own_label",
                                                      "skips a tree that does not have the smallest label"));
      }
      if constexpr (Rule::forbidden == nullptr && Rule::claims && !Rule::moves_trees) {
        t.push_back(program<Rule, on_coo | lists_edges>(name + "+forest", Rule::no_forest));
      }
      if constexpr (Rule::selective) {
        t.push_back(
            program<Rule, on_coo, early_passes>(name + "+early_passes", "no barrier between connect and the pass"));
      }
    });
    t.push_back(
        program<Round<Parent, Storing, Once, Keep>, on_coo>("update_by_store", "a store where a minimum is needed"));
    t.push_back(program<Round<Parent, Any, Once, Keep>, on_coo, early_passes>("shortcut_before_barrier",
                                                                              "no barrier before the shortcut"));
    t.push_back(program<Round<Direct, Any, Once, Alter>, on_coo, early_rewrite>("alter_before_barrier",
                                                                                "no barrier before edges are altered"));
    t.push_back(program<Round<Parent, Any, UnreportedOnce, Keep>, on_coo>("shortcut_not_reported",
                                                                          "rounds end though vertices still move"));
    t.push_back(program<Round<Endpoints, Any, RaisingOnce, Keep>, on_coo>("shortcut_raises_label",
                                                                          "moves to the old label of its parent"));
    t.push_back(program<Round<Parent, Any, Full, Keep>, on_coo, no_flaw, VoteBeforeBarrier>(
        "rounds_vote_before_barrier", "the fixpoint is tested before the barrier"));
    using Rooted = Round<Parent, Root, Full, Keep>;
    t.push_back(program<Claimed<Rooted, Parent, ClaimByFirstEdge>, on_coo | lists_edges>(
        "claim_by_first_edge", "the first edge that offers a label claims the root, not the one whose label it has"));
    t.push_back(program<Claimed<Rooted, Parent, ClaimWithoutSwap>, on_coo | lists_edges>("claim_without_swap",
                                                                                         "claims without a swap"));
    t.push_back(program<Rooted, on_coo | lists_edges, early_claims>("claim_before_barrier",
                                                                    "no barrier between connect and claims"));
    return t;
  }();
  return table;
}

}  // namespace lb::explore

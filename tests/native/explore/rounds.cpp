// Algorithms in rounds (landbridge/policy/round.hpp), every sound choice of words of every row of axis round: on pairs,
// and on rows from a forest of stars whose largest tree is skipped, as the engines run them. What runs here is the
// barest machine the contract allows: threads meet after connect and after every pass, and nowhere else.
#include "labels.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// Bugs of the machine, for mutants.
enum Flaw : unsigned {
  no_flaw = 0,
  early_passes = 1,  // nobody waits between connect and the passes
  early_names = 2,   // edges take the labels of their ends while others still shorten
  late_names = 4,    // the tree that is skipped keeps its name, though smaller ones exist
  early_claims = 8,  // roots are claimed while others still connect
};

// How a program runs its rule.
enum Manner : unsigned {
  on_pairs = 0,
  on_rows = 1,     // the star of the smallest name is skipped, and every edge is two arcs
  names_edges = 2  // the edges that cost roots their places are named
};

template <class Rule, unsigned manner, unsigned flaws = no_flaw, template <class> class Vote = system::GridVote>
void run_rounds(Engine& engine, int thread) {
  Crew<1, Vote> crew(engine, thread);
  Turn turn;
  const round::Labels<Now, Old> labels{Now(&turn), Old(&turn)};
  constexpr bool rows = (manner & on_rows) != 0;
  std::array<bool, max_vertices> outside;
  const Case& c = engine.graph();
  int skip = 0, most = 0;
  for (int root = 0; root < c.n && (flaws & late_names) != 0; ++root) {
    int members = 0;
    for (int v = 0; v < c.n; ++v) members += c.parent[static_cast<std::size_t>(v)] == root ? 1 : 0;
    if (members > most) most = members, skip = root;
  }
  for (int v = 0; v < c.n; ++v) {
    outside[static_cast<std::size_t>(v)] = !rows || c.parent[static_cast<std::size_t>(v)] != skip;
  }
  // Edges of this thread, which rules may rewrite.
  std::array<u64, max_threads * max_ops> u, v;
  for (i64 e = 0; e < crew.edges(); ++e) {
    u[static_cast<std::size_t>(e)] = crew.u(e);
    v[static_cast<std::size_t>(e)] = crew.v(e);
  }
  // This thread's edges and arcs: visit(u, v, number), the number negative for what made the stars, which are edges,
  // too.
  const auto pairs = [&](const auto& visit) {
    return crew.some(crew.edges(), [&](i64 i) {
      const auto e = static_cast<std::size_t>(i);
      return !(Rule::rewrites && u[e] == v[e]) && visit(u[e], v[e], crew.number(i));
    });
  };
  const auto arcs = [&](const auto& visit) {
    return crew.some(crew.vertices(), [&](i64 x) {
      const u64 from = static_cast<u64>(x);
      if (!outside[from] || (Rule::selective && !Rule::active(labels, from))) return false;
      bool fell = false;
      const auto both = [&](u64 a, u64 b, int number) {
        if (a == from) fell |= visit(from, b, number);
        if (b == from) fell |= visit(from, a, number);
      };
      for (i64 e = 0; e < crew.edges(); ++e) both(crew.u(e), crew.v(e), crew.number(e));
      for (int w = 0; w < c.n; ++w) {
        const int root = c.parent[static_cast<std::size_t>(w)];
        if (root != w) both(static_cast<u64>(w), static_cast<u64>(root), -1);
      }
      return fell;
    });
  };
  const auto edges = [&](const auto& visit) {
    if constexpr (rows)
      return arcs(visit);
    else
      return pairs(visit);
  };
  const auto vertices = [&](const auto& visit) {
    turn.step = Turn::passing;
    return crew.some(crew.vertices(), [&](i64 i) {
      turn.vertex = static_cast<u64>(i);
      return outside[turn.vertex] && visit(turn.vertex);
    });
  };
  crew.each(crew.vertices(), [&](i64 i) {
    turn.vertex = static_cast<u64>(i);
    Rule::begin(labels, turn.vertex);
  });
  for (bool works = true; works;) {
    turn.step = Turn::connecting;
    bool fell = edges([&](u64 a, u64 b, int) { return Rule::connect(labels, a, b); });
    works = false;
    const auto meet = [&] {
      works |= crew.vote(fell);
      fell = false;
    };
    if constexpr ((flaws & (early_passes | early_claims)) == 0) meet();
    if constexpr ((manner & names_edges) != 0) {
      turn.step = Turn::claiming;
      edges([&](u64 a, u64 b, int number) {
        Rule::claim(labels, a, b, [&](u64 root) {
          if (number < 0) engine.fail("an edge inside a tree is named");
          engine.hooked(root, number);
        });
        return false;
      });
      meet();
    }
    if constexpr (Rule::passes > 0) {
      fell |= vertices([&](u64 x) { return Rule::template pass<0>(labels, x); });
      if constexpr ((flaws & early_names) == 0) meet();
    }
    if constexpr (Rule::passes > 1) {
      fell |= vertices([&](u64 x) { return Rule::template pass<1>(labels, x); });
      meet();
    }
    if constexpr (Rule::rewrites) {
      // Reads alone: between them and the next connect, which writes other cells, nobody needs to wait.
      turn.step = Turn::connecting;
      crew.some(crew.edges(), [&](i64 i) {
        const auto e = static_cast<std::size_t>(i);
        if (u[e] != v[e]) phase::rewrite(labels, u[e], v[e]);
        return false;
      });
      if constexpr ((flaws & early_names) != 0) meet();
    }
  }
}

template <class Rule, unsigned manner, unsigned flaws = no_flaw, template <class> class Vote = system::GridVote>
Program program(std::string name, const char* planted = nullptr) {
  constexpr bool forest = (manner & names_edges) != 0;
  Program p;
  p.name = std::move(name);
  p.whole = true;
  p.start = (manner & on_rows) != 0 ? Start::stars : Start::singles;
  p.claims = {.moves_subtrees = true, .hooks = forest, .forest = forest};
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

// Says of no shortcut that it moved anything.
struct SilentOnce {
  template <class L>
  static bool shorten(const L& l, typename L::Id v) {
    round::Once::shorten(l, v);
    return false;
  }
};

// Moves up to what its parent remembers, which may be above what the vertex has been told since.
struct RememberingOnce {
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

// Names the edges in the order they come: the first that tells a root anything smaller, though another may win.
struct HastyClaim {
  template <class C>
  static bool offer(const C& c, typename C::Id x, typename C::Id) {
    if (c.old.load(x) != x || c.now.load(x) == x || !c.old.claim(x)) return false;
    c.hook(x);
    return true;
  }
};

// Names every edge that told a root its label, and there may be two.
struct GenerousClaim {
  template <class C>
  static bool offer(const C& c, typename C::Id x, typename C::Id y) {
    if (c.old.load(x) != x || c.now.load(x) != y) return false;
    c.hook(x);
    return true;
  }
};

// A rule whose roots are claimed otherwise.
template <class Rule, class Connect, class Offer>
struct Claimed : Rule {
  template <class L, class Hook>
  static void claim(const L& l, typename L::Id u, typename L::Id v, const Hook& hook) {
    using Old = decltype(l.old);
    Connect::template tell<Offer>(round::Claims<L, Hook>{l.now, round::Claimable<Old>(l.old), hook}, u, v);
  }
};

}  // namespace

const std::vector<Program>& round_programs() {
  static const auto table = [] {
    std::vector<Program> t;
    each_rule([&]<class Rule>(const std::string& name) {
      // What is told to roots alone is the same rounds under another name, and as sound.
      constexpr bool twin = Rule::tells_ends && Rule::root_based;
      if constexpr (Rule::forbidden == nullptr || twin) {
        t.push_back(program<Rule, on_pairs>(name));
        if constexpr (!Rule::rewrites) t.push_back(program<Rule, on_rows>(name + "+skip"));
        // Those that are the same rounds as with a root update name a forest, too, though that plan is the one to ask.
        if constexpr (Rule::moves_trees && !twin) {
          t.push_back(program<Rule, on_pairs | names_edges>(name + "+forest"));
          if constexpr (!Rule::rewrites) t.push_back(program<Rule, on_rows | names_edges>(name + "+skip+forest"));
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
      constexpr bool twin = Rule::tells_ends && Rule::root_based;
      if constexpr (Rule::forbidden != nullptr && !twin) t.push_back(program<Rule, on_pairs>(name, Rule::forbidden));
      if constexpr (Rule::forbidden == nullptr && !Rule::rewrites && Rule::tells_ends) {
        t.push_back(program<Rule, on_rows, late_names>(name + "+skip+own_name",
                                                       "skips a tree that does not have the smallest name"));
      }
      if constexpr (Rule::forbidden == nullptr && Rule::claims && !Rule::moves_trees) {
        t.push_back(program<Rule, on_pairs | names_edges>(name + "+forest", Rule::no_forest));
      }
      if constexpr (Rule::selective) {
        t.push_back(
            program<Rule, on_pairs, early_passes>(name + "+early_passes", "no barrier between connect and the pass"));
      }
    });
    t.push_back(
        program<Round<Parent, Storing, Once, Keep>, on_pairs>("storing_update", "a store where a minimum is needed"));
    t.push_back(program<Round<Parent, Any, Once, Keep>, on_pairs, early_passes>("early_shortcut",
                                                                                "no barrier before the shortcut"));
    t.push_back(program<Round<Direct, Any, Once, Alter>, on_pairs, early_names>("early_alter",
                                                                                "no barrier before edges are altered"));
    t.push_back(program<Round<Parent, Any, SilentOnce, Keep>, on_pairs>("silent_shortcut",
                                                                        "rounds end though vertices still move"));
    t.push_back(program<Round<Ends, Any, RememberingOnce, Keep>, on_pairs>("raising_shortcut",
                                                                           "moves up from what it remembers"));
    t.push_back(program<Round<Parent, Any, Full, Keep>, on_pairs, no_flaw, HastyVote>(
        "hasty_rounds", "the fixpoint is tested before the barrier"));
    using Rooted = Round<Parent, Root, Full, Keep>;
    t.push_back(program<Claimed<Rooted, Parent, HastyClaim>, on_pairs | names_edges>(
        "hasty_claim", "names the first edge a root has heard of, not the one whose label it has"));
    t.push_back(program<Claimed<Rooted, Parent, GenerousClaim>, on_pairs | names_edges>("generous_claim",
                                                                                        "claims without a swap"));
    t.push_back(
        program<Rooted, on_pairs | names_edges, early_claims>("early_claim", "no barrier between connect and claims"));
    return t;
  }();
  return table;
}

}  // namespace lb::explore

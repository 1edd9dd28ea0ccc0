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

// One thread's run of the rounds. It allocates nothing: a fiber whose run is cut off never ends.
template <class Rule, unsigned manner, unsigned flaws, template <class> class Vote>
class RoundsOfThread {
 public:
  RoundsOfThread(Engine& engine, int thread)
      : engine_(engine), executor_(engine, thread), labels_{Now(&turn_), Old(&turn_)} {
    const int skip = skipped_root();
    for (int v = 0; v < graph().n; ++v) outside_[static_cast<std::size_t>(v)] = !csr || parent(v) != skip;
    for (i64 e = 0; e < executor_.edges(); ++e) {
      u_[static_cast<std::size_t>(e)] = executor_.u(e);
      v_[static_cast<std::size_t>(e)] = executor_.v(e);
    }
  }

  void run() {
    executor_.each(executor_.vertices(), [&](i64 i) {
      turn_.vertex = static_cast<u64>(i);
      Rule::begin(labels_, turn_.vertex);
    });
    do {
      works_ = false;
      connect();
      if constexpr ((manner & lists_edges) != 0) claim();
      pass();
      if constexpr (Rule::rewrites) rewrite();
    } while (works_);
  }

 private:
  static constexpr bool csr = (manner & on_csr) != 0;

  const Case& graph() const { return engine_.graph(); }
  int parent(int v) const { return graph().parent[static_cast<std::size_t>(v)]; }

  // 0, or, with the flaw, the root of the largest star.
  int skipped_root() const {
    int root_of_most = 0, most = 0;
    for (int root = 0; root < graph().n && (flaws & no_relabel) != 0; ++root) {
      int members = 0;
      for (int v = 0; v < graph().n; ++v) members += parent(v) == root ? 1 : 0;
      if (members > most) most = members, root_of_most = root;
    }
    return root_of_most;
  }

  // This thread's edges or arcs: visit(u, v, number), the number negative for the edges of the stars.
  template <class Visit>
  bool edges(const Visit& visit) {
    if constexpr (csr) {
      return executor_.some(executor_.vertices(), [&](i64 x) { return arcs_of(static_cast<u64>(x), visit); });
    } else {
      return executor_.some(executor_.edges(), [&](i64 i) {
        const auto e = static_cast<std::size_t>(i);
        return !(Rule::rewrites && u_[e] == v_[e]) && visit(u_[e], v_[e], executor_.number(i));
      });
    }
  }

  template <class Visit>
  bool arcs_of(u64 from, const Visit& visit) {
    if (!outside_[from] || (Rule::selective && !Rule::active(labels_, from))) return false;
    bool changed = false;
    const auto both = [&](u64 a, u64 b, int number) {
      if (a == from) changed |= visit(from, b, number);
      if (b == from) changed |= visit(from, a, number);
    };
    for (i64 e = 0; e < executor_.edges(); ++e) both(executor_.u(e), executor_.v(e), executor_.number(e));
    for (int w = 0; w < graph().n; ++w) {
      if (parent(w) != w) both(static_cast<u64>(w), static_cast<u64>(parent(w)), -1);
    }
    return changed;
  }

  template <class Visit>
  bool vertices(const Visit& visit) {
    turn_.step = Turn::passing;
    return executor_.some(executor_.vertices(), [&](i64 i) {
      turn_.vertex = static_cast<u64>(i);
      return outside_[turn_.vertex] && visit(turn_.vertex);
    });
  }

  // A barrier; after it every thread reads whether any has changed a label.
  void meet() {
    works_ |= executor_.vote(changed_);
    changed_ = false;
  }

  void connect() {
    turn_.step = Turn::connecting;
    changed_ = edges([&](u64 a, u64 b, int) { return Rule::connect(labels_, a, b); });
    if constexpr ((flaws & (early_passes | early_claims)) == 0) meet();
  }

  void claim() {
    turn_.step = Turn::claiming;
    edges([&](u64 a, u64 b, int number) {
      Rule::claim(labels_, a, b, [&](u64 root) {
        if (number < 0) engine_.fail("an edge inside a tree is recorded");
        engine_.linked(root, number);
      });
      return false;
    });
    meet();
  }

  void pass() {
    if constexpr (Rule::passes > 0) {
      changed_ |= vertices([&](u64 x) { return Rule::template pass<0>(labels_, x); });
      if constexpr ((flaws & early_rewrite) == 0) meet();
    }
    if constexpr (Rule::passes > 1) {
      changed_ |= vertices([&](u64 x) { return Rule::template pass<1>(labels_, x); });
      meet();
    }
  }

  // Only reads: between them and the next connect, which writes other cells, no barrier is needed.
  void rewrite() {
    turn_.step = Turn::connecting;
    executor_.some(executor_.edges(), [&](i64 i) {
      const auto e = static_cast<std::size_t>(i);
      if (u_[e] != v_[e]) phase::rewrite(labels_, u_[e], v_[e]);
      return false;
    });
    if constexpr ((flaws & early_rewrite) != 0) meet();
  }

  Engine& engine_;
  FiberExecutor<1, Vote> executor_;
  Turn turn_;
  const round::Labels<Now, Old> labels_;
  std::array<bool, max_vertices> outside_;
  std::array<u64, max_threads * max_ops> u_, v_;  // all edges; rules may rewrite those of this thread
  bool changed_ = false, works_ = false;
};

template <class Rule, unsigned manner, unsigned flaws = no_flaw, template <class> class Vote = system::GridVote>
void run_rounds(Engine& engine, int thread) {
  RoundsOfThread<Rule, manner, flaws, Vote>(engine, thread).run();
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

// Standalone algorithms in rounds (landbridge/system/rounds.hpp) on fibers: every access to a cell may be interrupted,
// and the votes are those of the GPU.
#include "fiber_executor.hpp"
#include "landbridge/phase/ecl.hpp"
#include "landbridge/system/rounds.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

template <class System, i64 first, i64 second, template <class> class Vote = system::GridVote>
void run_system(Engine& engine, int thread) {
  FiberExecutor<System::vertex_cells, Vote> executor(engine, thread);
  System::run(executor, system::Settings{first, second});
}

constexpr Claims claims_of(bool ordered) {
  return {.blind_store = true, .moves_subtrees = true, .links = false, .ordered = ordered};
}

template <class System, i64 first = 0, i64 second = 0>
Program program(const char* name) {
  Program p;
  p.name = name;
  p.standalone = true;
  p.claims = claims_of(System::smallest);
  p.body = &run_system<System, first, second>;
  return p;
}

// ---- mutants

// Hides an edge as soon as it has hooked, though its graft may be overwritten in the same round.
struct HidesUnverified : system::Traits {
  static constexpr int edge_cells = 1;
  template <class X>
  static void run(X& x, system::Settings) {
    const auto p = x.parent();
    const auto hidden = x.cells(0);
    x.each(x.edges(), [&](i64 e) { hidden.store(static_cast<u64>(e), 0); });
    while (x.any(x.edges(), [&](i64 e) {
      const u64 a = p.load(x.u(e)), b = p.load(x.v(e));
      if (hidden.load(static_cast<u64>(e)) != 0 || a == b) return false;
      phase::graft(p, a, b);
      hidden.store(static_cast<u64>(e), 1);
      return true;
    })) {
      x.each(x.vertices(), [&](i64 v) { phase::climb(p, static_cast<u64>(v)); });
    }
  }
};

// Hooks some edges downwards and others upwards in one round.
struct GraftsBothWays : system::Traits {
  static constexpr bool smallest = false;
  template <class X>
  static void run(X& x, system::Settings) {
    const auto p = x.parent();
    while (x.any(x.edges(), [&](i64 e) {
      const u64 a = p.load(x.u(e)), b = p.load(x.v(e));
      if (a != b) phase::graft(p, a, b, e % 2 == 1);
      return a != b;
    })) {
      x.each(x.vertices(), [&](i64 v) { phase::climb(p, static_cast<u64>(v)); });
    }
  }
};

// Rem's walk with plain stores, and no test of the edges.
struct RemUnverified : system::Traits {
  template <class X>
  static void run(X& x, system::Settings) {
    x.each(x.edges(), [&](i64 e) { phase::rem_stores(x.parent(), x.u(e), x.v(e)); });
  }
};

// Verifies the edges that have linked in the last round, and not all that ever have.
struct RemVerifiesLastRound : system::Traits {
  static constexpr int edge_cells = 2;
  template <class X>
  static void run(X& x, system::Settings) {
    const auto p = x.parent();
    const auto linked = x.cells(0), failed = x.cells(1);
    const auto root = [&](u64 v) { return find::Naive<>::find(p, v); };
    const auto unite = [&](u64 e) {
      return phase::rem_stores(p, x.u(static_cast<i64>(e)), x.v(static_cast<i64>(e))) ? e : none<u64>;
    };
    i64 count = x.gather(linked, x.edges(), [&](i64 e) { return unite(static_cast<u64>(e)); });
    for (;;) {
      count = x.gather(failed, count, [&](i64 i) {
        const u64 e = linked.load(static_cast<u64>(i));
        return root(x.u(static_cast<i64>(e))) == root(x.v(static_cast<i64>(e))) ? none<u64> : e;
      });
      if (count == 0) return;
      count = x.gather(linked, count, [&](i64 i) { return unite(failed.load(static_cast<u64>(i))); });
    }
  }
};

// Stagnant stars hook without the test whether another tree has hooked below them in this iteration.
struct SvHookUntouched : system::Traits {
  static constexpr int vertex_cells = 2;
  static constexpr bool smallest = false;
  template <class X>
  static void run(X& x, system::Settings) {
    const auto before = x.parent(), now = x.cells(0), touched = x.cells(1);
    x.each(x.vertices(), [&](i64 v) {
      touched.store(static_cast<u64>(v), 0);
      now.store(static_cast<u64>(v), before.load(static_cast<u64>(v)));
    });
    x.each(x.edges(), [&](i64 e) { phase::sv_hook_stagnant(now, touched, x.u(e), x.v(e), u64{1}); });
    x.each(x.vertices(), [&](i64 v) { before.store(static_cast<u64>(v), now.load(static_cast<u64>(v))); });
  }
};

// ECL-CC's link with the find that is no row of the registry, from any forest, as its starts leave one.
Program ecl_single() {
  Program p;
  p.name = "ecl_cc(jump2)";
  p.claims = {.blind_store = true, .forest = true, .queries = true};
  p.body = &run_thread<link::Ecl<phase::Single>, phase::Single, Fresh>;
  return p;
}

template <class System, template <class> class Vote = system::GridVote>
Program mutant(const char* name, const char* planted) {
  Program p = program<System>(name);
  p.reason = planted;
  p.body = &run_system<System, 0, 0, Vote>;
  return p;
}

}  // namespace

const std::vector<Program>& system_programs() {
  static const std::vector<Program> table = {
      program<system::Soman>("soman"),
      program<system::Soman, 1>("soman(alternate)"),
      program<system::Soman, 0, 1>("soman(three,everyone)"),
      program<system::GunrockCc>("gunrock_cc"),
      program<system::GrouteCc, 0, -1>("groute_cc"),
      program<system::GrouteCc, 2, 1>("groute_cc(2,1)"),
      program<system::CongMuzioCc>("cong_muzio_cc"),
      program<system::CongMuzioCc, 1>("cong_muzio_cc(lower)"),
      program<system::CcUpdt>("cc_updt"),
      program<system::SvUpdt>("sv_updt"),
      program<system::Sv05>("sv0_5"),
      program<system::RemVerify>("rem_verify"),
      ecl_single(),
  };
  return table;
}

const std::vector<Program>& system_mutants() {
  static const std::vector<Program> table = {
      mutant<system::CongMuzioCc, VoteBeforeBarrier>("vote_before_barrier",
                                                     "the fixpoint is tested before the barrier"),
      mutant<system::CongMuzioCc, OneWordVote>("one_word_vote", "one word for all votes"),
      mutant<HidesUnverified>("hides_unverified_edge", "hides an edge whose graft may be overwritten"),
      mutant<GraftsBothWays>("grafts_both_ways", "hooks up and down in one round"),
      mutant<RemUnverified>("rem_unverified", "plain stores without verification"),
      mutant<RemVerifiesLastRound>("rem_verifies_last_round",
                                   "verifies the edges that linked last, not all that ever have"),
      mutant<SvHookUntouched>("sv_without_touched", "stagnant stars hook without the pass before"),
  };
  return table;
}

}  // namespace lb::explore

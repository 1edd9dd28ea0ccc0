// Whole algorithms in rounds (landbridge/system/rounds.hpp) on a machine of fibers: every access to a cell may be
// interrupted, and the machine's votes are those of the GPU's.
#include "landbridge/system/rounds.hpp"

#include "landbridge/phase/ecl.hpp"
#include "landbridge/system/ballot.hpp"
#include "program.hpp"

namespace lb::explore {
namespace {

// Part of an array of the engine, as cells of its own.
struct Part : PlainCell<u64> {
  using Cell = u64;
  int array = 0;
  u64 base = 0;
  Part(int a, u64 b) : array(a), base(b) {}
  u64 load(u64 x) const { return Engine::current->load(array, base + x); }
  u64 load_stale(u64 x) const { return load(x); }
  void store(u64 x, u64 v) const { Engine::current->store(array, base + x, v); }
  u64 cas(u64 x, u64 old, u64 v) const { return Engine::current->cas(array, base + x, old, v); }
  u64 lower(u64 x, u64 v) const { return Engine::current->lower(array, base + x, v); }
  void pause() const { Engine::current->pause(); }
};

constexpr u64 ballot_base = 28;  // of array 1; the arrays of an algorithm lie before it

// One thread's view of the machine. Vote is system::Ballot, or what a mutant has in its place.
template <int vertex_cells, template <class> class Vote>
class Crew {
 public:
  using Id = u64;
  using Memory = Part;
  Crew(Engine& engine, int thread) : engine_(engine), thread_(thread), ballot_(Part(1, 0), ballot_base) {
    for (const auto& ops : engine.graph().threads) {
      for (const Op& op : ops) edges_[static_cast<std::size_t>(count_++)] = op;
    }
    threads_ = static_cast<int>(engine.graph().threads.size());
    if (thread == 0) {
      for (u64 i = 0; i < 3; ++i) Part(1, ballot_base).store(i, 0);
    }
    engine.barrier();
  }
  i64 vertices() const { return engine_.graph().n; }
  i64 edges() const { return count_; }
  u64 u(i64 e) const { return static_cast<u64>(edges_[static_cast<std::size_t>(e)].u); }
  u64 v(i64 e) const { return static_cast<u64>(edges_[static_cast<std::size_t>(e)].v); }
  Part parent() const { return {0, 0}; }
  Part cells(int k) const {
    const i64 base = k < vertex_cells ? k * vertices() : vertex_cells * vertices() + (k - vertex_cells) * edges();
    return {1, static_cast<u64>(base)};
  }
  template <class Body>
  void each(i64 count, const Body& body) {
    for (i64 i = thread_; i < count; i += threads_) body(i);
    engine_.barrier();
  }
  template <class Body>
  bool any(i64 count, const Body& body) {
    bool found = false;
    for (i64 i = thread_; i < count; i += threads_) found |= body(i);
    if (found) ballot_.yes();
    return close() != 0;
  }
  template <class Body>
  i64 gather(const Part& out, i64 count, const Body& body) {
    for (i64 i = thread_; i < count; i += threads_) {
      const u64 item = body(i);
      if (item == none<u64>) continue;
      const Part words(1, 0);
      u64 place = words.load(ballot_.word());
      for (u64 seen; (seen = words.cas(ballot_.word(), place, place + 1)) != place; place = seen) {
      }
      out.store(place, item);
    }
    return static_cast<i64>(close());
  }

 private:
  u64 close() {
    return ballot_.close(thread_ == 0, [&] { engine_.barrier(); });
  }
  Engine& engine_;
  int thread_, threads_ = 1;
  i64 count_ = 0;
  std::array<Op, max_threads * max_ops> edges_;  // no memory of its own: a fiber whose run is cut off is never left
  Vote<Part> ballot_;
};

template <class System, i64 first, i64 second, template <class> class Vote = system::Ballot>
void run_crew(Engine& engine, int thread) {
  Crew<System::vertex_cells, Vote> crew(engine, thread);
  System::run(crew, system::Settings{first, second});
}

constexpr Claims claims_of(bool ordered) {
  return {.blind_store = true, .moves_subtrees = true, .hooks = false, .ordered = ordered};
}

template <class System, i64 first = 0, i64 second = 0>
Program program(const char* name) {
  Program p;
  p.name = name;
  p.whole = true;
  p.claims = claims_of(System::smallest);
  p.body = &run_crew<System, first, second>;
  return p;
}

// ---- mutants

// Reads the answer without waiting for all voices.
template <class Words>
class HastyVote {
 public:
  using Word = typename Words::Cell;
  HastyVote(const Words& words, Word base) : words_(words), base_(base) {}
  Word word() const { return base_ + turn_; }
  void yes() const { words_.store(word(), 1); }
  template <class Barrier>
  Word close(bool emptier, const Barrier& barrier) {
    const Word answer = words_.load(word());
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    if (emptier) words_.store(word(), 0);
    barrier();
    return answer;
  }

 private:
  Words words_;
  Word base_;
  Word turn_ = 0;
};

// One word for all questions: it is emptied while others still read it.
template <class Words>
class OneWordVote {
 public:
  using Word = typename Words::Cell;
  OneWordVote(const Words& words, Word base) : words_(words), base_(base) {}
  Word word() const { return base_; }
  void yes() const { words_.store(base_, 1); }
  template <class Barrier>
  Word close(bool emptier, const Barrier& barrier) {
    barrier();
    const Word answer = words_.load(base_);
    if (emptier) words_.store(base_, 0);
    return answer;
  }

 private:
  Words words_;
  Word base_;
};

// Hides an edge as soon as it has hooked, though its graft may be overwritten in the same round.
struct HidesTooSoon : system::Traits {
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
struct BothWays : system::Traits {
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

// Rem's walk with plain stores, and nobody looks at the edges again.
struct TrustingRem : system::Traits {
  template <class X>
  static void run(X& x, system::Settings) {
    x.each(x.edges(), [&](i64 e) { phase::rem_stores(x.parent(), x.u(e), x.v(e)); });
  }
};

// Verifies the edges that have linked in the last round, and not all that ever have.
struct ForgetfulRem : system::Traits {
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

// Stagnant stars hook without asking whether something has hooked below them in this iteration.
struct RestlessSv : system::Traits {
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

template <class System, template <class> class Vote = system::Ballot>
Program mutant(const char* name, const char* planted) {
  Program p = program<System>(name);
  p.reason = planted;
  p.body = &run_crew<System, 0, 0, Vote>;
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
      mutant<system::CongMuzioCc, HastyVote>("hasty_vote", "the fixpoint is tested before the barrier"),
      mutant<system::CongMuzioCc, OneWordVote>("one_word_vote", "one word for all votes"),
      mutant<HidesTooSoon>("hides_too_soon", "hides an edge whose graft may be overwritten"),
      mutant<BothWays>("both_ways", "hooks up and down in one round"),
      mutant<TrustingRem>("trusting_rem", "plain stores without verification"),
      mutant<ForgetfulRem>("forgetful_rem", "verifies the edges that linked last, not all that ever have"),
      mutant<RestlessSv>("restless_sv", "stagnant stars hook without the pass before"),
  };
  return table;
}

}  // namespace lb::explore

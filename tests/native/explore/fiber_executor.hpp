// Fibers as the executor of algorithms in rounds: every access to a cell may be interrupted, and the votes are those of
// the GPU.
#pragma once
#include <array>
#include <stdexcept>

#include "engine.hpp"
#include "landbridge/memory.hpp"
#include "landbridge/system/grid_vote.hpp"

namespace lb::explore {

// A slice of an array of the engine, as cells of its own.
struct ArraySlice : PlainCell<u64> {
  using Cell = u64;
  int array = 0;
  u64 base = 0;
  ArraySlice(int a, u64 b) : array(a), base(b) {}
  u64 load(u64 x) const { return Engine::current->load(array, base + x); }
  u64 load_stale(u64 x) const { return load(x); }
  void store(u64 x, u64 v) const { Engine::current->store(array, base + x, v); }
  u64 compare_exchange(u64 x, u64 old, u64 v) const {
    return Engine::current->compare_exchange(array, base + x, old, v);
  }
  u64 fetch_min(u64 x, u64 v) const { return Engine::current->fetch_min(array, base + x, v); }
  void pause() const { Engine::current->pause(); }
};

constexpr u64 vote_base = 28;  // of array 1: the words of the vote, behind the cells of an algorithm

// One thread's view of the executor, whose edges are those of all threads. Vote is system::GridVote, or a mutant of it.
template <int vertex_cells, template <class> class Vote>
class FiberExecutor {
 public:
  using Id = u64;
  using Memory = ArraySlice;
  FiberExecutor(Engine& engine, int thread) : engine_(engine), thread_(thread), vote_(ArraySlice(1, 0), vote_base) {
    for (const auto& ops : engine.graph().threads) {
      for (const Op& op : ops) {
        if (!op.query) edges_[static_cast<std::size_t>(count_++)] = op;
      }
    }
    threads_ = static_cast<int>(engine.graph().threads.size());
    if (thread == 0) {
      for (u64 i = 0; i < 3; ++i) ArraySlice(1, vote_base).store(i, 0);
    }
    engine.barrier();
  }
  i64 vertices() const { return engine_.graph().n; }
  i64 edges() const { return count_; }
  u64 u(i64 e) const { return static_cast<u64>(edges_[static_cast<std::size_t>(e)].u); }
  u64 v(i64 e) const { return static_cast<u64>(edges_[static_cast<std::size_t>(e)].v); }
  int number(i64 e) const { return edges_[static_cast<std::size_t>(e)].number; }
  ArraySlice parent() const { return {0, 0}; }
  ArraySlice cells(int k) const {
    const i64 base = k < vertex_cells ? k * vertices() : vertex_cells * vertices() + (k - vertex_cells) * edges();
    const i64 size = k < vertex_cells ? vertices() : edges();
    if (base + size > static_cast<i64>(vote_base)) throw std::logic_error("the case is too large: cells meet the vote");
    return {1, static_cast<u64>(base)};
  }
  // This thread's share of [0, count), without a barrier: whether body was true for any.
  template <class Body>
  bool some(i64 count, const Body& body) {
    bool yes = false;
    for (i64 i = thread_; i < count; i += threads_) yes |= body(i);
    return yes;
  }
  // Whether any thread votes yes.
  bool vote(bool yes) {
    if (yes) vote_.yes();
    return close() != 0;
  }
  template <class Body>
  void each(i64 count, const Body& body) {
    for (i64 i = thread_; i < count; i += threads_) body(i);
    engine_.barrier();
  }
  template <class Body>
  bool any(i64 count, const Body& body) {
    return vote(some(count, body));
  }
  template <class Body>
  i64 gather(const ArraySlice& out, i64 count, const Body& body) {
    for (i64 i = thread_; i < count; i += threads_) {
      const u64 item = body(i);
      if (item != none<u64>) append(out, item);
    }
    return appended();
  }
  // The same in two steps: appends one item, and waits for all threads.
  void append(const ArraySlice& out, u64 item) {
    const ArraySlice words(1, 0);
    u64 place = words.load(vote_.word());
    for (u64 previous; (previous = words.compare_exchange(vote_.word(), place, place + 1)) != place; place = previous) {
    }
    out.store(place, item);
  }
  i64 appended() { return static_cast<i64>(close()); }

 private:
  u64 close() {
    return vote_.close(thread_ == 0, [&] { engine_.barrier(); });
  }
  Engine& engine_;
  int thread_, threads_ = 1;
  i64 count_ = 0;
  std::array<Op, max_threads * max_ops> edges_;  // no allocation: a fiber whose run is cut off never ends
  Vote<ArraySlice> vote_;
};

// ---- votes with a planted bug

// Reads the answer before the barrier.
template <class Words>
class VoteBeforeBarrier {
 public:
  using Word = typename Words::Cell;
  VoteBeforeBarrier(const Words& words, Word base) : words_(words), base_(base) {}
  Word word() const { return base_ + turn_; }
  void yes() const { words_.store(word(), 1); }
  template <class Barrier>
  Word close(bool clears_next, const Barrier& barrier) {
    const Word answer = words_.load(word());
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    if (clears_next) words_.store(word(), 0);
    barrier();
    return answer;
  }

 private:
  Words words_;
  Word base_;
  Word turn_ = 0;
};

// One word for all votes: it is cleared while other threads still read it.
template <class Words>
class OneWordVote {
 public:
  using Word = typename Words::Cell;
  OneWordVote(const Words& words, Word base) : words_(words), base_(base) {}
  Word word() const { return base_; }
  void yes() const { words_.store(base_, 1); }
  template <class Barrier>
  Word close(bool clears_next, const Barrier& barrier) {
    barrier();
    const Word answer = words_.load(base_);
    if (clears_next) words_.store(base_, 0);
    return answer;
  }

 private:
  Words words_;
  Word base_;
};

}  // namespace lb::explore

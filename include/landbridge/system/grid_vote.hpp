// How the threads of a grid agree without a coordinator: each votes, and after a barrier all read the same answer.
// Three words take turns, so that one barrier per vote is enough: while threads write the word of one vote, that of the
// next is cleared, which was read for the last time before the barrier of the vote before.
#pragma once
#include "../memory.hpp"

namespace lb::system {

// Words is a memory policy; the words base, base + 1 and base + 2 hold 0 before the first vote. Every thread has a
// GridVote of its own and takes part in the same votes in the same order.
template <class Words>
class GridVote {
 public:
  using Word = typename Words::Cell;
  LB_FN GridVote(const Words& words, Word base) : words_(words), base_(base) {}
  // The word of the current vote.
  LB_FN Word word() const { return base_ + static_cast<Word>(turn_); }
  LB_FN void yes() const { words_.store(word(), 1); }
  // Ends the vote: `clears_next` is true for one thread, barrier() waits for all. Returns what the word holds then.
  template <class Barrier>
  LB_FN Word close(bool clears_next, const Barrier& barrier) {
    const Word current = word();
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    if (clears_next) words_.store(word(), 0);
    barrier();
    return words_.load(current);
  }

 private:
  Words words_;
  Word base_;
  int turn_ = 0;
};

}  // namespace lb::system

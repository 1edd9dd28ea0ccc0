// How the threads of a grid agree without a coordinator: each votes, and after a barrier all read the same answer.
// Three words take turns, so that one barrier per question is enough: while one is asked, the word of the next question
// is emptied, and that was read for the last time before the barrier of the question before.
#pragma once
#include "../memory.hpp"

namespace lb::system {

// Words is a memory policy; the words base, base + 1 and base + 2 hold 0 before the first question. Every thread has a
// GridVote of its own and asks the same questions in the same order.
template <class Words>
class GridVote {
 public:
  using Word = typename Words::Cell;
  LB_FN GridVote(const Words& words, Word base) : words_(words), base_(base) {}
  // The word of the question that is being asked.
  LB_FN Word word() const { return base_ + static_cast<Word>(turn_); }
  LB_FN void yes() const { words_.store(word(), 1); }
  // Ends the question: `emptier` is true for one thread, barrier() waits for all. Returns what the word holds then.
  template <class Barrier>
  LB_FN Word close(bool emptier, const Barrier& barrier) {
    const Word asked = word();
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    if (emptier) words_.store(word(), 0);
    barrier();
    return words_.load(asked);
  }

 private:
  Words words_;
  Word base_;
  int turn_ = 0;
};

}  // namespace lb::system

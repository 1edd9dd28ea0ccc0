// Labels of rounds (landbridge/policy/round.hpp) that check the contract of the rules: which cells a step may touch.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "each_round.hpp"
#include "fiber_executor.hpp"
#include "landbridge/phase/round.hpp"

namespace lb::explore {

// The step a thread is in: it determines which cells the thread may touch.
struct Turn {
  enum { passing, connecting, claiming, listing } step = passing;
  u64 vertex = 0;  // in a pass: the vertex of the current call
};

// Labels: any thread writes them while edges connect, or while a stream looks up roots; a pass writes those of its
// vertices.
struct Now : ArraySlice {
  const Turn* turn;
  explicit Now(const Turn* t) : ArraySlice(0, 0), turn(t) {}
  void store(u64 x, u64 v) const {
    check(x);
    ArraySlice::store(x, v);
  }
  u64 fetch_min(u64 x, u64 v) const {
    check(x);
    return ArraySlice::fetch_min(x, v);
  }
  void check(u64 x) const {
    if (turn->step == Turn::claiming) Engine::current->fail("a claim writes a label");
    if (turn->step == Turn::passing && x != turn->vertex)
      Engine::current->fail("a pass writes the label of another vertex");
  }
};

// The labels of the beginning of the round: constant while edges connect; claims and lists only set a bit; a pass reads
// and writes those of its vertices, so reads need no order.
struct Old : ArraySlice {
  const Turn* turn;
  explicit Old(const Turn* t) : ArraySlice(1, 0), turn(t) {}
  u64 load(u64 x) const {
    if (turn->step == Turn::passing && x != turn->vertex)
      Engine::current->fail("a pass reads the old label of another vertex");
    return ArraySlice::load(x);
  }
  void store(u64 x, u64 v) const {
    if (turn->step != Turn::passing) Engine::current->fail("an edge writes an old label");
    if (x != turn->vertex) Engine::current->fail("a pass writes the old label of another vertex");
    ArraySlice::store(x, v);
  }
  u64 compare_exchange(u64 x, u64 old, u64 v) const {
    if (turn->step < Turn::claiming) Engine::current->fail("only claims and lists swap old labels");
    return ArraySlice::compare_exchange(x, old, v);
  }
};

inline std::string text_of(const char* name, const std::vector<std::string_view>& words) {
  std::string out = name;
  for (const auto& word : words) out.append(&word == &words.front() ? "(" : ",").append(word);
  return words.empty() ? out : out + ")";
}

// Calls visit.operator()<Rule>(text) for every choice of words of every row.
template <class Visit>
void each_rule(const Visit& visit) {
#define LB_ROUND(name, code, Type, ...)                                                        \
  core::each_round<round::Type>(round::Type::Words{}, {}, [&]<class Rule>(const auto& words) { \
    visit.template operator()<Rule>(text_of(#name, words));                                    \
  });
#include "landbridge/policy/registry.def"
}

}  // namespace lb::explore

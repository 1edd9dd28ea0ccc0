// Phases of list ranking: loop bodies for one element, one walk or one round, for threads and GPUs alike.
#pragma once
#include "../policy/rank.hpp"

namespace lb::phase {

// ---- pointer jumping
// ------------------------------------------------------------------------------------------------------

// Wyllie in place: one jump. Returns whether the element is on its way still. Reading a partner that has jumped in this
// round already is harmless: its word is true at any time.
template <class M>
LB_FN bool jump_word(const M& m, u64 i) {
  const u64 x = m.load(i);
  if (rank::Jump::finished(x)) return false;
  const u64 y = m.load(rank::Jump::last(x));
  const bool finished = rank::Jump::finished(y);
  m.store(i, rank::Jump::word(rank::Jump::value(x) + rank::Jump::value(y), rank::Jump::last(y), finished));
  return !finished;
}

// The same from one pair of arrays into another, for values of 64 bits and any number of elements: `last` has its top
// bit set once it is the end of the list. `op` combines in the order of the list.
template <class Id>
constexpr Id arrived = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));

template <class Id, class V, class O>
LB_FN bool jump_apart(const Id* last, const V* value, Id* to_last, V* to_value, const O& op, u64 i) {
  const Id l = last[i];
  if ((l & arrived<Id>) != 0) {
    to_last[i] = l;
    to_value[i] = value[i];
    return false;
  }
  const Id next = last[l];
  to_last[i] = next;
  to_value[i] = op(value[i], value[l]);
  return (next & arrived<Id>) == 0;
}

// ---- walks between splitters
// ----------------------------------------------------------------------------------------------

// A walk: it stands before `at`, and `sum` is what lies between its start and there.
template <class V>
struct Walk {
  u64 number;
  u64 at;
  V sum;
  u64 taken;  // elements owned by it, its start included
};

enum class End : int { none, tail, start, broken };

// The walk's start is claimed: the place of an element that has nothing before it. A barrier before the first step.
template <class State, class F>
LB_FN void claim_start(const State& s, const F& f, u64 start, u64 number) {
  s.claim(start, number, static_cast<typename State::V>(f.place(f.none(), f.value(start))));
}
template <class State, class F>
LB_FN End begin_walk(const State& s, const F& f, u64 start, u64 number, Walk<typename State::V>& w) {
  using V = typename State::V;
  w = {number, s.links(start), f.none(), 1};
  if (w.at == start) return End::tail;
  w.sum = static_cast<V>(f.value(start));
  return End::none;
}

// One step. At End::tail the walk has taken the tail, `at`; at End::start it stands before an element that has an
// owner, `owner`, which is the start of that owner's walk unless the input is broken (the caller compares).
template <class State, class F>
LB_FN End step_walk(const State& s, const F& f, Walk<typename State::V>& w, u64& owner) {
  using V = typename State::V;
  const rank::Met<V> met = s.look(w.at);
  if (!met.free) {
    owner = met.owner;
    return End::start;
  }
  const V own = static_cast<V>(f.value(w.at));
  s.claim(w.at, w.number, static_cast<V>(f.place(w.sum, own)));
  ++w.taken;
  if (met.next == w.at) return End::tail;
  w.sum = static_cast<V>(f.add(w.sum, own));
  w.at = met.next;
  return End::none;
}

// A free element tells its successor that it is there: free elements that nobody leads to are heads. The states of
// successors with an owner stay as they are.
template <class State>
LB_FN void lead_on(const State& s, u64 i) {
  if (s.owner(i) != rank::unowned) return;
  const u64 next = s.links(i);
  if (next != i && s.owner(next) == rank::unowned) s.lead(next);
}

// ---- fractional independent sets
// ------------------------------------------------------------------------------------------

// An element leaves if it drew 1 and both neighbours drew 0; head and end of a list stay. No two neighbours leave at
// once.
template <class Id, class Bits>
LB_FN bool leaves(const Id* next, const Id* before, const Bits& drew, u64 u) {
  const Id p = before[u], s = next[u];
  if (p == none<Id> || s == none<Id>) return false;
  return drew(u) && !drew(p) && !drew(s);
}

// Takes u out between its neighbours, which stay: each cell has one writer. u keeps its own successor and value for its
// return.
template <class Id, class V, class O>
LB_FN void unlink(Id* next, Id* before, V* value, const O& op, u64 u) {
  const Id p = before[u], s = next[u];
  next[p] = s;
  before[s] = p;
  value[p] = op(value[p], value[u]);
}

}  // namespace lb::phase

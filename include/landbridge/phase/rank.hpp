// Phases of list ranking: loop bodies for one element, one walk or one round, for threads and GPUs alike.
#pragma once
#include "../policy/rank.hpp"
#include "../random.hpp"

namespace lb::phase {

// Pointer jumping.

// One jump of Wyllie's, in place. Returns whether the element has not reached its tail yet. The word of another element
// holds at any time, so it does not matter whether that one has jumped in this round already.
template <class M>
LB_FN bool jump_word(const M& m, u64 i) {
  const u64 x = m.load(i);
  if (rank::Jump::finished(x)) return false;
  const u64 y = m.load(rank::Jump::last(x));
  const bool finished = rank::Jump::finished(y);
  m.store(i, rank::Jump::word(rank::Jump::value(x) + rank::Jump::value(y), rank::Jump::last(y), finished));
  return !finished;
}

// The bit of `last` that says: it is the end of the list.
template <class Id>
constexpr Id end_bit = static_cast<Id>(Id{1} << (sizeof(Id) * 8 - 1));

// The same from one pair of arrays into another, for values of 64 bits and any number of elements. `op` combines in the
// order of the list.
template <class Id, class V, class O>
LB_FN bool jump_between(const Id* last, const V* value, Id* to_last, V* to_value, const O& op, u64 i) {
  const Id l = last[i];
  if ((l & end_bit<Id>) != 0) {
    to_last[i] = l;
    to_value[i] = value[i];
    return false;
  }
  const Id next = last[l];
  to_last[i] = next;
  to_value[i] = op(value[i], value[l]);
  return (next & end_bit<Id>) == 0;
}

// Walks between splitters.

// A walk over one sublist: it stands before `at`, and `sum` is the sum of the values between its start and there.
template <class V>
struct SublistWalk {
  u64 number;
  u64 at;
  V sum;
  u64 length;  // elements it owns, its start included
};

// Where a walk is: it goes on; it owns the tail; or it stands before an element that has an owner.
enum class WalkStatus : int { active, at_tail, at_owned };

// Claims the start of a walk: the place of an element with nothing before it. A barrier has to follow, before any step.
template <class State, class F>
LB_FN void claim_start(const State& s, const F& f, u64 start, u64 number) {
  s.claim(start, number, static_cast<typename State::V>(f.place(f.neutral(), f.value(start))));
}
template <class State, class F>
LB_FN WalkStatus begin_walk(const State& s, const F& f, u64 start, u64 number, SublistWalk<typename State::V>& w) {
  using V = typename State::V;
  w = {number, s.next(start), f.neutral(), 1};
  if (w.at == start) return WalkStatus::at_tail;
  w.sum = static_cast<V>(f.value(start));
  return WalkStatus::active;
}

// One step. at_tail: the tail is `at`. at_owned: `at` belongs to `owner`, and is the start of that walk unless the
// input is no list (the caller compares).
template <class State, class F>
LB_FN WalkStatus step_walk(const State& s, const F& f, SublistWalk<typename State::V>& w, u64& owner) {
  using V = typename State::V;
  const rank::Element e = s.read(w.at);
  if (!e.free) {
    owner = e.owner;
    return WalkStatus::at_owned;
  }
  const V own = static_cast<V>(f.value(w.at));
  s.claim(w.at, w.number, static_cast<V>(f.place(w.sum, own)));
  ++w.length;
  if (e.next == w.at) return WalkStatus::at_tail;
  w.sum = static_cast<V>(f.add(w.sum, own));
  w.at = e.next;
  return WalkStatus::active;
}

// A free element marks its successor, if that is free: what stays unmarked among the free elements is a head.
template <class State>
LB_FN void mark_successor(const State& s, u64 i) {
  if (s.owner(i) != rank::unowned) return;
  const u64 next = s.next(i);
  if (next != i && s.owner(next) == rank::unowned) s.mark_predecessor(next);
}

// Fractional independent sets.

// Whether an element is in the set of this round: its bit is 1 and those of both neighbours are 0. Heads and tails are
// never in it, and no two neighbours are.
template <class Id, class Bits>
LB_FN bool in_independent_set(const Id* next, const Id* previous, const Bits& bit, u64 u) {
  const Id p = previous[u], s = next[u];
  if (p == none<Id> || s == none<Id>) return false;
  return bit(u) && !bit(p) && !bit(s);
}

// Random bits from elsewhere, for one round. If there is one for each of all elements, it is an element's own. If there
// are fewer, elements share them, by a hash that the key of the round changes: two neighbours that share a bit in one
// round, of which neither can be in the set, have bits of their own in most others, whatever their distance.
struct DrawnBits {
  const u64* words;
  u64 drawn, elements, key;  // drawn: at most 2^32 - 1 if there are more elements

  LB_FN bool operator()(u64 u) const {
    const u64 place = drawn >= elements ? u : below(u * (key | 1), drawn);
    return (words[place >> 6] >> (place & 63) & 1) != 0;
  }
};

// Takes u out between its neighbours, which stay: each cell has one writer. u keeps its own successor and value for its
// return.
template <class Id, class V, class O>
LB_FN void unlink(Id* next, Id* previous, V* value, const O& op, u64 u) {
  const Id p = previous[u], s = next[u];
  next[p] = s;
  previous[s] = p;
  value[p] = op(value[p], value[u]);
}

}  // namespace lb::phase

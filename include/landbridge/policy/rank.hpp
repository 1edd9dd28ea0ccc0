// The rules of list ranking: how values are combined, where splitters lie, and how what is known of an element is kept.
//
// A list of n elements is an array of successors; a tail is its own successor, or has -1. A walk starts at an element
// and takes one element after another until it meets one that has an owner: the start of another walk. What it writes
// at each is its own number (the owner) and the element's place: the sum of the values on the way.
#pragma once
#include "../memory.hpp"
#include "../random.hpp"

namespace lb::rank {

enum class Op : int { sum, min, max };

// An associative operation with its neutral value. A value that is not a number makes every result that contains it
// one.
template <class V>
struct Monoid {
  Op op;
  V neutral;
  LB_FN V operator()(V a, V b) const {
    if (op == Op::sum) {
      // Jumps around a cycle, which is refused in the end, add its integers up beyond any type.
      if constexpr (V(1) / V(2) == V(0))
        return static_cast<V>(static_cast<u64>(a) + static_cast<u64>(b));
      else
        return a + b;
    }
    if (a != a) return a;
    return op == Op::min ? (a < b ? a : b) : (b < a ? a : b);
  }
};

// The successor of an element as the caller's array has it; tails lead to themselves.
template <class S>
struct Links {
  const S* successor;
  LB_FN u64 operator()(u64 i) const {
    const S s = successor[i];
    return s < 0 ? i : static_cast<u64>(s);
  }
};

// Every link counts one: ranks of elements.
template <class V>
struct Ones {
  static constexpr bool exclusive = true;  // an element's place does not contain its own value
  LB_FN V value(u64) const { return V{1}; }
  LB_FN V add(V a, V b) const { return a + b; }
  LB_FN V none() const { return V{0}; }
  LB_FN V place(V before, V) const { return before; }
};

// A value an element, under any operation.
template <class V>
struct Values {
  const V* values;
  Monoid<V> op;
  bool exclusive;
  LB_FN V value(u64 i) const { return values[i]; }
  LB_FN V add(V a, V b) const { return op(a, b); }
  LB_FN V none() const { return op.neutral; }
  LB_FN V place(V before, V own) const { return exclusive ? before : op(before, own); }
};

// The splitter of block k of n indices in blocks of n / blocks: the first n mod blocks have one more. Any index of the
// block, drawn from the seed, so that no input is bad for every seed.
LB_FN u64 block_start(u64 n, u64 blocks, u64 k) {
  const u64 rest = n % blocks;
  return k * (n / blocks) + (k < rest ? k : rest);
}
LB_FN u64 splitter_of(u64 n, u64 blocks, u64 k, u64 seed) {
  const u64 first = block_start(n, blocks, k);
  return first + mix(seed, k) % (block_start(n, blocks, k + 1) - first);
}

// Splitters that need no mark: one in each block of 2^shift indices, at a place that the number of the block and the
// key tell.
struct Posts {
  u64 n;
  u32 shift;
  u32 key;
  LB_FN u64 count() const { return (n + (u64{1} << shift) - 1) >> shift; }
  LB_FN u64 number(u64 i) const { return i >> shift; }
  LB_FN u64 post(u64 number) const {
    u32 h = (static_cast<u32>(number) ^ key) * 0x9e3779b1u;
    h = (h ^ (h >> 15)) * 0x85ebca77u;
    h ^= h >> 13;
    const u64 first = number << shift, length = u64{1} << shift;
    return first + (n - first < length ? h % (n - first) : h & (length - 1));
  }
  LB_FN bool is_post(u64 i) const { return post(number(i)) == i; }
};

// What a walk meets at an element.
template <class V>
struct Met {
  bool free;
  u64 next;   // of a free element
  u64 owner;  // of another
  V place;
};

// The states of elements. Each offers, by element i,
//   reset(i)              free, with nobody known to lead to it
//   look(i)               what a walk meets
//   claim(i, owner, v)    from now on owned
//   lead(i), led(i)       of a free element: that another free one leads to it
//   owner(i), place(i)    of an owned element; owner is `unowned` for a free one
// An element is claimed by one walk, because lists do not meet. On input where they do, walks race for it: each word is
// written whole, every walk stops at the first element it does not find free, and the count of elements taken tells.
constexpr u64 unowned = ~u64{0};

// One word holds the successor first and owner and place later: a walk touches one line of the cache an element.
template <class M, class S>
struct Fused {
  using V = u32;
  static constexpr u64 free_bit = u64{1} << 63, led_bit = u64{1} << 62, low = 0xffffffffu;
  static constexpr u64 most_owners = u64{1} << 31;
  M m;
  Links<S> links;
  LB_FN void reset(u64 i) const { m.store(i, free_bit | links(i)); }
  LB_FN Met<V> look(u64 i) const {
    const u64 w = m.load(i);
    return {(w & free_bit) != 0, w & low, w >> 32, static_cast<V>(w)};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const { m.store(i, owner << 32 | place); }
  LB_FN void lead(u64 i) const { m.store(i, m.load(i) | led_bit); }
  LB_FN bool led(u64 i) const { return (m.load(i) & led_bit) != 0; }
  LB_FN u64 owner(u64 i) const {
    const u64 w = m.load(i);
    return (w & free_bit) != 0 ? unowned : w >> 32;
  }
  LB_FN V place(u64 i) const { return static_cast<V>(m.load(i)); }
  LB_FN void prefetch(u64 i) const { m.prefetch(i); }
};

// place(32) | owner(32) beside the successors: the 64-bit layout.
template <class M, class S>
struct Bits64 {
  using V = u32;
  static constexpr u64 free_owner = 0xffffffffu, led_owner = 0xfffffffeu;
  static constexpr u64 most_owners = led_owner;
  M m;
  Links<S> links;
  LB_FN void reset(u64 i) const { m.store(i, ~u64{0}); }
  LB_FN Met<V> look(u64 i) const {
    const u64 w = m.load(i), owner = w & free_owner;
    const bool free = owner >= led_owner;
    return {free, free ? links(i) : 0, owner, static_cast<V>(w >> 32)};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const { m.store(i, static_cast<u64>(place) << 32 | owner); }
  LB_FN void lead(u64 i) const { m.store(i, led_owner); }
  LB_FN bool led(u64 i) const { return (m.load(i) & free_owner) == led_owner; }
  LB_FN u64 owner(u64 i) const {
    const u64 o = m.load(i) & free_owner;
    return o >= led_owner ? unowned : o;
  }
  LB_FN V place(u64 i) const { return static_cast<V>(m.load(i) >> 32); }
  LB_FN void prefetch(u64 i) const { m.prefetch(i); }
};

// An owner and a place apart: the 48-bit layout with Owner = u16, and the one for 64-bit values and long lists. The
// place is written before the owner is known to anyone but its walk, and read after a barrier, or not used.
template <class OwnerWords, class PlaceWords, class S>
struct Apart {
  using Owner = typename OwnerWords::Word;
  using V = typename PlaceWords::Word;
  static constexpr Owner free_owner = none<Owner>, led_owner = static_cast<Owner>(none<Owner> - 1);
  static constexpr u64 most_owners = led_owner;
  OwnerWords owners;
  PlaceWords places;
  Links<S> links;
  LB_FN void reset(u64 i) const { owners.store(i, free_owner); }
  LB_FN Met<V> look(u64 i) const {
    const Owner owner = owners.load(i);
    const bool free = owner >= led_owner;
    return {free, free ? links(i) : 0, static_cast<u64>(owner), V{}};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const {
    places.store(i, place);
    owners.store(i, static_cast<Owner>(owner));
  }
  LB_FN void lead(u64 i) const { owners.store(i, led_owner); }
  LB_FN bool led(u64 i) const { return owners.load(i) == led_owner; }
  LB_FN u64 owner(u64 i) const {
    const Owner o = owners.load(i);
    return o >= led_owner ? unowned : static_cast<u64>(o);
  }
  LB_FN V place(u64 i) const { return places.load(i); }
  LB_FN void prefetch(u64 i) const { owners.prefetch(i); }
};

// Wyllie's word: value(32) | done(1) | last(31). The value is the distance from the element to `last`; once that is the
// tail, the word is done. Both change together, so a partner may be read before or after its own turn.
struct Jump {
  static constexpr u64 done = u64{1} << 31, mask = done - 1;
  LB_FN static u64 word(u64 value, u64 last, bool finished) { return value << 32 | last | (finished ? done : 0); }
  LB_FN static bool finished(u64 w) { return (w & done) != 0; }
  LB_FN static u64 last(u64 w) { return w & mask; }
  LB_FN static u64 value(u64 w) { return w >> 32; }
};

}  // namespace lb::rank

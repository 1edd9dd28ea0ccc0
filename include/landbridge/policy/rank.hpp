// The rules of list ranking: how values are combined, where splitters lie, and how the state of an element is stored.
//
// A list of n elements is an array of successors; a tail is its own successor, or has -1. A walk begins at the start of
// a sublist and claims one element after another until it reaches one that has an owner: the start of another sublist.
// It writes at each element its own number (the owner) and the element's place: the sum of the values before it.
#pragma once
#include "../memory.hpp"
#include "../random.hpp"

namespace lb::rank {

// How values are combined.
enum class ScanOp : int { sum, min, max };

// The largest value; infinity for doubles, from its bits: device compilers have no function for it.
template <class V>
LB_FN V largest_value() {
  if constexpr (V(1) / V(2) != V(0)) {
    static_assert(sizeof(V) == sizeof(u64));
    union {
      u64 bits;
      V value;
    } infinity{u64{0x7ff} << 52};
    return infinity.value;
  } else {
    return static_cast<V>(V(-1) < V(0) ? (u64{1} << (8 * sizeof(V) - 1)) - 1 : ~u64{0});
  }
}
// The smallest, or minus infinity.
template <class V>
LB_FN V smallest_value() {
  if constexpr (V(1) / V(2) != V(0))
    return -largest_value<V>();
  else
    return static_cast<V>(-largest_value<V>() - V(1));
}

// What changes no value that it is combined with.
template <class V>
LB_FN V neutral_of(ScanOp op) {
  return op == ScanOp::sum ? V(0) : op == ScanOp::min ? largest_value<V>() : smallest_value<V>();
}

// An associative operation with its neutral value. A result that contains a NaN is a NaN.
template <class V>
struct Monoid {
  ScanOp op;
  V neutral;
  LB_FN Monoid(ScanOp scan_op) : op(scan_op), neutral(neutral_of<V>(scan_op)) {}
  LB_FN V operator()(V a, V b) const {
    if (op == ScanOp::sum) {
      // Jumps around a cycle, which is refused in the end, overflow: unsigned sums are defined.
      if constexpr (V(1) / V(2) == V(0))
        return static_cast<V>(static_cast<u64>(a) + static_cast<u64>(b));
      else
        return a + b;
    }
    if (a != a) return a;
    return op == ScanOp::min ? (a < b ? a : b) : (b < a ? a : b);
  }
};

// The unsigned type as wide as S.
template <class S>
struct UnsignedOf;
template <>
struct UnsignedOf<i32> {
  using Type = u32;
};
template <>
struct UnsignedOf<i64> {
  using Type = u64;
};

// The successor of an element; a tail is its own. The array belongs to the caller, who may change it during a call: an
// element whose successor is out of range at this moment is its own, too, so that no walk leaves the arrays.
template <class S>
class Successors {
 public:
  LB_FN Successors(const S* successor, i64 n)
      : successor_(successor), end_(static_cast<u64>(n) < negative ? static_cast<Word>(n) : negative) {}
  LB_FN u64 operator()(u64 i) const {
    const auto s = static_cast<Word>(successor_[i]);
    return s < end_ ? static_cast<u64>(s) : i;
  }

 private:
  using Word = typename UnsignedOf<S>::Type;
  static constexpr Word negative = Word{1} << (8 * sizeof(Word) - 1);  // the least that a negative number becomes
  const S* successor_;
  Word end_;  // successors are below it
};

// The value 1 for every element: sums are ranks.
template <class V>
struct UnitValues {
  LB_FN V value(u64) const { return V{1}; }
  LB_FN V add(V a, V b) const { return a + b; }
  LB_FN V neutral() const { return V{0}; }
  LB_FN V place(V before, V) const { return before; }
};

// A value per element, under any operation.
template <class V>
struct ArrayValues {
  const V* values;
  Monoid<V> op;
  bool exclusive;
  LB_FN V value(u64 i) const { return values[i]; }
  LB_FN V add(V a, V b) const { return op(a, b); }
  LB_FN V neutral() const { return op.neutral; }
  LB_FN V place(V before, V own) const { return exclusive ? before : op(before, own); }
};

// n indices in blocks of n / blocks, of which the first n mod blocks have one more. The splitter of a block is any of
// its indices, drawn from the seed, so that no input is bad for every seed.
LB_FN u64 block_start(u64 n, u64 blocks, u64 k) {
  const u64 rest = n % blocks;
  return k * (n / blocks) + (k < rest ? k : rest);
}
LB_FN u64 splitter_of(u64 n, u64 blocks, u64 k, u64 seed) {
  const u64 first = block_start(n, blocks, k);
  return first + mix(seed, k) % (block_start(n, blocks, k + 1) - first);
}

// Splitters that need no mark: whether an element is one follows from its index. Each block of 2^shift indices has one,
// at a place that is a hash of the block and the key.
struct SampledSplitters {
  u64 n;
  u32 shift;
  u32 key;
  LB_FN u64 count() const { return (n + (u64{1} << shift) - 1) >> shift; }
  LB_FN u64 block(u64 i) const { return i >> shift; }
  LB_FN u64 splitter(u64 block) const {
    const u32 h = scramble32(static_cast<u32>(block) ^ key);
    const u64 first = block << shift, length = u64{1} << shift;
    return first + (n - first < length ? h % (n - first) : h & (length - 1));
  }
  LB_FN bool is_splitter(u64 i) const { return splitter(block(i)) == i; }
};

// What a walk reads at an element.
struct Element {
  bool free;  // has no owner
  u64 next;   // the successor of a free element
  u64 owner;  // of any other
};

// The states of elements. Each offers, by element i,
//   next(i)               its successor in the input
//   reset(i)              free, without a known predecessor
//   read(i)               what a walk reads
//   claim(i, owner, v)    from now on owned, at place v
//   mark_predecessor(i)   of a free element: a free element precedes it
//   has_predecessor(i)    of a free element: whether it was marked
//   owner(i), place(i)    of an owned element; owner is `unowned` for a free one
// An element is claimed by one walk, because lists do not meet. On input where they do, walks race for it: each word is
// written whole, every walk stops at the first element that is not free, and the number of claims differs from n.
constexpr u64 unowned = ~u64{0};

// One word holds the successor first, owner and place later: a walk touches one cache line per element.
template <class M, class S>
struct Fused {
  using V = u32;
  static constexpr u64 free_bit = u64{1} << 63, predecessor_bit = u64{1} << 62, low = 0xffffffffu;
  static constexpr u64 most_owners = u64{1} << 31;
  M m;
  Successors<S> next;
  LB_FN void reset(u64 i) const { m.store(i, free_bit | next(i)); }
  LB_FN Element read(u64 i) const {
    const u64 w = m.load(i);
    return {(w & free_bit) != 0, w & low, w >> 32};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const { m.store(i, owner << 32 | place); }
  LB_FN void mark_predecessor(u64 i) const { m.store(i, m.load(i) | predecessor_bit); }
  LB_FN bool has_predecessor(u64 i) const { return (m.load(i) & predecessor_bit) != 0; }
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
  static constexpr u64 free_owner = 0xffffffffu, preceded_owner = 0xfffffffeu;
  static constexpr u64 most_owners = preceded_owner;
  M m;
  Successors<S> next;
  LB_FN void reset(u64 i) const { m.store(i, ~u64{0}); }
  LB_FN Element read(u64 i) const {
    const u64 w = m.load(i), owner = w & free_owner;
    const bool free = owner >= preceded_owner;
    return {free, free ? next(i) : 0, owner};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const { m.store(i, static_cast<u64>(place) << 32 | owner); }
  LB_FN void mark_predecessor(u64 i) const { m.store(i, preceded_owner); }
  LB_FN bool has_predecessor(u64 i) const { return (m.load(i) & free_owner) == preceded_owner; }
  LB_FN u64 owner(u64 i) const {
    const u64 o = m.load(i) & free_owner;
    return o >= preceded_owner ? unowned : o;
  }
  LB_FN V place(u64 i) const { return static_cast<V>(m.load(i) >> 32); }
  LB_FN void prefetch(u64 i) const { m.prefetch(i); }
};

// The most owners that words of a type can name: the last two values say that an element has none.
template <class Owner>
constexpr u64 most_owners_in = none<Owner> - 1;

// Owner and place in two arrays: the 48-bit layout with Owner = u16, and the one for 64-bit values and long lists. The
// place is written before any other walk can see the owner, and read after a barrier, or not used.
template <class OwnerWords, class PlaceWords, class S>
struct Separate {
  using Owner = typename OwnerWords::Word;
  using V = typename PlaceWords::Word;
  static constexpr Owner free_owner = none<Owner>, preceded_owner = static_cast<Owner>(most_owners_in<Owner>);
  static constexpr u64 most_owners = most_owners_in<Owner>;
  OwnerWords owners;
  PlaceWords places;
  Successors<S> next;
  LB_FN void reset(u64 i) const { owners.store(i, free_owner); }
  LB_FN Element read(u64 i) const {
    const Owner owner = owners.load(i);
    const bool free = owner >= preceded_owner;
    return {free, free ? next(i) : 0, static_cast<u64>(owner)};
  }
  LB_FN void claim(u64 i, u64 owner, V place) const {
    places.store(i, place);
    owners.store(i, static_cast<Owner>(owner));
  }
  LB_FN void mark_predecessor(u64 i) const { owners.store(i, preceded_owner); }
  LB_FN bool has_predecessor(u64 i) const { return owners.load(i) == preceded_owner; }
  LB_FN u64 owner(u64 i) const {
    const Owner o = owners.load(i);
    return o >= preceded_owner ? unowned : static_cast<u64>(o);
  }
  LB_FN V place(u64 i) const { return places.load(i); }
  LB_FN void prefetch(u64 i) const { owners.prefetch(i); }
};

// Wyllie's word: value(32) | finished(1) | last(31). The value is the distance from the element to `last`; once that is
// the tail, the word is finished. Both change together, so a word may be read before or after its own jump.
struct Jump {
  static constexpr u64 finished_bit = u64{1} << 31, mask = finished_bit - 1;
  LB_FN static u64 word(u64 value, u64 last, bool finished) {
    return value << 32 | last | (finished ? finished_bit : 0);
  }
  LB_FN static bool finished(u64 w) { return (w & finished_bit) != 0; }
  LB_FN static u64 last(u64 w) { return w & mask; }
  LB_FN static u64 value(u64 w) { return w >> 32; }
};

}  // namespace lb::rank

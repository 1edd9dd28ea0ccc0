// Find rules: from a vertex to the root of its tree, shortening the path or not.
//
// Contract: find(m, x) returns a vertex that was x's root at some moment during the call. Under min order (a parent is
// smaller than its child) every value read is an ancestor, so old values are harmless; each rule takes the strength of
// its reads as a parameter.
//   blind_store: shortens with plain stores, whatever the memory, and may therefore overwrite a cell that was changed
//   meanwhile
//   needs_order: relies on parent < child
#pragma once
#include "../memory.hpp"

namespace lb::find {

struct Traits {
  static constexpr bool blind_store = false;
  static constexpr bool needs_order = false;
  static constexpr bool plain_cells = true;    // works on PlainCell memories
  static constexpr bool ranked_cells = false;  // works on RankedCell memories
  static constexpr bool shortens = true;
};

// Follows parents and writes nothing.
template <class Read = Fresh>
struct Naive : Traits {
  static constexpr bool ranked_cells = true;
  static constexpr bool shortens = false;
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    for (;;) {
      const auto p = m.parent(Read::load(m, x), x);
      if (p == x) return x;
      x = p;
    }
  }
};

// Path splitting: every vertex on the path gets its grandparent as parent (Tarjan & van Leeuwen 1984; by threads:
// Jayanti & Tarjan 2016, who compare what they replace, which the memory's `shorten` need not: their bound of all work
// does not hold then, that of one find by the depth of its tree does).
template <class Read = Fresh>
struct Split : Traits {
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    for (;;) {
      const auto v = Read::load(m, x);
      const auto w = Read::load(m, v);
      if (v == w) return v;
      m.shorten(x, v, w);
      x = v;
    }
  }
};

// Path halving: every other vertex on the path gets its grandparent as parent.
template <class Read = Fresh>
struct Halve : Traits {
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    for (;;) {
      const auto v = Read::load(m, x);
      const auto w = Read::load(m, v);
      if (v == w) return v;
      m.shorten(x, v, w);
      x = w;
    }
  }
};

// Full compression: a second walk points every vertex of the path at the root. It stops at the first value
// not above that root, because the root may have been linked meanwhile.
template <class Read = Fresh>
struct Compress : Traits {
  static constexpr bool blind_store = true;
  static constexpr bool needs_order = true;
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    const auto r = Naive<Read>::find(m, x);
    for (;;) {
      const auto t = Read::load(m, x);
      if (t <= r) return r;
      m.store(x, r);
      x = t;
    }
  }
};

// Intermediate pointer jumping of ECL-CC (Jaiganesh & Burtscher 2018): one walk, each cell passed on the way
// gets the grandparent.
template <class Read = Fresh>
struct Inter : Traits {
  static constexpr bool blind_store = true;
  static constexpr bool needs_order = true;
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    auto parent = Read::load(m, x);
    if (parent == x) return x;
    auto previous = x;
    for (;;) {
      const auto next = Read::load(m, parent);
      if (parent <= next) return parent;
      m.store(previous, next);
      previous = parent;
      parent = next;
    }
  }
};

// Two-try splitting (Jayanti, Tarjan & Boix-Adsera 2019), on ranked cells: two attempts to replace the
// parent before the walk moves on; the cell's rank is kept.
template <class Read = Fresh>
struct TwoTry : Traits {
  static constexpr bool plain_cells = false;
  static constexpr bool ranked_cells = true;
  template <class M>
  LB_FN static typename M::Cell find(const M& m, typename M::Cell x) {
    auto a = Read::load(m, x);
    for (;;) {
      if (M::is_root(a)) return x;
      auto v = M::parent(a, x);
      for (int attempt = 0; attempt < 2; ++attempt) {
        v = M::parent(a, x);
        const auto b = Read::load(m, v);
        if (M::is_root(b)) return v;
        const auto shorter = M::child(M::rank(a), M::parent(b, v));
        const auto previous = m.compare_exchange(x, a, shorter);
        a = previous == a ? shorter : previous;
      }
      x = v;
      a = Read::load(m, x);
    }
  }
};

}  // namespace lb::find

// How a parent cell is read and written. A rule never touches an array: it goes through one of these
// policies, so the same rule runs on threads, alone, on a GPU, and under the schedule explorer.
//
// A memory policy M over cells of type M::Cell offers
//   load(x)           the value now (relaxed)
//   load_stale(x)     a value the cell holds or has held since the last barrier; may come from a cache
//   store(x, v)       relaxed store
//   cas(x, old, v)    compare and swap; returns what the cell held, so success means result == old
//   lower(x, v)       atomic minimum; returns what the cell held
//   prefetch(x)       a hint that x's cell is about to be read
//   pause()           called in every loop that waits for another thread
//   parent(c, x)      the parent of vertex x whose cell holds c
// No order is implied between different cells: each rule decides on single words.
//
// Two strengths of read: a traversal may use an old value, because every ancestor a cell ever held is
// still an ancestor. After a failed cas a rule goes on from the value it returned, never from a stale read.
#pragma once
#include "platform.hpp"

#if !LB_DEVICE_COMPILER
#include <atomic>
#endif

namespace lb {

// Cells that hold a parent: x is a root iff its cell holds x.
template <class Id>
struct PlainCell {
  using Vertex = Id;
  LB_FN static Id parent(Id cell, Id) { return cell; }
};

// Cells that hold root(1) | rank(7) | parent(56), for linking by rank. The rank saturates at 127, far
// above the O(lg n) it reaches; the parent field of a root means nothing.
struct RankedCell {
  using Vertex = u64;
  static constexpr u64 root_bit = u64{1} << 63;
  static constexpr int rank_shift = 56;
  static constexpr u64 parent_mask = (u64{1} << rank_shift) - 1;
  static constexpr u64 max_rank = 127;
  LB_FN static bool is_root(u64 w) { return (w & root_bit) != 0; }
  LB_FN static u64 rank(u64 w) { return (w & ~root_bit) >> rank_shift; }
  LB_FN static u64 parent(u64 w, u64 x) { return is_root(w) ? x : (w & parent_mask); }
  LB_FN static u64 root(u64 rank) { return root_bit | (rank << rank_shift); }
  LB_FN static u64 child(u64 rank, u64 parent) { return (rank << rank_shift) | parent; }
};

// One thread, or disjoint cells: plain accesses.
template <class CellType, class Kind = PlainCell<CellType>>
struct SerialMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  LB_FN explicit SerialMemory(Cell* c) : cells(c) {}
  LB_FN Cell load(Cell x) const { return cells[x]; }
  LB_FN Cell load_stale(Cell x) const { return cells[x]; }
  LB_FN void store(Cell x, Cell v) const { cells[x] = v; }
  LB_FN Cell cas(Cell x, Cell old, Cell v) const {
    const Cell seen = cells[x];
    if (seen == old) cells[x] = v;
    return seen;
  }
  LB_FN Cell lower(Cell x, Cell v) const {
    const Cell seen = cells[x];
    if (v < seen) cells[x] = v;
    return seen;
  }
  LB_FN void prefetch(Cell) const {}
  LB_FN void pause() const {}
};

#if !LB_DEVICE_COMPILER
// Threads: relaxed atomics throughout.
template <class CellType, class Kind = PlainCell<CellType>>
struct SharedMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  explicit SharedMemory(Cell* c) : cells(c) {}
  Cell load(Cell x) const { return ref(x).load(std::memory_order_relaxed); }
  Cell load_stale(Cell x) const { return load(x); }
  void store(Cell x, Cell v) const { ref(x).store(v, std::memory_order_relaxed); }
  Cell cas(Cell x, Cell old, Cell v) const {
    ref(x).compare_exchange_strong(old, v, std::memory_order_relaxed);
    return old;
  }
  Cell lower(Cell x, Cell v) const {
    Cell seen = load(x);
    while (v < seen && !ref(x).compare_exchange_weak(seen, v, std::memory_order_relaxed)) {
    }
    return seen;
  }
  void prefetch(Cell x) const { __builtin_prefetch(cells + x); }
  void pause() const {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

 private:
  std::atomic_ref<Cell> ref(Cell x) const { return std::atomic_ref<Cell>(cells[x]); }
};
#endif

// The strength of read a traversal uses: a parameter of the rule.
struct Fresh {
  static constexpr bool may_be_old = false;
  template <class M>
  LB_FN static typename M::Cell load(const M& m, typename M::Cell x) {
    return m.load(x);
  }
};
struct Stale {
  static constexpr bool may_be_old = true;
  template <class M>
  LB_FN static typename M::Cell load(const M& m, typename M::Cell x) {
    return m.load_stale(x);
  }
};

// What a link works on: the parents, and one auxiliary cell a vertex for the rules that need it
// (hooks: the claimed parent; rem_lock: the lock).
template <class M>
struct Forest {
  using Memory = M;
  using Id = typename M::Cell;
  M parent;
  M aux;
};

}  // namespace lb

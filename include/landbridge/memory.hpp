// How a parent cell is read and written. A rule never touches an array: it goes through one of these
// policies, so the same rule runs on threads, on one thread, on a GPU, and under the schedule explorer.
//
// A memory policy M over cells of type M::Cell offers
//   load(x)                      the value now (relaxed)
//   load_stale(x)                a value the cell has or has had since the last barrier; may come from a cache
//   store(x, v)                  relaxed store
//   compare_exchange(x, old, v)  compare-and-swap; returns the previous value, so success means result == old
//   fetch_min(x, v)              atomic minimum; returns the previous value
//   shorten(x, old, v)           x, which is no root any more and whose cell was read as `old`, gets its ancestor v <
//                                old for a parent. A cell that has been changed meanwhile may be raised to v (threads
//                                of a CPU), keep a smaller parent (a minimum, on a GPU) or stay as it is (the memory of
//                                a block): all are ancestors where no subtree moves. Nothing is returned, so no thread
//                                waits for a cell, or at a locked instruction of a CPU
//   store_if(stores, x, v)       the same as `store` if `stores`, without a branch; memories of one thread have it
//   prefetch(x)                  a hint that x's cell is about to be read
//   pause()                      called in every loop that waits for another thread
//   parent(c, x)                 the parent of vertex x whose cell contains c
//   contended                    a constant: other threads write cells that this one is about to read. A processor that
//                                guesses a branch reads ahead, and starts again when one of those cells is written
//                                meanwhile: so which of two walks goes on is chosen without one
// No order is implied between different cells: each rule decides on single words.
//
// Two strengths of read: a traversal may use an old value, because every ancestor that was ever in a cell
// is still an ancestor. After a failed compare_exchange a rule goes on from the value it returned, never from a stale
// read.
#pragma once
#include "platform.hpp"
#include "work.hpp"

#if !LB_DEVICE_COMPILER
#include <atomic>
#endif

namespace lb {

// Cells that hold a parent: x is a root iff its cell holds x.
template <class Id>
struct PlainCell {
  using Vertex = Id;
  static constexpr bool contended = false;
  LB_FN static Id parent(Id cell, Id) { return cell; }
};

// Cells that hold root(1) | rank(7) | parent(56), for linking by rank. The rank saturates at 127, far
// above the O(lg n) it reaches; the parent field of a root means nothing.
struct RankedCell {
  using Vertex = u64;
  static constexpr bool contended = false;
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

// The first address or the second one, in arithmetic of which compilers make no branch.
template <class T>
LB_FN T* one_of(bool first, T* a, T* b) {
  const auto x = reinterpret_cast<u64>(a), y = reinterpret_cast<u64>(b);
  return reinterpret_cast<T*>(y ^ ((x ^ y) & (u64{0} - static_cast<u64>(first))));
}

// One thread, or disjoint cells: plain accesses.
template <class CellType, class Kind = PlainCell<CellType>>
struct SerialMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  LB_FN explicit SerialMemory(Cell* c) : cells(c) {}
  LB_FN Cell load(Cell x) const {
    LB_WORK(loads);
    return cells[x];
  }
  LB_FN Cell load_stale(Cell x) const { return load(x); }
  LB_FN void store(Cell x, Cell v) const {
    LB_WORK(stores);
    cells[x] = v;
  }
  LB_FN Cell compare_exchange(Cell x, Cell old, Cell v) const {
    LB_WORK(swaps);
    const Cell previous = cells[x];
    if (previous == old) cells[x] = v;
    return previous;
  }
  LB_FN Cell fetch_min(Cell x, Cell v) const {
    LB_WORK(swaps);
    const Cell previous = cells[x];
    if (v < previous) cells[x] = v;
    return previous;
  }
  LB_FN void shorten(Cell x, Cell, Cell v) const { store(x, v); }
  LB_FN void store_if(bool stores, Cell x, Cell v) const {
    LB_WORK(stores);
    Cell other;
    *one_of(stores, cells + x, &other) = v;
  }
  LB_FN void prefetch([[maybe_unused]] Cell x) const {
#if !LB_DEVICE_COMPILER
    __builtin_prefetch(cells + x);
#endif
  }
  LB_FN void pause() const {}
};

#if !LB_DEVICE_COMPILER
// Threads: relaxed atomics throughout.
template <class CellType, class Kind = PlainCell<CellType>>
struct SharedMemory : Kind {
  using Cell = CellType;
  static constexpr bool contended = true;
  Cell* cells;
  explicit SharedMemory(Cell* c) : cells(c) {}
  Cell load(Cell x) const {
    LB_WORK(loads);
    return ref(x).load(std::memory_order_relaxed);
  }
  Cell load_stale(Cell x) const { return load(x); }
  void store(Cell x, Cell v) const {
    LB_WORK(stores);
    ref(x).store(v, std::memory_order_relaxed);
  }
  Cell compare_exchange(Cell x, Cell old, Cell v) const {
    LB_WORK(swaps);
    if (!ref(x).compare_exchange_strong(old, v, std::memory_order_relaxed)) LB_WORK(failures);
    return old;
  }
  Cell fetch_min(Cell x, Cell v) const {
    LB_WORK(swaps);
    Cell previous = load(x);
    while (v < previous && !ref(x).compare_exchange_weak(previous, v, std::memory_order_relaxed)) {
    }
    return previous;
  }
  void shorten(Cell x, Cell, Cell v) const { store(x, v); }
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

// M in a pass in which a cell is written by no thread but this one, or not at all: others may read it meanwhile. Then a
// load and a store are a compare_exchange, without a locked instruction.
template <class M>
struct SingleWriter : M {
  using Cell = typename M::Cell;
  static constexpr bool contended = false;
  using M::M;
  LB_FN Cell compare_exchange(Cell x, Cell old, Cell v) const {
    const Cell previous = M::load(x);
    if (previous == old) store(x, v);
    return previous;
  }
  LB_FN Cell fetch_min(Cell x, Cell v) const {
    const Cell previous = M::load(x);
    if (v < previous) store(x, v);
    return previous;
  }
  LB_FN void shorten(Cell x, Cell, Cell v) const { store(x, v); }
  LB_FN void store(Cell x, Cell v) const {
    LB_WORK_WRITE(x);
    M::store(x, v);
  }
  LB_FN void store_if(bool stores, Cell x, Cell v) const {
    if constexpr (requires(const M& m) { m.cells; }) {
      if (stores) LB_WORK_WRITE(x);
      Cell other;
      M(one_of(stores, M::cells + x, &other)).store(0, v);
    } else if (stores) {
      store(x, v);
    }
  }
};

// M for rules that move subtrees: what was an ancestor may be none any more, so a path is shortened only where its cell
// is as it was read.
template <class M>
struct ComparingMemory : M {
  using Cell = typename M::Cell;
  LB_FN explicit ComparingMemory(const M& m) : M(m) {}
  LB_FN void shorten(Cell x, Cell old, Cell v) const { M::compare_exchange(x, old, v); }
};

#if !LB_DEVICE_COMPILER
// Words other than parents (places in a list, owners, flags): any type, indexed by element, relaxed as above.
template <class T>
struct SharedWords {
  using Word = T;
  T* words;
  explicit SharedWords(T* w) : words(w) {}
  T load(u64 i) const { return std::atomic_ref<T>(words[i]).load(std::memory_order_relaxed); }
  void store(u64 i, T v) const { std::atomic_ref<T>(words[i]).store(v, std::memory_order_relaxed); }
  T exchange(u64 i, T v) const { return std::atomic_ref<T>(words[i]).exchange(v, std::memory_order_relaxed); }
  void prefetch(u64 i) const { __builtin_prefetch(words + i, 1); }
};
#endif

#if LB_DEVICE_COMPILER
namespace device {

// Relaxed accesses at the scope of the device: they meet in its L2 cache. The PTX forms instead of cuda::atomic_ref,
// which would make a kernel thirty times slower to compile.
LB_FN u32 load(const u32* p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}
LB_FN u64 load(const u64* p) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}
// Weak loads may be answered by the L1 cache of the multiprocessor. PTX defines races between accesses of one size,
// and the compiler cannot merge or move the statement.
LB_FN u32 load_weak(const u32* p) {
  u32 v;
  asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}
LB_FN u64 load_weak(const u64* p) {
  u64 v;
  asm volatile("ld.weak.global.u64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}
LB_FN void store(u32* p, u32 v) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(v));
}
LB_FN void store(u64* p, u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v));
}
LB_FN void store_weak(u32* p, u32 v) {
  asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(v));
}
LB_FN void store_weak(u64* p, u64 v) {
  asm volatile("st.weak.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v));
}

// The same for a block's shared memory.
LB_FN unsigned short load_shared(const unsigned short* p) {
  unsigned short v;
  asm volatile("ld.relaxed.cta.shared.u16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_shared(p)));
  return v;
}
LB_FN void store_shared(unsigned short* p, unsigned short v) {
  asm volatile("st.relaxed.cta.shared.u16 [%0], %1;" ::"l"(__cvta_generic_to_shared(p)), "h"(v));
}
LB_FN u32 load_shared(const u32* p) {
  u32 v;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_shared(p)));
  return v;
}
LB_FN void store_shared(u32* p, u32 v) {
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"l"(__cvta_generic_to_shared(p)), "r"(v));
}
LB_FN u16 load(const u16* p) {
  u16 v;
  asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}
LB_FN void store(u16* p, u16 v) {
  asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(v));
}

}  // namespace device

// SharedWords for threads of a GPU; a word has 16, 32 or 64 bits of whatever type.
template <class T>
struct DeviceWords {
  using Word = T;
  T* words;
  LB_FN explicit DeviceWords(T* w) : words(w) {}
  LB_FN T load(u64 i) const {
    if constexpr (sizeof(T) == 2) return device::load(words + i);
    if constexpr (sizeof(T) == 4) return as<T>(device::load(reinterpret_cast<u32*>(words + i)));
    if constexpr (sizeof(T) == 8) return as<T>(device::load(reinterpret_cast<u64*>(words + i)));
  }
  LB_FN void store(u64 i, T v) const {
    if constexpr (sizeof(T) == 2) device::store(words + i, v);
    if constexpr (sizeof(T) == 4) device::store(reinterpret_cast<u32*>(words + i), as<u32>(v));
    if constexpr (sizeof(T) == 8) device::store(reinterpret_cast<u64*>(words + i), as<u64>(v));
  }
  LB_FN void prefetch(u64) const {}

 private:
  template <class To, class From>
  LB_FN static To as(From v) {
    union {
      From from;
      To to;
    } bits;
    bits.from = v;
    return bits.to;
  }
};

// Threads of one GPU. Loads and stores are relaxed, load_stale is weak, and read-modify-writes are the built-ins. A
// path is shortened by a minimum whose result is not waited for: what was read may be old, and a store would lengthen
// paths again that others have shortened.
template <class CellType, class Kind = PlainCell<CellType>>
struct DeviceMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  LB_FN explicit DeviceMemory(Cell* c) : cells(c) {}
  LB_FN Cell load(Cell x) const { return device::load(cells + x); }
  LB_FN Cell load_stale(Cell x) const { return device::load_weak(cells + x); }
  LB_FN void store(Cell x, Cell v) const { device::store(cells + x, v); }
  LB_FN Cell compare_exchange(Cell x, Cell old, Cell v) const { return atomicCAS(cells + x, old, v); }
  LB_FN Cell fetch_min(Cell x, Cell v) const { return atomicMin(cells + x, v); }
  LB_FN void shorten(Cell x, Cell, Cell v) const { atomicMin(cells + x, v); }
  LB_FN void prefetch(Cell) const {}
  LB_FN void pause() const { __nanosleep(20); }
};

// The same cells in a pass during which no link runs: every access may go through the L1 cache, because each value a
// cell takes is an ancestor or, for cells with one writer, the only other value.
template <class CellType, class Kind = PlainCell<CellType>>
struct QuietMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  LB_FN explicit QuietMemory(Cell* c) : cells(c) {}
  LB_FN Cell load(Cell x) const { return device::load_weak(cells + x); }
  LB_FN Cell load_stale(Cell x) const { return device::load_weak(cells + x); }
  LB_FN void store(Cell x, Cell v) const { device::store_weak(cells + x, v); }
  LB_FN Cell compare_exchange(Cell x, Cell old, Cell v) const { return atomicCAS(cells + x, old, v); }
  LB_FN Cell fetch_min(Cell x, Cell v) const { return atomicMin(cells + x, v); }
  LB_FN void shorten(Cell x, Cell, Cell v) const { atomicMin(cells + x, v); }
  LB_FN void prefetch(Cell) const {}
  LB_FN void pause() const {}
};

// Cells in the shared memory of a block, whose threads meet there: nothing is ever old.
template <class CellType, class Kind = PlainCell<CellType>>
struct BlockMemory : Kind {
  using Cell = CellType;
  Cell* cells;
  LB_FN explicit BlockMemory(Cell* c) : cells(c) {}
  LB_FN Cell load(Cell x) const { return device::load_shared(cells + x); }
  LB_FN Cell load_stale(Cell x) const { return load(x); }
  LB_FN void store(Cell x, Cell v) const { device::store_shared(cells + x, v); }
  LB_FN Cell compare_exchange(Cell x, Cell old, Cell v) const { return atomicCAS(cells + x, old, v); }
  LB_FN Cell fetch_min(Cell x, Cell v) const { return atomicMin(cells + x, v); }
  // Cells of 16 bits have no minimum.
  LB_FN void shorten(Cell x, Cell old, Cell v) const { compare_exchange(x, old, v); }
  LB_FN void prefetch(Cell) const {}
  LB_FN void pause() const {}
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

// What a link works on: the parents, and one auxiliary cell per vertex for the rules that need it (hooks: the claimed
// parent; rem_lock: the lock).
template <class M>
struct Forest {
  using Memory = M;
  using Id = typename M::Cell;
  M parent;
  M aux;
};

}  // namespace lb

// Feeds edges of any layout and width to a kernel in small batches. This is where rows are windowed, filtered and
// skipped and where stages are relabelled; kernels see nothing but pairs of ids.
#pragma once
#include <algorithm>

#include "graph.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"

namespace lb::core {

// A batch on the stack of one thread.
template <class Id>
class Batch {
 public:
  Batch(const Kernel<Id>& kernel, const Cells<Id>& cells, bool alone)
      : pairs_(alone ? kernel.pairs_alone : kernel.pairs), cells_(cells) {}
  ~Batch() { flush(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(Id u, Id v) {
    u_[count_] = u;
    v_[count_] = v;
    if (++count_ == cpu::batch_edges) flush();
  }
  // The arcs of one vertex that pass `keep`, without a branch for each.
  template <class T, class Keep>
  void add_row(Id u, const T* neighbors, i64 count, const Keep& keep) {
    for (i64 base = 0; base < count;) {
      const i64 some = std::min(count - base, cpu::batch_edges - count_);
      i64 c = count_;
      for (i64 i = 0; i < some; ++i) {
        const Id v = static_cast<Id>(neighbors[base + i]);
        u_[c] = u;
        v_[c] = v;
        c += keep(v) ? 1 : 0;
      }
      count_ = c;
      base += some;
      if (count_ == cpu::batch_edges) flush();
    }
  }
  // The pairs [begin, end) of two arrays of T; the kernel reads them in place where they lie as it wants them.
  template <class T>
  void add_pairs(const IdArray& u, const IdArray& v, i64 begin, i64 end) {
    const T* a = u.as<T>() + begin * u.stride;
    const T* b = v.as<T>() + begin * v.stride;
    if constexpr (sizeof(T) == sizeof(Id)) {
      if (u.stride == 1 && v.stride == 1) {
        pairs_(cells_, reinterpret_cast<const Id*>(a), reinterpret_cast<const Id*>(b), end - begin);
        return;
      }
    }
    for (i64 base = 0; base < end - begin; base += cpu::batch_edges) {
      const i64 some = std::min(end - begin - base, cpu::batch_edges);
      if (u.stride == 1 && v.stride == 1) {
        for (i64 i = 0; i < some; ++i) u_[i] = static_cast<Id>(a[base + i]);
        for (i64 i = 0; i < some; ++i) v_[i] = static_cast<Id>(b[base + i]);
      } else {
        for (i64 i = 0; i < some; ++i) {
          u_[i] = static_cast<Id>(a[(base + i) * u.stride]);
          v_[i] = static_cast<Id>(b[(base + i) * v.stride]);
        }
      }
      pairs_(cells_, u_, v_, some);
    }
  }
  void flush() {
    if (count_ > 0) pairs_(cells_, u_, v_, count_);
    count_ = 0;
  }

 private:
  void (*pairs_)(const Cells<Id>&, const Id*, const Id*, i64);
  const Cells<Id>& cells_;
  i64 count_ = 0;
  Id u_[cpu::batch_edges];
  Id v_[cpu::batch_edges];
};

// Calls f with the element types of the rows: f(const Offset*, const Neighbor*).
template <class F>
void with_row_types(const GraphView& g, const F& f) {
  if (g.offsets.wide) {
    if (g.a.wide) f(g.offsets.as<i64>(), g.a.as<u64>());
    else f(g.offsets.as<i64>(), g.a.as<u32>());
  } else {
    if (g.a.wide) f(g.offsets.as<i32>(), g.a.as<u64>());
    else f(g.offsets.as<i32>(), g.a.as<u32>());
  }
}

// Visits the rows, or pieces of rows, that make up the arcs [begin, end): row(x, neighbors, count).
template <class Offset, class T, class Row>
void for_row_pieces(const Offset* offsets, const T* neighbors, i64 vertices, i64 begin, i64 end, const Row& row) {
  // The last row that starts at or before `begin` and is not empty before it.
  i64 x = std::upper_bound(offsets, offsets + vertices + 1, static_cast<Offset>(begin)) - offsets - 1;
  for (; x < vertices; ++x) {
    const i64 row_begin = static_cast<i64>(offsets[x]);
    if (row_begin >= end) return;
    const i64 from = std::max(row_begin, begin);
    const i64 to = std::min(static_cast<i64>(offsets[x + 1]), end);
    if (from < to) row(x, neighbors + from, to - from);
  }
}

}  // namespace lb::core

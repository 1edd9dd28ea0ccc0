// Feeds edges of any layout and width to a kernel in small batches. This is where rows are windowed, filtered and
// skipped and where stages are relabelled; kernels see nothing but pairs of ids.
#pragma once
#include <algorithm>

#include "graph.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"

namespace lb::core {

// A batch on the stack of one thread; `marked` may say which words are its own. With `marks` it knows the arc behind
// each pair, and the kernel marks those that link.
template <class Id, bool marks>
class Batch {
 public:
  Batch(const Kernel<Id>& kernel, const Cells<Id>& cells, const Marks& marked, bool alone)
      : pairs_(alone ? kernel.pairs_alone : kernel.pairs),
        marking_(alone ? kernel.marking_alone : kernel.marking),
        cells_(cells),
        marked_(marked) {}
  ~Batch() { flush(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(Id u, Id v, i64 arc) {
    u_[count_] = u;
    v_[count_] = v;
    if constexpr (marks) arc_[count_] = arc;
    if (++count_ == cpu::batch_edges) flush();
  }
  // The arcs of one vertex from arc `first` on that pass `keep`, without a branch for each.
  template <class T, class Keep>
  void add_row(Id u, const T* neighbors, i64 first, i64 count, const Keep& keep) {
    for (i64 base = 0; base < count;) {
      const i64 some = std::min(count - base, cpu::batch_edges - count_);
      i64 c = count_;
      for (i64 i = 0; i < some; ++i) {
        const Id v = static_cast<Id>(neighbors[base + i]);
        u_[c] = u;
        v_[c] = v;
        if constexpr (marks) arc_[c] = first + base + i;
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
        run(reinterpret_cast<const Id*>(a), reinterpret_cast<const Id*>(b), end - begin, {begin, nullptr});
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
      run(u_, v_, some, {begin + base, nullptr});
    }
  }
  void flush() {
    if (count_ > 0) run(u_, v_, count_, {0, arc_});
    count_ = 0;
  }

 private:
  void run(const Id* u, const Id* v, i64 count, const Places& places) {
    if constexpr (marks)
      marking_(cells_, u, v, count, marked_, places);
    else
      pairs_(cells_, u, v, count);
  }

  decltype(Kernel<Id>::pairs) pairs_;
  decltype(Kernel<Id>::marking) marking_;
  const Cells<Id>& cells_;
  const Marks marked_;
  i64 count_ = 0;
  Id u_[cpu::batch_edges];
  Id v_[cpu::batch_edges];
  i64 arc_[marks ? cpu::batch_edges : 1];
};

// Calls f with the element types of the rows: f(const Offset*, const Neighbor*).
template <class F>
void with_row_types(const GraphView& g, const F& f) {
  if (g.offsets.width == IdWidth::wide) {
    if (g.a.width == IdWidth::wide)
      f(g.offsets.as<i64>(), g.a.as<u64>());
    else
      f(g.offsets.as<i64>(), g.a.as<u32>());
  } else {
    if (g.a.width == IdWidth::wide)
      f(g.offsets.as<i32>(), g.a.as<u64>());
    else
      f(g.offsets.as<i32>(), g.a.as<u32>());
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

// Feeds edges of any layout and width to a kernel in small batches. This is where rows are windowed, filtered and
// skipped and where stages are relabelled; kernels see nothing but pairs of ids.
#pragma once
#include <algorithm>

#include "graph.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "owned.hpp"

namespace lb::core {

// The edges [begin, end) of two arrays of ids as pairs of Id: batch(u, v, first, count). Where the arrays have that
// width and no gaps, this is one batch that lies where they lie; else copies that stay in the cache, each a multiple of
// 8 edges behind `begin`.
template <class Id, class Batch>
void for_edge_batches(const IdArray& u, const IdArray& v, i64 begin, i64 end, const Batch& batch) {
  with_id(u.width, [&]<class T>() {
    const T* const a = u.as<T>() + begin * u.stride;
    const T* const b = v.as<T>() + begin * v.stride;
    const bool contiguous = u.stride == 1 && v.stride == 1;
    if constexpr (sizeof(T) == sizeof(Id)) {
      if (contiguous) {
        batch(reinterpret_cast<const Id*>(a), reinterpret_cast<const Id*>(b), begin, end - begin);
        return;
      }
    }
    Id x[cpu::batch_edges], y[cpu::batch_edges];
    for (i64 base = 0; base < end - begin; base += cpu::batch_edges) {
      const i64 count = std::min(end - begin - base, cpu::batch_edges);
      if (contiguous) {
        for (i64 i = 0; i < count; ++i) x[i] = static_cast<Id>(a[base + i]);
        for (i64 i = 0; i < count; ++i) y[i] = static_cast<Id>(b[base + i]);
      } else {
        for (i64 i = 0; i < count; ++i) {
          x[i] = static_cast<Id>(a[(base + i) * u.stride]);
          y[i] = static_cast<Id>(b[(base + i) * v.stride]);
        }
      }
      batch(x, y, begin + base, count);
    }
  });
}

// The edges that one thread hands to a kernel. With `forest` it records the arc of each edge, and the kernel
// records those that link in `tree_edges`.
template <class Id, bool forest>
class EdgeBatch {
 public:
  EdgeBatch(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, bool serial)
      : unite_(serial ? kernel.unite_serial : kernel.unite),
        record_(serial ? kernel.record_serial : kernel.record),
        cells_(cells),
        tree_edges_(tree_edges) {}
  // In a pass in which this thread owns a range of vertices.
  EdgeBatch(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, OwnedRange<Id, forest>& range)
      : cells_(cells), tree_edges_(tree_edges), kernel_(&kernel), range_(&range) {}
  ~EdgeBatch() { flush(); }
  EdgeBatch(const EdgeBatch&) = delete;
  EdgeBatch& operator=(const EdgeBatch&) = delete;

  // Whether the cells of the following edges lie near each other.
  void near(bool is) { cells_.near = is; }

  void add(Id u, Id v, i64 arc) {
    u_[count_] = u;
    v_[count_] = v;
    if constexpr (forest) arc_[count_] = arc;
    if (++count_ == cpu::batch_edges) flush();
  }
  // The arcs of one vertex from arc `first` on that pass `keep`, without a branch for each.
  template <class T, class Keep>
  void add_row(Id u, const T* neighbors, i64 first, i64 count, const Keep& keep) {
    if (count < cpu::batch_edges - count_) [[likely]] {
      i64 c = count_;
      for (i64 i = 0; i < count; ++i) {
        const Id v = static_cast<Id>(neighbors[i]);
        u_[c] = u;
        v_[c] = v;
        if constexpr (forest) arc_[c] = first + i;
        c += keep(v) ? 1 : 0;
      }
      count_ = c;
      return;
    }
    for (i64 base = 0; base < count;) {
      const i64 some = std::min(count - base, cpu::batch_edges - count_);
      i64 c = count_;
      for (i64 i = 0; i < some; ++i) {
        const Id v = static_cast<Id>(neighbors[base + i]);
        u_[c] = u;
        v_[c] = v;
        if constexpr (forest) arc_[c] = first + base + i;
        c += keep(v) ? 1 : 0;
      }
      count_ = c;
      base += some;
      if (count_ == cpu::batch_edges) flush();
    }
  }
  // The arcs [begin, end), which begin in the row of x, to smaller vertices.
  template <class Offset, class T>
  void add_smaller(const Offset* offsets, const T* neighbors, i64 x, i64 begin, i64 end) {
    i64 c = count_;
    for (i64 arc = begin; arc < end; ++x) {
      const i64 row_end = std::min(static_cast<i64>(offsets[x + 1]), end);
      while (arc < row_end) {
        const i64 stop = std::min(row_end, arc + cpu::batch_edges - c);
        for (; arc < stop; ++arc) {
          const Id v = static_cast<Id>(neighbors[arc]);
          u_[c] = static_cast<Id>(x);
          v_[c] = v;
          if constexpr (forest) arc_[c] = arc;
          c += v < static_cast<Id>(x) ? 1 : 0;
        }
        if (c == cpu::batch_edges) {
          count_ = c;
          flush();
          c = 0;
        }
      }
    }
    count_ = c;
  }
  // The edges [begin, end) of a COO edge list, past the edges that are waiting.
  void add_edges(const IdArray& u, const IdArray& v, i64 begin, i64 end) {
    for_edge_batches<Id>(u, v, begin, end,
                         [&](const Id* x, const Id* y, i64 first, i64 count) { run(x, y, count, {first, nullptr}); });
  }
  void flush() {
    if (count_ > 0) run(u_, v_, count_, {0, arc_});
    count_ = 0;
  }

 private:
  void run(const Id* u, const Id* v, i64 count, const ArcPositions& arcs) {
    if (range_ != nullptr) return range_->unite(*kernel_, cells_, u, v, count, tree_edges_, arcs);
    if constexpr (forest)
      record_(cells_, u, v, count, tree_edges_, arcs);
    else
      unite_(cells_, u, v, count);
  }

  decltype(Kernel<Id>::unite) unite_ = nullptr;
  decltype(Kernel<Id>::record) record_ = nullptr;
  Cells<Id> cells_;
  const EdgeBits tree_edges_;
  const Kernel<Id>* kernel_ = nullptr;
  OwnedRange<Id, forest>* range_ = nullptr;
  i64 count_ = 0;
  Id u_[cpu::batch_edges];
  Id v_[cpu::batch_edges];
  i64 arc_[forest ? cpu::batch_edges : 1];
};

// Calls f with the element types of a CSR graph: f(const Offset*, const Neighbor*).
template <class F>
void with_csr(const GraphView& g, const F& f) {
  with_id(g.a.width, [&]<class T>() {
    if (g.offsets.width == IdWidth::wide)
      f(g.offsets.as<i64>(), g.a.as<T>());
    else
      f(g.offsets.as<i32>(), g.a.as<T>());
  });
}

// The row that arc `arc` is in.
template <class Offset>
i64 row_of(const Offset* offsets, i64 vertices, i64 arc) {
  return std::upper_bound(offsets, offsets + vertices + 1, static_cast<Offset>(arc)) - offsets - 1;
}

// Visits the rows, or pieces of rows, that make up the arcs [begin, end), which begin in the row of x:
// row(x, neighbors, count).
template <class Offset, class T, class Row>
void for_row_pieces(const Offset* offsets, const T* neighbors, i64 x, i64 begin, i64 end, const Row& row) {
  for (i64 from = begin; from < end; ++x) {
    const i64 to = std::min(static_cast<i64>(offsets[x + 1]), end);
    if (from < to) row(x, neighbors + from, to - from);
    from = to;
  }
}

}  // namespace lb::core

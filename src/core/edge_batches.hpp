// Feeds edges of any layout and width to a kernel in small batches. This is where rows are windowed, filtered and
// skipped and where stages are relabelled; kernels see nothing but pairs of ids.
#pragma once
#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>

#include "graph.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "largest_tree.hpp"
#include "owned.hpp"
#include "row_arcs.hpp"

namespace lb::core {

// Edges of a copy: so many that the last ones, which no edges behind them hide, hardly count; they stay in the cache.
constexpr i64 copied_edges = 2 * cpu::batch_edges;

// Makes ids that are larger than `last` < 2^31 (2^63) that one.
template <class Id>
void bound_ids(Id* ids, i64 count, Id last) {
  Id beyond = 0;  // the top bit shows an id that is, without a comparison
  for (i64 i = 0; i < count; ++i) beyond |= static_cast<Id>(last - ids[i]) | ids[i];
  if (beyond >> (sizeof(Id) * 8 - 1) == 0) return;
  for (i64 i = 0; i < count; ++i) ids[i] = ids[i] < last ? ids[i] : last;
}

// Copies ids of an array that its owner may be writing: none is read there twice.
template <class T, class Id>
void copy_once(const T* from, i64 stride, i64 count, Id* to) {
  if (stride == 1) {
    for (i64 i = 0; i < count; ++i) to[i] = static_cast<Id>(from[i]);
  } else {
    for (i64 i = 0; i < count; ++i) to[i] = static_cast<Id>(from[i * stride]);
  }
  // The source is not read again in place of the copy.
  asm volatile("" : : "r"(to) : "memory");
}

// Ids that the compiler cannot read again from where they came.
#if defined(__x86_64__)
#define LB_IN_VECTOR(ids) asm("" : "+x"(ids))
#elif defined(__aarch64__)
#define LB_IN_VECTOR(ids) asm("" : "+w"(ids))
#endif

// Copies ids like `copy_once`. Whether one of them, as it was copied, may be larger than `last`, which has no top bit:
// false if none has the top bit and none is larger.
template <class T, class Id>
bool copy_comparing(const T* from, i64 stride, i64 count, T last, Id* to) {
  T beyond = 0;
  i64 i = 0;
#if defined(LB_IN_VECTOR)
  constexpr i64 lanes = 16 / sizeof(T);
  typedef T Read __attribute__((vector_size(16)));
  typedef Id Written __attribute__((vector_size(lanes * sizeof(Id))));
  Read beyond_lane = {};
  for (; stride == 1 && i + lanes <= count; i += lanes) {
    Read ids;
    std::memcpy(&ids, from + i, sizeof ids);
    LB_IN_VECTOR(ids);
    const Written copies = __builtin_convertvector(ids, Written);
    std::memcpy(to + i, &copies, sizeof copies);
    beyond_lane |= (last - ids) | ids;
  }
  for (i64 k = 0; k < lanes; ++k) beyond |= beyond_lane[k];
#endif
  for (; i < count; ++i) {
    const T id = read_once(from + i * stride);
    to[i] = static_cast<Id>(id);
    beyond |= static_cast<T>(last - id) | id;
  }
  return beyond >> (sizeof(T) * 8 - 1) != 0;
}

// Copies `count` ids from `begin` on, none of them larger than the last one of the array: no other thread changes them
// once they have been compared. Whether one may have been larger.
template <class Id>
bool copy_bounded(const IdArray& ids, i64 begin, i64 count, Id* to) {
  bool beyond = false;
  with_id(ids.width, [&]<class T>() {
    constexpr u64 most = std::min<u64>(none<T> >> 1, none<Id> >> 1);
    const T last = static_cast<T>(std::min<u64>(ids.last, most));
    beyond = copy_comparing(ids.as<T>() + begin * ids.stride, ids.stride, count, last, to);
  });
  if (beyond) bound_ids(to, count, static_cast<Id>(std::min<u64>(ids.last, none<Id> >> 1)));
  return beyond;
}

// The edges [begin, end) of two arrays of ids as pairs of Id, as they are read: visit(u, v, first, count). Where the
// arrays have that width and no gaps, this is one call with the arrays themselves; else calls with copies that stay in
// the cache.
template <class Id, class Visit>
void for_unbounded_batches(const IdArray& u, const IdArray& v, i64 begin, i64 end, const Visit& visit) {
  with_id(u.width, [&]<class T>() {
    const T* const a = u.as<T>() + begin * u.stride;
    const T* const b = v.as<T>() + begin * v.stride;
    if constexpr (sizeof(T) == sizeof(Id)) {
      if (u.stride == 1 && v.stride == 1) {
        visit(reinterpret_cast<const Id*>(a), reinterpret_cast<const Id*>(b), begin, end - begin);
        return;
      }
    }
    Id x[copied_edges], y[copied_edges];
    for (i64 base = 0; base < end - begin; base += copied_edges) {
      const i64 count = std::min(end - begin - base, copied_edges);
      copy_once(a + base * u.stride, u.stride, count, x);
      copy_once(b + base * v.stride, v.stride, count, y);
      visit(x, y, begin + base, count);
    }
  });
}

// The same, always as copies, in which no id is larger than the last one of its array. Each is a multiple of 8 edges
// behind `begin`.
template <class Id, class Visit>
void for_edge_batches(const IdArray& u, const IdArray& v, i64 begin, i64 end, const Visit& visit) {
  Id x[copied_edges], y[copied_edges];
  for (i64 base = begin; base < end; base += copied_edges) {
    const i64 count = std::min(end - base, copied_edges);
    copy_bounded(u, base, count, x);
    copy_bounded(v, base, count, y);
    visit(x, y, base, count);
  }
}

// The edges [begin, end) in batches; bounded by copies unless there is a cell for any id.
template <class Id, class Visit>
void for_batches(const IdArray& u, const IdArray& v, i64 begin, i64 end, bool any_id, const Visit& visit) {
  if (any_id)
    for_unbounded_batches<Id>(u, v, begin, end, visit);
  else
    for_edge_batches<Id>(u, v, begin, end, visit);
}

// Whether the smaller endpoints of the edges [begin, end) descend, as far as a few places show. In their order every
// further edge would link the root of all before to a smaller vertex, so that paths were as long as there are edges;
// from the last edge on they are short.
bool descend(const IdArray& u, const IdArray& v, i64 begin, i64 end);

// `for_edge_batches` from the last edge on: visit(u, v, first, count), where u[0] and v[0] are edge first + count - 1.
template <class Id, class Visit>
void for_batches_backwards(const IdArray& u, const IdArray& v, i64 begin, i64 end, const Visit& visit) {
  Id x[copied_edges], y[copied_edges];
  for (i64 first = end; first > begin;) {
    const i64 count = std::min(first - begin, copied_edges);
    first -= count;
    copy_bounded(u, first, count, x);
    copy_bounded(v, first, count, y);
    std::reverse(x, x + count);
    std::reverse(y, y + count);
    visit(x, y, first, count);
  }
}

// A condition on neighbours that all of them satisfy.
struct Every {
  template <class Id>
  bool operator()(Id) const {
    return true;
  }
};

// Unions that one thread has before it: a buffer of edges for a kernel. With `forest` it records the arc of each edge,
// and the kernel records those that link in `tree_edges`. What takes rows is inlined where a pass chooses their arcs;
// what is called for a batch, or for a part of a list, is compiled once.
template <class Id, bool forest>
class UnionBuffer {
 public:
  UnionBuffer(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges, bool serial,
              Id last = none<Id> >> 1)
      : unite_(serial ? kernel.unite_serial : kernel.unite),
        record_(serial ? kernel.record_serial : kernel.record),
        cells_(cells),
        tree_edges_(tree_edges),
        last_(last) {}
  // In a pass in which this thread owns a range of vertices.
  UnionBuffer(const Kernel<Id>& kernel, const Cells<Id>& cells, const EdgeBits& tree_edges,
              OwnedRange<Id, forest>& range, Id last = none<Id> >> 1)
      : cells_(cells), tree_edges_(tree_edges), last_(last), kernel_(&kernel), range_(&range) {}
  // Owners keep edges that wait, for which there may be no memory. Where that or anything else ends the run, the edges
  // of the buffer are left.
  ~UnionBuffer() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) flush();
  }
  UnionBuffer(const UnionBuffer&) = delete;
  UnionBuffer& operator=(const UnionBuffer&) = delete;

  // Whether the cells of the following edges lie near each other.
  void near(bool is) { cells_.distance = is ? cpu::Distance::near : elsewhere_; }

  void add(Id u, Id v, i64 arc) {
    compared_ = false;
    waiting_.u[waiting_.count] = u;
    waiting_.v[waiting_.count] = v;
    if constexpr (forest) waiting_.arc[waiting_.count] = arc;
    if (++waiting_.count == cpu::batch_edges) flush();
  }
  // The arcs [begin, end), which begin in the row of x; the first `united` ones of a row may be left out.
  template <class Offsets, class T>
  void add_arcs(Offsets offsets, Bounded<T> neighbors, i64 vertices, i64 x, i64 begin, i64 end, i64 united) {
    if (united > 0) return add_kept_arcs<false>(offsets, neighbors, vertices, x, begin, end, united, [&] { flush(); });
    for (i64 at = begin; at < end;) {
      const i64 c = waiting_.count, some = std::min({end - at, cpu::batch_edges - c, arcs_at_once});
      Id* const u = waiting_.u + c;
      x = mark_rows(offsets, vertices, x, at, some, u);
      carry_marks(u, some);
      copy_neighbors(neighbors + at, some, waiting_.v + c);
      if constexpr (forest) std::iota(waiting_.arc + c, waiting_.arc + c + some, at);
      at += some;
      waiting_.count = c + some;
      if (waiting_.count == cpu::batch_edges) flush();
    }
  }
  // All arcs of one vertex from arc `first` on.
  template <class T>
  void add_row(Id u, Bounded<T> neighbors, i64 first, i64 count, const Every&) {
    for (i64 base = 0; base < count;) {
      const i64 some = std::min(count - base, cpu::batch_edges - waiting_.count);
      Id* const v = waiting_.v + waiting_.count;
      copy_neighbors(neighbors + base, some, v);
      std::fill(waiting_.u + waiting_.count, waiting_.u + waiting_.count + some, u);
      if constexpr (forest)
        std::iota(waiting_.arc + waiting_.count, waiting_.arc + waiting_.count + some, first + base);
      waiting_.count += some;
      base += some;
      if (waiting_.count == cpu::batch_edges) flush();
    }
  }
  // The arcs of one vertex from arc `first` on that pass `keep`, without a branch for each. `keep` gets ids as they are
  // read: perhaps of no vertex.
  template <class Row, class Keep>
  void add_row(Id u, Row neighbors, i64 first, i64 count, const Keep& keep) {
    if (count < cpu::batch_edges - waiting_.count) [[likely]] {
      compared_ = false;
      i64 c = waiting_.count;
      for (i64 i = 0; i < count; ++i) {
        const Id v = static_cast<Id>(neighbors.unbounded(i));
        waiting_.u[c] = u;
        waiting_.v[c] = v;
        if constexpr (forest) waiting_.arc[c] = first + i;
        c += keep(v) ? 1 : 0;
      }
      waiting_.count = c;
      return;
    }
    for (i64 base = 0; base < count;) {
      compared_ = false;
      const i64 some = std::min(count - base, cpu::batch_edges - waiting_.count);
      i64 c = waiting_.count;
      for (i64 i = 0; i < some; ++i) {
        const Id v = static_cast<Id>(neighbors.unbounded(base + i));
        waiting_.u[c] = u;
        waiting_.v[c] = v;
        if constexpr (forest) waiting_.arc[c] = first + base + i;
        c += keep(v) ? 1 : 0;
      }
      waiting_.count = c;
      base += some;
      if (waiting_.count == cpu::batch_edges) flush();
    }
  }
  // The arcs [begin, end), which begin in the row of x, to smaller vertices; the first `united` ones of a row may be
  // left out.
  template <class Offsets, class Neighbors>
  void add_smaller(Offsets offsets, Neighbors neighbors, i64 vertices, i64 x, i64 begin, i64 end, i64 united) {
    EdgePairs<Id, forest> firsts;
    const auto unite = [&] {
      part_firsts(waiting_, firsts);
      // They take one step each: where a core's own cache holds the cells, that is less than fetching them.
      const Cells<Id> of_others = cells_;
      if (of_others.distance == cpu::Distance::cached) cells_.distance = cpu::Distance::near, cells_.choice = nullptr;
      unite_all(firsts);
      cells_ = of_others;
      unite_all(waiting_);
    };
    add_kept_arcs<true>(offsets, neighbors, vertices, x, begin, end, united, unite);
    unite();
  }
  // The edges [begin, end) of a COO edge list, past the edges that are waiting. any_id: there is a cell for any of
  // them.
  void add_edges(const IdArray& u, const IdArray& v, i64 begin, i64 end, bool any_id);
  // The same, but the edges between two vertices of `tree`. Returns how many there are.
  i64 add_joining_edges(const LargestTree<Id>& tree, const IdArray& u, const IdArray& v, i64 begin, i64 end,
                        bool any_id);
  // The same, without the edges whose endpoints have one parent, of rules whose cells are parents. Links and finds may
  // run: what has been connected stays so.
  i64 add_parted_edges(const IdArray& u, const IdArray& v, i64 begin, i64 end, bool any_id);
  void flush();

 private:
  template <class T>
  void copy_neighbors(Bounded<T> neighbors, i64 count, Id* to) const {
    constexpr T most = static_cast<T>(none<Id> >> 1);
    if (copy_comparing(neighbors.data, 1, count, std::min(neighbors.last, most), to)) bound_ids(to, count, last_);
  }
  // Calls unite() where there may be no place for the next arcs.
  template <bool smaller, class Offsets, class Neighbors, class Unite>
  void add_kept_arcs(const Offsets& offsets, const Neighbors& neighbors, i64 vertices, i64 x, i64 begin, i64 end,
                     i64 united, const Unite& unite) {
    Id marks[arcs_at_once];
    for (i64 at = begin; at < end; at += arcs_at_once) {
      if (waiting_.count > cpu::batch_edges - arcs_at_once) unite();
      if constexpr (!smaller) compared_ = false;
      const i64 some = std::min(end - at, arcs_at_once);
      x = mark_rows(offsets, vertices, x, at, some, marks);
      keep_arcs<smaller>(marks, neighbors.data + at, some, at, std::min(united, most_united), waiting_);
    }
  }
  void add_backwards(const IdArray& u, const IdArray& v, i64 begin, i64 end);
  void unite_all(EdgePairs<Id, forest>& edges);
  void run(const Id* u, const Id* v, i64 count, const ArcPositions& arcs);

  decltype(Kernel<Id>::unite) unite_ = nullptr;
  decltype(Kernel<Id>::record) record_ = nullptr;
  Cells<Id> cells_;
  const cpu::Distance elsewhere_ = cells_.distance;
  const EdgeBits tree_edges_;
  const Id last_;         // vertex
  bool compared_ = true;  // whether no second endpoint that waits is larger
  const Kernel<Id>* kernel_ = nullptr;
  OwnedRange<Id, forest>* range_ = nullptr;
  const int exceptions_ = std::uncaught_exceptions();  // that were on their way when the buffer was made
  EdgePairs<Id, forest> waiting_;
};

// Calls f(offsets, neighbors) with the arrays of a CSR graph as Bounded. A caller that changes them may make a row end
// before it begins: it has no arcs then. An offset that is read twice may be two numbers.
template <class F>
void with_csr(const GraphView& g, const F& f) {
  const auto bounded = []<class T>(const IdArray& ids, T*) {
    return Bounded<T>{ids.as<T>(), static_cast<T>(std::min<u64>(ids.last, none<T>))};
  };
  with_id(g.a.width, [&]<class T>() {
    const auto neighbors = bounded(g.a, static_cast<T*>(nullptr));
    if (g.offsets.width == IdWidth::wide)
      f(bounded(g.offsets, static_cast<u64*>(nullptr)), neighbors);
    else
      f(bounded(g.offsets, static_cast<u32*>(nullptr)), neighbors);
  });
}

// Visits the rows, or pieces of rows, that make up the arcs [begin, end): row(x, neighbors, count).
template <class Offsets, class Neighbors, class Row>
void for_row_pieces(const Offsets& offsets, const Neighbors& neighbors, i64 vertices, i64 begin, i64 end,
                    const Row& row) {
  for (i64 x = row_at(offsets, vertices, begin); x < vertices; ++x) {
    const i64 row_begin = static_cast<i64>(offsets[x]);
    if (row_begin >= end) return;
    const i64 from = std::max(row_begin, begin);
    const i64 to = std::min(static_cast<i64>(offsets[x + 1]), end);
    if (from < to) row(x, neighbors + from, to - from);
  }
}

}  // namespace lb::core

// What the engine runs on: a non-owning view of validated edges, in either layout and any width of ids.
#pragma once
#include <cstdint>
#include <optional>

#include "id_width.hpp"
#include "landbridge/platform.hpp"
#include "memory.hpp"

namespace lb::core {

// What is stored there, by one access that the compiler may neither repeat nor leave out: another thread may be
// writing it.
template <class T>
T read_once(const T* from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

// id, but no more than `last`. A branch that the processor predicts: what depends on the id does not wait for the
// comparison, as it would for a conditional move.
template <class T>
T at_most(T id, T last) {
  if (id > last) [[unlikely]] {
    asm volatile("");  // so that the compiler keeps the branch
    return last;
  }
  return id;
}

// An array of integers that lie in 0..n-1 (so signedness does not matter any more). Who owns it may have changed it
// since it was validated, or may do so now: what is read counts as no more than `last`.
struct IdArray {
  const void* data = nullptr;
  IdWidth width = IdWidth::narrow;
  i64 stride = 1;  // in elements: the endpoints of interleaved pairs are read in place
  u64 last = ~u64{0};

  IdArray() = default;
  IdArray(const void* ids, IdWidth id_width, i64 step) : data(ids), width(id_width), stride(step) {}
  template <class Id>
    requires(sizeof(Id) == 4 || sizeof(Id) == 8)
  IdArray(const Id* ids) : data(ids), width(width_of<Id>) {}

  u64 operator[](i64 i) const {
    const u64 id = width == IdWidth::wide ? read_once(static_cast<const u64*>(data) + i * stride)
                                          : read_once(static_cast<const u32*>(data) + i * stride);
    return at_most(id, last);
  }
  void prefetch(i64 i) const {
    __builtin_prefetch(static_cast<const char*>(data) + i * stride * (width == IdWidth::wide ? 8 : 4));
  }
  // The same array, with `largest` as the last id.
  IdArray up_to(u64 largest) const {
    IdArray ids = *this;
    ids.last = largest;
    return ids;
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};

struct GraphView {
  i64 vertices = 0;
  i64 arcs = 0;            // stored edges: the arcs of all rows (CSR), or the edges (COO)
  bool csr = false;        // CSR, or a COO edge list
  IdArray offsets;         // CSR: vertices + 1 of them
  IdArray a, b;            // CSR: a holds the neighbors. COO: edge i joins a[i] and b[i]
  bool symmetric = false;  // each undirected edge is known to be stored in both directions
  i64 row_begin(i64 x) const { return static_cast<i64>(offsets[x]); }
  // Makes every read of the arrays safe, whatever they hold.
  void bound() {
    const u64 largest = static_cast<u64>(vertices > 0 ? vertices - 1 : 0);
    a.last = b.last = largest;
    offsets.last = static_cast<u64>(arcs);
  }
};

// An array of type T as IdArray reads it, for loops: data[i], but no more than `last`.
template <class T>
struct Bounded {
  const T* data;
  T last;
  T operator[](i64 i) const { return at_most(unbounded(i), last); }
  T unbounded(i64 i) const { return read_once(data + i); }
  Bounded operator+(i64 i) const { return {data + i, last}; }
  i64 operator-(const Bounded& other) const { return data - other.data; }
  void prefetch(i64 i) const { __builtin_prefetch(data + i); }
};

// The last row that begins at or before an arc; the first if there is none.
template <class Offsets>
i64 row_at(const Offsets& offsets, i64 vertices, i64 arc) {
  i64 low = 0, high = vertices;
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    (static_cast<i64>(offsets[middle]) <= arc ? low : high) = middle;
  }
  return low;
}

// The largest id among [begin, end), as unsigned (a negative one is larger than any legal one); 0 for none.
u64 max_in(const IdArray& ids, i64 begin, i64 end);

// Whether the ids [begin, end), as unsigned, are all below a bound of at most 2^31.
bool all_below(const IdArray& ids, i64 begin, i64 end, u64 bound);

// The largest of `count` ids, or nothing for none. Throws InputError with the first negative one; `what` is the word
// for what is counted: "edge 17: vertex -1 is negative".
std::optional<u64> largest_id(const IdArray& ids, i64 count, bool is_signed, const char* what, int threads);

// Throws InputError "edge 17: vertex 9 is out of range for n = 9" for the first id not below n.
void check_range(const IdArray& ids, i64 count, bool is_signed, i64 n, const char* what, int threads);

// Throws InputError unless offsets ascend from 0 to arcs.
void check_offsets(const IdArray& offsets, i64 vertices, i64 arcs, int threads);

// CSR arrays with 64-bit offsets, and the stored edge of another graph behind each arc, if asked for.
template <class Id>
struct CsrArrays {
  Buffer<i64> offsets;
  Buffer<Id> neighbors;
  Buffer<i64> origins;
};

// A CSR graph over such arrays, known to be symmetric.
template <class Id>
GraphView symmetric_view(const CsrArrays<Id>& csr) {
  GraphView graph;
  graph.vertices = static_cast<i64>(csr.offsets.size()) - 1;
  graph.arcs = static_cast<i64>(csr.neighbors.size());
  graph.csr = graph.symmetric = true;
  graph.offsets = csr.offsets.data();
  graph.a = csr.neighbors.data();
  graph.bound();
  return graph;
}

// Any graph as symmetric CSR: each edge or arc is stored in both directions (a self-loop once), unless the graph is
// symmetric already. Rows are sorted, so the result does not depend on the number of threads. With `origins` each arc
// has the stored edge it was made from (of equal neighbours in ascending order). O(n + m) work and memory.
template <class Id>
CsrArrays<Id> symmetric_csr(const GraphView& graph, int threads, bool origins = false);

}  // namespace lb::core

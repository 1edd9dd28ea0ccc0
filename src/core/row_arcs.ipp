// The passes of row_arcs.hpp in vectors. Included once for each kind of vectors, behind its lanes and operations, which
// LB_LANES marks as instructions that not every processor has.

// The lanes at the top of `begins` that are among the first `united` > 0 from a bit of it on.
static_assert(most_united <= 33 - lanes);  // rows that begin so many lanes before are known
LB_LANES inline u32 first_lanes(u32 begins, i64 united) {
  u32 first = begins;
  i64 places = 1;
  for (; 2 * places <= united; places *= 2) first |= first << places;
  return (first | first << (united - places)) >> (32 - lanes);
}

template <bool smaller, bool leaves_out, class T, bool numbered>
LB_LANES void keep(const u32* marks, const T* neighbors, i64 count, i64 number, i64 united,
                   EdgePairs<u32, numbered>& to) {
  Ids row = no_ids();  // of the arc before, in each lane
  i64 end = to.count;
  [[maybe_unused]] u32 begins = 0;  // where rows begin: at the lanes, in the bits at the top, and before
  for (i64 i = 0; i < count; i += lanes) {
    const Ids marked = load(marks + i, count - i);
    const Ids rows = larger(row, running_maximum(marked));
    row = last_of(rows);
    const Ids ids = load_once(neighbors + i, count - i);
    u32 which = lanes_below(count - i);
    if constexpr (smaller) which &= less(ids, rows);
    if constexpr (leaves_out) {
      const u32 marked_lanes = different(marked, no_ids());
      begins = begins >> lanes | (i > 0 ? marked_lanes : marked_lanes & ~1u) << (32 - lanes);
      which &= ~first_lanes(begins, united);
    }
    store_some(to.u + end, which, rows);
    store_some(to.v + end, which, ids);
    if constexpr (numbered) store_numbers(to.arc + end, which, number + i);
    end += __builtin_popcount(which);
  }
  to.count = end;
}

template <bool smaller, class T, bool numbered>
LB_LANES void keep_arcs(const u32* marks, const T* neighbors, i64 count, i64 number, i64 united,
                        EdgePairs<u32, numbered>& to) {
  if (united > 0)
    keep<smaller, true>(marks, neighbors, count, number, united, to);
  else
    keep<smaller, false>(marks, neighbors, count, number, united, to);
}

template <bool numbered>
LB_LANES void part_firsts(EdgePairs<u32, numbered>& edges, EdgePairs<u32, numbered>& firsts) {
  Ids before = moved_up(load_all(edges.u), every_bit());  // no vertex, then the rows of the edges before
  i64 first = 0, other = 0;
  for (i64 i = 0; i < edges.count; i += lanes) {
    const u32 exist = lanes_below(edges.count - i);
    const Ids u = load_all(edges.u + i), v = load_all(edges.v + i);
    const u32 begins = different(u, before) & exist, follows = exist & ~begins;
    before = load_all(edges.u + i + lanes - 1);  // before the edges are moved
    if constexpr (numbered) {
      const Arcs arcs = load_arcs(edges.arc + i);
      store_some(firsts.arc + first, begins, arcs);
      store_some(edges.arc + other, follows, arcs);
    }
    store_some(firsts.u + first, begins, u);
    store_some(firsts.v + first, begins, v);
    store_some(edges.u + other, follows, u);
    store_some(edges.v + other, follows, v);
    first += __builtin_popcount(begins);
    other += __builtin_popcount(follows);
  }
  firsts.count = first;
  edges.count = other;
}

LB_LANES void carry_marks(u32* marks, i64 count) {
  Ids row = no_ids();
  i64 i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Ids rows = larger(row, running_maximum(load_all(marks + i)));
    store_all(marks + i, rows);
    row = last_of(rows);
  }
  for (; i < count; ++i)
    if (i > 0 && marks[i] < marks[i - 1]) marks[i] = marks[i - 1];
}

template <class T>
LB_LANES bool lead_to_any(const u64* set, u32 last, const T* neighbors, i64 count) {
  u32 any = 0;
  for (i64 i = 0; i < count; i += lanes)
    any |= in_set(set, last, load_once(neighbors + i, count - i)) & lanes_below(count - i);
  return any != 0;
}

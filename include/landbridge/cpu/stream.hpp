// The CPU's schedule for batches of a stream: inserts, queries, and both at once. As in schedule.hpp only this loop is
// instantiated for each rule; what surrounds it (id widths, growth, splitting among threads) meets it through small
// batches.
#pragma once
#include "../phase/query.hpp"
#include "schedule.hpp"

namespace lb::cpu {

// The edge whose link made a root a child: its position among all operations of the stream, and its endpoints.
template <class Id>
struct StreamEdge {
  u64 position;
  Id u, v;
};

// Where links are written. `link_edges` has a cell for each vertex, or is null: then links are only counted. Operation
// i of a batch has the position at[i], or first + i where `at` is null.
template <class Id>
struct LinkLog {
  StreamEdge<Id>* link_edges = nullptr;
  u64 first = 0;
  const u64* at = nullptr;
  // Operation i of the batch, an edge of u and v, has made `root` a child.
  void write(Id root, i64 i, Id u, Id v) const {
    if (link_edges != nullptr) link_edges[root] = {at != nullptr ? at[i] : first + static_cast<u64>(i), u, v};
  }
};

// Of the cells of a batch, among those that lie at `elsewhere`.
template <class Id>
inline Distance distance_of_batch(const Id* u, const Id* v, i64 count, Distance elsewhere) {
  return count <= 2 * prefetch_distance || lie_near(u, v, count) ? Distance::near : elsewhere;
}

// Unites the endpoints of every operation for which the predicate of its number holds. Returns how many links that
// took.
template <class Link, class F, class Predicate>
[[gnu::flatten]] inline i64 insert_if(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count,
                                      Distance elsewhere, const LinkLog<typename F::Id>& log,
                                      const Predicate& predicate) {
  phase::UniteRun<Link, F> run(forest);
  i64 links = 0;
  const bool fetches = distance_of_batch(u, v, count, elsewhere) != Distance::near;
  in_pieces_without_long_paths<Link>(forest.parent, u, v, count, [&](i64 begin, i64 end) {
    detail::for_each_edge<Link>(forest.parent, u, v, begin, end, count, fetches, [&](i64 i, auto x, auto y) {
      if (!predicate(i)) return;
      run.edge(x, y, [&](auto root) {
        ++links;
        log.write(root, i, u[i], v[i]);
      });
    });
  });
  return links;
}

template <class Link, class F>
inline i64 insert_all(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count, Distance elsewhere,
                      const LinkLog<typename F::Id>& log) {
  return insert_if<Link>(forest, u, v, count, elsewhere, log, [](i64) { return true; });
}

// The same by the loop that `choice` takes, where there are two; null: walks.
template <class Link, class F, class Choice>
inline i64 insert_all(const F& forest, const typename F::Id* u, const typename F::Id* v, i64 count, Distance elsewhere,
                      const LinkLog<typename F::Id>& log, Choice* choice) {
  if constexpr (has_choice<Link, F>) {
    if (choice != nullptr && Choice::decides(count)) {
      const Distance distance = distance_of_batch(u, v, count, elsewhere);
      if (log.link_edges == nullptr)
        return unite_by_choice<Link>(forest, u, v, count, distance, *choice, [](i64) { return callback::Nothing{}; });
      return unite_by_choice<Link>(forest, u, v, count, distance, *choice, [&](i64 i) {
        return [&log, u, v, i](auto root) { log.write(root, i, u[i], v[i]); };
      });
    }
  }
  return insert_all<Link>(forest, u, v, count, elsewhere, log);
}

// The same of every operation that is no query (is_query null: of every one).
template <class Link, class F>
inline i64 insert_batch(const F& forest, const typename F::Id* u, const typename F::Id* v, const u8* is_query,
                        i64 count, Distance elsewhere, const LinkLog<typename F::Id>& log) {
  if (is_query == nullptr) return insert_all<Link>(forest, u, v, count, elsewhere, log);
  return insert_if<Link>(forest, u, v, count, elsewhere, log, [&](i64 i) { return is_query[i] == 0; });
}

// Answers the queries (is_query null: all are): bit i & 7 of bits[i >> 3] is 1 iff operation i is a query of two
// connected vertices. Writes (count + 7) / 8 bytes.
template <class Find, class F>
inline void answer_batch(const F& forest, const typename F::Id* u, const typename F::Id* v, const u8* is_query,
                         i64 count, u8* bits) {
  unsigned byte = 0;
  split_long_paths<Find>(forest.parent, u, v, count);
  detail::with_prefetch(forest.parent, u, v, count, true, [&](i64 i) {
    if (is_query == nullptr || is_query[i] != 0) {
      byte |= static_cast<unsigned>(phase::same<Find>(forest.parent, u[i], v[i])) << (i & 7);
    }
    if ((i & 7) == 7) {
      bits[i >> 3] = static_cast<u8>(byte);
      byte = 0;
    }
  });
  if ((count & 7) != 0) bits[count >> 3] = static_cast<u8>(byte);
}

// Both at once, in the order of the batch; other threads run theirs meanwhile. For splice rules whose moves_subtrees is
// false.
template <class Link, class Find, class F>
[[gnu::flatten]] inline i64 mixed_batch(const F& forest, const typename F::Id* u, const typename F::Id* v,
                                        const u8* is_query, i64 count, const LinkLog<typename F::Id>& log, u8* bits) {
  phase::UniteRun<Link, F> run(forest);
  i64 links = 0;
  unsigned byte = 0;
  split_long_paths<Link>(forest.parent, u, v, count);
  detail::for_each_edge<Link>(forest.parent, u, v, 0, count, count, true, [&](i64 i, auto x, auto y) {
    if (is_query[i] != 0) {
      byte |= static_cast<unsigned>(phase::same<Find>(forest.parent, u[i], v[i])) << (i & 7);
    } else {
      run.edge(x, y, [&](auto root) {
        ++links;
        log.write(root, i, u[i], v[i]);
      });
    }
    if ((i & 7) == 7) {
      bits[i >> 3] = static_cast<u8>(byte);
      byte = 0;
    }
  });
  if ((count & 7) != 0) bits[count >> 3] = static_cast<u8>(byte);
  return links;
}

}  // namespace lb::cpu

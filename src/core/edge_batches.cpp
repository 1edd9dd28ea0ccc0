#include "edge_batches.hpp"

#include <algorithm>
#include <bit>

namespace lb::core {
bool descend(const IdArray& u, const IdArray& v, i64 begin, i64 end) {
  constexpr i64 places = 16, few = 64, exceptions = 2;
  if (end - begin < few) return false;
  i64 falls = 0;
  for (u64 k = 0, before = 0; k < places; ++k) {
    const i64 i = begin + (end - 1 - begin) * static_cast<i64>(k) / (places - 1);
    const u64 smaller = std::min(u[i], v[i]);
    falls += smaller < before ? 1 : 0;
    before = smaller;
  }
  return falls >= places - 1 - exceptions;
}

template <class Id, bool forest>
void UnionBuffer<Id, forest>::add_backwards(const IdArray& u, const IdArray& v, i64 begin, i64 end) {
  i64 arcs[forest ? copied_edges : 1];
  for_batches_backwards<Id>(u, v, begin, end, [&](const Id* x, const Id* y, i64 first, i64 count) {
    for (i64 i = 0; forest && i < count; ++i) arcs[i] = first + count - 1 - i;
    run(x, y, count, {0, forest ? arcs : nullptr});
  });
}

template <class Id, bool forest>
void UnionBuffer<Id, forest>::add_edges(const IdArray& u, const IdArray& v, i64 begin, i64 end, bool any_id) {
  if (descend(u, v, begin, end)) return add_backwards(u, v, begin, end);
  const auto unite = [&](const Id* x, const Id* y, i64 first, i64 count) { run(x, y, count, {first, nullptr}); };
  for_batches<Id>(u, v, begin, end, any_id, unite);
}

template <class Id, bool forest>
i64 UnionBuffer<Id, forest>::add_joining_edges(const LargestTree<Id>& tree, const IdArray& u, const IdArray& v,
                                               i64 begin, i64 end, bool any_id) {
  i64 added = 0;
  const auto sift = [&](const Id* x, const Id* y, i64 first, i64 count) {
    for (i64 base = 0; base < count; base += 64) {
      if (waiting_.count + 64 > cpu::batch_edges) flush();
      u64 joining = tree.joining(x + base, y + base, static_cast<int>(std::min<i64>(64, count - base)));
      added += std::popcount(joining);
      for (; joining != 0; joining &= joining - 1) {
        const i64 i = base + std::countr_zero(joining);
        waiting_.u[waiting_.count] = read_once(x + i);
        waiting_.v[waiting_.count] = read_once(y + i);
        if constexpr (forest) waiting_.arc[waiting_.count] = first + i;
        ++waiting_.count;
      }
    }
  };
  for_batches<Id>(u, v, begin, end, any_id, sift);
  return added;
}

template <class Id, bool forest>
i64 UnionBuffer<Id, forest>::add_parted_edges(const IdArray& u, const IdArray& v, i64 begin, i64 end, bool any_id) {
  const SharedMemory<Id> cells(cells_.parent);
  i64 added = 0;
  const auto sift = [&](const Id* x, const Id* y, i64 first, i64 count) {
    for (i64 base = 0; base < count;) {
      if (waiting_.count == cpu::batch_edges) flush();
      const i64 some = std::min(count - base, cpu::batch_edges - waiting_.count);
      i64 c = waiting_.count;
      for (i64 i = base; i < base + some; ++i) {
        const Id a = read_once(x + i), b = read_once(y + i);
        waiting_.u[c] = a;
        waiting_.v[c] = b;
        if constexpr (forest) waiting_.arc[c] = first + i;
        c += cells.load(a) != cells.load(b) ? 1 : 0;
      }
      added += c - waiting_.count;
      waiting_.count = c;
      base += some;
    }
  };
  for_batches<Id>(u, v, begin, end, any_id, sift);
  return added;
}

template <class Id, bool forest>
void UnionBuffer<Id, forest>::flush() {
  if (!compared_) bound_ids(waiting_.v, waiting_.count, last_);
  compared_ = true;
  unite_all(waiting_);
}

template <class Id, bool forest>
void UnionBuffer<Id, forest>::unite_all(EdgePairs<Id, forest>& edges) {
  if (edges.count > 0) run(edges.u, edges.v, edges.count, {0, edges.arc});
  edges.count = 0;
}

template <class Id, bool forest>
void UnionBuffer<Id, forest>::run(const Id* u, const Id* v, i64 count, const ArcPositions& arcs) {
  if (range_ != nullptr) return range_->unite(*kernel_, cells_, u, v, count, tree_edges_, arcs);
  if constexpr (forest)
    record_(cells_, u, v, count, tree_edges_, arcs);
  else
    unite_(cells_, u, v, count);
}

#define LB_INSTANTIATE(Id, forest) template class UnionBuffer<Id, forest>;
LB_FOR_EACH_RUN(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

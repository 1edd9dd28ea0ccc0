// Graphs of many components, trees and lists, and the renumbering of vertices.
#include <algorithm>
#include <atomic>
#include <vector>

#include "generate_edges.hpp"
#include "id_width.hpp"

namespace lb::core {

using namespace generate;

template <class Id>
Edges<Id> cliques(i64 n, i64 size, i64 layers, u64 seed, int threads) {
  std::vector<Permutation> order;
  for (i64 l = 0; l < layers; ++l) {
    order.emplace_back(static_cast<u64>(n), RandomSequence(seed, id_sequence).sub(static_cast<u64>(l)));
  }
  const i64 groups = (n + size - 1) / size;
  return emit<Id>(groups * layers, 64, threads, [&](i64 b, i64 e, auto& sink) {
    std::vector<u64> member;
    for (i64 g = b; g < e; ++g) {
      const i64 layer = g / groups, first = g % groups * size;
      member.clear();
      for (i64 x = first; x < std::min(n, first + size); ++x) {
        member.push_back(layer == 0 ? static_cast<u64>(x)
                                    : order[static_cast<std::size_t>(layer)](static_cast<u64>(x)));
      }
      for (std::size_t i = 0; i < member.size(); ++i) {
        for (std::size_t j = i + 1; j < member.size(); ++j) sink(member[i], member[j]);
      }
    }
  });
}

template <class Id>
Edges<Id> tiny(i64 n, i64 smallest, i64 largest, u64 seed, int threads) {
  const RandomSequence random(seed, edge_sequence), sizes(seed, choice_sequence);
  // The sizes are drawn afresh in every piece of 2^15 ids, so that the pieces can be made side by side.
  return emit<Id>(n, grain, threads, [&](i64 b, i64 e, auto& sink) {
    for (i64 first = b; first < e;) {
      i64 size = smallest + at(sizes.below(static_cast<u64>(first), static_cast<u64>(largest - smallest + 1)));
      size = std::min(size, e - first);
      if (e - first - size == 1) size += size < largest ? 1 : -1;  // leave no singleton
      size = std::max<i64>(size, 1);
      for (i64 x = first + 1; x < first + size; ++x) {
        const u64 up = random.below(static_cast<u64>(x), static_cast<u64>(x - first));
        sink(static_cast<u64>(x), static_cast<u64>(first) + up);
      }
      first += size;
    }
  });
}

template <class Id>
Edges<Id> list_graph(i64 n, i64 count, u64 seed, int threads) {
  const Permutation order(static_cast<u64>(n), RandomSequence(seed, id_sequence));
  Edges<Id> edges(n - count);
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    i64 path = share_of(n, count, b), next = share_start(n, count, path + 1);
    u64 id = order(static_cast<u64>(b));
    for (i64 i = b; i < e && i + 1 < n; ++i) {
      const u64 follower = order(static_cast<u64>(i + 1));
      if (i + 1 == next) {
        next = share_start(n, count, ++path + 1);
      } else {
        edges.u[static_cast<std::size_t>(i - path)] = static_cast<Id>(id);
        edges.v[static_cast<std::size_t>(i - path)] = static_cast<Id>(follower);
      }
      id = follower;
    }
  });
  return edges;
}

template <class Id>
Edges<Id> tree_graph(i64 n, i64 count, i64 k, u64 seed, int threads) {
  // Position i is the i-th vertex to join; the parent of each is drawn one after another, the rest in
  // parallel.
  const RandomSequence random(seed, edge_sequence);
  Buffer<Id> up(static_cast<std::size_t>(n)), open(static_cast<std::size_t>(n)), children(static_cast<std::size_t>(n));
  i64 not_full = 0;
  for (i64 i = 0; i < n; ++i) {
    const std::size_t x = static_cast<std::size_t>(i);
    if (i >= count) {
      const std::size_t pick = random.below(x, static_cast<u64>(not_full));
      up[x] = open[pick];
      if (++children[static_cast<std::size_t>(up[x])] == static_cast<Id>(k))
        open[pick] = open[static_cast<std::size_t>(--not_full)];
    }
    children[x] = 0;
    open[static_cast<std::size_t>(not_full++)] = static_cast<Id>(i);
  }
  const Permutation order(static_cast<u64>(n), RandomSequence(seed, id_sequence));
  Edges<Id> edges(n - count);
  fill(edges, 0, n - count, threads, [&](u64 i) {
    const u64 x = i + static_cast<u64>(count);
    return Pair{order(static_cast<u64>(up[x])), order(x)};
  });
  return edges;
}

template <class Id>
Buffer<Id> linked_list(i64 n, i64 lists, u64 seed, int threads) {
  Buffer<Id> successor(static_cast<std::size_t>(n));
  if (n == 0) return successor;
  const Permutation rest(static_cast<u64>(n - 1), RandomSequence(seed, id_sequence));
  const auto order = [&](i64 i) { return i == 0 ? u64{0} : 1 + rest(static_cast<u64>(i - 1)); };
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    i64 list = share_of(n, lists, b), next = share_start(n, lists, list + 1);
    u64 id = order(b);
    for (i64 i = b; i < e; ++i) {
      const u64 follower = i + 1 < n ? order(i + 1) : id;
      if (i + 1 == next) {
        successor[id] = static_cast<Id>(id);
        next = share_start(n, lists, ++list + 1);
      } else {
        successor[id] = static_cast<Id>(follower);
      }
      id = follower;
    }
  });
  return successor;
}

template <class Id>
void shuffle_ids(Edges<Id>& edges, i64 n, u64 seed, int threads) {
  const Permutation number(static_cast<u64>(n), RandomSequence(seed, id_sequence));
  fill(edges, 0, edges.size(), threads,
       [&](u64 i) { return Pair{number(static_cast<u64>(edges.u[i])), number(static_cast<u64>(edges.v[i]))}; });
}

template <class Id>
i64 drop_isolated(Id* u, Id* v, i64 m, i64 n, int threads) {
  Buffer<std::uint8_t> used(static_cast<std::size_t>(n));
  std::fill(used.begin(), used.end(), std::uint8_t{0});
  parallel_for(m, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      for (const Id x : {u[i], v[i]}) {
        std::atomic_ref(used[static_cast<std::size_t>(x)]).store(1, std::memory_order_relaxed);
      }
    }
  });
  Buffer<Id> number(static_cast<std::size_t>(n));
  i64 count = 0;
  for (std::size_t x = 0; x < used.size(); ++x) {
    number[x] = static_cast<Id>(count);
    count += used[x];
  }
  parallel_for(m, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      u[i] = number[static_cast<std::size_t>(u[i])];
      v[i] = number[static_cast<std::size_t>(v[i])];
    }
  });
  return count;
}

#define LB_INSTANTIATE(Id)                                    \
  template Edges<Id> cliques<Id>(i64, i64, i64, u64, int);    \
  template Edges<Id> tiny<Id>(i64, i64, i64, u64, int);       \
  template Edges<Id> list_graph<Id>(i64, i64, u64, int);      \
  template Edges<Id> tree_graph<Id>(i64, i64, i64, u64, int); \
  template Buffer<Id> linked_list<Id>(i64, i64, u64, int);    \
  template void shuffle_ids<Id>(Edges<Id>&, i64, u64, int);   \
  template i64 drop_isolated<Id>(Id*, Id*, i64, i64, int);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

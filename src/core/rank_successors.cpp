#include "rank_successors.hpp"

#include <atomic>
#include <limits>
#include <vector>

#include "interrupt.hpp"
#include "memory.hpp"

namespace lb::core {
namespace lists {
namespace {

std::string element(i64 i) { return "element " + std::to_string(i); }

constexpr i64 surveyed_at_once = i64{1} << 16;

// What is wrong where a plan could not rank the successors and none of them is wrong afterwards.
const char* const successors_changed = "the successors changed during the call";

std::string out_of_range(i64 i, i64 successor, i64 n) {
  return element(i) + ": successor " + std::to_string(successor) + " is out of range for n = " + std::to_string(n);
}

}  // namespace

template <class S>
Survey survey(ListsView<S> lists, int threads) {
  const S* const successor = lists.successor;
  const i64 n = lists.n;
  struct alignas(64) Part {
    i64 tails = 0;
    u64 sum = 0;
    i64 wrong = std::numeric_limits<i64>::max();
  };
  std::vector<Part> parts(static_cast<std::size_t>(std::max(1, threads)));
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int w) {
    using U = Unsigned<S>;
    const auto last = static_cast<U>(std::min<u64>(static_cast<u64>(n) - 1, none<U> - 1));
    i64 tails = 0;
    u64 sum = 0;
    U wrong = 0;
    // Words of one width and no branch, as vectors have them.
    for (i64 from = b; from < e; from += surveyed_at_once) {
      const i64 count = std::min(surveyed_at_once, e - from);
      const U first = static_cast<U>(from);
      U tails_here = 0;
      for (i64 k = 0; k < count; ++k) {
        const auto s = static_cast<U>(successor[from + k]);
        const U end = s == none<U> ? none<U> : U{0};
        const U tail = end | (s == static_cast<U>(first + static_cast<U>(k)) ? none<U> : U{0});
        tails_here += tail & 1;
        sum += s & ~tail;
        wrong |= (s > last ? none<U> : U{0}) & ~end;
      }
      tails += static_cast<i64>(tails_here);
    }
    auto& part = parts[static_cast<std::size_t>(w)];
    part.tails += tails;
    part.sum += sum;
    if (wrong != 0) {
      const auto* at =
          std::find_if(successor + b, successor + e, [&](S s) { return s < -1 || static_cast<i64>(s) >= n; });
      part.wrong = std::min(part.wrong, std::min(static_cast<i64>(at - successor), n - 1));
    }
  });
  Survey result;
  i64 wrong = n;
  u64 sum = 0;
  for (const auto& p : parts) {
    result.tails += p.tails;
    sum += p.sum;
    wrong = std::min(wrong, p.wrong);
  }
  if (wrong < n) {
    const i64 value = successor[wrong];
    throw ListError(value < -1 || value >= n ? out_of_range(wrong, value, n) : successors_changed);
  }
  // Every element but the head is the successor of another: the head is what the sum lacks.
  const u64 m = static_cast<u64>(n);
  result.head = (m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m) - sum;
  return result;
}

template <class S>
[[noreturn]] void refuse(ListsView<S> lists) {
  const std::string problem = problem_of_lists(lists);
  throw ListError(problem.empty() ? successors_changed : problem);
}

template <class S>
bool predecessors_are_distinct(ListsView<S> lists, int threads) {
  const i64 words = (lists.n + 63) / 64;
  Buffer<u64> has_predecessor(static_cast<std::size_t>(words));
  parallel_for(words, grain, threads,
               [&](i64 b, i64 e, int) { std::fill(has_predecessor.data() + b, has_predecessor.data() + e, u64{0}); });
  const rank::Successors<S> next(lists.successor, lists.n);
  std::atomic<bool> twice{false};
  for_each_element(lists.n, threads, [&](i64 i) {
    const u64 s = next(static_cast<u64>(i));
    if (s == static_cast<u64>(i)) return;
    const u64 bit = u64{1} << (s % 64);
    const u64 before = std::atomic_ref<u64>(has_predecessor[s / 64]).fetch_or(bit, std::memory_order_relaxed);
    if ((before & bit) != 0) twice.store(true, std::memory_order_relaxed);
  });
  return !twice.load();
}

template <class S, class T>
bool find_predecessors(ListsView<S> lists, T* predecessor, int threads) {
  const rank::Successors<S> next(lists.successor, lists.n);
  const SharedWords<T> words(predecessor);
  parallel_for(lists.n, grain, threads, [&](i64 b, i64 e, int) { std::fill(predecessor + b, predecessor + e, T{-1}); });
  std::atomic<bool> twice{false};
  parallel_for(lists.n, grain, threads, [&](i64 b, i64 e, int) {
    bool second = false;
    for (i64 i = b; i < e; ++i) {
      const u64 s = next(static_cast<u64>(i));
      if (s != static_cast<u64>(i)) second |= words.exchange(s, static_cast<T>(i)) != -1;
    }
    if (second) twice.store(true, std::memory_order_relaxed);
  });
  return !twice.load();
}

template <class S, class T>
void copy_successors(ListsView<S> lists, T* successor, int threads) {
  const rank::Successors<S> next(lists.successor, lists.n);
  for_each_element(lists.n, threads, [&](i64 i) {
    const u64 s = next(static_cast<u64>(i));
    successor[i] = s == static_cast<u64>(i) ? T{-1} : static_cast<T>(s);
  });
}

template <class S, class T>
void heads_to_tails(ListsView<S> lists, T* ends, int threads) {
  const rank::Successors<S> next(lists.successor, lists.n);
  Buffer<T> tail_of(static_cast<std::size_t>(lists.n));
  // A list whose end is not the one it had when it was ranked has no tail.
  for_each_element(lists.n, threads, [&](i64 i) { tail_of[i] = T{-1}; });
  const auto known = [&](i64 i) { return static_cast<u64>(ends[i]) < static_cast<u64>(lists.n); };
  for_each_element(lists.n, threads, [&](i64 i) {
    if (known(i) && next(static_cast<u64>(i)) == static_cast<u64>(i)) tail_of[ends[i]] = static_cast<T>(i);
  });
  for_each_element(lists.n, threads, [&](i64 i) { ends[i] = known(i) ? tail_of[ends[i]] : T{-1}; });
}

#define LB_LISTS(S)                             \
  template Survey survey<S>(ListsView<S>, int); \
  template void refuse<S>(ListsView<S>);        \
  template bool predecessors_are_distinct<S>(ListsView<S>, int);
#define LB_LISTS_TO(S, T)                                       \
  template bool find_predecessors<S, T>(ListsView<S>, T*, int); \
  template void copy_successors<S, T>(ListsView<S>, T*, int);   \
  template void heads_to_tails<S, T>(ListsView<S>, T*, int);
LB_LISTS(i32)
LB_LISTS(i64)
LB_LISTS_TO(i32, i32)
LB_LISTS_TO(i64, i32)
LB_LISTS_TO(i64, i64)
#undef LB_LISTS
#undef LB_LISTS_TO

}  // namespace lists

template <class S>
std::string problem_of_lists(ListsView<S> lists) {
  const S* const successor = lists.successor;
  const i64 n = lists.n;
  const auto size = static_cast<std::size_t>(n);
  Buffer<i64> predecessor(size);
  std::fill(predecessor.begin(), predecessor.end(), i64{-1});
  for (i64 i = 0; i < n; ++i) {
    stop_point_at(i);
    const i64 s = successor[i];
    if (s == i || s == -1) continue;
    if (s < -1 || s >= n) return lists::out_of_range(i, s, n);
    if (predecessor[s] >= 0) {
      return lists::element(s) + " has two predecessors, " + std::to_string(predecessor[s]) + " and " +
             std::to_string(i);
    }
    predecessor[s] = i;
  }
  // Backwards from every tail: the other elements are in cycles.
  std::vector<bool> reached(size, false);
  for (i64 t = 0; t < n; ++t) {
    if (successor[t] != t && successor[t] != -1) continue;
    i64 steps = t;
    for (i64 i = t; i >= 0 && !reached[static_cast<std::size_t>(i)]; i = predecessor[i]) {
      stop_point_at(++steps);
      reached[static_cast<std::size_t>(i)] = true;
    }
  }
  for (i64 i = 0; i < n; ++i) {
    if (reached[static_cast<std::size_t>(i)]) continue;
    i64 length = 1, j = predecessor[i];
    for (; j != i && j >= 0; j = predecessor[j]) stop_point_at(++length);
    if (j < 0) return lists::successors_changed;
    return lists::element(i) + " is in a cycle of " + std::to_string(length) + " elements, and a list ends at a tail";
  }
  return {};
}

template std::string problem_of_lists<i32>(ListsView<i32>);
template std::string problem_of_lists<i64>(ListsView<i64>);

}  // namespace lb::core

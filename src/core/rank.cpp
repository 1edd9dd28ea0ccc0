#include "rank.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "landbridge/cpu/rank.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 chunk = i64{1} << 15;
constexpr i64 starts_at_once = 64;                                // handed to a thread
constexpr i64 least_sublist = 64, most_splitters = i64{1} << 16;  // of chains

class Clock {
 public:
  explicit Clock(Phases& phases) : phases_(phases), last_(now()) {}
  void lap(const char* name) {
    const auto t = now();
    phases_.emplace_back(name, std::chrono::duration<double>(t - last_).count());
    last_ = t;
  }

 private:
  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  Phases& phases_;
  std::chrono::steady_clock::time_point last_;
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;

std::string element(i64 i) { return "element " + std::to_string(i); }

// ---- what every plan asks first
// ---------------------------------------------------------------------------------------------

struct Survey {
  i64 tails = 0;
  u64 head = 0;  // the head, if there is one list and nothing is broken
};

template <class S>
Survey survey(const S* successor, i64 n, int threads) {
  struct alignas(64) Part {
    i64 tails = 0;
    u64 sum = 0;
    i64 wrong = std::numeric_limits<i64>::max();
  };
  std::vector<Part> parts(static_cast<std::size_t>(std::max(1, threads)));
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int w) {
    i64 tails = 0;
    u64 sum = 0;
    bool wrong = false;
    const auto last = static_cast<Unsigned<S>>(std::min<u64>(static_cast<u64>(n) - 1, none<Unsigned<S>> - 1));
    for (i64 i = b; i < e; ++i) {
      const auto s = static_cast<Unsigned<S>>(successor[i]);
      const bool end = s == none<Unsigned<S>>, tail = end || s == static_cast<Unsigned<S>>(i);
      tails += tail;
      sum += tail ? Unsigned<S>{0} : s;
      wrong |= !end && s > last;
    }
    auto& mine = parts[static_cast<std::size_t>(w)];
    mine.tails += tails;
    mine.sum += sum;
    if (wrong) {
      const auto* at =
          std::find_if(successor + b, successor + e, [&](S s) { return s < -1 || static_cast<i64>(s) >= n; });
      mine.wrong = std::min(mine.wrong, static_cast<i64>(at - successor));
    }
  });
  Survey all;
  i64 wrong = std::numeric_limits<i64>::max();
  u64 sum = 0;
  for (const auto& p : parts) {
    all.tails += p.tails;
    sum += p.sum;
    wrong = std::min(wrong, p.wrong);
  }
  if (wrong < n) {
    throw ListError(element(wrong) + ": successor " + std::to_string(successor[wrong]) +
                    " is out of range for n = " + std::to_string(n));
  }
  // Every element but the head is somebody's successor: the head is what the sum lacks.
  const u64 m = static_cast<u64>(n);
  all.head = (m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m) - sum;
  return all;
}

template <class S>
[[noreturn]] void refuse(const S* successor, i64 n) {
  throw ListError(problem_of_lists(successor, n));
}

// Whether no element has two predecessors.
template <class S>
bool all_apart(const S* successor, i64 n, int threads) {
  const i64 words = (n + 63) / 64;
  Buffer<u64> marks(static_cast<std::size_t>(words));
  parallel_for(words, chunk, threads,
               [&](i64 b, i64 e, int) { std::fill(marks.data() + b, marks.data() + e, u64{0}); });
  const rank::Links<S> links{successor};
  std::atomic<bool> twice{false};
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      const u64 s = links(static_cast<u64>(i));
      if (s == static_cast<u64>(i)) continue;
      const u64 bit = u64{1} << (s % 64);
      const u64 seen = std::atomic_ref<u64>(marks[s / 64]).fetch_or(bit, std::memory_order_relaxed);
      if ((seen & bit) != 0) twice.store(true, std::memory_order_relaxed);
    }
  });
  return !twice.load();
}

// The predecessor of each element, -1 for heads; false if one has two.
template <class S, class T>
bool reverse(const S* successor, i64 n, T* before, int threads) {
  const rank::Links<S> links{successor};
  const SharedWords<T> words(before);
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) { std::fill(before + b, before + e, T{-1}); });
  std::atomic<bool> twice{false};
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    bool seen = false;
    for (i64 i = b; i < e; ++i) {
      const u64 s = links(static_cast<u64>(i));
      if (s != static_cast<u64>(i)) seen |= words.exchange(s, static_cast<T>(i)) != -1;
    }
    if (seen) twice.store(true, std::memory_order_relaxed);
  });
  return !twice.load();
}

// ---- walks
// ----------------------------------------------------------------------------------------------------------------------

// The pieces that walks cut lists into. next: the piece after, -1 at the end of a list; tail: only there.
template <class T, class V>
struct Pieces {
  Buffer<T> start, next, tail;
  Buffer<V> total;
  i64 count = 0;
  explicit Pieces(i64 most)
      : start(static_cast<std::size_t>(most)),
        next(static_cast<std::size_t>(most)),
        tail(static_cast<std::size_t>(most)),
        total(static_cast<std::size_t>(most)) {}
};

enum class Cut { random, first };  // where in its block a splitter lies

// Cuts all lists and takes every element. False if the input is broken: not every element was taken by one walk, or a
// walk ended where no other starts.
template <class T, class State, class F>
bool cut_lists(const State& s, const F& f, i64 n, const Survey& seen, i64 blocks, Cut cut, int width, u64 seed,
               int threads, Pieces<T, typename State::V>& pieces) {
  using V = typename State::V;
  using U = Unsigned<T>;
  const u64 m = static_cast<u64>(n), r = static_cast<u64>(blocks);
  const bool one = seen.tails == 1;
  if (one && seen.head >= m) return false;
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) s.reset(static_cast<u64>(i));
  });
  std::atomic<bool> broken{false};
  std::atomic<i64> taken{0};
  // The walks `first` .. `last` - 1, whose starts are known.
  const auto walk_all = [&](i64 first, i64 last) {
    parallel_for(last - first, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 k = first + b; k < first + e; ++k)
        phase::claim_start(s, f, static_cast<U>(pieces.start[k]), static_cast<u64>(k));
    });
    std::atomic<i64> handed{first};
    parallel(static_cast<int>(std::min<i64>(threads, (last - first + starts_at_once - 1) / starts_at_once)), [&](int) {
      i64 at = 0, end = 0, mine = 0;
      bool wrong = false;
      const auto take = [&](u64& number, u64& start) {
        if (at == end) {
          at = handed.fetch_add(starts_at_once, std::memory_order_relaxed);
          end = std::min(at + starts_at_once, last);
          if (at >= end) return end = at, false;
        }
        number = static_cast<u64>(at);
        start = static_cast<U>(pieces.start[at++]);
        return true;
      };
      cpu::follow(s, f, width, take, [&](const phase::Walk<V>& w, phase::End how, u64 owner) {
        const auto k = w.number;
        pieces.total[k] = w.sum;
        mine += static_cast<i64>(w.taken);
        if (how == phase::End::tail) {
          pieces.next[k] = -1;
          pieces.tail[k] = static_cast<T>(w.at);
        } else {
          pieces.next[k] = static_cast<T>(owner);
          wrong |= owner >= static_cast<u64>(last) || owner == k || static_cast<U>(pieces.start[owner]) != w.at;
        }
      });
      taken.fetch_add(mine, std::memory_order_relaxed);
      if (wrong) broken.store(true, std::memory_order_relaxed);
    });
  };
  if (blocks > 0) {
    parallel_for(blocks, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 k = b; k < e; ++k) {
        const u64 at = static_cast<u64>(k);
        const u64 lowest = rank::block_start(m, r, at);
        const bool here = one && lowest <= seen.head && seen.head < rank::block_start(m, r, at + 1);
        pieces.start[k] = static_cast<T>(here                ? seen.head
                                         : cut == Cut::first ? lowest
                                                             : rank::splitter_of(m, r, at, seed));
      }
    });
    pieces.count = blocks;
    walk_all(0, blocks);
  }
  if (broken.load()) return false;
  if (!one) {
    // What nobody has taken lies before the first splitter of its list, or in a cycle. Heads there begin walks, too.
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) phase::lead_on(s, static_cast<u64>(i));
    });
    const i64 parts = (n + chunk - 1) / chunk;
    Buffer<i64> heads(static_cast<std::size_t>(parts));
    const auto is_head = [&](i64 i) {
      return s.owner(static_cast<u64>(i)) == rank::unowned && !s.led(static_cast<u64>(i));
    };
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      i64 here = 0;
      for (i64 i = b; i < e; ++i) here += is_head(i);
      heads[static_cast<std::size_t>(b / chunk)] = here;
    });
    i64 total = blocks;
    for (auto& h : heads) total += std::exchange(h, total);
    if (total > blocks + seen.tails) return false;
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      i64 at = heads[static_cast<std::size_t>(b / chunk)];
      for (i64 i = b; i < e; ++i) {
        if (is_head(i)) pieces.start[at++] = static_cast<T>(i);
      }
    });
    pieces.count = total;
    walk_all(blocks, total);
  }
  return !broken.load() && taken.load() == n;
}

// Places of pieces: base[k] is what lies before piece k in its list; end[k] and first[k] the tail and the head of the
// list; whole[k] what the list amounts to up to its last piece's total. False if the pieces themselves are no lists.
template <class T, class V, class F>
bool place_pieces(const Pieces<T, V>& p, const F& f, V* base, V* whole, T* end, T* first, int threads) {
  const i64 m = p.count;
  Buffer<u8> led(static_cast<std::size_t>(m));
  std::fill(led.begin(), led.end(), u8{0});
  const SharedWords<u8> marks(led.data());
  std::atomic<bool> twice{false};
  parallel_for(m, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 k = b; k < e; ++k) {
      if (p.next[k] >= 0 && marks.exchange(static_cast<u64>(p.next[k]), 1) != 0)
        twice.store(true, std::memory_order_relaxed);
    }
  });
  if (twice.load()) return false;
  std::atomic<i64> visited{0};
  parallel_for(m, chunk / 8, threads, [&](i64 b, i64 e, int) {
    i64 mine = 0;
    for (i64 k = b; k < e; ++k) {
      if (led[k] != 0) continue;
      V before = f.none();
      T last = static_cast<T>(k);
      for (T q = last; q >= 0; q = p.next[q]) {
        base[q] = before;
        before = f.add(before, p.total[q]);
        last = q;
        ++mine;
      }
      for (T q = static_cast<T>(k); q >= 0; q = p.next[q]) {
        whole[q] = before;
        end[q] = p.tail[last];
        first[q] = p.start[k];
      }
    }
    visited.fetch_add(mine, std::memory_order_relaxed);
  });
  return visited.load() == m;
}

template <class S, class T, class V>
bool prefix(const S* successor, i64 n, const Survey& seen, const rank::Values<V>& f, V* out, T* tails, T* heads,
            const RankRequest& plan, Clock* clock);

// The same by recursion: the pieces are elements of a list whose values are their totals (Rehman et al.).
template <class T, class V, class F>
bool place_by_recursion(const Pieces<T, V>& p, const F& f, V* base, V* whole, T* end, T* first, i64 n,
                        const RankRequest& wanted) {
  using W = std::conditional_t<std::is_floating_point_v<V>, V, i64>;
  const i64 m = p.count;
  RankRequest plan = wanted;
  if (m > n / 2) plan.plan = "serial";  // lists so short that recursion would not end
  const auto size = static_cast<std::size_t>(m);
  Buffer<W> totals(size), places(size);
  Buffer<T> last(size), head(size);
  for (i64 k = 0; k < m; ++k) totals[k] = static_cast<W>(p.total[k]);
  rank::Monoid<W> op{rank::Op::sum, W{0}};
  if constexpr (std::is_same_v<F, rank::Values<V>>) op = {f.op.op, f.op.neutral};
  const Survey seen = survey(p.next.data(), m, 1);
  if (!prefix<T, T, W>(p.next.data(), m, seen, {totals.data(), op, true}, places.data(), last.data(), head.data(), plan,
                       nullptr)) {
    return false;
  }
  for (i64 k = 0; k < m; ++k) {
    base[k] = static_cast<V>(places[k]);
    whole[k] = f.add(static_cast<V>(places[last[k]]), p.total[last[k]]);
    end[k] = p.tail[last[k]];
    first[k] = p.start[head[k]];
  }
  return true;
}

struct Shape {
  i64 blocks;
  Cut cut = Cut::random;
  int width = 1;
  bool recursion = false;
  int threads_between;  // that rank the pieces
};

Shape shape_of(const RankRequest& plan, i64 n) {
  const auto within = [&](i64 r) { return std::clamp<i64>(r, 1, n); };
  if (plan.plan == "random_splitter") {
    // The published bound keeps r lg r <= n.
    i64 r = within(plan.splitters);
    while (r > 1 && r * static_cast<i64>(std::bit_width(static_cast<u64>(r - 1))) > n) r /= 2;
    return {r, Cut::random, 1, false, 1};
  }
  if (plan.plan == "wei_jaja") return {within(plan.splitters), Cut::random, 1, false, 1};
  if (plan.plan == "helman_jaja") return {within(plan.per_thread * plan.threads), Cut::random, 1, false, 1};
  if (plan.plan == "rehman") {
    const i64 length = std::max<i64>(1, std::bit_width(static_cast<u64>(n - 1)));
    return {within((n + length - 1) / length), Cut::first, 1, true, 1};
  }
  const i64 r = plan.splitters > 0 ? plan.splitters : std::min(n / least_sublist, most_splitters);
  const int width = static_cast<int>(std::clamp<i64>(plan.width, 1, cpu::most_walks));
  return {std::clamp<i64>(r, 1, n), Cut::random, width, false, plan.threads};
}

// Walks, the places of pieces, and then `give(i, b, its place)` of every element, where b is what `from_base` makes of
// where its piece begins and what the whole list amounts to.
template <class T, class State, class F, class FromBase, class Give>
bool by_walks(const State& s, const F& f, i64 n, const Survey& seen, const RankRequest& plan, T* tails, T* heads,
              Clock* clock, const FromBase& from_base, const Give& give) {
  using V = typename State::V;
  const auto lap = [&](const char* name) {
    if (clock != nullptr) clock->lap(name);
  };
  const Shape shape = shape_of(plan, n);
  Pieces<T, V> pieces(shape.blocks + (seen.tails == 1 ? 0 : seen.tails));
  if (!cut_lists<T>(s, f, n, seen, shape.blocks, shape.cut, shape.width, plan.seed, plan.threads, pieces)) return false;
  lap("walk");
  const auto m = static_cast<std::size_t>(pieces.count);
  Buffer<V> base(m), whole(m);
  Buffer<T> end(m), first(m);
  const bool placed =
      shape.recursion
          ? place_by_recursion(pieces, f, base.data(), whole.data(), end.data(), first.data(), n, plan)
          : place_pieces(pieces, f, base.data(), whole.data(), end.data(), first.data(), shape.threads_between);
  if (!placed) return false;
  for (std::size_t k = 0; k < m; ++k) base[k] = from_base(base[k], whole[k]);
  lap("splitters");
  std::atomic<bool> missed{false};
  parallel_for(n, chunk, plan.threads, [&](i64 b, i64 e, int) {
    bool wrong = false;
    for (i64 i = b; i < e; ++i) {
      const u64 k = s.owner(static_cast<u64>(i));
      if (k == rank::unowned) {
        wrong = true;
        continue;
      }
      give(i, base[k], s.place(static_cast<u64>(i)));
      if (tails != nullptr) tails[i] = end[k];
      if (heads != nullptr) heads[i] = first[k];
    }
    if (wrong) missed.store(true, std::memory_order_relaxed);
  });
  lap("ranks");
  return !missed.load();
}

// ---- one walk a list
// ----------------------------------------------------------------------------------------------------------

// Calls list(head) for the head of every list; false if an element has two predecessors.
template <class S, class List>
bool each_list(const S* successor, i64 n, const Survey& seen, const List& list) {
  if (seen.tails == 1) {
    if (seen.head >= static_cast<u64>(n)) return false;
    list(static_cast<i64>(seen.head));
    return true;
  }
  const rank::Links<S> links{successor};
  Buffer<u8> led(static_cast<std::size_t>(n));
  std::fill(led.begin(), led.end(), u8{0});
  for (i64 i = 0; i < n; ++i) {
    const u64 s = links(static_cast<u64>(i));
    if (s != static_cast<u64>(i) && std::exchange(led[s], u8{1}) != 0) return false;
  }
  for (i64 i = 0; i < n; ++i) {
    if (led[i] == 0) list(i);
  }
  return true;
}

template <class S, class T>
bool ranks_alone(const S* successor, i64 n, const Survey& seen, bool from_head, T* ranks, T* tails) {
  i64 taken = 0;
  const bool apart = each_list(successor, n, seen, [&](i64 head) {
    // A path that reaches a tail has met no element twice. One that does not is in a cycle and would go on for ever.
    i64 length = 1, tail = head;
    if (seen.tails > 1 || tails != nullptr) {
      for (i64 next = successor[tail]; next != tail && next >= 0 && length <= n; next = successor[tail])
        tail = next, ++length;
      if (length > n) return;  // the sum of broken successors names a head that is none
    } else {
      length = n;
    }
    i64 at = head, distance = from_head ? 0 : length - 1;
    const i64 step = from_head ? 1 : -1;
    for (i64 k = 0; k < length && taken < n; ++k) {
      ranks[at] = static_cast<T>(distance);
      if (tails != nullptr) tails[at] = static_cast<T>(tail);
      distance += step;
      ++taken;
      const i64 next = successor[at];
      if (next == at || next < 0) {
        if (k + 1 < length) taken = -n;  // shorter than it must be
        break;
      }
      if (k + 1 == length) taken = -n;  // longer
      at = next;
    }
  });
  return apart && taken == n;
}

template <class S, class T, class V>
bool prefix_alone(const S* successor, i64 n, const Survey& seen, const rank::Values<V>& f, V* out, T* tails, T* heads) {
  i64 taken = 0, ended = 0;
  const rank::Links<S> links{successor};
  const bool apart = each_list(successor, n, seen, [&](i64 head) {
    V before = f.none();
    u64 at = static_cast<u64>(head);
    for (; taken < n; ++taken) {
      const V own = f.value(at);
      out[at] = f.place(before, own);
      if (heads != nullptr) heads[at] = static_cast<T>(head);
      before = f.add(before, own);
      const u64 next = links(at);
      if (next == at) {
        ++taken, ++ended;
        break;
      }
      at = next;
    }
    if (tails == nullptr) return;
    const u64 tail = at;
    at = static_cast<u64>(head);
    for (i64 k = 0; k < n; ++k) {
      tails[at] = static_cast<T>(tail);
      if (at == tail) break;
      at = links(at);
    }
  });
  // A path that reaches a tail has met no element twice.
  return apart && taken == n && ended == seen.tails;
}

// ---- towards the end: pointer jumping and independent sets
// ------------------------------------------------------------------

// Calls body(i) for 0 <= i < n, and returns whether any said true: each thread has a block of indices, which suits
// caches, or with `stride` every p-th index, which suits GPUs.
template <class Body>
bool each_element(i64 n, int threads, bool stride, const Body& body) {
  std::atomic<bool> any{false};
  if (stride) {
    parallel(threads, [&](int worker) {
      bool mine = false;
      for (i64 i = worker; i < n; i += threads) mine |= body(i);
      if (mine) any.store(true, std::memory_order_relaxed);
    });
  } else {
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      bool mine = false;
      for (i64 i = b; i < e; ++i) mine |= body(i);
      if (mine) any.store(true, std::memory_order_relaxed);
    });
  }
  return any.load();
}

// value[i] <- value[i] (+) value[next of i] (+) .. up to the end of the list, where next[end] == end; ends[i] (may be
// null): which. False if it has no end. Packed words hold unit values of n < 2^31.
template <class S>
bool jump_packed(const rank::Links<S>& links, i64 n, Buffer<u64>& words, int threads, bool stride) {
  const SharedWords<u64> m(words.data());
  each_element(n, threads, stride, [&](i64 i) {
    const u64 s = links(static_cast<u64>(i));
    const bool end = s == static_cast<u64>(i);
    m.store(static_cast<u64>(i), rank::Jump::word(end ? 0 : 1, s, end));
    return false;
  });
  for (int round = std::bit_width(static_cast<u64>(n)) + 1; round >= 0; --round) {
    if (!each_element(n, threads, stride, [&](i64 i) { return phase::jump_word(m, static_cast<u64>(i)); })) return true;
  }
  return false;
}

template <class T, class V, class O>
bool jump_apart(Buffer<Unsigned<T>>& last, Buffer<V>& value, i64 n, const O& op, int threads, bool stride) {
  using U = Unsigned<T>;
  Buffer<U> other_last(static_cast<std::size_t>(n));
  Buffer<V> other_value(static_cast<std::size_t>(n));
  for (int round = std::bit_width(static_cast<u64>(n)) + 1; round >= 0; --round) {
    const bool moving = each_element(n, threads, stride, [&](i64 i) {
      return phase::jump_apart<U, V>(last.data(), value.data(), other_last.data(), other_value.data(), op,
                                     static_cast<u64>(i));
    });
    std::swap(last, other_last);
    std::swap(value, other_value);
    if (!moving) return true;
  }
  return false;
}

int fis_rounds(i64 n, double factor) {
  if (n < 16) return 0;
  // A round removes an eighth of what it can: after so many, nothing but the ends of lists is left.
  constexpr double most = 1000;
  return static_cast<int>(std::clamp(std::floor(factor * std::log2(std::log2(static_cast<double>(n)))), 0.0, most));
}

// Phases I to III of Banerjee and Kothapalli; `before` are the predecessors, -1 at heads. value as above.
template <class S, class T, class V>
bool by_independent_sets(const S* successor, const Buffer<T>& predecessor, i64 n, Buffer<V>& value,
                         const rank::Monoid<V>& op, T* ends, const RankRequest& plan, Clock& clock) {
  using U = Unsigned<T>;
  const int threads = plan.threads;
  const auto size = static_cast<std::size_t>(n);
  const rank::Links<S> links{successor};
  Buffer<U> next(size), before(size), active(size), kept(size), removed(size);
  Buffer<V> result(size);
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      const u64 s = links(static_cast<u64>(i));
      next[i] = s == static_cast<u64>(i) ? none<U> : static_cast<U>(s);
      before[i] = predecessor[i] < 0 ? none<U> : static_cast<U>(predecessor[i]);
      active[i] = static_cast<U>(i);
    }
  });
  const int rounds = fis_rounds(n, plan.factor);
  std::vector<i64> ended{0};  // where each round's part of `removed` ends
  i64 left = n;
  Buffer<u8> drop(size);
  Buffer<i64> stay(static_cast<std::size_t>(n / chunk + 1));
  for (int round = 1; round <= rounds; ++round) {
    const u64 key = mix(plan.seed, static_cast<u64>(round));
    const auto drew = [&](u64 u) { return (mix(key, u) & 1) != 0; };
    parallel_for(left, chunk, threads, [&](i64 b, i64 e, int) {
      i64 here = 0;
      for (i64 k = b; k < e; ++k) {
        const bool out = phase::leaves(next.data(), before.data(), drew, static_cast<u64>(active[k]));
        drop[k] = out;
        here += !out;
      }
      stay[static_cast<std::size_t>(b / chunk)] = here;
    });
    i64 total = 0;
    for (i64 c = 0; c * chunk < left; ++c) total += std::exchange(stay[static_cast<std::size_t>(c)], total);
    const i64 log = ended.back();
    parallel_for(left, chunk, threads, [&](i64 b, i64 e, int) {
      i64 at = stay[static_cast<std::size_t>(b / chunk)], gone = log + b - at;
      for (i64 k = b; k < e; ++k) {
        const U u = active[k];
        if (drop[k] == 0) {
          kept[at++] = u;
          continue;
        }
        removed[gone++] = u;
        phase::unlink(next.data(), before.data(), value.data(), op, static_cast<u64>(u));
      }
    });
    ended.push_back(log + left - total);
    left = total;
    std::swap(active, kept);
  }
  clock.lap("remove");
  // Phase II: the survivors, from the end of each list backwards, so that every place is what lies between it and the
  // end.
  const auto m = static_cast<std::size_t>(left);
  Buffer<T> rest(m), rest_end(ends == nullptr ? 0 : m);
  Buffer<V> rest_value(m), rest_place(m);
  auto& position = kept;
  parallel_for(left, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 k = b; k < e; ++k) position[active[k]] = static_cast<U>(k);
  });
  std::atomic<bool> ring{false};
  parallel_for(left, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 k = b; k < e; ++k) {
      const U u = active[k], p = before[u];
      if (p == u) ring.store(true, std::memory_order_relaxed);  // what removals have left of a cycle: no end of a list
      rest[k] = p == none<U> ? T{-1} : static_cast<T>(position[p]);
      rest_value[k] = value[u];
    }
  });
  if (ring.load()) return false;
  RankRequest inner = plan;
  inner.plan = left < chunk ? "serial" : "chains";
  inner.splitters = 0;
  const Survey seen = survey(rest.data(), left, threads);
  if (!prefix<T, T, V>(rest.data(), left, seen, {rest_value.data(), op, false}, rest_place.data(), nullptr,
                       ends == nullptr ? nullptr : rest_end.data(), inner, nullptr)) {
    return false;
  }
  parallel_for(left, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 k = b; k < e; ++k) {
      result[active[k]] = rest_place[k];
      if (ends != nullptr) ends[active[k]] = static_cast<T>(active[rest_end[k]]);
    }
  });
  clock.lap("rank the rest");
  for (std::size_t round = ended.size() - 1; round > 0; --round) {
    const i64 first = ended[round - 1];
    parallel_for(ended[round] - first, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 k = first + b; k < first + e; ++k) {
        const U u = removed[k];
        result[u] = op(value[u], result[next[u]]);
        if (ends != nullptr) ends[u] = ends[next[u]];
      }
    });
  }
  clock.lap("put back");
  std::swap(value, result);
  return true;
}

// value as above, by either plan. `predecessor` is empty unless the plan needs it.
template <class S, class T, class V>
bool towards_end(const S* successor, const Buffer<T>& predecessor, i64 n, Buffer<V>& value, const rank::Monoid<V>& op,
                 T* ends, const RankRequest& plan, Clock& clock) {
  if (plan.plan == "fis") return by_independent_sets(successor, predecessor, n, value, op, ends, plan, clock);
  using U = Unsigned<T>;
  const rank::Links<S> links{successor};
  Buffer<U> last(static_cast<std::size_t>(n));
  parallel_for(n, chunk, plan.threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      const u64 s = links(static_cast<u64>(i));
      last[i] = static_cast<U>(s) | (s == static_cast<u64>(i) ? phase::arrived<U> : U{0});
    }
  });
  if (!jump_apart<T>(last, value, n, op, plan.threads, plan.share == "stride")) return false;
  clock.lap("jump");
  if (ends != nullptr) {
    parallel_for(n, chunk, plan.threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) ends[i] = static_cast<T>(last[i] & static_cast<U>(~phase::arrived<U>));
    });
  }
  return true;
}

bool walks_from_the_start(const RankRequest& plan) { return plan.plan != "wyllie" && plan.plan != "fis"; }

// The inclusive or exclusive prefixes along `successor`, from each list's first element on.
template <class S, class T, class V>
bool prefix(const S* successor, i64 n, const Survey& seen, const rank::Values<V>& f, V* out, T* tails, T* heads,
            const RankRequest& plan, Clock* clock) {
  if (n == 0) return true;
  if (seen.tails == 0) return false;
  if (plan.plan == "serial" || (plan.plan == "rehman" && n <= plan.stop)) {
    return prefix_alone(successor, n, seen, f, out, tails, heads);
  }
  using Owner = Unsigned<T>;
  Buffer<Owner> owner(static_cast<std::size_t>(n));
  Buffer<V> place(static_cast<std::size_t>(n));
  const rank::Apart<SharedWords<Owner>, SharedWords<V>, S> state{
      SharedWords<Owner>(owner.data()), SharedWords<V>(place.data()), {successor}};
  return by_walks<T>(
      state, f, n, seen, plan, tails, heads, clock, [](V base, V) { return base; },
      [&](i64 i, V base, V own) { out[i] = f.add(base, own); });
}

// What a list is called: its tail. Where lists were walked backwards, ends are heads.
template <class S, class T>
void heads_to_tails(const S* successor, i64 n, T* ends, int threads) {
  const rank::Links<S> links{successor};
  Buffer<T> tail_of(static_cast<std::size_t>(n));
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (links(static_cast<u64>(i)) == static_cast<u64>(i)) tail_of[ends[i]] = static_cast<T>(i);
    }
  });
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) ends[i] = tail_of[ends[i]];
  });
}

template <class V>
V neutral_of(rank::Op op) {
  if (op == rank::Op::sum) return V{0};
  using L = std::numeric_limits<V>;
  if constexpr (std::is_floating_point_v<V>) return op == rank::Op::min ? L::infinity() : -L::infinity();
  return op == rank::Op::min ? L::max() : L::min();
}

// `counts(i)`: whether element i's value is part of any sum.
template <class Counts>
void check_sum(const i64* values, i64 n, int threads, const Counts& counts) {
  std::atomic<bool> over{false};
  std::vector<u64> sums(static_cast<std::size_t>(std::max(1, threads)), 0);
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int w) {
    u64& sum = sums[static_cast<std::size_t>(w)];
    bool wrong = false;
    for (i64 i = b; i < e; ++i) {
      if (!counts(i)) continue;
      const u64 size = values[i] < 0 ? u64{0} - static_cast<u64>(values[i]) : static_cast<u64>(values[i]);
      wrong |= __builtin_add_overflow(sum, size, &sum);
    }
    if (wrong) over.store(true, std::memory_order_relaxed);
  });
  u64 all = 0;
  bool wrong = over.load();
  for (const u64 s : sums) wrong |= __builtin_add_overflow(all, s, &all);
  if (wrong || all > static_cast<u64>(std::numeric_limits<i64>::max())) {
    throw InputError("the values add up to more than 64 bits hold; give them as float64");
  }
}

}  // namespace

template <class S, class T>
void rank_elements(const S* successor, i64 n, bool from_head, T* ranks, T* tails, const RankRequest& plan,
                   Phases& phases) {
  if (n == 0) return;
  Clock clock(phases);
  const int threads = plan.threads;
  const Survey seen = survey(successor, n, threads);
  if (seen.tails == 0) refuse(successor, n);
  clock.lap("check");
  const auto size = static_cast<std::size_t>(n);
  if (plan.plan == "serial" || (plan.plan == "rehman" && n <= plan.stop)) {
    if (!ranks_alone(successor, n, seen, from_head, ranks, tails)) refuse(successor, n);
    clock.lap("walk");
    return;
  }
  if (walks_from_the_start(plan)) {
    const auto with = [&]<class State>(const State& s) {
      using V = typename State::V;
      const rank::Ones<V> f;
      T* const no_heads = nullptr;
      return from_head ? by_walks<T>(
                             s, f, n, seen, plan, tails, no_heads, &clock, [](V base, V) { return base; },
                             [&](i64 i, V base, V own) { ranks[i] = static_cast<T>(base + own); })
                       : by_walks<T>(
                             s, f, n, seen, plan, tails, no_heads, &clock,
                             [](V base, V whole) { return static_cast<V>(whole - base); },
                             [&](i64 i, V left, V own) { ranks[i] = static_cast<T>(left - own); });
    };
    bool good;
    if constexpr (sizeof(T) == 8) {
      Buffer<u64> owner(size), place(size);
      good = with(rank::Apart<SharedWords<u64>, SharedWords<u64>, S>{
          SharedWords<u64>(owner.data()), SharedWords<u64>(place.data()), {successor}});
    } else {
      using Short = rank::Apart<SharedWords<u16>, SharedWords<u32>, S>;
      const i64 most = shape_of(plan, n).blocks + seen.tails;
      if (plan.plan == "random_splitter" && plan.layout == "bits48" && static_cast<u64>(most) <= Short::most_owners) {
        Buffer<u16> owner(size);
        Buffer<u32> place(size);
        good = with(Short{SharedWords<u16>(owner.data()), SharedWords<u32>(place.data()), {successor}});
      } else {
        Buffer<u64> words(size);
        const SharedWords<u64> m(words.data());
        good = plan.plan == "chains" ? with(rank::Fused<SharedWords<u64>, S>{m, {successor}})
                                     : with(rank::Bits64<SharedWords<u64>, S>{m, {successor}});
      }
    }
    if (!good) refuse(successor, n);
    return;
  }
  Buffer<T> before;
  if (from_head || plan.plan == "fis") {
    before = Buffer<T>(size);
    if (!reverse(successor, n, before.data(), threads)) refuse(successor, n);
  } else if (!all_apart(successor, n, threads)) {
    refuse(successor, n);
  }
  clock.lap("check");
  const auto towards = [&]<class L>(const L* along, const Buffer<T>& against) {
    if constexpr (sizeof(T) == 4) {
      if (plan.plan == "wyllie") {
        Buffer<u64> words(size);
        if (!jump_packed(rank::Links<L>{along}, n, words, threads, plan.share == "stride")) return false;
        clock.lap("jump");
        parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
          for (i64 i = b; i < e; ++i) {
            ranks[i] = static_cast<T>(rank::Jump::value(words[i]));
            if (tails != nullptr) tails[i] = static_cast<T>(rank::Jump::last(words[i]));
          }
        });
        clock.lap("ranks");
        return true;
      }
    }
    const rank::Links<L> links{along};
    Buffer<i64> value(size);
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) value[i] = links(static_cast<u64>(i)) != static_cast<u64>(i);
    });
    const rank::Monoid<i64> sum{rank::Op::sum, 0};
    if (!towards_end(along, against, n, value, sum, tails, plan, clock)) return false;
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) ranks[i] = static_cast<T>(value[i]);
    });
    clock.lap("ranks");
    return true;
  };
  if (!from_head) {
    if (!towards(successor, before)) refuse(successor, n);
    return;
  }
  Buffer<T> after;
  if (plan.plan == "fis") {
    after = Buffer<T>(size);
    const rank::Links<S> links{successor};
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const u64 s = links(static_cast<u64>(i));
        after[i] = s == static_cast<u64>(i) ? T{-1} : static_cast<T>(s);
      }
    });
  }
  if (!towards(before.data(), after)) refuse(successor, n);
  if (tails != nullptr) heads_to_tails(successor, n, tails, threads);
}

template <class S, class T, class V>
void scan_lists(const S* successor, i64 n, const V* given, const Scan& scan, V* out, T* tails, const RankRequest& plan,
                Phases& phases) {
  if (n == 0) return;
  Clock clock(phases);
  const int threads = plan.threads;
  const rank::Links<S> links{successor};
  const auto is_tail = [&](i64 i) { return links(static_cast<u64>(i)) == static_cast<u64>(i); };
  if constexpr (!std::is_floating_point_v<V>) {
    if (scan.op == rank::Op::sum) check_sum(given, n, threads, [&](i64 i) { return !scan.of_links || !is_tail(i); });
  }
  const Survey seen = survey(successor, n, threads);
  if (seen.tails == 0) refuse(successor, n);
  const auto size = static_cast<std::size_t>(n);
  const rank::Monoid<V> op{scan.op, neutral_of<V>(scan.op)};
  const bool from_start = walks_from_the_start(plan);
  // Walks go from the side the values are added up from; jumps and removals go towards it.
  const bool backwards = from_start != scan.from_head;
  Buffer<T> before;
  if (backwards || plan.plan == "fis") {
    before = Buffer<T>(size);
    if (!reverse(successor, n, before.data(), threads)) refuse(successor, n);
  } else if (!from_start && !all_apart(successor, n, threads)) {
    refuse(successor, n);
  }
  const auto own = [&](i64 i) { return scan.of_links && is_tail(i) ? op.neutral : given[i]; };
  Buffer<V> values(size);
  const bool shift = !from_start && scan.exclusive;  // then an element has the value of the one it goes on to
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (!shift)
        values[i] = own(i);
      else if (backwards)
        values[i] = before[i] < 0 ? op.neutral : own(before[i]);
      else
        values[i] = is_tail(i) ? op.neutral : own(static_cast<i64>(links(static_cast<u64>(i))));
    }
  });
  clock.lap("check");
  if (from_start) {
    const rank::Values<V> f{values.data(), op, scan.exclusive};
    T* const nothing = nullptr;
    const bool good = backwards ? prefix<T, T, V>(before.data(), n, survey(before.data(), n, threads), f, out, nothing,
                                                  tails, plan, &clock)
                                : prefix<S, T, V>(successor, n, seen, f, out, tails, nothing, plan, &clock);
    if (!good) refuse(successor, n);
    return;
  }
  Buffer<T> after;
  if (backwards && plan.plan == "fis") {
    after = Buffer<T>(size);
    parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) after[i] = is_tail(i) ? T{-1} : static_cast<T>(links(static_cast<u64>(i)));
    });
  }
  const bool good = backwards ? towards_end(before.data(), after, n, values, op, tails, plan, clock)
                              : towards_end(successor, before, n, values, op, tails, plan, clock);
  if (!good) refuse(successor, n);
  if (backwards && tails != nullptr) heads_to_tails(successor, n, tails, threads);
  parallel_for(n, chunk, threads, [&](i64 b, i64 e, int) { std::copy(values.data() + b, values.data() + e, out + b); });
  clock.lap("ranks");
}

template <class S>
std::string problem_of_lists(const S* successor, i64 n) {
  const auto size = static_cast<std::size_t>(n);
  Buffer<i64> before(size);
  std::fill(before.begin(), before.end(), i64{-1});
  for (i64 i = 0; i < n; ++i) {
    const i64 s = successor[i];
    if (s == i || s == -1) continue;
    if (s < -1 || s >= n)
      return element(i) + ": successor " + std::to_string(s) + " is out of range for n = " + std::to_string(n);
    if (before[s] >= 0) {
      return element(s) + " has two predecessors, " + std::to_string(before[s]) + " and " + std::to_string(i);
    }
    before[s] = i;
  }
  // Backwards from every tail: what is not met then is in a cycle.
  std::vector<bool> met(size, false);
  for (i64 t = 0; t < n; ++t) {
    if (successor[t] != t && successor[t] != -1) continue;
    for (i64 i = t; i >= 0; i = before[i]) met[static_cast<std::size_t>(i)] = true;
  }
  for (i64 i = 0; i < n; ++i) {
    if (met[static_cast<std::size_t>(i)]) continue;
    i64 length = 1;
    for (i64 j = successor[i]; j != i; j = successor[j]) ++length;
    return element(i) + " is in a cycle of " + std::to_string(length) + " elements, and a list ends at a tail";
  }
  return {};
}

#define LB_LISTS(S, T)                                                                                                \
  template void rank_elements<S, T>(const S*, i64, bool, T*, T*, const RankRequest&, Phases&);                        \
  template void scan_lists<S, T, i64>(const S*, i64, const i64*, const Scan&, i64*, T*, const RankRequest&, Phases&); \
  template void scan_lists<S, T, double>(const S*, i64, const double*, const Scan&, double*, T*, const RankRequest&,  \
                                         Phases&);
LB_LISTS(i32, i32)
LB_LISTS(i64, i32)
LB_LISTS(i64, i64)
template std::string problem_of_lists<i32>(const i32*, i64);
template std::string problem_of_lists<i64>(const i64*, i64);

}  // namespace lb::core

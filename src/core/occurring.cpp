#include "occurring.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <type_traits>
#include <vector>

#include "bits.hpp"
#include "error.hpp"
#include "extremes.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 grain = i64{1} << 16;
constexpr i64 step = 256;  // edges or vertices of an inner loop without branches

i64 chunks_of(i64 n) { return (n + grain - 1) / grain; }

// A set of small integers; threads may add concurrently.
class Bits {
 public:
  Bits(i64 size, int threads) : words_(static_cast<std::size_t>((size + 63) / 64), "the vertices that occur") {
    parallel_for(words(), grain, threads,
                 [&](i64 b, i64 e, int) { std::fill(words_.data() + b, words_.data() + e, 0); });
  }
  i64 words() const { return static_cast<i64>(words_.size()); }
  u64 word(i64 w) const { return words_[static_cast<std::size_t>(w)]; }
  bool has(i64 i) const { return (word(i >> 6) >> (i & 63) & 1) != 0; }
  void add(i64 i) {
    std::atomic_ref<u64> cell(words_[static_cast<std::size_t>(i >> 6)]);
    const u64 bit = u64{1} << (i & 63);
    // Most members are added often: a load first saves the locked instruction.
    if ((cell.load(std::memory_order_relaxed) & bit) == 0) cell.fetch_or(bit, std::memory_order_relaxed);
  }

 private:
  Buffer<u64> words_;
};

// How many members of a set lie below a number.
class Ranks {
 public:
  Ranks(const Bits& set, int threads)
      : set_(set), before_(static_cast<std::size_t>(set.words()) + 1, "the vertices that occur") {
    std::vector<i64> start(static_cast<std::size_t>(chunks_of(set.words())) + 1, 0);
    parallel_for(set.words(), grain, threads, [&](i64 b, i64 e, int) {
      i64 n = 0;
      for (i64 w = b; w < e; ++w) n += bit_count(set.word(w));
      start[static_cast<std::size_t>(b / grain) + 1] = n;
    });
    for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
    parallel_for(set.words(), grain, threads, [&](i64 b, i64 e, int) {
      i64 n = start[static_cast<std::size_t>(b / grain)];
      for (i64 w = b; w < e; ++w) {
        before_[static_cast<std::size_t>(w)] = n;
        n += bit_count(set.word(w));
      }
    });
    before_[static_cast<std::size_t>(set.words())] = start.back();
  }
  i64 all() const { return before_[before_.size() - 1]; }
  i64 below(i64 i) const {
    const u64 in_front = (i & 63) == 0 ? 0 : set_.word(i >> 6) & ((u64{1} << (i & 63)) - 1);
    return before_[static_cast<std::size_t>(i >> 6)] + bit_count(in_front);
  }

 private:
  const Bits& set_;
  Buffer<i64> before_;
};

// Calls body(x) for every self-loop (x, x).
template <class Word, class Body>
void each_loop(const IdArray& u, const IdArray& v, i64 m, int threads, Body&& body) {
  const Word* const a = u.as<Word>();
  const Word* const b = v.as<Word>();
  const bool adjacent = u.stride == 1 && v.stride == 1;
  parallel_for(m, grain, threads, [&](i64 first, i64 end, int) {
    for (i64 i = first; i < end; i += step) {
      const i64 until = std::min(end, i + step);
      bool any = !adjacent;
      if (adjacent) {
        Word equal = 0;  // without a branch: self-loops are rare
        for (i64 j = i; j < until; ++j) equal |= static_cast<Word>(a[j] == b[j]);
        any = equal != 0;
      }
      if (!any) continue;
      for (i64 j = i; j < until; ++j) {
        const Word x = a[j * u.stride];
        if (x == b[j * v.stride]) body(static_cast<u64>(x), j);
      }
    }
  });
}

// The first edge out of range, whatever the timing of the threads.
class OutOfRange {
 public:
  void add(i64 edge) { lower_to(edge_, edge); }
  void refuse(i64 n) const {
    const i64 edge = edge_.load(std::memory_order_relaxed);
    if (edge == INT64_MAX) return;
    throw InputError("edge " + std::to_string(edge) + ": a vertex is out of range for n = " + std::to_string(n));
  }

 private:
  std::atomic<i64> edge_{INT64_MAX};
};

template <class Body>
void each_loop_below(i64 n, const IdArray& u, const IdArray& v, i64 m, int threads, Body&& body) {
  OutOfRange out_of_range;
  const auto one = [&](u64 x, i64 edge) {
    if (x < static_cast<u64>(n)) {
      body(static_cast<i64>(x));
    } else {
      out_of_range.add(edge);
    }
  };
  if (u.width == IdWidth::wide) {
    each_loop<u64>(u, v, m, threads, one);
  } else {
    each_loop<u32>(u, v, m, threads, one);
  }
  out_of_range.refuse(n);
}

}  // namespace

template <class Label, class Id>
Occurring<Label, Id> occurring(const Label* labels, i64 n, i64 count, const IdArray& u, const IdArray& v, i64 m,
                               int threads) {
  threads = std::max(1, threads);
  // 1. A repeated label is that of two vertices or more. A label is new exactly if it exceeds all labels in front.
  std::vector<i64> most(static_cast<std::size_t>(chunks_of(n)) + 1, -1);  // in front of each chunk
  std::atomic<bool> negative{false};
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    Label largest = -1, all = 0;
    for (i64 x = b; x < e; ++x) largest = std::max(largest, labels[x]), all |= labels[x];
    if (all < 0) negative.store(true, std::memory_order_relaxed);
    most[static_cast<std::size_t>(b / grain) + 1] = largest;
  });
  for (std::size_t c = 1; c < most.size(); ++c) most[c] = std::max(most[c], most[c - 1]);
  if (most.back() + 1 != count || negative.load())
    throw InputError("labels must be numbers 0.." + std::to_string(count - 1));
  Bits occurs(count, threads);  // labels of components with an edge
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    Label last = static_cast<Label>(most[static_cast<std::size_t>(b / grain)]);
    Label repeated[step];
    for (i64 x = b; x < e; x += step) {
      int some = 0;  // compaction without a branch, which would be mispredicted
      for (i64 y = x; y < std::min(e, x + step); ++y) {
        repeated[some] = labels[y];
        some += labels[y] <= last;
        last = std::max(last, labels[y]);
      }
      for (int i = 0; i < some; ++i) occurs.add(repeated[i]);
    }
  });
  // 2. Of the others, if there are any, those with a self-loop.
  i64 shared = 0;
  for (i64 w = 0; w < occurs.words(); ++w) shared += bit_count(occurs.word(w));
  if (shared < count) each_loop_below(n, u, v, m, threads, [&](i64 x) { occurs.add(labels[x]); });
  // 3. Each label that does not occur drops one vertex, so the place of a vertex follows from the labels in front.
  const Ranks ranks(occurs, threads);
  Occurring<Label, Id> out;
  out.count = ranks.all();
  const auto size = static_cast<std::size_t>(n - (count - out.count));
  out.ids = Buffer<Id>(size, "the ids that occur");
  out.labels = Buffer<Label>(size, "the labels of the ids that occur");
  const bool all = out.count == count;
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    const i64 in_front = most[static_cast<std::size_t>(b / grain)] + 1;
    auto at = static_cast<std::size_t>(b - (in_front - ranks.below(in_front)));
    if (all) {
      for (i64 x = b; x < e; ++x) out.ids[static_cast<std::size_t>(x)] = static_cast<Id>(x);
      std::copy(labels + b, labels + e, out.labels.data() + b);
      return;
    }
    i32 places[step];
    for (i64 x = b; x < e; x += step) {
      const i32 some_of = static_cast<i32>(std::min(e - x, step));
      int some = 0;
      for (i32 y = 0; y < some_of; ++y) {
        places[some] = y;
        some += occurs.has(labels[x + y]);
      }
      for (int i = 0; i < some; ++i, ++at) {
        const Label label = labels[x + places[i]];
        out.ids[at] = static_cast<Id>(x + places[i]);
        out.labels[at] = static_cast<Label>(ranks.below(label));
      }
    }
  });
  return out;
}

template <class Id>
Buffer<Id> occurring_endpoints(i64 n, const IdArray& fu, const IdArray& fv, i64 trees, const IdArray& u,
                               const IdArray& v, i64 m, int threads) {
  threads = std::max(1, threads);
  Bits occurs(n, threads);
  OutOfRange out_of_range;
  const auto mark = [&]<class Word>(const Word* a, const Word* c) {
    parallel_for(trees, grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const u64 x = a[i * fu.stride], y = c[i * fv.stride];
        if (std::max(x, y) >= static_cast<u64>(n)) {
          out_of_range.add(i);
          continue;
        }
        occurs.add(static_cast<i64>(x));
        occurs.add(static_cast<i64>(y));
      }
    });
  };
  if (fu.width == IdWidth::wide) {
    mark(fu.as<u64>(), fv.as<u64>());
  } else {
    mark(fu.as<u32>(), fv.as<u32>());
  }
  out_of_range.refuse(n);
  each_loop_below(n, u, v, m, threads, [&](i64 x) { occurs.add(x); });
  const Ranks ranks(occurs, threads);
  Buffer<Id> ids(static_cast<std::size_t>(ranks.all()), "the ids that occur");
  parallel_for(occurs.words(), grain, threads, [&](i64 b, i64 e, int) {
    auto at = static_cast<std::size_t>(ranks.below(b * 64));
    for (i64 w = b; w < e; ++w) {
      for (u64 x = occurs.word(w); x != 0; x &= x - 1) ids[at++] = static_cast<Id>(w * 64 + std::countr_zero(x));
    }
  });
  return ids;
}

#define LB_OCCURRING(Id)                                                                                            \
  template Occurring<i32, Id> occurring(const i32*, i64, i64, const IdArray&, const IdArray&, i64, int);            \
  template Occurring<i64, Id> occurring(const i64*, i64, i64, const IdArray&, const IdArray&, i64, int);            \
  template Buffer<Id> occurring_endpoints(i64, const IdArray&, const IdArray&, i64, const IdArray&, const IdArray&, \
                                          i64, int);
LB_OCCURRING(i32)
LB_OCCURRING(i64)
LB_OCCURRING(u32)
LB_OCCURRING(u64)
#undef LB_OCCURRING

}  // namespace lb::core

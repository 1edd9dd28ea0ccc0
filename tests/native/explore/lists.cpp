// The schedule explorer of list ranking: the shipped phases over words whose every access asks who goes on, on small
// lists, sound and broken ones. It searches all schedules with a bounded number of preemptions, depth first over rows
// of choices.
//
//   explore_lists check | mutants       one JSON object per line; the exit status is 1 if something is not as expected
//
// What must hold under every schedule: pointer jumping gives the right ranks, with no barrier at all between rounds;
// walks on sound lists give every element the right owner and place; walks on broken ones end, and what the engines
// look at (the count of elements claimed, where walks end, elements without an owner, sublists led to twice or in a
// circle) gives the input away.
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "landbridge/phase/rank.hpp"

namespace lb::explore {
namespace {

constexpr int most_threads = 3;
constexpr int access_limit = 400;  // of one thread

// The search. Threads are fibers; `access` is called before each access to a shared word.
class Search {
 public:
  using Body = std::function<void(int thread)>;
  static inline Search* current = nullptr;

  struct Outcome {
    u64 runs = 0;
    std::string failure;
  };

  // Runs `start` and then the bodies under every schedule with so many preemptions; `judge` says what is wrong at the
  // end.
  Outcome explore(int threads, int preemptions, const std::function<void()>& start, const Body& body,
                  const std::function<std::string()>& judge) {
    threads_ = threads;
    body_ = body;
    choices_.clear();
    Outcome out;
    current = this;
    for (;;) {
      ++out.runs;
      start();
      run(preemptions);
      out.failure = endless_ ? "a thread does not end" : judge();
      if (!out.failure.empty()) return out;
      while (!choices_.empty() && choices_.back().option + 1 == choices_.back().count) choices_.pop_back();
      if (choices_.empty()) return out;
      ++choices_.back().option;
    }
  }

  void access() {
    if (++accesses_[now_] > access_limit) {
      endless_ = true;
      Fiber::change(fibers_[now_], main_);
    }
    yield(true);
  }

 private:
  struct Choice {
    int option, count;
  };

  void run(int preemptions) {
    position_ = 0;
    left_ = preemptions;
    endless_ = false;
    live_.clear();
    for (int t = 0; t < threads_; ++t) {
      accesses_[t] = 0;
      live_.push_back(t);
      fibers_[t].prepare(&Search::enter);
    }
    now_ = live_[static_cast<std::size_t>(choose(threads_))];
    Fiber::change(main_, fibers_[now_]);
  }

  int choose(int count) {
    if (count < 2) return 0;
    if (position_ == choices_.size()) choices_.push_back({0, count});
    return choices_[position_++].option;
  }

  // The first choice is to go on; each other thread costs a preemption if this one could.
  void yield(bool could_go_on) {
    if (could_go_on && left_ == 0) return;
    std::vector<int>& next = options_;
    next.clear();
    if (could_go_on) next.push_back(now_);
    for (const int t : live_) {
      if (t != now_) next.push_back(t);
    }
    if (next.empty()) Fiber::change(fibers_[now_], main_);
    const int next_thread = next[static_cast<std::size_t>(choose(static_cast<int>(next.size())))];
    if (next_thread == now_) return;
    left_ -= could_go_on;
    const int before = now_;
    now_ = next_thread;
    Fiber::change(fibers_[before], fibers_[next_thread]);
  }

  static void enter() {
    Search& s = *current;
    s.body_(s.now_);
    std::erase(s.live_, s.now_);
    s.yield(false);
  }

  int threads_ = 0, now_ = 0, left_ = 0;
  bool endless_ = false;
  Body body_;
  std::vector<Choice> choices_;
  std::size_t position_ = 0;
  std::vector<int> live_, options_;
  int accesses_[most_threads] = {};
  Fiber fibers_[most_threads], main_;
};

// Words that ask first.
template <class T>
struct CheckedWords {
  using Word = T;
  T* words;
  explicit CheckedWords(T* w) : words(w) {}
  T load(u64 i) const {
    Search::current->access();
    return words[i];
  }
  void store(u64 i, T v) const {
    Search::current->access();
    words[i] = v;
  }
  void prefetch(u64) const {}
};

using List = std::vector<i32>;

std::vector<i64> ranks_of(const List& list) {
  const auto n = static_cast<i64>(list.size());
  std::vector<i64> ranks(list.size());
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = i; list[static_cast<std::size_t>(j)] != j; j = list[static_cast<std::size_t>(j)])
      ++ranks[static_cast<std::size_t>(i)];
  }
  return ranks;
}

bool sound(const List& list) {
  const auto n = static_cast<i32>(list.size());
  std::vector<int> predecessors(list.size());
  for (i32 i = 0; i < n; ++i) {
    const i32 s = list[static_cast<std::size_t>(i)];
    if (s != i && ++predecessors[static_cast<std::size_t>(s)] > 1) return false;
    i32 j = i;
    for (i32 k = 0; k < n; ++k) j = list[static_cast<std::size_t>(j)];
    if (list[static_cast<std::size_t>(j)] != j) return false;
  }
  return true;
}

// ---- pointer jumping: each thread owns some elements and jumps until they have arrived
// -----------------------------------------

Search::Outcome jumps(const List& list, int threads, int preemptions) {
  static u64 words[16];
  const auto n = list.size();
  const auto right = ranks_of(list);
  const rank::Successors<i32> next(list.data(), static_cast<i64>(list.size()));
  Search search;
  return search.explore(
      threads, preemptions,
      [&] {
        for (u64 i = 0; i < n; ++i) words[i] = rank::Jump::word(next(i) != i, next(i), next(i) == i);
      },
      [&](int thread) {
        const CheckedWords<u64> m(words);
        for (bool moving = true; moving;) {
          moving = false;
          for (u64 i = static_cast<u64>(thread); i < n; i += static_cast<u64>(threads))
            moving |= phase::jump_word(m, i);
        }
      },
      [&]() -> std::string {
        for (u64 i = 0; i < n; ++i) {
          if (static_cast<i64>(rank::Jump::value(words[i])) != right[i])
            return "element " + std::to_string(i) + " has a wrong rank";
        }
        return {};
      });
}

// The same with value and last in words of their own, and no second pair: what the packed word is for.
Search::Outcome torn_jumps(const List& list, int threads, int preemptions) {
  static u64 value[16], last[16];
  const auto n = list.size();
  const auto right = ranks_of(list);
  const rank::Successors<i32> next(list.data(), static_cast<i64>(list.size()));
  Search search;
  return search.explore(
      threads, preemptions,
      [&] {
        for (u64 i = 0; i < n; ++i) value[i] = next(i) != i, last[i] = next(i);
      },
      [&](int thread) {
        const CheckedWords<u64> v(value), l(last);
        for (int round = 0; round < 5; ++round) {
          for (u64 i = static_cast<u64>(thread); i < n; i += static_cast<u64>(threads)) {
            const u64 at = l.load(i);
            if (next(at) == at && l.load(at) == at && at == i) continue;
            v.store(i, v.load(i) + v.load(at));
            l.store(i, l.load(at));
          }
        }
      },
      [&]() -> std::string {
        for (u64 i = 0; i < n; ++i) {
          if (static_cast<i64>(value[i]) != right[i]) return "element " + std::to_string(i) + " has a wrong rank";
        }
        return {};
      });
}

// ---- walks: each thread has one
// ---------------------------------------------------------------------------------------------------

enum class Look { all, count_only };

// Walks from `starts`, and what an engine concludes of them: whether the input may be lists. On sound lists the owner
// and the place of each element must be right as well.
template <class MakeState>
Search::Outcome walks(const List& list, const std::vector<u64>& starts, int preemptions, Look look,
                      const MakeState& make) {
  const auto n = list.size();
  const int threads = static_cast<int>(starts.size());
  const bool good = sound(list);
  struct Sublist {
    u64 next, length, total;
    bool tail, broken;
  };
  static Sublist sublists[most_threads];
  const rank::UnitValues<u32> f;
  Search search;
  const auto state = make(list);
  using State = decltype(make(list));
  return search.explore(
      threads, preemptions,
      [&] {
        // The main fiber runs no search: its accesses are not choices.
        make.reset(list, starts);
      },
      [&](int thread) {
        Sublist& p = sublists[thread];
        phase::SublistWalk<typename State::V> w;
        u64 owner = rank::unowned;
        auto status =
            phase::begin_walk(state, f, starts[static_cast<std::size_t>(thread)], static_cast<u64>(thread), w);
        while (status == phase::WalkStatus::active) status = phase::step_walk(state, f, w, owner);
        p = {owner, w.length, w.sum, status == phase::WalkStatus::at_tail, false};
        if (!p.tail) p.broken = owner >= starts.size() || starts[owner] != w.at || owner == static_cast<u64>(thread);
      },
      [&]() -> std::string {
        u64 claimed = 0;
        bool broken = false;
        int predecessors[most_threads] = {};
        for (int t = 0; t < threads; ++t) {
          claimed += sublists[t].length;
          broken |= sublists[t].broken;
          if (!sublists[t].tail && !sublists[t].broken) broken |= ++predecessors[sublists[t].next] > 1;
        }
        if (look == Look::count_only) broken = false;
        for (u64 i = 0; i < n && look == Look::all; ++i) broken |= make.owner(i) == rank::unowned;
        broken |= claimed != n;
        for (int t = 0; t < threads && !broken && look == Look::all; ++t) {
          int steps = 0;
          for (int k = t; !sublists[k].tail && !broken; k = static_cast<int>(sublists[k].next))
            broken = ++steps > threads;
        }
        if (good && broken) return "sound lists are refused";
        if (!good && !broken) return "broken input is accepted";
        if (!good) return {};
        for (u64 i = 0; i < n; ++i) {
          // From the start of its piece, as many steps as its place says lead to it.
          u64 at = starts[make.owner(i)];
          for (u64 k = 0; k < make.place(i); ++k) at = static_cast<u64>(list[at]);
          if (at != i) return "element " + std::to_string(i) + " has a wrong place";
        }
        return {};
      });
}

struct MakeBits64 {
  static inline u64 words[16];
  auto operator()(const List& list) const {
    return rank::Bits64<CheckedWords<u64>, i32>{CheckedWords<u64>(words), {list.data(), static_cast<i64>(list.size())}};
  }
  void reset(const List& list, const std::vector<u64>& starts) const {
    for (std::size_t i = 0; i < list.size(); ++i) words[i] = ~u64{0};
    for (std::size_t k = 0; k < starts.size(); ++k) words[starts[k]] = k;
  }
  u64 owner(u64 i) const { return (words[i] & 0xffffffffu) >= 0xfffffffeu ? rank::unowned : words[i] & 0xffffffffu; }
  u64 place(u64 i) const { return words[i] >> 32; }
};
struct MakeFused {
  static inline u64 words[16];
  using State = rank::Fused<CheckedWords<u64>, i32>;
  auto operator()(const List& list) const {
    return State{CheckedWords<u64>(words), {list.data(), static_cast<i64>(list.size())}};
  }
  void reset(const List& list, const std::vector<u64>& starts) const {
    for (std::size_t i = 0; i < list.size(); ++i) words[i] = State::free_bit | static_cast<u64>(list[i]);
    for (std::size_t k = 0; k < starts.size(); ++k) words[starts[k]] = static_cast<u64>(k) << 32;
  }
  u64 owner(u64 i) const { return (words[i] & State::free_bit) != 0 ? rank::unowned : words[i] >> 32; }
  u64 place(u64 i) const { return words[i] & 0xffffffffu; }
};
struct MakeSeparate {
  static inline u16 owners[16];
  static inline u32 places[16];
  using State = rank::Separate<CheckedWords<u16>, CheckedWords<u32>, i32>;
  auto operator()(const List& list) const {
    return State{CheckedWords<u16>(owners), CheckedWords<u32>(places), {list.data(), static_cast<i64>(list.size())}};
  }
  void reset(const List& list, const std::vector<u64>& starts) const {
    for (std::size_t i = 0; i < list.size(); ++i) owners[i] = State::free_owner;
    for (std::size_t k = 0; k < starts.size(); ++k) owners[starts[k]] = static_cast<u16>(k), places[starts[k]] = 0;
  }
  u64 owner(u64 i) const { return owners[i] >= State::preceded_owner ? rank::unowned : owners[i]; }
  u64 place(u64 i) const { return places[i]; }
};

// ---- what is explored
// ------------------------------------------------------------------------------------------------------------

// All functions on n elements, sound or not.
std::vector<List> all_lists(i32 n) {
  std::vector<List> out;
  List list(static_cast<std::size_t>(n), 0);
  for (;;) {
    out.push_back(list);
    std::size_t at = 0;
    while (at < list.size() && ++list[at] == n) list[at++] = 0;
    if (at == list.size()) return out;
  }
}

std::string show(const List& list) {
  std::string text;
  for (const i32 s : list) text += (text.empty() ? "" : " ") + std::to_string(s);
  return text;
}

struct Result {
  u64 cases = 0, runs = 0;
  std::string failure, where;
};

void take(Result& all, const Search::Outcome& one, const List& list) {
  ++all.cases;
  all.runs += one.runs;
  if (all.failure.empty() && !one.failure.empty()) all.failure = one.failure, all.where = show(list);
}

template <class Make>
Result all_walks(i32 n, int preemptions, Look look, const Make& make) {
  Result all;
  for (const List& list : all_lists(n)) {
    // A head must be a start where there is one tail, and every start is its own: two walks from each pair, three from
    // some.
    std::vector<u64> heads;
    for (u64 i = 0; i < list.size(); ++i) {
      bool has_predecessor = false;
      for (u64 j = 0; j < list.size(); ++j) has_predecessor |= j != i && list[j] == static_cast<i32>(i);
      if (!has_predecessor) heads.push_back(i);
    }
    if (heads.size() > most_threads || heads.empty()) continue;
    for (u64 extra = 0; extra < list.size(); ++extra) {
      std::vector<u64> starts = heads;
      bool is_head = false;
      for (const u64 h : heads) is_head |= h == extra;
      if (!is_head && starts.size() < most_threads) starts.push_back(extra);
      take(all, walks(list, starts, preemptions, look, make), list);
      if (!all.failure.empty()) return all;
    }
  }
  return all;
}

template <class Run>
Result all_jumps(i32 n, int threads, int preemptions, const Run& run) {
  Result all;
  for (const List& list : all_lists(n)) {
    if (!sound(list)) continue;
    take(all, run(list, threads, preemptions), list);
    if (!all.failure.empty()) return all;
  }
  return all;
}

int report(const char* name, bool clean, const Result& r) {
  std::printf(
      "{\"program\": \"%s\", \"expected\": \"%s\", \"cases\": %llu, \"runs\": %llu, \"failure\": \"%s\", \"case\": "
      "\"%s\"}\n",
      name, clean ? "clean" : "found", static_cast<unsigned long long>(r.cases),
      static_cast<unsigned long long>(r.runs), r.failure.c_str(), r.where.c_str());
  std::fflush(stdout);
  return r.failure.empty() == clean ? 0 : 1;
}

}  // namespace
}  // namespace lb::explore

int main(int argc, char** argv) {
  using namespace lb::explore;
  int wrong = 0;
  if (argc == 2 && std::strcmp(argv[1], "check") == 0) {
    wrong += report("wyllie, two threads", true, all_jumps(4, 2, 3, jumps));
    wrong += report("wyllie, three threads", true, all_jumps(5, 3, 2, jumps));
    wrong += report("walks, bits64", true, all_walks(4, 4, Look::all, MakeBits64{}));
    wrong += report("walks, fused", true, all_walks(4, 4, Look::all, MakeFused{}));
    wrong += report("walks, separate", true, all_walks(4, 3, Look::all, MakeSeparate{}));
    wrong += report("walks of five elements", true, all_walks(5, 2, Look::all, MakeFused{}));
  } else if (argc == 2 && std::strcmp(argv[1], "mutants") == 0) {
    wrong += report("wyllie with value and last in separate words", false, all_jumps(4, 2, 3, torn_jumps));
    wrong += report("a count of elements alone", false, all_walks(4, 4, Look::count_only, MakeBits64{}));
  } else {
    std::fprintf(stderr, "explore_lists check | mutants\n");
    return 2;
  }
  return wrong != 0;
}

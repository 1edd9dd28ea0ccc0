// Stress tests of what runs on real threads: the thread back-end, and every compiled kernel on small
// contended graphs against a serial oracle. Meant for the sanitizers as much as for the answers.
//
//   stress threads | stress kernels | stress runs | stress streams | stress names
//   stress race        a deliberate data race: proves that ThreadSanitizer sees the pool's threads
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "check.hpp"
#include "components.hpp"
#include "graph.hpp"
#include "ids.hpp"
#include "incremental.hpp"
#include "kernels.hpp"
#include "landbridge/random.hpp"
#include "names.hpp"
#include "rounds.hpp"
#include "standalone.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

// Lets the workers of one parallel call start together, as far as the machine allows: the caller would
// otherwise have done a small job alone before another thread wakes up.
class Gate {
 public:
  explicit Gate(int threads) : threads_(threads) {}
  void pass() {
    ++arrived_;
    for (int spins = 0; arrived_ < threads_ && spins < 20000; ++spins) sched_yield();
    if (arrived_ == threads_) together = true;
  }
  static inline std::atomic<bool> together{false};  // has any gate ever seen all of its workers?

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
};

// ---- the thread back-end

void test_every_worker_runs_once() {
  for (int threads = 1; threads <= 9; ++threads) {
    for (int round = 0; round < 50; ++round) {
      std::vector<int> runs(static_cast<std::size_t>(threads), 0);  // one writer each, read after the call
      Gate gate(round % 2 == 0 ? threads : 0);
      parallel(threads, [&](int worker) {
        gate.pass();
        ++runs[static_cast<std::size_t>(worker)];
      });
      for (const int r : runs)
        expect(r == 1, "a worker of " + std::to_string(threads) + " ran " + std::to_string(r) + " times");
    }
  }
}

void test_chunks_cover_the_range() {
  for (const i64 n : {0, 1, 7, 64, 1000}) {
    for (const i64 grain : {0, 1, 3, 64, 5000}) {
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      parallel_for(n, grain, 4, [&](i64 begin, i64 end, int worker) {
        if (worker < 0 || worker >= 4) std::abort();
        for (i64 i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const int s : seen)
        expect(s == 1, "an index of " + std::to_string(n) + " was visited " + std::to_string(s) + " times");
    }
  }
}

void test_nested_calls() {
  std::atomic<int> sum{0};
  parallel(4, [&](int) {
    parallel(3, [&](int inner) {
      sum += inner;
      parallel_for(10, 1, 2, [&](i64 begin, i64 end, int) { sum += static_cast<int>(end - begin); });
    });
  });
  expect(sum == 4 * (0 + 1 + 2 + 30), "nested calls did " + std::to_string(sum) + " of 132");
}

void test_exceptions() {
  for (int thrower = 0; thrower < 4; ++thrower) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> others{0};
      std::string caught;
      try {
        parallel(4, [&](int worker) {
          if (worker == thrower) throw std::runtime_error("worker " + std::to_string(worker));
          ++others;
        });
      } catch (const std::runtime_error& e) {
        caught = e.what();
      }
      expect(caught == "worker " + std::to_string(thrower), "an exception was lost: \"" + caught + "\"");
      expect(others == 3, "after an exception " + std::to_string(others) + " of 3 workers had finished");
    }
  }
  bool caught = false;
  try {
    parallel(3, [](int) { throw std::runtime_error("all"); });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  expect(caught, "three exceptions at once were lost");
  test_every_worker_runs_once();  // and nothing is left behind
}

void test_concurrent_callers() {
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 5; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 100; ++round) {
        const int threads = 2 + (c + round) % 4;
        std::atomic<int> sum{0};
        parallel(threads, [&](int worker) { sum += worker + 1; });
        if (sum != threads * (threads + 1) / 2) std::abort();
        ++total;
      }
    });
  }
  for (auto& t : callers) t.join();
  expect(total == 500, "of 500 concurrent calls " + std::to_string(total) + " returned");
}

void test_fork() {
#if !defined(__SANITIZE_THREAD__)  // which refuses to start threads in a child
  parallel(3, [](int) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> runs{0};
    parallel(3, [&](int) { ++runs; });
    _exit(runs == 3 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "no threads in a child after fork()");
  test_every_worker_runs_once();  // the parent's are unharmed
#endif
}

// ---- the kernels

template <class Id>
struct Graph {
  const char* name;
  i64 n;
  std::vector<Id> u, v;
  void add(u64 a, u64 b) {
    u.push_back(static_cast<Id>(a));
    v.push_back(static_cast<Id>(b));
  }
};

template <class Id>
std::vector<Graph<Id>> graphs() {
  std::vector<Graph<Id>> out;
  const auto random = [&](const char* name, i64 n, i64 m, u64 key) {
    Graph<Id> g{name, n, {}, {}};
    for (i64 i = 0; i < m; ++i) {
      const u64 bits = mix(key, static_cast<u64>(i));
      g.add(below(bits, static_cast<u64>(n)), below(bits << 32, static_cast<u64>(n)));
    }
    out.push_back(std::move(g));
  };
  random("a handful of vertices, every thread on the same roots", 6, 400, 1);
  random("many small components", 600, 420, 2);
  random("one large component", 300, 900, 3);
  Graph<Id> path{"a path from its far end: every link is above the last", 400, {}, {}};
  for (u64 i = 399; i > 0; --i) path.add(i, i - 1);
  out.push_back(std::move(path));
  Graph<Id> star{"a star around the largest vertex", 200, {}, {}};
  for (u64 i = 0; i < 199; ++i) star.add(199, i);
  out.push_back(std::move(star));
  return out;
}

// The smallest vertex of each component, by one thread and another algorithm: relaxation until nothing
// changes.
template <class Id>
std::vector<Id> oracle(const Graph<Id>& g) {
  std::vector<Id> low(static_cast<std::size_t>(g.n));
  std::iota(low.begin(), low.end(), Id{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < g.u.size(); ++i) {
      const Id least = std::min(low[g.u[i]], low[g.v[i]]);
      changed |= low[g.u[i]] != least || low[g.v[i]] != least;
      low[g.u[i]] = low[g.v[i]] = least;
    }
  }
  return low;
}

template <class Id>
void run_kernel(const Kernel<Id>& k, const Graph<Id>& g, const std::vector<Id>& want, bool alone) {
  constexpr int threads = 3;
  const auto n = static_cast<std::size_t>(g.n);
  std::vector<Id> parent(n), aux(k.uses_aux ? n : 0);
  std::vector<u64> words(k.ranked ? n : 0);
  const Cells<Id> cells{.parent = parent.data(), .words = words.data(), .aux = aux.data()};
  parallel_for(g.n, 50, threads, [&](i64 begin, i64 end, int) { k.start(cells, begin, end, false); });
  const auto m = static_cast<i64>(g.u.size());
  if (alone) {
    k.pairs_alone(cells, g.u.data(), g.v.data(), m);
  } else {
    Gate gate(threads);
    std::atomic<i64> next{0};
    parallel(threads, [&](int) {
      gate.pass();
      for (i64 begin; (begin = next.fetch_add(8, std::memory_order_relaxed)) < m;) {
        k.pairs(cells, g.u.data() + begin, g.v.data() + begin, std::min<i64>(8, m - begin));
      }
    });
  }
  parallel_for(g.n, 50, threads, [&](i64 begin, i64 end, int) { k.settle(cells, begin, end); });
  // Ranked kernels end at any vertex of the component; the oracle's label of that vertex names it.
  bool right = true;
  std::vector<Id> representative(n, none<Id>);
  for (std::size_t x = 0; x < n; ++x) {
    const Id r = parent[x];
    right = right && r < n && want[r] == want[x] && (k.ranked || r == want[x]);
    if (!right) break;
    auto& of_component = representative[want[x]];
    if (of_component == none<Id>) of_component = r;
    right = of_component == r;
    if (!right) break;
  }
  expect(right, std::string(k.link) + "(" + k.find + (*k.splice ? "," : "") + k.splice + "), " +
                    std::to_string(8 * sizeof(Id)) + " bits" + (alone ? ", alone" : "") + ", on " + g.name);
}

template <class Id>
void test_kernels(int rounds) {
  const auto all = graphs<Id>();
  std::vector<std::vector<Id>> want;
  for (const auto& g : all) want.push_back(oracle(g));
  int sound = 0;
  for (const Combination& c : combinations()) {
    const Kernel<Id>* k = find_kernel<Id>(c.link, c.find, c.splice);
    expect((k != nullptr) == (c.reason == nullptr), std::string(c.link) + ": a kernel for each sound combination");
    if (k == nullptr) continue;
    ++sound;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (int round = 0; round < rounds; ++round) run_kernel(*k, all[i], want[i], false);
      run_kernel(*k, all[i], want[i], true);
    }
  }
  expect(sound > 0, "no kernels");
}

}  // namespace
}  // namespace lb::core

// The values of a row's parameters (registry.def): all at their defaults, then each other word in its turn.
std::vector<lb::core::Values> with_each_word(const std::string& parameters) {
  using namespace lb::core;
  struct Parameter {
    std::string name, kind, value;
    std::vector<std::string> words;
  };
  std::vector<Parameter> all;
  std::istringstream rows(parameters);
  for (std::string row; std::getline(rows, row, ';');) {
    const auto colon = row.find(':'), equals = row.find('='), end = row.find(':', equals);
    Parameter p{row.substr(0, colon),
                row.substr(colon + 1, equals - colon - 1),
                row.substr(equals + 1, std::min(end, row.find_first_of("<>", equals)) - equals - 1),
                {}};
    if (end != std::string::npos) {
      std::istringstream words(row.substr(end + 1));
      for (std::string word; std::getline(words, word, '|');) p.words.push_back(word.substr(0, word.find('/')));
    }
    all.push_back(std::move(p));
  }
  const auto values_of = [&] {
    Values values;
    for (const Parameter& p : all) {
      if (p.kind == "int")
        values.set(p.name, static_cast<lb::i64>(std::stoll(p.value)));
      else if (p.kind == "float")
        values.set(p.name, std::stod(p.value));
      else
        values.set(p.name, p.value);
    }
    return values;
  };
  std::vector<Values> out{values_of()};
  for (Parameter& p : all) {
    const std::string usual = p.value;
    for (const std::string& word : p.words) {
      if (word == usual) continue;
      p.value = word;
      out.push_back(values_of());
    }
    p.value = usual;
  }
  return out;
}

// Whole runs with four threads: the one-pass way over pairs, every sampling with links of each kind on rows that are
// and are not known to be symmetric, every standalone algorithm, and stages. The verifier of the library, serial and of
// other make, judges.
void test_runs() {
  using namespace lb;
  using namespace lb::core;
  constexpr i64 n = 60000, m = 50000;
  std::vector<i64> u(m), v(m);
  for (i64 i = 0; i < m; ++i) {
    u[static_cast<std::size_t>(i)] = static_cast<i64>(mix(1, static_cast<u64>(i)) % n);
    v[static_cast<std::size_t>(i)] = static_cast<i64>(mix(2, static_cast<u64>(i)) % n);
  }
  GraphView pairs;
  pairs.vertices = n, pairs.arcs = m, pairs.a = {u.data()}, pairs.b = {v.data()};
  const auto judge = [&](const std::string& what, const u32* labels) {
    const std::string wrong = check_labels(pairs, {labels});
    if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", what.c_str(), wrong.c_str());
    expect(wrong.empty(), what);
  };
  // Every run once more as a spanning forest.
  const auto judge_forest = [&](const std::string& what, const GraphView& graph, const Request& r) {
    Profile unused;
    const auto f = spanning_forest<u32>(graph, r, unused);
    const auto size = static_cast<i64>(f.edge.size());
    const std::string wrong = check_forest(graph, {f.u.data()}, {f.v.data()}, {f.edge.data()}, size);
    if (!wrong.empty()) std::fprintf(stderr, "forest of %s: %s\n", what.c_str(), wrong.c_str());
    expect(wrong.empty(), "forest of " + what);
  };
  Request plan;
  plan.threads = 4, plan.link = "rem_cas", plan.find = "naive", plan.splice = "halve_one";
  Profile profile;
  const auto once = components_of_pairs(pairs.a, pairs.b, m, plan, profile);
  expect(once.has_value(), "one pass is open");
  std::vector<u32> labels(n);
  if (once) {
    std::fill(labels.begin(), labels.end(), 0);
    std::copy(once->labels.data(), once->labels.data() + once->labels.size(), labels.begin());
    for (i64 x = static_cast<i64>(once->labels.size()); x < n; ++x) {
      labels[static_cast<std::size_t>(x)] = static_cast<u32>(once->count + x - static_cast<i64>(once->labels.size()));
    }
    judge("one pass", labels.data());
  }
  const Rows<u32> made = symmetric_rows<u32>(pairs, 4);
  GraphView rows;
  rows.vertices = n, rows.rows = true, rows.arcs = static_cast<i64>(made.neighbors.size());
  rows.offsets = {made.offsets.data()}, rows.a = {made.neighbors.data()};
  for (const bool symmetric : {true, false}) {
    rows.symmetric = symmetric;
    for (const char* sample : {"", "kout", "hb", "bfs", "ldd"}) {
      for (const std::string link : {"async", "hooks", "jtb", "ecl", "rem_cas", "rem_lock"}) {
        Request r;
        r.threads = 4, r.sample = sample, r.link = link, r.find = link == "jtb" ? "two_try" : "halve";
        r.splice = link.rfind("rem", 0) == 0 ? "split_one" : "";
        components<u32>(rows, r, labels.data(), profile);
        judge(std::string(sample) + "+" + link, labels.data());
        judge_forest(std::string(sample) + "+" + link, rows, r);
      }
    }
  }
  for (const Policy& row : policies()) {
    if (std::string(row.axis) != "finish" || !has_word(row.engines, "cpu") || find_standalone<u32>(row.name) == nullptr)
      continue;
    for (const Values& values : with_each_word(row.parameters)) {
      Request r;
      r.threads = 4, r.finish = row.name, r.values = values;
      const bool on_pairs = has_word(row.traits, "coo");
      components<u32>(on_pairs ? pairs : rows, r, labels.data(), profile);
      judge(row.name, labels.data());
      if (has_word(row.traits, "forest")) judge_forest(row.name, on_pairs ? pairs : rows, r);
      if (!has_word(row.traits, "stages")) continue;
      r.stage = 0.5;
      components<u32>(pairs, r, labels.data(), profile);
      judge(std::string("stages of ") + row.name, labels.data());
    }
  }
  for (const RoundVariant& variant : round_variants()) {
    if (variant.reason != nullptr) continue;
    Request r;
    r.threads = 4, r.finish = variant.name;
    std::string what(variant.name);
    for (const auto word : variant.words) {
      r.values.set(std::to_string(r.values.words().size()), std::string(word));
      what += "," + std::string(word);
    }
    const bool forest = variant.no_forest == nullptr;
    for (const double stage : {0.0, 0.5}) {
      r.stage = stage;
      components<u32>(pairs, r, labels.data(), profile);
      judge(what + " on pairs", labels.data());
      if (forest) judge_forest(what + " on pairs", pairs, r);
    }
    r.stage = 0;
    for (const char* sample : {"", "kout", "bfs"}) {
      if (variant.rewrites) continue;
      r.sample = sample;
      for (const bool symmetric : {true, false}) {
        rows.symmetric = symmetric;
        components<u32>(rows, r, labels.data(), profile);
        judge(std::string(sample) + "+" + what, labels.data());
        if (forest) judge_forest(std::string(sample) + "+" + what, rows, r);
      }
    }
  }
  for (const std::string link : {"async", "jtb"}) {
    Request r;
    r.threads = 4, r.link = link, r.find = "naive", r.stage = 0.5;
    components<u32>(pairs, r, labels.data(), profile);
    judge("stages of " + link, labels.data());
    judge_forest("stages of " + link, pairs, r);
  }
}

// Callers of one stream at once: two insert, in batches of all ways, and make it grow on the way; one asks; one looks
// at whole moments. What an insert that returned has joined is joined for everybody, and at the end nothing is lost.
// Some streams insert alone, by plain accesses, whenever nobody else is in: ThreadSanitizer tells if somebody was.
void test_streams() {
  using namespace lb;
  using namespace lb::core;
  constexpr i64 n = 400, batch = 20, batches = 30, callers = 2;
  using Wait = Incremental::Wait;
  struct Rules {
    std::string link, find, splice;
    std::vector<std::string> words;
    bool forest;
  };
  std::vector<Rules> all;
  for (const Combination& c : combinations()) {
    if (c.reason == nullptr) all.push_back({c.link, c.find, c.splice, {}, c.no_forest == nullptr});
  }
  for (const RoundVariant& v : round_variants()) {
    if (v.reason == nullptr && v.root_based)
      all.push_back({std::string(v.name), "", "", {v.words.begin(), v.words.end()}, true});
  }
  for (const Rules& c : all) {
    struct Kind {
      i64 narrow_most;
      bool exclusive_if_free;
    };
    for (const auto& [narrow_most, exclusive_if_free] :
         {Kind{StreamOptions::largest_narrow, false}, Kind{StreamOptions::largest_narrow, true}, Kind{150, true}}) {
      std::string name = c.link + "(" + c.find + (c.splice.empty() ? "" : ",") + c.splice + ")";
      for (const auto& word : c.words) name += " " + word;
      Incremental stream({c.link, c.find, c.splice, c.words}, {0, 2, c.forest, narrow_most, exclusive_if_free});
      std::vector<i64> u(callers * batches * batch), v(u.size());
      for (std::size_t i = 0; i < u.size(); ++i) {
        const u64 most = static_cast<u64>(20 + static_cast<i64>(i) % (batches * batch) * (n - 20) / (batches * batch));
        u[i] = static_cast<i64>(below(mix(5, i), most));
        v[i] = static_cast<i64>(below(mix(6, i), most));
      }
      const std::vector<u8> inserts(batch, 0);
      std::atomic<i64> done[callers] = {};
      std::atomic<bool> right{true};
      std::vector<std::thread> threads;
      Gate gate(callers + 2);
      for (int k = 0; k < callers; ++k) {
        threads.emplace_back([&, k] {
          gate.pass();
          for (i64 i = 0; i < batches; ++i) {
            const auto at = static_cast<std::size_t>((k * batches + i) * batch);
            const IdArray a{u.data() + at}, b{v.data() + at};
            u8 bits[(batch + 7) / 8];
            if (i % 3 == 0)
              stream.apply({a, b, batch, true, inserts.data()}, i % 2 == 0, bits, Wait::allowed);
            else if (i % 3 == 1)
              stream.insert({a, b, batch, true}, Wait::allowed);
            else
              for (i64 j = 0; j < batch; ++j)
                stream.insert({{u.data() + at + j}, {v.data() + at + j}, 1, true}, Wait::allowed);
            done[k].store(i + 1, std::memory_order_release);
          }
        });
      }
      const auto last = [&](int k) {
        return static_cast<std::size_t>((k * batches + done[k].load(std::memory_order_acquire) - 1) * batch);
      };
      const auto running = [&] { return done[0].load() < batches || done[1].load() < batches; };
      threads.emplace_back([&] {
        gate.pass();
        do {
          for (int k = 0; k < callers; ++k) {
            if (done[k].load(std::memory_order_acquire) == 0) continue;
            const auto at = last(k);
            u8 answers[batch];
            stream.connected({{u.data() + at}, {v.data() + at}, batch, true}, answers, Wait::allowed);
            for (const u8 yes : answers) {
              if (yes == 0) right = false;
            }
          }
        } while (running());
      });
      threads.emplace_back([&] {
        gate.pass();
        do {
          std::size_t known[callers];
          for (int k = 0; k < callers; ++k)
            known[k] = done[k].load(std::memory_order_acquire) == 0 ? u.size() : last(k);
          const auto s = stream.snapshot(c.forest);
          for (const std::size_t at : known) {
            for (std::size_t i = at; i < std::min(at + batch, u.size()); ++i) {
              const auto root = [&](i64 x) {
                return s.width == IdWidth::wide ? s.broad[static_cast<std::size_t>(x)]
                                                : s.narrow[static_cast<std::size_t>(x)];
              };
              if (root(u[i]) != root(v[i])) right = false;
            }
          }
        } while (running());
      });
      for (auto& t : threads) t.join();
      expect(right, "a stream of " + name + " has told of every insert that had returned");
      GraphView pairs;
      pairs.vertices = stream.vertices(), pairs.arcs = static_cast<i64>(u.size()), pairs.a = {u.data()},
      pairs.b = {v.data()};
      auto s = stream.snapshot(false);
      const i64 count = s.width == IdWidth::wide ? number_roots(s.broad.data(), s.vertices, 2)
                                                 : number_roots(s.narrow.data(), s.vertices, 2);
      const std::string wrong =
          check_labels(pairs, s.width == IdWidth::wide ? IdArray{s.broad.data()} : IdArray{s.narrow.data()});
      expect(wrong.empty(), name + ": " + wrong);
      expect(count == stream.count(), "the count of " + name + " is current");
    }
  }
}

// Batches that several threads insert together, with nobody else in the stream, in rounds or where links splice: more
// than a piece of the batch for each of them.
void test_large_batches() {
  using namespace lb;
  using namespace lb::core;
  constexpr i64 n = 20000, m = 150000;
  std::vector<i64> u(m), v(m);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = static_cast<i64>(below(mix(7, i), n));
    v[i] = std::min<i64>(n - 1, u[i] + static_cast<i64>(below(mix(8, i), 3)));
  }
  GraphView pairs;
  pairs.vertices = n, pairs.arcs = m, pairs.a = {u.data()}, pairs.b = {v.data()};
  for (const Combination& c : combinations()) {
    if (c.reason != nullptr || c.separated == nullptr) continue;
    const std::string name = std::string("a stream of ") + c.link + "(" + c.find + "," + c.splice + ")";
    Incremental stream({c.link, c.find, c.splice, {}}, {n, 4, false, StreamOptions::largest_narrow, true});
    stream.insert({pairs.a, pairs.b, m, true}, Incremental::Wait::allowed);
    auto s = stream.snapshot(false);
    expect(number_roots(s.narrow.data(), n, 2) == stream.count(), "the count of " + name + " is current");
    const std::string wrong = check_labels(pairs, {s.narrow.data()});
    expect(wrong.empty(), name + ": " + wrong);
  }
  for (const RoundVariant& c : round_variants()) {
    if (c.reason != nullptr || !c.root_based) continue;
    Incremental stream({std::string(c.name), "", "", {c.words.begin(), c.words.end()}}, {n, 4, true});
    stream.insert({pairs.a, pairs.b, m, true}, Incremental::Wait::allowed);
    auto s = stream.snapshot(true);
    const Buffer<u64>&a = s.u, &b = s.v, &at = s.at;
    const std::string forest = check_forest(pairs, {a.data()}, {b.data()}, {at.data()}, static_cast<i64>(at.size()));
    expect(forest.empty(), "the forest of a stream in rounds: " + forest);
    expect(number_roots(s.narrow.data(), n, 2) == stream.count(), "the count of a stream in rounds is current");
    const std::string wrong = check_labels(pairs, {s.narrow.data()});
    expect(wrong.empty(), "a stream in rounds: " + wrong);
  }
}

// Batches of 2^18 edges, which several callers insert into one stream at once: most edges of the later ones lie inside
// trees, so vertices are hung higher up and edges glanced at beside the links and questions of others. Then whole runs
// on all of these edges, whose marks lie in words that a thread has to itself and in words that two share.
void test_glances() {
  using namespace lb;
  using namespace lb::core;
  constexpr i64 n = 30000, batch = i64{1} << 18, batches = 4;
  constexpr int callers = 2;
  std::vector<i64> u(batch * batches), v(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    // Pieces of 100 vertices: the batches have the same, so the first alone connects most of what is ever connected.
    const i64 piece = static_cast<i64>(below(mix(11, i), n / 100)) * 100;
    u[i] = piece + static_cast<i64>(below(mix(12, i), 100));
    v[i] = piece + static_cast<i64>(below(mix(13, i), 100));
  }
  GraphView pairs;
  pairs.vertices = n, pairs.arcs = batch * batches, pairs.a = {u.data()}, pairs.b = {v.data()};
  const auto judge = [&](const std::string& what, const auto& a, const auto& b, const auto& at, bool wide) {
    const std::string wrong = check_forest(pairs, {a.data()}, {b.data()}, {at.data()}, static_cast<i64>(at.size()));
    expect(wrong.empty(), what + ": " + wrong);
  };
  struct Rules {
    const char *link, *find, *splice;
    bool exclusive_if_free;  // then each caller inserts by its own thread: alone, or beside the other
  };
  for (const Rules& r : {Rules{"rem_cas", "naive", "halve_one", false}, Rules{"async", "compress", "", false},
                         Rules{"hooks", "split", "", false}, Rules{"async", "inter", "", true}}) {
    Incremental stream({r.link, r.find, r.splice, {}},
                       {n, r.exclusive_if_free ? 1 : 2, false, StreamOptions::largest_narrow, r.exclusive_if_free});
    std::atomic<bool> right{true};
    std::vector<std::thread> threads;
    Gate gate(callers);
    for (int k = 0; k < callers; ++k) {
      threads.emplace_back([&, k] {
        gate.pass();
        for (i64 i = k; i < batches; i += callers) {
          const auto at = static_cast<std::size_t>(i * batch);
          const IdArray a{u.data() + at}, b{v.data() + at};
          stream.insert({a, b, batch, true}, Incremental::Wait::allowed);
          std::vector<u8> answers(1000);
          stream.connected({a, b, 1000, true}, answers.data(), Incremental::Wait::allowed);
          for (const u8 yes : answers) {
            if (yes == 0) right = false;
          }
        }
      });
    }
    for (auto& t : threads) t.join();
    expect(right, std::string("a stream of ") + r.link + " has told of every large insert that had returned");
    auto s = stream.snapshot(false);
    expect(number_roots(s.narrow.data(), n, 2) == stream.count(), "the count of a stream of large batches is current");
    const std::string wrong = check_labels(pairs, {s.narrow.data()});
    expect(wrong.empty(), "a stream of large batches: " + wrong);
    // One caller's batches, so that positions are those of the edges.
    Incremental kept({r.link, r.find, r.splice, {}}, {n, 4, true});
    for (i64 i = 0; i < batches; i += 2) {
      const auto at = static_cast<std::size_t>(i * batch);
      kept.insert({{u.data() + at}, {v.data() + at}, 2 * batch, true}, Incremental::Wait::allowed);
    }
    const auto f = kept.snapshot(true);
    judge("the forest of a stream of large batches", f.u, f.v, f.at, true);
  }
  Request plan;
  plan.threads = 4, plan.link = "rem_cas", plan.find = "naive", plan.splice = "halve_one";
  Profile profile;
  const auto forest = spanning_forest<u32>(pairs, plan, profile);
  judge("the forest of many pairs", forest.u, forest.v, forest.edge, false);
}

// ---- names

namespace lb::core {
namespace {

// Names from a few words, in several batches and by several threads, against a map.
void test_names() {
  for (const int threads : {1, 2, 5}) {
    const i64 rows = threads == 2 ? 300000 : 20000;  // more than a block, and less
    for (const u64 words : {u64{7}, u64{50000}}) {
      std::vector<std::string> text;
      for (i64 i = 0; i < 2 * rows; ++i) {
        const u64 word = mix(3, static_cast<u64>(i)) % words;
        text.push_back(std::string(word % 40, 'x') + std::to_string(word));
      }
      Names names(threads);
      std::vector<i32> number(static_cast<std::size_t>(2 * rows));
      for (i64 from = 0; from < rows; from += rows / 2) {
        std::string data[2];
        std::vector<i64> offsets[2];
        for (int side = 0; side < 2; ++side) {
          offsets[side].push_back(0);
          for (i64 i = from; i < from + rows / 2; ++i) {
            data[side] += text[static_cast<std::size_t>(2 * i + side)];
            offsets[side].push_back(static_cast<i64>(data[side].size()));
          }
        }
        const auto column = [&](int side) {
          return TextColumn{data[side].data(), static_cast<i64>(data[side].size()), {offsets[side].data()}, rows / 2};
        };
        std::vector<i32> u(static_cast<std::size_t>(rows / 2)), v(u.size());
        names.number(column(0), column(1), u.data(), v.data());
        for (std::size_t i = 0; i < u.size(); ++i) {
          number[2 * (static_cast<std::size_t>(from) + i)] = u[i];
          number[2 * (static_cast<std::size_t>(from) + i) + 1] = v[i];
        }
      }
      std::unordered_map<std::string, i32> known;
      bool right = true;
      for (std::size_t i = 0; i < text.size(); ++i) {
        right &= known.emplace(text[i], static_cast<i32>(known.size())).first->second == number[i];
      }
      expect(right && names.size() == static_cast<i64>(known.size()), "names in the order in which they turn up");
      std::vector<i64> offsets(known.size() + 1);
      std::string all(static_cast<std::size_t>(names.bytes()), ' ');
      names.write(i64{0}, offsets.data(), all.data());
      for (const auto& [name, at] : known) {
        const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(at)]);
        right &=
            all.compare(begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(at) + 1]) - begin, name) == 0;
      }
      expect(right, "names come back as they were");
      std::vector<i32> order(known.size());
      names.in_order(order.data());
      names.write(order.data(), offsets.data(), all.data());
      std::vector<std::string> sorted;
      for (const auto& [name, at] : known) sorted.push_back(name);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        right &= all.compare(begin, static_cast<std::size_t>(offsets[i + 1]) - begin, sorted[i]) == 0;
        right &= known.at(sorted[i]) == order[i];
      }
      expect(right, "names in the order of their bytes");
    }
  }
}

// The table of ids against a map: numbers by first appearance, and ascending order, whatever the number of threads.
void test_ids() {
  for (const int threads : {1, 2, 5}) {
    const i64 rows = threads == 2 ? 300000 : 20000;
    for (const u64 different : {u64{7}, u64{100000}}) {
      std::vector<u64> ends[2];
      for (int side = 0; side < 2; ++side) {
        for (i64 i = 0; i < rows; ++i) {
          ends[side].push_back(mix(5, mix(3, static_cast<u64>(2 * i + side)) % different));
        }
      }
      Ids ids(threads, different == 7);
      std::vector<i32> u(static_cast<std::size_t>(rows)), v(u.size());
      ids.number({ends[0].data()}, {ends[1].data()}, rows, false, u.data(), v.data());
      std::unordered_map<u64, i32> known;
      bool right = true;
      for (std::size_t i = 0; i < u.size(); ++i) {
        right &= known.emplace(ends[0][i], static_cast<i32>(known.size())).first->second == u[i];
        right &= known.emplace(ends[1][i], static_cast<i32>(known.size())).first->second == v[i];
      }
      expect(right && ids.size() == static_cast<i64>(known.size()), "ids in the order in which they turn up");
      std::vector<u64> ascending(known.size());
      std::vector<i32> numbers(known.size());
      ids.in_order(false, ascending.data(), numbers.data());
      right &= std::is_sorted(ascending.begin(), ascending.end());
      for (std::size_t i = 0; i < ascending.size(); ++i) right &= known.at(ascending[i]) == numbers[i];
      expect(right, "ids in ascending order");
    }
  }
}

}  // namespace
}  // namespace lb::core

int main(int argc, char** argv) {
  using namespace lb::core;
  const std::string what = argc == 2 ? argv[1] : "";
  if (what == "threads") {
    test_every_worker_runs_once();
    test_chunks_cover_the_range();
    test_nested_calls();
    test_exceptions();
    test_concurrent_callers();
    test_fork();
  } else if (what == "kernels") {
    test_kernels<lb::u32>(60);
    test_kernels<lb::u64>(8);
  } else if (what == "runs") {
    test_runs();
    Gate::together = true;  // runs start their own threads
  } else if (what == "streams") {
    test_streams();
    test_large_batches();
    test_glances();
  } else if (what == "names") {
    lb::core::test_names();
    Gate::together = true;  // the table starts its own threads
  } else if (what == "race") {
    int plain = 0;
    Gate gate(4);
    parallel(4, [&](int) {
      gate.pass();
      for (int i = 0; i < 1000; ++i) plain = plain + 1;
    });
    std::printf("%d\n", plain);
  } else {
    std::fprintf(stderr, "usage: stress threads|kernels|runs|streams|names|race\n");
    return 2;
  }
  expect(Gate::together, "threads that run at the same time");
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}

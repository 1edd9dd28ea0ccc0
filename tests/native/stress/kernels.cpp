// Every compiled kernel on small contended graphs.
#include "kernels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "landbridge/random.hpp"
#include "stress.hpp"
#include "threads.hpp"

namespace lb::core::stress {
namespace {

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

// Whether the parents that a kernel has left are the components. Ranked kernels end at any vertex of the component; the
// oracle's label of that vertex stands for it.
template <class Id>
bool right(const Kernel<Id>& k, const std::vector<Id>& parent, const std::vector<Id>& expected) {
  std::vector<Id> representative(parent.size(), none<Id>);
  for (std::size_t x = 0; x < parent.size(); ++x) {
    const Id r = parent[x];
    if (r >= parent.size() || expected[r] != expected[x] || (!k.ranked && r != expected[x])) return false;
    auto& of_component = representative[expected[x]];
    if (of_component == none<Id>) of_component = r;
    if (of_component != r) return false;
  }
  return true;
}

template <class Id>
void run_kernel(const Kernel<Id>& k, const Graph<Id>& g, const std::vector<Id>& expected, bool serial) {
  constexpr int workers = 3;
  const auto n = static_cast<std::size_t>(g.n);
  std::vector<Id> parent(n), aux(k.uses_aux ? n : 0);
  std::vector<u64> words(k.ranked ? n : 0);
  const Cells<Id> cells{.parent = parent.data(), .words = words.data(), .aux = aux.data()};
  parallel_for(g.n, 50, workers, [&](i64 begin, i64 end, int) { k.start(cells, begin, end, false); });
  const auto m = static_cast<i64>(g.u.size());
  if (serial) {
    k.unite_serial(cells, g.u.data(), g.v.data(), m);
  } else {
    Gate gate(workers);
    std::atomic<i64> next{0};
    parallel(workers, [&](int) {
      gate.pass();
      for (i64 begin; (begin = next.fetch_add(8, std::memory_order_relaxed)) < m;) {
        k.unite(cells, g.u.data() + begin, g.v.data() + begin, std::min<i64>(8, m - begin));
      }
    });
  }
  parallel_for(g.n, 50, workers, [&](i64 begin, i64 end, int) { k.flatten(cells, begin, end); });
  expect(right(k, parent, expected), std::string(k.link) + "(" + k.find + (*k.splice ? "," : "") + k.splice + "), " +
                                         std::to_string(8 * sizeof(Id)) + " bits" + (serial ? ", serial" : "") +
                                         ", on " + g.name);
}

template <class Id>
void test_kernels(int rounds) {
  const auto all = graphs<Id>();
  std::vector<std::vector<Id>> expected;
  for (const auto& g : all) expected.push_back(oracle(g));
  int sound = 0;
  for (const Combination& c : combinations()) {
    const Kernel<Id>* k = find_kernel<Id>(c.link, c.find, c.splice);
    expect((k != nullptr) == (c.reason == nullptr), std::string(c.link) + ": a kernel for each sound combination");
    if (k == nullptr) continue;
    ++sound;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (int round = 0; round < rounds; ++round) run_kernel(*k, all[i], expected[i], false);
      run_kernel(*k, all[i], expected[i], true);
    }
  }
  expect(sound > 0, "no kernels");
}

}  // namespace

void kernels() {
  test_kernels<u32>(60);
  test_kernels<u64>(8);
}

}  // namespace lb::core::stress

// What the stress tests share. Each subject has a file and a function, which main.cpp calls.
#pragma once
#include <sched.h>

#include <atomic>
#include <string>
#include <vector>

#include "forest.hpp"
#include "graph.hpp"
#include "landbridge/random.hpp"

namespace lb::core::stress {

// Counts a failure, and prints it, unless the condition holds.
void expect(bool holds, const std::string& what);

// Lets the workers of one parallel call start together, as far as the machine allows: the caller would otherwise have
// finished a small job before another thread wakes up.
class Gate {
 public:
  explicit Gate(int threads) : threads_(threads) {}
  void pass() {
    ++arrived_;
    for (int spins = 0; arrived_ < threads_ && spins < 20000; ++spins) sched_yield();
    if (arrived_ == threads_) together = true;
  }
  static inline std::atomic<bool> together{false};  // whether any gate has had all of its workers

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
};

// The edges u[i], v[i] of a graph with n vertices.
inline GraphView coo_view(i64 n, const std::vector<i64>& u, const std::vector<i64>& v) {
  GraphView graph;
  graph.vertices = n;
  graph.arcs = static_cast<i64>(u.size());
  graph.a = u.data();
  graph.b = v.data();
  return graph;
}

// One column of edges that lead from every vertex to near ones, in two passes over the vertices, and of every hundredth
// one to a random one: so that threads own ranges of vertices.
inline std::vector<i64> near_ends(i64 n, i64 m, bool other) {
  std::vector<i64> ends;
  for (i64 i = 0; i < m; ++i) {
    const auto random = static_cast<i64>(mix(3, static_cast<u64>(i)) % static_cast<u64>(n));
    ends.push_back(!other ? i % n : i % 100 == 0 ? random : (i + (i < n ? 1 : 37)) % n);
  }
  return ends;
}

// The verifier of the library, serial and independent of the engine, has nothing against the labels or the forest.
void expect_labels(const std::string& what, const GraphView& graph, const IdArray& labels);
void expect_forest(const std::string& what, const GraphView& graph, const IdArray& u, const IdArray& v,
                   const IdArray& edge, i64 size);
void expect_forest(const std::string& what, const GraphView& graph, const ForestBits& forest, int threads);

// Which sampling the first rule in rounds takes, where each takes one.
inline std::size_t first_pair = 0;

void threads();
void kernels();
void runs();
void streams();
void names();
void allocations();
void race();

}  // namespace lb::core::stress

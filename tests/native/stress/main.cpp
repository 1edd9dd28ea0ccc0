// Stress tests of what runs on real threads: the thread back-end, every compiled kernel on small contended graphs, full
// runs, streams and tables of names, each against a serial oracle. Meant for the sanitizers as much as for the answers.
//
//   stress threads | stress kernels | stress runs [--first N] | stress streams | stress names | stress allocations
//   stress race        a deliberate data race: proves that ThreadSanitizer sees the pool's threads
#include <cstdio>
#include <cstdlib>

#include "check.hpp"
#include "stress.hpp"

namespace lb::core::stress {
namespace {
int failures = 0;
}

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

void expect_labels(const std::string& what, const GraphView& graph, const IdArray& labels) {
  const Problem problem = check_labels(graph, labels);
  expect(problem.empty(), what + ": " + problem.text);
}

void expect_forest(const std::string& what, const GraphView& graph, const IdArray& u, const IdArray& v,
                   const IdArray& edge, i64 size) {
  const Problem problem = check_forest(graph, u, v, edge, size);
  expect(problem.empty(), what + ": " + problem.text);
}

void expect_forest(const std::string& what, const GraphView& graph, const ForestBits& forest, int threads) {
  const auto endpoints = forest.endpoints<u32>(graph, threads);
  const auto edge = forest.positions(threads);
  expect_forest(what, graph, endpoints.u.data(), endpoints.v.data(), edge.data(), static_cast<i64>(edge.size()));
}

}  // namespace lb::core::stress

int main(int argc, char** argv) {
  using namespace lb::core::stress;
  const bool numbered = argc == 4 && std::string(argv[2]) == "--first";
  const std::string subject = argc == 2 || numbered ? argv[1] : "";
  if (numbered) first_pair = std::strtoull(argv[3], nullptr, 10);
  const struct {
    const char* name;
    void (*run)();
  } subjects[] = {{"threads", threads}, {"kernels", kernels},         {"runs", runs}, {"streams", streams},
                  {"names", names},     {"allocations", allocations}, {"race", race}};
  for (const auto& [name, run] : subjects) {
    if (subject != name) continue;
    run();
    expect(Gate::together, "threads that run at the same time");
    if (failures == 0) std::printf("ok\n");
    return failures == 0 ? 0 : 1;
  }
  std::fprintf(stderr, "usage: stress threads|kernels|runs [--first N]|streams|names|allocations|race\n");
  return 2;
}

// A case: an initial forest and what each thread does, in one line of text that is also its name:
//
//   0 0 1 3 | 2-3 | 3-1 0?2      the parents of vertices 0, 1, ..; then one part per thread:
//                                u-v unites u and v, u?v queries whether they are connected
#pragma once
#include <array>
#include <string>
#include <vector>

#include "landbridge/platform.hpp"

namespace lb::explore {

constexpr int max_vertices = 16;
constexpr int max_threads = 4;
constexpr int max_ops = 8;  // of one thread

struct Op {
  int u, v;
  bool query;
  int number;  // among the operations of the case
};

struct Case {
  int n = 0;
  std::array<int, max_vertices> parent{};
  std::vector<std::vector<Op>> threads;
  int ops = 0;
  bool queries = false;

  // Throws std::invalid_argument that says what is wrong.
  static Case parse(const std::string& text);
  std::string text() const;
};

// Small cases written by hand, each for a reason.
std::vector<Case> zoo();
// Graphs for standalone algorithms, which begin with singletons: small ones written by hand, and number 0 .. count - 1
// of a fixed random sequence of 3 to 5 vertices with up to 4 edges.
std::vector<Case> graphs(u64 count);
// The same by hand, with three threads or longer paths.
std::vector<Case> large_graphs();
// Trees of which rounds that move single vertices list an edge twice and another never, one for each rule; no thread
// has to be interrupted for that.
std::vector<Case> unlisted_edges();
// Graphs on forests of stars, as a sampling leaves them: the root of each is its smallest vertex.
std::vector<Case> stars(u64 count);
// Batches of a stream on any forest: its edges are inserted together, and its questions are asked afterwards.
std::vector<Case> batches();
// Every forest on n vertices whose parents are smaller, with one edge for each of two threads (one of each
// mirrored pair).
std::vector<Case> family(int n);
// Cases number `first` .. `first + count - 1` of a fixed random sequence: 3 to 6 vertices, 2 or 3 threads, 1
// or 2 operations each. Every third one asks queries.
std::vector<Case> sequence(u64 first, u64 count);
// Larger ones for random walks: up to 12 vertices, 4 threads, 4 operations each.
std::vector<Case> large_sequence(u64 first, u64 count);

}  // namespace lb::explore

#include "case.hpp"

#include <sstream>
#include <stdexcept>

#include "landbridge/random.hpp"

namespace lb::explore {

Case Case::parse(const std::string& text) {
  Case c;
  std::istringstream in(text);
  std::string word;
  bool forest = true;
  const auto wrong = [&](const std::string& why) { throw std::invalid_argument("case \"" + text + "\": " + why); };
  while (in >> word) {
    if (word == "|") {
      forest = false;
      if (c.threads.size() == max_threads) wrong("too many threads");
      c.threads.emplace_back();
    } else if (forest) {
      if (c.n == max_vertices) wrong("too many vertices");
      c.parent[c.n++] = std::stoi(word);
    } else {
      const auto sign = word.find_first_of("-?");
      if (sign == std::string::npos) wrong("\"" + word + "\" is no operation");
      if (c.threads.back().size() == max_ops) wrong("too many operations");
      const Op op{std::stoi(word.substr(0, sign)), std::stoi(word.substr(sign + 1)), word[sign] == '?', c.ops++};
      if (op.u < 0 || op.u >= c.n || op.v < 0 || op.v >= c.n) wrong("\"" + word + "\" is about no vertex");
      c.queries |= op.query;
      c.threads.back().push_back(op);
    }
  }
  for (int x = 0; x < c.n; ++x) {
    if (c.parent[x] < 0 || c.parent[x] > x) wrong("a parent must not be larger than its child");
  }
  if (c.threads.empty()) wrong("no thread");
  return c;
}

std::string Case::text() const {
  std::ostringstream out;
  for (int x = 0; x < n; ++x) out << (x ? " " : "") << parent[x];
  for (const auto& thread : threads) {
    out << " |";
    for (const auto& op : thread) out << ' ' << op.u << (op.query ? '?' : '-') << op.v;
  }
  return out.str();
}

namespace {

template <std::size_t count>
std::vector<Case> parsed(const char* const (&texts)[count]) {
  std::vector<Case> out;
  for (const char* text : texts) out.push_back(Case::parse(text));
  return out;
}

}  // namespace

std::vector<Case> zoo() {
  static const char* const texts[] = {
      // Singletons: the same edge twice and mirrored, edges that share a root, a self-loop.
      "0 1 | 0-1 | 1-0",
      "0 1 2 | 0-1 | 1-2",
      "0 1 2 | 0-2 | 1-2",
      "0 1 2 | 2-2 0-1 | 2-1",
      "0 1 2 | 0-1 1-2 | 2-0",
      "0 1 2 3 | 0-3 1-2 | 2-3 0-1",
      "0 1 2 3 | 3-0 3-1 | 3-2 3-1",
      // Three threads: a triangle, a star whose centre is the largest vertex, a path.
      "0 1 2 | 0-1 | 1-2 | 2-0",
      "0 1 2 3 | 3-0 | 3-1 | 3-2",
      "0 1 2 3 4 | 0-1 2-3 | 1-2 | 3-4",
      // Chains: long paths to split, halve and compress while their root is linked away.
      "0 1 1 2 3 | 4-0 | 4-1",
      "0 0 1 2 4 | 3-4 | 4-2",
      "0 1 1 2 3 4 | 5-4 5-0 | 4-0",
      "0 1 0 2 1 3 | 5-4 | 4-5 | 3-1",
      // Two chains that interleave: Rem's walks cross from one to the other.
      "0 1 0 1 2 3 | 4-5 | 5-4",
      "0 1 2 0 1 2 | 3-4 | 4-5 | 5-3",
      "0 1 0 1 2 3 | 5-2 | 4-3",
      // Three trees: a path is spliced below another while its old root is linked to a third.
      "0 1 2 2 3 | 4-1 | 2-0",
      "0 1 2 1 2 4 | 5-3 | 2-0 1-0",
      "0 1 2 1 2 3 | 5-4 | 4-0 | 2-0",
      // Full compression beside splicing loses an edge here.
      "0 1 1 2 2 4 | 0-4 | 2-1 4-2 | 3-4 3-1",
      // Questions beside unions.
      "0 1 2 | 0-1 | 0?1 0?1",
      "0 0 2 2 | 0-2 | 1?0 3?1",
      "0 1 2 2 | 0-2 1-2 | 3?2 3?0",
      "0 0 1 3 3 | 4-2 | 2?1 | 3?0 4?2",
      "0 1 1 2 0 | 3-4 | 3?1 2?3",
      // Merges of two forests: the links (v, parent of v) of one of them, flat, divided among the threads.
      "0 1 2 3 | 1-0 3-0 | 2-1 3-1",
      "0 0 2 2 | 3-0 1-0 | 2-1",
      "0 1 1 3 | 2-0 3-0 | 3?1 1?0",
      // Where each thread owns half of the vertices: an edge inside a range whose walk leaves it.
      "0 1 2 3 | 0-1 1-0 | 2-0 3-1 2-3",
  };
  return parsed(texts);
}

namespace {

// Two threads, 3 to 5 vertices, 2 to 4 edges; vertices are single or, with `stars`, hang below a smaller root.
Case random_graph(u64 number, u64 key, bool stars) {
  u64 counter = number << 8;
  const auto draw = [&](u64 bound) { return static_cast<int>(below(mix(key, counter++), bound)); };
  Case c;
  c.n = 3 + draw(3);
  for (int x = 0; x < c.n; ++x) {
    const int parent = stars && draw(3) > 0 ? draw(static_cast<u64>(x) + 1) : x;
    c.parent[static_cast<std::size_t>(x)] = c.parent[static_cast<std::size_t>(parent)];
    if (parent == x) c.parent[static_cast<std::size_t>(x)] = x;
  }
  c.threads.resize(2);
  const int edges = 2 + draw(3);
  while (c.ops < edges) {
    const int u = draw(static_cast<u64>(c.n)), v = draw(static_cast<u64>(c.n));
    c.threads[static_cast<std::size_t>(c.ops % 2)].push_back({u, v, false, c.ops});
    ++c.ops;
  }
  return c;
}

}  // namespace

std::vector<Case> graphs(u64 count) {
  static const char* const texts[] = {
      // Edges go to the threads in turn, whatever is written here.
      "0 1 | 0-1 |",
      "0 1 2 | 0-1 | 1-2",
      "0 1 2 | 2-0 | 2-1",
      "0 1 2 | 0-1 1-2 | 2-0",
      "0 1 2 3 | 0-1 | 2-3",
      "0 1 2 3 | 0-1 2-3 | 1-2",
      "0 1 2 3 | 3-0 3-1 | 3-2",
      "0 1 2 3 | 0-3 1-3 | 1-2 2-2",
      "0 1 2 3 | 0-2 1-3 | 1-2 0-3",
      "0 1 2 | 2-0 | 2-1 | 0-1",
      // Plain stores of Rem's walk undo what an earlier round has verified.
      "0 1 2 3 4 | 3-0 2-3 | 4-2 4-1",
  };
  std::vector<Case> out = parsed(texts);
  for (u64 i = 0; i < count; ++i) out.push_back(random_graph(i, 0x96a4, false));
  return out;
}

std::vector<Case> large_graphs() {
  static const char* const texts[] = {
      // One edge per thread: ties, a star around the largest vertex, the same edge thrice, self-loops.
      "0 1 2 | 2-0 | 2-1 | 0-1",
      "0 1 2 3 | 3-0 | 3-1 | 3-2",
      "0 1 2 | 2-1 | 1-2 | 2-1",
      "0 1 2 | 1-1 | 2-1 | 1-0",
      "0 1 2 3 | 0-1 3-3 | 2-3 | 1-2",
      // After a round of single shortcuts 6 is below 2 and 5 below 1, and 2 does not take the 1 that their edge offers.
      "0 1 2 3 4 5 6 | 2-0 3-2 4-1 | 6-3 5-4 6-5",
  };
  return parsed(texts);
}

std::vector<Case> batches() {
  static const char* const texts[] = {
      // A root that two other labels are offered to, beside a question about the first.
      "0 1 2 3 | 3-2 1-1 3-0 | 3?2 3?2",
      // The same edge twice, two for one root, two trees by their leaves.
      "0 1 | 0-1 | 1-0",
      "0 1 2 | 2-0 | 2-1 0?1",
      "0 0 2 2 | 1-3 3-2 | 1?3 0?2",
      // Deep trees, whose vertices are relabelled while other threads shorten the same path.
      "0 0 2 2 3 4 | 5-1 | 5-0 4?1",
      "0 1 0 1 2 3 | 4-5 | 5-4 1?0",
      // Every thread lists the root that all edges share.
      "0 1 2 3 | 3-0 | 3-1 | 3-2",
      // A path, whose inner roots are listed by both threads.
      "0 1 2 3 | 0-1 2-3 | 1-2",
  };
  return parsed(texts);
}

std::vector<Case> unlisted_edges() {
  static const char* const texts[] = {
      "0 1 2 3 4 | 0-4 1-3 | 3-2 2-4",                                         // stergiou
      "0 1 2 3 4 5 | 1-2 4-3 0-5 | 3-2 5-4",                                   // parent, direct: the path 0-5-4-3-2-1
      "0 1 2 3 4 5 | 0-3 5-2 1-4 | 4-5 3-2",                                   // extended
      "0 1 2 3 4 5 6 7 8 | 5-4 4-3 6-8 7-2 | 3-0 1-6 2-4 8-5",                 // extended, altered
      "0 1 2 3 4 5 6 7 8 9 10 | 6-7 0-4 3-0 5-6 2-5 | 4-10 8-7 10-8 1-2 7-9",  // parent, altered
  };
  return parsed(texts);
}

std::vector<Case> stars(u64 count) {
  static const char* const texts[] = {
      // A smaller vertex meets a leaf of a star, one of its leaves and its root, two of its leaves.
      "0 1 1 | 0-2 |",
      "0 1 1 1 | 3-0 | 0-1",
      "0 1 1 1 | 3-0 | 2-0",
      // Two stars, by their leaves, by their roots, with a vertex between them.
      "0 0 2 2 | 1-3 |",
      "0 0 2 2 | 2-0 | 3-1",
      "0 1 0 1 4 | 4-3 | 4-2",
      "0 1 1 1 0 | 4-2 | 3-4",
      // Three threads.
      "0 1 1 1 | 3-0 | 2-0 | 1-0",
      "0 1 2 2 2 | 4-1 | 1-0 | 3-0",
  };
  std::vector<Case> out = parsed(texts);
  for (u64 i = 0; i < count; ++i) out.push_back(random_graph(i, 0x57a2, true));
  return out;
}

std::vector<Case> family(int n) {
  std::vector<Case> out;
  std::vector<std::pair<int, int>> edges;
  for (int u = 0; u < n; ++u) {
    for (int v = 0; v < u; ++v) edges.emplace_back(u, v);
  }
  Case c;
  c.n = n;
  c.ops = 2;
  const auto with_edges = [&] {
    for (std::size_t a = 0; a < edges.size(); ++a) {
      for (std::size_t b = a; b < edges.size(); ++b) {
        c.threads = {{{edges[a].first, edges[a].second, false, 0}}, {{edges[b].second, edges[b].first, false, 1}}};
        out.push_back(c);
      }
    }
  };
  // Counts through all parents with parent[x] <= x.
  for (;;) {
    with_edges();
    int x = n - 1;
    while (x > 0 && c.parent[x] == x) c.parent[x--] = 0;
    if (x <= 0) return out;
    ++c.parent[x];
  }
}

namespace {

Case random_case(u64 number, u64 key, u64 vertices, u64 threads, u64 ops, bool queries) {
  u64 counter = number << 8;
  const auto draw = [&](u64 bound) { return static_cast<int>(below(mix(key, counter++), bound)); };
  Case c;
  c.n = 3 + draw(vertices - 2);
  const bool singletons = draw(4) == 0;
  for (int x = 0; x < c.n; ++x) c.parent[x] = singletons || draw(3) == 0 ? x : draw(static_cast<u64>(x) + 1);
  c.threads.resize(static_cast<std::size_t>(2 + draw(threads - 1)));
  for (auto& thread : c.threads) {
    const int some = 1 + draw(ops);
    for (int i = 0; i < some; ++i) {
      const int u = draw(static_cast<u64>(c.n));
      const int v = (u + 1 + draw(static_cast<u64>(c.n) - 1)) % c.n;
      const bool query = queries && draw(2) == 0;
      c.queries |= query;
      thread.push_back({u, v, query, c.ops++});
    }
  }
  return c;
}

}  // namespace

std::vector<Case> sequence(u64 first, u64 count) {
  std::vector<Case> out;
  for (u64 i = first; i < first + count; ++i) out.push_back(random_case(i, 0x5eed, 6, 3, 2, i % 3 == 2));
  return out;
}

std::vector<Case> large_sequence(u64 first, u64 count) {
  std::vector<Case> out;
  for (u64 i = first; i < first + count; ++i) out.push_back(random_case(i, 0xb16, 12, 4, 4, i % 3 == 2));
  return out;
}

}  // namespace lb::explore

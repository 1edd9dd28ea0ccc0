// One input of a fuzzer through every text parser. Beside the sanitizers' checks it asserts that only errors of the
// contract are thrown, that a result is the same for any number of threads and any block size, and that ids are in
// range and sizes agree.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "renumber.hpp"
#include "text.hpp"

namespace {
using namespace lb::core;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

const auto no_progress = [](std::size_t) {};

// The result of a parser, in one form for all of them.
struct Outcome {
  std::vector<std::uint64_t> u, v;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

std::vector<std::uint64_t> column(const IdColumn& c, bool is_wide, std::int64_t size) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    out.push_back(is_wide ? c.wide[i] : static_cast<std::uint64_t>(c.narrow[i]));
  }
  return out;
}

Outcome outcome(const EdgeColumns& e, std::int64_t vertices) {
  Outcome o{column(e.u, e.is_wide, e.size), column(e.v, e.is_wide, e.size), ""};
  for (const auto* side : {&o.u, &o.v}) {
    for (const std::uint64_t id : *side) {
      demand(id <= e.largest, "largest");
      if (vertices >= 0) demand(id < static_cast<std::uint64_t>(vertices), "range");
    }
  }
  return o;
}

template <class Parse>
Outcome attempt(Parse&& parse, std::size_t size) {
  try {
    return parse();
  } catch (const FormatError& e) {
    demand(e.line >= 0 && e.column >= 0, "place of an error");
    demand(e.line <= static_cast<std::int64_t>(size) + 1, "line of an error");
    demand(e.what()[0] != '\0' && e.text.size() <= 70, "text of an error");
    demand(std::strchr(e.what(), '\n') == nullptr, "one line");
    return {{}, {}, std::to_string(e.line) + ":" + std::to_string(e.column) + e.what() + e.text};
  }
}

void edges(const char* data, std::size_t size, EdgeTextOptions o) {
  std::optional<Outcome> first;
  struct Way {
    int threads;
    std::size_t block;
  };
  for (const Way way : {Way{1, 1 << 20}, Way{3, 7}, Way{2, 64}}) {
    o.block = way.block;
    const Outcome now = attempt(
        [&] {
          const EdgeColumns e = parse_edges(data, size, o, way.threads, no_progress);
          demand(e.size <= e.lines, "edges and lines");
          return outcome(e, -1);
        },
        size);
    if (!first) first = now;
    demand(now == *first, "the same edges whatever the blocks");
  }
  // Lines alone are too short for the fast path, so here it is compared with the bytewise path.
  if (first->error.empty() && std::memchr(data, '\r', size) == nullptr) {
    o.block = 1 << 20;
    Outcome lines;
    for (const char *p = data, *end = data + size; p < end;) {
      const void* eol = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
      const char* next = eol != nullptr ? static_cast<const char*>(eol) + 1 : end;
      const Outcome one = attempt(
          [&] { return outcome(parse_edges(p, static_cast<std::size_t>(next - p), o, 1, no_progress), -1); }, size);
      demand(one.error.empty(), "a line alone");
      lines.u.insert(lines.u.end(), one.u.begin(), one.u.end());
      lines.v.insert(lines.v.end(), one.v.begin(), one.v.end());
      p = next;
    }
    demand(lines == *first, "the same edges from lines alone");
  }
  if (first->error.empty() && !first->u.empty()) {
    const auto m = static_cast<std::int64_t>(first->u.size());
    const Renumbered<std::uint64_t> r = renumber(first->u.data(), first->v.data(), m, 2);
    for (std::size_t i = 0; i < first->u.size(); ++i) {
      demand(r.ids[static_cast<std::size_t>(r.u[i])] == first->u[i], "renumbered u");
      demand(r.ids[static_cast<std::size_t>(r.v[i])] == first->v[i], "renumbered v");
    }
    for (std::size_t i = 1; i < r.ids.size(); ++i) demand(r.ids[i - 1] < r.ids[i], "ascending ids");
    // Formatted edges are parsed back.
    const std::string text = format_edges(first->u.data(), first->v.data(), m, {"", ",", "", 0}, 2);
    const EdgeColumns again = parse_edges(text.data(), text.size(), {}, 1, no_progress);
    demand(outcome(again, -1) == *first, "written and read");
  }
}

Outcome metis(const char* data, std::size_t size, int threads) {
  return attempt(
      [&] {
        const Metis g = parse_metis(data, size, threads, no_progress);
        Outcome o;
        demand(g.offsets.size() == static_cast<std::size_t>(g.vertices) + 1 && g.offsets[0] == 0, "offsets");
        for (std::size_t v = 0; v + 1 < g.offsets.size(); ++v) {
          demand(g.offsets[v] <= g.offsets[v + 1], "ascending offsets");
          o.u.push_back(static_cast<std::uint64_t>(g.offsets[v + 1]));
        }
        o.v = column(g.neighbors, g.is_wide, g.size);
        for (const std::uint64_t id : o.v) demand(id < static_cast<std::uint64_t>(g.vertices), "neighbour");
        return o;
      },
      size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  // A copy of exactly this size, so that a read past its end is detected.
  const std::vector<char> copy(reinterpret_cast<const char*>(bytes), reinterpret_cast<const char*>(bytes) + size);
  const char* data = copy.data();
  edges(data, size, {});
  EdgeTextOptions o;
  o.delimiter = ",\t;"[size % 3];
  o.first = static_cast<int>(size % 4);
  o.second = static_cast<int>(size / 4 % 3);
  edges(data, size, o);
  o = {};
  o.base = 1;
  o.limit = 99;
  o.fields = 3;
  o.comments = "c";
  o.tag = size % 2 == 0 ? 'a' : '\0';
  edges(data, size, o);
  const auto agree = [&](auto&& parse) {
    demand(attempt([&] { return parse(1); }, size) == attempt([&] { return parse(3); }, size), "any threads");
  };
  agree([&](int threads) {
    const MatrixMarket m = parse_matrix_market(data, size, threads, no_progress);
    return outcome(m.edges, m.vertices);
  });
  agree([&](int threads) {
    const Dimacs d = parse_dimacs(data, size, threads, no_progress);
    return outcome(d.edges, d.vertices);
  });
  demand(metis(data, size, 1) == metis(data, size, 3), "METIS with any threads");
  return 0;
}

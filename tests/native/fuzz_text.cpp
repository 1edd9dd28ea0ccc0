// One input of a fuzzer through every text parser, or through the one that LB_FUZZ names. Beside the sanitizers' checks
// it asserts that only errors of the contract are thrown, that a result is the same for any number of threads and any
// block size, that ids are in range and sizes agree, and that names come back from their table.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "names.hpp"
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

// Names as strings, from Arrow's layout.
std::vector<std::string> strings(const std::int64_t* offsets, const char* data, std::int64_t size) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < size; ++i) {
    demand(offsets[i] <= offsets[i + 1], "offsets of names ascend");
    out.emplace_back(data + offsets[i], data + offsets[i + 1]);
  }
  return out;
}

struct Pairs {
  std::vector<std::string> u, v;
  std::string error;
  bool operator==(const Pairs&) const = default;
};

Pairs pairs(const char* data, std::size_t size, const EdgeTextOptions& o) {
  try {
    const NameColumns c = parse_names(data, size, o, no_progress);
    return {strings(c.u_offsets.data(), c.u.data(), c.size), strings(c.v_offsets.data(), c.v.data(), c.size), ""};
  } catch (const FormatError& e) {
    demand(std::strchr(e.what(), '\n') == nullptr && e.text.size() <= 70, "an error of names is one line");
    return {{}, {}, std::string(e.what()) + ":" + std::to_string(e.line)};
  }
}

// A table of names gives back what was put into it, and ascends by bytes.
void table(const char* data, std::size_t size, const EdgeTextOptions& o) {
  const NameColumns c = parse_names(data, size, o, no_progress);
  const Pairs p = pairs(data, size, o);
  const auto m = static_cast<std::size_t>(c.size);
  Names names(2);
  std::vector<std::int32_t> u(m), v(m);
  const auto column = [&](const Buffer<std::int64_t>& offsets, const Buffer<char>& text) {
    return TextColumn{text.data(), offsets[m], offsets.data(), c.size};
  };
  names.number(column(c.u_offsets, c.u), column(c.v_offsets, c.v), u.data(), v.data());
  const auto k = static_cast<std::size_t>(names.size());
  std::vector<std::int32_t> order(k), ranks(k);
  names.in_order(order.data());
  for (std::size_t i = 0; i < k; ++i) ranks[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  std::vector<std::int64_t> offsets(k + 1);
  std::vector<char> text(static_cast<std::size_t>(names.bytes()) + 1);
  names.write(order.data(), offsets.data(), text.data());
  const std::vector<std::string> ordered = strings(offsets.data(), text.data(), names.size());
  for (std::size_t i = 1; i < k; ++i) demand(ordered[i - 1] < ordered[i], "names ascend by their bytes");
  for (std::size_t i = 0; i < m; ++i) {
    demand(ordered[static_cast<std::size_t>(ranks[static_cast<std::size_t>(u[i])])] == p.u[i], "the name of u");
    demand(ordered[static_cast<std::size_t>(ranks[static_cast<std::size_t>(v[i])])] == p.v[i], "the name of v");
  }
}

void names_with(const char* data, std::size_t size, const EdgeTextOptions& o) {
  const Pairs whole = pairs(data, size, o);
  // Parts that end with a line give the same names.
  const void* middle = std::memchr(data + size / 2, '\n', size - size / 2);
  if (middle != nullptr && whole.error.empty()) {
    const auto cut = static_cast<std::size_t>(static_cast<const char*>(middle) - data) + 1;
    Pairs first = pairs(data, cut, o);
    const Pairs second = pairs(data + cut, size - cut, o);
    demand(first.error.empty() && second.error.empty(), "both parts of a text of names");
    first.u.insert(first.u.end(), second.u.begin(), second.u.end());
    first.v.insert(first.v.end(), second.v.begin(), second.v.end());
    demand(first == whole, "the same names from two parts");
  }
  bool bad = false;
  const std::vector<TextRow> rows = first_rows(data, size, o, 1000, bad);
  const auto last_column = static_cast<std::size_t>(std::max(o.first, o.second));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    demand(rows[i].begin <= rows[i].end && rows[i].end <= size, "the bytes of a row");
    if (!whole.error.empty() || rows.size() > whole.u.size()) continue;
    demand(rows[i].columns.size() > last_column, "the columns of a row");
    demand(rows[i].columns[static_cast<std::size_t>(o.first)] == whole.u[i], "u of a row");
    demand(rows[i].columns[static_cast<std::size_t>(o.second)] == whole.v[i], "v of a row");
  }
  if (whole.error.empty()) table(data, size, o);
}

template <class Parse>
void agree(std::size_t size, Parse&& parse) {
  demand(attempt([&] { return parse(1); }, size) == attempt([&] { return parse(3); }, size), "any threads");
}

void fuzz_edges(const char* data, std::size_t size) {
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
}

void fuzz_names(const char* data, std::size_t size) {
  EdgeTextOptions o;
  o.quotes = true;
  names_with(data, size, o);
  o.delimiter = ",\t |"[size % 4];
  o.exact = size % 8 < 4;
  o.fields = 2 + static_cast<int>(size / 8 % 2);
  o.first = static_cast<int>(size / 16 % 2);
  o.second = 1 - o.first;
  o.comments = size % 3 == 0 ? "" : "#%";
  o.strict_comments = size % 5 == 0;
  names_with(data, size, o);
}

void fuzz_matrix_market(const char* data, std::size_t size) {
  agree(size, [&](int threads) {
    const MatrixMarket m = parse_matrix_market(data, size, threads, no_progress);
    return outcome(m.edges, m.vertices);
  });
}

void fuzz_dimacs(const char* data, std::size_t size) {
  agree(size, [&](int threads) {
    const Dimacs d = parse_dimacs(data, size, threads, no_progress);
    return outcome(d.edges, d.vertices);
  });
}

void fuzz_metis(const char* data, std::size_t size) {
  demand(metis(data, size, 1) == metis(data, size, 3), "METIS with any threads");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  // A copy of exactly this size, so that a read past its end is detected.
  const std::vector<char> copy(reinterpret_cast<const char*>(bytes), reinterpret_cast<const char*>(bytes) + size);
#ifdef LB_FUZZ
  LB_FUZZ(copy.data(), size);
#else
  for (const auto fuzz : {fuzz_edges, fuzz_names, fuzz_matrix_market, fuzz_dimacs, fuzz_metis}) fuzz(copy.data(), size);
#endif
  return 0;
}

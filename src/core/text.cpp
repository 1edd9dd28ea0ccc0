#include "text.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "error.hpp"
#include "scan.hpp"

namespace lb::core {
namespace {

// What is wrong, as pointers into the data: the line number is counted only once it is needed.
struct Fault {
  const char* line;  // start of the line
  const char* at;    // the offending text
  const char* end;
  std::string problem;
};

[[noreturn]] void fail(const char* line, const char* at, const char* end, std::string problem) {
  throw Fault{line, at, end, std::move(problem)};
}

[[noreturn]] void raise(const Fault& f, const char* data, std::int64_t first_line) {
  constexpr std::ptrdiff_t longest = 60;
  std::string text(f.at, f.at + std::min(f.end - f.at, longest));
  if (f.end - f.at > longest) text += "...";
  throw FormatError(f.problem, first_line + scan::count_lines(data, f.line), f.at - f.line + 1, std::move(text));
}

const char* skip_blanks(const char* p, const char* eol) noexcept {
  while (p < eol && scan::is_blank(*p)) ++p;
  return p;
}

// Past a separator: blanks around at most one comma or semicolon, or around the one delimiter there is.
const char* skip_separator(const char* p, const char* eol, char delimiter) noexcept {
  if (delimiter == '\t') {
    while (p < eol && *p == ' ') ++p;
    return p < eol && *p == '\t' ? p + 1 : p;
  }
  p = skip_blanks(p, eol);
  if (p < eol && (delimiter != 0 ? *p == delimiter : *p == ',' || *p == ';')) p = skip_blanks(p + 1, eol);
  return p;
}

const char* token_end(const char* p, const char* eol, char delimiter) noexcept {
  if (delimiter == 0) {
    while (p < eol && !scan::is_separator(*p)) ++p;
    return p;
  }
  const void* q = p < eol ? std::memchr(p, delimiter, static_cast<std::size_t>(eol - p)) : nullptr;
  const char* end = q != nullptr ? static_cast<const char*>(q) : eol;
  while (end > p && scan::is_blank(end[-1])) --end;
  return end;
}

[[noreturn]] void fail_number(const char* line, const char* p, const char* eol, const char* what, char delimiter) {
  const char* end = token_end(p, eol, delimiter);
  const std::string name(what);
  if (end == p) fail(line, p, eol, "an empty column where " + name + " should be");
  const std::string token(p, end);
  std::string lower;
  for (const char c : token) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  const bool digits_only = lower.find_first_not_of("0123456789") == std::string::npos;
  if (digits_only) fail(line, p, end, name + " does not fit 64 bits");
  if (lower.size() > 1 && lower[0] == '-' && lower.find_first_not_of("0123456789", 1) == std::string::npos) {
    fail(line, p, end, name + " must not be negative");
  }
  if (lower == "nan" || lower == "inf" || lower == "-inf" || lower == "-nan" ||
      (lower.find_first_not_of("0123456789.e+-") == std::string::npos &&
       lower.find_first_of("0123456789") != std::string::npos)) {
    fail(line, p, end, name + " must be a whole number");
  }
  fail(line, p, end, "expected " + name + ", a whole number");
}

// The whole number at p, which must end at a separator or at eol; p is moved to its end.
std::uint64_t number(const char*& p, const char* eol, const char* line, const char* what, char delimiter = 0) {
  const char* q = p;
  std::uint64_t value = 0;
  for (; q < eol && scan::is_digit(*q); ++q) {
    const auto digit = static_cast<std::uint64_t>(*q - '0');
    if (value > (UINT64_MAX - digit) / 10) fail_number(line, p, eol, what, delimiter);
    value = value * 10 + digit;
  }
  if (q == p || q != token_end(p, eol, delimiter)) fail_number(line, p, eol, what, delimiter);
  p = q;
  return value;
}

void no_stray_return(const char* line, const char* eol) {
  if (const void* r = std::memchr(line, '\r', static_cast<std::size_t>(eol - line))) {
    const auto* at = static_cast<const char*>(r);
    fail(line, at, at + 1, "a carriage return inside a line (lines must end in \\n or \\r\\n)");
  }
}

// Cuts [data, data + size) into blocks of whole lines, about `block` bytes each; block i is
// [cuts[i], cuts[i + 1]).
std::vector<const char*> cut_at_lines(const char* data, std::size_t size, std::size_t block) {
  const char* end = data + size;
  std::vector<const char*> cuts{data};
  while (static_cast<std::size_t>(end - cuts.back()) > block) {
    const char* eol = scan::line_end(cuts.back() + block - 1, end);
    if (eol == end) break;
    cuts.push_back(eol + 1);
  }
  if (cuts.back() != end) cuts.push_back(end);
  return cuts;
}

// Runs body(block, worker) over all blocks, in any order, on `threads` threads; the Fault of the earliest
// block that has one becomes the FormatError, whatever the timing. A body may return false to give up:
// blocks that have not started are skipped, faults are forgotten, and so is the answer false.
template <class Body>
bool for_blocks(const std::vector<const char*>& cuts, const char* data, std::int64_t first_line, int threads,
                Body&& body) {
  const auto blocks = static_cast<std::int64_t>(cuts.size()) - 1;
  std::atomic<bool> given_up{false};
  std::atomic<std::int64_t> faulty{blocks};  // the earliest block with a fault so far: later ones need no look
  std::vector<std::optional<Fault>> faults(static_cast<std::size_t>(threads));
  parallel_for(blocks, 1, threads, [&](std::int64_t b, std::int64_t, int worker) {
    if (given_up.load(std::memory_order_relaxed) || b > faulty.load(std::memory_order_relaxed)) return;
    try {
      if (!body(b, worker)) given_up.store(true, std::memory_order_relaxed);
    } catch (Fault& f) {
      auto& mine = faults[static_cast<std::size_t>(worker)];
      if (!mine || f.line < mine->line) mine = std::move(f);
      std::int64_t seen = faulty.load(std::memory_order_relaxed);
      while (b < seen && !faulty.compare_exchange_weak(seen, b, std::memory_order_relaxed)) {
      }
    }
  });
  if (given_up.load(std::memory_order_relaxed)) return false;
  const Fault* first = nullptr;
  for (const auto& f : faults) {
    if (f && (first == nullptr || f->line < first->line)) first = &*f;
  }
  if (first != nullptr) raise(*first, data, first_line);
  return true;
}

// One line of an edge list, read with care; false for a blank line or a comment.
bool careful_edge(const char* line, const char* eol, const EdgeTextOptions& o, std::uint64_t& u, std::uint64_t& v) {
  const char* p = skip_blanks(line, eol);
  if (p == eol || (*p != '\0' && std::strchr(o.comments, *p) != nullptr)) return false;
  no_stray_return(line, eol);
  if (o.tag != 0) {
    const char* end = token_end(p, eol, 0);
    if (end - p != 1 || *p != o.tag) {
      fail(line, p, end, std::string("expected a line that starts with '") + o.tag + "'");
    }
    p = skip_blanks(end, eol);
  } else if (o.delimiter == '\t') {
    p = line;  // a tab in front encloses an empty column
  }
  const int columns = std::max({o.first + 1, o.second + 1, o.fields});
  for (int c = 0; c < columns; ++c) {
    if (p == eol) {
      fail(line, skip_blanks(line, eol), eol,
           "this line has " + std::to_string(c) + (c == 1 ? " column" : " columns") + " where " +
               std::to_string(columns) + " are needed");
    }
    if (c == o.first || c == o.second) {
      const char* at = p;
      const std::uint64_t id = number(p, eol, line, "a vertex id", o.delimiter);
      if (id < o.base) fail(line, at, p, "vertex ids count from " + std::to_string(o.base));
      if (id - o.base > o.limit) {
        fail(line, at, p, "a vertex id is larger than the declared number of vertices, " +
                              std::to_string(o.limit + o.base));
      }
      if (c == o.first) u = id - o.base;
      if (c == o.second) v = id - o.base;
    } else {
      p = token_end(p, eol, o.delimiter);
    }
    p = skip_separator(p, eol, o.delimiter);
  }
  return true;
}

struct BlockResult {
  std::int64_t edges = 0;
  std::uint64_t largest = 0;
};

// Parses the lines of [p, end) to u and v, which have room for one edge a line. `limit` is the end of the
// readable data. Sets `overflow` and stops early when an id does not fit T.
template <class T>
BlockResult parse_block(const char* p, const char* end, const char* limit, const EdgeTextOptions& o, T* u, T* v,
                        bool& overflow) {
  constexpr auto top = static_cast<std::uint64_t>(sizeof(T) == 4 ? INT32_MAX : -1);
  const bool plain_columns = o.first == 0 && o.second == 1 && o.fields <= 2;
  const bool weighted_columns = o.first == 0 && o.second == 1 && o.fields == 3;
  const bool fast = plain_columns || weighted_columns;
  const auto parts = [&](char c) { return o.delimiter == 0 ? scan::is_separator(c) : c == o.delimiter; };
  BlockResult r;
  while (p < end) {
    if (fast && limit - p >= scan::reach + 2) {
      const char* q = p;
      bool tagged = true;
      if (o.tag != 0) {
        tagged = p[0] == o.tag && p[1] == ' ';
        q = p + 2;
      }
      // One mask tells where both numbers of the usual line end: the next line depends on nothing else.
      const std::uint32_t mask = scan::nondigits32(q);
      const std::uint32_t rest = mask & (mask - 1);
      if (tagged && rest != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const auto second = static_cast<unsigned>(std::countr_zero(rest));
        const unsigned length_u = first, length_v = second - first - 1;
        std::uint64_t a = 0, b = 0;
        bool good = parts(q[first]);
        if (length_u - 1 < 8 && length_v - 1 < 8) {
          a = scan::digits8(q, length_u);
          b = scan::digits8(q + first + 1, length_v);
        } else if (length_u - 1 < 16 && length_v - 1 < 16) {
          a = length_u <= 8 ? scan::digits8(q, length_u) : scan::digits16(q, length_u);
          b = length_v <= 8 ? scan::digits8(q + first + 1, length_v) : scan::digits16(q + first + 1, length_v);
          if (std::max(a, b) > top) {
            overflow = true;
            return r;
          }
        } else {
          good = false;
        }
        a -= o.base;  // an id below the base wraps and is caught by the limit
        b -= o.base;
        const std::uint64_t larger = std::max(a, b);
        if (good && larger <= o.limit && (o.base == 0 || larger != UINT64_MAX)) {
          const char* next = q + second;
          if (*next == '\n' && plain_columns) {
            ++next;
          } else if (*next == '\r' && next[1] == '\n' && plain_columns) {
            next += 2;
          } else if (parts(*next) && static_cast<unsigned char>(next[1]) > ' ' &&
                     !scan::is_separator(next[1])) {
            next = scan::line_end(next, limit);
            if (next < limit) ++next;
          } else {
            next = nullptr;
          }
          if (next != nullptr) {
            u[r.edges] = static_cast<T>(a);
            v[r.edges] = static_cast<T>(b);
            ++r.edges;
            r.largest = std::max(r.largest, larger);
            p = next;
            continue;
          }
        }
      }
    }
    const char* eol = scan::line_end(p, end);
    std::uint64_t a = 0, b = 0;
    if (careful_edge(p, scan::trim_return(p, eol), o, a, b)) {
      const std::uint64_t larger = std::max(a, b);
      if (larger > top) {
        overflow = true;
        return r;
      }
      u[r.edges] = static_cast<T>(a);
      v[r.edges] = static_cast<T>(b);
      ++r.edges;
      r.largest = std::max(r.largest, larger);
    }
    p = eol == end ? end : eol + 1;
  }
  return r;
}

struct Blocks {
  std::vector<const char*> cuts;
  std::vector<std::int64_t> start;  // start[b]: lines before block b, which bound the edges before it
};

// False if an id does not fit T.
template <class T>
bool parse_all(const Blocks& blocks, const char* data, std::size_t size, const EdgeTextOptions& o, int threads,
               Progress progress, Buffer<T>& u, Buffer<T>& v, EdgeColumns& out) {
  const std::size_t count = blocks.cuts.size() - 1;
  const auto room = static_cast<std::size_t>(blocks.start.back());
  u = Buffer<T>(room);
  v = Buffer<T>(room);
  std::vector<BlockResult> results(count);
  std::atomic<std::size_t> done{0};
  const bool fits = for_blocks(blocks.cuts, data, o.first_line, threads, [&](std::int64_t block, int worker) {
    const auto b = static_cast<std::size_t>(block);
    bool too_large = false;
    results[b] = parse_block(blocks.cuts[b], blocks.cuts[b + 1], data + size, o, u.data() + blocks.start[b],
                             v.data() + blocks.start[b], too_large);
    const auto bytes = static_cast<std::size_t>(blocks.cuts[b + 1] - blocks.cuts[b]);
    const std::size_t all = done.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (worker == 0) progress(all);
    return !too_large;
  });
  if (!fits) return false;
  // Comments and blank lines leave gaps between the blocks: close them.
  for (std::size_t b = 0; b < count; ++b) {
    const auto to = static_cast<std::size_t>(out.size), from = static_cast<std::size_t>(blocks.start[b]);
    const auto n = static_cast<std::size_t>(results[b].edges);
    if (to != from && n != 0) {
      std::memmove(u.data() + to, u.data() + from, n * sizeof(T));
      std::memmove(v.data() + to, v.data() + from, n * sizeof(T));
    }
    out.size += results[b].edges;
    out.largest = std::max(out.largest, results[b].largest);
  }
  return true;
}

// Whether an id of 2^31 or more stands near the start: then the narrow attempt is not worth making.
bool starts_wide(const Blocks& blocks, const char* data, std::size_t size, const EdgeTextOptions& o) {
  constexpr std::ptrdiff_t peek = 4096;
  const char* end = blocks.cuts[1];
  if (end - data > peek) end = std::min(end, scan::line_end(data + peek, end) + 1);
  const auto lines = static_cast<std::size_t>(scan::count_lines(data, end) + 1);
  std::vector<std::int32_t> u(lines), v(lines);
  bool too_large = false;
  try {
    parse_block(data, end, data + size, o, u.data(), v.data(), too_large);
  } catch (const Fault&) {
    return false;  // the real run reports it
  }
  return too_large;
}

}  // namespace

EdgeColumns parse_edges(const char* data, std::size_t size, const EdgeTextOptions& o, int threads,
                        Progress progress) {
  EdgeColumns out;
  threads = std::max(1, threads);
  Blocks blocks;
  if (size != 0) {
    const char* eol = scan::line_end(data, data + size);
    try {
      no_stray_return(data, scan::trim_return(data, eol));
    } catch (const Fault& f) {
      raise(f, data, o.first_line);
    }
    blocks.cuts = cut_at_lines(data, size, o.block);
    blocks.start.assign(blocks.cuts.size(), 0);
    parallel_for(static_cast<std::int64_t>(blocks.cuts.size()) - 1, 1, threads,
                 [&](std::int64_t b, std::int64_t, int) {
                   const auto i = static_cast<std::size_t>(b);
                   blocks.start[i + 1] = scan::count_lines(blocks.cuts[i], blocks.cuts[i + 1]);
                 });
    if (data[size - 1] != '\n') ++blocks.start.back();
    for (std::size_t b = 1; b < blocks.start.size(); ++b) blocks.start[b] += blocks.start[b - 1];
    out.lines = blocks.start.back();
    out.is_wide = starts_wide(blocks, data, size, o) ||
                  !parse_all(blocks, data, size, o, threads, progress, out.u.narrow, out.v.narrow, out);
    if (out.is_wide) {
      out.u.narrow = {};
      out.v.narrow = {};
      parse_all(blocks, data, size, o, threads, progress, out.u.wide, out.v.wide, out);
    }
  }
  if (o.edges >= 0 && out.size != o.edges) {
    throw FormatError("the header promises " + std::to_string(o.edges) + " edges, the file has " +
                          std::to_string(out.size), 0, 0, "");
  }
  return out;
}

}  // namespace lb::core

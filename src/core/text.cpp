#include "text.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "line.hpp"
#include "scan.hpp"

namespace lb::core {
namespace {

using namespace line;

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
  no_stray(line, eol);
  if (is_skipped(line, eol, o.comments)) return false;
  const char* p = first_column(line, eol, o.delimiter);
  if (o.tag != 0) {
    const char* end = token_end(p, eol, any);
    if (end - p != 1 || *p != o.tag) {
      fail(line, p, end, std::string("expected a line that starts with '") + o.tag + "'");
    }
    p = skip_blanks(end, eol);
  }
  const int needed = std::max({o.first + 1, o.second + 1, o.fields});
  int columns = 0;
  for (bool more = true; more && (o.exact || (columns < needed && p < eol)); ++columns) {
    const char* closed = nullptr;
    const char* end = column_end(line, p, eol, o.delimiter, o.quotes, closed);
    if (columns == o.first || columns == o.second) {
      const char* at = p;
      const std::uint64_t id = number(p, eol, line, "a vertex id", o.delimiter, o.quotes);
      const char* digits = at + (*at == '"');
      if (!o.padded && *digits == '0' && digits + 1 < p && scan::is_digit(digits[1])) {
        fail(line, at, p, "a number that begins with zeros: ids='names' keeps them, ids='sparse' drops them");
      }
      if (id < o.base) fail(line, at, p, "vertex ids count from " + std::to_string(o.base));
      if (id - o.base > o.limit) {
        fail(line, at, p,
             "a vertex id is larger than the declared number of vertices, " + std::to_string(o.limit + o.base));
      }
      if (columns == o.first) u = id - o.base;
      if (columns == o.second) v = id - o.base;
    }
    p = skip_separator(end, eol, o.delimiter, more);
  }
  if (columns < needed || (o.exact && columns != o.fields)) fail_columns(line, eol, columns, needed);
  return true;
}

// The bytes of a line that matter behind its second column, 32 at a time.
struct Rest {
  std::uint32_t feeds, others;  // line feeds; what only the careful path judges: quotes, carriage returns, zeros, ...
  std::uint32_t separators;
};

// `Delimiter` is `any`, `blanks` or 1 for the one character that `one` is.
template <char Delimiter>
Rest rest32(const char* p, char one) noexcept {
#if defined(__SSE2__)
  Rest r{0, 0, 0};
  for (int half = 0; half < 2; ++half) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * half));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(c)); };
    const __m128i feeds = is('\n'), tabs = is('\t');
    // Quotes matter, and so do all bytes below 14 but line feeds and tabs.
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(13)), x);
    const __m128i others = _mm_or_si128(_mm_andnot_si128(_mm_or_si128(feeds, tabs), low), is('"'));
    __m128i separators;
    if constexpr (Delimiter == any) {
      separators = _mm_or_si128(_mm_or_si128(is(' '), tabs), _mm_or_si128(is(','), is(';')));
    } else if constexpr (Delimiter == blanks) {
      separators = _mm_or_si128(is(' '), tabs);
    } else {
      separators = is(one);
    }
    const auto bits = [&](__m128i m) { return static_cast<std::uint32_t>(_mm_movemask_epi8(m)) << (16 * half); };
    r.feeds |= bits(feeds);
    r.others |= bits(others);
    r.separators |= bits(separators);
  }
  return r;
#else
  Rest r{0, 0, 0};
  for (unsigned i = 0; i < 32; ++i) {
    const char c = p[i];
    const std::uint32_t bit = std::uint32_t{1} << i;
    if (c == '\n') r.feeds |= bit;
    if (c == '"' || (static_cast<unsigned char>(c) < 14 && c != '\n' && c != '\t')) r.others |= bit;
    if (parts(c, Delimiter == 1 ? one : Delimiter)) r.separators |= bit;
  }
  return r;
#endif
}

// The start of the next line if the rest of this one, from the separator at p on, is as plain as most are: `fields`
// columns in all, or at least as many unless `exact`, between single separators, without quotes and the like. Null if
// it is not, or if too few bytes are left to see: then the careful path has to look.
template <char Delimiter>
const char* plain_rest(const char* p, const char* limit, char one, int fields, bool exact) noexcept {
  int columns = 2;
  std::uint32_t carry = 0;  // whether the last byte was a separator
  for (; limit - p >= 32; p += 32) {
    const Rest r = rest32<Delimiter>(p, one);
    const std::uint32_t before = r.feeds - 1 & ~r.feeds;  // the bits below the first line feed; all if there is none
    const std::uint32_t separators = r.separators & before;
    std::uint32_t others = r.others & before;
    std::uint32_t last = before ^ before >> 1;  // the byte before the line feed
    if (others != 0) {
      if (r.feeds == 0 || others != last || p[std::countr_zero(r.feeds) - 1] != '\r') return nullptr;
      last >>= 1;
      // The byte before \r stands in the 32 bytes before.
      if (last == 0) return nullptr;
    }
    if constexpr (Delimiter == any || Delimiter == blanks) {
      if ((separators & (separators << 1 | carry)) != 0) return nullptr;
      if (r.feeds != 0 && (separators & last) != 0) return nullptr;
      if (r.feeds != 0 && before == 0 && carry != 0) return nullptr;
    }
    columns += std::popcount(separators);
    if (r.feeds != 0) {
      if (exact ? columns != fields : columns < fields) return nullptr;
      return p + std::countr_zero(r.feeds) + 1;
    }
    carry = separators >> 31;
  }
  return nullptr;
}

struct BlockResult {
  std::int64_t edges = 0;
  std::uint64_t largest = 0;
};

// Parses the lines of [p, end) to u and v, which have room for one edge a line. `limit` is the end of the
// readable data. Sets `overflow` and stops early when an id does not fit T.
template <class T, char Delimiter>
BlockResult parse_block(const char* p, const char* end, const char* limit, const EdgeTextOptions& o, T* u, T* v,
                        bool& overflow) {
  constexpr auto top = static_cast<std::uint64_t>(sizeof(T) == 4 ? INT32_MAX : -1);
  const bool fast = o.first == 0 && o.second == 1 && !o.careful;
  const bool two_columns = o.fields <= 2;
  const auto parted = [&](char c) { return parts(c, Delimiter == 1 ? o.delimiter : Delimiter); };
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
        bool good = parted(q[first]);
        if (!o.padded) good &= ((q[0] != '0') | (length_u == 1)) & ((q[first + 1] != '0') | (length_v == 1));
        if (length_u - 1 < 8 && length_v - 1 < 8) {
          a = scan::digits8(q, length_u);
          b = scan::digits8(q + first + 1, length_v);
        } else if (length_u - 1 < 16 && length_v - 1 < 16) {
          a = length_u <= 8 ? scan::digits8(q, length_u) : scan::digits16(q, length_u);
          b = length_v <= 8 ? scan::digits8(q + first + 1, length_v) : scan::digits16(q + first + 1, length_v);
          if (std::max(a, b) > top) good = false;  // whether the line is one of edges at all is not known yet
        } else {
          good = false;
        }
        a -= o.base;  // an id below the base wraps and is caught by the limit
        b -= o.base;
        const std::uint64_t larger = std::max(a, b);
        if (good && larger <= o.limit && (o.base == 0 || larger != UINT64_MAX)) {
          const char* next = q + second;
          if (*next == '\n' && two_columns) {
            ++next;
          } else if (*next == '\r' && next[1] == '\n' && two_columns) {
            next += 2;
          } else if (parted(*next)) {
            next = plain_rest<Delimiter>(next, limit, o.delimiter, o.fields, o.exact);
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

template <class T>
BlockResult parse_lines(const char* p, const char* end, const char* limit, const EdgeTextOptions& o, T* u, T* v,
                        bool& overflow) {
  if (o.delimiter == any) return parse_block<T, any>(p, end, limit, o, u, v, overflow);
  if (o.delimiter == blanks) return parse_block<T, blanks>(p, end, limit, o, u, v, overflow);
  return parse_block<T, 1>(p, end, limit, o, u, v, overflow);
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
  u = Buffer<T>(room, "the edges of the file");
  v = Buffer<T>(room, "the edges of the file");
  std::vector<BlockResult> results(count);
  std::atomic<std::size_t> done{0};
  const bool fits = for_blocks(blocks.cuts, data, o.first_line, threads, [&](std::int64_t block, int worker) {
    const auto b = static_cast<std::size_t>(block);
    bool too_large = false;
    results[b] = parse_lines(blocks.cuts[b], blocks.cuts[b + 1], data + size, o, u.data() + blocks.start[b],
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
    parse_lines(data, end, data + size, o, u.data(), v.data(), too_large);
  } catch (const Fault&) {
    return false;  // the real run reports it
  }
  return too_large;
}

}  // namespace

EdgeColumns parse_edges(const char* data, std::size_t size, const EdgeTextOptions& o, int threads, Progress progress) {
  EdgeColumns out;
  threads = std::max(1, threads);
  Blocks blocks;
  if (size != 0) {
    blocks.cuts = cut_at_lines(data, size, o.block);
    blocks.start.assign(blocks.cuts.size(), 0);
    parallel_for(static_cast<std::int64_t>(blocks.cuts.size()) - 1, 1, threads, [&](std::int64_t b, std::int64_t, int) {
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
    throw FormatError(
        "the header promises " + std::to_string(o.edges) + " edges, the file has " + std::to_string(out.size), 0, 0,
        "");
  }
  return out;
}

namespace {

// The lines in front of the edges, one at a time.
class HeaderLines {
 public:
  HeaderLines(const char* data, std::size_t size) : data_(data), next_(data), end_(data + size) {}

  // Moves to the next line; false at the end of the data.
  bool advance() {
    if (next_ == end_) return false;
    line_ = next_;
    const char* eol = scan::line_end(next_, end_);
    eol_ = scan::trim_return(line_, eol);
    try {
      no_stray(line_, eol_);
    } catch (const Fault& f) {
      raise(f, data_, 1);
    }
    next_ = eol == end_ ? end_ : eol + 1;
    ++number_;
    at_ = skip_blanks(line_, eol_);
    return true;
  }
  bool blank() const { return at_ == eol_; }
  char first() const { return blank() ? '\0' : *at_; }

  // The next word of the line, empty at its end.
  std::string_view word() {
    const char* end = token_end(at_, eol_, 0);
    const std::string_view w(at_, static_cast<std::size_t>(end - at_));
    word_ = at_;
    at_ = skip_blanks(end, eol_);
    return w;
  }
  std::int64_t count(const char* what) {
    word_ = at_;
    std::uint64_t value = 0;
    try {
      value = number(at_, eol_, line_, what);
    } catch (const Fault& f) {
      raise(f, data_, 1);
    }
    if (value > INT64_MAX) fail_here(std::string(what) + " does not fit 63 bits");
    at_ = skip_blanks(at_, eol_);
    return static_cast<std::int64_t>(value);
  }
  [[noreturn]] void fail_here(const std::string& problem) const {
    const char* from = word_ != nullptr && word_ >= line_ && word_ < eol_ ? word_ : line_;
    raise(Fault{line_, from, from == line_ ? eol_ : token_end(from, eol_, 0), problem}, data_, 1);
  }

  const char* body() const { return next_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  std::int64_t lines() const { return number_; }

 private:
  const char *data_, *next_, *end_;
  const char *line_ = nullptr, *eol_ = nullptr, *at_ = nullptr, *word_ = nullptr;
  std::int64_t number_ = 0;
};

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

// The options for a body whose ids count from 1 to `vertices`.
EdgeTextOptions declared(const HeaderLines& header, std::int64_t vertices, std::int64_t edges) {
  if (edges > static_cast<std::int64_t>(header.left() / 4 + 1)) {
    header.fail_here("the header promises " + std::to_string(edges) + " edges, more than the " +
                     std::to_string(header.left()) + " bytes after it can hold");
  }
  if (edges > 0 && vertices == 0) header.fail_here("the header promises edges but no vertices");
  EdgeTextOptions o;
  o.base = 1;
  o.limit = static_cast<std::uint64_t>(std::max<std::int64_t>(vertices, 1)) - 1;
  o.first_line = header.lines() + 1;
  return o;
}

}  // namespace

MatrixMarket parse_matrix_market(const char* data, std::size_t size, int threads, Progress progress) {
  HeaderLines header(data, size);
  if (!header.advance() || lower(header.word()) != "%%matrixmarket") {
    throw FormatError("a Matrix Market file must start with %%MatrixMarket", size == 0 ? 0 : 1, 0, "");
  }
  if (lower(header.word()) != "matrix") header.fail_here("expected 'matrix' after %%MatrixMarket");
  if (lower(header.word()) != "coordinate") {
    header.fail_here("only the coordinate form of Matrix Market holds a graph");
  }
  const std::string field = lower(header.word());
  const bool valued = field == "real" || field == "integer" || field == "double";
  if (!valued && field != "pattern" && field != "complex") {
    header.fail_here("expected pattern, real, integer or complex");
  }
  const std::string symmetry = lower(header.word());
  MatrixMarket out;
  out.general = symmetry == "general";
  if (!out.general && symmetry != "symmetric" && symmetry != "skew-symmetric" && symmetry != "hermitian") {
    header.fail_here("expected general, symmetric, skew-symmetric or hermitian");
  }
  do {
    if (!header.advance()) {
      throw FormatError("the line with rows, columns and entries is missing", header.lines(), 0, "");
    }
  } while (header.blank() || header.first() == '%');
  const std::int64_t rows = header.count("the number of rows");
  const std::int64_t columns = header.count("the number of columns");
  const std::int64_t entries = header.count("the number of entries");
  if (!header.blank()) {
    header.word();
    header.fail_here("more than rows, columns and entries on the line of the sizes");
  }
  if (rows != columns) {
    throw FormatError("a graph needs a square matrix, this one has " + std::to_string(rows) + " rows and " +
                          std::to_string(columns) + " columns",
                      header.lines(), 0, "");
  }
  EdgeTextOptions o = declared(header, rows, entries);
  o.comments = "%";
  o.fields = valued ? 3 : field == "complex" ? 4 : 2;
  o.edges = entries;
  out.vertices = rows;
  out.edges = parse_edges(header.body(), header.left(), o, threads, progress);
  return out;
}

Dimacs parse_dimacs(const char* data, std::size_t size, int threads, Progress progress) {
  HeaderLines header(data, size);
  do {
    if (!header.advance()) throw FormatError("the line 'p sp n m' is missing", header.lines(), 0, "");
  } while (header.blank() || header.first() == 'c');
  if (header.word() != "p") header.fail_here("expected comments ('c') and then the line 'p sp n m'");
  const std::string_view problem = header.word();
  if (problem != "sp" && problem != "edge" && problem != "col") {
    header.fail_here("expected 'p sp', 'p edge' or 'p col'");
  }
  Dimacs out;
  out.vertices = header.count("the number of vertices");
  out.promised = header.count("the number of edges");
  const bool arcs = problem == "sp";
  EdgeTextOptions o = declared(header, out.vertices, arcs ? out.promised : 0);
  o.tag = arcs ? 'a' : 'e';
  o.fields = arcs ? 3 : 2;
  o.comments = "c";
  o.edges = arcs ? out.promised : -1;
  if (out.vertices == 0) o.edges = 0;
  out.edges = parse_edges(header.body(), header.left(), o, threads, progress);
  return out;
}

namespace {

struct MetisShape {
  std::int64_t vertices = 0, edges = 0;
  std::int64_t skipped = 0;  // numbers in front of the neighbours of a line: sizes and weights
  bool edge_weights = false;
};

MetisShape metis_header(HeaderLines& header) {
  do {
    if (!header.advance()) throw FormatError("the line 'n m' is missing", header.lines(), 0, "");
  } while (header.blank() || header.first() == '%');
  MetisShape s;
  s.vertices = header.count("the number of vertices");
  s.edges = header.count("the number of edges");
  if (!header.blank()) {
    const std::string_view format = header.word();
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
      header.fail_here("fmt must be up to three digits 0 or 1");
    }
    const auto flag = [&](std::size_t from_right) {
      return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
    };
    s.edge_weights = flag(0);
    std::int64_t constraints = flag(1) ? 1 : 0;
    if (!header.blank()) {
      const std::int64_t ncon = header.count("ncon");
      if (ncon > 1000) header.fail_here("ncon is not believable");
      if (flag(1)) constraints = ncon;
    }
    s.skipped = constraints + (flag(2) ? 1 : 0);
  }
  if (!header.blank()) {
    header.word();
    header.fail_here("more than n, m, fmt and ncon in the header");
  }
  if (s.edges > static_cast<std::int64_t>(header.left() / 4 + 1)) {
    header.fail_here("the header promises " + std::to_string(s.edges) + " edges, more than the " +
                     std::to_string(header.left()) + " bytes after it can hold");
  }
  if (s.vertices > static_cast<std::int64_t>(header.left() + 1)) {
    header.fail_here("the header promises " + std::to_string(s.vertices) + " vertices, more than the " +
                     std::to_string(header.left()) + " bytes after it can hold");
  }
  return s;
}

// Calls body(line, eol) for every line of [p, end) that is no comment, and comment(line, eol) for the others.
template <class Body, class Comment>
void each_metis_line(const char* p, const char* end, Body&& body, Comment&& comment) {
  while (p < end) {
    const char* eol = scan::line_end(p, end);
    const char* last = scan::trim_return(p, eol);
    if (*p != '%') {
      body(p, last);
    } else {
      comment(p, last);
    }
    p = eol == end ? end : eol + 1;
  }
}

// The neighbours on one line, appended at `out`; returns the end of what was written.
template <class T>
T* metis_line(const char* line, const char* eol, const char* limit, const MetisShape& s, T* out) {
  const char* p = skip_blanks(line, eol);
  for (std::int64_t i = 0; i < s.skipped; ++i) {
    if (p == eol) fail(line, line, eol, "a vertex size or weight that fmt announces is missing");
    p = skip_blanks(token_end(p, eol, 0), eol);
  }
  while (p < eol) {
    const char* at = p;
    std::uint64_t id = 0;
    const std::uint32_t mask = limit - p >= scan::reach ? scan::nondigits32(p) : 0;
    const auto length = static_cast<unsigned>(mask == 0 ? 0 : std::countr_zero(mask));
    if (length - 1 < 8 && (p + length == eol || p[length] == ' ')) {
      id = scan::digits8(p, length);
      p += length;
    } else {
      id = number(p, eol, line, "a neighbour");
    }
    if (id - 1 >= static_cast<std::uint64_t>(s.vertices)) {
      fail(line, at, p,
           "a neighbour is out of range for n = " + std::to_string(s.vertices) + " (vertices count from 1)");
    }
    *out++ = static_cast<T>(id - 1);
    p = skip_blanks(p, eol);
    if (s.edge_weights) {
      if (p == eol) fail(line, at, eol, "the weight of the last edge is missing (fmt announces edge weights)");
      p = skip_blanks(token_end(p, eol, 0), eol);
    }
    if (p < eol && (*p == ',' || *p == ';')) fail(line, p, eol, "expected blanks between neighbours");
  }
  return out;
}

template <class T>
void metis_body(const HeaderLines& header, const MetisShape& s, int threads, Progress progress, Metis& out,
                Buffer<T>& neighbors) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  const char* data = header.body();
  const char* end = data + header.left();
  const auto cuts = cut_at_lines(data, header.left(), block_bytes);
  const std::size_t blocks = cuts.size() - 1;
  const std::int64_t first_line = header.lines() + 1;
  // Which vertex a block starts with is known only once the lines before it have been counted.
  std::vector<std::int64_t> vertex(blocks + 1, 0);
  parallel_for(static_cast<std::int64_t>(blocks), 1, threads, [&](std::int64_t block, std::int64_t, int) {
    const auto b = static_cast<std::size_t>(block);
    each_metis_line(
        cuts[b], cuts[b + 1], [&](const char*, const char*) { ++vertex[b + 1]; }, [](const char*, const char*) {});
  });
  for (std::size_t b = 1; b <= blocks; ++b) vertex[b] += vertex[b - 1];
  if (vertex[blocks] < s.vertices) {
    throw FormatError("the header promises " + std::to_string(s.vertices) + " vertices, only " +
                          std::to_string(vertex[blocks]) + " lines follow",
                      0, 0, "");
  }
  out.offsets = Buffer<std::int64_t>(static_cast<std::size_t>(s.vertices) + 1, "the offsets of the file");
  out.offsets[0] = 0;
  std::vector<Buffer<T>> parts(blocks);
  std::vector<std::size_t> sizes(blocks, 0);
  std::atomic<std::size_t> done{0};
  for_blocks(cuts, data, first_line, threads, [&](std::int64_t block, int worker) {
    const auto b = static_cast<std::size_t>(block);
    const auto bytes = static_cast<std::size_t>(cuts[b + 1] - cuts[b]);
    parts[b] = Buffer<T>(bytes / 2 + 1);
    T* to = parts[b].data();
    std::int64_t v = vertex[b];
    each_metis_line(
        cuts[b], cuts[b + 1],
        [&](const char* line, const char* eol) {
          if (v >= s.vertices) {
            if (skip_blanks(line, eol) != eol) {
              fail(line, line, eol, "a line after the last of " + std::to_string(s.vertices) + " vertices");
            }
          } else {
            T* next = metis_line(line, eol, end, s, to);
            out.offsets[static_cast<std::size_t>(v) + 1] = next - to;
            to = next;
          }
          ++v;
        },
        no_stray);
    sizes[b] = static_cast<std::size_t>(to - parts[b].data());
    const std::size_t all = done.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (worker == 0) progress(all);
    return true;
  });
  for (std::int64_t v = 0; v < s.vertices; ++v) {
    out.offsets[static_cast<std::size_t>(v) + 1] += out.offsets[static_cast<std::size_t>(v)];
  }
  out.vertices = s.vertices;
  out.size = out.offsets[static_cast<std::size_t>(s.vertices)];
  if (out.size != 2 * s.edges) {
    throw FormatError("the header promises " + std::to_string(s.edges) + " edges, so " + std::to_string(2 * s.edges) +
                          " neighbours, the file lists " + std::to_string(out.size),
                      0, 0, "");
  }
  neighbors = Buffer<T>(static_cast<std::size_t>(out.size), "the edges of the file");
  parallel_for(static_cast<std::int64_t>(blocks), 1, threads, [&](std::int64_t block, std::int64_t, int) {
    const auto b = static_cast<std::size_t>(block);
    if (sizes[b] == 0) return;
    const std::int64_t at = out.offsets[static_cast<std::size_t>(std::min(vertex[b], s.vertices))];
    std::memcpy(neighbors.data() + at, parts[b].data(), sizes[b] * sizeof(T));
    parts[b] = {};
  });
}

}  // namespace

Metis parse_metis(const char* data, std::size_t size, int threads, Progress progress) {
  threads = std::max(1, threads);
  HeaderLines header(data, size);
  const MetisShape shape = metis_header(header);
  Metis out;
  out.is_wide = shape.vertices > INT32_MAX;
  if (out.is_wide) {
    metis_body(header, shape, threads, progress, out, out.neighbors.wide);
  } else {
    metis_body(header, shape, threads, progress, out, out.neighbors.narrow);
  }
  return out;
}

template <class Id>
std::string format_edges(const Id* u, const Id* v, std::int64_t m, const EdgeFormat& format, int threads) {
  threads = static_cast<int>(std::clamp<std::int64_t>(m / 10000, 1, std::max(1, threads)));
  const std::int64_t stretch = (m + threads - 1) / threads;
  std::vector<std::string> parts(static_cast<std::size_t>(threads));
  const auto append = [&](char* p, Id id) {
    return std::to_chars(p, p + 20, static_cast<std::uint64_t>(id) + format.base).ptr;
  };
  const auto copy = [](char* p, const std::string& s) { return std::copy(s.begin(), s.end(), p); };
  const std::size_t longest = format.prefix.size() + format.separator.size() + format.suffix.size() + 41;
  parallel(threads, [&](int worker) {
    const std::int64_t end = std::min(m, (worker + 1) * stretch);
    std::string& text = parts[static_cast<std::size_t>(worker)];
    std::size_t used = 0;
    for (std::int64_t i = worker * stretch; i < end; ++i) {
      if (text.size() - used < longest) text.resize(2 * text.size() + 64 * longest);
      char* p = copy(text.data() + used, format.prefix);
      p = copy(append(p, u[i]), format.separator);
      p = copy(append(p, v[i]), format.suffix);
      *p++ = '\n';
      used = static_cast<std::size_t>(p - text.data());
    }
    text.resize(used);
  });
  if (parts.size() == 1) return std::move(parts[0]);
  std::string all;
  for (const std::string& p : parts) all += p;
  return all;
}

template std::string format_edges(const std::int32_t*, const std::int32_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::int64_t*, const std::int64_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::uint32_t*, const std::uint32_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::uint64_t*, const std::uint64_t*, std::int64_t, const EdgeFormat&, int);

}  // namespace lb::core

// Lines of edges whose ids are numbers: a fast path for the usual line, a bytewise one for every other.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "error.hpp"
#include "line.hpp"
#include "scan.hpp"
#include "text.hpp"
#include "text_blocks.hpp"

namespace lb::core {
namespace {

using namespace line;

// One line of an edge list, byte by byte; false for a blank line or a comment.
bool parse_bytewise(const char* line, const char* eol, const EdgeTextOptions& o, std::uint64_t& u, std::uint64_t& v) {
  refuse_stray(line, eol);
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
        fail(line, at, p, "a vertex id is out of range for n = " + std::to_string(o.limit + 1));
      }
      if (columns == o.first) u = id - o.base;
      if (columns == o.second) v = id - o.base;
    }
    p = skip_separator(end, eol, o.delimiter, more);
  }
  if (columns < needed || (o.exact && columns != o.fields)) fail_columns(line, eol, columns, needed);
  return true;
}

// The bytes of a line behind its second column, 32 at a time, one bit each.
struct TailMasks {
  std::uint32_t feeds, others;  // line feeds; bytes for the bytewise path: quotes, carriage returns, zeros, ...
  std::uint32_t separators;
};

// `Delimiter` is `any`, `blanks` or 1 for the one character that `one` is.
template <char Delimiter>
TailMasks tail_masks32(const char* p, char one) noexcept {
#if defined(__SSE2__)
  TailMasks r{0, 0, 0};
  for (int half = 0; half < 2; ++half) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * half));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(c)); };
    const __m128i feeds = is('\n'), tabs = is('\t');
    // Quotes, the first byte of a byte order mark, and all bytes below 14 but line feeds and tabs.
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(13)), x);
    const __m128i others =
        _mm_or_si128(_mm_andnot_si128(_mm_or_si128(feeds, tabs), low), _mm_or_si128(is('"'), is('\xef')));
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
  TailMasks r{0, 0, 0};
  for (unsigned i = 0; i < 32; ++i) {
    const char c = p[i];
    const std::uint32_t bit = std::uint32_t{1} << i;
    if (c == '\n') r.feeds |= bit;
    if (c == '"' || c == '\xef' || (static_cast<unsigned char>(c) < 14 && c != '\n' && c != '\t')) r.others |= bit;
    if (separates(c, Delimiter == 1 ? one : Delimiter)) r.separators |= bit;
  }
  return r;
#endif
}

// The start of the next line if the rest of this one, from the separator at p on, is plain: `fields` columns in all, or
// at least as many unless `exact`, between single separators, without quotes and the like. Null if it is not, or if
// fewer than 32 bytes follow: then the line takes the bytewise path.
template <char Delimiter>
const char* plain_tail(const char* p, const char* limit, char one, int fields, bool exact) noexcept {
  int columns = 2;
  std::uint32_t carry = 0;  // whether the last byte was a separator
  for (; limit - p >= 32; p += 32) {
    const TailMasks r = tail_masks32<Delimiter>(p, one);
    const std::uint32_t before = (r.feeds - 1) & ~r.feeds;  // the bits below the first line feed; all if there is none
    const std::uint32_t separators = r.separators & before;
    std::uint32_t others = r.others & before;
    std::uint32_t last = before ^ before >> 1;  // the byte before the line feed
    if (others != 0) {
      if (r.feeds == 0 || others != last || p[std::countr_zero(r.feeds) - 1] != '\r') return nullptr;
      last >>= 1;
      if (last == 0) return nullptr;  // the byte before \r is in the 32 bytes before
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

// Parses the lines of [p, end) to u and v, which have room for one edge per line. `limit` is the end of the
// readable data. Sets `overflow` and stops early when an id does not fit T.
template <class T, char Delimiter>
BlockResult parse_block(const char* p, const char* end, const char* limit, const EdgeTextOptions& o, T* u, T* v,
                        bool& overflow) {
  constexpr auto top = static_cast<std::uint64_t>(sizeof(T) == 4 ? INT32_MAX : -1);
  const bool fast = o.first == 0 && o.second == 1 && !o.bytewise;
  const bool two_columns = o.fields <= 2;
  const auto separated = [&](char c) { return separates(c, Delimiter == 1 ? o.delimiter : Delimiter); };
  BlockResult r;
  while (p < end) {
    if (fast && limit - p >= scan::reach + 2) {
      const char* q = p;
      bool tagged = true;
      if (o.tag != 0) {
        tagged = p[0] == o.tag && p[1] == ' ';
        q = p + 2;
      }
      // One mask gives the ends of both numbers of the usual line; the next line depends on nothing else.
      const std::uint32_t mask = scan::nondigits32(q);
      const std::uint32_t behind_first = mask & (mask - 1);
      if (tagged && behind_first != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const auto second = static_cast<unsigned>(std::countr_zero(behind_first));
        const unsigned length_u = first, length_v = second - first - 1;
        std::uint64_t a = 0, b = 0;
        bool good = separated(q[first]);
        if (!o.padded) good &= ((q[0] != '0') | (length_u == 1)) & ((q[first + 1] != '0') | (length_v == 1));
        if (length_u - 1 < 8 && length_v - 1 < 8) {
          a = scan::digits8(q, length_u);
          b = scan::digits8(q + first + 1, length_v);
        } else if (length_u - 1 < 16 && length_v - 1 < 16) {
          a = length_u <= 8 ? scan::digits8(q, length_u) : scan::digits16(q, length_u);
          b = length_v <= 8 ? scan::digits8(q + first + 1, length_v) : scan::digits16(q + first + 1, length_v);
          if (std::max(a, b) > top) good = false;  // the bytewise path checks the line before it reports an overflow
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
          } else if (separated(*next)) {
            next = plain_tail<Delimiter>(next, limit, o.delimiter, o.fields, o.exact);
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
    if (parse_bytewise(p, scan::trim_return(p, eol), o, a, b)) {
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

// Whether an id of 2^31 or more is near the start: then the narrow attempt is skipped.
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
    return false;  // the run over all lines reports it
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

}  // namespace lb::core

// METIS adjacency files.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "line.hpp"
#include "scan.hpp"
#include "text_blocks.hpp"
#include "text_header.hpp"

namespace lb::core {

namespace {

using namespace line;

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
  check_declared_count(header, s.edges, "edges", 4);
  check_declared_count(header, s.vertices, "vertices", 1);
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
    p = skip_blanks(token_end(p, eol, any), eol);
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
      p = skip_blanks(token_end(p, eol, any), eol);
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
  const char* end = data + header.remaining();
  const auto cuts = cut_at_lines(data, header.remaining(), block_bytes);
  const std::size_t blocks = cuts.size() - 1;
  const std::int64_t first_line = header.lines() + 1;
  // The first vertex of a block follows from the number of lines in front of it.
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
        refuse_stray);
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

}  // namespace lb::core

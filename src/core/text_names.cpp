// Lines of edges whose ids are text, and the first lines of a file cut into columns.
#include <algorithm>

#include "line.hpp"
#include "text.hpp"

namespace lb::core {
namespace {

using namespace line;

// Copies the text of a column, whose quoted part ends at `closed` if it has one, to `out`; returns its end there.
char* append_name(const char* p, const char* end, const char* closed, char* out) {
  if (closed == nullptr) {
    std::memcpy(out, p, static_cast<std::size_t>(end - p));
    return out + (end - p);
  }
  for (++p; p < closed - 1; ++p) {
    *out++ = *p;
    if (*p == '"') ++p;  // two quotes stand for one
  }
  return out;
}

char* append_id(const char* line, const char* p, const char* end, const char* closed, const char* eol, bool ascii,
                char* out) {
  if (closed != nullptr && closed != end) fail(line, p, end, "text behind the quote that closes a name");
  char* to = append_name(p, end, closed, out);
  if (to == out && closed == nullptr) fail(line, p, eol, "an empty column where a name should be");
  if (const char* bad = ascii ? nullptr : not_utf8(p, end)) {
    const char* stop = std::min(bad + 1, end);
    fail(line, bad, stop, "a byte that is not UTF-8 in a name (encoding= reads other encodings)");
  }
  return to;
}

const char* delimiter_at(const char* p, const char* eol, char delimiter) {
  const void* at = p < eol ? std::memchr(p, delimiter, static_cast<std::size_t>(eol - p)) : nullptr;
  return at != nullptr ? static_cast<const char*>(at) : eol;
}

// Whether the text is a whole number, with or without a sign.
bool is_whole_number(const char* p, const char* end) {
  if (p < end && (*p == '-' || *p == '+')) ++p;
  return p < end && std::all_of(p, end, scan::is_digit);
}

// As each_column, where blanks around a column belong to it, unless it is in quotes, a number, or nothing but blanks.
template <class Body>
int each_column_with_blanks(const char* line, const char* eol, const EdgeTextOptions& o, Body&& column) {
  int c = 0;
  for (const char* p = line;; ++c) {
    const char* stop = delimiter_at(p, eol, o.delimiter);
    const char* const text = skip_blanks(p, stop);
    if (text < stop && *text == '"' && o.quotes) {
      const char* closed = nullptr;
      const char* const end = column_end(line, text, eol, o.delimiter, true, closed);
      column(c, text, end, closed);
      stop = delimiter_at(end, eol, o.delimiter);
    } else {
      const char* const end = token_end(text, stop, o.delimiter);
      const bool trimmed = text == stop || is_whole_number(text, end);
      column(c, trimmed ? text : p, trimmed ? end : stop, nullptr);
    }
    if (stop == eol) return c + 1;
    p = stop + 1;
  }
}

// Calls column(c, p, end, closed) for every column of a line; returns their number.
template <class Body>
int each_column(const char* line, const char* eol, const EdgeTextOptions& o, Body&& column) {
  if (o.outer_blanks && o.delimiter != any && o.delimiter != blanks) {
    return each_column_with_blanks(line, eol, o, column);
  }
  const char* p = first_column(line, eol, o.delimiter);
  int c = 0;
  for (bool more = true; more; ++c) {
    const char* closed = nullptr;
    const char* end = column_end(line, p, eol, o.delimiter, o.quotes, closed);
    column(c, p, end, closed);
    p = skip_separator(end, eol, o.delimiter, more);
  }
  return c;
}

// Fails for a comment with as many columns as an edge and no blank behind its first character: ids may begin with it.
void refuse_ambiguous(const char* line, const char* eol, const EdgeTextOptions& o) {
  const char* p = skip_blanks(line, eol);
  if (eol - p < 2 || scan::is_blank(p[1]) || p[1] == p[0]) return;
  if (each_column(line, eol, o, [](int, const char*, const char*, const char*) {}) != o.fields) return;
  fail(line, p, eol,
       std::string("a comment or an edge? comment='") + *p +
           "' says that such lines are comments, comment='' "
           "that ids begin so (--comment on the command line)");
}

}  // namespace

NameColumns parse_names(const char* data, std::size_t size, const EdgeTextOptions& o, Progress progress) {
  NameColumns out;
  const char* const end = data + size;
  const auto lines = static_cast<std::size_t>(scan::count_lines(data, end) + 1);
  out.u_offsets = Buffer<std::int64_t>(lines + 1, "the names of the file");
  out.v_offsets = Buffer<std::int64_t>(lines + 1, "the names of the file");
  out.u = Buffer<char>(size, "the names of the file");
  out.v = Buffer<char>(size, "the names of the file");
  char *u = out.u.data(), *v = out.v.data();
  out.u_offsets[0] = out.v_offsets[0] = 0;
  const int needed = std::max({o.first + 1, o.second + 1, o.fields});
  unsigned char bits = 0;
  for (std::size_t i = 0; i < size; ++i) bits |= static_cast<unsigned char>(data[i]);
  const bool ascii = bits < 0x80;
  const bool stray =
      size != 0 && (std::memchr(data, '\r', size) != nullptr || std::memchr(data, '\0', size) != nullptr ||
                    (!ascii && find_mark(data, end) != nullptr));
  for (const char* line = data; line < end;) {
    const char* const newline = scan::line_end(line, end);
    const char* const eol = scan::trim_return(line, newline);
    try {
      if (stray) refuse_stray(line, eol);
      if (!is_skipped(line, eol, o.comments)) {
        const int columns = each_column(line, eol, o, [&](int c, const char* p, const char* stop, const char* closed) {
          if (c == o.first) u = append_id(line, p, stop, closed, eol, ascii, u);
          if (c == o.second) v = append_id(line, p, stop, closed, eol, ascii, v);
        });
        if (columns < needed || (o.exact && columns != o.fields)) fail_columns(line, eol, columns, needed);
        const auto n = static_cast<std::size_t>(++out.size);
        out.u_offsets[n] = u - out.u.data();
        out.v_offsets[n] = v - out.v.data();
        if ((n & 0xffff) == 0) progress(static_cast<std::size_t>(line - data));
      } else if (o.strict_comments) {
        refuse_ambiguous(line, eol, o);
      }
    } catch (const Fault& f) {
      raise(f, data, o.first_line);
    }
    line = newline == end ? end : newline + 1;
  }
  return out;
}

std::vector<TextRow> first_rows(const char* data, std::size_t size, const EdgeTextOptions& o, std::size_t most,
                                bool& bad) {
  bad = false;
  std::vector<TextRow> rows;
  const char* const end = data + size;
  std::int64_t number = o.first_line;
  for (const char* line = data; line < end && rows.size() < most; ++number) {
    const char* const newline = scan::line_end(line, end);
    const char* const eol = scan::trim_return(line, newline);
    try {
      refuse_stray(line, eol);
      if (!is_skipped(line, eol, o.comments)) {
        TextRow row{number, static_cast<std::size_t>(line - data), static_cast<std::size_t>(eol - data), {}};
        each_column(line, eol, o, [&](int, const char* p, const char* stop, const char* closed) {
          std::string text(static_cast<std::size_t>(stop - p), '\0');
          text.resize(static_cast<std::size_t>(append_name(p, stop, closed, text.data()) - text.data()));
          row.columns.push_back(std::move(text));
        });
        rows.push_back(std::move(row));
      }
    } catch (const Fault&) {
      bad = true;
      break;  // the parser of all lines reports the fault
    }
    line = newline == end ? end : newline + 1;
  }
  return rows;
}

}  // namespace lb::core

#include "line.hpp"

#include <algorithm>
#include <utility>

#include "error.hpp"

namespace lb::core::line {

void fail(const char* line, const char* at, const char* end, std::string problem) {
  throw Fault{line, at, end, std::move(problem)};
}

void raise(const Fault& f, const char* data, std::int64_t first_line) {
  constexpr std::ptrdiff_t longest = 60;
  const char* end = f.at + std::min(f.end - f.at, longest);
  if (end != f.end) {
    while (end > f.at && (static_cast<unsigned char>(*end) & 0xc0) == 0x80) --end;  // whole characters only
  }
  std::string text(f.at, end);
  if (end != f.end) text += "...";
  throw FormatError(f.problem, first_line + scan::count_lines(data, f.line), f.at - f.line + 1, std::move(text));
}

const char* skip_separator(const char* p, const char* eol, char delimiter, bool& more) noexcept {
  if (delimiter == '\t') {
    while (p < eol && *p == ' ') ++p;
    more = p < eol;
    if (more) ++p;
    while (p < eol && *p == ' ') ++p;
    return p;
  }
  p = skip_blanks(p, eol);
  more = p < eol;
  if (more && delimiter != blanks && (delimiter != any ? *p == delimiter : *p == ',' || *p == ';')) {
    p = skip_blanks(p + 1, eol);
  }
  return p;
}

const char* token_end(const char* p, const char* eol, char delimiter) noexcept {
  if (delimiter == any || delimiter == blanks) {
    while (p < eol && !separates(*p, delimiter)) ++p;
    return p;
  }
  const void* q = p < eol ? std::memchr(p, delimiter, static_cast<std::size_t>(eol - p)) : nullptr;
  const char* end = q != nullptr ? static_cast<const char*>(q) : eol;
  while (end > p && scan::is_blank(end[-1])) --end;
  return end;
}

const char* column_end(const char* line, const char* p, const char* eol, char delimiter, bool quotes,
                       const char*& closed) {
  closed = nullptr;
  if (!quotes || p == eol || *p != '"') return token_end(p, eol, delimiter);
  for (const char* q = p + 1; q < eol; ++q) {
    if (*q != '"') continue;
    if (q + 1 == eol || q[1] != '"') {
      closed = q + 1;
      return token_end(closed, eol, delimiter);
    }
    ++q;
  }
  fail(line, p, eol, "a quote that nothing closes in this line (columns that hold a line break cannot be read)");
}

const char* find_mark(const char* p, const char* end) noexcept {
  while (end - p >= 3) {
    const void* at = std::memchr(p, '\xef', static_cast<std::size_t>(end - p - 2));
    if (at == nullptr) return nullptr;
    p = static_cast<const char*>(at);
    if (p[1] == '\xbb' && p[2] == '\xbf') return p;
    ++p;
  }
  return nullptr;
}

void refuse_stray(const char* line, const char* eol) {
  if (const char* mark = find_mark(line, eol)) {
    fail(line, mark, mark + 3, "a byte order mark inside the text, as where files are concatenated");
  }
  const auto find = [&](char c) {
    const void* at = line < eol ? std::memchr(line, c, static_cast<std::size_t>(eol - line)) : nullptr;
    return at != nullptr ? static_cast<const char*>(at) : eol;
  };
  const char *cr = find('\r'), *zero = find('\0');
  if (cr < zero) fail(line, cr, cr + 1, "a carriage return inside a line (lines must end in \\n or \\r\\n)");
  if (zero < cr) fail(line, zero, zero + 1, "a zero byte inside a line (text has none)");
}

bool is_skipped(const char* line, const char* eol, const char* comments) noexcept {
  const char* p = skip_blanks(line, eol);
  return p == eol || (*p != '\0' && std::strchr(comments, *p) != nullptr);
}

namespace {

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

}  // namespace

std::uint64_t number(const char*& p, const char* eol, const char* line, const char* what, char delimiter, bool quotes) {
  const bool quoted = quotes && p < eol && *p == '"';
  const char* const begin = quoted ? p + 1 : p;
  const char* q = begin;
  std::uint64_t value = 0;
  for (; q < eol && scan::is_digit(*q); ++q) {
    const auto digit = static_cast<std::uint64_t>(*q - '0');
    if (value > (UINT64_MAX - digit) / 10) fail_number(line, p, eol, what, delimiter);
    value = value * 10 + digit;
  }
  const bool closed = !quoted || (q < eol && *q == '"');
  if (q == begin || !closed || q + quoted != token_end(p, eol, delimiter)) fail_number(line, p, eol, what, delimiter);
  p = q + quoted;
  return value;
}

void fail_columns(const char* line, const char* eol, int columns, int needed) {
  fail(line, skip_blanks(line, eol), eol,
       "this line has " + std::to_string(columns) + (columns == 1 ? " column" : " columns") + " where " +
           std::to_string(needed) + (needed == 1 ? " is" : " are") + " needed");
}

const char* not_utf8(const char* p, const char* end) noexcept {
  const auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(p[i]); };
  const auto follows = [&](std::ptrdiff_t i) { return i < end - p && (byte(i) & 0xc0) == 0x80; };
  while (p < end) {
    while (end - p >= 8 && (scan::load8(p) & 0x8080808080808080) == 0) p += 8;
    if (p == end) break;
    const unsigned char c = byte(0);
    if (c < 0x80) {
      ++p;
    } else if (c >= 0xc2 && c <= 0xdf && follows(1)) {
      p += 2;
    } else if ((c & 0xf0) == 0xe0 && follows(1) && follows(2) && !(c == 0xe0 && byte(1) < 0xa0) &&
               !(c == 0xed && byte(1) > 0x9f)) {  // neither overlong nor a surrogate
      p += 3;
    } else if (c >= 0xf0 && c <= 0xf4 && follows(1) && follows(2) && follows(3) && !(c == 0xf0 && byte(1) < 0x90) &&
               !(c == 0xf4 && byte(1) > 0x8f)) {
      p += 4;
    } else {
      return p;
    }
  }
  return nullptr;
}

}  // namespace lb::core::line

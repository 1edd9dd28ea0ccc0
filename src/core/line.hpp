// The grammar of one line of text with columns: separators, quotes, numbers, and the faults of a line. Every reader of
// edge lists uses it, so that all of them accept the same lines.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include "scan.hpp"

namespace lb::core::line {

// A violation of the grammar, as pointers into the data; its line number is counted when it is reported.
struct Fault {
  const char* line;  // start of the line
  const char* at;    // the offending text
  const char* end;
  std::string problem;
};

[[noreturn]] void fail(const char* line, const char* at, const char* end, std::string problem);
// The fault as a FormatError; `data` starts with line `first_line`.
[[noreturn]] void raise(const Fault& f, const char* data, std::int64_t first_line);

inline const char* skip_blanks(const char* p, const char* eol) noexcept {
  while (p < eol && scan::is_blank(*p)) ++p;
  return p;
}

// A delimiter is one character with any blanks around it, where two in a row enclose an empty column; `blanks` for runs
// of blanks and tabs; `any` for such runs with at most one comma or semicolon among them.
inline constexpr char any = 0, blanks = ' ';

inline bool separates(char c, char delimiter) noexcept {
  if (delimiter == any) return scan::is_separator(c);
  return delimiter == blanks ? scan::is_blank(c) : c == delimiter;
}

// The begin of the first column. If tabs are the delimiter, a leading tab encloses an empty column.
inline const char* first_column(const char* p, const char* eol, char delimiter) noexcept {
  if (delimiter != '\t') return skip_blanks(p, eol);
  while (p < eol && *p == ' ') ++p;
  return p;
}

// Past the separator of two columns; `more` is set if another column follows.
const char* skip_separator(const char* p, const char* eol, char delimiter, bool& more) noexcept;

// The first byte order mark in [p, end); null if there is none.
const char* find_mark(const char* p, const char* end) noexcept;

// The end of the column at p, without blanks behind it; quotes are not special here.
const char* token_end(const char* p, const char* eol, char delimiter) noexcept;

// The same where a quote at p encloses the column, two quotes standing for one. `closed` is the end of the quoted
// part, or null if there is none. Fails if nothing on the line closes it.
const char* column_end(const char* line, const char* p, const char* eol, char delimiter, bool quotes,
                       const char*& closed);

// Fails for a byte order mark, a carriage return or a zero byte in the line.
void refuse_stray(const char* line, const char* eol);

// Whether the line is blank or begins with one of `comments`.
bool is_skipped(const char* line, const char* eol, const char* comments) noexcept;

// The integer at p, which must end at a separator or at eol; p is moved to its end.
std::uint64_t number(const char*& p, const char* eol, const char* line, const char* what, char delimiter = any,
                     bool quotes = false);

// "this line has 1 column where 2 are needed"
[[noreturn]] void fail_columns(const char* line, const char* eol, int columns, int needed);

// The first byte in [p, end) that is not valid UTF-8; null if all are.
const char* not_utf8(const char* p, const char* end) noexcept;

}  // namespace lb::core::line

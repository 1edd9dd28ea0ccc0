// The header of a text format that declares its sizes: words and counts, line by line, in front of the body.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "line.hpp"
#include "text.hpp"

namespace lb::core {

// Reads the lines in front of the body, one at a time.
class HeaderLines {
 public:
  HeaderLines(const char* data, std::size_t size) : data_(data), next_(data), end_(data + size) {}

  // Moves to the next line; false at the end of the data.
  bool advance();
  bool blank() const { return at_ == eol_; }
  char first() const { return blank() ? '\0' : *at_; }

  // The next word of the line, empty at its end.
  std::string_view word();
  // The next number of the line; `what` names it in messages.
  std::int64_t count(const char* what);
  // Throws FormatError at the word read last.
  [[noreturn]] void fail_here(const std::string& problem) const;

  // What follows the line read last: its begin, its bytes, and the number of lines in front of it.
  const char* body() const { return next_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
  std::int64_t lines() const { return number_; }

 private:
  const char *data_, *next_, *end_;
  const char *line_ = nullptr, *eol_ = nullptr, *at_ = nullptr, *word_ = nullptr;
  std::int64_t number_ = 0;
};

std::string lower_case(std::string_view word);

// Fails if the body is too short for the edges or vertices that the header declares; `what` is "edges" or "vertices",
// each of at least `bytes` bytes.
void check_declared_count(const HeaderLines& header, std::int64_t count, const char* what, std::size_t bytes);

// The options for a body of `edges` lines whose ids count from 1 to `vertices`.
EdgeTextOptions declared_options(const HeaderLines& header, std::int64_t vertices, std::int64_t edges);

}  // namespace lb::core

// The errors the core throws; the bindings turn each into the Python exception of the same name.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace lb::core {

// Input that breaks the contract; the message names the place and the value.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is not what its format says. Line and column count from 1; 0 where there is none.
struct FormatError : std::runtime_error {
  std::int64_t line, column;
  std::string text;  // the offending text, shortened
  FormatError(const std::string& what, std::int64_t l, std::int64_t c, std::string t)
      : std::runtime_error(what), line(l), column(c), text(std::move(t)) {}
};

}  // namespace lb::core

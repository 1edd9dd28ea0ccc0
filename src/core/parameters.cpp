#include "parameters.hpp"

#include <algorithm>
#include <utility>

namespace lb::core {
namespace {

// The text before the first `separator`, and the text behind it: "" where there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + separator.size())};
}

Parameter parameter(std::string_view text) {
  const auto [name, rest] = cut(text, ":");
  const auto [kind, values] = cut(rest, "=");
  const auto [bounds, words] = cut(values, ":");
  const auto [low, maximum] = cut(bounds, "<=");
  const auto [default_value, minimum] = cut(low, ">=");
  Parameter p{.name = std::string(name),
              .kind = std::string(kind),
              .default_value = std::string(default_value),
              .minimum = std::string(minimum),
              .maximum = std::string(maximum),
              .words = {},
              .codes = {}};
  for (const auto part : split(words, '|')) {
    const auto [word, code] = cut(part, "/");
    p.words.emplace_back(word);
    p.codes.emplace_back(code);
  }
  return p;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<Parameter> parameters_of(std::string_view column) {
  std::vector<Parameter> all;
  for (const auto text : split(column, ';')) all.push_back(parameter(text));
  return all;
}

}  // namespace lb::core

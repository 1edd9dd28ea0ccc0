// The lists of words in the rows of the registry.
#pragma once
#include <string_view>

namespace lb::core {

// Whether `word` is one of the words of `list`, which has "|" between them.
constexpr bool has_word(std::string_view list, std::string_view word) {
  for (;;) {
    const auto end = list.find('|');
    if (list.substr(0, end) == word) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

}  // namespace lb::core

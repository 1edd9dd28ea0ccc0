// The parameters of an algorithm of the registry by name.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "error.hpp"
#include "landbridge/platform.hpp"

namespace lb::core {

// The plan language has checked kinds, words and bounds. Asking for a name that the row does not have, or for another
// kind, throws InputError.
class Values {
 public:
  using Value = std::variant<i64, double, std::string>;
  void set(std::string name, Value value) { values_.emplace_back(std::move(name), std::move(value)); }
  i64 integer(const std::string& name) const { return get<i64>(name); }
  double number(const std::string& name) const { return get<double>(name); }
  const std::string& word(const std::string& name) const { return get<std::string>(name); }
  // All words, in the order of the row.
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> all;
    for (const auto& [name, value] : values_) {
      if (const auto* word = std::get_if<std::string>(&value)) all.push_back(*word);
    }
    return all;
  }

 private:
  template <class T>
  const T& get(const std::string& name) const {
    for (const auto& [known, value] : values_) {
      if (known == name && std::holds_alternative<T>(value)) return std::get<T>(value);
    }
    throw InputError("no parameter " + name);
  }
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace lb::core

// The parameters of a row of the registry, by name.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "error.hpp"
#include "landbridge/platform.hpp"

namespace lb::core {

// The plan language has checked kinds, words and bounds; a name that the row does not have, or another kind, throws
// InputError. A whole number is also a number.
class Values {
 public:
  using Value = std::variant<i64, double, std::string>;
  void set(std::string name, Value value) { values_.emplace_back(std::move(name), std::move(value)); }
  i64 integer(std::string_view name) const { return get<i64>(name); }
  double number(std::string_view name) const {
    const Value* const value = find(name);
    if (value != nullptr && std::holds_alternative<i64>(*value)) return static_cast<double>(std::get<i64>(*value));
    return get<double>(name);
  }
  const std::string& word(std::string_view name) const { return get<std::string>(name); }
  // All words, in the order of the row.
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> all;
    for (const auto& [name, value] : values_) {
      if (const auto* word = std::get_if<std::string>(&value)) all.push_back(*word);
    }
    return all;
  }

 private:
  const Value* find(std::string_view name) const {
    for (const auto& [key, value] : values_) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  template <class T>
  const T& get(std::string_view name) const {
    const Value* const value = find(name);
    if (value == nullptr || !std::holds_alternative<T>(*value)) throw InputError("no parameter " + std::string(name));
    return std::get<T>(*value);
  }
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace lb::core

// The parameters of a plan's algorithm on their way from a dictionary of Python.
#pragma once
#include "bind.hpp"
#include "values.hpp"

namespace lb::bind {

inline core::Values values_of(const nb::dict& parameters) {
  core::Values values;
  for (const auto& [name, value] : parameters) {
    auto key = nb::cast<std::string>(name);
    if (nb::isinstance<nb::str>(value))
      values.set(std::move(key), nb::cast<std::string>(value));
    else if (nb::isinstance<nb::int_>(value))
      values.set(std::move(key), nb::cast<i64>(value));
    else
      values.set(std::move(key), nb::cast<double>(value));
  }
  return values;
}

}  // namespace lb::bind

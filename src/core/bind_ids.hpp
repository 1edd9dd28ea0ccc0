// Arrays of vertex ids from Python.
#pragma once
#include "bind.hpp"
#include "graph.hpp"

namespace lb::bind {

using Ids = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;  // any stride

inline core::IdArray ids_of(const Ids& a) {
  const auto t = a.dtype();
  const bool integer = t.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) ||
                       t.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt);
  if (!integer || (t.bits != 32 && t.bits != 64)) throw nb::type_error("ids must be 32- or 64-bit integers");
  // Python copies such arrays; reading one here would be undefined.
  if (reinterpret_cast<std::uintptr_t>(a.data()) % (t.bits / 8) != 0 && a.size() > 0)
    throw nb::type_error("ids must be aligned");
  return {a.data(), t.bits == 64 ? core::IdWidth::wide : core::IdWidth::narrow, a.size() < 2 ? 1 : a.stride(0)};
}

inline bool is_signed(const Ids& a) { return a.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int); }

// Both endpoints of edges must have one width and one length.
inline void same_shape(const Ids& u, const Ids& v) {
  if (u.size() != v.size()) {
    throw core::InputError("u has " + std::to_string(u.size()) + " ids and v has " + std::to_string(v.size()) +
                           "; edge i needs both u[i] and v[i]");
  }
  if (ids_of(u).width != ids_of(v).width) throw nb::type_error("both endpoints of edges must have the same type");
}

}  // namespace lb::bind

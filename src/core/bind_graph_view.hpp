// The arrays of a graph as Python hands them over.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind_ids.hpp"
#include "graph.hpp"

namespace lb::bind {

// offsets and neighbors (CSR), or u and v (COO).
inline core::GraphView view_of(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b,
                               bool symmetric) {
  core::GraphView g;
  g.vertices = n;
  g.arcs = static_cast<i64>(a.size());
  g.symmetric = symmetric;
  g.a = ids_of(a);
  g.csr = offsets.has_value();
  if (g.csr && (g.a.stride != 1 || offsets->stride(0) != 1)) throw nb::type_error("a CSR takes contiguous arrays");
  if (offsets) g.offsets = ids_of(*offsets);
  if (b) g.b = ids_of(*b);
  // Cheap, and a kernel that trusted a wrong length would read beyond an array.
  if (g.csr && static_cast<i64>(offsets->size()) != n + 1) throw core::InputError("there must be n + 1 offsets");
  if (g.csr == b.has_value())
    throw nb::type_error("a graph is offsets and neighbors, or the two endpoint arrays of its edges");
  if (b) same_shape(a, *b);
  g.bound();
  return g;
}

}  // namespace lb::bind

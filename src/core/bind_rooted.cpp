// Bindings of forests with a parent for each vertex.
#include "bind.hpp"
#include "rooted.hpp"

namespace lb::bind {
namespace {

template <class Id>
nb::tuple rooted_of(const In<Id>& u, const In<Id>& v, i64 n) {
  if (u.size() != v.size()) throw core::InputError("u and v of a forest must have the same length");
  core::Rooted<Id> r;
  {
    const Unlocked unlocked;
    r = core::rooted<Id>(u.data(), v.data(), static_cast<i64>(u.size()), n);
  }
  return nb::make_tuple(to_numpy(std::move(r.parent)), to_numpy(std::move(r.edge)), to_numpy(std::move(r.depth)));
}

template <class Id>
void define(nb::module_& m) {
  m.def("rooted", &rooted_of<Id>, nb::arg("u").noconvert(), nb::arg("v").noconvert(), nb::arg("n"),
        "(parent, edge, depth) of each vertex of a forest; a root is its own parent, by the edge -1; see rooted.hpp.");
}

}  // namespace

void rooted(nb::module_& m) {
  define<i32>(m);
  define<i64>(m);
}

}  // namespace lb::bind

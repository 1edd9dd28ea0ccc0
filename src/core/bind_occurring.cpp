// Bindings of the selection of the vertices that occur.
#include "bind_ids.hpp"
#include "occurring.hpp"

namespace lb::bind {
namespace {

// Calls make(Id{}) for the type of the ids' elements.
template <class Make>
auto with_type(const Ids& ids, const Make& make) -> decltype(make(i32{})) {
  const bool wide = ids_of(ids).width == core::IdWidth::wide;
  if (is_signed(ids)) return wide ? make(i64{}) : make(i32{});
  return wide ? make(u64{}) : make(u32{});
}

template <class Label>
nb::tuple occurring_ids(const In<Label>& labels, i64 count, const Ids& u, const Ids& v, int threads) {
  same_shape(u, v);
  const auto a = ids_of(u), b = ids_of(v);
  return with_type(u, [&](auto id) -> nb::tuple {
    core::Occurring<Label, decltype(id)> r;
    {
      const Unlocked unlocked;
      r = core::occurring<Label, decltype(id)>(labels.data(), static_cast<i64>(labels.size()), count, a, b,
                                               static_cast<i64>(u.size()), threads);
    }
    return nb::make_tuple(to_numpy(std::move(r.ids)), to_numpy(std::move(r.labels)), r.count);
  });
}

template <class Label>
void define(nb::module_& m) {
  m.def(
      "occurring", &occurring_ids<Label>, nb::arg("labels").noconvert(), nb::arg("count"), nb::arg("u"), nb::arg("v"),
      nb::arg("threads") = 1,
      "(ids, labels, count) of the vertices that occur in edges, from the labels of all of 0..n-1; see occurring.hpp.");
}

nb::object endpoints(i64 n, const Ids& fu, const Ids& fv, const Ids& u, const Ids& v, int threads) {
  same_shape(fu, fv);
  same_shape(u, v);
  const auto fa = ids_of(fu), fb = ids_of(fv), a = ids_of(u), b = ids_of(v);
  return with_type(u, [&](auto id) -> nb::object {
    core::Buffer<decltype(id)> r;
    {
      const Unlocked unlocked;
      r = core::occurring_endpoints<decltype(id)>(n, fa, fb, static_cast<i64>(fu.size()), a, b,
                                                  static_cast<i64>(u.size()), threads);
    }
    return nb::cast(to_numpy(std::move(r)));
  });
}

}  // namespace

void occurring(nb::module_& m) {
  define<i32>(m);
  define<i64>(m);
  m.def("occurring_endpoints", &endpoints, nb::arg("n"), nb::arg("fu"), nb::arg("fv"), nb::arg("u"), nb::arg("v"),
        nb::arg("threads") = 1,
        "The vertices of 0..n-1 that are endpoints of the forest's edges (fu, fv) or of self-loops among (u, v), "
        "ascending.");
}

}  // namespace lb::bind

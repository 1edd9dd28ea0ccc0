// Bindings of the columns of messages.
#include <algorithm>
#include <string>

#include "bind.hpp"
#include "packed.hpp"

namespace lb::bind {
namespace {

template <class T>
using InPlace = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::tuple to_planes(const In<T>& values, bool steps) {
  const i64 count = std::max<i64>(static_cast<i64>(values.size()) - (steps ? 1 : 0), 0);
  const auto planes = core::planes_of(values.data(), count, steps);
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(planes.width);
  nb::bytes bytes(nullptr, size);
  core::to_planes(values.data(), count, steps, planes, reinterpret_cast<u8*>(PyBytes_AsString(bytes.ptr())));
  return nb::make_tuple(planes.smallest, planes.width, bytes);
}

template <class T>
void from_planes(const In<u8>& bytes, u64 smallest, int width, InPlace<T> values) {
  if (width < 0 || width > 8 || bytes.size() != values.size() * static_cast<std::size_t>(width)) {
    throw core::InputError(std::to_string(bytes.size()) + " bytes are no " + std::to_string(width) + " planes of " +
                           std::to_string(values.size()) + " numbers");
  }
  core::from_planes(bytes.data(), static_cast<i64>(values.size()), {smallest, width}, values.data());
}

template <class T>
nb::object few_values(const In<T>& values, i64 most) {
  std::vector<u64> different;
  core::Buffer<u64> places(values.size(), "the places of values");
  if (!core::few_values(values.data(), static_cast<i64>(values.size()), most, different, places.data())) {
    return nb::none();
  }
  core::Buffer<u64> ascending(different.size(), "the values of a column");
  std::copy(different.begin(), different.end(), ascending.data());
  return nb::make_tuple(to_numpy(std::move(ascending)), to_numpy(std::move(places)));
}

template <class T>
void define(nb::module_& m) {
  m.def(
      "to_planes", &to_planes<T>, nb::arg("values").noconvert(), nb::arg("steps"),
      "(the smallest value, how many low bytes what the others exceed it by takes, those bytes: all lowest ones, then "
      "all second ones, ...). steps: not of the values but of the steps from each to the next.");
  m.def("from_planes", &from_planes<T>, nb::arg("planes"), nb::arg("smallest"), nb::arg("width"),
        nb::arg("values").noconvert(), "Fills in the values that such bytes are of.");
  m.def("few_values", &few_values<T>, nb::arg("values").noconvert(), nb::arg("most"),
        "(the different values ascending, the place of each row's), or None if they are more than `most`.");
}

}  // namespace

void packed(nb::module_& m) {
  define<u64>(m);
  define<i32>(m);
}

}  // namespace lb::bind

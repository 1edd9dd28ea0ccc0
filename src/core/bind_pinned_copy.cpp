// Bindings of copies of ids into pinned memory.
#include <array>

#include "bind_ids.hpp"
#include "pinned_copy.hpp"

namespace lb::bind {
namespace {

using Target = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

core::IdCopy copy_of(const Ids& source, const Target& target) {
  if (source.size() != target.size()) throw nb::value_error("the target must be as long as the source");
  return {ids_of(source), target.data()};
}

core::IdWidth target_width(const Target& target) { return ids_of(Ids(target)).width; }

u64 copy_ids(const Ids& source, const Target& target, int threads) {
  const std::array copies{copy_of(source, target)};
  const auto width = target_width(target);
  const Unlocked unlocked;
  return core::copy_ids(copies, static_cast<i64>(source.size()), width, threads);
}

u64 copy_endpoints(const Ids& u, const Ids& v, const Target& to_u, const Target& to_v, int threads) {
  if (u.size() != v.size()) throw nb::value_error("both endpoints must be as many");
  const std::array copies{copy_of(u, to_u), copy_of(v, to_v)};
  const auto width = target_width(to_u);
  if (target_width(to_v) != width) throw nb::value_error("both targets must have one type");
  const Unlocked unlocked;
  return core::copy_ids(copies, static_cast<i64>(u.size()), width, threads);
}

// Huge pages, and pages that an earlier run has touched: the system brings new ones at a tenth of the speed of a copy.
template <class T>
Out<T> labels(std::size_t size) {
  return to_numpy(core::Buffer<T>(size));
}

}  // namespace

void stage(nb::module_& m) {
  m.def("copy_ids", &copy_ids, nb::arg("source"), nb::arg("target"), nb::arg("threads"),
        "Copies ids into an array of 32 or 64 bits; returns the largest as unsigned. One that does not fit loses its "
        "upper half.");
  m.def("copy_endpoints", &copy_endpoints, nb::arg("u"), nb::arg("v"), nb::arg("to_u"), nb::arg("to_v"),
        nb::arg("threads"), "Copies both endpoints of edges as `copy_ids` does, in one pass of all threads.");
  m.def("empty_ids", &labels<std::int32_t>, nb::arg("size"),
        "An int32 array, not initialised, on huge pages if large.");
  m.def("empty_wide_ids", &labels<std::int64_t>, nb::arg("size"),
        "An int64 array, not initialised, on huge pages if large.");
}

}  // namespace lb::bind

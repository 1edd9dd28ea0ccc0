// Bindings of copies of ids into pinned memory.
#include "bind_ids.hpp"
#include "pinned_copy.hpp"

namespace lb::bind {
namespace {

using Target = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

u64 copy_ids(const Ids& source, const Target& target, int threads) {
  if (source.size() != target.size()) throw nb::value_error("the target must be as long as the source");
  const auto from = ids_of(source);
  const auto width = ids_of(Ids(target)).width;
  void* const to = target.data();
  const Unlocked unlocked;
  return core::copy_ids(from, static_cast<i64>(source.size()), to, width, threads);
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
  m.def("empty_ids", &labels<std::int32_t>, nb::arg("size"),
        "An int32 array, not initialised, on huge pages if large.");
  m.def("empty_wide_ids", &labels<std::int64_t>, nb::arg("size"),
        "An int64 array, not initialised, on huge pages if large.");
}

}  // namespace lb::bind

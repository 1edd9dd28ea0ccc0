// Bindings of the numbering of names.
#include "bind_ids.hpp"
#include "names.hpp"

namespace lb::bind {
namespace {

core::TextColumn column_of(const Ids& offsets, const In<u8>& data) {
  if (offsets.size() == 0) throw core::InputError("a column of names has one offset more than names");
  return {reinterpret_cast<const char*>(data.data()), static_cast<i64>(data.size()), ids_of(offsets),
          static_cast<i64>(offsets.size()) - 1};
}

}  // namespace

void names(nb::module_& m) {
  nb::class_<core::Names>(m, "Names", "Numbers names in the order in which they turn up.")
      .def(nb::init<int>(), nb::arg("threads"))
      .def("__len__", &core::Names::size)
      .def(
          "number",
          [](core::Names& self, const Ids& a_offsets, const In<u8>& a_data, const Ids& b_offsets, const In<u8>& b_data) {
            const auto a = column_of(a_offsets, a_data), b = column_of(b_offsets, b_data);
            if (a.count != b.count) throw core::InputError("both columns must have as many names");
            core::Buffer<i32> u(static_cast<std::size_t>(a.count), "the numbers of the names");
            core::Buffer<i32> v(static_cast<std::size_t>(a.count), "the numbers of the names");
            {
              const Unlocked unlocked;
              self.number(a, b, u.data(), v.data());
            }
            return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)));
          },
          nb::arg("a_offsets"), nb::arg("a_data"), nb::arg("b_offsets"), nb::arg("b_data"),
          "The numbers of both ends of edges, as int32; texts as in Arrow: offsets (one more than texts) and bytes (uint8).")
      .def(
          "texts",
          [](const core::Names& self) {
            core::Buffer<std::int64_t> offsets(static_cast<std::size_t>(self.size()) + 1);
            core::Buffer<u8> data(static_cast<std::size_t>(self.bytes()));
            {
              const Unlocked unlocked;
              self.write(reinterpret_cast<i64*>(offsets.data()), reinterpret_cast<char*>(data.data()));
            }
            return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(data)));
          },
          "All names in the order of their numbers: (offsets, bytes).");
}

}  // namespace lb::bind

// Bindings of the numbering of names and of ids with gaps.
#include "bind_ids.hpp"
#include "ids.hpp"
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
          "number_each",
          [](core::Names& self, const Ids& offsets, const In<u8>& data) {
            const auto names = column_of(offsets, data);
            core::Buffer<i32> numbers(static_cast<std::size_t>(names.count), "the numbers of the names");
            {
              const Unlocked unlocked;
              self.number(names, numbers.data());
            }
            return to_numpy(std::move(numbers));
          },
          nb::arg("offsets"), nb::arg("data"), "The numbers of one column of names, as int32.")
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
  nb::class_<core::Ids>(m, "Ids", "Numbers ids of 64 bits.")
      .def(nb::init<int>(), nb::arg("threads"))
      .def("__len__", &core::Ids::size)
      .def(
          "number",
          [](core::Ids& self, const Ids& ids) {
            core::Buffer<i32> numbers(ids.size(), "the numbers of the ids");
            const auto from = ids_of(ids);
            const bool sign = is_signed(ids);
            {
              const Unlocked unlocked;
              self.number(from, static_cast<i64>(ids.size()), sign, numbers.data());
            }
            return to_numpy(std::move(numbers));
          },
          nb::arg("ids"), "The number of each id, as int32: those of new ids are the next ones.")
      .def(
          "in_order",
          [](const core::Ids& self, const In<i32>& labels, i64 count, bool sign) {
            if (static_cast<i64>(labels.size()) != self.size()) throw core::InputError("there must be a label for each id");
            core::Buffer<u64> ids(static_cast<std::size_t>(self.size()), "the ids that occur");
            core::Buffer<i32> renamed(static_cast<std::size_t>(self.size()), "the labels in order");
            {
              const Unlocked unlocked;
              self.in_order(sign, labels.data(), count, ids.data(), renamed.data());
            }
            return nb::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(renamed)));
          },
          nb::arg("labels"), nb::arg("count"), nb::arg("is_signed"),
          "(ids ascending, as uint64 bits; their labels, renamed in the order in which they turn up).");
}

}  // namespace lb::bind

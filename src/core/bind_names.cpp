// Bindings of the dictionary of names.
#include "bind_dictionary.hpp"
#include "smallest.hpp"

namespace lb::bind {
namespace {

nb::tuple number(core::Names& self, const Ids& a_offsets, const In<u8>& a_data, const Ids& b_offsets,
                 const In<u8>& b_data) {
  const auto a = column_of(a_offsets, a_data), b = column_of(b_offsets, b_data);
  if (a.count != b.count) throw core::InputError("both columns must have as many names");
  core::Buffer<i32> u(static_cast<std::size_t>(a.count), "the numbers of the names");
  core::Buffer<i32> v(static_cast<std::size_t>(a.count), "the numbers of the names");
  number_or_forget(self, [&] { self.number(a, b, u.data(), v.data()); });
  return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)));
}

Out<i32> number_each(core::Names& self, const Ids& offsets, const In<u8>& data) {
  const auto names = column_of(offsets, data);
  core::Buffer<i32> numbers(static_cast<std::size_t>(names.count), "the numbers of the names");
  number_or_forget(self, [&] { self.number(names, numbers.data()); });
  return to_numpy(std::move(numbers));
}

Out<i32> find(const core::Names& self, const Ids& offsets, const In<u8>& data) {
  const auto names = column_of(offsets, data);
  return numbers_of(names.count, [&](i32* numbers) { self.find(names, numbers); });
}

nb::tuple texts(const core::Names& self, i64 since) {
  check_since(since, self.size());
  core::Buffer<i64> offsets(static_cast<std::size_t>(self.size() - since) + 1);
  core::Buffer<u8> data(static_cast<std::size_t>(self.bytes(since)));
  {
    const Unlocked unlocked;
    self.write(since, offsets.data(), reinterpret_cast<char*>(data.data()));
  }
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(data)));
}

nb::tuple in_order(const core::Names& self) {
  core::Buffer<i32> order(static_cast<std::size_t>(self.size()), "the order of the names");
  core::Buffer<i64> offsets(static_cast<std::size_t>(self.size()) + 1);
  core::Buffer<u8> data(static_cast<std::size_t>(self.bytes()));
  {
    const Unlocked unlocked;
    self.in_order(order.data());
    self.write(order.data(), offsets.data(), reinterpret_cast<char*>(data.data()));
  }
  return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(offsets)), to_numpy(std::move(data)));
}

template <class Label>
Out<i64> smallest_texts(const Ids& offsets, const In<u8>& data, const In<Label>& labels, i64 count) {
  const auto texts = column_of(offsets, data);
  if (texts.count != static_cast<i64>(labels.size())) throw core::InputError("there must be a label for each text");
  core::Buffer<i64> position(static_cast<std::size_t>(count), "the smallest text of each label");
  {
    const Unlocked unlocked;
    core::smallest_texts(texts, labels.data(), count, position.data());
  }
  return to_numpy(std::move(position));
}

template <class Label>
void define_smallest(nb::module_& m) {
  m.def("smallest_texts", &smallest_texts<Label>, nb::arg("offsets"), nb::arg("data"), nb::arg("labels").noconvert(),
        nb::arg("count"),
        "The place of the smallest text of each label, -1 for a label without texts; see smallest.hpp.");
}

}  // namespace

void names(nb::module_& m) {
  define_smallest<i32>(m);
  define_smallest<i64>(m);
  nb::class_<core::Names>(m, "Names", "Numbers names in the order of their first appearance.")
      .def(nb::init<int>(), nb::arg("threads"))
      .def("__len__", &core::Names::size)
      .def("number", &number, nb::arg("a_offsets"), nb::arg("a_data"), nb::arg("b_offsets"), nb::arg("b_data"),
           "The numbers of both endpoints of edges, as int32; texts in Arrow's layout: offsets (one more than texts) "
           "and bytes (uint8).")
      .def("number_each", &number_each, nb::arg("offsets"), nb::arg("data"),
           "The numbers of one column of names, as int32.")
      .def("find", &find, nb::arg("offsets"), nb::arg("data"),
           "The numbers of one column of names, as int32; -1 for a name that has none.")
      .def("forget", &core::Names::forget, nb::arg("size"), "Drops the names whose numbers are not below `size`.")
      .def("texts", &texts, nb::arg("since") = 0,
           "The names with the numbers from `since` on, in that order: (offsets, bytes).")
      .def("in_order", &in_order, "The names ascending by bytes: (the number of each, offsets, bytes).");
}

}  // namespace lb::bind

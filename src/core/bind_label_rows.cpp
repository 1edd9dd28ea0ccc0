// Bindings of the rows of label tables as text.
#include <cstring>

#include "bind.hpp"
#include "label_rows.hpp"

namespace lb::bind {
namespace {

using Numbers = In<std::int64_t>;

nb::bytes joined(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const auto& text : texts) size += text.size();
  nb::object bytes = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes.is_valid()) throw nb::python_error();
  char* p = PyBytes_AsString(bytes.ptr());
  for (const auto& text : texts) {
    std::memcpy(p, text.data(), text.size());
    p += text.size();
  }
  return nb::borrow<nb::bytes>(bytes);
}

nb::bytes format_named_rows(const Numbers& offsets, const In<std::uint8_t>& data, std::int64_t begin,
                            const Numbers& labels, const Numbers& representatives, char separator, int threads) {
  const auto count = static_cast<std::int64_t>(labels.size()), names = static_cast<std::int64_t>(offsets.size()) - 1;
  if (labels.size() != representatives.size()) throw nb::value_error("labels and representatives differ in length");
  if (begin < 0 || begin + count > names) throw nb::value_error("there are not so many names");
  const core::NameColumn column{reinterpret_cast<const char*>(data.data()), static_cast<std::int64_t>(data.size()),
                                offsets.data()};
  for (std::int64_t i = 0; i < count; ++i) {
    if (representatives.data()[i] < 0 || representatives.data()[i] >= names) throw nb::value_error("no such vertex");
  }
  std::vector<std::string> texts;
  {
    const Unlocked unlocked;
    texts = core::format_named_rows(column, begin, labels.data(), representatives.data(), count, separator, threads);
  }
  return joined(texts);
}

template <class Id>
nb::bytes format_numbered_rows(const In<Id>& ids, const Numbers& labels, const In<Id>& representatives, char separator,
                               int threads) {
  const auto count = static_cast<std::int64_t>(labels.size());
  if (ids.size() != labels.size() || representatives.size() != labels.size()) {
    throw nb::value_error("ids, labels and representatives differ in length");
  }
  std::vector<std::string> texts;
  {
    const Unlocked unlocked;
    texts = core::format_numbered_rows(ids.data(), labels.data(), representatives.data(), count, separator, threads);
  }
  return joined(texts);
}

template <class Id>
void define_numbered(nb::module_& m) {
  m.def("format_numbered_rows", &format_numbered_rows<Id>, nb::arg("ids").noconvert(), nb::arg("labels").noconvert(),
        nb::arg("representatives").noconvert(), nb::kw_only(), nb::arg("separator") = ',', nb::arg("threads") = 1,
        "Lines of id, label, representative.");
}

}  // namespace

void label_rows(nb::module_& m) {
  m.def("format_named_rows", &format_named_rows, nb::arg("offsets").noconvert(), nb::arg("data").noconvert(),
        nb::arg("begin"), nb::arg("labels").noconvert(), nb::arg("representatives").noconvert(), nb::kw_only(),
        nb::arg("separator") = ',', nb::arg("threads") = 1,
        "Lines of name, label, name of the representative; labels and representatives are those of the vertices from "
        "begin on.");
  define_numbered<std::int64_t>(m);
  define_numbered<std::uint64_t>(m);
}

}  // namespace lb::bind

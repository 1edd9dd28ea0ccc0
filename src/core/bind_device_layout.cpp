// Bindings of the layout of the device boundary, as dictionaries.
#include "bind.hpp"
#include "device_layout.hpp"

namespace lb::bind {
namespace {

nb::list fields_of(const core::LayoutStruct& layout) {
  nb::list fields;
  for (const auto& field : layout.fields) {
    fields.append(nb::make_tuple(field.name, field.offset, field.kind, field.type));
  }
  return fields;
}

nb::dict numbers_of(const std::vector<std::pair<std::string, i64>>& words) {
  nb::dict numbers;
  for (const auto& [word, number] : words) numbers[nb::str(word.c_str())] = number;
  return numbers;
}

nb::dict layout_of_device() {
  const auto layout = core::device_layout();
  nb::dict structs, enums, control, result;
  for (const auto& entry : layout.structs) {
    nb::dict one;
    one["type"] = entry.type;
    one["size"] = entry.size;
    one["align"] = entry.align;
    one["fields"] = fields_of(entry);
    structs[nb::str(entry.name.c_str())] = one;
  }
  for (const auto& entry : layout.enums) {
    nb::list words;
    for (const auto& [word, _] : entry.words) words.append(word);
    enums[nb::str(entry.name.c_str())] = words;
  }
  for (const auto& entry : layout.control) control[nb::str(entry.name.c_str())] = numbers_of(entry.words);
  result["structs"] = structs;
  result["enums"] = enums;
  result["constants"] = numbers_of(layout.constants);
  result["control"] = control;
  result["checks"] = layout.checks;
  return result;
}

}  // namespace

void device_layout(nb::module_& m) {
  m.def("device_layout", &layout_of_device,
        "What crosses the device boundary: the by-value structs of kernels with their fields as (name, offset, kind, "
        "type), the words of enums in order, constants, the positions of the words of control blocks by family, and "
        "C++ for behind the headers of a program, which fails to compile on a device where any of it differs.");
}

}  // namespace lb::bind

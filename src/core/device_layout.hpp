// The layout of what crosses the device boundary, as data: what include/landbridge/gpu/layout lists.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "landbridge/platform.hpp"

namespace lb::core {

// A field of a by-value struct. kind: "pointer" or NumPy's name of a number, of an enum "int32". type: as the struct
// declares it, "const O*" or "Balance".
struct LayoutField {
  std::string name;
  i64 offset;
  std::string kind, type;
};

struct LayoutStruct {
  std::string name;  // without arguments of a template
  std::string type;  // as C++ inside of namespace lb::gpu, with such arguments
  i64 size, align;
  std::vector<LayoutField> fields;
};

// Words and their numbers: of an enum, of a control block by its family.
struct LayoutWords {
  std::string name;
  std::vector<std::pair<std::string, i64>> words;
};

struct DeviceLayout {
  std::vector<LayoutStruct> structs;
  std::vector<LayoutWords> enums, control;
  std::vector<std::pair<std::string, i64>> constants;
  // C++ for a device, behind the headers of a program: fails to compile unless what they declare is the same there.
  std::string checks;
};

// Throws std::logic_error if one name stands for two things.
DeviceLayout device_layout();

}  // namespace lb::core

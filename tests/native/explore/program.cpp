#include "program.hpp"

namespace lb::explore {

#define LB_LINK(name, ...) void programs_##name(std::vector<Program>& out);
#include "landbridge/policy/registry.def"

const std::vector<Program>& registry_programs() {
  static const auto table = [] {
    std::vector<Program> t;
#define LB_LINK(name, ...) programs_##name(t);
#include "landbridge/policy/registry.def"
    return t;
  }();
  return table;
}

}  // namespace lb::explore

#include "program.hpp"

namespace lb::explore {

#define LB_SAMPLE(...)
#define LB_FIND(...)
#define LB_SPLICE(...)
#define LB_FINISH(...)

#define LB_LINK(name, ...) void programs_##name(std::vector<Program>& out);
#include "landbridge/policy/registry.def"
#undef LB_LINK

const std::vector<Program>& registry_programs() {
  static const auto table = [] {
    std::vector<Program> t;
#define LB_LINK(name, ...) programs_##name(t);
#include "landbridge/policy/registry.def"
#undef LB_LINK
    return t;
  }();
  return table;
}

}  // namespace lb::explore

#include "bind.hpp"

namespace lb::bind {

void generate(nb::module_&) {}

}  // namespace lb::bind

#include "bind.hpp"

namespace lb::bind {

void text(nb::module_&) {}

}  // namespace lb::bind

#include "bind.hpp"

namespace lb::bind {

void engine(nb::module_&) {}

}  // namespace lb::bind

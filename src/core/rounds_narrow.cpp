// Rounds over 32-bit ids.
#include "rounds.ipp"

namespace lb::core {

std::vector<Rounds<u32>> rounds_narrow() { return make_rounds<u32>(); }

}  // namespace lb::core

// Rounds over 64-bit ids.
#include "rounds.ipp"

namespace lb::core {

std::vector<Rounds<u64>> rounds_wide() { return make_rounds<u64>(); }

}  // namespace lb::core

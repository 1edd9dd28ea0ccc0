#include "vector_instructions.hpp"

#include <fstream>
#include <string>

#include "once.hpp"

namespace lb::core {

bool gathers_well() {
#if LB_VECTOR_INSTRUCTIONS
  // Gathers that a fix for "Downfall" slows down are slower than single loads.
  return once([] {
    if (!__builtin_cpu_supports("avx2")) return false;
    std::ifstream file("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling");
    std::string state;
    return !(file >> state) || !state.starts_with("Mitigation");
  });
#else
  return false;
#endif
}

bool has_wide_masks() {
#if LB_VECTOR_INSTRUCTIONS
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

}  // namespace lb::core

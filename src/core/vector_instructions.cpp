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

int widest_lanes() {
#if LB_VECTOR_INSTRUCTIONS
  return once([] {
    if (!__builtin_cpu_supports("popcnt")) return 0;
    return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx2") ? 8 : 0;
  });
#else
  return 0;
#endif
}

}  // namespace lb::core

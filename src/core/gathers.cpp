#include "gathers.hpp"

#include <fstream>
#include <string>

#include "once.hpp"

namespace lb::core {

bool gathers_well() {
#if LB_GATHERS
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

}  // namespace lb::core

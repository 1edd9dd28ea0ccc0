#include "standalone.hpp"

#include <vector>

#include "once.hpp"

namespace lb::core {
namespace {

// A row for another engine has no function here.
#define LB_FINISH(name, code, Type, parameters, engines, traits, ...) \
  if constexpr (has_word(engines, "cpu")) rows.push_back({#name, traits, &standalone::Type<Id>});
template <class Id>
std::vector<Standalone<Id>> make_table() {
  std::vector<Standalone<Id>> rows;
#include "landbridge/policy/registry.def"
  return rows;
}

}  // namespace

template <class Id>
const Standalone<Id>* find_standalone(std::string_view name) {
  const auto& table = once([] { return make_table<Id>(); });
  for (const auto& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

#define LB_INSTANTIATE(Id) template const Standalone<Id>* find_standalone<Id>(std::string_view);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

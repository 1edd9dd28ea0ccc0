#include "rounds.hpp"

#include <algorithm>

#include "id_width.hpp"
#include "once.hpp"
#include "rounds.ipp"

namespace lb::core {

const std::vector<RoundVariant>& round_variants() {
  return once([] {
    std::vector<RoundVariant> rows;
#define LB_ROUND(name, code, Type, parameters, engines, listed, ...)                                                 \
  each_round<round::Type>(round::Type::Words{}, {}, [&]<class Rule>(const auto& words) {                             \
    rows.push_back({#name, words, Rule::forbidden, Rule::no_forest, Rule::root_based, Rule::rewrites, Rule::by_hops, \
                    Rule::forbidden == nullptr && Rule::published && std::string_view(listed) == "all"});            \
  });
#include "landbridge/policy/registry.def"
    return rows;
  });
}

bool is_round(std::string_view name) {
  const auto& all = round_variants();
  return std::any_of(all.begin(), all.end(), [&](const RoundVariant& v) { return v.name == name; });
}

template <class Id>
const Rounds<Id>* find_rounds(std::string_view name, const std::vector<std::string_view>& words) {
  const auto& table = once([] {
    if constexpr (sizeof(Id) == 4)
      return rounds_narrow();
    else
      return rounds_wide();
  });
  for (const auto& row : table) {
    if (row.name == name && row.words == words) return &row;
  }
  return nullptr;
}

#define LB_INSTANTIATE(Id) \
  template const Rounds<Id>* find_rounds<Id>(std::string_view, const std::vector<std::string_view>&);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

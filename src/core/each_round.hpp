// Every choice of words of a family of rounds, as types: what a row of axis round stands for.
#pragma once
#include <string_view>
#include <vector>

#include "landbridge/policy/round.hpp"

namespace lb::core {

// Calls visit.operator()<Rule>(words) for every choice of words of a family.
template <class Family, class... Chosen, class Visit>
void each_round(round::Choice<>, const std::vector<std::string_view>& words, const Visit& visit) {
  visit.template operator()<round::RoundOf<Family, Chosen...>>(words);
}
template <class Family, class... Chosen, class... Option, class... Rest, class Visit>
void each_round(round::Choice<round::Choice<Option...>, Rest...>, const std::vector<std::string_view>& words,
                const Visit& visit) {
  const auto with = [&]<class Word>() {
    auto longer = words;
    longer.push_back(Word::word);
    each_round<Family, Chosen..., Word>(round::Choice<Rest...>{}, longer, visit);
  };
  (with.template operator()<Option>(), ...);
}

}  // namespace lb::core

// The parameters column of the registry, as data.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lb::core {

// "name:kind=default[>=minimum][<=maximum][:word[/CODE]|word[/CODE]]"; what is left out is "" here.
struct Parameter {
  std::string name;
  std::string kind;  // int, float or word
  std::string default_value, minimum, maximum;
  std::vector<std::string> words, codes;  // of kind word: one code for each word
};

// The parameters of a row, which have ";" between them.
std::vector<Parameter> parameters_of(std::string_view column);

// The parts of a text that has `separator` between them; none of the empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace lb::core

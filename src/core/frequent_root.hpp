// Which root most of a few vertices have.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace lb::core {

// A root, and its share of all that were looked at.
template <class Id>
struct FrequentRoot {
  Id root;
  double share;
};

// The most frequent of some roots, which are sorted here; of none {0, 1}.
template <class Id>
FrequentRoot<Id> most_frequent(std::vector<Id>& roots) {
  if (roots.empty()) return {0, 1.0};
  std::sort(roots.begin(), roots.end());
  Id best = roots.front();
  std::ptrdiff_t most = 0;
  for (auto i = roots.begin(); i != roots.end();) {
    const auto end = std::upper_bound(i, roots.end(), *i);
    if (end - i > most) most = end - i, best = *i;
    i = end;
  }
  return {best, static_cast<double>(most) / static_cast<double>(roots.size())};
}

}  // namespace lb::core

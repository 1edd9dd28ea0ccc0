// Rows of label tables as text: the id of a vertex, the number of its component and the smallest id in that.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lb::core {

// Texts in Arrow's layout: text i is data[offsets[i]] .. data[offsets[i + 1] - 1].
struct NameColumn {
  const char* data = nullptr;
  std::int64_t size = 0;  // bytes of data
  const std::int64_t* offsets = nullptr;
};

// Rows [begin, begin + count) of a table of names: the name of the vertex, labels[i], and the name of
// representatives[i], where i counts from 0. A name is quoted if reading it back needs that: if it contains the
// separator, a quote or a line break, has a blank at either end, or begins with a comment character. One text for each
// of `threads` shares, in order.
std::vector<std::string> format_named_rows(const NameColumn& names, std::int64_t begin, const std::int64_t* labels,
                                           const std::int64_t* representatives, std::int64_t count, char separator,
                                           int threads);

// The same for ids that are numbers, int64 or uint64.
template <class Id>
std::vector<std::string> format_numbered_rows(const Id* ids, const std::int64_t* labels, const Id* representatives,
                                              std::int64_t count, char separator, int threads);

}  // namespace lb::core

// Tables of labels as text: a line has the id of a vertex, the number of its component and the smallest id in it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lb::core {

// Texts side by side, as Arrow keeps them: text i is data[offsets[i]] .. data[offsets[i + 1] - 1].
struct NameColumn {
  const char* data = nullptr;
  std::int64_t size = 0;  // bytes of data
  const std::int64_t* offsets = nullptr;
};

// Rows [begin, begin + count) of a table of names: the name of the vertex, labels[i], and the name of
// representatives[i], where i counts from 0. A name stands in quotes where it would not be read back as it is: with the
// separator, a quote, a line break, a blank at either end, or the sign of a comment at its begin. One text for each of
// `threads` shares, in order.
std::vector<std::string> format_named_rows(const NameColumn& names, std::int64_t begin, const std::int64_t* labels,
                                           const std::int64_t* representatives, std::int64_t count, char separator,
                                           int threads);

// The same of ids that are numbers: of int64 or uint64.
template <class Id>
std::vector<std::string> format_numbered_rows(const Id* ids, const std::int64_t* labels, const Id* representatives,
                                              std::int64_t count, char separator, int threads);

}  // namespace lb::core

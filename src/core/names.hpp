// Names of any bytes -> 0, 1, 2, ... in the order in which they turn up first, whatever the number of threads.
#pragma once
#include <memory>
#include <vector>

#include "graph.hpp"

namespace lb::core {

// `count` texts side by side, as Arrow keeps them: text i is data[offsets[i]] .. data[offsets[i + 1] - 1].
struct TextColumn {
  const char* data = nullptr;
  i64 size = 0;  // bytes of data
  IdArray offsets;  // count + 1 of them
  i64 count = 0;
};

// The names seen so far. Each is kept once: its bytes and about 60 more.
class Names {
 public:
  explicit Names(int threads);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  // u and v become the numbers of both ends of edges; the order of first appearance is a[0], b[0], a[1], b[1], ...
  // O(bytes / threads) expected. Throws InputError for offsets that do not ascend within the data, and for 2^31 names.
  void number(const TextColumn& a, const TextColumn& b, i32* u, i32* v);
  // The same for one column.
  void number(const TextColumn& names, i32* numbers);

  i64 size() const;
  // The names one after another in the order of their numbers: bytes() of them, and size() + 1 offsets.
  i64 bytes() const;
  void write(i64* offsets, char* data) const;

 private:
  class Part;
  // Of one column (twice = 0) or two (1): position p is that of row p >> twice in column p & twice; so for out.
  void number_columns(const TextColumn* columns, int twice, i64 rows, i32* const* out);
  const int threads_;
  std::vector<std::unique_ptr<Part>> parts_;
  struct Record;
  std::vector<const Record*> records_;
};

}  // namespace lb::core

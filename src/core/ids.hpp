// Ids of 64 bits that turn up batch after batch -> numbers 0, 1, 2, ..., one each; and at the end back, in order.
#pragma once
#include <memory>
#include <vector>

#include "graph.hpp"

namespace lb::core {

// The ids seen so far, in hash tables of 12 bytes a slot, at most three quarters full: 16 to 24 bytes an id. They grow one
// after another, so growing takes little beside them.
class Ids {
 public:
  explicit Ids(int threads);
  ~Ids();
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;

  // numbers[i] becomes the number of ids[i], of which signed ones are widened by their sign. Which number an id gets, below
  // size(), is not promised. O(count / threads) expected. Throws InputError for 2^31 different ids, std::bad_alloc.
  void number(const IdArray& ids, i64 count, bool is_signed, i32* numbers);

  i64 size() const;
  // The ids in ascending order (`is_signed`: as signed ones), and of each the label labels[its number], with labels renamed in
  // the order in which they turn up. 16 bytes an id beside the results. Each label is below `count`.
  void in_order(bool is_signed, const i32* labels, i64 count, u64* ids, i32* renamed) const;

 private:
  class Part;
  const int threads_;
  std::vector<std::unique_ptr<Part>> parts_;
  i64 size_ = 0;
};

}  // namespace lb::core

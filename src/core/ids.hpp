// Ids of 64 bits that turn up batch after batch -> numbers 0, 1, 2, ..., one each; and at the end back, in order.
#pragma once
#include <memory>
#include <vector>

#include "graph.hpp"
#include "seed.hpp"

namespace lb::core {

// The ids seen so far, in hash tables of 12 bytes a slot, at most three quarters full: 16 to 24 bytes an id. They grow
// one after another, so growing takes little beside them.
class Ids {
 public:
  // listed: keep the ids in the order of their numbers as well, for 8 bytes each: fresh() is then a copy.
  explicit Ids(int threads, bool listed = false);
  ~Ids();
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;

  // u and v become the numbers of the ids a and b at both ends of edges, of which signed ones are widened by their
  // sign. Numbers go by first appearance in the order a[0], b[0], a[1], b[1], ..., whatever the number of threads.
  // O(count / threads) expected. Throws InputError for 2^31 different ids, std::bad_alloc; forget() then makes it good.
  void number(const IdArray& a, const IdArray& b, i64 count, bool is_signed, i32* u, i32* v);
  // The same for one column.
  void number(const IdArray& ids, i64 count, bool is_signed, i32* numbers);
  // The numbers of ids that are there, -1 for others.
  void find(const IdArray& ids, i64 count, bool is_signed, i32* numbers) const;

  i64 size() const;
  // The ids with the numbers from `since` on, in that order. O(size) unless listed.
  void fresh(i64 since, u64* ids) const;
  // Drops all ids whose numbers are not below `size`. O(size), and takes no memory.
  void forget(i64 size) noexcept;
  // The ids in ascending order (`is_signed`: as signed ones), and the number of each. 8 bytes an id beside the results.
  void in_order(bool is_signed, u64* ids, i32* numbers) const;

 private:
  class Part;
  void number_columns(const IdArray* columns, int twice, i64 rows, bool is_signed, i32* const* out);
  const Part& part(u64 hash) const;
  const int threads_;
  const HashSeed hash_;
  const bool listed_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<u64> list_;
  i64 size_ = 0;
};

// renamed[i] = the label of number order[i], with labels renamed in the order in which they turn up. Each is below
// `count`.
template <class Label>
void rename_in_order(const i32* order, i64 n, const Label* labels, i64 count, Label* renamed, int threads);

// Replaces numbers below n by their places in order, a permutation of 0..n-1. 4 n bytes.
void to_ranks(const i32* order, i64 n, i32* const numbers[2], const i64 sizes[2], int threads);

}  // namespace lb::core

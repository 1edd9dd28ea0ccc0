// Ids of 64 bits, batch by batch -> numbers 0, 1, 2, ..., and back: the ids in ascending order with their numbers.
#pragma once
#include <memory>
#include <vector>

#include "graph.hpp"
#include "seed.hpp"

namespace lb::core {

// A dictionary of ids, in hash tables of 12 bytes per slot, at most three quarters full: 16 to 24 bytes per id. The
// tables grow one at a time, so the peak is one old table above that.
class Ids {
 public:
  // listed: also keeps the ids in the order of their numbers, 8 bytes each: fresh() is then a copy.
  explicit Ids(int threads, bool listed = false);
  ~Ids();
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;

  // u and v become the numbers of the ids a and b of both endpoints of edges; signed ids are sign-extended. Numbers go
  // by first appearance in the order a[0], b[0], a[1], b[1], ..., whatever the number of threads. O(count / threads)
  // expected. Throws InputError for 2^31 different ids, std::bad_alloc; forget() must follow a call that throws.
  void number(const IdArray& a, const IdArray& b, i64 count, bool is_signed, i32* u, i32* v);
  // The same for one column.
  void number(const IdArray& ids, i64 count, bool is_signed, i32* numbers);
  // The numbers of ids of the dictionary, -1 for others.
  void find(const IdArray& ids, i64 count, bool is_signed, i32* numbers) const;

  i64 size() const;
  // The ids with the numbers from `since` on, in that order. O(size) unless listed.
  void fresh(i64 since, u64* ids) const;
  // Drops all ids whose numbers are not below `size`. O(size); allocates no memory.
  void forget(i64 size) noexcept;
  // The ids in ascending order (`is_signed`: as signed ones), and the number of each. 8 bytes of scratch per id.
  void in_order(bool is_signed, u64* ids, i32* numbers) const;

 private:
  class Shard;
  void number_columns(const IdArray* columns, int log_columns, i64 rows, bool is_signed, i32* const* out);
  const Shard& shard(u64 hash) const;
  const int threads_;
  const HashSeed hash_;
  const bool listed_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<u64> list_;
  i64 size_ = 0;
};

// relabelled[i] = the label of number order[i], with labels renumbered in the order of their first appearance. Each is
// below `count`.
template <class Label>
void relabel_in_order(const i32* order, i64 n, const Label* labels, i64 count, Label* relabelled, int threads);

// Replaces numbers below n by their places in order, a permutation of 0..n-1. 4 n bytes.
void to_ranks(const i32* order, i64 n, i32* const numbers[2], const i64 sizes[2], int threads);

}  // namespace lb::core

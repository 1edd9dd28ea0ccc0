// Names of any bytes -> 0, 1, 2, ... in the order of their first appearance, whatever the number of threads.
#pragma once
#include <memory>
#include <vector>

#include "graph.hpp"
#include "seed.hpp"

namespace lb::core {

// `count` texts in Arrow's layout: text i is data[offsets[i]] .. data[offsets[i + 1] - 1].
struct TextColumn {
  const char* data = nullptr;
  i64 size = 0;     // bytes of data
  IdArray offsets;  // count + 1 of them
  i64 count = 0;
};

// A dictionary of names. Each is stored once: its bytes and about 60 more.
class Names {
 public:
  explicit Names(int threads);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  // u and v become the numbers of both endpoints of edges; the order of first appearance is a[0], b[0], a[1], b[1], ...
  // O(bytes / threads) expected. Throws InputError for offsets that do not ascend within the data, and for 2^31 names;
  // forget() must follow a call that throws.
  void number(const TextColumn& a, const TextColumn& b, i32* u, i32* v);
  // The same for one column.
  void number(const TextColumn& names, i32* numbers);

  // The numbers of names of the dictionary, -1 for others.
  void find(const TextColumn& names, i32* numbers) const;

  i64 size() const;
  // The names with the numbers from `since` on, concatenated: bytes(since) bytes, and size() - since + 1 offsets.
  i64 bytes(i64 since = 0) const;
  void write(i64 since, i64* offsets, char* data) const;
  // Drops all names whose numbers are not below `size`; allocates and releases no memory. O(size).
  void forget(i64 size) noexcept;

  // numbers[i] = the number of the i-th name in ascending order of bytes (a prefix comes first). O(bytes) and a sort.
  void in_order(i32* numbers) const;
  // The names in such an order: bytes() of them, and size() + 1 offsets.
  void write(const i32* numbers, i64* offsets, char* data) const;

 private:
  class Shard;
  // Of one column (log_columns = 0) or two (1): position p is row p >> log_columns of column p & log_columns; likewise
  // for out.
  void number_columns(const TextColumn* columns, int log_columns, i64 rows, i32* const* out);
  void check_and_hash(const TextColumn* columns, int log_columns, i64 first, i64 positions, u64* hashes) const;
  i64 shard_of(u64 hash) const { return static_cast<i64>(hash >> 60) & (static_cast<i64>(shards_.size()) - 1); }
  const int threads_;
  const HashSeed hash_;
  std::vector<std::unique_ptr<Shard>> shards_;
  struct Record;
  std::vector<const Record*> records_;
};

}  // namespace lb::core

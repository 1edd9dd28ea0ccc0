#include "ids.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "error.hpp"
#include "extremes.hpp"
#include "sort.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr int shard_bits = 4;
constexpr i64 block = i64{1} << 15;  // ids numbered at a time: their scratch arrays fit the cache
constexpr i64 grain = i64{1} << 12;
constexpr i64 ahead = 16;
constexpr u64 empty =
    0x9e3779b97f4a7c15u;  // marks a free slot; the id of this value has a slot of its own behind the table

u64 key_at(const IdArray& ids, i64 i, bool is_signed) {
  return is_signed && ids.width == IdWidth::narrow ? static_cast<u64>(static_cast<i64>(static_cast<i32>(ids[i])))
                                                   : ids[i];
}

i64 shard_of(u64 hash) { return static_cast<i64>(hash >> (64 - shard_bits)); }

}  // namespace

// The ids whose hashes begin with the same bits. Threads may claim slots concurrently; growing is exclusive.
class Ids::Shard {
 public:
  explicit Shard(const HashSeed& hash) : hash_(hash) { grow(64); }

  void reserve(i64 more) {
    const i64 least = used_.load(std::memory_order_relaxed) + more;
    if (4 * least > 3 * slots_) grow(std::max(4 * least / 3 + 1, slots_ + slots_ / 2));
  }

  void prefetch(u64 hash) const { __builtin_prefetch(&keys_[static_cast<std::size_t>(home(hash))]); }

  // The number of a key, or -1.
  i32 find(u64 key, u64 hash) const {
    if (key == empty) return static_cast<i32>(number(slots_));
    for (i64 s = home(hash);; s = next(s)) {
      const u64 current = keys_[static_cast<std::size_t>(s)];
      if (current == key) return static_cast<i32>(number(s));
      if (current == empty) return -1;
    }
  }

  // The slot of a key; a new one gets the next number.
  i64 claim(u64 key, u64 hash, std::atomic<i64>& numbers) {
    if (key == empty) {
      u32 expected = no_number;
      std::atomic_ref<u32> number(numbers_[static_cast<std::size_t>(slots_)]);
      if (number.load(std::memory_order_relaxed) == no_number &&
          number.compare_exchange_strong(expected, claimed, std::memory_order_relaxed)) {
        number.store(static_cast<u32>(numbers.fetch_add(1, std::memory_order_relaxed)), std::memory_order_relaxed);
      }
      return slots_;
    }
    for (i64 s = home(hash);; s = next(s)) {
      std::atomic_ref<u64> cell(keys_[static_cast<std::size_t>(s)]);
      u64 current = cell.load(std::memory_order_relaxed);
      if (current == empty && cell.compare_exchange_strong(current, key, std::memory_order_relaxed)) {
        used_.fetch_add(1, std::memory_order_relaxed);
        // Other threads read it only after the parallel loop.
        numbers_[static_cast<std::size_t>(s)] = static_cast<u32>(numbers.fetch_add(1, std::memory_order_relaxed));
        return s;
      }
      if (current == key) return s;
    }
  }

  u32 number(i64 slot) const { return numbers_[static_cast<std::size_t>(slot)]; }
  void renumber(i64 slot, i64 number) { numbers_[static_cast<std::size_t>(slot)] = static_cast<u32>(number); }

  // Every key of the shard, in no order.
  u64* keys(u64* out) const {
    out = std::copy_if(keys_.data(), keys_.data() + slots_, out, [](u64 key) { return key != empty; });
    if (number(slots_) != no_number) *out++ = empty;
    return out;
  }

  // The keys with the numbers from `since` on, each at the place of its number.
  void write(i64 since, u64* out) const {
    for (i64 s = 0; s <= slots_; ++s) {
      const u64 key = s < slots_ ? keys_[static_cast<std::size_t>(s)] : empty;
      if (key == empty && (s < slots_ || number(s) == no_number)) continue;
      if (number(s) >= since) out[number(s) - since] = key;
    }
  }

  // Drops the keys whose numbers are not below `size`, by backward-shift deletion.
  void forget(i64 size) {
    if (number(slots_) >= size) renumber(slots_, no_number);
    for (i64 s = 0; s < slots_; ++s) {
      while (keys_[static_cast<std::size_t>(s)] != empty && number(s) >= size) free_slot(s);
    }
  }

 private:
  static constexpr u32 no_number = UINT32_MAX, claimed = UINT32_MAX - 1;

  // The bits behind those of the shard give the slot, in ascending order: rehashing writes a larger table sequentially.
  i64 home(u64 hash) const {
    return static_cast<i64>(static_cast<unsigned __int128>(hash << shard_bits) * static_cast<u64>(slots_) >> 64);
  }
  i64 next(i64 s) const { return s + 1 == slots_ ? 0 : s + 1; }

  void free_slot(i64 hole) {
    used_.fetch_sub(1, std::memory_order_relaxed);
    for (i64 s = next(hole);; s = next(s)) {
      const u64 key = keys_[static_cast<std::size_t>(s)];
      if (key == empty) break;
      // Moved unless its home lies between the hole and itself, cyclically.
      const i64 from = home(hash_(key));
      if (hole <= s ? hole < from && from <= s : hole < from || from <= s) continue;
      keys_[static_cast<std::size_t>(hole)] = key;
      numbers_[static_cast<std::size_t>(hole)] = numbers_[static_cast<std::size_t>(s)];
      hole = s;
    }
    keys_[static_cast<std::size_t>(hole)] = empty;
  }

  void grow(i64 slots) {
    Buffer<u64> keys(static_cast<std::size_t>(slots), "a table of ids");
    Buffer<u32> numbers(static_cast<std::size_t>(slots) + 1, "a table of ids");
    std::fill(keys.begin(), keys.end(), empty);
    numbers[static_cast<std::size_t>(slots)] = slots_ > 0 ? number(slots_) : no_number;
    std::swap(keys, keys_);
    std::swap(numbers, numbers_);
    const i64 old = std::exchange(slots_, slots);
    for (std::size_t i = 0; i < static_cast<std::size_t>(old); ++i) {
      if (keys[i] == empty) continue;
      i64 s = home(hash_(keys[i]));
      while (keys_[static_cast<std::size_t>(s)] != empty) s = next(s);
      keys_[static_cast<std::size_t>(s)] = keys[i];
      numbers_[static_cast<std::size_t>(s)] = numbers[i];
    }
  }

  const HashSeed hash_;
  Buffer<u64> keys_;
  Buffer<u32> numbers_;  // the last one is that of the id `empty`
  i64 slots_ = 0;
  std::atomic<i64> used_{0};
};

Ids::Ids(int threads, bool listed) : threads_(std::max(1, threads)), hash_(hash_seed()), listed_(listed) {
  for (int i = 0; i < 1 << shard_bits; ++i) shards_.push_back(std::make_unique<Shard>(hash_));
}
Ids::~Ids() = default;

i64 Ids::size() const { return size_; }

const Ids::Shard& Ids::shard(u64 hash) const { return *shards_[static_cast<std::size_t>(shard_of(hash))]; }

void Ids::number(const IdArray& a, const IdArray& b, i64 count, bool is_signed, i32* u, i32* v) {
  const IdArray columns[2] = {a, b};
  i32* const out[2] = {u, v};
  number_columns(columns, 1, count, is_signed, out);
}

void Ids::number(const IdArray& ids, i64 count, bool is_signed, i32* numbers) {
  number_columns(&ids, 0, count, is_signed, &numbers);
}

// Of one column (log_columns = 0) or two (1): position p is row p >> log_columns of column p & log_columns; likewise
// for out.
void Ids::number_columns(const IdArray* columns, int log_columns, i64 rows, bool is_signed, i32* const* out) {
  const auto most = static_cast<std::size_t>(std::min(rows << log_columns, block));
  Buffer<u64> keys(most), hashes(most);  // the caller may change its ids meanwhile: each is read once
  Buffer<i64> slots(most);
  Buffer<i32> numbers(most), rank(most);
  Buffer<std::atomic<i32>> positions(most);  // of a new id: its first appearance
  const auto at = [&](auto& array, i64 i) -> auto& { return array[static_cast<std::size_t>(i)]; };
  std::atomic<i64> next{size_};
  for (i64 first = 0; first < rows << log_columns; first += block) {
    const i64 some = std::min(block, (rows << log_columns) - first), old_size = size_;
    const auto read = [=](i64 i) {
      return key_at(columns[(first + i) & log_columns], (first + i) >> log_columns, is_signed);
    };
    const auto result = [&](i64 i) -> i32& { return out[(first + i) & log_columns][(first + i) >> log_columns]; };
    std::array<std::atomic<i64>, 1 << shard_bits> sizes{};
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      std::array<i64, 1 << shard_bits> mine{};
      const HashSeed hash_copy = hash_;  // a local, which the stores below cannot alias
      for (i64 i = b; i < e; ++i) {
        const u64 key = read(i), hash = hash_copy(key);
        at(keys, i) = key;
        at(hashes, i) = hash;
        ++mine[static_cast<std::size_t>(shard_of(hash))];
      }
      for (std::size_t p = 0; p < mine.size(); ++p) sizes[p].fetch_add(mine[p], std::memory_order_relaxed);
    });
    for (std::size_t p = 0; p < sizes.size(); ++p) shards_[p]->reserve(sizes[p].load(std::memory_order_relaxed));
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) shard(at(hashes, i + ahead)).prefetch(at(hashes, i + ahead));
        Shard& mine = *shards_[static_cast<std::size_t>(shard_of(at(hashes, i)))];
        at(slots, i) = mine.claim(at(keys, i), at(hashes, i), next);
      }
    });
    const i64 now = next.load(std::memory_order_relaxed), new_ids = now - old_size;
    if (now > INT32_MAX) throw InputError("there are 2^31 different ids or more");
    if (listed_) list_.resize(static_cast<std::size_t>(now));
    // One thread numbers the ids in order. Several claim in any order, so their numbers are put in order afterwards.
    const bool reorder = threads_ > 1 && new_ids > 0;
    for (i64 k = 0; k < (reorder ? new_ids : 0); ++k) at(positions, k).store(INT32_MAX, std::memory_order_relaxed);
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        // No branch depends on the value, so the cache misses of several reads overlap.
        result(i) = static_cast<i32>(shard(at(hashes, i)).number(at(slots, i)));
      }
      for (i64 i = b; i < (reorder || listed_ ? e : b); ++i) {
        const i64 number = result(i);
        if (number < old_size) continue;
        if (listed_ && !reorder) list_[static_cast<std::size_t>(number)] = at(keys, i);
        if (!reorder) continue;
        lower_to(at(positions, number - old_size), static_cast<i32>(i));
      }
    });
    if (reorder) {
      std::fill(numbers.data(), numbers.data() + some, -1);
      for (i64 k = 0; k < new_ids; ++k)
        at(numbers, at(positions, k).load(std::memory_order_relaxed)) = static_cast<i32>(k);
      i64 count = old_size;
      for (i64 i = 0; i < some; ++i) {
        if (at(numbers, i) >= 0) at(rank, at(numbers, i)) = static_cast<i32>(count++);
      }
      parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
        for (i64 i = b; i < e; ++i) {
          if (result(i) < old_size) continue;
          result(i) = at(rank, result(i) - old_size);
          if (at(numbers, i) < 0) continue;
          shards_[static_cast<std::size_t>(shard_of(at(hashes, i)))]->renumber(at(slots, i), result(i));
          if (listed_) list_[static_cast<std::size_t>(result(i))] = at(keys, i);
        }
      });
    }
    size_ = now;
  }
}

void Ids::find(const IdArray& ids, i64 count, bool is_signed, i32* numbers) const {
  parallel_for(count, grain, threads_, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) {
        const u64 next_hash = hash_(key_at(ids, i + ahead, is_signed));
        shard(next_hash).prefetch(next_hash);
      }
      const u64 key = key_at(ids, i, is_signed), hash = hash_(key);
      numbers[i] = shard(hash).find(key, hash);
    }
  });
}

void Ids::fresh(i64 since, u64* ids) const {
  if (listed_) {
    std::copy(list_.begin() + since, list_.begin() + size_, ids);
    return;
  }
  parallel_for(static_cast<i64>(shards_.size()), 1, threads_,
               [&](i64 p, i64, int) { shards_[static_cast<std::size_t>(p)]->write(since, ids); });
}

void Ids::forget(i64 size) noexcept {
  for (auto& shard : shards_) shard->forget(size);
  size_ = std::min(size_, size);
  if (listed_) list_.resize(std::min(list_.size(), static_cast<std::size_t>(size_)));
}

void Ids::in_order(bool is_signed, u64* ids, i32* numbers) const {
  const u64 flip = is_signed ? u64{1} << 63 : 0;
  u64* end = ids;
  for (const auto& shard : shards_) end = shard->keys(end);
  for (u64* x = ids; x < end; ++x) *x ^= flip;
  {
    Buffer<u64> scratch(static_cast<std::size_t>(size_), "the ids in order");
    sort_keys(ids, scratch.data(), size_, 64, threads_);
  }
  parallel_for(size_, grain, threads_, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) {
        const u64 next_hash = hash_(ids[i + ahead] ^ flip);
        shard(next_hash).prefetch(next_hash);
      }
      ids[i] ^= flip;
      const u64 hash = hash_(ids[i]);
      numbers[i] = shard(hash).find(ids[i], hash);
    }
  });
}

template <class Label>
void relabel_in_order(const i32* order, i64 n, const Label* labels, i64 count, Label* relabelled, int threads) {
  Buffer<Label> fresh(static_cast<std::size_t>(count), "the labels in order");
  std::fill(fresh.begin(), fresh.end(), Label{-1});
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) __builtin_prefetch(&labels[order[i + ahead]]);
      relabelled[i] = labels[order[i]];
    }
  });
  Label next = 0;
  for (i64 i = 0; i < n; ++i) {
    if (i + ahead < n) __builtin_prefetch(&fresh[static_cast<std::size_t>(relabelled[i + ahead])], 1);
    Label& label = fresh[static_cast<std::size_t>(relabelled[i])];
    if (label < 0) label = next++;
    relabelled[i] = label;
  }
}
template void relabel_in_order(const i32*, i64, const i32*, i64, i32*, int);
template void relabel_in_order(const i32*, i64, const i64*, i64, i64*, int);

void to_ranks(const i32* order, i64 n, i32* const numbers[2], const i64 sizes[2], int threads) {
  Buffer<i32> rank(static_cast<std::size_t>(n), "the order of the names");
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) __builtin_prefetch(&rank[static_cast<std::size_t>(order[i + ahead])], 1);
      rank[static_cast<std::size_t>(order[i])] = static_cast<i32>(i);
    }
  });
  for (int c = 0; c < 2; ++c) {
    i32* const x = numbers[c];
    parallel_for(sizes[c], grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) __builtin_prefetch(&rank[static_cast<std::size_t>(x[i + ahead])]);
        x[i] = rank[static_cast<std::size_t>(x[i])];
      }
    });
  }
}

}  // namespace lb::core

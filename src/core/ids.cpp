#include "ids.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "error.hpp"
#include "sort.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr int part_bits = 4;
constexpr i64 block = i64{1} << 15;  // ids numbered at a time: where each was found stays in the cache
constexpr i64 grain = i64{1} << 12;
constexpr i64 ahead = 16;
constexpr u64 empty = 0x9e3779b97f4a7c15u;  // an id like any other but for the cell it has of its own, behind the table

u64 key_at(const IdArray& ids, i64 i, bool is_signed) {
  return is_signed && ids.width == IdWidth::narrow ? static_cast<u64>(static_cast<i64>(static_cast<i32>(ids[i])))
                                                   : ids[i];
}

i64 part_of(u64 hash) { return static_cast<i64>(hash >> (64 - part_bits)); }

}  // namespace

// The ids whose hashes begin with the same bits. Any number of threads may claim slots at once; growing is for one
// alone.
class Ids::Part {
 public:
  explicit Part(const HashSeed& hash) : hash_(hash) { grow(64); }

  void reserve(i64 more) {
    const i64 least = used_.load(std::memory_order_relaxed) + more;
    if (4 * least > 3 * slots_) grow(std::max(4 * least / 3 + 1, slots_ + slots_ / 2));
  }

  void prefetch(u64 hash) const { __builtin_prefetch(&keys_[static_cast<std::size_t>(home(hash))]); }

  // The number of a key, or -1.
  i32 find(u64 key, u64 hash) const {
    if (key == empty) return static_cast<i32>(number(slots_));
    for (i64 s = home(hash);; s = next(s)) {
      const u64 there = keys_[static_cast<std::size_t>(s)];
      if (there == key) return static_cast<i32>(number(s));
      if (there == empty) return -1;
    }
  }

  // The slot of a key; a new one gets the next number.
  i64 claim(u64 key, u64 hash, std::atomic<i64>& numbers) {
    if (key == empty) {
      u32 none = nobody;
      std::atomic_ref<u32> number(numbers_[static_cast<std::size_t>(slots_)]);
      if (number.load(std::memory_order_relaxed) == nobody &&
          number.compare_exchange_strong(none, taken, std::memory_order_relaxed)) {
        number.store(static_cast<u32>(numbers.fetch_add(1, std::memory_order_relaxed)), std::memory_order_relaxed);
      }
      return slots_;
    }
    for (i64 s = home(hash);; s = next(s)) {
      std::atomic_ref<u64> cell(keys_[static_cast<std::size_t>(s)]);
      u64 found = cell.load(std::memory_order_relaxed);
      if (found == empty && cell.compare_exchange_strong(found, key, std::memory_order_relaxed)) {
        used_.fetch_add(1, std::memory_order_relaxed);
        // Read by others only when all have returned.
        numbers_[static_cast<std::size_t>(s)] = static_cast<u32>(numbers.fetch_add(1, std::memory_order_relaxed));
        return s;
      }
      if (found == key) return s;
    }
  }

  u32 number(i64 slot) const { return numbers_[static_cast<std::size_t>(slot)]; }
  void renumber(i64 slot, i64 number) { numbers_[static_cast<std::size_t>(slot)] = static_cast<u32>(number); }

  // Every key of the part, in no order.
  u64* keys(u64* out) const {
    out = std::copy_if(keys_.data(), keys_.data() + slots_, out, [](u64 key) { return key != empty; });
    if (number(slots_) != nobody) *out++ = empty;
    return out;
  }

  // The keys with the numbers from `since` on, each at the place of its number.
  void write(i64 since, u64* out) const {
    for (i64 s = 0; s <= slots_; ++s) {
      const u64 key = s < slots_ ? keys_[static_cast<std::size_t>(s)] : empty;
      if (key == empty && (s < slots_ || number(s) == nobody)) continue;
      if (number(s) >= since) out[number(s) - since] = key;
    }
  }

  // Drops the keys whose numbers are not below `size`. Keys behind a free slot move up to where they would be without
  // it.
  void forget(i64 size) {
    if (number(slots_) >= size) renumber(slots_, nobody);
    for (i64 s = 0; s < slots_; ++s) {
      while (keys_[static_cast<std::size_t>(s)] != empty && number(s) >= size) free_slot(s);
    }
  }

 private:
  static constexpr u32 nobody = UINT32_MAX, taken = UINT32_MAX - 1;

  // The bits behind those that chose the part choose the slot, in ascending order: a larger table is filled from end to
  // end.
  i64 home(u64 hash) const {
    return static_cast<i64>(static_cast<unsigned __int128>(hash << part_bits) * static_cast<u64>(slots_) >> 64);
  }
  i64 next(i64 s) const { return s + 1 == slots_ ? 0 : s + 1; }

  void free_slot(i64 hole) {
    used_.fetch_sub(1, std::memory_order_relaxed);
    for (i64 s = next(hole);; s = next(s)) {
      const u64 key = keys_[static_cast<std::size_t>(s)];
      if (key == empty) break;
      // Moved unless its home lies between the hole and itself, around the end of the table if need be.
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
    numbers[static_cast<std::size_t>(slots)] = slots_ > 0 ? number(slots_) : nobody;
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
  Buffer<u32> numbers_;  // the last is that of `empty`
  i64 slots_ = 0;
  std::atomic<i64> used_{0};
};

Ids::Ids(int threads, bool listed) : threads_(std::max(1, threads)), hash_(hash_seed()), listed_(listed) {
  for (int i = 0; i < 1 << part_bits; ++i) parts_.push_back(std::make_unique<Part>(hash_));
}
Ids::~Ids() = default;

i64 Ids::size() const { return size_; }

const Ids::Part& Ids::part(u64 hash) const { return *parts_[static_cast<std::size_t>(part_of(hash))]; }

void Ids::number(const IdArray& a, const IdArray& b, i64 count, bool is_signed, i32* u, i32* v) {
  const IdArray columns[2] = {a, b};
  i32* const out[2] = {u, v};
  number_columns(columns, 1, count, is_signed, out);
}

void Ids::number(const IdArray& ids, i64 count, bool is_signed, i32* numbers) {
  number_columns(&ids, 0, count, is_signed, &numbers);
}

// Of one column (twice = 0) or two (1): position p is that of row p >> twice in column p & twice; so for out.
void Ids::number_columns(const IdArray* columns, int twice, i64 rows, bool is_signed, i32* const* out) {
  const auto most = static_cast<std::size_t>(std::min(rows << twice, block));
  Buffer<u64> hashes(most);
  Buffer<i64> slots(most);
  Buffer<i32> numbers(most), rank(most);
  Buffer<std::atomic<i32>> positions(most);  // of a new id: where it turned up first
  const auto at = [&](auto& array, i64 i) -> auto& { return array[static_cast<std::size_t>(i)]; };
  std::atomic<i64> next{size_};
  for (i64 first = 0; first < rows << twice; first += block) {
    const i64 some = std::min(block, (rows << twice) - first), known = size_;
    const auto key = [=](i64 i) { return key_at(columns[(first + i) & twice], (first + i) >> twice, is_signed); };
    const auto result = [&](i64 i) -> i32& { return out[(first + i) & twice][(first + i) >> twice]; };
    std::array<std::atomic<i64>, 1 << part_bits> sizes{};
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      std::array<i64, 1 << part_bits> mine{};
      const HashSeed secret = hash_;  // a copy, which the stores below cannot change
      for (i64 i = b; i < e; ++i) {
        const u64 hash = secret(key(i));
        at(hashes, i) = hash;
        ++mine[static_cast<std::size_t>(part_of(hash))];
      }
      for (std::size_t p = 0; p < mine.size(); ++p) sizes[p].fetch_add(mine[p], std::memory_order_relaxed);
    });
    for (std::size_t p = 0; p < sizes.size(); ++p) parts_[p]->reserve(sizes[p].load(std::memory_order_relaxed));
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) part(at(hashes, i + ahead)).prefetch(at(hashes, i + ahead));
        Part& mine = *parts_[static_cast<std::size_t>(part_of(at(hashes, i)))];
        at(slots, i) = mine.claim(key(i), at(hashes, i), next);
      }
    });
    const i64 now = next.load(std::memory_order_relaxed), more = now - known;
    if (now > INT32_MAX) throw InputError("there are 2^31 different ids or more");
    if (listed_) list_.resize(static_cast<std::size_t>(now));
    // One thread comes upon the ids in order. Of several, which claims first is a matter of chance: numbered again.
    const bool again = threads_ > 1 && more > 0;
    for (i64 k = 0; k < (again ? more : 0); ++k) at(positions, k).store(INT32_MAX, std::memory_order_relaxed);
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        // Without a branch on what is read: reads of several numbers wait for memory together.
        result(i) = static_cast<i32>(part(at(hashes, i)).number(at(slots, i)));
      }
      for (i64 i = b; i < (again || listed_ ? e : b); ++i) {
        const i64 number = result(i);
        if (number < known) continue;
        if (listed_ && !again) list_[static_cast<std::size_t>(number)] = key(i);
        if (!again) continue;
        auto& least = at(positions, number - known);
        i32 seen = least.load(std::memory_order_relaxed);
        while (i < seen && !least.compare_exchange_weak(seen, static_cast<i32>(i), std::memory_order_relaxed)) {
        }
      }
    });
    if (again) {
      std::fill(numbers.data(), numbers.data() + some, -1);
      for (i64 k = 0; k < more; ++k)
        at(numbers, at(positions, k).load(std::memory_order_relaxed)) = static_cast<i32>(k);
      i64 count = known;
      for (i64 i = 0; i < some; ++i) {
        if (at(numbers, i) >= 0) at(rank, at(numbers, i)) = static_cast<i32>(count++);
      }
      parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
        for (i64 i = b; i < e; ++i) {
          if (result(i) < known) continue;
          result(i) = at(rank, result(i) - known);
          if (at(numbers, i) < 0) continue;
          parts_[static_cast<std::size_t>(part_of(at(hashes, i)))]->renumber(at(slots, i), result(i));
          if (listed_) list_[static_cast<std::size_t>(result(i))] = key(i);
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
        const u64 coming = hash_(key_at(ids, i + ahead, is_signed));
        part(coming).prefetch(coming);
      }
      const u64 key = key_at(ids, i, is_signed), hash = hash_(key);
      numbers[i] = part(hash).find(key, hash);
    }
  });
}

void Ids::fresh(i64 since, u64* ids) const {
  if (listed_) {
    std::copy(list_.begin() + since, list_.begin() + size_, ids);
    return;
  }
  parallel_for(static_cast<i64>(parts_.size()), 1, threads_,
               [&](i64 p, i64, int) { parts_[static_cast<std::size_t>(p)]->write(since, ids); });
}

void Ids::forget(i64 size) noexcept {
  for (auto& part : parts_) part->forget(size);
  size_ = std::min(size_, size);
  if (listed_) list_.resize(std::min(list_.size(), static_cast<std::size_t>(size_)));
}

void Ids::in_order(bool is_signed, u64* ids, i32* numbers) const {
  const u64 flip = is_signed ? u64{1} << 63 : 0;
  u64* end = ids;
  for (const auto& part : parts_) end = part->keys(end);
  for (u64* x = ids; x < end; ++x) *x ^= flip;
  {
    Buffer<u64> scratch(static_cast<std::size_t>(size_), "the ids in order");
    sort_keys(ids, scratch.data(), size_, 64, threads_);
  }
  parallel_for(size_, grain, threads_, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) {
        const u64 coming = hash_(ids[i + ahead] ^ flip);
        part(coming).prefetch(coming);
      }
      ids[i] ^= flip;
      const u64 hash = hash_(ids[i]);
      numbers[i] = part(hash).find(ids[i], hash);
    }
  });
}

template <class Label>
void rename_in_order(const i32* order, i64 n, const Label* labels, i64 count, Label* renamed, int threads) {
  Buffer<Label> fresh(static_cast<std::size_t>(count), "the labels in order");
  std::fill(fresh.begin(), fresh.end(), Label{-1});
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + ahead < e) __builtin_prefetch(&labels[order[i + ahead]]);
      renamed[i] = labels[order[i]];
    }
  });
  Label next = 0;
  for (i64 i = 0; i < n; ++i) {
    if (i + ahead < n) __builtin_prefetch(&fresh[static_cast<std::size_t>(renamed[i + ahead])], 1);
    Label& name = fresh[static_cast<std::size_t>(renamed[i])];
    if (name < 0) name = next++;
    renamed[i] = name;
  }
}
template void rename_in_order(const i32*, i64, const i32*, i64, i32*, int);
template void rename_in_order(const i32*, i64, const i64*, i64, i64*, int);

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

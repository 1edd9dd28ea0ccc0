#include "ids.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "error.hpp"
#include "landbridge/random.hpp"
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
  return is_signed && !ids.wide ? static_cast<u64>(static_cast<i64>(static_cast<i32>(ids[i]))) : ids[i];
}

i64 part_of(u64 hash) { return static_cast<i64>(hash >> (64 - part_bits)); }

}  // namespace

// The ids whose hashes begin with the same bits. Any number of threads may claim slots at once; growing is for one alone.
class Ids::Part {
 public:
  Part() { grow(64); }

  void reserve(i64 more) {
    const i64 least = used_.load(std::memory_order_relaxed) + more;
    if (4 * least > 3 * slots_) grow(std::max(4 * least / 3 + 1, slots_ + slots_ / 2));
  }

  void prefetch(u64 hash) const { __builtin_prefetch(&keys_[static_cast<std::size_t>(home(hash))]); }

  // The slot of a key that is there.
  i64 find(u64 key, u64 hash) const {
    if (key == empty) return slots_;
    i64 s = home(hash);
    while (keys_[static_cast<std::size_t>(s)] != key) s = next(s);
    return s;
  }

  // The slot of a key; a new one gets the next number.
  i64 claim(u64 key, u64 hash, std::atomic<i64>& numbers) {
    if (key == empty) {
      u32 none = nobody;
      std::atomic_ref<u32> number(numbers_[static_cast<std::size_t>(slots_)]);
      if (number.load(std::memory_order_relaxed) == nobody && number.compare_exchange_strong(none, taken, std::memory_order_relaxed)) {
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

  // Every key of the part, in no order.
  u64* keys(u64* out) const {
    out = std::copy_if(keys_.data(), keys_.data() + slots_, out, [](u64 key) { return key != empty; });
    if (number(slots_) != nobody) *out++ = empty;
    return out;
  }

 private:
  static constexpr u32 nobody = UINT32_MAX, taken = UINT32_MAX - 1;

  // The bits behind those that chose the part choose the slot, in ascending order: a larger table is filled from end to end.
  i64 home(u64 hash) const {
    return static_cast<i64>(static_cast<unsigned __int128>(hash << part_bits) * static_cast<u64>(slots_) >> 64);
  }
  i64 next(i64 s) const { return s + 1 == slots_ ? 0 : s + 1; }

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
      i64 s = home(scramble(keys[i]));
      while (keys_[static_cast<std::size_t>(s)] != empty) s = next(s);
      keys_[static_cast<std::size_t>(s)] = keys[i];
      numbers_[static_cast<std::size_t>(s)] = numbers[i];
    }
  }

  Buffer<u64> keys_;
  Buffer<u32> numbers_;  // the last is that of `empty`
  i64 slots_ = 0;
  std::atomic<i64> used_{0};
};

Ids::Ids(int threads) : threads_(std::max(1, threads)) {
  for (int i = 0; i < 1 << part_bits; ++i) parts_.push_back(std::make_unique<Part>());
}
Ids::~Ids() = default;

i64 Ids::size() const { return size_; }

void Ids::number(const IdArray& ids, i64 count, bool is_signed, i32* numbers) {
  const auto most = static_cast<std::size_t>(std::min(count, block));
  Buffer<u64> hashes(most);
  Buffer<i64> slots(most);
  std::atomic<i64> next{size_};
  for (i64 first = 0; first < count; first += block) {
    const i64 some = std::min(block, count - first);
    std::array<std::atomic<i64>, 1 << part_bits> sizes{};
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      std::array<i64, 1 << part_bits> mine{};
      for (i64 i = b; i < e; ++i) {
        const u64 hash = scramble(key_at(ids, first + i, is_signed));
        hashes[static_cast<std::size_t>(i)] = hash;
        ++mine[static_cast<std::size_t>(part_of(hash))];
      }
      for (std::size_t p = 0; p < mine.size(); ++p) sizes[p].fetch_add(mine[p], std::memory_order_relaxed);
    });
    for (std::size_t p = 0; p < sizes.size(); ++p) parts_[p]->reserve(sizes[p].load(std::memory_order_relaxed));
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) {
          const u64 coming = hashes[static_cast<std::size_t>(i + ahead)];
          parts_[static_cast<std::size_t>(part_of(coming))]->prefetch(coming);
        }
        const u64 hash = hashes[static_cast<std::size_t>(i)];
        slots[static_cast<std::size_t>(i)] =
            parts_[static_cast<std::size_t>(part_of(hash))]->claim(key_at(ids, first + i, is_signed), hash, next);
      }
    });
    size_ = next.load(std::memory_order_relaxed);
    if (size_ > INT32_MAX) throw InputError("there are 2^31 different ids or more");
    parallel_for(some, grain, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const auto p = static_cast<std::size_t>(part_of(hashes[static_cast<std::size_t>(i)]));
        numbers[first + i] = static_cast<i32>(parts_[p]->number(slots[static_cast<std::size_t>(i)]));
      }
    });
  }
}

void Ids::in_order(bool is_signed, const i32* labels, i64 count, u64* ids, i32* renamed) const {
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
        const u64 coming = scramble(ids[i + ahead] ^ flip);
        parts_[static_cast<std::size_t>(part_of(coming))]->prefetch(coming);
      }
      ids[i] ^= flip;
      const u64 hash = scramble(ids[i]);
      const Part& part = *parts_[static_cast<std::size_t>(part_of(hash))];
      renamed[i] = labels[part.number(part.find(ids[i], hash))];
    }
  });
  Buffer<i32> fresh(static_cast<std::size_t>(count), "the labels in order");
  std::fill(fresh.begin(), fresh.end(), -1);
  i32 next = 0;
  for (i64 i = 0; i < size_; ++i) {
    i32& name = fresh[static_cast<std::size_t>(renamed[i])];
    if (name < 0) name = next++;
    renamed[i] = name;
  }
}

}  // namespace lb::core

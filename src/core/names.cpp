#include "names.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "error.hpp"
#include "interrupt.hpp"
#include "landbridge/random.hpp"
#include "text_order.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr i64 block_rows = i64{1} << 17;  // rows numbered at a time: their scratch arrays fit the cache
constexpr i64 grain = i64{1} << 13;
constexpr int most_shards = 16;
constexpr int in_flight = 32;  // names looked up at a time, so that their cache misses overlap

u64 eight(const char* p) {
  u64 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
u64 four(const char* p) {
  u32 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

u64 one(const char* p) { return static_cast<unsigned char>(*p); }

// Both halves of a product, and its factors: a factor of zero must not erase the other one.
u64 fold(u64 a, u64 b) {
  const auto p = static_cast<unsigned __int128>(a) * b;
  return a ^ b ^ static_cast<u64>(p) ^ static_cast<u64>(p >> 64);
}

u64 hash_of(const HashSeed& seed, const char* p, i64 n) {
  u64 h = seed.add ^ static_cast<u64>(n);
  for (; n > 16; p += 16, n -= 16) h = fold(eight(p) ^ seed.odd, eight(p + 8) ^ h);
  u64 a = 0, b = 0;  // the rest; some bytes may be read twice
  if (n >= 8)
    a = eight(p), b = eight(p + n - 8);
  else if (n >= 4)
    a = four(p), b = four(p + n - 4);
  else if (n > 0)
    a = one(p) << 16 | one(p + n / 2) << 8 | one(p + n - 1);
  return scramble(fold(a ^ seed.other, b ^ h));
}

struct Text {
  const char* data;
  u32 length;
};

bool is_within(const TextColumn& column, u64 from, u64 to) {
  return from <= to && to <= static_cast<u64>(column.size) && to - from <= UINT32_MAX;
}

// The name of a row whose offsets were checked; empty if its owner has changed them since.
Text text_of(const TextColumn& column, i64 row) {
  const u64 from = column.offsets[row], to = column.offsets[row + 1];
  if (!is_within(column, from, to)) return {column.data, 0};
  return {column.data + from, static_cast<u32>(to - from)};
}

}  // namespace

// A name: its number (during its block the complement of the position of its first appearance), and behind the length
// its bytes.
struct Names::Record {
  i64 number;
  u32 length;
  char* bytes() { return reinterpret_cast<char*>(&length + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(&length + 1); }
};

// The names whose hashes begin with the same bits: a table of one thread.
class Names::Shard {
 public:
  std::vector<Record*> fresh;  // of this block

  // The number of each name, or the complement of the position of its first appearance in the block.
  void look_up(const u64* hashes, const i64* at, int count, const TextColumn* columns, int log_columns, i64 first,
               i32* numbers, u8* is_new) {
    if (2 * (used_ + count) > capacity_) grow(2 * (used_ + count));
    const u64 mask = static_cast<u64>(capacity_ - 1);
    for (int i = 0; i < count; ++i) {
      const Slot& slot = slots_[hashes[at[i]] & mask];
      if (slot.record != nullptr) __builtin_prefetch(slot.record);
    }
    for (int i = 0; i < count; ++i) {
      const i64 position = at[i];
      const u64 hash = hashes[position];
      const auto [text, length] = text_of(columns[position & log_columns], first + (position >> log_columns));
      u64 s = hash & mask;
      while (slots_[s].record != nullptr && !(slots_[s].hash == hash && same(*slots_[s].record, text, length))) {
        s = (s + 1) & mask;
      }
      if (slots_[s].record == nullptr) {
        Record* const record = make(text, length);
        record->number = ~position;
        slots_[s] = {hash, record};
        ++used_;
        fresh.push_back(record);
        is_new[position] = 1;
      }
      numbers[position] = static_cast<i32>(slots_[s].record->number);
    }
  }
  i32 find(u64 hash, const char* text, u32 length) const {
    if (capacity_ == 0) return -1;
    const u64 mask = static_cast<u64>(capacity_ - 1);
    for (u64 s = hash & mask; slots_[s].record != nullptr; s = (s + 1) & mask) {
      if (slots_[s].hash == hash && same(*slots_[s].record, text, length))
        return static_cast<i32>(slots_[s].record->number);
    }
    return -1;
  }

  // Drops the names whose numbers are not below `size`, and those of an unfinished block, by backward-shift deletion.
  void forget(i64 size) {
    fresh.clear();
    if (size == 0) {  // all of them
      std::fill(slots_.begin(), slots_.end(), Slot{0, nullptr});
      used_ = 0;
      return;
    }
    const u64 mask = static_cast<u64>(capacity_ - 1);
    const auto is_dropped = [size](const Record* r) { return r != nullptr && (r->number < 0 || r->number >= size); };
    for (i64 i = 0; i < capacity_; ++i) {
      if (i + in_flight < capacity_) __builtin_prefetch(slots_[static_cast<std::size_t>(i + in_flight)].record);
      while (is_dropped(slots_[static_cast<std::size_t>(i)].record)) {
        --used_;
        auto hole = static_cast<u64>(i);
        for (u64 s = (hole + 1) & mask; slots_[s].record != nullptr; s = (s + 1) & mask) {
          if (((s - slots_[s].hash) & mask) < ((s - hole) & mask)) continue;  // its home lies behind the hole
          slots_[hole] = slots_[s];
          hole = s;
        }
        slots_[hole] = {0, nullptr};
      }
    }
  }

  void prefetch(u64 hash) const {
    if (capacity_ > 0) __builtin_prefetch(&slots_[hash & static_cast<u64>(capacity_ - 1)]);
  }

 private:
  struct Slot {
    u64 hash;
    Record* record;
  };
  static constexpr std::size_t arena = std::size_t{1} << 20;
  static constexpr std::size_t head = sizeof(i64) + sizeof(u32);

  static bool same(const Record& r, const char* text, u32 length) {
    return r.length == length && std::memcmp(r.bytes(), text, length) == 0;
  }

  Record* make(const char* text, u32 length) {
    constexpr std::size_t step = alignof(Record);
    const std::size_t size = (std::max(head + length, sizeof(Record)) + step - 1) / step * step;
    if (size > room_) {
      const std::size_t fresh_room = std::max(size, arena);
      arenas_.emplace_back(fresh_room, "names");  // may throw: until then room and place are those of the last one
      next_ = arenas_.back().data();
      room_ = fresh_room;
    }
    auto* const record = reinterpret_cast<Record*>(next_);
    record->length = length;
    std::memcpy(record->bytes(), text, length);
    next_ += size;
    room_ -= size;
    return record;
  }

  void grow(i64 least) {
    const auto size = static_cast<i64>(std::bit_ceil(static_cast<u64>(std::max<i64>(least, 1024))));
    Buffer<Slot> larger(static_cast<std::size_t>(size), "a table of names");
    in_blocks(i64{0}, size, i64{1} << 16,
              [&](i64 begin, i64 end) { std::fill(larger.begin() + begin, larger.begin() + end, Slot{0, nullptr}); });
    const u64 mask = static_cast<u64>(size - 1);
    for (i64 i = 0; i < capacity_; ++i) {
      stop_point_at(i);
      const Slot& slot = slots_[static_cast<std::size_t>(i)];
      if (slot.record == nullptr) continue;
      u64 s = slot.hash & mask;
      while (larger[s].record != nullptr) s = (s + 1) & mask;
      larger[s] = slot;
    }
    slots_ = std::move(larger);
    capacity_ = size;
  }

  Buffer<Slot> slots_;
  i64 capacity_ = 0, used_ = 0;
  std::vector<Buffer<char>> arenas_;
  char* next_ = nullptr;
  std::size_t room_ = 0;
};

Names::Names(int threads) : threads_(std::max(1, threads)), hash_(hash_seed()) {
  const auto shards = std::min(std::bit_floor(static_cast<unsigned>(threads_)), static_cast<unsigned>(most_shards));
  for (unsigned i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>());
}
Names::~Names() = default;

i64 Names::size() const { return static_cast<i64>(records_.size()); }

void Names::number(const TextColumn& a, const TextColumn& b, i32* u, i32* v) {
  const TextColumn columns[2] = {a, b};
  i32* const out[2] = {u, v};
  number_columns(columns, 1, std::min(a.count, b.count), out);
}

void Names::number(const TextColumn& names, i32* numbers) { number_columns(&names, 0, names.count, &numbers); }

void Names::check_and_hash(const TextColumn* columns, int log_columns, i64 first, i64 positions, u64* hashes) const {
  parallel_for(positions, grain, threads_, [&](i64 begin, i64 end, int) {
    for (i64 p = begin; p < end; ++p) {
      const TextColumn& column = columns[p & log_columns];
      const i64 row = first + (p >> log_columns);
      const u64 from = column.offsets[row], to = column.offsets[row + 1];
      if (!is_within(column, from, to)) {
        throw InputError("row " + std::to_string(row) + ": the offsets of a name do not lie within its column");
      }
      hashes[p] = hash_of(hash_, column.data + from, static_cast<i64>(to - from));
    }
  });
}

void Names::find(const TextColumn& names, i32* numbers) const {
  Buffer<u64> hashes(static_cast<std::size_t>(std::min(names.count, block_rows)));
  for (i64 first = 0; first < names.count; first += block_rows) {
    const i64 some = std::min(block_rows, names.count - first);
    check_and_hash(&names, 0, first, some, hashes.data());
    parallel_for(some, grain, threads_, [&](i64 begin, i64 end, int) {
      for (i64 i = begin; i < end; ++i) {
        if (i + in_flight < end) {
          const u64 next_hash = hashes[static_cast<std::size_t>(i + in_flight)];
          shards_[static_cast<std::size_t>(shard_of(next_hash))]->prefetch(next_hash);
        }
        const u64 hash = hashes[static_cast<std::size_t>(i)];
        const auto [text, length] = text_of(names, first + i);
        numbers[first + i] = shards_[static_cast<std::size_t>(shard_of(hash))]->find(hash, text, length);
      }
    });
  }
}

void Names::forget(i64 size) noexcept {
  for (auto& shard : shards_) shard->forget(size);
  records_.resize(std::min(records_.size(), static_cast<std::size_t>(size)));
}

void Names::number_columns(const TextColumn* columns, int log_columns, i64 rows, i32* const* out) {
  const auto most = static_cast<std::size_t>(std::min(rows, block_rows) << log_columns);
  Buffer<u64> hashes(most);
  Buffer<i32> numbers(most), rank(most);
  Buffer<u8> is_new(most);
  const auto shards = static_cast<i64>(shards_.size());
  for (i64 first = 0; first < rows; first += block_rows) {
    const i64 positions = std::min(block_rows, rows - first) << log_columns;
    const int threads = positions > grain ? threads_ : 1;  // waking threads takes longer than a few names
    check_and_hash(columns, log_columns, first, positions, hashes.data());
    std::fill(is_new.data(), is_new.data() + positions, 0);
    // Each shard numbers its names in the order of their positions.
    parallel_for(shards, 1, threads, [&](i64 which, i64, int) {
      Shard& shard = *shards_[static_cast<std::size_t>(which)];
      shard.fresh.clear();
      i64 at[in_flight];
      int count = 0;
      const auto flush = [&] {
        shard.look_up(hashes.data(), at, count, columns, log_columns, first, numbers.data(), is_new.data());
        count = 0;
      };
      for (i64 p = 0; p < positions; ++p) {
        const u64 hash = hashes[static_cast<std::size_t>(p)];
        if (shard_of(hash) != which) continue;
        shard.prefetch(hash);
        at[count] = p;
        if (++count == in_flight) flush();
      }
      if (count > 0) flush();
    });
    i64 next = size();
    for (i64 p = 0; p < positions; ++p) {
      rank[static_cast<std::size_t>(p)] = static_cast<i32>(next);
      next += is_new[static_cast<std::size_t>(p)];
    }
    if (next > INT32_MAX) throw InputError("there are 2^31 different names or more");
    records_.resize(static_cast<std::size_t>(next));
    parallel_for(shards, 1, threads, [&](i64 which, i64, int) {
      for (Record* record : shards_[static_cast<std::size_t>(which)]->fresh) {
        record->number = rank[static_cast<std::size_t>(~record->number)];
        records_[static_cast<std::size_t>(record->number)] = record;
      }
    });
    parallel_for(positions, grain, threads_, [&](i64 begin, i64 end, int) {
      for (i64 p = begin; p < end; ++p) {
        const i32 n = numbers[static_cast<std::size_t>(p)];
        out[p & log_columns][first + (p >> log_columns)] = n >= 0 ? n : rank[static_cast<std::size_t>(~n)];
      }
    });
  }
}

i64 Names::bytes(i64 since) const {
  std::atomic<i64> sum{0};
  parallel_for(size() - since, grain, threads_, [&](i64 b, i64 e, int) {
    i64 mine = 0;
    for (i64 i = since + b; i < since + e; ++i) {
      if (i + in_flight < since + e) __builtin_prefetch(records_[static_cast<std::size_t>(i + in_flight)]);
      mine += records_[static_cast<std::size_t>(i)]->length;
    }
    sum.fetch_add(mine, std::memory_order_relaxed);
  });
  return sum.load(std::memory_order_relaxed);
}

void Names::write(i64 since, i64* offsets, char* data) const {
  i64 at = 0;
  for (std::size_t i = static_cast<std::size_t>(since); i < records_.size(); ++i) {
    *offsets++ = at;
    std::memcpy(data + at, records_[i]->bytes(), records_[i]->length);
    at += records_[i]->length;
  }
  *offsets = at;
}

void Names::in_order(i32* numbers) const {
  parallel_for(size(), grain, threads_,
               [&](i64 b, i64 e, int) { std::iota(numbers + b, numbers + e, static_cast<i32>(b)); });
  TextOrder<Record>(records_.data()).sort(numbers, size(), 0, threads_);
}

void Names::write(const i32* numbers, i64* offsets, char* data) const {
  const auto record = [&](i64 i) { return records_[static_cast<std::size_t>(numbers[i])]; };
  const i64 n = size();
  std::vector<i64> start(static_cast<std::size_t>((n + grain - 1) / grain) + 1, 0);
  parallel_for(n, grain, threads_, [&](i64 b, i64 e, int) {
    i64 sum = 0;
    for (i64 i = b; i < e; ++i) {
      if (i + in_flight < e) __builtin_prefetch(record(i + in_flight));
      offsets[i] = sum;
      sum += record(i)->length;
    }
    start[static_cast<std::size_t>(b / grain) + 1] = sum;
  });
  for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  offsets[n] = start.back();
  parallel_for(n, grain, threads_, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      if (i + in_flight < e) __builtin_prefetch(record(i + in_flight));
      const Record& r = *record(i);
      offsets[i] += start[static_cast<std::size_t>(b / grain)];
      std::memcpy(data + offsets[i], r.bytes(), r.length);
    }
  });
}

}  // namespace lb::core

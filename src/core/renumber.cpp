#include "renumber.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "seed.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr std::int64_t grain = std::int64_t{1} << 16;

std::int64_t chunks_of(std::int64_t n) { return (n + grain - 1) / grain; }

// Ids of any type as unsigned 64-bit keys in the same order.
template <class Id>
std::uint64_t key_of(Id id) {
  if constexpr (std::is_signed_v<Id>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(id)) ^ (std::uint64_t{1} << 63);
  } else {
    return id;
  }
}
template <class Id>
Id id_of(std::uint64_t key) {
  if constexpr (std::is_signed_v<Id>) {
    return static_cast<Id>(static_cast<std::int64_t>(key ^ (std::uint64_t{1} << 63)));
  } else {
    return static_cast<Id>(key);
  }
}

// u followed by v, as one sequence of 2m keys.
template <class Id>
struct Keys {
  const Id* u;
  const Id* v;
  std::int64_t m;
  // Calls body(key, position) for positions [begin, end).
  template <class Body>
  void each(std::int64_t begin, std::int64_t end, Body&& body) const {
    for (std::int64_t i = begin; i < std::min(end, m); ++i) body(key_of(u[i]), i);
    for (std::int64_t i = std::max(begin, m); i < end; ++i) body(key_of(v[i - m]), i);
  }
  std::uint64_t at(std::int64_t i) const { return key_of(i < m ? u[i] : v[i - m]); }
};

// Calls write(u', v') with buffers of the narrowest type that holds ranks below k.
template <class Id, class Write>
void write_ranks(Renumbered<Id>& out, std::int64_t m, std::int64_t k, Write&& write) {
  const auto size = static_cast<std::size_t>(m);
  out.is_wide = k > INT32_MAX;
  if (out.is_wide) {
    out.wide_u = Buffer<std::int64_t>(size, "the numbers of the ids");
    out.wide_v = Buffer<std::int64_t>(size, "the numbers of the ids");
    write(out.wide_u.data(), out.wide_v.data());
  } else {
    out.u = Buffer<std::int32_t>(size, "the numbers of the ids");
    out.v = Buffer<std::int32_t>(size, "the numbers of the ids");
    write(out.u.data(), out.v.data());
  }
}

// Close ids: a bit for each id of the range, and before each word how many bits are set in front of it.
template <class Id>
void by_bitmap(const Keys<Id>& keys, std::uint64_t low, std::uint64_t range, int threads, Renumbered<Id>& out) {
  const auto words = static_cast<std::int64_t>(range / 64 + 1);
  Buffer<std::uint64_t> bits(static_cast<std::size_t>(words), "a bitmap of the ids");
  Buffer<std::int64_t> before(static_cast<std::size_t>(words));
  parallel_for(words, grain, threads,
               [&](std::int64_t b, std::int64_t e, int) { std::fill(bits.data() + b, bits.data() + e, 0); });
  parallel_for(2 * keys.m, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
    keys.each(b, e, [&](std::uint64_t key, std::int64_t) {
      std::atomic_ref<std::uint64_t> word(bits[(key - low) / 64]);
      const std::uint64_t bit = std::uint64_t{1} << ((key - low) % 64);
      // Most ids occur often: looking first saves the locked instruction.
      if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
    });
  });
  std::vector<std::int64_t> start(static_cast<std::size_t>(chunks_of(words)) + 1, 0);
  parallel_for(words, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
    std::int64_t n = 0;
    for (std::int64_t w = b; w < e; ++w) n += bit_count(bits[static_cast<std::size_t>(w)]);
    start[static_cast<std::size_t>(b / grain) + 1] = n;
  });
  for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  out.ids = Buffer<Id>(static_cast<std::size_t>(start.back()), "the ids that occur");
  parallel_for(words, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
    std::int64_t n = start[static_cast<std::size_t>(b / grain)];
    for (std::int64_t w = b; w < e; ++w) {
      before[static_cast<std::size_t>(w)] = n;
      for (std::uint64_t x = bits[static_cast<std::size_t>(w)]; x != 0; x &= x - 1) {
        out.ids[static_cast<std::size_t>(n++)] =
            id_of<Id>(low + static_cast<std::uint64_t>(w) * 64 + static_cast<std::uint64_t>(std::countr_zero(x)));
      }
    }
  });
  write_ranks(out, keys.m, start.back(), [&](auto* u, auto* v) {
    using Rank = std::remove_pointer_t<decltype(u)>;
    parallel_for(2 * keys.m, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
      keys.each(b, e, [&](std::uint64_t key, std::int64_t i) {
        const std::uint64_t w = (key - low) / 64;
        const std::uint64_t in_front = bits[w] & ((std::uint64_t{1} << ((key - low) % 64)) - 1);
        const auto rank = static_cast<Rank>(before[w] + bit_count(in_front));
        (i < keys.m ? u[i] : v[i - keys.m]) = rank;
      });
    });
  });
}

// A set of keys that grows with what is in it; kept by a worker from one range to the next.
class KeySet {
 public:
  explicit KeySet(const HashSeed& hash) : hash_(hash) {}
  void clear(std::uint64_t absent) {
    absent_ = absent;
    size_ = 0;
    resize(std::size_t{1} << 12);
  }
  // True if the key was not there; the key that clear() named must not be asked for.
  bool insert(std::uint64_t key) {
    if (2 * size_ >= slots_.size()) {
      std::vector<std::uint64_t> old(std::move(slots_));
      resize(4 * old.size());
      for (const std::uint64_t k : old) {
        if (k != absent_) slots_[find(k)] = k;
      }
    }
    const std::size_t slot = find(key);
    if (slots_[slot] == key) return false;
    slots_[slot] = key;
    ++size_;
    return true;
  }

 private:
  void resize(std::size_t slots) {
    slots_.assign(slots, absent_);
    shift_ = 64 - std::countr_zero(slots);
  }
  std::size_t find(std::uint64_t key) const {
    std::size_t slot = hash_(key) >> shift_;
    while (slots_[slot] != absent_ && slots_[slot] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  const HashSeed hash_;
  std::vector<std::uint64_t> slots_;
  std::uint64_t absent_ = 0;
  std::size_t size_ = 0;
  int shift_ = 0;
};

// The distinct keys of [begin, end), sorted, to the front of the range; returns how many. Repeats are
// dropped first, so that only distinct keys are sorted.
std::int64_t make_unique(std::uint64_t* begin, std::uint64_t* end, KeySet& seen) {
  if (begin == end) return 0;
  const std::uint64_t first = *begin;
  seen.clear(first);
  std::uint64_t* out = begin + 1;
  for (std::uint64_t* p = begin + 1; p < end; ++p) {
    const std::uint64_t key = *p;
    if (key != first && seen.insert(key)) *out++ = key;
  }
  std::sort(begin, out);
  return out - begin;
}

// Ids far apart: all lie in [least, least + range].
template <class Id>
void by_hash(const Keys<Id>& keys, std::uint64_t least, std::uint64_t range, int threads, Renumbered<Id>& out) {
  const std::int64_t n = 2 * keys.m;
  const HashSeed hash = hash_seed();
  // 1. Cut the keys into ranges of about 16 Ki keys each, along a sorted sample of them.
  const std::int64_t parts = std::clamp<std::int64_t>(n >> 14, 1, 4096);
  std::vector<std::uint64_t> sample;
  const std::int64_t samples = std::min(n, parts * 16);
  for (std::int64_t s = 0; s < samples; ++s) {
    // A multiplicative walk over the positions, that no period in the data can fool.
    const auto wide =
        static_cast<unsigned __int128>(hash(static_cast<std::uint64_t>(s))) * static_cast<std::uint64_t>(n);
    sample.push_back(keys.at(static_cast<std::int64_t>(wide >> 64)));
  }
  std::sort(sample.begin(), sample.end());
  // splitters[i] is the first key of part i + 1; padded to a power of two for the search below.
  std::size_t width = 1;
  while (width < static_cast<std::size_t>(parts)) width *= 2;
  std::vector<std::uint64_t> splitters(width, UINT64_MAX);
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(parts); ++i) {
    splitters[i] = sample[(i + 1) * sample.size() / static_cast<std::size_t>(parts)];
  }
  const auto search = [&](std::uint64_t key) {
    std::size_t p = 0;  // splitters in front of and equal to the key, found without a branch
    for (std::size_t step = width / 2; step > 0; step /= 2) p += splitters[p + step - 1] <= key ? step : 0;
    return std::min(p, static_cast<std::size_t>(parts) - 1);
  };
  // Ids that are spread evenly, as hashes are, need no search: equal steps part them as well. The range is
  // at least 32 n, so the factor fits.
  const auto factor = static_cast<std::uint64_t>((static_cast<unsigned __int128>(parts) << 64) /
                                                 (static_cast<unsigned __int128>(range) + 1));
  const auto scale = [&](std::uint64_t key) {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(key - least) * factor >> 64);
  };
  std::vector<std::int64_t> found(static_cast<std::size_t>(parts), 0);
  for (const std::uint64_t key : sample) ++found[scale(key)];
  const bool even = *std::max_element(found.begin(), found.end()) <= 64;  // 16 expected
  // 2. Bring the keys of each range together: each worker owns one stretch of the input and counts first.
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, chunks_of(n)));
  const std::int64_t stretch = (n + workers - 1) / workers;
  const auto part_count = static_cast<std::size_t>(parts);
  std::vector<std::int64_t> place(static_cast<std::size_t>(workers) * part_count, 0);
  Buffer<std::uint16_t> part(static_cast<std::size_t>(n), "parting the ids");
  const auto count_parts = [&](auto&& part_of) {
    parallel(workers, [&](int w) {
      std::int64_t* mine = place.data() + static_cast<std::size_t>(w) * part_count;
      keys.each(w * stretch, std::min(n, (w + 1) * stretch), [&](std::uint64_t key, std::int64_t i) {
        const std::size_t p = part_of(key);
        part[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(p);
        ++mine[p];
      });
    });
  };
  if (even) {
    count_parts(scale);
  } else {
    count_parts(search);
  }
  std::vector<std::int64_t> start(part_count + 1, 0);
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < part_count; ++p) {
    start[p] = sum;
    for (int w = 0; w < workers; ++w) {
      sum += std::exchange(place[static_cast<std::size_t>(w) * part_count + p], sum);
    }
  }
  start[part_count] = sum;
  Buffer<std::uint64_t> grouped(static_cast<std::size_t>(n), "the ids in groups");
  parallel(workers, [&](int w) {
    std::int64_t* mine = place.data() + static_cast<std::size_t>(w) * part_count;
    keys.each(w * stretch, std::min(n, (w + 1) * stretch), [&](std::uint64_t key, std::int64_t i) {
      grouped[static_cast<std::size_t>(mine[part[static_cast<std::size_t>(i)]]++)] = key;
    });
  });
  part = {};
  // 3. Distinct keys of each range, sorted; the ranges ascend, so their concatenation does too.
  std::vector<std::int64_t> rank(part_count + 1, 0);
  std::vector<KeySet> seen(static_cast<std::size_t>(threads), KeySet(hash));
  parallel_for(parts, 1, threads, [&](std::int64_t b, std::int64_t, int w) {
    const auto p = static_cast<std::size_t>(b);
    rank[p + 1] =
        make_unique(grouped.data() + start[p], grouped.data() + start[p + 1], seen[static_cast<std::size_t>(w)]);
  });
  seen.clear();
  for (std::size_t p = 1; p <= part_count; ++p) rank[p] += rank[p - 1];
  const std::int64_t k = rank[part_count];
  out.ids = Buffer<Id>(static_cast<std::size_t>(k), "the ids that occur");
  // 4. A hash table from key to rank, twice as large as needed. An unused key marks an empty slot: as there
  // are fewer keys than 2^64 one exists, and it is next to one that occurs.
  const std::size_t slots = std::bit_ceil(2 * static_cast<std::size_t>(k));
  const int shift = 64 - std::countr_zero(slots);
  std::uint64_t empty = grouped[static_cast<std::size_t>(start[0])] - 1;
  if (empty == UINT64_MAX) {
    std::int64_t r = 0;  // keys start at 0: the first gap above
    for (std::size_t p = 0; p < part_count && empty == UINT64_MAX; ++p) {
      for (std::int64_t i = 0; i < rank[p + 1] - rank[p]; ++i, ++r) {
        if (grouped[static_cast<std::size_t>(start[p] + i)] != static_cast<std::uint64_t>(r)) {
          empty = static_cast<std::uint64_t>(r);
          break;
        }
      }
    }
    if (empty == UINT64_MAX) empty = static_cast<std::uint64_t>(k);
  }
  write_ranks(out, keys.m, k, [&](auto* u, auto* v) {
    using Rank = std::remove_pointer_t<decltype(u)>;
    struct Slot {
      std::uint64_t key;
      Rank rank;
    };
    Buffer<Slot> table(slots);
    parallel_for(static_cast<std::int64_t>(slots), grain, threads, [&](std::int64_t b, std::int64_t e, int) {
      for (std::int64_t i = b; i < e; ++i) table[static_cast<std::size_t>(i)].key = empty;
    });
    const auto slot_of = [&](std::uint64_t key) { return hash(key) >> shift; };
    constexpr std::int64_t ahead = 16;
    parallel_for(parts, 1, threads, [&](std::int64_t b, std::int64_t, int) {
      const auto p = static_cast<std::size_t>(b);
      const std::uint64_t* mine = grouped.data() + start[p];
      const std::int64_t count = rank[p + 1] - rank[p];
      for (std::int64_t i = 0; i < count; ++i) {
        if (i + ahead < count) __builtin_prefetch(&table[slot_of(mine[i + ahead])], 1);
        const std::uint64_t key = mine[i];
        out.ids[static_cast<std::size_t>(rank[p] + i)] = id_of<Id>(key);
        std::size_t slot = slot_of(key);
        for (;; slot = (slot + 1) & (slots - 1)) {
          std::uint64_t expected = empty;
          std::atomic_ref<std::uint64_t> cell(table[slot].key);
          if (cell.load(std::memory_order_relaxed) == empty &&
              cell.compare_exchange_strong(expected, key, std::memory_order_relaxed)) {
            break;
          }
        }
        table[slot].rank = static_cast<Rank>(rank[p] + i);
      }
    });
    // 5. Look every id up, a few in flight at a time.
    parallel_for(n, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
      keys.each(b, e, [&](std::uint64_t key, std::int64_t i) {
        if (i + ahead < e) __builtin_prefetch(&table[slot_of(keys.at(i + ahead))]);
        std::size_t slot = slot_of(key);
        while (table[slot].key != key) slot = (slot + 1) & (slots - 1);
        (i < keys.m ? u[i] : v[i - keys.m]) = table[slot].rank;
      });
    });
  });
}

}  // namespace

template <class Id>
Renumbered<Id> renumber(const Id* u, const Id* v, std::int64_t m, int threads) {
  Renumbered<Id> out;
  const Keys<Id> keys{u, v, m};
  if (m == 0) {
    out.ids = Buffer<Id>(0);
    write_ranks(out, 0, 0, [](auto*, auto*) {});
    return out;
  }
  threads = std::max(1, threads);
  std::vector<std::uint64_t> low(static_cast<std::size_t>(threads), UINT64_MAX);
  std::vector<std::uint64_t> high(static_cast<std::size_t>(threads), 0);
  parallel_for(2 * m, grain, threads, [&](std::int64_t b, std::int64_t e, int w) {
    std::uint64_t least = UINT64_MAX, most = 0;
    keys.each(b, e, [&](std::uint64_t key, std::int64_t) {
      least = std::min(least, key);
      most = std::max(most, key);
    });
    const auto i = static_cast<std::size_t>(w);
    low[i] = std::min(low[i], least);
    high[i] = std::max(high[i], most);
  });
  const std::uint64_t least = *std::min_element(low.begin(), low.end());
  const std::uint64_t range = *std::max_element(high.begin(), high.end()) - least;
  if (range / 64 <= static_cast<std::uint64_t>(m)) {
    by_bitmap(keys, least, range, threads, out);
  } else {
    by_hash(keys, least, range, threads, out);
  }
  return out;
}

template Renumbered<std::int32_t> renumber(const std::int32_t*, const std::int32_t*, std::int64_t, int);
template Renumbered<std::int64_t> renumber(const std::int64_t*, const std::int64_t*, std::int64_t, int);
template Renumbered<std::uint32_t> renumber(const std::uint32_t*, const std::uint32_t*, std::int64_t, int);
template Renumbered<std::uint64_t> renumber(const std::uint64_t*, const std::uint64_t*, std::int64_t, int);

}  // namespace lb::core

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

// The arrays belong to the caller, who may change them during a call. Every pass reads them again, so a key may differ
// from what an earlier pass read: its number is then that of another id, and every index stays within its array.

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

// Ids close together: a bitmap of their range, and the number of set bits in front of each word.
template <class Id>
void by_bitmap(const Keys<Id>& keys, std::uint64_t low, std::uint64_t range, int threads, Renumbered<Id>& out) {
  const auto words = static_cast<std::int64_t>(range / 64 + 1);
  Buffer<std::uint64_t> bits(static_cast<std::size_t>(words), "a bitmap of the ids");
  Buffer<std::int64_t> before(static_cast<std::size_t>(words));
  parallel_for(words, grain, threads,
               [&](std::int64_t b, std::int64_t e, int) { std::fill(bits.data() + b, bits.data() + e, 0); });
  const auto place_of = [=](std::uint64_t key) { return std::min(key - low, range); };
  // The greatest id was there: with its bit set, the number of set bits in front of any place is the number of an id.
  bits[range / 64] = std::uint64_t{1} << range % 64;
  parallel_for(2 * keys.m, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
    keys.each(b, e, [&](std::uint64_t key, std::int64_t) {
      const std::uint64_t place = place_of(key);
      std::atomic_ref<std::uint64_t> word(bits[place / 64]);
      const std::uint64_t bit = std::uint64_t{1} << place % 64;
      // Most ids occur often: a load first saves the locked instruction.
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
        const std::uint64_t place = place_of(key), w = place / 64;
        const std::uint64_t in_front = bits[w] & ((std::uint64_t{1} << place % 64) - 1);
        const auto rank = static_cast<Rank>(before[w] + bit_count(in_front));
        (i < keys.m ? u[i] : v[i - keys.m]) = rank;
      });
    });
  });
}

// A growing set of keys; a worker reuses one for all of its groups.
class KeySet {
 public:
  explicit KeySet(const HashSeed& hash) : hash_(hash) {}
  void clear(std::uint64_t absent) {
    absent_ = absent;
    size_ = 0;
    resize(std::size_t{1} << 12);
  }
  // True if the key is new; the argument of clear() must not be inserted.
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

// Moves the distinct keys of [begin, end), sorted, to the front of the range; returns their number. Repeats are dropped
// first, so that only distinct keys are sorted.
std::int64_t make_unique(std::uint64_t* begin, std::uint64_t* end, KeySet& set) {
  if (begin == end) return 0;
  const std::uint64_t first = *begin;
  set.clear(first);
  std::uint64_t* out = begin + 1;
  for (std::uint64_t* p = begin + 1; p < end; ++p) {
    const std::uint64_t key = *p;
    if (key != first && set.insert(key)) *out++ = key;
  }
  std::sort(begin, out);
  return out - begin;
}

// The part of a key if the parts are equal steps of the range of all keys.
struct EqualSteps {
  std::uint64_t least, factor;
  std::size_t last;

  // All keys lie in [first, first + range]. The range is more than 32 times the number of keys, so the factor fits.
  EqualSteps(std::uint64_t first, std::uint64_t range, std::size_t parts)
      : least(first),
        last(parts - 1),
        factor(static_cast<std::uint64_t>((static_cast<unsigned __int128>(parts) << 64) /
                                          (static_cast<unsigned __int128>(range) + 1))) {}

  std::size_t operator()(std::uint64_t key) const {
    const auto part = static_cast<std::size_t>(static_cast<unsigned __int128>(key - least) * factor >> 64);
    return std::min(part, last);
  }
};

// The part of a key by binary search among splitters: keys[i] is the first key of part i + 1, padded to a power of two.
struct SplitterSearch {
  const std::uint64_t* keys;
  std::size_t width, parts;

  std::size_t operator()(std::uint64_t key) const {
    std::size_t p = 0;  // splitters not above the key, counted without a branch
    for (std::size_t step = width / 2; step > 0; step /= 2) p += keys[p + step - 1] <= key ? step : 0;
    return std::min(p, parts - 1);
  }
};

// A sorted sample of 16 keys per part.
template <class Id>
std::vector<std::uint64_t> sample_keys(const Keys<Id>& keys, std::size_t parts, const HashSeed& hash) {
  const std::int64_t n = 2 * keys.m;
  const std::int64_t samples = std::min(n, static_cast<std::int64_t>(parts) * 16);
  std::vector<std::uint64_t> sample;
  for (std::int64_t s = 0; s < samples; ++s) {
    // Random positions, independent of any period in the data.
    const auto wide =
        static_cast<unsigned __int128>(hash(static_cast<std::uint64_t>(s))) * static_cast<std::uint64_t>(n);
    sample.push_back(keys.at(static_cast<std::int64_t>(wide >> 64)));
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

// Keys grouped by parts: those of part p are keys[start[p]] to keys[start[p + 1] - 1].
struct Groups {
  Buffer<std::uint64_t> keys;
  std::vector<std::int64_t> start;
  std::size_t parts() const { return start.size() - 1; }
};

// Each worker owns one stretch of the input, counts its keys per part, and then copies them to their places.
template <class Id, class PartOf>
Groups group_by(const Keys<Id>& keys, std::size_t parts, const PartOf& part_of, int threads) {
  const std::int64_t n = 2 * keys.m;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, chunks_of(n)));
  const std::int64_t stretch = (n + workers - 1) / workers;
  std::vector<std::int64_t> place(static_cast<std::size_t>(workers) * parts, 0);
  Buffer<std::uint16_t> part(static_cast<std::size_t>(n), "grouping the ids");
  parallel(workers, [&](int w) {
    const PartOf local = part_of;
    std::int64_t* mine = place.data() + static_cast<std::size_t>(w) * parts;
    keys.each(w * stretch, std::min(n, (w + 1) * stretch), [&](std::uint64_t key, std::int64_t i) {
      const std::size_t p = local(key);
      part[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(p);
      ++mine[p];
    });
  });
  Groups groups;
  groups.start.assign(parts + 1, 0);
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    groups.start[p] = sum;
    for (int w = 0; w < workers; ++w) sum += std::exchange(place[static_cast<std::size_t>(w) * parts + p], sum);
  }
  groups.start[parts] = sum;
  groups.keys = Buffer<std::uint64_t>(static_cast<std::size_t>(n), "the ids in groups");
  parallel(workers, [&](int w) {
    std::int64_t* mine = place.data() + static_cast<std::size_t>(w) * parts;
    keys.each(w * stretch, std::min(n, (w + 1) * stretch), [&](std::uint64_t key, std::int64_t i) {
      groups.keys[static_cast<std::size_t>(mine[part[static_cast<std::size_t>(i)]]++)] = key;
    });
  });
  return groups;
}

// Groups of about 16 Ki keys each, in ascending ranges. Evenly spread ids, such as hashes, are grouped by equal steps;
// others by the splitters of a sample.
template <class Id>
Groups group_keys(const Keys<Id>& keys, std::uint64_t least, std::uint64_t range, int threads, const HashSeed& hash) {
  const auto parts = static_cast<std::size_t>(std::clamp<std::int64_t>(2 * keys.m >> 14, 1, 4096));
  const std::vector<std::uint64_t> sample = sample_keys(keys, parts, hash);
  const EqualSteps steps(least, range, parts);
  std::vector<std::int64_t> sizes(parts, 0);
  for (const std::uint64_t key : sample) ++sizes[steps(key)];
  if (*std::max_element(sizes.begin(), sizes.end()) <= 64) return group_by(keys, parts, steps, threads);  // 16 expected
  const std::size_t width = std::bit_ceil(parts);
  std::vector<std::uint64_t> splitters(width, UINT64_MAX);
  for (std::size_t i = 0; i + 1 < parts; ++i) splitters[i] = sample[(i + 1) * sample.size() / parts];
  return group_by(keys, parts, SplitterSearch{splitters.data(), width, parts}, threads);
}

// Leaves the distinct keys of each group, sorted, at its front; returns the rank of the first key of each group, and
// behind them the number of all.
std::vector<std::int64_t> unique_groups(Groups& groups, int threads, const HashSeed& hash) {
  std::vector<std::int64_t> rank(groups.parts() + 1, 0);
  std::vector<KeySet> sets(static_cast<std::size_t>(threads), KeySet(hash));
  parallel_for(static_cast<std::int64_t>(groups.parts()), 1, threads, [&](std::int64_t b, std::int64_t, int w) {
    const auto p = static_cast<std::size_t>(b);
    std::uint64_t* const keys = groups.keys.data();
    rank[p + 1] = make_unique(keys + groups.start[p], keys + groups.start[p + 1], sets[static_cast<std::size_t>(w)]);
  });
  for (std::size_t p = 1; p < rank.size(); ++p) rank[p] += rank[p - 1];
  return rank;
}

// A key that does not occur: there are fewer keys than 2^64, so one next to a key that occurs.
std::uint64_t absent_key(const Groups& groups, const std::vector<std::int64_t>& rank) {
  const std::uint64_t below = groups.keys[static_cast<std::size_t>(groups.start[0])] - 1;
  if (below != UINT64_MAX) return below;
  std::int64_t r = 0;  // keys start at 0: the first gap above
  for (std::size_t p = 0; p < groups.parts(); ++p) {
    for (std::int64_t i = 0; i < rank[p + 1] - rank[p]; ++i, ++r) {
      const auto key = static_cast<std::uint64_t>(r);
      if (groups.keys[static_cast<std::size_t>(groups.start[p] + i)] != key) return key;
    }
  }
  return static_cast<std::uint64_t>(rank.back());
}

// A hash table from key to rank, twice as large as needed.
template <class Rank>
class RankTable {
 public:
  RankTable(std::int64_t keys, std::uint64_t empty, int threads, const HashSeed& hash)
      : hash_(hash),
        mask_(std::bit_ceil(2 * static_cast<std::size_t>(keys)) - 1),
        shift_(64 - std::countr_zero(mask_ + 1)),
        empty_(empty),
        slots_(mask_ + 1) {
    parallel_for(static_cast<std::int64_t>(mask_ + 1), grain, threads, [&](std::int64_t b, std::int64_t e, int) {
      for (std::int64_t i = b; i < e; ++i) slots_[static_cast<std::size_t>(i)] = {empty_, Rank{0}};
    });
  }

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
  void prefetch_to_write(std::uint64_t key) { __builtin_prefetch(&slots_[home(key)], 1); }

  // Threads may insert different keys concurrently.
  void insert(std::uint64_t key, Rank rank) {
    std::size_t slot = home(key);
    for (;; slot = (slot + 1) & mask_) {
      std::uint64_t expected = empty_;
      std::atomic_ref<std::uint64_t> cell(slots_[slot].key);
      if (cell.load(std::memory_order_relaxed) == empty_ &&
          cell.compare_exchange_strong(expected, key, std::memory_order_relaxed)) {
        break;
      }
    }
    slots_[slot].rank = rank;
  }

  // The rank of a key that was inserted; 0 for any other.
  Rank operator[](std::uint64_t key) const {
    std::size_t slot = home(key);
    while (slots_[slot].key != key && slots_[slot].key != empty_) slot = (slot + 1) & mask_;
    return slots_[slot].rank;
  }

 private:
  struct Slot {
    std::uint64_t key;
    Rank rank;
  };
  std::size_t home(std::uint64_t key) const { return hash_(key) >> shift_; }

  const HashSeed hash_;
  const std::size_t mask_;
  const int shift_;
  const std::uint64_t empty_;
  Buffer<Slot> slots_;
};

// Ids far apart: all lie in [least, least + range].
template <class Id>
void by_hash(const Keys<Id>& keys, std::uint64_t least, std::uint64_t range, int threads, Renumbered<Id>& out) {
  const HashSeed hash = hash_seed();
  Groups groups = group_keys(keys, least, range, threads, hash);
  const std::vector<std::int64_t> rank = unique_groups(groups, threads, hash);
  out.ids = Buffer<Id>(static_cast<std::size_t>(rank.back()), "the ids that occur");
  const std::uint64_t empty = absent_key(groups, rank);
  write_ranks(out, keys.m, rank.back(), [&](auto* u, auto* v) {
    using Rank = std::remove_pointer_t<decltype(u)>;
    constexpr std::int64_t ahead = 16;
    RankTable<Rank> table(rank.back(), empty, threads, hash);
    parallel_for(static_cast<std::int64_t>(groups.parts()), 1, threads, [&](std::int64_t b, std::int64_t, int) {
      const auto p = static_cast<std::size_t>(b);
      const std::uint64_t* mine = groups.keys.data() + groups.start[p];
      const std::int64_t count = rank[p + 1] - rank[p];
      for (std::int64_t i = 0; i < count; ++i) {
        if (i + ahead < count) table.prefetch_to_write(mine[i + ahead]);
        out.ids[static_cast<std::size_t>(rank[p] + i)] = id_of<Id>(mine[i]);
        table.insert(mine[i], static_cast<Rank>(rank[p] + i));
      }
    });
    parallel_for(2 * keys.m, grain, threads, [&](std::int64_t b, std::int64_t e, int) {
      keys.each(b, e, [&](std::uint64_t key, std::int64_t i) {
        if (i + ahead < e) table.prefetch(keys.at(i + ahead));
        (i < keys.m ? u[i] : v[i - keys.m]) = table[key];
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

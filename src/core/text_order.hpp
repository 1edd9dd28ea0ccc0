// Texts in ascending order of their bytes (a prefix comes first), by radix. A step skips the common prefix; of the next
// 16 bytes, as many of the bits that differ as fit a word beside the position of the text make a key. Groups of texts
// with equal keys are sorted by the bytes that follow. Each step consumes at least one byte of each text and reads it
// at most three times, so the time is linear in the bytes of all texts, whatever they are.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "graph.hpp"
#include "sort.hpp"
#include "threads.hpp"

namespace lb::core {

// Text: has `length` and bytes(), and no two are equal. Orders items[0, n), which are positions in texts.
template <class Text>
class TextOrder {
 public:
  explicit TextOrder(const Text* const* texts) : texts_(texts) {}

  // All texts among items agree in their first `depth` bytes. 16 bytes an item.
  void sort(i32* items, i64 n, i64 depth, int threads) const {
    threads = std::max(1, threads);
    // The loop continues with the largest group of equal keys, so recursion is at most log n deep.
    while (n > few) {
      if (n < parallel_from) threads = 1;
      const Group largest = by_key(items, n, depth, threads);
      items += largest.begin, n = largest.size, depth = largest.depth;
    }
    std::sort(items, items + n, [&](i32 a, i32 b) {
      const Text &x = at(a), &y = at(b);
      const i64 least = std::min(x.length, y.length);
      const int order = compare(x, y, depth, least);
      return order != 0 ? order < 0 : x.length < y.length;
    });
  }

 private:
  static constexpr i64 few = 24;  // groups of at most this size are sorted by comparison
  static constexpr i64 parallel_from = i64{1} << 14;
  static constexpr i64 grain = i64{1} << 12;
  static constexpr i64 ahead = 8;
  static constexpr int window = 16;      // bytes that may enter a key
  static constexpr int length_bits = 5;  // for 0..16 of them

  struct Group {
    i64 begin, size, depth;
  };

  // The next 16 bytes, big-endian, with zeros behind the end.
  struct Words {
    u64 w[2];
  };

  // Adjacent bits of one word, which are adjacent in the key too.
  struct BitRun {
    int word, right, left;
    u64 mask;
  };
  // The layout of a key: runs of bits and, if texts end among its bytes, their number of bytes there in the lowest
  // bits, which zero padding does not show.
  struct KeyLayout {
    i64 depth;      // the first byte of the key
    int bytes = 0;  // bytes that are in the key completely
    bool with_length = false;
    int count = 0;
    BitRun runs[8 * window];
  };

  // Statistics of the texts from a depth on: the bits that are set in any and in all, and the least length.
  struct PrefixStats {
    Words any{{0, 0}}, all{{~u64{0}, ~u64{0}}};
    i64 least = INT64_MAX;
    bool alike = true;  // equal up to the depth
    void add(const PrefixStats& o) {
      for (int k = 0; k < 2; ++k) any.w[k] |= o.any.w[k], all.w[k] &= o.all.w[k];
      least = std::min(least, o.least);
      alike = alike && o.alike;
    }
  };

  const Text& at(i32 item) const { return *texts_[item]; }
  void prefetch(i32 item, i64 depth) const {
    const char* const p = reinterpret_cast<const char*>(&at(item));
    __builtin_prefetch(p);
    __builtin_prefetch(at_depth(p, depth));
  }
  static const char* at_depth(const char* record, i64 depth) { return record + sizeof(Text) + depth; }

  static int compare(const Text& x, const Text& y, i64 begin, i64 end) {
    return std::memcmp(x.bytes() + begin, y.bytes() + begin, static_cast<std::size_t>(end - begin));
  }

  Words words(const Text& t, i64 depth) const {
    Words x{{0, 0}};
    const i64 rest = t.length - depth;
    const char* const p = t.bytes() + depth;
    if (rest >= window) {
      std::memcpy(x.w, p, window);
    } else if (rest > 0) {
      std::memcpy(x.w, p, static_cast<std::size_t>(rest));
    }
    if constexpr (std::endian::native == std::endian::little) {
      x.w[0] = __builtin_bswap64(x.w[0]);
      x.w[1] = __builtin_bswap64(x.w[1]);
    }
    return x;
  }

  // The length of the common prefix of two texts, at most `end`; they agree before `depth`.
  static i64 common(const Text& x, const Text& y, i64 depth, i64 end) {
    end = std::min<i64>({end, x.length, y.length});
    if (compare(x, y, depth, end) == 0) return end;
    while (x.bytes()[depth] == y.bytes()[depth]) ++depth;
    return depth;
  }
  i64 common(const i32* items, i64 n, i64 depth, int threads) const {
    std::vector<i64> least(static_cast<std::size_t>(threads), INT64_MAX);
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int w) {
      i64& end = least[static_cast<std::size_t>(w)];
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) prefetch(items[i + ahead], depth);
        end = common(at(items[0]), at(items[i]), depth, end);
      }
    });
    return *std::min_element(least.begin(), least.end());
  }

  // In one pass: whether all texts agree up to `to`, and the statistics of the bytes that follow.
  PrefixStats stats(const i32* items, i64 n, i64 depth, i64 to, int threads) const {
    std::vector<PrefixStats> parts(static_cast<std::size_t>(threads));
    const Text& first = at(items[0]);
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int w) {
      PrefixStats mine;
      for (i64 i = b; i < e; ++i) {
        if (i + ahead < e) prefetch(items[i + ahead], to);
        const Text& t = at(items[i]);
        mine.least = std::min<i64>(mine.least, t.length);
        if (t.length < to || compare(first, t, depth, to) != 0) {
          mine.alike = false;
          break;
        }
        const Words x = words(t, to);
        for (int k = 0; k < 2; ++k) mine.any.w[k] |= x.w[k], mine.all.w[k] &= x.w[k];
      }
      parts[static_cast<std::size_t>(w)].add(mine);
    });
    PrefixStats total;
    for (const PrefixStats& p : parts) total.add(p);
    return total;
  }

  // The layout of a key of `most` bits for texts that agree in their first `depth` bytes.
  KeyLayout layout_of(const i32* items, i64 n, i64 depth, int most, int threads) const {
    KeyLayout key;
    key.depth = at(items[0]).length;  // the common prefix of a sample is mostly that of all
    for (i64 i = 0; i < n; i += n / few) key.depth = common(at(items[0]), at(items[i]), depth, key.depth);
    PrefixStats texts = stats(items, n, depth, key.depth, threads);
    if (!texts.alike) {
      key.depth = common(items, n, depth, threads);
      texts = stats(items, n, key.depth, key.depth, threads);
    }
    key.with_length = texts.least < key.depth + window;
    int free_bits = key.with_length ? most - length_bits : most;
    const int low = key.with_length ? length_bits : 0;
    for (; key.bytes < window; ++key.bytes) {
      const int word = key.bytes / 8, shift = 56 - key.bytes % 8 * 8;
      u64 differ = (texts.any.w[word] & ~texts.all.w[word]) >> shift & 0xff;
      const bool fits = std::popcount(differ) <= free_bits;
      while (differ != 0 && free_bits > 0) {  // the highest run of ones, or its upper part
        const int high = std::bit_width(differ) - 1;
        int width = 1;
        while (width < free_bits && width <= high && (differ >> (high - width) & 1) != 0) ++width;
        free_bits -= width;
        const u64 ones = (u64{1} << width) - 1;
        key.runs[key.count++] = {word, shift + high + 1 - width, free_bits + low, ones};
        differ &= ~(ones << (high + 1 - width));
      }
      if (!fits) break;
    }
    return key;
  }

  // Sorts by a key, and orders all groups of equal keys but the largest, which is returned.
  Group by_key(i32* items, i64 n, i64 depth, int threads) const {
    const int low = std::bit_width(static_cast<u64>(n - 1));  // bits for the position among items
    const KeyLayout key = layout_of(items, n, depth, 64 - low, threads);
    const auto size = static_cast<std::size_t>(n);
    Buffer<u64> keys(size, "the order of the names");
    {
      Buffer<i32> before(size, "the order of the names");
      Buffer<u64> scratch(size, "the order of the names");
      parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
        for (i64 i = b; i < e; ++i) {
          if (i + ahead < e) prefetch(items[i + ahead], key.depth);
          before[static_cast<std::size_t>(i)] = items[i];
          const Text& t = at(items[i]);
          const Words x = words(t, key.depth);
          u64 k = key.with_length ? static_cast<u64>(std::min<i64>(key.bytes, t.length - key.depth)) : 0;
          for (int r = 0; r < key.count; ++r)
            k |= (x.w[key.runs[r].word] >> key.runs[r].right & key.runs[r].mask) << key.runs[r].left;
          keys[static_cast<std::size_t>(i)] = k << low | static_cast<u64>(i);
        }
      });
      sort_keys(keys.data(), scratch.data(), n, 64, threads, low);
      parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
        for (i64 i = b; i < e; ++i) {
          u64& k = keys[static_cast<std::size_t>(i)];
          items[i] = before[static_cast<std::size_t>(k & ((u64{1} << low) - 1))];
          k >>= low;
        }
      });
    }
    // A text that ends within the key has a key of its own; texts with equal keys share all its bytes.
    return equal_keys(items, n, key.depth + key.bytes, keys.data(), threads);
  }

  Group equal_keys(i32* items, i64 n, i64 depth, const u64* keys, int threads) const {
    std::vector<Group> large(static_cast<std::size_t>(threads), Group{0, 0, depth});
    const i64 share = std::max(parallel_from, n / (4 * threads));
    std::vector<std::vector<Group>> later(static_cast<std::size_t>(threads));
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int w) {
      Group& largest = large[static_cast<std::size_t>(w)];
      while (b < e && b > 0 && keys[b] == keys[b - 1]) ++b;  // a group belongs to the chunk in which it begins
      for (i64 i = b; i < e;) {
        i64 end = i + 1;
        while (end < n && keys[end] == keys[i]) ++end;
        Group group{i, end - i, depth};
        i = end;
        if (group.size == 1) continue;
        if (group.size > largest.size) std::swap(group, largest);
        if (group.size > share) {
          later[static_cast<std::size_t>(w)].push_back(group);
        } else if (group.size > 1) {
          sort(items + group.begin, group.size, group.depth, 1);
        }
      }
    });
    Group largest = large[0];
    for (std::size_t w = 1; w < large.size(); ++w) {
      if (large[w].size > largest.size) std::swap(largest, large[w]);
      if (large[w].size > 1) later[w].push_back(large[w]);
    }
    for (const auto& groups : later) {
      for (const Group& g : groups) sort(items + g.begin, g.size, g.depth, threads);
    }
    return largest;
  }

  const Text* const* texts_;
};

}  // namespace lb::core

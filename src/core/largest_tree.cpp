#include "largest_tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "frequent_root.hpp"
#include "graph.hpp"
#include "landbridge/policy/sample.hpp"
#include "landbridge/random.hpp"
#include "vector_instructions.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

constexpr int largest_shift = 6;
// The share of all vertices in the largest tree below which most edges would have to be united all the same.
constexpr double most = 0.75;
// The steps of a walk from a vertex of which only the root counts.
constexpr int longest_look = 64;
// The share of random edges that groups may let through, or so many times what single vertices do.
constexpr double few = 1.0 / 16, times_as_many = 2;

// The even bits of a word, in its lower half.
u64 even_bits(u64 x) {
  x &= 0x5555555555555555u;
  x = (x | x >> 1) & 0x3333333333333333u;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
  x = (x | x >> 8) & 0x0000ffff0000ffffu;
  return (x | x >> 16) & 0x00000000ffffffffu;
}

// Bits of groups of 1, 2, 4, ... 64 vertices, from those of 64 vertices: visit(shift, bits).
template <class Visit>
void for_groups(u64 word, const Visit& visit) {
  for (int shift = 0; shift <= largest_shift; ++shift) {
    visit(shift, word);
    // Bit 2i of the next one is set where bits 2i and 2i + 1 are; then it moves to place i.
    word = even_bits(word & word >> 1);
  }
}

// Of random edges.
double let_through(i64 members, i64 of) {
  const double share = static_cast<double>(members) / static_cast<double>(of);
  return 1 - share * share;
}

#if LB_VECTOR_INSTRUCTIONS
// As for one vertex, for the eight ids at `ids`: the top bit of each lane. All bits lie in the first 2^31 words.
__attribute__((target("avx2"))) inline __m256i members(const u64* words, int shift, u32 none, const u32* ids) {
  __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids));
  asm("" : "+x"(x));  // not read again: its owner may be writing it
  const __m256i group = _mm256_min_epu32(_mm256_srli_epi32(x, shift), _mm256_set1_epi32(static_cast<int>(none)));
  const __m256i word = _mm256_i32gather_epi32(reinterpret_cast<const int*>(words), _mm256_srli_epi32(group, 5), 4);
  // A shift by 31 - place takes the bit of a place to the top; of a place, only the last five bits count.
  return _mm256_sllv_epi32(word, _mm256_andnot_si256(group, _mm256_set1_epi32(31)));
}

__attribute__((target("avx2"))) u64 joining_gathered(const u64* words, int shift, u32 none, const u32* u,
                                                     const u32* v) {
  u64 bits = 0;
  for (int i = 0; i < 64; i += 8) {
    const __m256i both = _mm256_and_si256(members(words, shift, none, u + i), members(words, shift, none, v + i));
    bits |= static_cast<u64>(~_mm256_movemask_ps(_mm256_castsi256_ps(both)) & 0xff) << i;
  }
  return bits;
}
#endif

}  // namespace

template <class Id>
u64 LargestTree<Id>::joining(const Id* u, const Id* v, int count) const {
#if LB_VECTOR_INSTRUCTIONS
  if constexpr (sizeof(Id) == 4) {
    if (count == 64 && gathers_) return joining_gathered(words_.data(), shift_, static_cast<u32>(none_), u, v);
  }
#endif
  u64 bits = 0;
  for (int i = 0; i < count; ++i) bits |= static_cast<u64>(!(has(read_once(u + i)) & has(read_once(v + i)))) << i;
  return bits;
}

template <class Id>
bool LargestTree<Id>::in_sight(const SharedMemory<Id>& parent, i64 n, u64 seed) {
  const i64 draws = std::min<i64>(n, lb::sample::drawn_labels);
  RootCounts<Id> ends(draws);
  for (i64 i = 0; i < draws; ++i) {
    Id x = static_cast<Id>(mix(seed, static_cast<u64>(i)) % static_cast<u64>(n));
    for (int step = 0; step < longest_look; ++step) {
      const Id above = parent.load(x);
      if (above == x) break;
      x = above;
    }
    ends.add(x);
  }
  return n > 0 && ends.most_frequent().share >= most;
}

template <class Id>
void LargestTree<Id>::mark(const SharedMemory<Id>& parent, i64 n, u64 seed, int threads) {
  lets_through_ = 1;
  words_ = {};
  if (n == 0) return;
  const auto chunks = [&](const auto& body) {
    parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { body(b, e); });
  };
  const i64 draws = std::min<i64>(n, lb::sample::drawn_labels);
  RootCounts<Id> roots(draws);  // parents, which are roots where trees are flat
  for (i64 i = 0; i < draws; ++i)
    roots.add(parent.load(static_cast<Id>(mix(seed, static_cast<u64>(i)) % static_cast<u64>(n))));
  const FrequentRoot<Id> frequent = roots.most_frequent();
  if (frequent.share < most) return;
  const Id root = frequent.root;
  std::array<std::atomic<i64>, largest_shift + 1> full{};  // groups, by their size
  try {
    Buffer<u64> members(static_cast<std::size_t>(n / 64 + 1), "the vertices of the largest tree");
    members[members.size() - 1] = 0;
    chunks([&](i64 b, i64 e) {
      std::array<i64, largest_shift + 1> own{};
      for (i64 base = b; base < e; base += 64) {
        u64 word = 0;
        for (i64 x = base; x < std::min(e, base + 64); ++x)
          word |= static_cast<u64>(parent.load(static_cast<Id>(x)) == root) << (x - base);
        members[static_cast<std::size_t>(base >> 6)] = word;
        for_groups(word, [&](int shift, u64 bits) { own[static_cast<std::size_t>(shift)] += std::popcount(bits); });
      }
      for (std::size_t s = 0; s < own.size(); ++s) full[s].fetch_add(own[s], std::memory_order_relaxed);
    });
    const auto through = [&](int shift) {
      const i64 groups = (n >> shift) + 1;
      return let_through(std::min(groups, full[static_cast<std::size_t>(shift)].load(std::memory_order_relaxed)),
                         groups);
    };
    const double bound = std::max(few, times_as_many * through(0));
    const i64 bytes = cached_set_bytes.load(std::memory_order_relaxed);
    int shift = 0;
    while (shift < largest_shift && (n >> shift) / 8 > bytes && through(shift + 1) <= bound) ++shift;
    const double let = through(shift);
    group(std::move(members), n, shift, threads);
    lets_through_ = let;
  } catch (const OutOfMemory&) {  // every edge is united
  }
}

// Keeps the set with one bit for 2^shift vertices.
template <class Id>
void LargestTree<Id>::group(Buffer<u64> members, i64 n, int shift, int threads) {
  shift_ = shift;
  none_ = static_cast<u64>(((n - 1) >> shift) + 1);
  if (shift == 0) {
    words_ = std::move(members);
    return;
  }
  const i64 words = static_cast<i64>(none_ / 64 + 1), all = static_cast<i64>(members.size());
  Buffer<u64> grouped(static_cast<std::size_t>(words), "the vertices of the largest tree");
  parallel_for(words, cpu::chunk_vertices / 64, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      u64 word = 0;
      const i64 first = i << shift;
      for (i64 j = first; j < std::min(all, first + (i64{1} << shift)); ++j) {
        for_groups(members[static_cast<std::size_t>(j)], [&](int s, u64 bits) {
          if (s == shift) word |= bits << ((j - first) * (64 >> shift));
        });
      }
      grouped[static_cast<std::size_t>(i)] = word;
    }
  });
  words_ = std::move(grouped);
}

template class LargestTree<u32>;
template class LargestTree<u64>;

}  // namespace lb::core

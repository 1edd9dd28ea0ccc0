#include "row_arcs.hpp"

#include <array>

#include "vector_instructions.hpp"

namespace lb::core {

#if LB_VECTOR_INSTRUCTIONS

// Operations on lanes of 32 bits. `left` lanes exist where ids end; others are read as 0. Bits of a u32 stand for
// lanes.
namespace in_512_bits {
namespace {

#define LB_LANES [[gnu::target("avx512f,popcnt")]]

using Ids = __m512i;
struct Arcs {
  Ids low, high;
};
constexpr i64 lanes = 16;

LB_LANES inline Ids no_ids() { return _mm512_setzero_si512(); }
LB_LANES inline Ids every_bit() { return _mm512_set1_epi32(-1); }
LB_LANES inline u32 lanes_below(i64 left) { return left < lanes ? (1u << left) - 1 : 0xffffu; }
LB_LANES inline Ids load_all(const u32* from) { return _mm512_loadu_si512(from); }
LB_LANES inline Arcs load_arcs(const i64* from) { return {_mm512_loadu_si512(from), _mm512_loadu_si512(from + 8)}; }
LB_LANES inline void store_all(u32* to, Ids ids) { _mm512_storeu_si512(to, ids); }
LB_LANES inline Ids load(const u32* from, i64 left) {
  return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes_below(left)), from);
}
// Ids of which a compiler cannot read one again: their owner may be writing them.
LB_LANES inline Ids load_once(const u32* from, i64 left) {
  Ids ids = load(from, left);
  asm("" : "+v"(ids));
  return ids;
}
LB_LANES inline Ids load_once(const u64* from, i64 left) {
  const u32 exist = lanes_below(left);
  const __m512i low = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(exist), from);
  const __m512i high = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(exist >> 8), from + 8);
  const __m512i low_half = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
  Ids ids = _mm512_inserti64x4(low_half, _mm512_cvtepi64_epi32(high), 1);
  asm("" : "+v"(ids));
  return ids;
}
LB_LANES inline Ids larger(Ids a, Ids b) { return _mm512_max_epu32(a, b); }
LB_LANES inline u32 less(Ids a, Ids b) { return _mm512_cmplt_epu32_mask(a, b); }
LB_LANES inline u32 different(Ids a, Ids b) { return _mm512_cmpneq_epi32_mask(a, b); }
LB_LANES inline Ids last_of(Ids ids) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(lanes - 1), ids); }
// Each lane one place further on; the first one is the last of those before.
LB_LANES inline Ids moved_up(Ids ids, Ids before) { return _mm512_alignr_epi32(ids, before, lanes - 1); }
// The largest of each lane and those before it.
LB_LANES inline Ids running_maximum(Ids x) {
  x = larger(x, _mm512_alignr_epi32(x, no_ids(), 15));
  x = larger(x, _mm512_alignr_epi32(x, no_ids(), 14));
  x = larger(x, _mm512_alignr_epi32(x, no_ids(), 12));
  return larger(x, _mm512_alignr_epi32(x, no_ids(), 8));
}
// The ids of some lanes, one behind the other; what lies behind them up to a whole vector is overwritten.
LB_LANES inline void store_some(u32* to, u32 which, Ids ids) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(which), ids));
}
LB_LANES inline void store_some(i64* to, u32 which, const Arcs& arcs) {
  const auto low = static_cast<__mmask8>(which), high = static_cast<__mmask8>(which >> 8);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(low, arcs.low));
  _mm512_storeu_si512(to + __builtin_popcount(low), _mm512_maskz_compress_epi64(high, arcs.high));
}
// The numbers of some lanes, counted from `number`.
LB_LANES inline void store_numbers(i64* to, u32 which, i64 number) {
  const __m512i low = _mm512_add_epi64(_mm512_set1_epi64(number), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  store_some(to, which, {low, _mm512_add_epi64(low, _mm512_set1_epi64(8))});
}
// Ids, at most `last`, whose bits are set.
LB_LANES inline u32 in_set(const u64* set, u32 last, Ids ids) {
  const Ids bounded = _mm512_min_epu32(ids, _mm512_set1_epi32(static_cast<int>(last)));
  const Ids words = _mm512_i32gather_epi32(_mm512_srli_epi32(bounded, 5), set, 4);
  const Ids bits = _mm512_srlv_epi32(words, _mm512_and_si512(bounded, _mm512_set1_epi32(31)));
  return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1));
}

#include "row_arcs.ipp"

#undef LB_LANES

}  // namespace
}  // namespace in_512_bits

namespace in_256_bits {
namespace {

#define LB_LANES [[gnu::target("avx2,popcnt")]]

using Ids = __m256i;
struct Arcs {
  Ids low, high;
};
constexpr i64 lanes = 8;

// For each set of lanes, those lanes one behind the other, of ids, and of halves of arcs.
constexpr auto places_of_ids = [] {
  std::array<std::array<u8, lanes>, 1 << lanes> places{};
  for (std::size_t set = 0; set < places.size(); ++set) {
    std::size_t at = 0;
    for (u8 lane = 0; lane < lanes; ++lane)
      if ((set >> lane & 1) != 0) places[set][at++] = lane;
  }
  return places;
}();
constexpr auto places_of_arcs = [] {
  std::array<std::array<u8, lanes>, 1 << (lanes / 2)> places{};
  for (std::size_t set = 0; set < places.size(); ++set) {
    std::size_t at = 0;
    for (u8 lane = 0; lane < lanes; ++lane)
      if ((set >> (lane / 2) & 1) != 0) places[set][at++] = lane;
  }
  return places;
}();

LB_LANES inline Ids no_ids() { return _mm256_setzero_si256(); }
LB_LANES inline Ids every_bit() { return _mm256_set1_epi32(-1); }
LB_LANES inline u32 lanes_below(i64 left) { return left < lanes ? (1u << left) - 1 : 0xffu; }
template <class T>
LB_LANES inline Ids load_vector(const T* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
template <class T>
LB_LANES inline void store_vector(T* to, Ids ids) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), ids);
}
LB_LANES inline Ids load_all(const u32* from) { return load_vector(from); }
LB_LANES inline Arcs load_arcs(const i64* from) { return {load_vector(from), load_vector(from + 4)}; }
LB_LANES inline void store_all(u32* to, Ids ids) { store_vector(to, ids); }
LB_LANES inline Ids load(const u32* from, i64 left) {
  if (left >= lanes) [[likely]]
    return load_all(from);
  const Ids places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_maskload_epi32(reinterpret_cast<const int*>(from),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(left)), places));
}
LB_LANES inline Ids load_once(const u32* from, i64 left) {
  Ids ids = load(from, left);
  asm("" : "+x"(ids));
  return ids;
}
LB_LANES inline __m256i load_wide(const u64* from, i64 left) {
  if (left >= 4) [[likely]]
    return load_vector(from);
  const __m256i places = _mm256_setr_epi64x(0, 1, 2, 3);
  return _mm256_maskload_epi64(reinterpret_cast<const long long*>(from),
                               _mm256_cmpgt_epi64(_mm256_set1_epi64x(left), places));
}
LB_LANES inline Ids load_once(const u64* from, i64 left) {
  const __m256 low = _mm256_castsi256_ps(load_wide(from, left));
  const __m256 high = left > 4 ? _mm256_castsi256_ps(load_wide(from + 4, left - 4)) : _mm256_setzero_ps();
  const __m256i pairs = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));  // lanes 0 1 4 5 2 3 6 7
  Ids ids = _mm256_permute4x64_epi64(pairs, 0xd8);
  asm("" : "+x"(ids));
  return ids;
}
LB_LANES inline Ids larger(Ids a, Ids b) { return _mm256_max_epu32(a, b); }
LB_LANES inline u32 top_bits(Ids x) { return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(x))); }
LB_LANES inline u32 less(Ids a, Ids b) { return ~top_bits(_mm256_cmpeq_epi32(larger(a, b), a)) & 0xffu; }
LB_LANES inline u32 different(Ids a, Ids b) { return ~top_bits(_mm256_cmpeq_epi32(a, b)) & 0xffu; }
LB_LANES inline Ids last_of(Ids ids) { return _mm256_permutevar8x32_epi32(ids, _mm256_set1_epi32(lanes - 1)); }
// The upper half of `before`, then the lower half of ids.
LB_LANES inline Ids half_moved_up(Ids ids, Ids before) { return _mm256_permute2x128_si256(before, ids, 0x21); }
LB_LANES inline Ids moved_up(Ids ids, Ids before) { return _mm256_alignr_epi8(ids, half_moved_up(ids, before), 12); }
LB_LANES inline Ids running_maximum(Ids x) {
  // In each half first; then the last one of the lower half counts in the upper one.
  x = larger(x, _mm256_slli_si256(x, 4));
  x = larger(x, _mm256_slli_si256(x, 8));
  const Ids last_of_lower = _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(lanes / 2 - 1));
  return larger(x, _mm256_blend_epi32(no_ids(), last_of_lower, 0xf0));
}
LB_LANES inline Ids in_places(Ids ids, const std::array<u8, lanes>& places) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places.data()));
  return _mm256_permutevar8x32_epi32(ids, _mm256_cvtepu8_epi32(bytes));
}
LB_LANES inline void store_some(u32* to, u32 which, Ids ids) { store_all(to, in_places(ids, places_of_ids[which])); }
LB_LANES inline void store_some(i64* to, u32 which, const Arcs& arcs) {
  const u32 low = which & 15, high = which >> 4;
  store_vector(to, in_places(arcs.low, places_of_arcs[low]));
  store_vector(to + __builtin_popcount(low), in_places(arcs.high, places_of_arcs[high]));
}
LB_LANES inline void store_numbers(i64* to, u32 which, i64 number) {
  const __m256i low = _mm256_add_epi64(_mm256_set1_epi64x(number), _mm256_setr_epi64x(0, 1, 2, 3));
  store_some(to, which, {low, _mm256_add_epi64(low, _mm256_set1_epi64x(4))});
}
LB_LANES inline u32 in_set(const u64* set, u32 last, Ids ids) {
  const Ids bounded = _mm256_min_epu32(ids, _mm256_set1_epi32(static_cast<int>(last)));
  const Ids words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(set), _mm256_srli_epi32(bounded, 5), 4);
  // A shift by 31 - place takes the bit of a place to the top; of a place, only the last five bits count.
  return top_bits(_mm256_sllv_epi32(words, _mm256_andnot_si256(bounded, _mm256_set1_epi32(31))));
}

#include "row_arcs.ipp"

#undef LB_LANES

}  // namespace
}  // namespace in_256_bits

#define LB_OF_VECTORS(call) (vector_lanes() == 16 ? in_512_bits::call : in_256_bits::call)

#else

// Never called: vector_lanes() is 0.
namespace without_vectors {
template <class... Any>
void carry_marks(const Any&...) {}
template <bool smaller, class... Any>
void keep_arcs(const Any&...) {}
template <class... Any>
void part_firsts(const Any&...) {}
template <class... Any>
bool lead_to_any(const Any&...) {
  return true;
}
}  // namespace without_vectors

#define LB_OF_VECTORS(call) without_vectors::call

#endif

namespace in_vectors {

void carry_marks(u32* marks, i64 count) { return LB_OF_VECTORS(carry_marks(marks, count)); }
template <bool smaller, class T, bool numbered>
void keep_arcs(const u32* marks, const T* neighbors, i64 count, i64 number, i64 united, EdgePairs<u32, numbered>& to) {
  return LB_OF_VECTORS(keep_arcs<smaller>(marks, neighbors, count, number, united, to));
}
void part_firsts(EdgePairs<u32, false>& edges, EdgePairs<u32, false>& firsts) {
  return LB_OF_VECTORS(part_firsts(edges, firsts));
}
void part_firsts(EdgePairs<u32, true>& edges, EdgePairs<u32, true>& firsts) {
  return LB_OF_VECTORS(part_firsts(edges, firsts));
}
template <class T>
bool lead_to_any(const u64* set, u32 last, const T* neighbors, i64 count) {
  return LB_OF_VECTORS(lead_to_any(set, last, neighbors, count));
}

#define LB_INSTANTIATE(smaller, T, numbered) \
  template void keep_arcs<smaller>(const u32*, const T*, i64, i64, i64, EdgePairs<u32, numbered>&);
LB_INSTANTIATE(false, u32, false)
LB_INSTANTIATE(false, u32, true)
LB_INSTANTIATE(false, u64, false)
LB_INSTANTIATE(false, u64, true)
LB_INSTANTIATE(true, u32, false)
LB_INSTANTIATE(true, u32, true)
LB_INSTANTIATE(true, u64, false)
LB_INSTANTIATE(true, u64, true)
#undef LB_INSTANTIATE
template bool lead_to_any(const u64*, u32, const u32*, i64);
template bool lead_to_any(const u64*, u32, const u64*, i64);

}  // namespace in_vectors
}  // namespace lb::core

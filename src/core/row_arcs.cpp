#include "row_arcs.hpp"

#include "vector_instructions.hpp"

namespace lb::core {

#if LB_VECTOR_INSTRUCTIONS

namespace in_vectors {

#define LB_WIDE [[gnu::target("avx512f,popcnt")]]

namespace {

constexpr i64 lanes = EdgePairs<u32, false>::vector_lanes;

// The lanes of the edges from i on.
LB_WIDE inline __mmask16 lanes_from(i64 i, i64 count) {
  return static_cast<__mmask16>(count - i < lanes ? (1u << (count - i)) - 1 : 0xffffu);
}

// The largest of each lane and those before it.
LB_WIDE inline __m512i running_maximum(__m512i x) {
  const __m512i zero = _mm512_setzero_si512();
  x = _mm512_max_epu32(x, _mm512_alignr_epi32(x, zero, 15));
  x = _mm512_max_epu32(x, _mm512_alignr_epi32(x, zero, 14));
  x = _mm512_max_epu32(x, _mm512_alignr_epi32(x, zero, 12));
  return _mm512_max_epu32(x, _mm512_alignr_epi32(x, zero, 8));
}

// The edges of these lanes, at place `at`; arcs come in two halves.
template <bool numbered>
LB_WIDE inline void store(EdgePairs<u32, numbered>& to, i64 at, __mmask16 which, __m512i u, __m512i v, __m512i low_arcs,
                          __m512i high_arcs) {
  _mm512_storeu_si512(to.u + at, _mm512_maskz_compress_epi32(which, u));
  _mm512_storeu_si512(to.v + at, _mm512_maskz_compress_epi32(which, v));
  if constexpr (numbered) {
    const auto low = static_cast<__mmask8>(which), high = static_cast<__mmask8>(which >> 8);
    _mm512_storeu_si512(to.arc + at, _mm512_maskz_compress_epi64(low, low_arcs));
    _mm512_storeu_si512(to.arc + at + __builtin_popcount(low), _mm512_maskz_compress_epi64(high, high_arcs));
  }
}

// Ids of these lanes, of which a compiler cannot read one again: their owner may be writing them.
LB_WIDE inline __m512i load_ids(const u32* from, __mmask16 exist) {
  __m512i ids = _mm512_maskz_loadu_epi32(exist, from);
  asm("" : "+v"(ids));
  return ids;
}
LB_WIDE inline __m512i load_ids(const u64* from, __mmask16 exist) {
  const __m512i low = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(exist), from);
  const __m512i high = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(exist >> 8), from + lanes / 2);
  const __m512i low_half = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
  __m512i ids = _mm512_inserti64x4(low_half, _mm512_cvtepi64_epi32(high), 1);
  asm("" : "+v"(ids));
  return ids;
}

template <class T, bool numbered>
LB_WIDE void keep(const u32* marks, const T* neighbors, i64 count, i64 number, EdgePairs<u32, numbered>& to) {
  const __m512i last = _mm512_set1_epi32(lanes - 1), half = _mm512_set1_epi64(lanes / 2);
  __m512i arcs = _mm512_add_epi64(_mm512_set1_epi64(number), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  __m512i row = _mm512_setzero_si512();  // of the arc before, in each lane
  i64 end = to.count;
  for (i64 i = 0; i < count; i += lanes) {
    const __mmask16 exist = lanes_from(i, count);
    const __m512i rows = _mm512_max_epu32(row, running_maximum(_mm512_maskz_loadu_epi32(exist, marks + i)));
    row = _mm512_permutexvar_epi32(last, rows);
    const __m512i ids = load_ids(neighbors + i, exist);
    const __mmask16 smaller = _mm512_mask_cmplt_epu32_mask(exist, ids, rows);
    const __m512i high_arcs = _mm512_add_epi64(arcs, half);
    store(to, end, smaller, rows, ids, arcs, high_arcs);
    arcs = _mm512_add_epi64(high_arcs, half);
    end += __builtin_popcount(smaller);
  }
  to.count = end;
}

template <bool numbered>
LB_WIDE void part(EdgePairs<u32, numbered>& edges, EdgePairs<u32, numbered>& firsts) {
  __m512i before = _mm512_set1_epi32(-1);  // no vertex
  i64 first = 0, other = 0;
  for (i64 i = 0; i < edges.count; i += lanes) {
    const __mmask16 exist = lanes_from(i, edges.count);
    const __m512i u = _mm512_loadu_si512(edges.u + i), v = _mm512_loadu_si512(edges.v + i);
    __m512i low_arcs = v, high_arcs = v;
    if constexpr (numbered) {
      low_arcs = _mm512_loadu_si512(edges.arc + i);
      high_arcs = _mm512_loadu_si512(edges.arc + i + lanes / 2);
    }
    const __mmask16 begins = _mm512_mask_cmpneq_epu32_mask(exist, u, _mm512_alignr_epi32(u, before, lanes - 1));
    const auto follows = static_cast<__mmask16>(exist & ~begins);
    before = u;
    store(firsts, first, begins, u, v, low_arcs, high_arcs);
    store(edges, other, follows, u, v, low_arcs, high_arcs);
    first += __builtin_popcount(begins);
    other += __builtin_popcount(follows);
  }
  firsts.count = first;
  edges.count = other;
}

template <class T>
LB_WIDE bool any_in(const u64* set, u32 last, const T* neighbors, i64 count) {
  const __m512i most = _mm512_set1_epi32(static_cast<int>(last)), place = _mm512_set1_epi32(31);
  __m512i any = _mm512_setzero_si512();
  for (i64 i = 0; i < count; i += lanes) {
    const __mmask16 exist = lanes_from(i, count);
    const __m512i ids = _mm512_min_epu32(load_ids(neighbors + i, exist), most);
    const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(ids, 5), set, 4);
    any = _mm512_mask_or_epi32(any, exist, any, _mm512_srlv_epi32(words, _mm512_and_si512(ids, place)));
  }
  return _mm512_test_epi32_mask(any, _mm512_set1_epi32(1)) != 0;
}

}  // namespace

LB_WIDE void carry_marks(u32* marks, i64 count) {
  const __m512i last = _mm512_set1_epi32(lanes - 1);
  __m512i row = _mm512_setzero_si512();
  for (i64 i = 0; i < count; i += lanes) {
    const __mmask16 exist = lanes_from(i, count);
    const __m512i rows = _mm512_max_epu32(row, running_maximum(_mm512_maskz_loadu_epi32(exist, marks + i)));
    _mm512_mask_storeu_epi32(marks + i, exist, rows);
    row = _mm512_permutexvar_epi32(last, rows);
  }
}
template <class T, bool numbered>
void keep_smaller(const u32* marks, const T* neighbors, i64 count, i64 number, EdgePairs<u32, numbered>& to) {
  keep(marks, neighbors, count, number, to);
}
void part_firsts(EdgePairs<u32, false>& edges, EdgePairs<u32, false>& firsts) { part(edges, firsts); }
void part_firsts(EdgePairs<u32, true>& edges, EdgePairs<u32, true>& firsts) { part(edges, firsts); }
template <class T>
bool lead_to_any(const u64* set, u32 last, const T* neighbors, i64 count) {
  return any_in(set, last, neighbors, count);
}

}  // namespace in_vectors

#else

namespace in_vectors {

void carry_marks(u32*, i64) {}
template <class T, bool numbered>
void keep_smaller(const u32*, const T*, i64, i64, EdgePairs<u32, numbered>&) {}
void part_firsts(EdgePairs<u32, false>&, EdgePairs<u32, false>&) {}
void part_firsts(EdgePairs<u32, true>&, EdgePairs<u32, true>&) {}
template <class T>
bool lead_to_any(const u64*, u32, const T*, i64) {
  return true;
}

}  // namespace in_vectors

#endif

namespace in_vectors {

template void keep_smaller(const u32*, const u32*, i64, i64, EdgePairs<u32, false>&);
template void keep_smaller(const u32*, const u32*, i64, i64, EdgePairs<u32, true>&);
template void keep_smaller(const u32*, const u64*, i64, i64, EdgePairs<u32, false>&);
template void keep_smaller(const u32*, const u64*, i64, i64, EdgePairs<u32, true>&);
template bool lead_to_any(const u64*, u32, const u32*, i64);
template bool lead_to_any(const u64*, u32, const u64*, i64);

}  // namespace in_vectors
}  // namespace lb::core

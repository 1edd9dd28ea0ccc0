#include "smallest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "error.hpp"
#include "graph.hpp"
#include "id_width.hpp"
#include "interrupt.hpp"

namespace lb::core {
namespace {

// Texts between two stop points, and how far ahead the cells of a label are fetched.
constexpr i64 block = i64{1} << 16, ahead = 16;

// The first 8 bytes of a text as a number of the same order; a shorter text counts as if zeros followed.
u64 key_of(const char* text, i64 size) {
  u64 word = 0;
  std::memcpy(&word, text, static_cast<std::size_t>(std::min<i64>(size, 8)));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return word;
}

bool is_before(const char* a, i64 a_size, const char* b, i64 b_size) {
  const int order = std::memcmp(a, b, static_cast<std::size_t>(std::min(a_size, b_size)));
  return order != 0 ? order < 0 : a_size < b_size;
}

template <class Offset, class Label>
void smallest_of(const TextColumn& texts, const Offset* offset, const Label* labels, i64 count, i64* position) {
  // Where a text begins and ends, each read once: the offsets may be changing.
  const auto span_of = [&, step = texts.offsets.stride](i64 i) {
    const auto from = static_cast<i64>(read_once(offset + i * step)),
               to = static_cast<i64>(read_once(offset + (i + 1) * step));
    if (from < 0 || to < from || to > texts.size) throw InputError("the offsets of the texts do not ascend");
    return std::pair(texts.data + from, to - from);
  };
  Buffer<u64> keys(static_cast<std::size_t>(count), "the first bytes of the smallest texts");
  std::fill(position, position + count, i64{-1});
  in_blocks(i64{0}, texts.count, block, [&](i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      if (i + ahead < texts.count && static_cast<i64>(labels[i + ahead]) < count && labels[i + ahead] >= 0) {
        __builtin_prefetch(position + labels[i + ahead], 1);
        __builtin_prefetch(keys.data() + labels[i + ahead], 1);
      }
      const auto label = static_cast<i64>(labels[i]);
      if (label < 0 || label >= count) throw InputError("label " + std::to_string(label) + " is out of range");
      const auto [text, size] = span_of(i);
      const u64 key = key_of(text, size);
      i64& best = position[label];
      u64& best_key = keys.data()[label];
      if (best >= 0) {
        if (key > best_key) continue;
        if (key == best_key) {
          const auto [best_text, best_size] = span_of(best);
          if (!is_before(text, size, best_text, best_size)) continue;
        }
      }
      best = i;
      best_key = key;
    }
  });
}

}  // namespace

template <class Label>
void smallest_texts(const TextColumn& texts, const Label* labels, i64 count, i64* position) {
  with_id(texts.offsets.width,
          [&]<class Offset>() { smallest_of(texts, texts.offsets.as<Offset>(), labels, count, position); });
}

#define LB_INSTANTIATE(Label) template void smallest_texts<Label>(const TextColumn&, const Label*, i64, i64*);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

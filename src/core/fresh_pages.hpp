// Memory that is written at random: its pages, one after the other.
#pragma once
#include "landbridge/platform.hpp"
#include "threads.hpp"

namespace lb::core {

// Writes to every page of n elements that will be overwritten. The system clears a page at the first write to it, and
// the first few writes at random would wait for all pages together, between two stop points.
template <class T>
void touch_pages(T* elements, i64 n, int threads) {
  constexpr i64 page = 4096 / sizeof(T);
  parallel_for(n, i64{1} << 18, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; i += page) elements[i] = T{};
  });
}

}  // namespace lb::core

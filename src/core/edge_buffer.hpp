// A copy of edges that an algorithm may rewrite and thin out, in chunks that one thread works on at a time.
#pragma once
#include <vector>

#include "landbridge/cpu/schedule.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace lb::core {

// Takes two ids of memory for each of up to `most` edges, and 8 bytes more if it records the number of each.
template <class Id, bool numbered = false>
class EdgeBuffer {
 public:
  EdgeBuffer(i64 most, int threads)
      : u_(static_cast<std::size_t>(most)),
        v_(static_cast<std::size_t>(most)),
        at_(numbered ? static_cast<std::size_t>(most) : 0),
        counts_(static_cast<std::size_t>((most + cpu::chunk_arcs - 1) / cpu::chunk_arcs)),
        threads_(threads) {}

  // Makes it the edges at(0) .. at(count - 1), without those whose endpoints are equal. at returns both endpoints; the
  // numbers of edges begin at `first`.
  template <class At>
  void load(i64 count, const At& at, [[maybe_unused]] i64 first = 0) {
    chunks_ = (count + cpu::chunk_arcs - 1) / cpu::chunk_arcs;
    parallel_for(count, cpu::chunk_arcs, threads_, [&](i64 b, i64 e, int) {
      i64 end = b;
      for (i64 i = b; i < e; ++i) {
        const auto [u, v] = at(i);
        u_[static_cast<std::size_t>(end)] = u;
        v_[static_cast<std::size_t>(end)] = v;
        if constexpr (numbered) at_[static_cast<std::size_t>(end)] = first + i;
        end += u != v;
      }
      counts_[static_cast<std::size_t>(b / cpu::chunk_arcs)] = end - b;
    });
  }

  // body(u, v, count, at) for the edges of each chunk; edge i was number at[i] if they are numbered, else at is null.
  template <class Body>
  void each(const Body& body) const {
    parallel_for(chunks_, 1, threads_, [&](i64 b, i64 e, int) {
      for (i64 c = b; c < e; ++c) {
        const auto at = static_cast<std::size_t>(c * cpu::chunk_arcs);
        body(u_.data() + at, v_.data() + at, counts_[static_cast<std::size_t>(c)],
             numbered ? at_.data() + at : nullptr);
      }
    });
  }

  // Replaces the endpoints of every edge by rewrite(u, v) and drops the edge if that returns false; false if none is
  // left.
  template <class Rewrite>
  bool thin_out(const Rewrite& rewrite) {
    parallel_for(chunks_, 1, threads_, [&](i64 b, i64 e, int) {
      for (i64 c = b; c < e; ++c) {
        const auto begin = static_cast<std::size_t>(c * cpu::chunk_arcs);
        const auto end = begin + static_cast<std::size_t>(counts_[static_cast<std::size_t>(c)]);
        auto out = begin;
        for (auto i = begin; i < end; ++i) {
          Id u = u_[i], v = v_[i];
          const bool stays = rewrite(u, v);
          u_[out] = u;
          v_[out] = v;
          if constexpr (numbered) at_[out] = at_[i];
          out += stays;
        }
        counts_[static_cast<std::size_t>(c)] = static_cast<i64>(out - begin);
      }
    });
    for (i64 c = 0; c < chunks_; ++c) {
      if (counts_[static_cast<std::size_t>(c)] > 0) return true;
    }
    return false;
  }

 private:
  Buffer<Id> u_, v_;
  Buffer<i64> at_;
  std::vector<i64> counts_;  // edges at the beginning of each chunk
  i64 chunks_ = 0;
  int threads_;
};

}  // namespace lb::core

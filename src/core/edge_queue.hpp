// The edges of a list in the order in which several threads unite them.
#pragma once
#include <algorithm>
#include <vector>

#include "landbridge/cpu/schedule.hpp"

namespace lb::core {

// Some edges of a list, [begin, end). near: their vertices lie close together.
struct EdgePart {
  i64 begin, end;
  bool near;
};

// Edges of a list that are not united yet, in order; parts that were taken and are added again come last.
class EdgeQueue {
 public:
  // edges: of the list, at most.
  explicit EdgeQueue(i64 edges) : unit_(cpu::batch_edges * std::max(i64{1}, edges / most_units / cpu::batch_edges)) {}

  void add(const EdgePart& part) {
    for (i64 b = part.begin; b < part.end; b += unit_) units_.push_back({b, std::min(part.end, b + unit_), part.near});
    edges_ += part.end - part.begin;
  }
  i64 edges() const { return edges_; }

  // Takes about `most` edges, at least one: as many from the beginning of each thread's share of all that are left, as
  // far as that is possible. Neighbours in a list are often neighbours in memory, and threads are apart there. In parts
  // of which each thread gets several.
  std::vector<EdgePart> take(i64 most, int threads) {
    const i64 of_each = threads == 1 ? 4 : 16;
    const i64 all = static_cast<i64>(units_.size()) - first_;
    const i64 count = std::clamp((most + unit_ - 1) / unit_, i64{1}, all), shares = std::min<i64>(count, threads);
    const i64 longest = std::clamp(most / (of_each * threads), unit_, std::max(unit_, cpu::chunk_arcs));
    std::vector<EdgePart> out, left;
    const EdgePart* const units = units_.data() + first_;
    for (i64 s = 0; s < shares; ++s) {
      const i64 begin = all * s / shares, end = all * (s + 1) / shares;
      const i64 to = std::min(end, begin + count * (s + 1) / shares - count * s / shares);
      for (i64 i = begin; i < to; ++i) {
        const EdgePart& next = units[i];
        edges_ -= next.end - next.begin;
        const bool joins = i > begin && out.back().end == next.begin && out.back().near == next.near &&
                           next.end - out.back().begin <= longest;
        if (joins)
          out.back().end = next.end;
        else
          out.push_back(next);
      }
      if (shares > 1) left.insert(left.end(), units + to, units + end);
    }
    if (shares > 1)
      units_ = std::move(left), first_ = 0;
    else
      first_ += count;
    return out;
  }

  static constexpr i64 most_units = i64{1} << 16;

 private:
  const i64 unit_;
  std::vector<EdgePart> units_;
  i64 first_ = 0;  // of those that are left
  i64 edges_ = 0;
};

}  // namespace lb::core

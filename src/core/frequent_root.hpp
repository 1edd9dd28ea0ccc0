// Which root most of a few vertices have.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

#include "landbridge/platform.hpp"
#include "landbridge/policy/sample.hpp"

namespace lb::core {

// Steps to the roots of drawn vertices before all threads flatten the trees. A step from one cell to another takes up
// to 0.1 us, so these take 2 ms at most.
inline std::atomic<i64> most_drawn_steps{16 * lb::sample::drawn_labels};

// A root, and its share of all that were looked at.
template <class Id>
struct FrequentRoot {
  Id root;
  double share;
};

// How often each of a few roots occurs: a table by their hashes, at most half full.
template <class Id>
class RootCounts {
 public:
  // most: how many roots are added.
  explicit RootCounts(i64 most) : slots_(std::bit_ceil(static_cast<std::size_t>(2 * most))) {}

  void add(Id root) {
    Slot& slot = slots_[place(root)];
    slot.root = root;
    ++slot.times;
    ++all_;
  }
  // How often a root has been added.
  i64 of(Id root) const { return slots_[place(root)].times; }
  // The most frequent one, the smallest of several; of none {0, 1}.
  FrequentRoot<Id> most_frequent() const {
    if (all_ == 0) return {0, 1.0};
    Slot best;
    for (const Slot& slot : slots_) {
      if (slot.times > best.times || (slot.times == best.times && slot.root < best.root)) best = slot;
    }
    return {best.root, static_cast<double>(best.times) / static_cast<double>(all_)};
  }

 private:
  struct Slot {
    Id root = 0;
    u32 times = 0;  // 0: free
  };
  // That of a root, or a free one.
  std::size_t place(Id root) const {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(static_cast<u64>(root) * 0x9e3779b97f4a7c15u >> 32) & last;
    while (slots_[at].times != 0 && slots_[at].root != root) at = (at + 1) & last;
    return at;
  }

  std::vector<Slot> slots_;
  i64 all_ = 0;
};

}  // namespace lb::core

// The edges that joined two trees, one bit for each edge of the input: a spanning forest when a run has ended. A bit is
// better than an owner for each vertex: links come in the order of the edges, so marks stay in the cache, and the
// forest is read off in the order of the input.
#pragma once
#include "landbridge/memory.hpp"
#include "landbridge/phase/search.hpp"

namespace lb::core {

struct Marks {
  u64* words = nullptr;            // null: nobody asks for a forest
  const i64* origin = nullptr;     // for rows made during the run: the edge of the input behind each arc
  i64 own_begin = 0, own_end = 0;  // words that nobody else marks in this pass
  explicit operator bool() const { return words != nullptr; }
  // The same for a thread that alone marks arcs [begin, end) in this pass.
  Marks owning(i64 begin, i64 end) const {
    if (origin != nullptr) return *this;
    return {words, nullptr, (begin + 63) >> 6, end >> 6};
  }
  i64 edge_of(i64 arc) const { return origin == nullptr ? arc : origin[arc]; }
};

// Where the pairs of a batch come from: pair i is arc base + at[i], or arc base + i without `at`.
struct Places {
  i64 base = 0;
  const i64* at = nullptr;
  i64 operator[](i64 i) const { return base + (at == nullptr ? i : at[i]); }
};

// One mark at a time, through a memory policy.
template <template <class, class> class Memory>
struct MarkedEdges {
  const Marks& marks;
  void add(u64 arc) const {
    const phase::Bits<Memory<u64, PlainCell<u64>>> bits{Memory<u64, PlainCell<u64>>(marks.words)};
    bits.add(static_cast<u64>(marks.edge_of(static_cast<i64>(arc))));
  }
};

// Marks of one thread that come in about the order of the edges, written a word at a time.
template <template <class, class> class Memory>
class MarksInOrder {
 public:
  explicit MarksInOrder(const Marks& marks) : marks_(marks), words_(marks.words) {}
  ~MarksInOrder() { flush(); }
  MarksInOrder(const MarksInOrder&) = delete;
  MarksInOrder& operator=(const MarksInOrder&) = delete;
  void add(i64 arc) {
    const i64 edge = marks_.edge_of(arc);
    if (edge >> 6 != word_) flush();
    word_ = edge >> 6;
    bits_ |= u64{1} << (edge & 63);
  }

 private:
  void flush() {
    if (bits_ == 0) return;
    const auto word = static_cast<u64>(word_);
    u64 seen = words_.load(word);
    if (word_ >= marks_.own_begin && word_ < marks_.own_end) {
      words_.store(word, seen | bits_);
      bits_ = 0;
      return;
    }
    for (u64 before = seen;; seen = before) {
      before = words_.compare_exchange(word, seen, seen | bits_);
      if (before == seen) break;
    }
    bits_ = 0;
  }

  const Marks& marks_;
  Memory<u64, PlainCell<u64>> words_;
  i64 word_ = 0;
  u64 bits_ = 0;
};

// The same as the set that a hook adds to, by the number of a pair of a batch: few pairs link, so only then is looked
// up where the pair comes from.
template <template <class, class> class Memory>
struct OrderedSet {
  MarksInOrder<Memory>* marks;
  const Places* places;
  void add(u64 pair) const { marks->add((*places)[static_cast<i64>(pair)]); }
};

}  // namespace lb::core

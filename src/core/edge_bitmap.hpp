// The edges that joined two trees, one bit for each edge of the input: a spanning forest when a run has ended. A bit is
// better than an owner for each vertex: links come in the order of the edges, so the bits stay in the cache, and the
// forest is read off in the order of the input.
#pragma once
#include "landbridge/memory.hpp"
#include "landbridge/phase/search.hpp"

namespace lb::core {

// Where the bits of a run are, and which edge is behind an arc.
struct EdgeBits {
  u64* words = nullptr;            // null where no forest is computed
  const i64* origin = nullptr;     // for CSR made during the run: the edge of the input behind each arc
  i64 own_begin = 0, own_end = 0;  // words that one thread writes exclusively in this pass
  explicit operator bool() const { return words != nullptr; }
  // The same for the thread that takes all arcs of [begin, end) in this pass.
  EdgeBits exclusive(i64 begin, i64 end) const {
    if (origin != nullptr) return *this;
    return {words, nullptr, (begin + 63) >> 6, end >> 6};
  }
  i64 edge_of(i64 arc) const { return origin == nullptr ? arc : origin[arc]; }
};

// The arcs of the pairs of a batch: pair i is arc base + at[i], or arc base + i without `at`.
struct ArcPositions {
  i64 base = 0;
  const i64* at = nullptr;
  i64 operator[](i64 i) const { return base + (at == nullptr ? i : at[i]); }
};

// Edges added one at a time, through a memory policy.
template <template <class, class> class Memory>
struct AtomicEdgeSet {
  const EdgeBits& bits;
  void add(u64 arc) const {
    const phase::Bits<Memory<u64, PlainCell<u64>>> set{Memory<u64, PlainCell<u64>>(bits.words)};
    set.add(static_cast<u64>(bits.edge_of(static_cast<i64>(arc))));
  }
};

// Edges of one thread in about the order of the input, written a word at a time. The word that waits stays in
// registers: what is inlined takes no address of it, and a store that the next edge waits for would cost more than the
// link.
template <template <class, class> class Memory>
class BufferedEdgeSet {
 public:
  explicit BufferedEdgeSet(const EdgeBits& bits) : bits_(bits) {}
  ~BufferedEdgeSet() {
    if (pending_ != 0) write(bits_, word_, pending_);
  }
  BufferedEdgeSet(const BufferedEdgeSet&) = delete;
  BufferedEdgeSet& operator=(const BufferedEdgeSet&) = delete;
  [[gnu::always_inline]] void add(i64 arc) {
    const i64 edge = bits_.edge_of(arc);
    if (edge >> 6 != word_) {
      if (pending_ != 0) write(bits_, word_, pending_);
      word_ = edge >> 6;
      pending_ = 0;
    }
    pending_ |= u64{1} << (edge & 63);
  }

 private:
  [[gnu::noinline]] static void write(const EdgeBits& bits, i64 at, u64 pending) {
    const Memory<u64, PlainCell<u64>> words(bits.words);
    const auto word = static_cast<u64>(at);
    u64 current = words.load(word);
    if (at >= bits.own_begin && at < bits.own_end) {
      words.store(word, current | pending);
      return;
    }
    for (u64 before = current;; current = before) {
      before = words.compare_exchange(word, current, current | pending);
      if (before == current) break;
    }
  }

  const EdgeBits& bits_;
  i64 word_ = 0;
  u64 pending_ = 0;
};

// The set that the callback of a link adds to, by the number of a pair in its batch: few pairs link, so only then is
// the arc of the pair looked up.
template <template <class, class> class Memory>
struct BatchEdgeSet {
  BufferedEdgeSet<Memory>* edges;
  const ArcPositions* arcs;
  [[gnu::always_inline]] void add(u64 pair) const { edges->add((*arcs)[static_cast<i64>(pair)]); }
};

}  // namespace lb::core

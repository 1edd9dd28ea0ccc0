// The cells of a stream's trees, of either width, under the rules of one plan.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "stream_operations.hpp"

namespace lb::core {

// Batches for algorithms in rounds are cut where they have more edges than vertices and than this.
constexpr i64 smallest_cut = i64{1} << 16;

// Which rules unite: those of a link, or of an algorithm in rounds (`link` is its name) with its words.
struct StreamRule {
  std::string link, find, splice;
  std::vector<std::string> words;
};

// All ids lie below the size grown to. Functions that insert return how many links that took. Any number of threads
// may call them at once; `exclusive` says that no other call runs and that the caller is the only thread of its batch.
class StreamTrees {
 public:
  virtual ~StreamTrees() = default;
  virtual IdWidth width() const = 0;
  virtual bool ranked() const = 0;
  // Whether queries may run beside inserts.
  virtual bool mixes() const = 0;
  // Vertices [from, to) become singletons. Cells move only here.
  virtual void grow(i64 from, i64 to, int threads) = 0;

  virtual i64 insert(const Operations& batch, Range range, const Positions& positions, bool exclusive) = 0;
  // Writes the bits of the edges of `range` to remaining[0..], from bit 0 on: 0 for edges whose endpoints have the same
  // parent, or are known to be in the largest tree. Returns false, with any bits, if an id is not below `bound`, which
  // is at most the number of vertices.
  virtual bool precheck(const Operations& batch, Range range, u64 bound, u64* remaining) = 0;
  // From now on the pre-check finds the edges inside the largest tree of the first n vertices by a set of bits. Inserts
  // may run.
  virtual void mark_largest_tree(i64 n, int threads) = 0;
  // Whether that would find a tree of most vertices, as far as a sample shows, and a set of it would be faster to look
  // at than parents.
  virtual bool has_largest_tree(i64 n) const = 0;
  // How many edges of one tree have to be compared before a set saves the time that it takes.
  virtual i64 comparisons_for_a_set(i64 n) const = 0;
  // Edges of one tree whose parents `precheck` has compared since the largest tree was marked.
  virtual i64 compared_in_vain() const = 0;
  // Inserts the edges of `range` whose bit is set.
  virtual i64 insert_remaining(const Operations& batch, Range range, const Positions& positions, const u64* remaining,
                               bool exclusive) = 0;
  // Points each vertex of `range` at its grandparent, in ascending order; inserts may run.
  virtual void shorten(Range range) = 0;
  // Runs the operations of `range` in their order. Bit i of the answers is that of operation range.begin + i.
  virtual i64 mixed(const Operations& batch, Range range, const Positions& positions, u8* bits) = 0;
  virtual void answer(const Operations& batch, Range range, u8* bits) = 0;

  // Algorithms in rounds insert one batch at a time, in memory that is reserved before anything changes.
  virtual bool in_rounds() const = 0;
  virtual void reserve_rounds(i64 count, int threads) = 0;
  virtual i64 insert_in_rounds(const Operations& batch, const Positions& positions) = 0;

  // Writes the root of x to roots[x]. No other call may run.
  virtual void roots(Range range, u32* roots) = 0;
  virtual void roots(Range range, u64* roots) = 0;
  // The same with the parent of x. Not of ranked trees.
  virtual void parents(Range range, u32* parents) = 0;
  virtual void parents(Range range, u64* parents) = 0;
  // The parents of the first n vertices in the memory of the cells, of which the trees have none then. Not of ranked
  // trees, nor into cells of another width.
  virtual void take_parents(i64 n, Buffer<u32>& parents) = 0;
  virtual void take_parents(i64 n, Buffer<u64>& parents) = 0;
  // Makes roots[x] the parent of x; each is its own root.
  virtual void load_roots(Range range, const IdArray& roots) = 0;
  // The edge whose link made x a child; false for a root.
  virtual bool link_edge(i64 x, cpu::StreamEdge<u64>& edge) const = 0;
  virtual void set_link_edge(i64 x, const cpu::StreamEdge<u64>& edge) = 0;
};

// Trees without a vertex, with cells of that width; null if no stream has the rules in it. climb: a thread that has
// exclusive access climbs to roots where that is faster.
std::unique_ptr<StreamTrees> make_stream_trees(const StreamRule& rule, IdWidth width, bool keep_forest, bool climb);

}  // namespace lb::core

#include "stream_trees.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "growable_array.hpp"
#include "largest_tree.hpp"
#include "precheck.hpp"
#include "stream.hpp"
#include "stream_rounds.hpp"

namespace lb::core {
namespace {

template <class Id>
class TreesOf final : public StreamTrees {
 public:
  TreesOf(const StreamKernel<Id>& kernel, bool keep_forest, bool climb) : kernel_(kernel), keep_forest_(keep_forest) {
    if (climb) cells_.choice = &loop_;
  }
  TreesOf(const StreamRounds<Id>& rounds, bool keep_forest) : TreesOf(rounds.kernel, keep_forest, false) {
    rounds_ = &rounds;
  }
  IdWidth width() const override { return width_of<Id>; }
  bool ranked() const override { return kernel_.ranked; }
  bool mixes() const override { return kernel_.mixed != nullptr; }

  void grow(i64 from, i64 to, int threads) override {
    // One array may have moved, and the old one be gone, when there is no memory for the next.
    if (kernel_.ranked) {
      words_.grow(from, to);
      cells_.words = words_.data();
    } else {
      parent_.grow(from, to, in_place());
      cells_.parent = parent_.data();
    }
    if (kernel_.uses_aux) {
      aux_.grow(from, to);
      cells_.aux = aux_.data();
    }
    if (keep_forest_) link_edges_.grow(from, to);
    size_ = to;
    any_id_ = in_place() && parent_.has_any_number();
    cells_.distance = distance_of<Id>(size_);
    if (to - from <= shared_vertices) threads = 1;
    parallel_for(to - from, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
      kernel_.start(cells_, from + b, from + e);
      if (keep_forest_) std::fill(link_edges_.data() + from + b, link_edges_.data() + from + e, no_edge);
    });
  }

  i64 insert(const Operations& batch, Range range, const Positions& positions, bool exclusive) override {
    const IdArray first = within(batch.u), second = within(batch.v);
    i64 links = 0;
    if (batch.is_query == nullptr && descend(first, second, range.begin, range.end)) {
      u64 at[copied_edges];
      for_batches_backwards<Id>(first, second, range.begin, range.end,
                                [&](const Id* u, const Id* v, i64 from, i64 count) {
                                  for (i64 i = 0; keep_forest_ && i < count; ++i)
                                    at[i] = positions(from + count - 1 - i);
                                  links += insert_pairs(u, v, count, log_of({0, at}), exclusive);
                                });
      return links;
    }
    for_batches<Id>(first, second, range.begin, range.end, any_id_, [&](const Id* u, const Id* v, i64 from, i64 count) {
      const auto log = log_of(positions.from(from));
      links += batch.is_query == nullptr ? insert_pairs(u, v, count, log, exclusive)
                                         : kernel_.insert(cells_, u, v, batch.is_query + from, count, log);
    });
    return links;
  }

  bool precheck(const Operations& batch, Range range, u64 bound, u64* remaining) override {
    if (bound == 0) return range.size() == 0;
    const IdArray below_u = batch.u.up_to(bound - 1), below_v = batch.v.up_to(bound - 1);
    const auto largest = largest_tree();
    i64 in_vain = 0;
    Id u[copied_edges], v[copied_edges];
    for (i64 from = range.begin; from < range.end; from += copied_edges) {
      const Range piece{from, std::min(range.end, from + copied_edges)};
      bool beyond = copy_bounded(below_u, from, piece.size(), u);
      beyond |= copy_bounded(below_v, from, piece.size(), v);
      if (beyond && !all_below(batch, piece, bound)) return false;
      u64* const words = remaining + (from - range.begin) / 64;
      if (largest == nullptr) {
        precheck_edges(cells_.parent, u, v, piece.size(), words);
        in_vain += piece.size() - bits_in(words, piece.size());
      } else {
        in_vain += sift_edges(*largest, u, v, piece.size(), words);
      }
    }
    in_vain_.fetch_add(in_vain, std::memory_order_relaxed);
    return true;
  }

  i64 insert_remaining(const Operations& batch, Range range, const Positions& positions, const u64* remaining,
                       bool exclusive) override {
    const IdArray first = within(batch.u), second = within(batch.v);
    Id u[cpu::batch_edges], v[cpu::batch_edges];
    u64 at[cpu::batch_edges];
    i64 links = 0, count = 0;
    const auto flush = [&] {
      if (count == 0) return;
      links += insert_pairs(u, v, count, log_of({0, at}), exclusive);
      count = 0;
    };
    for (i64 base = range.begin; base < range.end; base += 64) {
      if (count + 64 > cpu::batch_edges) flush();
      for (u64 word = remaining[(base - range.begin) >> 6]; word != 0; word &= word - 1) {
        const i64 i = base + std::countr_zero(word);
        u[count] = static_cast<Id>(first[i]), v[count] = static_cast<Id>(second[i]);
        at[count++] = positions(i);
      }
    }
    flush();
    return links;
  }

  void shorten(Range range) override {
    const SharedMemory<Id> parents(cells_.parent);
    for (i64 x = range.begin; x < range.end; ++x) phase::shorten(parents, static_cast<Id>(x));
  }

  void mark_largest_tree(i64 n, int threads) override {
    in_vain_.store(0, std::memory_order_relaxed);
    if (!LargestTree<Id>::pays(n)) return;
    auto tree = std::make_shared<LargestTree<Id>>();
    tree->mark(SharedMemory<Id>(cells_.parent), n, 1, threads);
    const std::lock_guard lock(marking_);
    largest_ = tree->lets_through() < 1 ? std::move(tree) : nullptr;
  }

  bool has_largest_tree(i64 n) const override {
    return LargestTree<Id>::pays(n) && LargestTree<Id>::in_sight(SharedMemory<Id>(cells_.parent), n, 1);
  }
  i64 comparisons_for_a_set(i64 n) const override { return LargestTree<Id>::comparisons_for_a_set(n); }
  i64 compared_in_vain() const override { return in_vain_.load(std::memory_order_relaxed); }

  bool in_rounds() const override { return rounds_ != nullptr; }

  void reserve_rounds(i64 count, int threads) override {
    // All edges of a group take part in each round until the last of them is done: many more edges than vertices are
    // cut up.
    const i64 most = std::min(count, std::max(size_, smallest_cut));
    if (group_ != nullptr && group_->most() >= most) return;
    try {
      group_ = std::make_unique<RoundGroup<Id>>(most, threads);
    } catch (const std::bad_alloc&) {  // smaller groups do as well
      if (group_ == nullptr) throw;
    }
  }

  i64 insert_in_rounds(const Operations& batch, const Positions& positions) override {
    i64 links = 0;
    Operations bounded = batch;
    bounded.u = within(batch.u), bounded.v = within(batch.v);
    for (i64 from = 0; from < batch.count; from += group_->most()) {
      const Range group{from, std::min(batch.count, from + group_->most())};
      links +=
          group_->insert(*rounds_, cells_, {bounded, positions}, group, keep_forest_ ? link_edges_.data() : nullptr);
    }
    return links;
  }

  i64 mixed(const Operations& batch, Range range, const Positions& positions, u8* bits) override {
    i64 links = 0;
    for_edge_batches<Id>(within(batch.u), within(batch.v), range.begin, range.end,
                         [&](const Id* u, const Id* v, i64 from, i64 count) {
                           links += kernel_.mixed(cells_, u, v, batch.is_query + from, count,
                                                  log_of(positions.from(from)), bits + (from - range.begin) / 8);
                         });
    return links;
  }

  void answer(const Operations& batch, Range range, u8* bits) override {
    for_edge_batches<Id>(
        within(batch.u), within(batch.v), range.begin, range.end, [&](const Id* u, const Id* v, i64 from, i64 count) {
          kernel_.answer(cells_, u, v, queries_from(batch, from), count, bits + (from - range.begin) / 8);
        });
  }

  void roots(Range range, u32* roots) override { copy_roots(range, roots); }
  void roots(Range range, u64* roots) override { copy_roots(range, roots); }
  void parents(Range range, u32* parents) override { copy_parents(range, parents); }
  void parents(Range range, u64* parents) override { copy_parents(range, parents); }
  void take_parents(i64 n, Buffer<u32>& parents) override { take_cells(n, parents); }
  void take_parents(i64 n, Buffer<u64>& parents) override { take_cells(n, parents); }

  void load_roots(Range range, const IdArray& roots) override {
    std::array<Id, cpu::batch_edges> piece;
    for (i64 from = range.begin; from < range.end; from += cpu::batch_edges) {
      const i64 to = std::min(range.end, from + cpu::batch_edges);
      for (i64 x = from; x < to; ++x) piece[static_cast<std::size_t>(x - from)] = static_cast<Id>(roots[x]);
      kernel_.load_roots(cells_, from, to, piece.data());
    }
  }

  bool link_edge(i64 x, cpu::StreamEdge<u64>& edge) const override {
    const auto& e = link_edges_.data()[x];
    edge = {e.position, e.u, e.v};
    return e.u != no_edge.u;
  }
  void set_link_edge(i64 x, const cpu::StreamEdge<u64>& edge) override {
    link_edges_.data()[x] = {edge.position, static_cast<Id>(edge.u), static_cast<Id>(edge.v)};
  }

 private:
  static constexpr cpu::StreamEdge<Id> no_edge{0, none<Id>, none<Id>};

  // Whether ids are read where they lie, if there is a cell for any: rules that touch no cells but parents write none
  // behind the vertices. What is logged of a link would be read once more.
  bool in_place() const {
    return sizeof(Id) == sizeof(u32) && !kernel_.ranked && !kernel_.uses_aux && !keep_forest_ && mixes();
  }
  // Pairs none of which is a query.
  i64 insert_pairs(const Id* u, const Id* v, i64 count, const cpu::LinkLog<Id>& log, bool exclusive) {
    return exclusive ? kernel_.insert_exclusive(cells_, u, v, count, log)
                     : kernel_.insert(cells_, u, v, nullptr, count, log);
  }

  // The ids of a batch, as those of vertices with a cell: a caller may be changing them.
  IdArray within(const IdArray& ids) const { return ids.up_to(static_cast<u64>(size_ - 1)); }
  cpu::LinkLog<Id> log_of(const Positions& positions) const {
    return {link_edges_.data(), positions.first, positions.at};
  }
  static const u8* queries_from(const Operations& batch, i64 from) {
    return batch.is_query == nullptr ? nullptr : batch.is_query + from;
  }

  std::shared_ptr<const LargestTree<Id>> largest_tree() const {
    const std::lock_guard lock(marking_);
    return largest_;
  }
  // The pre-check where most edges lie inside the largest tree: only of the others the parents are compared.
  // Returns how many of these have one parent.
  i64 sift_edges(const LargestTree<Id>& largest, const Id* u, const Id* v, i64 count, u64* remaining) const {
    const SharedMemory<Id> parents(cells_.parent);
    i64 same = 0;
    for (i64 base = 0; base < count; base += 64) {
      u64 word = largest.joining(u + base, v + base, static_cast<int>(std::min<i64>(64, count - base)));
      for (u64 left = word; left != 0; left &= left - 1) {
        const i64 i = base + std::countr_zero(left);
        const bool equal = parents.load(u[i]) == parents.load(v[i]);
        word ^= static_cast<u64>(equal) << (i - base);
        same += equal;
      }
      remaining[base >> 6] = word;
    }
    return same;
  }

  template <class Out>
  void copy_parents(Range range, Out* out) const {
    const SharedMemory<Id> parents(cells_.parent);
    for (i64 x = range.begin; x < range.end; ++x) out[x] = static_cast<Out>(parents.load(static_cast<Id>(x)));
  }
  template <class Out>
  void copy_roots(Range range, Out* out) {
    std::array<Id, cpu::batch_edges> piece;
    for (i64 from = range.begin; from < range.end; from += cpu::batch_edges) {
      const i64 to = std::min(range.end, from + cpu::batch_edges);
      kernel_.roots(cells_, from, to, piece.data());
      for (i64 x = from; x < to; ++x) out[x] = static_cast<Out>(piece[static_cast<std::size_t>(x - from)]);
    }
  }

  template <class Out>
  void take_cells(i64 n, Buffer<Out>& parents) {
    if constexpr (std::is_same_v<Out, Id>) {
      parents = parent_.take(n);
      cells_.parent = nullptr;
      size_ = 0;
    }
  }

  const StreamKernel<Id>& kernel_;
  const bool keep_forest_;
  GrowableArray<Id> parent_, aux_;
  GrowableArray<u64> words_;
  GrowableArray<cpu::StreamEdge<Id>> link_edges_;
  Cells<Id> cells_;
  LoopChoice loop_;  // of the thread that has exclusive access
  i64 size_ = 0;
  bool any_id_ = false;  // whether there is a cell for whatever is read as an id
  mutable std::mutex marking_;
  std::shared_ptr<const LargestTree<Id>> largest_;  // replaced under `marking_`, while inserts run
  std::atomic<i64> in_vain_{0};                     // edges, since that
  const StreamRounds<Id>* rounds_ = nullptr;
  std::unique_ptr<RoundGroup<Id>> group_;
};

template <class Id>
std::unique_ptr<StreamTrees> make_trees_of(const StreamRule& rule, bool keep_forest, bool climb) {
  const std::vector<std::string_view> words(rule.words.begin(), rule.words.end());
  if (const auto* rounds = find_stream_rounds<Id>(rule.link, words))
    return std::make_unique<TreesOf<Id>>(*rounds, keep_forest);
  if (const auto* kernel = find_stream_kernel<Id>(rule.link, rule.find, rule.splice))
    return std::make_unique<TreesOf<Id>>(*kernel, keep_forest, climb);
  return nullptr;
}

}  // namespace

std::unique_ptr<StreamTrees> make_stream_trees(const StreamRule& rule, IdWidth width, bool keep_forest, bool climb) {
  return with_id(width, [&]<class Id>() { return make_trees_of<Id>(rule, keep_forest, climb); });
}

}  // namespace lb::core

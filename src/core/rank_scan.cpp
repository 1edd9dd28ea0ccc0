// Scans over lists: sums, minima and maxima of values from one end of a list to each of its elements.
#include <atomic>
#include <limits>
#include <vector>

#include "rank.hpp"
#include "rank_prefix.hpp"

namespace lb::core {
namespace lists {
namespace {

// One scan of values over lists.
template <class S, class T, class V>
class ListScan {
 public:
  ListScan(ListsView<S> lists, const V* values, const ScanSpec& spec, const ListPlan& plan, Phases& phases)
      : lists_(lists),
        next_(lists.successor, lists.n),
        given_(values),
        spec_(spec),
        op_(spec.op),
        plan_(plan),
        watch_(phases) {}

  // False if the successors are no lists. Throws SumOverflow for integer sums that may not fit, ListError for a
  // successor out of range.
  bool run(V* out, T* tails) {
    if constexpr (!std::is_floating_point_v<V>) {
      if (spec_.op == rank::ScanOp::sum) check_sum();
    }
    const Survey facts = survey(lists_, plan_.threads);
    if (facts.tails == 0) return false;
    const Strategy strategy = strategy_of(plan_, lists_.n);
    // Prefixes go from the end that the values are combined from; suffixes go towards it.
    backwards_ = strategy.from_start() != spec_.from_head;
    const bool sets = strategy.method == Method::independent_sets;
    if (backwards_ || sets) {
      predecessor_ = Buffer<T>(size());
      if (!find_predecessors(lists_, predecessor_.data(), plan_.threads)) return false;
    } else if (!strategy.from_start() && !predecessors_are_distinct(lists_, plan_.threads)) {
      return false;
    }
    values_ = Buffer<V>(size());
    const bool shift = !strategy.from_start() && spec_.exclusive;
    shift ? copy_values_of_next() : copy_values();
    watch_.lap("check");
    return strategy.from_start() ? run_prefix(facts, out, tails) : run_suffix(sets, out, tails);
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(lists_.n); }
  bool is_tail(i64 i) const { return next_(static_cast<u64>(i)) == static_cast<u64>(i); }
  V own(i64 i) const { return spec_.of_links && is_tail(i) ? op_.neutral : given_[i]; }

  void copy_values() {
    for_each_element(lists_.n, plan_.threads, [&](i64 i) { values_[i] = own(i); });
  }

  // For exclusive suffixes: an element has the value of the one that follows it on the way to the end.
  void copy_values_of_next() {
    for_each_element(lists_.n, plan_.threads, [&](i64 i) {
      if (backwards_)
        values_[i] = predecessor_[i] < 0 ? op_.neutral : own(predecessor_[i]);
      else
        values_[i] = is_tail(i) ? op_.neutral : own(static_cast<i64>(next_(static_cast<u64>(i))));
    });
  }

  bool run_prefix(const Survey& facts, V* out, T* tails) {
    const rank::ArrayValues<V> f{values_.data(), op_, spec_.exclusive};
    if (!backwards_) return prefix<S, T, V>(lists_, facts, f, out, {tails, nullptr}, plan_, &watch_);
    // The head of a list read backwards is its tail.
    const ListsView<T> reversed{predecessor_.data(), lists_.n};
    const ListEnds<T> ends{nullptr, tails};
    return prefix<T, T, V>(reversed, survey(reversed, plan_.threads), f, out, ends, plan_, &watch_);
  }

  bool run_suffix(bool sets, V* out, T* tails) {
    if (!backwards_) {
      if (!suffix(lists_, predecessor_, values_, op_, tails, plan_, watch_)) return false;
    } else {
      Buffer<T> successor;
      if (sets) {
        successor = Buffer<T>(size());
        copy_successors(lists_, successor.data(), plan_.threads);
      }
      const ListsView<T> reversed{predecessor_.data(), lists_.n};
      if (!suffix(reversed, successor, values_, op_, tails, plan_, watch_)) return false;
      if (tails != nullptr) heads_to_tails(lists_, tails, plan_.threads);
    }
    parallel_for(lists_.n, grain, plan_.threads,
                 [&](i64 b, i64 e, int) { std::copy(values_.data() + b, values_.data() + e, out + b); });
    watch_.lap("ranks");
    return true;
  }

  // Throws SumOverflow if the absolute values that count add up to 2^63 or more.
  void check_sum() const {
    std::atomic<bool> overflow{false};
    std::vector<u64> sums(static_cast<std::size_t>(std::max(1, plan_.threads)), 0);
    parallel_for(lists_.n, grain, plan_.threads, [&](i64 b, i64 e, int w) {
      u64& sum = sums[static_cast<std::size_t>(w)];
      bool over = false;
      for (i64 i = b; i < e; ++i) {
        if (spec_.of_links && is_tail(i)) continue;
        const u64 value = static_cast<u64>(given_[i]);
        over |= __builtin_add_overflow(sum, given_[i] < 0 ? u64{0} - value : value, &sum);
      }
      if (over) overflow.store(true, std::memory_order_relaxed);
    });
    u64 total = 0;
    bool over = overflow.load();
    for (const u64 s : sums) over |= __builtin_add_overflow(total, s, &total);
    if (over || total > static_cast<u64>(std::numeric_limits<i64>::max())) {
      throw SumOverflow("the sizes of all values add up to 2^63 or more");
    }
  }

  const ListsView<S> lists_;
  const rank::Successors<S> next_;
  const V* const given_;
  const ScanSpec& spec_;
  const rank::Monoid<V> op_;
  const ListPlan& plan_;
  Stopwatch watch_;
  bool backwards_ = false;
  Buffer<T> predecessor_;
  Buffer<V> values_;
};

}  // namespace
}  // namespace lists

template <class S, class T, class V>
void scan_lists(ListsView<S> view, const V* values, const ScanSpec& spec, V* out, T* tails, const ListPlan& plan,
                Phases& phases) {
  if (view.n == 0) return;
  if (!lists::ListScan<S, T, V>(view, values, spec, plan, phases).run(out, tails)) lists::refuse(view);
}

#define LB_SCAN(S, T, V) \
  template void scan_lists<S, T, V>(ListsView<S>, const V*, const ScanSpec&, V*, T*, const ListPlan&, Phases&);
LB_SCAN(i32, i32, i64)
LB_SCAN(i32, i32, double)
LB_SCAN(i64, i32, i64)
LB_SCAN(i64, i32, double)
LB_SCAN(i64, i64, i64)
LB_SCAN(i64, i64, double)
#undef LB_SCAN

}  // namespace lb::core

// The verifier of ranks and scans: it follows every list once, element by element, and shares nothing with the engines.
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "interrupt.hpp"
#include "rank.hpp"

namespace lb::core {
namespace {

template <class V>
std::string show(V v) {
  std::ostringstream text;
  text.precision(std::numeric_limits<V>::max_digits10);
  text << v;
  return text.str();
}

// The values of a list combined one by one, in a type that no sum of integers leaves.
template <class V>
class Accumulator {
 public:
  static constexpr bool real = std::is_floating_point_v<V>;
  using Wide = std::conditional_t<real, long double, __int128>;

  explicit Accumulator(rank::ScanOp op) : op_(op) {}

  void add(Wide v) {
    magnitude_ += std::fabs(static_cast<long double>(v));
    if (count_++ == 0)
      value_ = v;
    else if (op_ == rank::ScanOp::sum)
      value_ += v;
    else if (v != v || value_ != value_)
      value_ = v != v ? v : value_;
    else
      value_ = op_ == rank::ScanOp::min ? std::min(value_, v) : std::max(value_, v);
  }

  // What the values so far amount to; the neutral value of the operation for none.
  Wide value() const {
    if (count_ > 0 || op_ == rank::ScanOp::sum) return value_;
    using L = std::numeric_limits<V>;
    const bool low = op_ == rank::ScanOp::max;
    return real ? static_cast<Wide>(low ? -L::infinity() : L::infinity())
                : static_cast<Wide>(low ? L::lowest() : L::max());
  }

  // Whether `have` is the value, up to rounding after `steps` additions of doubles.
  bool matches(V have, i64 steps) const {
    const Wide right = value();
    if (static_cast<Wide>(have) == right || (real && have == static_cast<V>(right)) || (have != have && right != right))
      return true;
    if (!real || op_ != rank::ScanOp::sum || std::isinf(static_cast<long double>(right))) return false;
    const long double slack = magnitude_ * static_cast<long double>(steps) * std::numeric_limits<double>::epsilon();
    return std::fabs(static_cast<long double>(have) - static_cast<long double>(right)) <= slack;
  }

 private:
  const rank::ScanOp op_;
  Wide value_ = 0;
  long double magnitude_ = 0;  // the sum of the absolute values
  i64 count_ = 0;
};

// Calls list(elements) for every list, the elements in order; the successors are lists, unless they change meanwhile.
template <class S, class List>
void for_each_list(ListsView<S> lists, const List& list) {
  const rank::Successors<S> next(lists.successor, lists.n);
  std::vector<bool> has_predecessor(static_cast<std::size_t>(lists.n), false);
  for (i64 i = 0; i < lists.n; ++i) {
    stop_point_at(i);
    const u64 s = next(static_cast<u64>(i));
    if (s != static_cast<u64>(i)) has_predecessor[s] = true;
  }
  std::vector<i64> elements;
  for (i64 head = 0; head < lists.n; ++head) {
    if (has_predecessor[static_cast<std::size_t>(head)]) continue;
    elements.clear();
    u64 at = static_cast<u64>(head), before = rank::unowned;
    for (; at != before && std::ssize(elements) < lists.n; at = next(at)) {
      stop_point_at(std::ssize(elements) + 1);
      elements.push_back(static_cast<i64>(at));
      before = at;
    }
    list(elements);
  }
}

}  // namespace

template <class S, class V>
std::string check_scan(ListsView<S> lists, const V* values, const ScanSpec& spec, const V* ranks) {
  if (auto problem = problem_of_lists(lists); !problem.empty()) return problem;
  using Wide = typename Accumulator<V>::Wide;
  std::string message;
  i64 first_wrong = lists.n;
  for_each_list(lists, [&](const std::vector<i64>& elements) {
    Accumulator<V> sum(spec.op);
    const i64 length = static_cast<i64>(elements.size());
    for (i64 k = 0; k < length; ++k) {
      stop_point_at(k + 1);
      const i64 i = elements[static_cast<std::size_t>(spec.from_head ? k : length - 1 - k)];
      const auto add = [&] {
        if (spec.of_links && i == elements.back()) return;
        sum.add(values == nullptr ? Wide{1} : static_cast<Wide>(values[i]));
      };
      if (!spec.exclusive) add();
      if (i < first_wrong && !sum.matches(ranks[i], k + 2)) {
        first_wrong = i;
        const Wide right = sum.value();
        const bool fits = Accumulator<V>::real || static_cast<Wide>(static_cast<V>(right)) == right;
        message = "element " + std::to_string(i) + " has " + show(ranks[i]) + ", and " +
                  (fits ? show(static_cast<V>(right)) : "a number of more than 64 bits") + " is right";
      }
      if (spec.exclusive) add();
    }
  });
  return message;
}

template std::string check_scan<i32, i64>(ListsView<i32>, const i64*, const ScanSpec&, const i64*);
template std::string check_scan<i64, i64>(ListsView<i64>, const i64*, const ScanSpec&, const i64*);
template std::string check_scan<i32, double>(ListsView<i32>, const double*, const ScanSpec&, const double*);
template std::string check_scan<i64, double>(ListsView<i64>, const double*, const ScanSpec&, const double*);

}  // namespace lb::core

// The verifier of ranks and scans. It goes backwards along a stack of visited elements and shares nothing with the
// engine.
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

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

}  // namespace

template <class S, class V>
std::string check_scan(const S* successor, i64 n, const V* values, const Scan& scan, const V* ranks) {
  if (auto broken = problem_of_lists(successor, n); !broken.empty()) return broken;
  constexpr bool real = std::is_floating_point_v<V>;
  using Wide = std::conditional_t<real, long double, __int128>;  // what no sum of integers leaves
  const auto size = static_cast<std::size_t>(n);
  std::vector<bool> led(size, false);
  const auto ends = [&](i64 i) { return successor[i] == i || successor[i] < 0; };
  for (i64 i = 0; i < n; ++i) {
    if (!ends(i)) led[static_cast<std::size_t>(successor[i])] = true;
  }
  std::vector<i64> list;
  std::string wrong;
  i64 first_wrong = n;
  for (i64 head = 0; head < n; ++head) {
    if (led[static_cast<std::size_t>(head)]) continue;
    list.clear();
    for (i64 i = head;; i = successor[i]) {
      list.push_back(i);
      if (ends(i)) break;
    }
    bool empty = true;  // nothing combined so far
    Wide sum = 0;
    long double size_of_sum = 0;
    const auto add = [&](i64 i) {
      if (scan.of_links && ends(i)) return;
      const Wide v = values == nullptr ? Wide{1} : static_cast<Wide>(values[i]);
      size_of_sum += std::fabs(static_cast<long double>(v));
      if (empty)
        sum = v;
      else if (scan.op == rank::Op::sum)
        sum += v;
      else if (v != v || sum != sum)
        sum = v != v ? v : sum;
      else
        sum = scan.op == rank::Op::min ? std::min(sum, v) : std::max(sum, v);
      empty = false;
    };
    const i64 length = static_cast<i64>(list.size());
    for (i64 k = 0; k < length; ++k) {
      const i64 i = list[static_cast<std::size_t>(scan.from_head ? k : length - 1 - k)];
      if (!scan.exclusive) add(i);
      Wide right = sum;
      if (empty && scan.op != rank::Op::sum) {
        using L = std::numeric_limits<V>;
        const bool low = scan.op == rank::Op::max;
        right = real ? static_cast<Wide>(low ? -L::infinity() : L::infinity())
                     : static_cast<Wide>(low ? L::lowest() : L::max());
      }
      const V have = ranks[i];
      bool same = static_cast<Wide>(have) == right || (real && have == static_cast<V>(right)) ||
                  (have != have && right != right);
      if (real && !same && scan.op == rank::Op::sum && !std::isinf(static_cast<long double>(right))) {
        const long double slack =
            size_of_sum * static_cast<long double>(k + 2) * std::numeric_limits<double>::epsilon();
        same = std::fabs(static_cast<long double>(have) - static_cast<long double>(right)) <= slack;
      }
      if (!same && i < first_wrong) {
        first_wrong = i;
        const bool fits = real || static_cast<Wide>(static_cast<V>(right)) == right;
        wrong = "element " + std::to_string(i) + " has " + show(have) + ", and " +
                (fits ? show(static_cast<V>(right)) : "a number of more than 64 bits") + " is right";
      }
      if (scan.exclusive) add(i);
    }
  }
  return wrong;
}

template std::string check_scan<i32, i64>(const i32*, i64, const i64*, const Scan&, const i64*);
template std::string check_scan<i64, i64>(const i64*, i64, const i64*, const Scan&, const i64*);
template std::string check_scan<i32, double>(const i32*, i64, const double*, const Scan&, const double*);
template std::string check_scan<i64, double>(const i64*, i64, const double*, const Scan&, const double*);

}  // namespace lb::core

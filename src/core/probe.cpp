#include "probe.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lb::core {
namespace {

constexpr i64 probed_rows = 512;
constexpr i64 probed_balls = 24;
constexpr i64 probed_arcs = 8;

// Up to probed_arcs neighbours of x, evenly spaced in its row.
void add_neighbors(const GraphView& g, i64 x, std::vector<i64>& out) {
  const i64 begin = g.row_begin(x), degree = g.row_begin(x + 1) - begin;
  const i64 some = std::min(degree, probed_arcs);
  for (i64 i = 0; i < some; ++i) out.push_back(static_cast<i64>(g.a[begin + i * degree / some]));
}

void make_set(std::vector<i64>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

}  // namespace

Probe probe_rows(const GraphView& g) {
  Probe p;
  if (!g.csr || g.arcs == 0) return p;
  const i64 n = g.vertices;
  const i64 near = std::max<i64>(1, n / 64);
  i64 with_arcs = 0, smaller = 0, upward = 0, local = 0;
  double one_step = 0, two_steps = 0;
  const i64 some = std::min(n, probed_rows);
  for (i64 i = 0; i < some; ++i) {
    const i64 x = some == 1 ? 0 : i * (n - 1) / (some - 1);  // the first and the last, too
    const i64 begin = g.row_begin(x), end = g.row_begin(x + 1);
    if (begin >= end) continue;
    p.largest_degree = std::max(p.largest_degree, static_cast<double>(end - begin));
    const i64 first = static_cast<i64>(g.a[begin]), last = static_cast<i64>(g.a[end - 1]);
    ++with_arcs;
    smaller += first < x;
    upward += (first > x) & (last > x);
    local += (std::abs(first - x) < near) + (std::abs(last - x) < near);
    if (i % std::max<i64>(1, some / probed_balls) != 0) continue;
    std::vector<i64> ball, next;
    add_neighbors(g, x, ball);
    make_set(ball);
    for (const i64 y : ball) add_neighbors(g, y, next);
    make_set(next);
    std::erase_if(next, [&](i64 z) { return z == x || std::binary_search(ball.begin(), ball.end(), z); });
    one_step += static_cast<double>(ball.size());
    two_steps += static_cast<double>(next.size());
  }
  if (with_arcs > 0) {
    p.first_smaller = static_cast<double>(smaller) / static_cast<double>(with_arcs);
    p.upward = static_cast<double>(upward) / static_cast<double>(with_arcs);
    p.local = static_cast<double>(local) / static_cast<double>(2 * with_arcs);
  }
  if (one_step > 0) p.expansion = two_steps / one_step;
  return p;
}

std::optional<Arc> unmatched_arc(GraphView rows, i64 sample, i64 neighbors_read) {
  constexpr double golden = 0.6180339887498949;  // its multiples are spread evenly, and in step with no pattern of arcs
  struct Sampled {
    Arc arc;
    i64 begin, end;  // of the row of its neighbor
  };
  rows.bound();
  std::vector<Sampled> arcs;
  for (i64 k = 1; k <= std::min(sample, rows.arcs); ++k) {
    const double place = static_cast<double>(k) * golden;
    const i64 i = static_cast<i64>((place - std::floor(place)) * static_cast<double>(rows.arcs));
    const i64 row = row_at(rows.offsets, rows.vertices, i);
    const auto neighbor = static_cast<i64>(rows.a[i]);
    arcs.push_back({{row, neighbor}, rows.row_begin(neighbor), rows.row_begin(neighbor + 1)});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const Sampled& x, const Sampled& y) { return x.end - x.begin < y.end - y.begin; });
  std::optional<Arc> first;
  for (const auto& [arc, begin, end] : arcs) {
    neighbors_read -= end - begin;
    if (neighbors_read < 0) break;
    bool matched = false;
    for (i64 i = begin; i < end && !matched; ++i) matched = static_cast<i64>(rows.a[i]) == arc.row;
    const bool before = !first || arc.row < first->row || (arc.row == first->row && arc.neighbor < first->neighbor);
    if (!matched && before) first = arc;
  }
  return first;
}

}  // namespace lb::core

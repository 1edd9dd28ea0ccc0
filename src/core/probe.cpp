#include "probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace lb::core {
namespace {

constexpr i64 probed_rows = 512;
constexpr i64 probed_balls = 24;
constexpr i64 probed_arcs = 8;
constexpr i64 distances = 256;  // in equal parts of the id range

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

// The rows of vertices, which lie anywhere, are about to be read: many misses are on their way at once.
void prefetch_rows(const GraphView& g, const std::vector<i64>& vertices) {
  for (const i64 x : vertices) g.offsets.prefetch(x);
  for (const i64 x : vertices) {
    const i64 begin = g.row_begin(x), end = g.row_begin(x + 1);
    if (begin >= end) continue;
    g.a.prefetch(begin);
    g.a.prefetch(end - 1);
  }
}

// A vertex, and some of those one and two steps away.
struct Ball {
  i64 x;
  std::vector<i64> one, two;
  bool holds(i64 v) const {
    return v == x || std::binary_search(one.begin(), one.end(), v) || std::binary_search(two.begin(), two.end(), v);
  }
};

// What lies around a few vertices: counted over all of them.
struct Around {
  i64 one_step = 0, two_steps = 0;    // vertices that far away
  i64 third_steps = 0, enclosed = 0;  // steps from some of those two away, and how many of them end no further away

  Around(const GraphView& g, const std::vector<i64>& vertices) {
    std::vector<Ball> balls;
    std::vector<i64> next;
    for (const i64 x : vertices) {
      Ball ball{x, {}, {}};
      add_neighbors(g, x, ball.one);
      make_set(ball.one);
      next.insert(next.end(), ball.one.begin(), ball.one.end());
      balls.push_back(std::move(ball));
    }
    prefetch_rows(g, next);
    std::vector<std::pair<const Ball*, i64>> ends;
    next.clear();
    for (Ball& ball : balls) {
      std::vector<i64> two;
      for (const i64 y : ball.one) add_neighbors(g, y, two);
      make_set(two);
      std::erase_if(two, [&](i64 z) { return ball.holds(z); });
      ball.two = std::move(two);
      one_step += static_cast<i64>(ball.one.size());
      const auto reached = static_cast<i64>(ball.two.size()), some = std::min(reached, probed_arcs);
      two_steps += reached;
      for (i64 i = 0; i < some; ++i) {
        next.push_back(ball.two[static_cast<std::size_t>(i * reached / some)]);
        ends.emplace_back(&ball, next.back());
      }
    }
    prefetch_rows(g, next);
    for (const auto& [ball, z] : ends) {
      const i64 begin = g.row_begin(z), end = g.row_begin(z + 1);
      if (begin >= end) continue;
      for (const i64 at : {begin, end - 1}) {
        ++third_steps;
        enclosed += ball->holds(static_cast<i64>(g.a[at]));
      }
    }
  }
};

// How far off first neighbours are that are not near, in equal parts of the id range.
class FarDistances {
 public:
  explicit FarDistances(i64 vertices) : vertices_(vertices) {}
  void add(i64 distance) {
    ++count_[static_cast<std::size_t>(static_cast<double>(distance) / static_cast<double>(vertices_) * distances)];
    ++all_;
  }
  // The share of pairs that are equally far off.
  double equal() const {
    double pairs = 0;
    for (const double k : count_) pairs += k * (k - 1);
    return all_ < 2 ? 0 : pairs / (all_ * (all_ - 1));
  }

 private:
  i64 vertices_;
  double all_ = 0;
  std::array<double, distances> count_{};
};

double share_of(i64 part, i64 all) { return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0; }

}  // namespace

Probe probe_rows(const GraphView& g) {
  Probe p;
  if (!g.csr || g.arcs == 0) return p;
  const i64 n = g.vertices;
  const i64 near = std::max<i64>(1, n / 64);
  i64 with_arcs = 0, smaller = 0, upward = 0, local = 0;
  FarDistances far(n);
  const i64 some = std::min(n, probed_rows), every = std::max<i64>(1, some / probed_balls);
  std::vector<i64> vertices, centres;
  for (i64 i = 0; i < some; ++i) vertices.push_back(some == 1 ? 0 : i * (n - 1) / (some - 1));  // first and last, too
  prefetch_rows(g, vertices);
  for (i64 i = 0; i < some; ++i) {
    const i64 x = vertices[static_cast<std::size_t>(i)];
    const i64 begin = g.row_begin(x), end = g.row_begin(x + 1);
    if (begin >= end) continue;
    p.largest_degree = std::max(p.largest_degree, static_cast<double>(end - begin));
    const i64 first = static_cast<i64>(g.a[begin]), last = static_cast<i64>(g.a[end - 1]);
    ++with_arcs;
    smaller += first < x;
    upward += (first > x) & (last > x);
    local += (std::abs(first - x) < near) + (std::abs(last - x) < near);
    if (std::abs(first - x) >= near) far.add(std::abs(first - x));
    if (i % every == 0) centres.push_back(x);
  }
  const Around around(g, centres);
  p.empty = share_of(some - with_arcs, some);
  p.first_smaller = share_of(smaller, with_arcs);
  p.upward = share_of(upward, with_arcs);
  p.local = share_of(local, 2 * with_arcs);
  p.expansion = share_of(around.two_steps, around.one_step);
  p.enclosed = share_of(around.enclosed, around.third_steps);
  p.equidistant = far.equal();
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

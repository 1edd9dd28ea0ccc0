// Delaunay triangulation in exact integer arithmetic: points are inserted one at a time in the order of a
// Hilbert curve (Bowyer 1981, Watson 1981). Coordinates are below 2^30, so that every predicate is exact: the
// orientation of three points fits 64 bits, the in-circle determinant 128. No rounding, no special cases for
// points that are nearly or exactly on a line or a circle.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "counter_rng.hpp"
#include "error.hpp"
#include "generate.hpp"
#include "sort.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using Id = std::int32_t;

constexpr int coordinate_bits = 30;
constexpr i64 grain = i64{1} << 15;

struct Point {
  std::int32_t x, y;
};

// > 0 if a, b, c turn left, 0 if they are on one line.
i64 orientation(Point a, Point b, Point c) {
  return (i64{b.x} - a.x) * (i64{c.y} - a.y) - (i64{b.y} - a.y) * (i64{c.x} - a.x);
}

// Whether p is strictly inside the circle through a, b, c, which turn left.
bool in_circle(Point a, Point b, Point c, Point p) {
  const i64 ax = i64{a.x} - p.x, ay = i64{a.y} - p.y;
  const i64 bx = i64{b.x} - p.x, by = i64{b.y} - p.y;
  const i64 cx = i64{c.x} - p.x, cy = i64{c.y} - p.y;
  __extension__ typedef __int128 wide;
  return static_cast<wide>(ax * ax + ay * ay) * (bx * cy - cx * by) +
             static_cast<wide>(bx * bx + by * by) * (cx * ay - ax * cy) +
             static_cast<wide>(cx * cx + cy * cy) * (ax * by - bx * ay) >
         0;
}

// The position of a cell of the 2^bits x 2^bits grid on the Hilbert curve.
u64 hilbert(u32 x, u32 y, int bits) {
  u64 d = 0;
  for (int s = bits - 1; s >= 0; --s) {
    const u32 rx = x >> s & 1, ry = y >> s & 1;
    d = d << 2 | ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) {
        x = ~x;
        y = ~y;
      }
      std::swap(x, y);
    }
  }
  return d;
}

// A triangulation of the sphere: the triangles of the plane, and for each edge of the convex hull one with
// the corner `ghost` outside. Half-edge e = 3 t + i of triangle t leads from corner_[e] to the next corner,
// with the triangle on its left; twin_[e] is the same edge from the other side.
class Triangulation {
 public:
  // At least three distinct points, not all on one line.
  explicit Triangulation(const Buffer<Point>& points)
      : p_(points.data()),
        ghost_(static_cast<u32>(points.size())),
        corner_(6 * points.size()),
        twin_(6 * points.size()) {
    u32 third = 2;
    while (orientation(p_[0], p_[1], p_[third]) == 0) ++third;
    const bool left = orientation(p_[0], p_[1], p_[third]) > 0;
    const u32 first[3] = {0, left ? 1 : third, left ? third : 1};
    for (u32 i = 0; i < 3; ++i) {  // triangle 0, and ghost triangle i + 1 across its edge i
      const u32 outside = 3 * (i + 1);
      corner_[i] = first[i];
      corner_[outside] = first[(i + 1) % 3];
      corner_[outside + 1] = first[i];
      corner_[outside + 2] = ghost_;
      join(i, outside);
      join(outside + 1, 3 * ((i + 2) % 3 + 1) + 2);
    }
    triangles_ = 4;
    for (u32 v = 2; v < ghost_; ++v) {
      if (v != third) insert(v);
    }
  }

  u32 half_edges() const { return 3 * triangles_; }
  // Whether half-edge e stands for an edge of the plane, once for each edge.
  bool is_edge(u32 e) const { return e < twin_[e] && from(e) != ghost_ && from(next(e)) != ghost_; }
  u32 from(u32 e) const { return corner_[e]; }
  static u32 next(u32 e) { return e % 3 == 2 ? e - 2 : e + 1; }

 private:
  void join(u32 e, u32 f) {
    twin_[e] = f;
    twin_[f] = e;
  }

  // The half-edge of triangle t that has no ghost at either end, if one corner of t is the ghost.
  bool ghost_base(u32 t, u32& base) const {
    for (u32 i = 0; i < 3; ++i) {
      if (corner_[3 * t + i] == ghost_) {
        base = 3 * t + (i + 1) % 3;
        return true;
      }
    }
    return false;
  }

  // Whether p is inside the circumcircle of t. That of a ghost triangle is the outer half-plane of its edge,
  // together with the edge itself without its endpoints.
  bool conflicts(u32 t, Point p) const {
    u32 base;
    if (!ghost_base(t, base)) return in_circle(p_[corner_[3 * t]], p_[corner_[3 * t + 1]], p_[corner_[3 * t + 2]], p);
    const Point a = p_[corner_[base]], b = p_[corner_[next(base)]];
    const i64 side = orientation(a, b, p);
    if (side != 0) return side > 0;
    return (i64{p.x} - a.x) * (i64{p.x} - b.x) + (i64{p.y} - a.y) * (i64{p.y} - b.y) < 0;
  }

  // A triangle that p conflicts with: walks from the newest triangle over edges that have p on the far side.
  u32 locate(Point p) const {
    u32 t = newest_, base;
    if (ghost_base(t, base)) t = twin_[base] / 3;
    for (;;) {
      const u32 e = 3 * t;
      const Point a = p_[corner_[e]], b = p_[corner_[e + 1]], c = p_[corner_[e + 2]];
      u32 over;
      if (orientation(a, b, p) < 0) {
        over = e;
      } else if (orientation(b, c, p) < 0) {
        over = e + 1;
      } else if (orientation(c, a, p) < 0) {
        over = e + 2;
      } else {
        return t;
      }
      t = twin_[over] / 3;
      if (ghost_base(t, base)) return t;
    }
  }

  // Removes every triangle that the new vertex conflicts with and joins it to the border of the hole. The
  // triangles removed form a tree (no old vertex is inside the hole), so none is visited twice.
  void insert(u32 v) {
    const Point p = p_[v];
    const u32 start = locate(p);
    removed_.assign(1, start);
    stack_.assign({3 * start + 2, 3 * start + 1, 3 * start});
    border_.clear();
    while (!stack_.empty()) {
      const u32 e = stack_.back(), across = twin_[e];
      stack_.pop_back();
      if (conflicts(across / 3, p)) {
        removed_.push_back(across / 3);
        stack_.push_back(next(next(across)));
        stack_.push_back(next(across));
      } else {
        border_.push_back({corner_[e], across});
      }
    }
    removed_.push_back(triangles_++);
    removed_.push_back(triangles_++);
    const std::size_t sides = border_.size();
    for (std::size_t i = 0; i < sides; ++i) {
      const u32 e = 3 * removed_[i];
      corner_[e] = border_[i].from;
      corner_[e + 1] = border_[i + 1 == sides ? 0 : i + 1].from;
      corner_[e + 2] = v;
      join(e, border_[i].across);
      join(e + 1, 3 * removed_[i + 1 == sides ? 0 : i + 1] + 2);
    }
    newest_ = removed_[0];
  }

  struct Side {
    u32 from, across;
  };
  const Point* p_;
  u32 ghost_;
  u32 triangles_ = 0;
  u32 newest_ = 0;
  Buffer<u32> corner_, twin_;
  std::vector<u32> removed_, stack_;
  std::vector<Side> border_;
};

// The numbers of two equal points, or {0, 0} if there are none.
std::pair<i64, i64> equal_points(const Buffer<Point>& points, int threads) {
  const i64 n = static_cast<i64>(points.size());
  Buffer<u64> key(points.size()), scratch(points.size());
  const auto pack = [&](i64 i) {
    const Point p = points[static_cast<std::size_t>(i)];
    return static_cast<u64>(p.x) << coordinate_bits | static_cast<u64>(p.y);
  };
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) key[static_cast<std::size_t>(i)] = pack(i);
  });
  sort_keys(key.data(), scratch.data(), n, 2 * coordinate_bits, threads);
  const u64* same = std::adjacent_find(key.begin(), key.end());
  if (same == key.end()) return {0, 0};
  i64 first = 0;
  while (pack(first) != *same) ++first;
  i64 second = first + 1;
  while (pack(second) != *same) ++second;
  return {first, second};
}

// The edges of the triangulation of distinct points.
Edges<Id> triangulate(const Buffer<Point>& points, int threads) {
  const i64 n = static_cast<i64>(points.size());
  const int id_bits = std::bit_width(static_cast<u64>(n));
  const int curve_bits = std::min(coordinate_bits, (64 - id_bits) / 2);
  Buffer<u64> order(points.size());
  {
    Buffer<u64> scratch(points.size());
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const Point p = points[static_cast<std::size_t>(i)];
        const int drop = coordinate_bits - curve_bits;
        const u64 place = hilbert(static_cast<u32>(p.x) >> drop, static_cast<u32>(p.y) >> drop, curve_bits);
        order[static_cast<std::size_t>(i)] = place << id_bits | static_cast<u64>(i);
      }
    });
    sort_keys(order.data(), scratch.data(), n, 2 * curve_bits + id_bits, threads);
  }
  Buffer<Point> sorted(points.size());
  parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 i = b; i < e; ++i) {
      u64& o = order[static_cast<std::size_t>(i)];
      o &= (u64{1} << id_bits) - 1;
      sorted[static_cast<std::size_t>(i)] = points[o];
    }
  });
  bool flat = true;
  for (i64 i = 2; i < n && flat; ++i)
    flat = orientation(sorted[0], sorted[1], sorted[static_cast<std::size_t>(i)]) == 0;
  if (flat) {  // on one line, or fewer than three: a path
    std::sort(order.begin(), order.end(),
              [&](u64 i, u64 j) { return std::pair(points[i].x, points[i].y) < std::pair(points[j].x, points[j].y); });
    Edges<Id> edges(std::max<i64>(0, n - 1));
    for (std::size_t i = 0; i < edges.u.size(); ++i) {
      edges.u[i] = static_cast<Id>(std::min(order[i], order[i + 1]));
      edges.v[i] = static_cast<Id>(std::max(order[i], order[i + 1]));
    }
    return edges;
  }
  const Triangulation mesh(sorted);
  const i64 pieces = (mesh.half_edges() + grain - 1) / grain;
  Buffer<i64> place(static_cast<std::size_t>(pieces));
  const auto each = [&](i64 piece, auto&& visit) {
    const i64 end = std::min<i64>(mesh.half_edges(), (piece + 1) * grain);
    for (i64 e = piece * grain; e < end; ++e) {
      if (mesh.is_edge(static_cast<u32>(e))) visit(static_cast<u32>(e));
    }
  };
  parallel_for(pieces, 1, threads, [&](i64 piece, i64, int) {
    i64 count = 0;
    each(piece, [&](u32) { ++count; });
    place[static_cast<std::size_t>(piece)] = count;
  });
  i64 sum = 0;
  for (i64& at : place) sum += std::exchange(at, sum);
  Edges<Id> edges(sum);
  parallel_for(pieces, 1, threads, [&](i64 piece, i64, int) {
    std::size_t to = static_cast<std::size_t>(place[static_cast<std::size_t>(piece)]);
    each(piece, [&](u32 e) {
      const u64 a = order[mesh.from(e)], b = order[mesh.from(Triangulation::next(e))];
      edges.u[to] = static_cast<Id>(std::min(a, b));
      edges.v[to++] = static_cast<Id>(std::max(a, b));
    });
  });
  return edges;
}

}  // namespace

Edges<Id> delaunay(i64 n, u64 seed, int threads) {
  Buffer<Point> points(static_cast<std::size_t>(n));
  for (u64 attempt = 0;; ++attempt) {  // two equal points are rare: all are drawn again
    const RandomSequence random(seed, attempt);
    parallel_for(n, grain, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) {
        const u64 word = random.word(static_cast<u64>(i));
        const auto coordinate = [](u64 w) { return static_cast<std::int32_t>(w >> (64 - coordinate_bits)); };
        points[static_cast<std::size_t>(i)] = {coordinate(word), coordinate(word << 32)};
      }
    });
    if (equal_points(points, threads).second == 0) return triangulate(points, threads);
  }
}

Edges<Id> delaunay_of(const std::int32_t* x, const std::int32_t* y, i64 n, int threads) {
  Buffer<Point> points(static_cast<std::size_t>(n));
  for (i64 i = 0; i < n; ++i) {
    for (const auto c : {x[i], y[i]}) {
      if (c < 0 || c >> coordinate_bits != 0) {
        throw InputError("point " + std::to_string(i) + ": coordinate " + std::to_string(c) + " is not in [0, 2^30)");
      }
    }
    points[static_cast<std::size_t>(i)] = {x[i], y[i]};
  }
  const auto [first, second] = equal_points(points, threads);
  if (second != 0) {
    throw InputError("points " + std::to_string(first) + " and " + std::to_string(second) + " are the same");
  }
  return triangulate(points, threads);
}

}  // namespace lb::core

// Graphs of the plane: lattices, mazes, and roads as subdivided mazes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "generate_edges.hpp"
#include "id_width.hpp"

namespace lb::core {

using namespace generate;
namespace {

// Parents of a serial union-find, halving paths.
template <class T>
T find_root(T* parent, T x) {
  while (parent[x] != x) x = parent[x] = parent[parent[x]];
  return x;
}

// Exchanges the items of [0, n) into random order.
template <class T>
void shuffle(T* item, i64 n, const RandomSequence& random) {
  for (i64 i = n - 1; i > 0; --i) {
    std::swap(item[i], item[random.below(static_cast<u64>(i), static_cast<u64>(i) + 1)]);
  }
}

// A random spanning tree of n cells in a nearly square grid, whose last row may be short. Kruskal's algorithm in random
// order inside tiles of 32 x 32 cells, then the same on the grid of tiles, where an edge is one random edge across the
// border: a spanning tree of the cells, made tile by tile.
class SpanningTree {
 public:
  SpanningTree(i64 n, u64 seed, int threads)
      : n_(n),
        columns_(side_of(n)),
        rows_((n + columns_ - 1) / columns_),
        tile_rows_((rows_ + side - 1) / side),
        tile_columns_((columns_ + side - 1) / side),
        edges_(static_cast<std::size_t>(n)) {
    const RandomSequence inside(seed, tile_sequence), across(seed, choice_sequence);
    parallel_for(tile_rows_ * tile_columns_, 1, threads,
                 [&](i64 t, i64, int) { join_cells(t, inside.sub(static_cast<u64>(t))); });
    join_tiles(across);
  }
  i64 columns() const { return columns_; }
  // Whether the edge to the next cell of the row, or of the column, is in the tree.
  bool right(i64 x) const { return (edges_[static_cast<std::size_t>(x)] & to_right) != 0; }
  bool down(i64 x) const { return (edges_[static_cast<std::size_t>(x)] & to_down) != 0; }

 private:
  static constexpr i64 side = 32;
  static constexpr std::uint8_t to_right = 1, to_down = 2;

  static i64 side_of(i64 n) {
    i64 b = static_cast<i64>(std::sqrt(static_cast<double>(n)));
    while (b * b < n) ++b;
    return b;
  }
  // The first row and column of a tile.
  std::pair<i64, i64> corner(i64 t) const { return {t / tile_columns_ * side, t % tile_columns_ * side}; }

  void join_cells(i64 t, const RandomSequence& random) {
    const auto [r0, c0] = corner(t);
    const i64 height = std::min(side, rows_ - r0), width = std::min(side, columns_ - c0);
    std::uint16_t edge[2 * side * side], parent[side * side];
    i64 count = 0;
    for (i64 r = 0; r < height; ++r) {
      for (i64 c = 0; c < width; ++c) {
        const i64 cell = r * side + c, x = (r0 + r) * columns_ + c0 + c;
        if (x >= n_) break;
        edges_[static_cast<std::size_t>(x)] = 0;
        parent[cell] = static_cast<std::uint16_t>(cell);
        if (c + 1 < width && x + 1 < n_) edge[count++] = static_cast<std::uint16_t>(2 * cell);
        if (r + 1 < height && x + columns_ < n_) edge[count++] = static_cast<std::uint16_t>(2 * cell + 1);
      }
    }
    shuffle(edge, count, random);
    for (i64 i = 0; i < count; ++i) {
      const int cell = edge[i] / 2;
      const bool vertical = edge[i] % 2 != 0;
      const auto x = find_root(parent, static_cast<std::uint16_t>(cell));
      const auto y = find_root(parent, static_cast<std::uint16_t>(cell + (vertical ? side : 1)));
      if (x == y) continue;
      parent[std::max(x, y)] = std::min(x, y);
      add((r0 + cell / side) * columns_ + c0 + cell % side, vertical);
    }
  }

  void join_tiles(const RandomSequence& random) {
    const i64 tiles = tile_rows_ * tile_columns_;
    std::vector<i64> border, parent(static_cast<std::size_t>(tiles));
    std::iota(parent.begin(), parent.end(), i64{0});
    for (i64 t = 0; t < tiles; ++t) {
      // A tile of the last row exists only where the short last row of cells reaches it.
      const auto [r0, c0] = corner(t);
      if (c0 + side < columns_ && r0 * columns_ + c0 + side < n_) border.push_back(2 * t);
      if (r0 + side < rows_ && (r0 + side) * columns_ + c0 < n_) border.push_back(2 * t + 1);
    }
    shuffle(border.data(), static_cast<i64>(border.size()), random);
    for (const i64 e : border) {
      const i64 t = e / 2;
      const bool vertical = e % 2 != 0;
      const i64 x = find_root(parent.data(), t), y = find_root(parent.data(), t + (vertical ? tile_columns_ : 1));
      if (x == y) continue;
      parent[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
      const auto [r0, c0] = corner(t);
      const i64 place = at(random.sub(1).below(static_cast<u64>(e), static_cast<u64>(cells_beyond(t, vertical))));
      add(vertical ? (r0 + side - 1) * columns_ + c0 + place : (r0 + place) * columns_ + c0 + side - 1, vertical);
    }
  }

  // The cells on the far side of a tile's border that exist.
  i64 cells_beyond(i64 t, bool vertical) const {
    const auto [r0, c0] = corner(t);
    i64 count = vertical ? std::min(side, columns_ - c0) : std::min(side, rows_ - r0);
    while (vertical ? (r0 + side) * columns_ + c0 + count - 1 >= n_ : (r0 + count - 1) * columns_ + c0 + side >= n_)
      --count;
    return count;
  }

  void add(i64 cell, bool vertical) { edges_[static_cast<std::size_t>(cell)] |= vertical ? to_down : to_right; }

  i64 n_, columns_, rows_, tile_rows_, tile_columns_;
  Buffer<std::uint8_t> edges_;  // of each cell
};

}  // namespace

template <class Id>
Edges<Id> lattice(i64 rows, i64 columns, Lattice kind, u64 seed, int threads) {
  const RandomSequence random(seed, edge_sequence);
  const u64 a = static_cast<u64>(rows), b = static_cast<u64>(columns);
  // Round two cells a wrap would repeat the edge between them, round one it would be a loop.
  const bool wrap_right = kind.wrap && b > 2, wrap_down = kind.wrap && a > 2;
  return emit<Id>(rows * columns, grain, threads, [&](i64 begin, i64 end, auto& sink) {
    u64 r = static_cast<u64>(begin) / b, c = static_cast<u64>(begin) % b;
    for (u64 x = static_cast<u64>(begin); x < static_cast<u64>(end); ++x) {
      const bool right = c + 1 < b, down = r + 1 < a;
      const auto keep = [&](u64 way) { return kind.keep == UINT64_MAX || random.word(3 * x + way) < kind.keep; };
      if ((right || wrap_right) && keep(0)) sink(x, right ? x + 1 : x + 1 - b);
      if ((down || wrap_down) && keep(1)) sink(x, down ? x + b : c);
      if (kind.diagonal && right && down && keep(2)) sink(x, x + b + 1);
      if (++c == b) {
        c = 0;
        ++r;
      }
    }
  });
}

template <class Id>
Edges<Id> maze(i64 n, u64 extra, u64 seed, int threads) {
  if (n == 0) return Edges<Id>(0);
  const SpanningTree tree(n, seed, threads);
  const RandomSequence more(seed, extra_sequence);
  const i64 columns = tree.columns();
  return emit<Id>(n, grain, threads, [&](i64 begin, i64 end, auto& sink) {
    i64 c = begin % columns;
    for (i64 x = begin; x < end; ++x) {
      const u64 cell = static_cast<u64>(x);
      if (++c == columns) {
        c = 0;
      } else if (x + 1 < n && (tree.right(x) || chance(more.word(2 * cell), extra))) {
        sink(cell, cell + 1);
      }
      if (x + columns < n && (tree.down(x) || chance(more.word(2 * cell + 1), extra))) {
        sink(cell, cell + static_cast<u64>(columns));
      }
    }
  });
}

template <class Id>
Edges<Id> subdivide(const Edges<Id>& base, i64 inner, i64 n, int threads) {
  const i64 links = base.size(), added = n - inner;
  Edges<Id> edges(links + added);
  parallel_for(links, grain, threads, [&](i64 b, i64 e, int) {
    for (i64 j = b; j < e; ++j) {
      const i64 first = share_start(added, links, j), last = share_start(added, links, j + 1);
      std::size_t to = static_cast<std::size_t>(j + first);
      Id from = base.u[static_cast<std::size_t>(j)];
      for (i64 x = first; x < last; ++x, ++to) {
        edges.u[to] = from;
        edges.v[to] = from = static_cast<Id>(inner + x);
      }
      edges.u[to] = from;
      edges.v[to] = base.v[static_cast<std::size_t>(j)];
    }
  });
  return edges;
}

#define LB_INSTANTIATE(Id)                                     \
  template Edges<Id> lattice<Id>(i64, i64, Lattice, u64, int); \
  template Edges<Id> maze<Id>(i64, u64, u64, int);             \
  template Edges<Id> subdivide<Id>(const Edges<Id>&, i64, i64, int);
LB_FOR_EACH_SIGNED_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

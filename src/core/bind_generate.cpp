// Bindings of the generators: each returns (u, v), int32 while there are fewer than 2^31 vertices, else
// int64.
#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <bit>

#include "bind.hpp"
#include "generate.hpp"
#include "sort.hpp"

namespace lb::bind {
namespace {

using std::int64_t;
using std::uint64_t;

template <class Id>
struct As {
  using type = Id;
};

// Calls make() without the GIL and hands the arrays to NumPy.
template <class Id, class F>
nb::object arrays_of(const F& make) {
  core::Edges<Id> edges;
  {
    const Unlocked unlocked;
    edges = make();
  }
  return nb::make_tuple(to_numpy(std::move(edges.u)), to_numpy(std::move(edges.v)));
}

// The same with make(As<Id>), where Id is wide enough for n vertices.
template <class F>
nb::object edges_of(uint64_t n, const F& make) {
  if (n < (uint64_t{1} << 31)) return arrays_of<std::int32_t>([&] { return make(As<std::int32_t>{}); });
  return arrays_of<int64_t>([&] { return make(As<int64_t>{}); });
}

void define_uniform(nb::module_& m) {
  m.def("generate_gnm", [](uint64_t n, int64_t edges, int64_t parts, uint64_t seed, int threads) {
    return edges_of(n, [&]<class Id>(As<Id>) {
      return parts == 1 ? core::gnm<Id>(n, edges, seed, threads) : core::gnm_parts<Id>(n, edges, parts, seed, threads);
    });
  });
  m.def("generate_gnp", [](uint64_t n, double p, uint64_t seed, int threads) {
    return edges_of(n, [&]<class Id>(As<Id>) { return core::gnp<Id>(n, p, seed, threads); });
  });
  m.def("generate_uniform", [](uint64_t n, int64_t edges, uint64_t seed, int threads) {
    return edges_of(n, [&]<class Id>(As<Id>) { return core::uniform<Id>(n, edges, seed, threads); });
  });
  m.def("generate_r4", [](uint64_t n, uint64_t seed, int threads) {
    return edges_of(n, [&]<class Id>(As<Id>) { return core::r4<Id>(n, seed, threads); });
  });
}

void define_skewed(nb::module_& m) {
  m.def("generate_rmat", [](int scale, uint64_t n, int64_t edges, const std::array<std::uint32_t, 4>& quadrants,
                            bool shuffle, uint64_t seed, int threads) {
    const auto& [a, b, c, d] = quadrants;
    return edges_of(
        n, [&]<class Id>(As<Id>) { return core::rmat<Id>(scale, n, edges, {a, b, c, d}, shuffle, seed, threads); });
  });
  m.def("generate_ba", [](uint64_t n, uint64_t k, uint64_t seed, int threads) {
    return edges_of(n, [&]<class Id>(As<Id>) { return core::ba<Id>(n, k, seed, threads); });
  });
  m.def("generate_web",
        [](int64_t core, int64_t small, int64_t more, uint64_t local, int64_t reach, uint64_t seed, int threads) {
          return edges_of(static_cast<uint64_t>(core + 2 * small), [&]<class Id>(As<Id>) {
            return core::web<Id>(core, small, more, local, reach, seed, threads);
          });
        });
}

void define_plane(nb::module_& m) {
  m.def("generate_lattice", [](int64_t rows, int64_t columns, bool wrap, bool diagonal, uint64_t keep, bool shuffle,
                               uint64_t seed, int threads) {
    const int64_t n = rows * columns;
    return edges_of(static_cast<uint64_t>(n), [&]<class Id>(As<Id>) {
      auto edges = core::lattice<Id>(rows, columns, {wrap, diagonal, keep}, seed, threads);
      if (shuffle) core::shuffle_ids(edges, n, seed, threads);
      return edges;
    });
  });
  m.def("generate_delaunay", [](int64_t n, uint64_t seed, int threads) {
    return arrays_of<std::int32_t>([&] { return core::delaunay(n, seed, threads); });
  });
  m.def("delaunay_of", [](In<std::int32_t> x, In<std::int32_t> y, int threads) {
    if (x.size() != y.size()) throw core::InputError("x and y differ in length");
    return arrays_of<std::int32_t>(
        [&] { return core::delaunay_of(x.data(), y.data(), static_cast<int64_t>(x.size()), threads); });
  });
  m.def("generate_road", [](int64_t n, int64_t inner, uint64_t extra, uint64_t seed, int threads) {
    return edges_of(static_cast<uint64_t>(n), [&]<class Id>(As<Id>) {
      auto edges = core::maze<Id>(inner, extra, seed, threads);
      return inner == n ? std::move(edges) : core::subdivide(edges, inner, n, threads);
    });
  });
}

void define_forests(nb::module_& m) {
  m.def("generate_cliques", [](int64_t n, int64_t size, int64_t layers, uint64_t seed, int threads) {
    return edges_of(static_cast<uint64_t>(n),
                    [&]<class Id>(As<Id>) { return core::cliques<Id>(n, size, layers, seed, threads); });
  });
  m.def("generate_tiny", [](int64_t n, int64_t smallest, int64_t largest, bool shuffle, uint64_t seed, int threads) {
    return edges_of(static_cast<uint64_t>(n), [&]<class Id>(As<Id>) {
      auto edges = core::tiny<Id>(n, smallest, largest, seed, threads);
      if (shuffle) core::shuffle_ids(edges, n, seed, threads);
      return edges;
    });
  });
  m.def("generate_list_graph", [](int64_t n, int64_t count, uint64_t seed, int threads) {
    return edges_of(static_cast<uint64_t>(n),
                    [&]<class Id>(As<Id>) { return core::list_graph<Id>(n, count, seed, threads); });
  });
  m.def("generate_tree_graph", [](int64_t n, int64_t count, int64_t k, uint64_t seed, int threads) {
    return edges_of(static_cast<uint64_t>(n),
                    [&]<class Id>(As<Id>) { return core::tree_graph<Id>(n, count, k, seed, threads); });
  });
  m.def("generate_linked_list", [](int64_t n, int64_t lists, uint64_t seed, int threads) -> nb::object {
    const auto run = [&]<class Id>(As<Id>) -> nb::object {
      core::Buffer<Id> successor;
      {
        const Unlocked unlocked;
        successor = core::linked_list<Id>(n, lists, seed, threads);
      }
      return nb::cast(to_numpy(std::move(successor)));
    };
    return n < (int64_t{1} << 31) ? run(As<std::int32_t>{}) : run(As<int64_t>{});
  });
}

void define_keys(nb::module_& m) {
  // Renumbers u and v in place, leaving out the vertices without an edge; returns how many are left.
  m.def("generate_drop_isolated",
        [](nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> u,
           nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> v, int64_t n, int threads) {
          const auto run = [&]<class Id>(As<Id>) {
            const Unlocked unlocked;
            return core::drop_isolated<Id>(static_cast<Id*>(u.data()), static_cast<Id*>(v.data()),
                                           static_cast<int64_t>(u.size()), n, threads);
          };
          return u.dtype() == nb::dtype<std::int32_t>() ? run(As<std::int32_t>{}) : run(As<int64_t>{});
        });
  // The distinct keys in ascending order; none has a bit at position `bits` or above.
  m.def("distinct_keys", [](In<uint64_t> keys, int bits, int threads) {
    const Unlocked unlocked;
    core::Buffer<uint64_t> sorted(keys.size()), scratch(keys.size());
    std::copy(keys.data(), keys.data() + keys.size(), sorted.data());
    const auto n = static_cast<int64_t>(keys.size());
    core::sort_keys(sorted.data(), scratch.data(), n, bits, threads);
    const int64_t distinct = core::unique_keys(sorted.data(), scratch.data(), n, threads);
    core::Buffer<uint64_t> out(static_cast<std::size_t>(distinct));
    std::copy(scratch.data(), scratch.data() + distinct, out.data());
    const Locked locked;
    return to_numpy(std::move(out));
  });
  // The places of numbers in ascending order of these, equal ones as they are. No number has a bit at position `bits`
  // or above, and it fits 64 bits beside a place.
  m.def("order_of", [](In<uint64_t> numbers, int bits, int threads) {
    const Unlocked unlocked;
    const auto n = static_cast<int64_t>(numbers.size());
    const int of_place = std::bit_width(numbers.size());
    const uint64_t mask = (uint64_t{1} << of_place) - 1;
    core::Buffer<uint64_t> keys(numbers.size()), scratch(numbers.size());
    const auto each = [&](const auto& body) {
      core::parallel_for(n, int64_t{1} << 16, threads, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) body(i);
      });
    };
    each([&](int64_t i) { keys[i] = numbers.data()[i] << of_place | static_cast<uint64_t>(i); });
    // Places ascend, so those of equal numbers need no sort.
    core::sort_keys(keys.data(), scratch.data(), n, bits + of_place, threads, of_place);
    each([&](int64_t i) { keys[i] &= mask; });
    const Locked locked;
    return to_numpy(std::move(keys));
  });
}

}  // namespace

void generate(nb::module_& m) {
  define_uniform(m);
  define_skewed(m);
  define_plane(m);
  define_forests(m);
  define_keys(m);
}

}  // namespace lb::bind

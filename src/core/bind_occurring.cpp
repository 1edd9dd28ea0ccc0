// Bindings of the selection of the vertices that occur.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "bind_ids.hpp"
#include "occurring.hpp"
#include "threads.hpp"

namespace lb::bind {
namespace {

// Calls make(Id{}) for the type of the ids' elements.
template <class Make>
auto with_type(const Ids& ids, const Make& make) -> decltype(make(i32{})) {
  const bool wide = ids_of(ids).width == core::IdWidth::wide;
  if (is_signed(ids)) return wide ? make(i64{}) : make(i32{});
  return wide ? make(u64{}) : make(u32{});
}

template <class Label>
nb::tuple occurring_ids(const In<Label>& labels, i64 count, const Ids& u, const Ids& v, int threads) {
  same_shape(u, v);
  const auto a = ids_of(u), b = ids_of(v);
  return with_type(u, [&](auto id) -> nb::tuple {
    core::Occurring<Label, decltype(id)> r;
    {
      const Unlocked unlocked;
      r = core::occurring<Label, decltype(id)>(labels.data(), static_cast<i64>(labels.size()), count, a, b,
                                               static_cast<i64>(u.size()), threads);
    }
    return nb::make_tuple(to_numpy(std::move(r.ids)), to_numpy(std::move(r.labels)), r.count);
  });
}

template <class Label>
void define(nb::module_& m) {
  m.def(
      "occurring", &occurring_ids<Label>, nb::arg("labels").noconvert(), nb::arg("count"), nb::arg("u"), nb::arg("v"),
      nb::arg("threads") = 1,
      "(ids, labels, count) of the vertices that occur in edges, from the labels of all of 0..n-1; see occurring.hpp.");
}

nb::object endpoints(i64 n, const Ids& fu, const Ids& fv, const Ids& u, const Ids& v, int threads) {
  same_shape(fu, fv);
  same_shape(u, v);
  const auto fa = ids_of(fu), fb = ids_of(fv), a = ids_of(u), b = ids_of(v);
  return with_type(u, [&](auto id) -> nb::object {
    core::Buffer<decltype(id)> r;
    {
      const Unlocked unlocked;
      r = core::occurring_endpoints<decltype(id)>(n, fa, fb, static_cast<i64>(fu.size()), a, b,
                                                  static_cast<i64>(u.size()), threads);
    }
    return nb::cast(to_numpy(std::move(r)));
  });
}

// The ids of self-loops, one for each, in any order. Most edges are none: a block of them is compared without a branch.
template <class Id, class At>
core::Buffer<i64> loops_among(i64 count, const At& at, int threads) {
  constexpr i64 block = i64{1} << 12;
  std::vector<i64> loops;
  std::mutex mutex;
  core::parallel_for(count, 16 * block, threads, [&](i64 begin, i64 end, int) {
    for (i64 base = begin; base < end; base += block) {
      const i64 last = std::min(end, base + block);
      Id any = 0;
      for (i64 i = base; i < last; ++i) any |= at(i).first == at(i).second ? Id{1} : Id{0};
      if (any == 0) continue;
      const std::lock_guard lock(mutex);
      for (i64 i = base; i < last; ++i) {
        if (const auto [u, v] = at(i); u == v) loops.push_back(static_cast<i64>(u));
      }
    }
  });
  core::Buffer<i64> out(loops.size());
  std::copy(loops.begin(), loops.end(), out.data());
  return out;
}

Out<i64> self_loops(const Ids& u, const Ids& v, int threads) {
  same_shape(u, v);
  const auto a = ids_of(u), b = ids_of(v);
  const auto count = static_cast<i64>(u.size());
  core::Buffer<i64> loops;
  {
    const Unlocked unlocked;
    const auto in_place = [&]<class Id>(const Id* x, const Id* y) {
      return loops_among<Id>(count, [x, y](i64 i) { return std::pair(x[i], y[i]); }, threads);
    };
    if (a.stride != 1 || b.stride != 1)
      loops = loops_among<u64>(count, [&](i64 i) { return std::pair(a[i], b[i]); }, threads);
    else if (a.width == core::IdWidth::wide)
      loops = in_place(a.as<u64>(), b.as<u64>());
    else
      loops = in_place(a.as<u32>(), b.as<u32>());
  }
  return to_numpy(std::move(loops));
}

}  // namespace

void occurring(nb::module_& m) {
  define<i32>(m);
  define<i64>(m);
  m.def("self_loops", &self_loops, nb::arg("u"), nb::arg("v"), nb::arg("threads"),
        "The ids of self-loops, one for each, in any order.");
  m.def("occurring_endpoints", &endpoints, nb::arg("n"), nb::arg("fu"), nb::arg("fv"), nb::arg("u"), nb::arg("v"),
        nb::arg("threads") = 1,
        "The vertices of 0..n-1 that are endpoints of the forest's edges (fu, fv) or of self-loops among (u, v), "
        "ascending.");
}

}  // namespace lb::bind

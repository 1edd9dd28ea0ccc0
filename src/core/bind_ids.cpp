// Bindings of the dictionary of 64-bit ids, and of the order of what dictionaries hold.
#include <algorithm>

#include "bind_dictionary.hpp"
#include "frequent_root.hpp"
#include "ids.hpp"
#include "landbridge/random.hpp"
#include "largest_tree.hpp"
#include "loop_choice.hpp"
#include "places.hpp"
#include "row_arcs.hpp"
#include "seed.hpp"
#include "thread_choice.hpp"

namespace lb::bind {
namespace {

nb::tuple number(core::Ids& self, const Ids& a, const Ids& b) {
  same_shape(a, b);
  if (is_signed(a) != is_signed(b)) throw nb::type_error("both endpoints of edges must have the same type");
  core::Buffer<i32> u(a.size(), "the numbers of the ids"), v(a.size(), "the numbers of the ids");
  const auto from = ids_of(a), to = ids_of(b);
  const bool sign = is_signed(a);
  number_or_forget(self, [&] { self.number(from, to, static_cast<i64>(a.size()), sign, u.data(), v.data()); });
  return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)));
}

Out<i32> number_each(core::Ids& self, const Ids& ids) {
  const auto count = static_cast<i64>(ids.size());
  const auto column = ids_of(ids);
  const bool sign = is_signed(ids);
  core::Buffer<i32> numbers(static_cast<std::size_t>(count), "the numbers of the ids");
  number_or_forget(self, [&] { self.number(column, count, sign, numbers.data()); });
  return to_numpy(std::move(numbers));
}

Out<i32> find(const core::Ids& self, const Ids& ids) {
  const auto count = static_cast<i64>(ids.size());
  const auto column = ids_of(ids);
  return numbers_of(count, [&, sign = is_signed(ids)](i32* numbers) { self.find(column, count, sign, numbers); });
}

Out<u64> fresh(const core::Ids& self, i64 since) {
  check_since(since, self.size());
  core::Buffer<u64> ids(static_cast<std::size_t>(self.size() - since), "the ids");
  {
    const Unlocked unlocked;
    self.fresh(since, ids.data());
  }
  return to_numpy(std::move(ids));
}

nb::tuple in_order(const core::Ids& self, bool sign) {
  core::Buffer<i32> order(static_cast<std::size_t>(self.size()), "the order of the ids");
  core::Buffer<u64> ids(static_cast<std::size_t>(self.size()), "the ids that occur");
  {
    const Unlocked unlocked;
    self.in_order(sign, ids.data(), order.data());
  }
  return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(ids)));
}

template <class Label>
Out<Label> relabel(const In<i32>& order, const In<Label>& labels, i64 count, int threads) {
  if (order.size() != labels.size()) throw core::InputError("there must be a label for each id");
  core::Buffer<Label> relabelled(order.size(), "the labels in order");
  {
    const Unlocked unlocked;
    core::relabel_in_order(order.data(), static_cast<i64>(order.size()), labels.data(), count, relabelled.data(),
                           threads);
  }
  return to_numpy(std::move(relabelled));
}

using InPlace = nb::ndarray<i32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void to_ranks(const In<i32>& order, InPlace u, InPlace v, int threads) {
  const Unlocked unlocked;
  i32* const endpoints[2] = {u.data(), v.data()};
  const i64 sizes[2] = {static_cast<i64>(u.size()), static_cast<i64>(v.size())};
  core::to_ranks(order.data(), static_cast<i64>(order.size()), endpoints, sizes, threads);
}

nb::tuple places(const In<u64>& a, const In<u64>& b, int threads) {
  if (a.size() != b.size()) {
    throw core::InputError("there are " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                           " ids; edge i needs both");
  }
  core::Places r;
  {
    const Unlocked unlocked;
    r = core::places_of(a.data(), b.data(), static_cast<i64>(a.size()), threads);
  }
  return nb::make_tuple(to_numpy(std::move(r.ids)), to_numpy(std::move(r.a)), to_numpy(std::move(r.b)));
}

Out<u64> mix_each(const In<u64>& keys, u64 counter) {
  core::Buffer<u64> bits(keys.size(), "the hashes of the keys");
  {
    const Unlocked unlocked;
    for (std::size_t i = 0; i < keys.size(); ++i) bits.data()[i] = mix(keys.data()[i], counter);
  }
  return to_numpy(std::move(bits));
}

}  // namespace

void ids(nb::module_& m) {
  nb::class_<core::Ids>(m, "Ids", "Numbers ids of 64 bits in the order of their first appearance.")
      .def(nb::init<int, bool>(), nb::arg("threads"), nb::arg("listed") = false)
      .def("__len__", &core::Ids::size)
      .def("number", &number, nb::arg("a"), nb::arg("b"), "The numbers of both endpoints of edges, as int32.")
      .def("number_each", &number_each, nb::arg("ids"),
           "The number of each id, as int32: those of new ids are the next ones.")
      .def("find", &find, nb::arg("ids"), "The number of each id, as int32; -1 for an id that has none.")
      .def("forget", &core::Ids::forget, nb::arg("size"), "Drops the ids whose numbers are not below `size`.")
      .def("fresh", &fresh, nb::arg("since") = 0,
           "The ids with the numbers from `since` on, in that order, as uint64 bits.")
      .def("in_order", &in_order, nb::arg("is_signed"), "The ids ascending: (the number of each, ids as uint64 bits).");
  m.def("relabel_in_order", &relabel<i32>, nb::arg("order"), nb::arg("labels").noconvert(), nb::arg("count"),
        nb::arg("threads") = 1);
  m.def("relabel_in_order", &relabel<i64>, nb::arg("order"), nb::arg("labels").noconvert(), nb::arg("count"),
        nb::arg("threads") = 1, "labels[order], renumbered in the order of their first appearance.");
  m.def("mix_each", &mix_each, nb::arg("keys"), nb::arg("counter"), "`mix` of each key.");
  m.def("to_ranks", &to_ranks, nb::arg("order"), nb::arg("u").noconvert(), nb::arg("v").noconvert(),
        nb::arg("threads") = 1, "Replaces each number in u and v by its place in `order`.");
  m.def("places", &places, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("threads") = 1,
        "(the different ids of both columns ascending, the places of a's, the places of b's).");
  m.def(
      "set_cached_set_bytes",
      [](i64 bytes) { return core::cached_set_bytes.exchange(bytes, std::memory_order_relaxed); }, nb::arg("bytes"),
      "Bytes of a set of vertices that a thread finds in its cache, for tests on small graphs; returns what it was.");
  m.def(
      "set_threads_compared",
      [](bool compared) { return core::threads_compared.exchange(compared, std::memory_order_relaxed); },
      nb::arg("compared"),
      "Whether the time of an edge decides how many of the threads unite the next ones, or all of them unite all, for "
      "tests of races on small graphs; returns what it was.");
  m.def(
      "set_parts_refused",
      [](bool refused) { return core::parts_refused.exchange(refused, std::memory_order_relaxed); }, nb::arg("refused"),
      "Whether threads refuse every second part of a turn, for tests of parts that are queued again; returns what it "
      "was.");
  m.def(
      "set_drawn_steps", [](i64 most) { return core::most_drawn_steps.exchange(most, std::memory_order_relaxed); },
      nb::arg("most"),
      "The steps from drawn vertices to their roots before all trees are flattened, for tests on small graphs; returns "
      "what it was.");
  m.def(
      "set_edge_loop",
      [](int loop) {
        return core::edge_loop.exchange(std::clamp(loop, -1, 2 * cpu::edge_loops - 1), std::memory_order_relaxed);
      },
      nb::arg("loop"),
      "The loop by which a thread alone unites edges, for tests: 0 walks, 1 climbs, 2 walks from the larger endpoint, "
      "3 "
      "to 5 the same without fetching cells ahead, -1 the fastest one; returns what it was.");
  m.def(
      "set_vector_lanes",
      [](int most) {
        if (most != 0 && most != 8 && most != 16) throw core::InputError("vectors have 0, 8 or 16 lanes");
        return core::lanes_allowed.exchange(most, std::memory_order_relaxed);
      },
      nb::arg("most"),
      "The edges of rows are found in vectors of so many lanes at most, as far as the processor has such, and for 0 "
      "one by one, for tests: 16, 8 or 0; returns what it was.");
  m.def("widest_lanes", &core::widest_lanes, "Lanes of 32 bits that the processor compares and moves together.");
  m.def("set_hash_seed", &core::set_hash_seed, nb::arg("seed"),
        "The seed of hash tables constructed from now on, by default drawn once per process. Results do not depend on "
        "it.");
}

}  // namespace lb::bind

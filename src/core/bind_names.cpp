// Bindings of the numbering of names and of ids with gaps.
#include <algorithm>

#include "bind_ids.hpp"
#include "ids.hpp"
#include "names.hpp"
#include "ordered.hpp"

namespace lb::bind {
namespace {

core::TextColumn column_of(const Ids& offsets, const In<u8>& data) {
  if (offsets.size() == 0) throw core::InputError("a column of names has one offset more than names");
  return {reinterpret_cast<const char*>(data.data()), static_cast<i64>(data.size()), ids_of(offsets),
          static_cast<i64>(offsets.size()) - 1};
}

void check_since(i64 since, i64 size) {
  if (since < 0 || since > size) throw core::InputError("there are numbers 0.." + std::to_string(size - 1));
}

// The numbers of one column, as write(numbers) writes them.
template <class Write>
Out<i32> numbers_of(i64 count, const Write& write) {
  core::Buffer<i32> numbers(static_cast<std::size_t>(count), "the numbers of the ids");
  {
    const Unlocked unlocked;
    write(numbers.data());
  }
  return to_numpy(std::move(numbers));
}

template <class Label>
Out<Label> rename(const In<i32>& order, const In<Label>& labels, i64 count, int threads) {
  if (order.size() != labels.size()) throw core::InputError("there must be a label for each id");
  core::Buffer<Label> renamed(order.size(), "the labels in order");
  {
    const Unlocked unlocked;
    core::rename_in_order(order.data(), static_cast<i64>(order.size()), labels.data(), count, renamed.data(), threads);
  }
  return to_numpy(std::move(renamed));
}

// Places of 32 bits where they do.
template <class Unite>
nb::tuple with_places(i64 ids, const Unite& unite) {
  return ids <= INT32_MAX ? unite(i32{}) : unite(i64{});
}

template <class Id>
nb::tuple unite_ids(const In<Id>& a, const In<Id>& b, int threads) {
  const auto na = static_cast<i64>(a.size()), nb_ = static_cast<i64>(b.size());
  return with_places(na + nb_, [&](auto place) {
    core::Union<decltype(place)> r;
    core::Buffer<Id> all(static_cast<std::size_t>(na + nb_), "the ids that occur"), ids;
    {
      const Unlocked unlocked;
      r = core::unite<decltype(place)>(a.data(), na, b.data(), nb_, all.data(), threads);
      ids = core::Buffer<Id>(static_cast<std::size_t>(r.count), "the ids that occur");
      std::copy(all.data(), all.data() + r.count, ids.data());
    }
    return nb::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(r.a)), to_numpy(std::move(r.b)));
  });
}

nb::tuple unite_names(const Ids& a_offsets, const In<u8>& a_data, const Ids& b_offsets, const In<u8>& b_data,
                      int threads) {
  const auto a = column_of(a_offsets, a_data), b = column_of(b_offsets, b_data);
  return with_places(a.count + b.count, [&](auto place) {
    core::Union<decltype(place)> r;
    core::Buffer<i64> offsets;
    core::Buffer<u8> data;
    {
      const Unlocked unlocked;
      r = core::unite<decltype(place)>(a, b, offsets, data, threads);
    }
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(data)), to_numpy(std::move(r.a)),
                          to_numpy(std::move(r.b)));
  });
}

template <class Id>
void define_unite(nb::module_& m) {
  m.def("unite_ids", &unite_ids<Id>, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("threads") = 1,
        "(ids of both, places of a's, places of b's), all ascending.");
  m.def(
      "ids_ascend",
      [](const In<Id>& ids, int threads) {
        const Unlocked unlocked;
        return core::ascends(ids.data(), static_cast<i64>(ids.size()), threads);
      },
      nb::arg("ids").noconvert(), nb::arg("threads") = 1);
}

using InPlace = nb::ndarray<i32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void to_ranks(const In<i32>& order, InPlace u, InPlace v, int threads) {
  const Unlocked unlocked;
  i32* const ends[2] = {u.data(), v.data()};
  const i64 sizes[2] = {static_cast<i64>(u.size()), static_cast<i64>(v.size())};
  core::to_ranks(order.data(), static_cast<i64>(order.size()), ends, sizes, threads);
}

}  // namespace

void names(nb::module_& m) {
  nb::class_<core::Names>(m, "Names", "Numbers names in the order in which they turn up.")
      .def(nb::init<int>(), nb::arg("threads"))
      .def("__len__", &core::Names::size)
      .def(
          "number",
          [](core::Names& self, const Ids& a_offsets, const In<u8>& a_data, const Ids& b_offsets,
             const In<u8>& b_data) {
            const auto a = column_of(a_offsets, a_data), b = column_of(b_offsets, b_data);
            if (a.count != b.count) throw core::InputError("both columns must have as many names");
            core::Buffer<i32> u(static_cast<std::size_t>(a.count), "the numbers of the names");
            core::Buffer<i32> v(static_cast<std::size_t>(a.count), "the numbers of the names");
            {
              const Unlocked unlocked;
              self.number(a, b, u.data(), v.data());
            }
            return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)));
          },
          nb::arg("a_offsets"), nb::arg("a_data"), nb::arg("b_offsets"), nb::arg("b_data"),
          "The numbers of both ends of edges, as int32; texts as in Arrow: offsets (one more than texts) and bytes "
          "(uint8).")
      .def(
          "number_each",
          [](core::Names& self, const Ids& offsets, const In<u8>& data) {
            const auto names = column_of(offsets, data);
            return numbers_of(names.count, [&](i32* numbers) { self.number(names, numbers); });
          },
          nb::arg("offsets"), nb::arg("data"), "The numbers of one column of names, as int32.")
      .def(
          "find",
          [](const core::Names& self, const Ids& offsets, const In<u8>& data) {
            const auto names = column_of(offsets, data);
            return numbers_of(names.count, [&](i32* numbers) { self.find(names, numbers); });
          },
          nb::arg("offsets"), nb::arg("data"),
          "The numbers of one column of names, as int32; -1 for one that is not there.")
      .def("forget", &core::Names::forget, nb::arg("size"), "Drops the names whose numbers are not below `size`.")
      .def(
          "texts",
          [](const core::Names& self, i64 since) {
            check_since(since, self.size());
            core::Buffer<i64> offsets(static_cast<std::size_t>(self.size() - since) + 1);
            core::Buffer<u8> data(static_cast<std::size_t>(self.bytes(since)));
            {
              const Unlocked unlocked;
              self.write(since, offsets.data(), reinterpret_cast<char*>(data.data()));
            }
            return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(data)));
          },
          nb::arg("since") = 0, "The names with the numbers from `since` on, in that order: (offsets, bytes).")
      .def(
          "in_order",
          [](const core::Names& self) {
            core::Buffer<i32> order(static_cast<std::size_t>(self.size()), "the order of the names");
            core::Buffer<i64> offsets(static_cast<std::size_t>(self.size()) + 1);
            core::Buffer<u8> data(static_cast<std::size_t>(self.bytes()));
            {
              const Unlocked unlocked;
              self.in_order(order.data());
              self.write(order.data(), offsets.data(), reinterpret_cast<char*>(data.data()));
            }
            return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(offsets)), to_numpy(std::move(data)));
          },
          "The names ascending by bytes: (the number of each, offsets, bytes).");
  nb::class_<core::Ids>(m, "Ids", "Numbers ids of 64 bits in the order in which they turn up.")
      .def(nb::init<int, bool>(), nb::arg("threads"), nb::arg("listed") = false)
      .def("__len__", &core::Ids::size)
      .def(
          "number",
          [](core::Ids& self, const Ids& a, const Ids& b) {
            same_shape(a, b);
            if (is_signed(a) != is_signed(b)) throw nb::type_error("both ends of edges must have the same type");
            core::Buffer<i32> u(a.size(), "the numbers of the ids"), v(a.size(), "the numbers of the ids");
            const auto from = ids_of(a), to = ids_of(b);
            const bool sign = is_signed(a);
            {
              const Unlocked unlocked;
              self.number(from, to, static_cast<i64>(a.size()), sign, u.data(), v.data());
            }
            return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)));
          },
          nb::arg("a"), nb::arg("b"), "The numbers of both ends of edges, as int32.")
      .def(
          "number_each",
          [](core::Ids& self, const Ids& ids) {
            const auto count = static_cast<i64>(ids.size());
            const auto from = ids_of(ids);
            return numbers_of(count,
                              [&, sign = is_signed(ids)](i32* numbers) { self.number(from, count, sign, numbers); });
          },
          nb::arg("ids"), "The number of each id, as int32: those of new ids are the next ones.")
      .def(
          "find",
          [](const core::Ids& self, const Ids& ids) {
            const auto count = static_cast<i64>(ids.size());
            const auto from = ids_of(ids);
            return numbers_of(count,
                              [&, sign = is_signed(ids)](i32* numbers) { self.find(from, count, sign, numbers); });
          },
          nb::arg("ids"), "The number of each id, as int32; -1 for one that is not there.")
      .def("forget", &core::Ids::forget, nb::arg("size"), "Drops the ids whose numbers are not below `size`.")
      .def(
          "fresh",
          [](const core::Ids& self, i64 since) {
            check_since(since, self.size());
            core::Buffer<u64> ids(static_cast<std::size_t>(self.size() - since), "the ids");
            {
              const Unlocked unlocked;
              self.fresh(since, ids.data());
            }
            return to_numpy(std::move(ids));
          },
          nb::arg("since") = 0, "The ids with the numbers from `since` on, in that order, as uint64 bits.")
      .def(
          "in_order",
          [](const core::Ids& self, bool sign) {
            core::Buffer<i32> order(static_cast<std::size_t>(self.size()), "the order of the ids");
            core::Buffer<u64> ids(static_cast<std::size_t>(self.size()), "the ids that occur");
            {
              const Unlocked unlocked;
              self.in_order(sign, ids.data(), order.data());
            }
            return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(ids)));
          },
          nb::arg("is_signed"), "The ids ascending: (the number of each, ids as uint64 bits).");
  m.def("rename_in_order", &rename<i32>, nb::arg("order"), nb::arg("labels").noconvert(), nb::arg("count"),
        nb::arg("threads") = 1);
  m.def("rename_in_order", &rename<i64>, nb::arg("order"), nb::arg("labels").noconvert(), nb::arg("count"),
        nb::arg("threads") = 1, "labels[order], renamed in the order in which they turn up.");
  m.def("to_ranks", &to_ranks, nb::arg("order"), nb::arg("u").noconvert(), nb::arg("v").noconvert(),
        nb::arg("threads") = 1, "Replaces each number in u and v by its place in `order`.");
  define_unite<i32>(m);
  define_unite<i64>(m);
  define_unite<u32>(m);
  define_unite<u64>(m);
  m.def("unite_names", &unite_names, nb::arg("a_offsets"), nb::arg("a_data"), nb::arg("b_offsets"), nb::arg("b_data"),
        nb::arg("threads") = 1,
        "(offsets and bytes of the names of both, places of a's, places of b's), all ascending.");
  m.def(
      "names_ascend",
      [](const Ids& offsets, const In<u8>& data, int threads) {
        const auto names = column_of(offsets, data);
        const Unlocked unlocked;
        return core::ascends(names, threads);
      },
      nb::arg("offsets"), nb::arg("data"), nb::arg("threads") = 1,
      "Whether names ascend by bytes, no two of them equal.");
  m.def("set_hash_seed", &core::set_hash_seed, nb::arg("seed"),
        "The seed of hash tables made from now on, otherwise drawn once a process. Answers do not depend on it.");
}

}  // namespace lb::bind

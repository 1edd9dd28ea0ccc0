// Bindings of the union of ascending lists of ids.
#include <algorithm>

#include "bind_dictionary.hpp"
#include "ordered.hpp"

namespace lb::bind {
namespace {

// Calls unite(i32{}) if places of 32 bits suffice, else unite(i64{}).
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

bool names_ascend(const Ids& offsets, const In<u8>& data, int threads) {
  const auto names = column_of(offsets, data);
  const Unlocked unlocked;
  return core::ascends(names, threads);
}

template <class T>
using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

i64 merge_ascending(const std::vector<In<u64>>& parts, i64 first, Filled<u64> ids,
                    const std::vector<Filled<i32>>& places, Filled<u64> spare, Filled<i32> tags) {
  if (parts.size() != places.size()) throw core::InputError("each list needs room for its places");
  std::vector<core::Ascending> lists;
  std::size_t total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() != places[i].size()) throw core::InputError("each id needs room for its place");
    lists.push_back({parts[i].data(), static_cast<i64>(parts[i].size()), places[i].data()});
    total += parts[i].size();
  }
  if (ids.size() < total || std::min(spare.size(), tags.size()) < 2 * total) {
    throw core::InputError("there is no room for " + std::to_string(total) + " ids");
  }
  const Unlocked unlocked;
  return core::merge_ascending(lists, first, ids.data(), spare.data(), tags.data());
}

template <class Id>
bool ids_ascend(const In<Id>& ids, int threads) {
  const Unlocked unlocked;
  return core::ascends(ids.data(), static_cast<i64>(ids.size()), threads);
}

template <class Id>
void define(nb::module_& m) {
  m.def("unite_ids", &unite_ids<Id>, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("threads") = 1,
        "(ids of both, places of a's, places of b's), all ascending.");
  m.def("ids_ascend", &ids_ascend<Id>, nb::arg("ids").noconvert(), nb::arg("threads") = 1,
        "Whether ids ascend, no two of them equal.");
}

}  // namespace

void ordered(nb::module_& m) {
  define<i32>(m);
  define<i64>(m);
  define<u32>(m);
  define<u64>(m);
  m.def(
      "merge_ascending", &merge_ascending, nb::arg("parts"), nb::arg("first"), nb::arg("ids").noconvert(),
      nb::arg("places"), nb::arg("spare").noconvert(), nb::arg("tags").noconvert(),
      "Writes the different ids of ascending parts to `ids`, in order, and the places of each part's, from `first` on, "
      "to `places`; returns how many there are. `spare` and `tags` have room for twice the ids of all parts.");
  m.def("unite_names", &unite_names, nb::arg("a_offsets"), nb::arg("a_data"), nb::arg("b_offsets"), nb::arg("b_data"),
        nb::arg("threads") = 1,
        "(offsets and bytes of the names of both, places of a's, places of b's), all ascending.");
  m.def("names_ascend", &names_ascend, nb::arg("offsets"), nb::arg("data"), nb::arg("threads") = 1,
        "Whether names ascend by bytes, no two of them equal.");
}

}  // namespace lb::bind

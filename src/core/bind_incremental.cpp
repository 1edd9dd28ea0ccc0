#include <nanobind/stl/optional.h>

#include "bind_ids.hpp"
#include "components.hpp"
#include "incremental.hpp"

namespace lb::bind {
namespace {

using core::Incremental;
using Patience = Incremental::Patience;
using Kinds = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Below this many operations the interpreter's lock is kept, unless the call would have to wait: giving it away and
// asking for it again among busy threads takes longer than the work.
constexpr std::size_t brief = 512;

// Runs call(patience) with the lock kept if the work is short and nobody is in the way, else with the lock given away.
template <class Call>
void brief_or_unlocked(std::size_t operations, const Call& call) {
  if (operations <= brief && call(Patience::none)) return;
  const Unlocked unlocked;
  call(Patience::all);
}

void prepare(Incremental& stream, const Ids& u, const Ids& v, const std::optional<Kinds>& is_query, i64 vertices) {
  same_shape(u, v);
  if (is_query && is_query->size() != u.size())
    throw core::InputError("there must be an entry of is_query for each operation");
  const auto a = ids_of(u), b = ids_of(v);
  const bool sign = is_signed(u);
  const Unlocked unlocked;
  stream.make_ready(a, b, is_query ? is_query->data() : nullptr, static_cast<i64>(u.size()), sign, vertices);
}

void insert(Incremental& stream, const Ids& u, const Ids& v) {
  same_shape(u, v);
  const auto a = ids_of(u), b = ids_of(v);
  const bool sign = is_signed(u);
  brief_or_unlocked(u.size(), [&](Patience p) { return stream.insert(a, b, static_cast<i64>(u.size()), sign, p); });
}

void insert_one(Incremental& stream, i64 u, i64 v) {
  brief_or_unlocked(1, [&](Patience p) { return stream.insert({&u}, {&v}, 1, true, p); });
}

Out<bool> connected(Incremental& stream, const Ids& u, const Ids& v) {
  same_shape(u, v);
  const auto a = ids_of(u), b = ids_of(v);
  core::Buffer<bool> answers(u.size());
  const bool sign = is_signed(u);
  brief_or_unlocked(u.size(), [&](Patience p) {
    return stream.connected(a, b, static_cast<i64>(u.size()), sign, reinterpret_cast<u8*>(answers.data()), p);
  });
  return to_numpy(std::move(answers));
}

bool connected_one(Incremental& stream, i64 u, i64 v) {
  u8 answer = 0;
  brief_or_unlocked(1, [&](Patience p) { return stream.connected({&u}, {&v}, 1, true, &answer, p); });
  return answer != 0;
}

Out<u8> apply(Incremental& stream, const Ids& u, const Ids& v, const Kinds& is_query, bool inserts_first) {
  same_shape(u, v);
  if (is_query.size() != u.size()) {
    throw core::InputError("u has " + std::to_string(u.size()) + " ids and is_query " +
                           std::to_string(is_query.size()) + " entries");
  }
  const auto a = ids_of(u), b = ids_of(v);
  core::Buffer<u8> bits((u.size() + 7) / 8);
  const bool sign = is_signed(u);
  brief_or_unlocked(u.size(), [&](Patience p) {
    return stream.apply(a, b, is_query.data(), static_cast<i64>(u.size()), sign, inserts_first, bits.data(), p);
  });
  return to_numpy(std::move(bits));
}

// The same bits as signed ids.
template <class Signed, class Id>
nb::object as_signed(core::Buffer<Id>&& ids) {
  const std::size_t size = ids.size();
  auto [data, bytes] = ids.take();
  return nb::cast(owned_array(reinterpret_cast<Signed*>(data), size, bytes));
}

nb::object ids_of_snapshot(Incremental::Snapshot& s) {
  return s.wide ? as_signed<std::int64_t>(std::move(s.broad)) : as_signed<std::int32_t>(std::move(s.narrow));
}

nb::tuple labels(Incremental& stream, int threads) {
  Incremental::Snapshot s;
  i64 count = 0;
  {
    const Unlocked unlocked;
    s = stream.snapshot(false, threads);
    count = s.wide ? core::number_roots(s.broad.data(), s.vertices, threads)
                   : core::number_roots(s.narrow.data(), s.vertices, threads);
  }
  return nb::make_tuple(count, ids_of_snapshot(s));
}

nb::tuple snapshot(Incremental& stream, bool with_forest) {
  Incremental::Snapshot s;
  {
    const Unlocked unlocked;
    s = stream.snapshot(with_forest);
  }
  nb::object forest = nb::none();
  if (with_forest) {
    forest = nb::make_tuple(as_signed<std::int64_t>(std::move(s.u)), as_signed<std::int64_t>(std::move(s.v)),
                            as_signed<std::int64_t>(std::move(s.at)));
  }
  return nb::make_tuple(s.position, ids_of_snapshot(s), forest);
}

void insert_at(Incremental& stream, const Ids& u, const Ids& v, const std::optional<In<std::int64_t>>& at, u64 advance,
               i64 vertices) {
  same_shape(u, v);
  if (at && at->size() != u.size()) throw core::InputError("there must be a position for each edge");
  const auto a = ids_of(u), b = ids_of(v);
  const auto* positions = at ? reinterpret_cast<const u64*>(at->data()) : nullptr;
  const Unlocked unlocked;
  stream.insert_at(a, b, positions, static_cast<i64>(u.size()), advance, vertices);
}

}  // namespace

void incremental(nb::module_& m) {
  nb::class_<Incremental>(m, "IncrementalTrees", "Incremental connectivity on CPU threads.")
      .def(nb::init<const std::string&, const std::string&, const std::string&, i64, int, bool, i64,
                    std::vector<std::string>, bool>(),
           nb::arg("link"), nb::arg("find"), nb::arg("splice"), nb::arg("vertices"), nb::arg("threads"),
           nb::arg("keep_forest"), nb::arg("narrow_most") = Incremental::largest_narrow,
           nb::arg("words") = std::vector<std::string>{}, nb::arg("alone_if_free") = false)
      .def_prop_ro("vertices", &Incremental::vertices)
      .def_prop_ro("count", &Incremental::count)
      .def_prop_ro("position", &Incremental::position)
      .def_prop_ro("mixed", &Incremental::mixed)
      .def_prop_ro("keeps_forest", &Incremental::keeps_forest)
      .def("prepare", &prepare, nb::arg("u"), nb::arg("v"), nb::arg("is_query").none(), nb::arg("vertices"),
           "Refuses a batch that would be refused, and makes room for it, before anything changes.")
      .def("insert", &insert, nb::arg("u"), nb::arg("v"))
      .def("insert_one", &insert_one, nb::arg("u"), nb::arg("v"))
      .def("connected", &connected, nb::arg("u"), nb::arg("v"), "Shape (count,), bool.")
      .def("connected_one", &connected_one, nb::arg("u"), nb::arg("v"))
      .def("apply", &apply, nb::arg("u"), nb::arg("v"), nb::arg("is_query"), nb::arg("inserts_first"),
           "Packed bits, the lowest bit of a byte first.")
      .def("labels", &labels, nb::arg("threads"), "(count, labels) of a moment between batches.")
      .def("snapshot", &snapshot, nb::arg("with_forest"),
           "(position, representatives, (u, v, positions) or None) of a moment between batches.")
      .def("refuse_from", &Incremental::refuse_from, nb::arg("n"), "From now on vertices not below n are refused.")
      .def("insert_at", &insert_at, nb::arg("u"), nb::arg("v"), nb::arg("at").none(), nb::arg("advance"),
           nb::arg("vertices"), "The edges of another stream, as if it came now.");
}

}  // namespace lb::bind

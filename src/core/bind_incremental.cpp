// Bindings of streams of edges on CPU threads.
#include <nanobind/stl/optional.h>

#include <utility>

#include "bind_ids.hpp"
#include "components.hpp"
#include "incremental.hpp"

namespace lb::bind {
namespace {

using core::IdWidth;
using core::Incremental;
using core::Operations;
using core::StreamOptions;
using core::StreamRule;
using Wait = Incremental::Wait;
using Kinds = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Up to this many operations the interpreter's lock is kept, unless the call would have to wait: releasing it and
// acquiring it again among busy threads takes longer than the work.
constexpr std::size_t brief = 512;

// Runs call(wait) with the interpreter's lock kept if the work is short and needs no waiting, else with it released.
template <class Call>
void brief_or_unlocked(i64 operations, const Call& call) {
  if (operations <= static_cast<i64>(brief) && call(Wait::never)) return;
  const UnlockedToTheEnd unlocked;
  call(Wait::allowed);
}

Operations operations_of(const Ids& u, const Ids& v, const u8* is_query = nullptr) {
  same_shape(u, v);
  return {ids_of(u), ids_of(v), static_cast<i64>(u.size()), is_signed(u), is_query};
}

Operations one_operation(const i64& u, const i64& v) { return {{&u}, {&v}, 1, true}; }

void prepare(Incremental& stream, const Ids& u, const Ids& v, const std::optional<Kinds>& is_query, i64 vertices) {
  const Operations batch = operations_of(u, v, is_query ? is_query->data() : nullptr);
  if (is_query && is_query->size() != u.size())
    throw core::InputError("there must be an entry of is_query for each operation");
  const UnlockedToTheEnd unlocked;
  stream.prepare(batch, vertices);
}

void insert(Incremental& stream, const Ids& u, const Ids& v) {
  const Operations batch = operations_of(u, v);
  if (batch.count <= static_cast<i64>(brief) && stream.insert(batch, Wait::never)) return;
  // A small batch runs to its end; a large one goes on behind what a signal has interrupted.
  if (batch.count <= core::part_operations) {
    const UnlockedToTheEnd unlocked;
    stream.insert(batch, Wait::allowed);
    return;
  }
  i64 begin = 0;
  unlocked_until_signal([&] {
    i64 done = 0;
    try {
      stream.insert(core::from(batch, begin), Wait::allowed, &done);
    } catch (const SignalWaits&) {
      begin += done;
      throw;
    } catch (const core::InputError&) {
      // A batch that may be inserted in part may be refused behind a signal: the whole of it names the edge.
      if (std::exchange(begin, 0) > 0) stream.insert(batch, Wait::allowed);
      throw;
    }
  });
}

void insert_one(Incremental& stream, i64 u, i64 v) {
  const Operations batch = one_operation(u, v);
  brief_or_unlocked(1, [&](Wait wait) { return stream.insert(batch, wait); });
}

Out<bool> connected(Incremental& stream, const Ids& u, const Ids& v) {
  const Operations batch = operations_of(u, v);
  core::Buffer<bool> answers(u.size());
  brief_or_unlocked(batch.count,
                    [&](Wait wait) { return stream.connected(batch, reinterpret_cast<u8*>(answers.data()), wait); });
  return to_numpy(std::move(answers));
}

bool connected_one(Incremental& stream, i64 u, i64 v) {
  const Operations batch = one_operation(u, v);
  u8 answer = 0;
  brief_or_unlocked(1, [&](Wait wait) { return stream.connected(batch, &answer, wait); });
  return answer != 0;
}

Out<u8> apply(Incremental& stream, const Ids& u, const Ids& v, const Kinds& is_query, bool inserts_first) {
  const Operations batch = operations_of(u, v, is_query.data());
  if (is_query.size() != u.size()) {
    throw core::InputError("u has " + std::to_string(u.size()) + " ids and is_query " +
                           std::to_string(is_query.size()) + " entries");
  }
  core::Buffer<u8> bits((u.size() + 7) / 8);
  brief_or_unlocked(batch.count, [&](Wait wait) { return stream.apply(batch, inserts_first, bits.data(), wait); });
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
  return s.width == IdWidth::wide ? as_signed<std::int64_t>(std::move(s.broad))
                                  : as_signed<std::int32_t>(std::move(s.narrow));
}

// `to_host` matters to trees in the memory of a device.
nb::tuple labels(Incremental& stream, int threads, bool consume, bool /*to_host*/) {
  Incremental::Snapshot s;
  bool parents = false;
  if (consume) {
    const UnlockedToTheEnd unlocked;
    parents = stream.take_parents(s);
  } else {
    unlocked_until_signal([&] { parents = stream.copy_parents(s, threads); });
  }
  if (!parents) unlocked_until_signal([&] { s = stream.snapshot(false, threads); });
  const auto numbered = [&](auto& cells) {
    return parents ? core::number_parents(cells.data(), s.vertices, threads)
                   : core::number_roots(cells.data(), s.vertices, threads);
  };
  i64 count = 0;
  {
    const Unlocked unlocked;
    count = s.width == IdWidth::wide ? numbered(s.broad) : numbered(s.narrow);
  }
  return nb::make_tuple(count, ids_of_snapshot(s));
}

nb::tuple snapshot(Incremental& stream, bool with_forest) {
  Incremental::Snapshot s;
  unlocked_until_signal([&] { s = stream.snapshot(with_forest); });
  nb::object forest = nb::none();
  if (with_forest) {
    forest = nb::make_tuple(as_signed<std::int64_t>(std::move(s.u)), as_signed<std::int64_t>(std::move(s.v)),
                            as_signed<std::int64_t>(std::move(s.at)));
  }
  return nb::make_tuple(s.position, ids_of_snapshot(s), forest);
}

void insert_at(Incremental& stream, const Ids& u, const Ids& v, const std::optional<In<std::int64_t>>& at, u64 advance,
               i64 vertices) {
  Operations batch = operations_of(u, v);
  batch.is_signed = false;
  if (at && at->size() != u.size()) throw core::InputError("there must be a position for each edge");
  const auto* positions = at ? reinterpret_cast<const u64*>(at->data()) : nullptr;
  const UnlockedToTheEnd unlocked;
  stream.insert_at(batch, positions, advance, vertices);
}

void rule_and_options(nb::module_& m) {
  nb::class_<StreamRule>(m, "StreamRule", "Which rules unite the edges of a stream.")
      .def(
          "__init__",
          [](StreamRule* self, std::string link, std::string find, std::string splice, std::vector<std::string> words) {
            new (self) StreamRule{std::move(link), std::move(find), std::move(splice), std::move(words)};
          },
          nb::arg("link"), nb::arg("find") = "", nb::arg("splice") = "", nb::arg("words") = std::vector<std::string>{});
  nb::class_<StreamOptions>(m, "StreamOptions", "How a stream runs on CPU threads.")
      .def(
          "__init__",
          [](StreamOptions* self, i64 vertices, int threads, bool keep_forest, i64 narrow_most, bool bulk,
             bool skip_tree, bool climb) {
            new (self) StreamOptions{vertices, threads, keep_forest, narrow_most, bulk, skip_tree, climb};
          },
          nb::kw_only(), nb::arg("vertices") = 0, nb::arg("threads") = 1, nb::arg("keep_forest") = false,
          nb::arg("narrow_most") = StreamOptions::largest_narrow, nb::arg("bulk") = false, nb::arg("skip_tree") = true,
          nb::arg("climb") = false);
}

}  // namespace

void incremental(nb::module_& m) {
  rule_and_options(m);
  nb::class_<Incremental>(m, "IncrementalTrees", "Incremental connectivity on CPU threads.")
      .def(nb::init<StreamRule, const StreamOptions&>(), nb::arg("rule"), nb::arg("options"))
      .def_prop_ro("vertices", &Incremental::vertices)
      .def_prop_ro("count", &Incremental::count)
      .def_prop_ro("position", &Incremental::position)
      .def_prop_ro("mixed", &Incremental::mixed)
      .def_prop_ro("sets", &Incremental::sets)
      .def_prop_ro("keeps_forest", &Incremental::keeps_forest)
      .def_prop_ro("reads_device", [](const Incremental&) { return false; })
      .def(
          "close", [](const Incremental&) {}, "Does nothing: batches have been read when a call returns.")
      .def("prepare", &prepare, nb::arg("u"), nb::arg("v"), nb::arg("is_query").none(), nb::arg("vertices"),
           "Refuses a batch that would be refused, and makes room for it, before anything changes.")
      .def("insert", &insert, nb::arg("u"), nb::arg("v"))
      .def("insert_one", &insert_one, nb::arg("u"), nb::arg("v"))
      .def("connected", &connected, nb::arg("u"), nb::arg("v"), "Shape (count,), bool.")
      .def("connected_one", &connected_one, nb::arg("u"), nb::arg("v"))
      .def("apply", &apply, nb::arg("u"), nb::arg("v"), nb::arg("is_query"), nb::arg("inserts_first"),
           "Packed bits, the lowest bit of a byte first.")
      .def("labels", &labels, nb::arg("threads"), nb::kw_only(), nb::arg("consume") = false, nb::arg("to_host") = false,
           "(count, labels) of a moment between batches.")
      .def("snapshot", &snapshot, nb::arg("with_forest"),
           "(position, representatives, (u, v, positions) or None) of a moment between batches.")
      .def("refuse_from", &Incremental::refuse_from, nb::arg("n"), "From now on vertices not below n are refused.")
      .def("insert_at", &insert_at, nb::arg("u"), nb::arg("v"), nb::arg("at").none(), nb::arg("advance"),
           nb::arg("vertices"), "The edges of another stream, as if it came now.");
}

}  // namespace lb::bind

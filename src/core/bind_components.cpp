// Bindings of components and spanning forests on CPU threads.
#include <nanobind/stl/pair.h>

#include <utility>

#include "bind_graph_view.hpp"
#include "bind_values.hpp"
#include "components.hpp"
#include "one_pass.hpp"
#include "reserved_cells.hpp"

namespace lb::bind {
namespace {

nb::tuple components_of(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b,
                        bool symmetric, bool wide, const core::Plan& plan) {
  const auto g = view_of(n, offsets, a, b, symmetric);
  return core::with_id(wide ? core::IdWidth::wide : core::IdWidth::narrow, [&]<class Id>() {
    core::Parents<Id> labels(g.vertices, core::reserves_cells<Id>(g, plan));
    core::Profile profile;
    i64 count = 0;
    {
      const Unlocked unlocked;
      count = core::components<Id>(g, plan, labels.data(), profile, labels.any_id());
    }
    return nb::make_tuple(count, signed_ids(labels.take()), std::move(profile));
  });
}

nb::tuple spanning_forest_of(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b,
                             bool symmetric, bool wide, const core::Plan& plan) {
  const auto g = view_of(n, offsets, a, b, symmetric);
  return core::with_id(wide ? core::IdWidth::wide : core::IdWidth::narrow, [&]<class Id>() {
    core::ForestBits bits;
    core::Profile profile;
    {
      const Unlocked unlocked;
      bits = core::spanning_forest<Id>(g, plan, profile);
    }
    return nb::make_tuple(std::move(bits), std::move(profile));
  });
}

nb::tuple endpoints_of(const core::ForestBits& bits, i64 n, const std::optional<Ids>& offsets, const Ids& a,
                       const std::optional<Ids>& b, bool wide, int threads) {
  const auto g = view_of(n, offsets, a, b, false);
  return core::with_id(wide ? core::IdWidth::wide : core::IdWidth::narrow, [&]<class Id>() {
    core::Endpoints<Id> out;
    {
      const Unlocked unlocked;
      out = bits.endpoints<Id>(g, threads);
    }
    return nb::make_tuple(signed_ids(std::move(out.u)), signed_ids(std::move(out.v)));
  });
}

Out<i64> positions_of(const core::ForestBits& bits, int threads) {
  core::Buffer<i64> edge;
  {
    const Unlocked unlocked;
    edge = bits.positions(threads);
  }
  return to_numpy(std::move(edge));
}

// Runs one_pass(u, v, edges, plan, profile) without the interpreter's lock.
template <class Result>
std::optional<Result> in_one_pass(std::optional<Result> (*one_pass)(const core::IdArray&, const core::IdArray&, i64,
                                                                    const core::Plan&, core::Profile&),
                                  const Ids& u, const Ids& v, const core::Plan& plan, core::Profile& profile) {
  const auto a = ids_of(u), b = ids_of(v);
  same_shape(u, v);
  const auto edges = static_cast<i64>(u.size());
  const Unlocked unlocked;
  return one_pass(a, b, edges, plan, profile);
}

std::optional<nb::tuple> components_in_one_pass(const Ids& u, const Ids& v, const core::Plan& plan) {
  core::Profile profile;
  auto result = in_one_pass(&core::components_in_one_pass, u, v, plan, profile);
  if (!result) return std::nullopt;
  return nb::make_tuple(result->count, signed_ids(std::move(result->labels)), std::move(profile));
}

std::optional<nb::tuple> forest_in_one_pass(const Ids& u, const Ids& v, const core::Plan& plan) {
  core::Profile profile;
  auto result = in_one_pass(&core::forest_in_one_pass, u, v, plan, profile);
  if (!result) return std::nullopt;
  return nb::make_tuple(result->vertices, std::move(result->bits), std::move(profile));
}

void bind_plan(nb::module_& m) {
  using core::Plan;
  nb::class_<Plan>(m, "Plan", "A plan in the words of the registry, as the CPU runs it: a struct of fields to be set.")
      .def(
          "__init__",
          [](Plan* plan, std::string finish, std::string find, std::string splice, int threads) {
            new (plan) Plan{};
            plan->finish = std::move(finish), plan->find = std::move(find), plan->splice = std::move(splice);
            plan->threads = threads;
          },
          nb::arg("finish"), nb::arg("find"), nb::arg("splice"), nb::arg("threads"))
      .def_rw("sample", &Plan::sample, "A sampling, or an empty text.")
      .def_prop_rw(
          "sample_values", [](const Plan&) { return nb::none(); },
          [](Plan& plan, const nb::dict& values) { plan.sample_values = values_of(values); },
          "The values of its parameters. Can only be set.", nb::for_getter(nb::sig("def sample_values(self) -> None")),
          nb::for_setter(nb::sig("def sample_values(self, values: dict, /) -> None")))
      .def_rw("finish", &Plan::finish, "A link, or a standalone algorithm.")
      .def_rw("find", &Plan::find, "The find rule of a link.")
      .def_rw("splice", &Plan::splice, "The splice rule of a link that takes one.")
      .def_prop_rw(
          "values", [](const Plan&) { return nb::none(); },
          [](Plan& plan, const nb::dict& values) { plan.values = values_of(values); },
          "The values of the parameters of a standalone algorithm. Can only be set.",
          nb::for_getter(nb::sig("def values(self) -> None")),
          nb::for_setter(nb::sig("def values(self, values: dict, /) -> None")))
      .def_rw("stages", &Plan::stages, "Edges of a stage as a share of the vertices; 0 for one stage.")
      .def_rw("csr", &Plan::csr, "Whether CSR is made of a COO edge list that the plan does not need as CSR.")
      .def_rw("seed", &Plan::seed, "Of random choices.")
      .def_rw("threads", &Plan::threads, "How many threads run.")
      .def_rw("climb", &Plan::climb, "Whether one thread climbs to roots where that is faster.")
      .def_rw("owners", &Plan::owners, "Whether threads own ranges of vertices.")
      .def_rw("skip_tree", &Plan::skip_tree, "Whether edges of a list inside one tree are left out.")
      .def_rw("adapt", &Plan::adapt, "Whether more is sampled where the largest tree is small.");
}

void bind_profile(nb::module_& m) {
  using core::Profile;
  nb::class_<Profile>(m, "CoreProfile", "What a run did.")
      .def_ro("seconds", &Profile::seconds, "[(phase, seconds)] in order.")
      .def_ro("skipped_vertices", &Profile::skipped_vertices, "Vertices whose rows the finish did not expand.")
      .def_ro("climbed_edges", &Profile::climbed_edges, "Edges that were united by climbing to roots.")
      .def_ro("owned_edges", &Profile::owned_edges, "Edges that were united by the owners of their vertices.")
      .def_ro("skipped_edges", &Profile::skipped_edges, "Edges of a list inside one tree that were left out.")
      .def_ro("sampled_further", &Profile::sampled_further, "Whether more was sampled.")
      .def_ro("united_all", &Profile::united_all, "Whether nothing was skipped although a tree was sampled.")
      .def_ro("all_rows_read", &Profile::all_rows_read, "Whether all rows were read for arcs to what had remained.")
      .def_ro("rounds", &Profile::rounds, "Of all stages together; 0 for a finish without rounds.");
}

void bind_forest(nb::module_& m) {
  using core::ForestBits;
  nb::class_<ForestBits>(m, "ForestBits", "A spanning forest, a bit for each edge of the input.")
      .def_prop_ro("count", &ForestBits::count, "How many edges it has.")
      .def_prop_ro("nbytes", &ForestBits::bytes, "The bytes of the bits.")
      .def("positions", &positions_of, nb::arg("threads"), "The positions of the edges, ascending: int64.")
      .def("endpoints", &endpoints_of, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
           nb::arg("wide"), nb::arg("threads"), "(u, v) of the edges, read from the arrays of the graph.")
      .def(
          "sample",
          [](const ForestBits& bits, i64 n, const std::optional<Ids>& offsets, const Ids& a,
             const std::optional<Ids>& b) { return bits.sample(view_of(n, offsets, a, b, false)); },
          nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
          "A digest of a few of the endpoints.");
}

template <class Function>
void define(nb::module_& m, const char* name, Function function, const char* text) {
  m.def(name, function, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
        nb::arg("symmetric"), nb::arg("wide"), nb::arg("plan"), text);
}

}  // namespace

void components(nb::module_& m) {
  bind_plan(m);
  bind_profile(m);
  bind_forest(m);
  define(m, "components", &components_of, "Components of validated edges: (count, labels, profile).");
  define(m, "spanning_forest", &spanning_forest_of, "A spanning forest of validated edges: (bits, profile).");
  m.def(
      "components_in_one_pass", &components_in_one_pass, nb::arg("u"), nb::arg("v"), nb::arg("plan"),
      "Components of edges in one pass that also counts the vertices: (count, labels, profile), or None where the ids "
      "or the plan need a validated graph.");
  m.def("forest_in_one_pass", &forest_in_one_pass, nb::arg("u"), nb::arg("v"), nb::arg("plan"),
        "A spanning forest of edges in one pass that also counts the vertices: (n, bits, profile), or None as above.");
}

}  // namespace lb::bind

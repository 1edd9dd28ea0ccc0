// Bindings of components and spanning forests on CPU threads.
#include <utility>

#include "bind_graph_view.hpp"
#include "bind_values.hpp"
#include "components.hpp"
#include "one_pass.hpp"
#include "reserved_cells.hpp"

namespace lb::bind {
namespace {

void make_plan(core::Plan* plan, std::string finish, std::string find, std::string splice, const nb::dict& values,
               std::string sample, const nb::dict& sample_values, double stages, bool csr, u64 seed, int threads,
               bool owners, bool adapt) {
  new (plan) core::Plan{.sample = std::move(sample),
                        .sample_values = values_of(sample_values),
                        .finish = std::move(finish),
                        .find = std::move(find),
                        .splice = std::move(splice),
                        .values = values_of(values),
                        .stages = stages,
                        .csr = csr,
                        .seed = seed,
                        .threads = threads,
                        .owners = owners,
                        .adapt = adapt};
}

nb::list phases_of(const core::Profile& profile) {
  nb::list phases;
  for (const auto& [name, seconds] : profile.seconds) phases.append(nb::make_tuple(name, seconds));
  return phases;
}

// (u, v, edge) of a forest.
template <class Id>
nb::tuple arrays_of(core::TreeEdges<Id>&& edges) {
  return nb::make_tuple(signed_ids(std::move(edges.u)), signed_ids(std::move(edges.v)),
                        to_numpy(std::move(edges.edge)));
}

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
    return nb::make_tuple(count, signed_ids(labels.take()), phases_of(profile), profile.skipped_vertices,
                          profile.rounds, profile.owned_edges, profile.sampled_again);
  });
}

nb::tuple spanning_forest_of(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b,
                             bool symmetric, bool wide, const core::Plan& plan) {
  const auto g = view_of(n, offsets, a, b, symmetric);
  return core::with_id(wide ? core::IdWidth::wide : core::IdWidth::narrow, [&]<class Id>() {
    core::TreeEdges<Id> edges;
    core::Profile profile;
    {
      const Unlocked unlocked;
      edges = core::spanning_forest<Id>(g, plan, profile);
    }
    return nb::make_tuple(arrays_of(std::move(edges)), phases_of(profile), profile.skipped_vertices, profile.rounds,
                          profile.owned_edges, profile.sampled_again);
  });
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

std::optional<nb::tuple> components_of_pairs(const Ids& u, const Ids& v, const core::Plan& plan) {
  core::Profile profile;
  auto result = in_one_pass(&core::components_in_one_pass, u, v, plan, profile);
  if (!result) return std::nullopt;
  return nb::make_tuple(result->count, signed_ids(std::move(result->labels)), phases_of(profile), profile.owned_edges);
}

std::optional<nb::tuple> forest_of_pairs(const Ids& u, const Ids& v, const core::Plan& plan) {
  core::Profile profile;
  auto result = in_one_pass(&core::forest_in_one_pass, u, v, plan, profile);
  if (!result) return std::nullopt;
  return nb::make_tuple(result->vertices, arrays_of(std::move(result->edges)), phases_of(profile), profile.owned_edges);
}

template <class Function>
void define(nb::module_& m, const char* name, Function function, const char* text) {
  m.def(name, function, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
        nb::arg("symmetric"), nb::arg("wide"), nb::arg("plan"), text);
}

}  // namespace

void components(nb::module_& m) {
  nb::class_<core::Plan>(m, "Plan", "A plan in the words of the registry, as the CPU runs it.")
      .def("__init__", &make_plan, nb::kw_only(), nb::arg("finish"), nb::arg("find") = "", nb::arg("splice") = "",
           nb::arg("values") = nb::dict(), nb::arg("sample") = "", nb::arg("sample_values") = nb::dict(),
           nb::arg("stages") = 0.0, nb::arg("csr") = false, nb::arg("seed") = 1, nb::arg("threads") = 1,
           nb::arg("owners") = false, nb::arg("adapt") = false,
           "finish: a link, with its find and splice rule, or a standalone algorithm, with the values of its "
           "parameters. stages: edges of a stage as a share of the vertices, 0 for one stage. csr: whether CSR is made "
           "of a COO edge list that the plan does not need as CSR. owners: whether threads own ranges of "
           "vertices. adapt: more is sampled where the largest tree is small.");
  define(m, "components", &components_of,
         "Components of validated edges: (count, labels, [(phase, seconds)], skipped vertices, rounds, owned edges, "
         "whether more "
         "was sampled).");
  define(m, "spanning_forest", &spanning_forest_of,
         "The edges of a spanning forest of validated edges: ((u, v, edge), [(phase, seconds)], skipped vertices, "
         "rounds, owned edges, whether more "
         "was sampled).");
  m.def("components_of_pairs", &components_of_pairs, nb::arg("u"), nb::arg("v"), nb::arg("plan"),
        "Components of edges in one pass that also counts the vertices: (count, labels, [(phase, seconds)], owned "
        "edges), or None where the ids or the plan need a validated graph.");
  m.def("forest_of_pairs", &forest_of_pairs, nb::arg("u"), nb::arg("v"), nb::arg("plan"),
        "A spanning forest of edges in one pass that also counts the vertices: (n, (u, v, edge), [(phase, seconds)], "
        "owned edges), or None as above.");
}

}  // namespace lb::bind

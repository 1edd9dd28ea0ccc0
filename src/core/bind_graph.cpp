// Bindings of what reads a graph, or converts it: validation, the probe, symmetric CSR, the verifier.
#include <nanobind/stl/pair.h>

#include "bind_graph_view.hpp"
#include "check.hpp"
#include "probe.hpp"

namespace lb::bind {
namespace {

using OptionalIds = std::optional<Ids>;

std::optional<u64> largest_id(const Ids& ids, const char* what, int threads) {
  const auto view = ids_of(ids);
  const bool sign = is_signed(ids);
  const Unlocked unlocked;
  return core::largest_id(view, static_cast<i64>(ids.size()), sign, what, threads);
}

void check_range(const Ids& ids, i64 n, const char* what, int threads) {
  const auto view = ids_of(ids);
  const bool sign = is_signed(ids);
  const Unlocked unlocked;
  core::check_range(view, static_cast<i64>(ids.size()), sign, n, what, threads);
}

void check_offsets(const Ids& offsets, i64 arcs, int threads) {
  if (offsets.size() == 0) throw core::InputError("offsets are empty; n + 1 of them are needed, also for n = 0");
  const auto view = ids_of(offsets);
  const Unlocked unlocked;
  core::check_offsets(view, static_cast<i64>(offsets.size()) - 1, arcs, threads);
}

nb::dict probe(i64 n, const Ids& offsets, const Ids& a) {
  const auto p = core::probe_rows(view_of(n, offsets, a, std::nullopt, false));
  nb::dict shares;
  shares["largest_degree"] = p.largest_degree;
  shares["first_smaller"] = p.first_smaller;
  shares["upward"] = p.upward;
  shares["local"] = p.local;
  shares["expansion"] = p.expansion;
  shares["empty"] = p.empty;
  shares["enclosed"] = p.enclosed;
  shares["equidistant"] = p.equidistant;
  return shares;
}

std::optional<std::pair<i64, i64>> unmatched_arc(i64 n, const Ids& offsets, const Ids& a, i64 sample,
                                                 i64 neighbors_read) {
  const auto arc = core::unmatched_arc(view_of(n, offsets, a, std::nullopt, false), sample, neighbors_read);
  return arc ? std::optional(std::pair(arc->row, arc->neighbor)) : std::nullopt;
}

nb::tuple symmetric_rows(i64 n, const OptionalIds& offsets, const Ids& a, const OptionalIds& b, bool symmetric,
                         int threads) {
  const auto g = view_of(n, offsets, a, b, symmetric);
  return core::with_id(core::width_for(n), [&]<class Id>() {
    core::CsrArrays<Id> csr;
    {
      const Unlocked unlocked;
      csr = core::symmetric_csr<Id>(g, threads);
    }
    return nb::make_tuple(to_numpy(std::move(csr.offsets)), signed_ids(std::move(csr.neighbors)));
  });
}

nb::tuple as_tuple(const core::Problem& problem) { return nb::make_tuple(problem.text, problem.vertices); }

nb::tuple check_labels(i64 n, const OptionalIds& offsets, const Ids& a, const OptionalIds& b, const Ids& labels) {
  const auto g = view_of(n, offsets, a, b, false);
  const auto view = ids_of(labels);
  core::Problem problem;
  {
    const Unlocked unlocked;
    problem = core::check_labels(g, view);
  }
  return as_tuple(problem);
}

nb::tuple check_forest(i64 n, const OptionalIds& offsets, const Ids& a, const OptionalIds& b, const Ids& u,
                       const Ids& v, const Ids& edge) {
  const auto g = view_of(n, offsets, a, b, false);
  same_shape(u, v);
  same_shape(u, edge);
  const auto first = ids_of(u), second = ids_of(v), edges = ids_of(edge);
  core::Problem problem;
  {
    const Unlocked unlocked;
    problem = core::check_forest(g, first, second, edges, static_cast<i64>(u.size()));
  }
  return as_tuple(problem);
}

}  // namespace

void graph(nb::module_& m) {
  m.def("largest_id", &largest_id, nb::arg("ids"), nb::arg("what"), nb::arg("threads"),
        "The largest id, None for no ids; raises for a negative one.");
  m.def("check_range", &check_range, nb::arg("ids"), nb::arg("n"), nb::arg("what"), nb::arg("threads"),
        "Raises for the first id outside 0..n-1.");
  m.def("check_offsets", &check_offsets, nb::arg("offsets"), nb::arg("arcs"), nb::arg("threads"),
        "Raises unless offsets ascend from 0 to arcs.");
  m.def("probe", &probe, nb::arg("n"), nb::arg("offsets"), nb::arg("a"),
        "Properties of a few rows by their names in `landbridge.probe.Probe`.");
  m.def("unmatched_arc", &unmatched_arc, nb::arg("n"), nb::arg("offsets"), nb::arg("a"), nb::arg("sample"),
        nb::arg("neighbors_read"),
        "Of at most so many arcs, spread evenly, one whose reverse is in no row, as (a, b), or None. Arcs to long rows "
        "come last, until so many neighbours have been read.");
  m.def("symmetric_rows", &symmetric_rows, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
        nb::arg("symmetric"), nb::arg("threads"), "Symmetric CSR of any graph: (offsets, neighbors).");
  m.def("check_labels", &check_labels, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
        nb::arg("labels"),
        "What proves that the labels are wrong: (one line with {} for each vertex, vertices); an empty line if nothing "
        "does.");
  m.def("check_forest", &check_forest, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
        nb::arg("u"), nb::arg("v"), nb::arg("edge"), "The same for edges that are to be a spanning forest.");
}

}  // namespace lb::bind

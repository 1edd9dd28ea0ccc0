#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include "bind_ids.hpp"
#include "bind_values.hpp"
#include "check.hpp"
#include "components.hpp"
#include "graph.hpp"
#include "kernels.hpp"
#include "probe.hpp"
#include "rounds.hpp"
#include "threads.hpp"

namespace lb::bind {
namespace {

// The arrays of a graph as Python hands them over: offsets and neighbors, or the two ends.
core::GraphView view_of(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b,
                        bool symmetric) {
  core::GraphView g;
  g.vertices = n;
  g.arcs = static_cast<i64>(a.size());
  g.symmetric = symmetric;
  g.a = ids_of(a);
  g.rows = offsets.has_value();
  if (g.rows && (g.a.stride != 1 || offsets->stride(0) != 1)) throw nb::type_error("rows must be contiguous arrays");
  if (offsets) g.offsets = ids_of(*offsets);
  if (b) g.b = ids_of(*b);
  // Cheap, and a kernel that trusted a wrong length would read beyond an array.
  if (g.rows && static_cast<i64>(offsets->size()) != n + 1) throw core::InputError("there must be n + 1 offsets");
  if (g.rows == b.has_value()) throw nb::type_error("a graph is offsets and neighbors, or the two ends of its edges");
  if (b) same_shape(a, *b);
  return g;
}

nb::dict parse_parameter(const std::string& text) {
  // name:kind=default[>=minimum][<=maximum][:word[/CODE]|word[/CODE]]
  nb::dict d;
  const auto colon = text.find(':');
  const auto equals = text.find('=');
  auto end = text.find(':', equals);
  std::string choices = end == std::string::npos ? "" : text.substr(end + 1);
  std::string value = text.substr(equals + 1, end == std::string::npos ? end : end - equals - 1);
  std::string minimum, maximum;
  if (const auto le = value.find("<="); le != std::string::npos) {
    maximum = value.substr(le + 2);
    value = value.substr(0, le);
  }
  if (const auto ge = value.find(">="); ge != std::string::npos) {
    minimum = value.substr(ge + 2);
    value = value.substr(0, ge);
  }
  const std::string kind = text.substr(colon + 1, equals - colon - 1);
  const auto number = [&](const std::string& s) -> nb::object {
    if (s.empty()) return nb::none();
    if (kind == "int") return nb::int_(std::stol(s));
    if (kind == "float") return nb::float_(std::stod(s));
    return nb::str(s.c_str());
  };
  nb::list words, codes;
  for (std::size_t at = 0; at < choices.size();) {
    const auto bar = std::min(choices.find('|', at), choices.size());
    const auto slash = std::min(choices.find('/', at), bar);
    words.append(nb::str(choices.substr(at, slash - at).c_str()));
    codes.append(nb::str(choices.substr(std::min(slash + 1, bar), bar - std::min(slash + 1, bar)).c_str()));
    at = bar + 1;
  }
  d["name"] = text.substr(0, colon);
  d["kind"] = kind;
  d["default"] = number(value);
  d["minimum"] = number(minimum);
  d["maximum"] = number(maximum);
  d["choices"] = words;
  d["codes"] = codes;
  return d;
}

nb::list words_of(const std::string& text) {
  nb::list words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('|', at), text.size());
    words.append(nb::str(text.substr(at, end - at).c_str()));
    at = end + 1;
  }
  return words;
}

nb::list policies() {
  nb::list rows;
  for (const auto& p : core::policies()) {
    nb::dict d;
    d["axis"] = p.axis;
    d["name"] = p.name;
    d["code"] = p.code;
    nb::list parameters;
    const std::string all = p.parameters;
    for (std::size_t at = 0; at < all.size();) {
      const auto end = std::min(all.find(';', at), all.size());
      parameters.append(parse_parameter(all.substr(at, end - at)));
      at = end + 1;
    }
    d["parameters"] = parameters;
    d["engines"] = words_of(p.engines);
    d["traits"] = words_of(p.traits);
    d["stale"] = p.stale;
    d["published"] = std::string_view(p.published) == "all";
    d["reference"] = p.reference;
    d["summary"] = p.summary;
    rows.append(d);
  }
  return rows;
}

bool row_published(std::string_view axis, std::string_view name) {
  for (const auto& p : core::policies()) {
    if (p.axis == axis && p.name == name) return std::string_view(p.published) == "all";
  }
  return true;  // no splice rule
}

nb::list combinations() {
  nb::list rows;
  for (const auto& c : core::combinations()) {
    nb::dict d;
    d["link"] = c.link;
    d["find"] = c.find;
    d["splice"] = c.splice;
    d["valid"] = c.reason == nullptr;
    d["reason"] = c.reason == nullptr ? "" : c.reason;
    d["no_forest"] = c.no_forest == nullptr ? "" : c.no_forest;
    d["ranked"] = c.ranked;
    d["uses_aux"] = c.uses_aux;
    d["separated"] = c.separated == nullptr ? "" : c.separated;
    d["published"] = c.reason == nullptr && row_published("link", c.link) && row_published("find", c.find) &&
                     row_published("splice", c.splice);
    rows.append(d);
  }
  return rows;
}

nb::list systems() {
  nb::list rows;
  for (const auto& s : core::systems()) {
    nb::dict d;
    d["name"] = s.name;
    d["type"] = s.type;
    d["vertex_cells"] = s.vertex_cells;
    d["edge_cells"] = s.edge_cells;
    d["smallest"] = s.smallest;
    rows.append(d);
  }
  return rows;
}

nb::list rounds() {
  nb::list rows;
  for (const auto& v : core::round_variants()) {
    nb::dict d;
    nb::list words;
    for (const auto word : v.words) words.append(nb::str(word.data(), word.size()));
    d["name"] = nb::str(v.name.data(), v.name.size());
    d["words"] = words;
    d["reason"] = v.reason == nullptr ? "" : v.reason;
    d["no_forest"] = v.no_forest == nullptr ? "" : v.no_forest;
    d["root_based"] = v.root_based;
    d["rewrites"] = v.rewrites;
    d["by_hops"] = v.by_hops;
    d["published"] = v.published;
    rows.append(d);
  }
  return rows;
}

// The labels of fewer than 2^31 (2^63) components: the same bits, signed.
template <class Signed, class Id>
nb::object signed_labels(core::Buffer<Id>&& labels) {
  const std::size_t size = labels.size();
  auto [data, bytes] = labels.take();
  return nb::cast(owned_array(reinterpret_cast<Signed*>(data), size, bytes));
}

nb::list phases_of(const core::Profile& profile) {
  nb::list phases;
  for (const auto& [name, seconds] : profile.seconds) phases.append(nb::make_tuple(name, seconds));
  return phases;
}

// (u, v, edge) of a forest.
template <class Signed, class Id>
nb::tuple ends_of(core::TreeEdges<Id>&& edges) {
  return nb::make_tuple(signed_labels<Signed>(std::move(edges.u)), signed_labels<Signed>(std::move(edges.v)),
                        to_numpy(std::move(edges.edge)));
}

template <class Id, class Signed>
nb::tuple run_forest(const core::GraphView& g, const core::Request& plan) {
  core::TreeEdges<Id> edges;
  core::Profile profile;
  {
    const Unlocked unlocked;
    edges = core::spanning_forest<Id>(g, plan, profile);
  }
  return nb::make_tuple(ends_of<Signed>(std::move(edges)), phases_of(profile), profile.skipped_vertices,
                        profile.rounds);
}

template <class Id, class Signed>
nb::tuple run(const core::GraphView& g, const core::Request& plan) {
  core::Buffer<Id> labels(static_cast<std::size_t>(g.vertices), "the labels");
  core::Profile profile;
  i64 count = 0;
  {
    const Unlocked unlocked;
    count = core::components<Id>(g, plan, labels.data(), profile);
  }
  return nb::make_tuple(count, signed_labels<Signed>(std::move(labels)), phases_of(profile), profile.skipped_vertices,
                        profile.rounds);
}

template <bool forest>
nb::tuple solve(i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b, bool symmetric,
                bool wide, const std::string& sample, const std::string& choice, int k, double beta,
                const std::string& link, const std::string& find, const std::string& splice, const std::string& finish,
                const nb::dict& values, bool rows, double stage, u64 seed, int threads) {
  const auto g = view_of(n, offsets, a, b, symmetric);
  const core::Request plan{sample, choice, k,    beta,   link, find, splice, finish, values_of(values),
                           rows,   stage,  seed, threads};
  if constexpr (forest)
    return wide ? run_forest<u64, std::int64_t>(g, plan) : run_forest<u32, std::int32_t>(g, plan);
  else
    return wide ? run<u64, std::int64_t>(g, plan) : run<u32, std::int32_t>(g, plan);
}

}  // namespace

void engine(nb::module_& m) {
  m.def("policies", &policies, "The rows of the registry.");
  m.def("systems", &systems,
        "The standalone algorithms that are written once for all engines, and the arrays each has of its own.");
  m.def("combinations", &combinations,
        "Every pairing of a link with a find and a splice rule, and why it may not run.");

  m.def("rounds", &rounds,
        "Every choice of words of every algorithm in rounds, what it can do, and why it may not run.");

  m.def(
      "largest_id",
      [](const Ids& ids, const char* what, int threads) {
        const auto view = ids_of(ids);
        const bool sign = is_signed(ids);
        const Unlocked unlocked;
        return core::largest_id(view, static_cast<i64>(ids.size()), sign, what, threads);
      },
      nb::arg("ids"), nb::arg("what"), nb::arg("threads"),
      "The largest id, None for no ids; raises for a negative one.");
  m.def(
      "check_range",
      [](const Ids& ids, i64 n, const char* what, int threads) {
        const auto view = ids_of(ids);
        const bool sign = is_signed(ids);
        const Unlocked unlocked;
        core::check_range(view, static_cast<i64>(ids.size()), sign, n, what, threads);
      },
      nb::arg("ids"), nb::arg("n"), nb::arg("what"), nb::arg("threads"), "Raises for the first id outside 0..n-1.");
  m.def(
      "check_offsets",
      [](const Ids& offsets, i64 arcs, int threads) {
        if (offsets.size() == 0) throw core::InputError("offsets are empty; n + 1 of them are needed, also for n = 0");
        const auto view = ids_of(offsets);
        const Unlocked unlocked;
        core::check_offsets(view, static_cast<i64>(offsets.size()) - 1, arcs, threads);
      },
      nb::arg("offsets"), nb::arg("arcs"), nb::arg("threads"), "Raises unless offsets ascend from 0 to arcs.");

  const auto define = [&](const char* name, auto function, const char* text) {
    m.def(name, function, nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(),
          nb::arg("symmetric"), nb::arg("wide"), nb::arg("sample") = "", nb::arg("choice") = "first", nb::arg("k") = 2,
          nb::arg("beta") = 0.2, nb::arg("link") = "", nb::arg("find") = "", nb::arg("splice") = "",
          nb::arg("finish") = "", nb::arg("values") = nb::dict(), nb::arg("rows") = false, nb::arg("stage") = 0.0,
          nb::arg("seed") = 1, nb::arg("threads") = 1, text);
  };
  define("components", &solve<false>,
         "Components of validated edges: (count, labels, [(phase, seconds)], skipped vertices, rounds).");
  define("spanning_forest", &solve<true>,
         "The edges of a spanning forest of validated edges: ((u, v, edge), [(phase, seconds)], skipped vertices, "
         "rounds).");

  const auto define_of_pairs = [&](const char* name, auto solve, auto answer, const char* text) {
    m.def(
        name,
        [solve, answer](const Ids& u, const Ids& v, const std::string& link, const std::string& find,
                        const std::string& splice, int threads) -> std::optional<nb::tuple> {
          const auto a = ids_of(u), b = ids_of(v);
          same_shape(u, v);
          core::Request plan;
          plan.link = link, plan.find = find, plan.splice = splice, plan.threads = threads;
          core::Profile profile;
          auto found = [&] {
            const Unlocked unlocked;
            return solve(a, b, static_cast<i64>(u.size()), plan, profile);
          }();
          if (!found) return std::nullopt;
          return nb::borrow<nb::tuple>(answer(*found) + nb::make_tuple(phases_of(profile)));
        },
        nb::arg("u"), nb::arg("v"), nb::arg("link"), nb::arg("find"), nb::arg("splice"), nb::arg("threads"), text);
  };
  define_of_pairs(
      "components_of_pairs", &core::components_of_pairs,
      [](core::FoundComponents& found) {
        return nb::make_tuple(found.count, signed_labels<std::int32_t>(std::move(found.labels)));
      },
      "Components of pairs in one pass, with n found on the way: (count, labels, [(phase, seconds)]), or None if the "
      "ids or the "
      "plan need the other way.");
  define_of_pairs(
      "forest_of_pairs", &core::spanning_forest_of_pairs,
      [](core::FoundForest& found) {
        return nb::make_tuple(found.vertices, ends_of<std::int32_t>(std::move(found.edges)));
      },
      "A spanning forest of pairs in one pass, with n found on the way: (n, (u, v, edge), [(phase, seconds)]), or None "
      "as above.");

  m.def(
      "probe",
      [](i64 n, const Ids& offsets, const Ids& a) {
        const auto p = core::probe_rows(view_of(n, offsets, a, std::nullopt, false));
        return nb::make_tuple(p.largest_degree, p.first_smaller, p.local, p.expansion);
      },
      nb::arg("n"), nb::arg("offsets"), nb::arg("a"),
      "A look at a few rows: (largest degree, share with a smaller first neighbour, share of near neighbours, "
      "expansion).");

  m.def(
      "symmetric_rows",
      [](i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b, bool symmetric,
         int threads) {
        const auto g = view_of(n, offsets, a, b, symmetric);
        const auto make = [&]<class Id, class Signed>() {
          core::Rows<Id> rows;
          {
            const Unlocked unlocked;
            rows = core::symmetric_rows<Id>(g, threads);
          }
          const std::size_t arcs = rows.neighbors.size();
          auto [data, bytes] = rows.neighbors.take();
          return nb::make_tuple(to_numpy(std::move(rows.offsets)),
                                owned_array(reinterpret_cast<Signed*>(data), arcs, bytes));
        };
        return n < (i64{1} << 31) ? make.operator()<u32, std::int32_t>() : make.operator()<u64, std::int64_t>();
      },
      nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(), nb::arg("symmetric"),
      nb::arg("threads"), "Symmetric rows of any graph: (offsets, neighbors).");

  m.def(
      "check_labels",
      [](i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b, const Ids& labels) {
        const auto g = view_of(n, offsets, a, b, false);
        const auto view = ids_of(labels);
        const Unlocked unlocked;
        return core::check_labels(g, view);
      },
      nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(), nb::arg("labels"),
      "Empty if the labels are right, else one line that proves they are not.");
  m.def(
      "check_forest",
      [](i64 n, const std::optional<Ids>& offsets, const Ids& a, const std::optional<Ids>& b, const Ids& u,
         const Ids& v, const Ids& edge) {
        const auto g = view_of(n, offsets, a, b, false);
        same_shape(u, v);
        same_shape(u, edge);
        const auto ends = ids_of(u), others = ids_of(v), edges = ids_of(edge);
        const Unlocked unlocked;
        return core::check_forest(g, ends, others, edges, static_cast<i64>(u.size()));
      },
      nb::arg("n"), nb::arg("offsets").none(), nb::arg("a"), nb::arg("b").none(), nb::arg("u"), nb::arg("v"),
      nb::arg("edge"), "Empty if the edges are a spanning forest, else one line that proves they are not.");
}

}  // namespace lb::bind

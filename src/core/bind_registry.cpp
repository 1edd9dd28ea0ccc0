// Bindings of the registry: its rows, and what each choice of rules can do.
#include "bind.hpp"
#include "edge_queue.hpp"
#include "kernels.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "memory.hpp"
#include "owned.hpp"
#include "parameters.hpp"
#include "rounds.hpp"
#include "search.hpp"
#include "standalone.hpp"
#include "stream_trees.hpp"

namespace lb::bind {
namespace {

nb::str str_of(std::string_view text) { return nb::str(text.data(), text.size()); }
// "" for null.
nb::str reason_of(const char* text) { return nb::str(text == nullptr ? "" : text); }

template <class Texts>
nb::list list_of(const Texts& texts) {
  nb::list out;
  for (const auto& text : texts) out.append(str_of(text));
  return out;
}

nb::dict parameter_of(const core::Parameter& p) {
  const auto value = [&](const std::string& text) -> nb::object {
    if (text.empty()) return nb::none();
    if (p.kind == "int") return nb::int_(std::stol(text));
    if (p.kind == "float") return nb::float_(std::stod(text));
    return str_of(text);
  };
  nb::dict d;
  d["name"] = p.name;
  d["kind"] = p.kind;
  d["default"] = value(p.default_value);
  d["minimum"] = value(p.minimum);
  d["maximum"] = value(p.maximum);
  d["choices"] = list_of(p.words);
  d["codes"] = list_of(p.codes);
  return d;
}

nb::list policies() {
  nb::list rows;
  for (const auto& p : core::policies()) {
    nb::list parameters;
    for (const auto& parameter : core::parameters_of(p.parameters)) parameters.append(parameter_of(parameter));
    nb::dict d;
    d["axis"] = p.axis;
    d["name"] = p.name;
    d["code"] = p.code;
    d["parameters"] = parameters;
    d["engines"] = list_of(core::split(p.engines, '|'));
    d["traits"] = list_of(core::split(p.traits, '|'));
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
    d["reason"] = reason_of(c.reason);
    d["no_forest"] = reason_of(c.no_forest);
    d["ranked"] = c.ranked;
    d["uses_aux"] = c.uses_aux;
    d["separated"] = reason_of(c.separated);
    d["steps"] = c.steps;
    d["cuts_off"] = c.cuts_off;
    d["paths_grow"] = c.paths_grow;
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
    d["name"] = str_of(v.name);
    d["words"] = list_of(v.words);
    d["reason"] = reason_of(v.reason);
    d["no_forest"] = reason_of(v.no_forest);
    d["root_based"] = v.root_based;
    d["rewrites"] = v.rewrites;
    d["by_hops"] = v.by_hops;
    d["published"] = v.published;
    rows.append(d);
  }
  return rows;
}

nb::dict memory_sizes() {
  nb::dict d;
  d["huge_page"] = core::huge_page;
  d["huge_from"] = core::huge_from;
  d["chunk_vertices"] = cpu::chunk_vertices;
  d["frontier_share"] = core::frontier_share;
  d["sifts_from"] = core::sifts_from;
  d["cached_set_bytes"] = core::cached_set_bytes.load();
  d["cut_share"] = core::cut_share;
  d["most_cut"] = core::most_cut;
  d["smallest_cut"] = core::smallest_cut;
  d["queued_part"] = sizeof(core::EdgePart);
  d["most_queued"] = core::EdgeQueue::most_units;
  d["edges_of_part"] = cpu::batch_edges;
  return d;
}

}  // namespace

void registry(nb::module_& m) {
  m.def("policies", &policies, "The rows of the registry.");
  m.def("systems", &systems,
        "The standalone algorithms that are written once for all engines, and the arrays each has of its own.");
  m.def("combinations", &combinations,
        "Every pairing of a link with a find and a splice rule, and why it may not run.");
  m.def(
      "memory_sizes", &memory_sizes,
      "What an estimate of memory follows from: bytes of a huge page and of the smallest array on them, vertices that "
      "a thread takes at a time, the share of the arcs from which a search has no list of its frontier, the edges from "
      "which vertices have owners, the share of them that may be cut off, the edges up to which a batch for rounds "
      "is never cut, the edges for each vertex from which on those inside the largest tree are left out, and the bytes "
      "of a set that a thread finds in its cache; bytes of a part of a queue of edges, how many there are at most, and "
      "the edges of one.");
  m.def("rounds", &rounds,
        "Every choice of words of every algorithm in rounds, what it can do, and why it may not run.");
}

}  // namespace lb::bind

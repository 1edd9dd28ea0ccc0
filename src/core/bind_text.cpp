// Bindings of the text parsers and of renumbering.
#include <algorithm>
#include <string>
#include <vector>

#include "bind.hpp"
#include "renumber.hpp"
#include "text.hpp"
#include "threads.hpp"

namespace lb::bind {
namespace {

// The first `size` elements of a buffer as a NumPy array, without a copy.
template <class To, class From>
nb::object first_elements(core::Buffer<From>&& buffer, std::int64_t size) {
  static_assert(sizeof(To) == sizeof(From));
  struct Owned {
    void* data;
    std::size_t bytes;
  };
  auto [data, bytes] = buffer.take();
  if (data == nullptr) return nb::cast(to_numpy(core::Buffer<To>(0)));
  auto* owned = new Owned{data, bytes};
  nb::capsule owner(owned, [](void* p) noexcept {
    auto* o = static_cast<Owned*>(p);
    core::release(o->data, o->bytes);
    delete o;
  });
  return nb::cast(Out<To>(reinterpret_cast<To*>(data), {static_cast<std::size_t>(size)}, owner));
}

// Ids in the narrowest of int32, int64 and uint64.
nb::object id_array(core::IdColumn&& column, bool is_wide, std::uint64_t largest, std::int64_t size) {
  if (!is_wide) return first_elements<std::int32_t>(std::move(column.narrow), size);
  if (largest <= INT64_MAX) return first_elements<std::int64_t>(std::move(column.wide), size);
  return first_elements<std::uint64_t>(std::move(column.wide), size);
}

// The core's Progress from a Python callable or None: at most one call per 16 MB, with the interpreter's lock held,
// which also checks for signals such as Ctrl-C.
class Reporter {
 public:
  explicit Reporter(nb::object call) : call_(std::move(call)) {}
  void operator()(std::size_t bytes) {
    if (bytes < next_) return;
    next_ = bytes + (std::size_t{16} << 20);
    const Locked locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!call_.is_none()) call_(bytes);
  }

 private:
  nb::object call_;
  std::size_t next_ = std::size_t{16} << 20;
};

const char* characters(const In<std::uint8_t>& data) { return reinterpret_cast<const char*>(data.data()); }

// The options of the grammar of a line by their names in Python: keywords of every function that parses lines.
struct TextOptions : core::EdgeTextOptions {
  std::string comment_characters;

  void set(const nb::kwargs& keywords) {
    for (const auto [key, value] : keywords) {
      if (!set_one(nb::cast<std::string>(key), value)) {
        throw nb::type_error(("no option of a text is called " + nb::cast<std::string>(key)).c_str());
      }
    }
  }

 private:
  static char character(nb::handle value) {
    const auto text = nb::cast<std::string>(value);
    return text.empty() ? '\0' : text[0];
  }
  template <class Field>
  static bool take(Field& field, nb::handle value) {
    field = nb::cast<Field>(value);
    return true;
  }
  bool set_one(const std::string& name, nb::handle value) {
    if (name == "delimiter") return delimiter = character(value), true;
    if (name == "tag") return tag = character(value), true;
    if (name == "comments") return take(comment_characters, value), comments = comment_characters.c_str(), true;
    if (name == "first") return take(first, value);
    if (name == "second") return take(second, value);
    if (name == "base") return take(base, value);
    if (name == "limit") return take(limit, value);
    if (name == "quotes") return take(quotes, value);
    if (name == "outer_blanks") return take(outer_blanks, value);
    if (name == "fields") return take(fields, value);
    if (name == "padded") return take(padded, value);
    if (name == "strict_comments") return take(strict_comments, value);
    if (name == "exact") return take(exact, value);
    if (name == "bytewise") return take(bytewise, value);
    if (name == "first_line") return take(first_line, value);
    if (name == "edges") return take(edges, value);
    return false;
  }
};

nb::tuple parse_edges(const In<std::uint8_t>& data, int threads, nb::object progress, const nb::kwargs& options) {
  TextOptions o;
  o.set(options);
  Reporter report(std::move(progress));
  core::EdgeColumns r;
  {
    const Unlocked unlocked;
    r = core::parse_edges(characters(data), data.size(), o, threads, report);
  }
  nb::object u = id_array(std::move(r.u), r.is_wide, r.largest, r.size);
  nb::object v = id_array(std::move(r.v), r.is_wide, r.largest, r.size);
  return nb::make_tuple(u, v, r.lines, r.largest);
}

// The result of one path of the parser: the ids, or the error and its place.
struct Outcome {
  std::vector<std::uint64_t> ids;
  std::string problem;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::string& text, const core::EdgeTextOptions& o) {
  Outcome out;
  try {
    const core::EdgeColumns e = core::parse_edges(text.data(), text.size(), o, 1, [](std::size_t) {});
    for (std::size_t i = 0; i < static_cast<std::size_t>(e.size); ++i) {
      out.ids.push_back(e.is_wide ? e.u.wide[i] : static_cast<std::uint64_t>(e.u.narrow[i]));
      out.ids.push_back(e.is_wide ? e.v.wide[i] : static_cast<std::uint64_t>(e.v.narrow[i]));
    }
  } catch (const core::FormatError& e) {
    out.problem = std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.what() + ": " + e.text;
  }
  return out;
}

std::int64_t compare_paths(const In<std::uint8_t>& data, const In<std::int64_t>& stops, const std::string& before,
                           const std::string& after, const nb::kwargs& options) {
  TextOptions o;
  o.exact = o.quotes = true;
  o.set(options);
  const Unlocked unlocked;
  for (std::size_t i = 0, begin = 0; i < stops.size(); ++i) {
    const auto end = static_cast<std::size_t>(stops.data()[i]);
    if (end < begin || end > data.size()) throw core::InputError("stops must ascend within the data");
    const std::string text = before + std::string(characters(data) + begin, end - begin) + after;
    o.bytewise = false;
    const Outcome fast = outcome(text, o);
    o.bytewise = true;
    if (fast != outcome(text, o)) return static_cast<std::int64_t>(i);
    begin = end;
  }
  return -1;
}

nb::tuple first_rows(const In<std::uint8_t>& data, std::size_t most, const nb::kwargs& options) {
  TextOptions o;
  o.quotes = true;
  o.set(options);
  nb::list out;
  bool bad = false;
  for (const core::TextRow& row : core::first_rows(characters(data), data.size(), o, most, bad)) {
    nb::list columns;
    for (const std::string& text : row.columns) columns.append(nb::bytes(text.data(), text.size()));
    out.append(nb::make_tuple(row.line, row.begin, row.end, columns));
  }
  return nb::make_tuple(out, bad);
}

nb::tuple parse_names(const In<std::uint8_t>& data, nb::object progress, const nb::kwargs& options) {
  TextOptions o;
  o.quotes = true;
  o.set(options);
  Reporter report(std::move(progress));
  core::NameColumns r;
  {
    const Unlocked unlocked;
    r = core::parse_names(characters(data), data.size(), o, report);
  }
  const auto texts = [&](core::Buffer<std::int64_t>&& offsets, core::Buffer<char>&& text) {
    const std::int64_t used = offsets[static_cast<std::size_t>(r.size)];
    return nb::make_tuple(first_elements<std::int64_t>(std::move(offsets), r.size + 1),
                          first_elements<std::uint8_t>(std::move(text), used));
  };
  nb::object u = texts(std::move(r.u_offsets), std::move(r.u));
  return nb::make_tuple(u, texts(std::move(r.v_offsets), std::move(r.v)));
}

nb::tuple parse_matrix_market(const In<std::uint8_t>& data, int threads, nb::object progress) {
  Reporter report(std::move(progress));
  core::MatrixMarket r;
  {
    const Unlocked unlocked;
    r = core::parse_matrix_market(characters(data), data.size(), threads, report);
  }
  core::EdgeColumns& e = r.edges;
  nb::object u = id_array(std::move(e.u), e.is_wide, e.largest, e.size);
  nb::object v = id_array(std::move(e.v), e.is_wide, e.largest, e.size);
  return nb::make_tuple(u, v, r.vertices);
}

nb::tuple parse_dimacs(const In<std::uint8_t>& data, int threads, nb::object progress) {
  Reporter report(std::move(progress));
  core::Dimacs r;
  {
    const Unlocked unlocked;
    r = core::parse_dimacs(characters(data), data.size(), threads, report);
  }
  core::EdgeColumns& e = r.edges;
  nb::object u = id_array(std::move(e.u), e.is_wide, e.largest, e.size);
  nb::object v = id_array(std::move(e.v), e.is_wide, e.largest, e.size);
  return nb::make_tuple(u, v, r.vertices, r.declared_edges);
}

nb::tuple parse_metis(const In<std::uint8_t>& data, int threads, nb::object progress) {
  Reporter report(std::move(progress));
  core::Metis r;
  {
    const Unlocked unlocked;
    r = core::parse_metis(characters(data), data.size(), threads, report);
  }
  nb::object neighbors = id_array(std::move(r.neighbors), r.is_wide, INT64_MAX, r.size);
  return nb::make_tuple(to_numpy(std::move(r.offsets)), neighbors);
}

template <class Id>
nb::bytes format_edges(const In<Id>& u, const In<Id>& v, const std::string& prefix, const std::string& separator,
                       const std::string& suffix, std::uint64_t base, int threads) {
  if (u.size() != v.size()) throw nb::value_error("u and v differ in length");
  std::string text;
  {
    const Unlocked unlocked;
    text = core::format_edges(u.data(), v.data(), static_cast<std::int64_t>(u.size()),
                              {prefix, separator, suffix, base}, threads);
  }
  return nb::bytes(text.data(), text.size());
}

template <class Id>
void define_format_edges(nb::module_& m) {
  m.def("format_edges", &format_edges<Id>, nb::arg("u").noconvert(), nb::arg("v").noconvert(), nb::kw_only(),
        nb::arg("prefix") = "", nb::arg("separator") = "\t", nb::arg("suffix") = "", nb::arg("base") = 0,
        nb::arg("threads") = 1, "The edges as text, one per line.");
}

template <class Id>
nb::tuple renumber(const In<Id>& u, const In<Id>& v, int threads) {
  if (u.size() != v.size()) throw nb::value_error("u and v differ in length");
  core::Renumbered<Id> r;
  {
    const Unlocked unlocked;
    r = core::renumber(u.data(), v.data(), static_cast<std::int64_t>(u.size()), threads);
  }
  if (r.is_wide) {
    return nb::make_tuple(to_numpy(std::move(r.wide_u)), to_numpy(std::move(r.wide_v)), to_numpy(std::move(r.ids)));
  }
  return nb::make_tuple(to_numpy(std::move(r.u)), to_numpy(std::move(r.v)), to_numpy(std::move(r.ids)));
}

template <class Id>
void define_renumber(nb::module_& m) {
  m.def("renumber", &renumber<Id>, nb::arg("u").noconvert(), nb::arg("v").noconvert(), nb::arg("threads") = 1,
        "Ids of any size to (u, v, ids): ranks from 0 among the ids that occur, which are returned ascending.");
}

// FormatError becomes a ValueError whose arguments are (problem, line, column, text).
void register_format_error(nb::module_& m) {
  PyObject* type = nb::exception<core::FormatError>(m, "CoreFormatError", PyExc_ValueError).ptr();
  // Takes precedence over the translator above, which would keep the message alone.
  nb::register_exception_translator(
      [](const std::exception_ptr& p, void* payload) {
        try {
          std::rethrow_exception(p);
        } catch (const core::FormatError& e) {
          const auto length = static_cast<Py_ssize_t>(e.text.size());
          nb::object text = nb::steal(PyUnicode_DecodeUTF8(e.text.data(), length, "replace"));
          nb::tuple arguments = nb::make_tuple(e.what(), e.line, e.column, text);
          PyErr_SetObject(static_cast<PyObject*>(payload), arguments.ptr());
        }
      },
      type);
}

}  // namespace

void text(nb::module_& m) {
  register_format_error(m);
  m.def("parse_edges", &parse_edges, nb::arg("data"), nb::kw_only(), nb::arg("threads") = 1,
        nb::arg("progress") = nb::none(), nb::arg("options"),
        "Parses lines of edges (bytes as uint8) to (u, v, lines, largest id). options: fields of EdgeTextOptions; see "
        "text.hpp.");
  m.def("parse_names", &parse_names, nb::arg("data"), nb::kw_only(), nb::arg("progress") = nb::none(),
        nb::arg("options"),
        "Parses lines of edges whose ids are text to two pairs (offsets, bytes). options: as of parse_edges; quotes by "
        "default.");
  m.def("first_rows", &first_rows, nb::arg("data"), nb::kw_only(), nb::arg("most") = 1000, nb::arg("options"),
        "The first lines with columns as (line, begin, end, columns), and whether the line behind them cannot be "
        "parsed. options: as of parse_edges; quotes by default.");
  m.def("_compare_paths", &compare_paths, nb::arg("data"), nb::arg("stops"), nb::kw_only(), nb::arg("before") = "",
        nb::arg("after") = "", nb::arg("options"),
        "For tests: the first of many texts, which end at `stops`, that the two paths of parse_edges read differently; "
        "-1 for none. options: as of parse_edges; exact and quotes by default.");
  m.def("parse_matrix_market", &parse_matrix_market, nb::arg("data"), nb::kw_only(), nb::arg("threads") = 1,
        nb::arg("progress") = nb::none(), "A Matrix Market file to (u, v, vertices).");
  m.def("parse_dimacs", &parse_dimacs, nb::arg("data"), nb::kw_only(), nb::arg("threads") = 1,
        nb::arg("progress") = nb::none(), "A DIMACS file to (u, v, vertices, edges that its header declares).");
  m.def("parse_metis", &parse_metis, nb::arg("data"), nb::kw_only(), nb::arg("threads") = 1,
        nb::arg("progress") = nb::none(), "A METIS file to (offsets, neighbors).");
  define_renumber<std::int32_t>(m);
  define_format_edges<std::int32_t>(m);
  define_renumber<std::int64_t>(m);
  define_format_edges<std::int64_t>(m);
  define_renumber<std::uint32_t>(m);
  define_format_edges<std::uint32_t>(m);
  define_renumber<std::uint64_t>(m);
  define_format_edges<std::uint64_t>(m);
}

}  // namespace lb::bind

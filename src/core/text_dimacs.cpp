// DIMACS files of shortest paths and of colouring.
#include "error.hpp"
#include "text_header.hpp"

namespace lb::core {

Dimacs parse_dimacs(const char* data, std::size_t size, int threads, Progress progress) {
  HeaderLines header(data, size);
  do {
    if (!header.advance()) throw FormatError("the line 'p sp n m' is missing", header.lines(), 0, "");
  } while (header.blank() || header.first() == 'c');
  if (header.word() != "p") header.fail_here("expected comments ('c') and then the line 'p sp n m'");
  const std::string_view problem = header.word();
  if (problem != "sp" && problem != "edge" && problem != "col") {
    header.fail_here("expected 'p sp', 'p edge' or 'p col'");
  }
  Dimacs out;
  out.vertices = header.count("the number of vertices");
  out.declared_edges = header.count("the number of edges");
  const bool arcs = problem == "sp";
  EdgeTextOptions o = declared_options(header, out.vertices, arcs ? out.declared_edges : 0);
  o.tag = arcs ? 'a' : 'e';
  o.fields = arcs ? 3 : 2;
  o.comments = "c";
  o.edges = arcs ? out.declared_edges : -1;
  if (out.vertices == 0) o.edges = 0;
  out.edges = parse_edges(header.body(), header.remaining(), o, threads, progress);
  return out;
}

}  // namespace lb::core

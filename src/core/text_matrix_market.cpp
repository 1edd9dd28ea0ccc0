// Matrix Market coordinate files.
#include "error.hpp"
#include "text_header.hpp"

namespace lb::core {

MatrixMarket parse_matrix_market(const char* data, std::size_t size, int threads, Progress progress) {
  HeaderLines header(data, size);
  if (!header.advance() || lower_case(header.word()) != "%%matrixmarket") {
    throw FormatError("a Matrix Market file must start with %%MatrixMarket", size == 0 ? 0 : 1, 0, "");
  }
  if (lower_case(header.word()) != "matrix") header.fail_here("expected 'matrix' after %%MatrixMarket");
  if (lower_case(header.word()) != "coordinate") {
    header.fail_here("only the coordinate form of Matrix Market holds a graph");
  }
  const std::string field = lower_case(header.word());
  const bool valued = field == "real" || field == "integer" || field == "double";
  if (!valued && field != "pattern" && field != "complex") {
    header.fail_here("expected pattern, real, integer or complex");
  }
  const std::string symmetry = lower_case(header.word());
  MatrixMarket out;
  out.general = symmetry == "general";
  if (!out.general && symmetry != "symmetric" && symmetry != "skew-symmetric" && symmetry != "hermitian") {
    header.fail_here("expected general, symmetric, skew-symmetric or hermitian");
  }
  do {
    if (!header.advance()) {
      throw FormatError("the line with rows, columns and entries is missing", header.lines(), 0, "");
    }
  } while (header.blank() || header.first() == '%');
  const std::int64_t rows = header.count("the number of rows");
  const std::int64_t columns = header.count("the number of columns");
  const std::int64_t entries = header.count("the number of entries");
  if (!header.blank()) {
    header.word();
    header.fail_here("more than rows, columns and entries on the line of the sizes");
  }
  if (rows != columns) {
    throw FormatError("a graph needs a square matrix, this one has " + std::to_string(rows) + " rows and " +
                          std::to_string(columns) + " columns",
                      header.lines(), 0, "");
  }
  EdgeTextOptions o = declared_options(header, rows, entries);
  o.comments = "%";
  o.fields = valued ? 3 : field == "complex" ? 4 : 2;
  o.edges = entries;
  out.vertices = rows;
  out.edges = parse_edges(header.body(), header.remaining(), o, threads, progress);
  return out;
}

}  // namespace lb::core

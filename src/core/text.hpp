// Text to edges, in parallel and from memory (a mapped file, a decompressed block, a fuzzer's input). No function opens
// a file. Every parser throws FormatError for input that violates its format, with the line and column counted from the
// start of the data. Sizes that a header declares are compared with the number of bytes before memory is allocated.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"
#include "threads.hpp"

namespace lb::core {

// Vertex ids as narrow as they fit: `narrow` while every id is below 2^31, else `wide`; the other is
// empty. Only the first `size` elements hold ids, the buffer may be larger.
struct IdColumn {
  Buffer<std::int32_t> narrow;
  Buffer<std::uint64_t> wide;
};

struct EdgeColumns {
  IdColumn u, v;
  bool is_wide = false;
  std::int64_t size = 0;      // edges
  std::int64_t lines = 0;     // lines of the data, comments and blank lines included
  std::uint64_t largest = 0;  // the largest id, less `base`; 0 without edges
};

// Called now and then, from the calling thread only, with the bytes done so far; may throw to stop.
using Progress = FunctionRef<void(std::size_t bytes)>;

// The grammar of a line of edges: columns between runs of blanks and tabs, or one comma or semicolon with any blanks
// around it; if `delimiter` is a blank, only runs of blanks and tabs separate columns; if it is another character, only
// that one, and two in a row enclose an empty column. Lines that are blank or start with one of `comments` are skipped
// anywhere; columns other than `first` and `second` are ignored. Lines end in \n and any carriage returns before it,
// the last one optionally; any other carriage return, any zero byte and any byte order mark are errors. See line.hpp.
struct EdgeTextOptions {
  char delimiter = 0;                        // 0 for any, a blank for blanks, or one character
  int first = 0, second = 1;                 // the columns of u and v, counted from 0
  char tag = 0;                              // if set, every line of an edge starts with this letter and a blank
  const char* comments = "#%";               // at most a few characters
  std::uint64_t base = 0;                    // the smallest id; subtracted from every id
  std::uint64_t limit = UINT64_MAX;          // ids less `base` must not exceed this
  bool quotes = false;                       // columns may be enclosed in double quotes
  bool outer_blanks = false;                 // blanks around a name between other characters belong to it, and around
                                             // a number do not
  int fields = 2;                            // fewer columns than this are an error
  bool padded = true;                        // ids may begin with zeros: 007 is 7; else they are refused
  bool strict_comments = false;              // comments that look like edges between names, #a,#b, are errors
  bool exact = false;                        // and so are more columns
  bool bytewise = false;                     // never take the fast path: for tests
  std::int64_t first_line = 1;               // the number of the first line, for messages
  std::int64_t edges = -1;                   // the required number of edges; -1 for any
  std::size_t block = std::size_t{1} << 20;  // bytes handed to a thread at a time
};

// Edges in the order of the file, whatever the number of threads. O(size / threads).
EdgeColumns parse_edges(const char* data, std::size_t size, const EdgeTextOptions& options, int threads,
                        Progress progress);

// The same lines where any text is an id: both columns in Arrow's layout, text i of a column being data[offsets[i]]
// to data[offsets[i + 1] - 1], without the quotes around it. Ids are valid UTF-8; an empty one is enclosed in quotes.
// Only `size` + 1 offsets are filled. One thread.
struct NameColumns {
  Buffer<std::int64_t> u_offsets, v_offsets;
  Buffer<char> u, v;
  std::int64_t size = 0;
};
NameColumns parse_names(const char* data, std::size_t size, const EdgeTextOptions& options, Progress progress);

// The first lines that hold columns, at most `most` of them, up to one that breaks the grammar (then `bad` is set).
struct TextRow {
  std::int64_t line;
  std::size_t begin, end;            // bytes of the line, without its end
  std::vector<std::string> columns;  // without quotes around them
};
std::vector<TextRow> first_rows(const char* data, std::size_t size, const EdgeTextOptions& options, std::size_t most,
                                bool& bad);

// Matrix Market coordinate files: "%%MatrixMarket matrix coordinate <field> <symmetry>", comments, then
// "rows columns entries" and that many lines "row column [value ...]", counted from 1. Every entry is an
// edge, whatever its value. The matrix must be square.
struct MatrixMarket {
  EdgeColumns edges;
  std::int64_t vertices = 0;
  bool general = true;  // false: symmetric, skew-symmetric or hermitian, one triangle stored
};
MatrixMarket parse_matrix_market(const char* data, std::size_t size, int threads, Progress progress);

// DIMACS: "c" comments, "p sp n m" and lines "a u v [w]" (shortest paths), or "p edge n m" / "p col n m"
// and lines "e u v" (colouring), counted from 1. `declared_edges` is m: "a" lines must be as many; files with "e" lines
// count in two ways, so the caller compares.
struct Dimacs {
  EdgeColumns edges;
  std::int64_t vertices = 0, declared_edges = 0;
};
Dimacs parse_dimacs(const char* data, std::size_t size, int threads, Progress progress);

// METIS / Chaco adjacency: "n m [fmt [ncon]]", then line i lists the neighbours of vertex i, counted
// from 1, an empty line being a vertex without any. fmt has up to three digits: vertex sizes, vertex weights
// (ncon of them), edge weights, all of which are skipped. "%" lines are comments. Each edge is listed twice,
// so there must be 2 m neighbours. The offsets have n + 1 elements.
struct Metis {
  Buffer<std::int64_t> offsets;
  IdColumn neighbors;
  bool is_wide = false;
  std::int64_t vertices = 0, size = 0;  // size: neighbours
};
Metis parse_metis(const char* data, std::size_t size, int threads, Progress progress);

// "<prefix>u<separator>v<suffix>\n" for edges [begin, end), with `base` added to the ids.
struct EdgeFormat {
  std::string prefix, separator, suffix;
  std::uint64_t base = 0;
};
template <class Id>
std::string format_edges(const Id* u, const Id* v, std::int64_t m, const EdgeFormat& format, int threads);

}  // namespace lb::core

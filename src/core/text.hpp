// Text files of numbers -> edges, in parallel and straight from memory (a mapped file, a decompressed
// block, a fuzzer's input). Nothing here opens files. Every function throws FormatError for input that
// is not what its format says, with the line and column counted from the start of the data, and never
// takes memory on the word of a header alone: sizes are first held against the number of bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

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
  std::uint64_t largest = 0;  // the largest id, after `base` was taken off; 0 if there is no edge
};

// Called now and then, from the calling thread only, with the bytes done so far; may throw to stop.
using Progress = FunctionRef<void(std::size_t bytes)>;

// How a line of edges looks: numbers between runs of blanks and tabs, or one comma or semicolon with any
// blanks around it; if `delimiter` is set, only that character parts columns, and two in a row enclose an
// empty one. Lines that are blank or start with one of `comments` are skipped wherever they stand;
// columns other than the two named are ignored. Lines end in \n or \r\n, the last one may lack it.
struct EdgeTextOptions {
  char delimiter = 0;                    // 0 for any, or one of tab, comma, semicolon
  int first = 0, second = 1;             // the columns of u and v, counted from 0
  char tag = 0;                          // if set, every line of an edge starts with this letter and a blank
  const char* comments = "#%";           // at most a few characters
  std::uint64_t base = 0;                // the smallest id; taken off every id
  std::uint64_t limit = UINT64_MAX;      // ids after taking off `base` must not exceed this
  int fields = 2;                        // fewer columns than this are an error
  std::int64_t first_line = 1;           // the number of the first line, for messages
  std::int64_t edges = -1;               // how many edges there must be; -1 for any number
  std::size_t block = std::size_t{1} << 20;  // bytes handed to a thread at a time
};

// Edges in the order of the file, whatever the number of threads. O(size / threads).
EdgeColumns parse_edges(const char* data, std::size_t size, const EdgeTextOptions& options, int threads,
                        Progress progress);

}  // namespace lb::core

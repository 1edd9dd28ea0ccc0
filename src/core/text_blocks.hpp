// Parallel parsing of text: the data is cut into blocks of whole lines, and of all faults the earliest one is reported.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "extremes.hpp"
#include "line.hpp"
#include "scan.hpp"
#include "threads.hpp"

namespace lb::core {

// Cuts [data, data + size) into blocks of whole lines, about `block` bytes each; block i is [cuts[i], cuts[i + 1]).
inline std::vector<const char*> cut_at_lines(const char* data, std::size_t size, std::size_t block) {
  const char* end = data + size;
  std::vector<const char*> cuts{data};
  while (static_cast<std::size_t>(end - cuts.back()) > block) {
    const char* eol = scan::line_end(cuts.back() + block - 1, end);
    if (eol == end) break;
    cuts.push_back(eol + 1);
  }
  if (cuts.back() != end) cuts.push_back(end);
  return cuts;
}

// Runs body(block, worker) over all blocks, in any order, on `threads` threads; the Fault of the earliest block that
// has one becomes the FormatError, whatever the timing. A body may return false to stop: blocks that have not
// started are skipped, faults are discarded, and the result is false.
template <class Body>
bool for_blocks(const std::vector<const char*>& cuts, const char* data, std::int64_t first_line, int threads,
                Body&& body) {
  const auto blocks = static_cast<std::int64_t>(cuts.size()) - 1;
  std::atomic<bool> given_up{false};
  std::atomic<std::int64_t> faulty{blocks};  // the earliest block with a fault so far: later ones are skipped
  std::vector<std::optional<line::Fault>> faults(static_cast<std::size_t>(threads));
  parallel_for(blocks, 1, threads, [&](std::int64_t b, std::int64_t, int worker) {
    if (given_up.load(std::memory_order_relaxed) || b > faulty.load(std::memory_order_relaxed)) return;
    try {
      if (!body(b, worker)) given_up.store(true, std::memory_order_relaxed);
    } catch (line::Fault& f) {
      auto& mine = faults[static_cast<std::size_t>(worker)];
      if (!mine || f.line < mine->line) mine = std::move(f);
      lower_to(faulty, b);
    }
  });
  if (given_up.load(std::memory_order_relaxed)) return false;
  const line::Fault* first = nullptr;
  for (const auto& f : faults) {
    if (f && (first == nullptr || f->line < first->line)) first = &*f;
  }
  if (first != nullptr) line::raise(*first, data, first_line);
  return true;
}

}  // namespace lb::core

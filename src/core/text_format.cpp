// Edges to text.
#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"
#include "threads.hpp"

namespace lb::core {

template <class Id>
std::string format_edges(const Id* u, const Id* v, std::int64_t m, const EdgeFormat& format, int threads) {
  threads = static_cast<int>(std::clamp<std::int64_t>(m / 10000, 1, std::max(1, threads)));
  const std::int64_t stretch = (m + threads - 1) / threads;
  std::vector<std::string> parts(static_cast<std::size_t>(threads));
  const auto append = [&](char* p, Id id) {
    if (id < Id{0})
      return std::to_chars(p, p + 20, static_cast<std::int64_t>(id) + static_cast<std::int64_t>(format.base)).ptr;
    return std::to_chars(p, p + 20, static_cast<std::uint64_t>(id) + format.base).ptr;
  };
  const auto copy = [](char* p, const std::string& s) { return std::copy(s.begin(), s.end(), p); };
  const std::size_t longest = format.prefix.size() + format.separator.size() + format.suffix.size() + 41;
  parallel(threads, [&](int worker) {
    const std::int64_t end = std::min(m, (worker + 1) * stretch);
    std::string text;  // local: the strings of all workers would share cache lines
    std::size_t used = 0;
    for (std::int64_t i = worker * stretch; i < end; ++i) {
      if (text.size() - used < longest) text.resize(2 * text.size() + 64 * longest);
      char* p = copy(text.data() + used, format.prefix);
      p = copy(append(p, u[i]), format.separator);
      p = copy(append(p, v[i]), format.suffix);
      *p++ = '\n';
      used = static_cast<std::size_t>(p - text.data());
    }
    text.resize(used);
    parts[static_cast<std::size_t>(worker)] = std::move(text);
  });
  if (parts.size() == 1) return std::move(parts[0]);
  std::string all;
  for (const std::string& p : parts) all += p;
  return all;
}

template std::string format_edges(const std::int32_t*, const std::int32_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::int64_t*, const std::int64_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::uint32_t*, const std::uint32_t*, std::int64_t, const EdgeFormat&, int);
template std::string format_edges(const std::uint64_t*, const std::uint64_t*, std::int64_t, const EdgeFormat&, int);

}  // namespace lb::core

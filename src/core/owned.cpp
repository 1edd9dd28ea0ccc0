#include "owned.hpp"

#include <array>

#include "threads.hpp"

namespace lb::core {
namespace {

constexpr std::size_t looked_at = cpu::edges_looked_at;  // of each chunk
// Edges for each vertex from which on few of them link: locked instructions cost little then, and united in their order
// edges meet the trees of those before them. Half as many again where nearly all edges have endpoints close together,
// as in lattices.
constexpr i64 most_edges = 4, most_near_edges = 6;
// Edges below which threads that write to the same cells lose more time to each other than they save, where most edges
// link: up to three edges for two vertices.
constexpr i64 too_few = i64{1} << 18;
// The same where most edges lead to one vertex that is larger than the others: until it is a child of smaller ones, its
// edges are cut off in all ranges but one.
constexpr i64 too_few_at_hub = 3 * too_few;
using Few = std::array<u64, looked_at>;

struct ChunkSample {
  u64 low, high;  // all, or all but one, of the endpoints whose cells links will write lie in between
  u64 largest;
  u64 width;  // from the smallest endpoint that was looked at to the largest
  bool near;
  bool at_hub;  // the larger endpoints are one vertex
};

// The middle, without the extremes.
u64 spread(const Few& sorted) { return sorted[looked_at - 2] - sorted[1]; }

ChunkSample look_at(const IdArray& u, const IdArray& v, i64 begin, i64 end) {
  Few larger, smaller;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const i64 at = begin + (end - begin - 1) * static_cast<i64>(i) / static_cast<i64>(looked_at - 1);
    larger[i] = std::max(u[at], v[at]);
    smaller[i] = std::min(u[at], v[at]);
  }
  std::sort(larger.begin(), larger.end());
  std::sort(smaller.begin(), smaller.end());
  // A link writes the larger root; but what hangs below a hub is written at its other end, once the hub is a child.
  const bool at_hub = spread(larger) == 0;
  const Few& written = at_hub ? smaller : larger;
  const bool near = spread(larger) < cpu::near_vertices && spread(smaller) < cpu::near_vertices;
  return {written[0], written[looked_at - 2], larger.back(), larger.back() - smaller.front(), near, at_hub};
}

}  // namespace

EdgeDivision divide_edges(const IdArray& u, const IdArray& v, i64 edges, int threads) {
  EdgeDivision out;
  const i64 chunks = (edges + cpu::chunk_arcs - 1) / cpu::chunk_arcs;
  std::vector<ChunkSample> samples(static_cast<std::size_t>(chunks));
  parallel_for(chunks, 16, threads, [&](i64 b, i64 e, int) {
    for (i64 c = b; c < e; ++c) {
      const i64 begin = c * cpu::chunk_arcs;
      samples[static_cast<std::size_t>(c)] = look_at(u, v, begin, std::min(edges, begin + cpu::chunk_arcs));
    }
  });
  for (const ChunkSample& s : samples) {
    out.largest = std::max(out.largest, s.largest);
    out.near.push_back(s.near);
  }
  const auto few_link = [&](i64 of_each) {
    return edges / of_each > static_cast<i64>(std::min<u64>(out.largest, u64{1} << 62));
  };
  out.few = threads > 1 && edges < too_few && edges * 2 / 3 <= static_cast<i64>(std::min<u64>(out.largest, too_few));
  const auto at_hub = std::count_if(samples.begin(), samples.end(), [](const ChunkSample& s) { return s.at_hub; });
  const bool few_at_hub = edges < too_few_at_hub && 2 * at_hub > chunks;
  out.few |= threads > 1 && few_at_hub;
  if (threads == 1 || few_at_hub || few_link(most_near_edges)) return out;
  const bool only_near = few_link(most_edges);
  const u64 widest = out.largest / static_cast<u64>(2 * threads);
  std::vector<i64> local;
  for (i64 c = 0; c < chunks; ++c) {
    const ChunkSample& s = samples[static_cast<std::size_t>(c)];
    const u64 width = only_near ? s.width : s.high - s.low;
    (width <= widest ? local : out.shared).push_back(c);
  }
  const auto low = [&](i64 c) { return samples[static_cast<std::size_t>(c)].low; };
  std::stable_sort(local.begin(), local.end(), [&](i64 a, i64 b) { return low(a) < low(b); });
  const auto count = static_cast<i64>(local.size());
  if (count < (only_near ? chunks - chunks / 8 : chunks / 2) || count == 0) return out;
  // Wide enough that few chunks lie in two ranges.
  std::vector<u64> spans;
  for (const i64 c : local) spans.push_back(samples[static_cast<std::size_t>(c)].high - low(c));
  std::nth_element(spans.begin(), spans.begin() + count / 2, spans.end());
  // Ids that have not been validated lie anywhere in 64 bits: a multiple of a span could be 0.
  const auto wide = static_cast<i64>(out.largest / 8 / (spans[static_cast<std::size_t>(count / 2)] + 1));
  const i64 ranges = std::min(count, std::clamp<i64>(wide, threads, ranges_per_thread * threads));
  u64 begin = 0;
  for (i64 r = 0; r < ranges; ++r) {
    const i64 from = count * r / ranges, to = count * (r + 1) / ranges;
    std::sort(local.begin() + from, local.begin() + to);  // as in the list: a stream of descending edges stays one
    // Ranges do not share a line of the cache.
    const u64 end = to == count ? ~u64{0} : low(local[static_cast<std::size_t>(to)]) / 64 * 64;
    if (end <= begin && r > 0) {
      auto& last = out.ranges.back().chunks;
      last.insert(last.end(), local.begin() + from, local.begin() + to);
      continue;
    }
    out.ranges.push_back({begin, end, {local.begin() + from, local.begin() + to}});
    begin = end;
  }
  out.few = false;
  return out;
}

}  // namespace lb::core

// The last phase of a run: components numbered by their smallest vertices.
#include "landbridge/phase/number.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "interrupt.hpp"
#include "phases.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

// The roots among the vertices [b, e) of a chunk. By plain loads, as nothing writes these cells meanwhile, and with a
// counter of their width: the compiler makes a vector loop of it.
template <class Id>
i64 roots_in(const Id* parent, i64 b, i64 e) {
  const Id* const cells = parent + b;
  const auto first = static_cast<Id>(b), vertices = static_cast<Id>(e - b);
  Id roots = 0;
  for (Id i = 0; i < vertices; ++i) roots += static_cast<Id>(cells[i] == static_cast<Id>(first + i));
  return static_cast<i64>(roots);
}

// Whether no parent of the vertices [b, e) is smaller than `least`: then no difference has the top bit, which ids leave
// free.
template <class Id>
bool parents_from(const Id* parent, i64 b, i64 e, Id least) {
  Id bits = 0;
  for (i64 x = b; x < e; ++x) bits |= static_cast<Id>(parent[x] - least);
  return bits >> (sizeof(Id) * 8 - 1) == 0;
}

// The first chunk of each range, one for each thread; behind the last, the number of chunks. The first range is larger
// by a third: of others, the marks are left.
std::vector<i64> first_chunks(i64 chunks, i64 ranges) {
  std::vector<i64> first{0};
  for (i64 r = 1; r <= ranges; ++r) first.push_back(chunks * (3 * r + 1) / (3 * ranges + 1));
  return first;
}

// The number of the first root of each range, and of those of all: as far as ranges are numbered from there on. The
// last one is counted only where the others have no two roots, and then no further than the second.
template <class Id>
std::vector<i64> count_roots(RunContext<Id, false>& run, const std::vector<i64>& chunks) {
  const Id* const parent = run.cells.parent;
  const auto ranges = chunks.size() - 1;
  const auto count_chunks = [&](i64 from, i64 to, int threads) {
    i64 all = 0;
    parallel_for(to - from, 1, threads, [&](i64 b, i64 e, int) {
      for (i64 c = from + b; c < from + e; ++c) {
        const i64 begin = c * cpu::chunk_vertices;
        const i64 count = all > 1 ? 0 : roots_in(parent, begin, std::min(run.n, begin + cpu::chunk_vertices));
        run.roots[static_cast<std::size_t>(c)] = count;
        if (threads == 1) all += count;
      }
    });
  };
  std::vector<i64> first(ranges + 1, 0);
  if (!run.counted) count_chunks(0, chunks[ranges - 1], run.threads);
  for (std::size_t r = 0; r < ranges; ++r) {
    if (r + 1 == ranges && !run.counted) {
      if (first[r] > 1) {
        first[r + 1] = first[r] + 1;
        break;
      }
      count_chunks(chunks[r], chunks[r + 1], 1);
    }
    first[r + 1] = first[r];
    for (i64 c = chunks[r]; c < chunks[r + 1]; ++c) first[r + 1] += run.roots[static_cast<std::size_t>(c)];
  }
  return first;
}

// Whether the parents of nearly all of the vertices [b, e) lie on the same side of `least`, by a few of them.
template <class Id>
bool mostly_one_side(const Id* parent, i64 b, i64 e, Id least) {
  constexpr i64 probes = 16;
  i64 below = 0;
  for (i64 i = 0; i < probes; ++i) below += parent[b + (e - b) * i / probes] < least ? 1 : 0;
  return below <= 1 || below >= probes - 1;
}

// Whether a processor could not predict which vertices of a chunk are roots, as far as 64 of them show: several are,
// several are not, and their pattern does not repeat every few vertices.
template <class Id>
bool roots_in_no_order(const Id* parent, i64 b, i64 e) {
  constexpr int probes = 64, few = probes / 16, longest_period = 4;
  if (e - b < probes) return false;
  u64 roots = 0;
  const i64 from = b + (e - b - probes) / 2;
  for (int i = 0; i < probes; ++i) roots |= static_cast<u64>(parent[from + i] == static_cast<Id>(from + i)) << i;
  if (const int count = std::popcount(roots); count < few || count > probes - few) return false;
  for (int period = 2; period <= longest_period; ++period) {
    if (std::popcount((roots ^ roots >> period) << period) < few) return false;
  }
  return true;
}

// Where the parents of a chunk lie: in the first range, in the chunk's own one, or also below that, most of them on the
// same side or here and there.
enum class Parents { first, inside, one_side, mixed };

// The numbering of a range by its thread.
template <class Id>
struct RangeNumbering {
  const RunContext<Id, false>& run;
  const i64 begin;
  std::vector<Id>& marked;   // of each chunk: not 0 where a vertex is left
  std::atomic<i64>& passed;  // up to here vertices of the first range have their labels
  i64 next;                  // the number of the next root

  Parents parents_of(i64 b, i64 e) const {
    const auto least = static_cast<Id>(begin);
    if (begin == 0) return Parents::first;
    if (parents_from(run.cells.parent, b, e, least)) return Parents::inside;
    return mostly_one_side(run.cells.parent, b, e, least) ? Parents::one_side : Parents::mixed;
  }
  // The vertices [b, e) of a chunk.
  template <Parents parents, bool predicted = true>
  void number_chunk(i64 b, i64 e) {
    const SharedMemory<Id> cells = run.parent;
    [[maybe_unused]] const auto least = static_cast<Id>(begin);
    [[maybe_unused]] const auto done = static_cast<Id>(passed.load(std::memory_order_acquire));
    const auto parent_of = [&](i64 x) { return cells.load(static_cast<Id>(x)); };
    i64 number = next;  // copies: no store to a cell can change them
    Id bits = 0;
    for_children(cells, b, e, parent_of, [&](i64 x) {
      const auto v = static_cast<Id>(x);
      constexpr bool near = parents == Parents::first || parents == Parents::inside, marks = parents == Parents::inside;
      if constexpr (near && predicted)
        number += phase::number_inside<marks>(cells, v, number, bits);
      else if constexpr (near)
        number += phase::number_unpredicted<marks>(cells, v, number, bits);
      else if constexpr (parents == Parents::one_side)
        number += phase::number_one_side(cells, v, least, done, number, bits);
      else
        number += phase::number_mixed(cells, v, least, number, bits);
    });
    marked[run.chunk_of(b)] = bits & phase::numbered<Id>;
    next = number;
  }
  // All vertices up to `end`.
  void run_to(i64 end) {
    in_blocks(begin, end, cpu::chunk_vertices, [&](i64 b, i64 e) {
      switch (parents_of(b, e)) {
        case Parents::first:
          if (roots_in_no_order(run.cells.parent, b, e))
            number_chunk<Parents::first, false>(b, e);
          else
            number_chunk<Parents::first>(b, e);
          passed.store(e, std::memory_order_release);
          break;
        case Parents::inside:
          if (roots_in_no_order(run.cells.parent, b, e))
            number_chunk<Parents::inside, false>(b, e);
          else
            number_chunk<Parents::inside>(b, e);
          break;
        case Parents::one_side:
          number_chunk<Parents::one_side>(b, e);
          break;
        case Parents::mixed:
          number_chunk<Parents::mixed>(b, e);
          break;
      }
    });
  }
};

// The vertices of a chunk that are left.
template <class Id>
void resolve_marks(const SharedMemory<Id>& cells, i64 b, i64 e) {
  // A number is that of its own cell: nothing has to be brought for it.
  const auto parent_of = [&](i64 x) {
    const Id cell = cells.load(static_cast<Id>(x));
    return phase::holds_parent(cell) ? static_cast<Id>(cell & ~phase::numbered<Id>) : static_cast<Id>(x);
  };
  for_children(cells, b, e, parent_of, [&](i64 x) { phase::resolve_mark(cells, static_cast<Id>(x)); });
}

// The vertices that are left of those from `begin` on, but for chunks without marks.
template <class Id>
void resolve_from(RunContext<Id, false>& run, i64 begin, const std::vector<Id>* marked) {
  parallel_for(run.n - begin, cpu::chunk_vertices, run.threads, [&](i64 b, i64 e, int) {
    if (marked == nullptr || (*marked)[run.chunk_of(begin + b)] != 0) resolve_marks(run.parent, begin + b, begin + e);
  });
}

// Whether paths lead far away from many of the vertices from `begin` on, as far as a few of them show: in ranges, much
// would be marked and resolved in the end.
template <class Id>
bool paths_are_scattered(const RunContext<Id, false>& run, i64 begin) {
  constexpr i64 probes = 64, few = probes / 8;
  i64 far = 0;
  for (i64 i = 0; i < probes; ++i) {
    const i64 x = begin + (run.n - begin) * i / probes;
    far += x - static_cast<i64>(run.parent.load(static_cast<Id>(x))) > cpu::chunk_vertices ? 1 : 0;
  }
  return far >= few;
}

// Whether one thread numbers all vertices in the time that waking others takes.
template <class Id>
bool one_thread_numbers(const RunContext<Id, false>& run) {
  return run.n < (run.threads > 2 ? few_vertices / 4 : 2 * few_vertices);
}

// Every label is 0, as is the one root.
template <class Id>
void label_one_tree(RunContext<Id, false>& run) {
  const auto fill = [&](i64 b, i64 e) { std::fill(run.cells.parent + b, run.cells.parent + e, Id{0}); };
  if (!run.flat) run.for_vertices(fill, run.fast_pass_threads());
}

// Numbers all vertices where paths are scattered. Returns how many roots there are. One thread that visits the vertices
// in ascending order finds every parent numbered. Several threads have to follow paths, which is up to four times the
// work.
template <class Id>
i64 number_scattered(RunContext<Id, false>& run) {
  std::vector<i64>& roots = run.roots;
  const auto in_chunks = [&](const auto& body) {
    run.for_vertices([&](i64 begin, i64 end) {
      in_blocks(begin, end, cpu::chunk_vertices, [&](i64 b, i64 e) { body(b, e, roots[run.chunk_of(b)]); });
    });
  };
  if (!run.counted) in_chunks([&](i64 b, i64 e, i64& count) { count = roots_in(run.cells.parent, b, e); });
  i64 all = 0;
  for (i64& first : roots) first = std::exchange(all, all + first);
  run.counted = false;
  if (all == 1) {
    label_one_tree(run);
    return all;
  }
  if (run.threads < 4) {
    std::vector<Id> marked(roots.size(), 0);
    std::atomic<i64> passed{0};
    RangeNumbering<Id>{run, 0, marked, passed, 0}.run_to(run.n);
    return all;
  }
  in_chunks([&](i64 b, i64 e, i64 number) {
    const SharedMemory<Id> cells = run.parent;
    for (i64 x = b; x < e; ++x) number += phase::number_root(cells, static_cast<Id>(x), number);
  });
  resolve_from<Id>(run, 0, nullptr);
  return all;
}

// Roots of ranked links need not be the smallest vertices of their trees: then every parent is made that.
template <class Id>
void make_roots_smallest(RunContext<Id, false>& run) {
  if (run.kernel == nullptr || !run.kernel->ranked) return;
  run.flatten();
  roots_to_minima(run.cells.parent, run.n, run.threads);
  run.counted = false;  // the roots are other vertices now, and may lie in other chunks
}

}  // namespace

template <class Id>
i64 number(RunContext<Id, false>& run) {
  make_roots_smallest(run);
  const auto chunks = static_cast<i64>(run.roots.size());
  const i64 ranges = one_thread_numbers(run) ? 1 : std::max<i64>(1, std::min<i64>(run.threads, chunks));
  const std::vector<i64> first_chunk = first_chunks(chunks, ranges);
  if (ranges > 1 && paths_are_scattered(run, first_chunk[1] * cpu::chunk_vertices)) {
    const i64 count = number_scattered(run);
    run.watch.lap("number");
    return count;
  }
  const std::vector<i64> first = count_roots(run, first_chunk);
  const auto begin_of = [&](i64 range) {
    return std::min(run.n, first_chunk[static_cast<std::size_t>(range)] * cpu::chunk_vertices);
  };
  i64 count = first.back();
  if (count == 1) {
    label_one_tree(run);
  } else {
    std::vector<Id> marked(run.roots.size(), 0);
    std::atomic<i64> passed{0};
    parallel_for(ranges, 1, run.threads, [&](i64 r, i64, int) {
      RangeNumbering<Id> range{run, begin_of(r), marked, passed, first[static_cast<std::size_t>(r)]};
      range.run_to(begin_of(r + 1));
      if (r + 1 == ranges) count = range.next;
    });
    const i64 resolved = ranges > 1 ? begin_of(1) : run.n;  // nothing leads out of the first range
    resolve_from(run, resolved, &marked);
  }
  run.watch.lap("number");
  return count;
}

namespace {

template <class Id>
i64 number_cells(Id* parents, i64 n, int threads, bool flat) {
  if (n == 0) return 0;
  GraphView graph;
  graph.vertices = n;
  Plan plan;
  plan.threads = threads;
  Profile profile;
  RunContext<Id, false> run(graph, plan, parents, profile);
  run.flat = flat;
  return number(run);
}

}  // namespace

template <class Id>
i64 number_roots(Id* roots, i64 n, int threads) {
  return number_cells(roots, n, threads, true);
}

template <class Id>
i64 number_parents(Id* parents, i64 n, int threads) {
  return number_cells(parents, n, threads, false);
}

#define LB_INSTANTIATE(Id)                         \
  template i64 number<Id>(RunContext<Id, false>&); \
  template i64 number_roots<Id>(Id*, i64, int);    \
  template i64 number_parents<Id>(Id*, i64, int);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

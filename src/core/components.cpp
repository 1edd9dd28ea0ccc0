#include "components.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "error.hpp"
#include "feed.hpp"
#include "kernels.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/sample.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "search.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

// Labels looked up to find the most frequent one (Afforest; ConnectIt; GConn: the same number).
constexpr i64 drawn_labels = 1024;

class Stopwatch {
 public:
  explicit Stopwatch(Profile& p) : profile_(p), last_(std::chrono::steady_clock::now()) {}
  void lap(const char* phase) {
    const auto now = std::chrono::steady_clock::now();
    profile_.seconds.emplace_back(phase, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Profile& profile_;
  std::chrono::steady_clock::time_point last_;
};

template <class Id>
class Run {
 public:
  Run(const GraphView& g, const Request& plan, Id* labels, Profile& profile)
      : graph_(g), plan_(plan), n_(g.vertices), threads_(std::max(1, plan.threads)), parent_(labels), profile_(profile),
        watch_(profile) {}

  i64 components() {
    if (n_ == 0) return 0;
    if (!plan_.finish.empty()) {
      search_all();
      return number(false);
    }
    kernel_ = find_kernel<Id>(plan_.link, plan_.find, plan_.splice);
    if (kernel_ == nullptr) {
      throw InputError("no kernel for " + plan_.link + "(" + plan_.find + (plan_.splice.empty() ? "" : "," + plan_.splice) + ")");
    }
    cells_.parent = labels();
    if (kernel_->uses_aux) {
      aux_ = Buffer<Id>(static_cast<std::size_t>(n_));
      cells_.aux = aux_.data();
    }
    if (kernel_->ranked) {
      words_ = Buffer<u64>(static_cast<std::size_t>(n_));
      cells_.words = words_.data();
    }
    if (plan_.sample.empty()) {
      start(false);
      watch_.lap("start");
      if (plan_.stage > 0) staged();
      else finish_all();
    } else {
      want_rows();
      sample();
      const std::optional<Id> skip = frequent();
      finish_skipping(*skip);
    }
    watch_.lap("finish");
    return number(true);
  }

 private:
  Id* labels() { return parent_.cells; }

  // Passes over the vertices: body(begin, end), each vertex in one call.
  template <class F>
  void vertices(const F& body) {
    parallel_for(n_, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) { body(b, e); });
  }

  // Passes over the arcs: body(batch, begin, end).
  template <class F>
  void arcs(i64 from, i64 to, const F& body) {
    parallel_for(to - from, cpu::chunk_arcs, threads_, [&](i64 b, i64 e, int) {
      Batch<Id> batch(*kernel_, cells_, threads_ == 1);
      body(batch, from + b, from + e);
    });
  }

  void start(bool adopt) {
    vertices([&](i64 b, i64 e) { kernel_->start(cells_, b, e, adopt); });
  }
  void settle() {
    vertices([&](i64 b, i64 e) { kernel_->settle(cells_, b, e); });
  }

  // A sampling or bfscc needs rows: made from pairs where the graph has none.
  void want_rows() {
    if (graph_.rows) return;
    use(symmetric_rows<Id>(graph_, threads_));
  }
  void want_symmetric_rows() {
    if (graph_.rows && graph_.symmetric) return;
    use(symmetric_rows<Id>(graph_, threads_));
  }
  void use(Rows<Id>&& made) {
    made_ = std::move(made);
    graph_.rows = true;
    graph_.symmetric = true;
    graph_.arcs = static_cast<i64>(made_.neighbors.size());
    graph_.offsets = {made_.offsets.data(), true};
    graph_.a = {made_.neighbors.data(), sizeof(Id) == 8};
    watch_.lap("rows");
  }

  void search_all() {
    want_symmetric_rows();
    bfs_components<Id>(graph_, labels(), threads_);
    watch_.lap("search");
  }

  // ---- sampling: leaves a forest of stars in `parent`, which the kernel has taken over -----------------------------

  void sample() {
    if (plan_.sample == "kout") {
      start(false);
      watch_.lap("start");
      if (plan_.choice == "first") kout<sample::First>();
      else if (plan_.choice == "pure") kout<sample::Pure>();
      else if (plan_.choice == "hybrid") kout<sample::Hybrid>();
      else if (plan_.choice == "max_degree") kout<sample::MaxDegree>();
      else throw InputError("kout has no choice " + plan_.choice);
      settle();
    } else if (plan_.sample == "hb") {
      hook_based();
      settle();
    } else if (plan_.sample == "bfs") {
      bfs_star<Id>(graph_, busy_vertex(), labels(), threads_);
      start(true);
    } else if (plan_.sample == "ldd") {
      ldd_stars<Id>(graph_, plan_.beta, plan_.seed, labels(), threads_);
      start(true);
    } else {
      throw InputError("no sampling " + plan_.sample);
    }
    watch_.lap("sample");
  }

  // Rows by vertices instead of arcs: a sampling touches a few arcs of every row.
  template <class F>
  void rows_by_vertex(const F& body) {
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      parallel_for(n_, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
        Batch<Id> batch(*kernel_, cells_, threads_ == 1);
        for (i64 x = b; x < e; ++x) {
          const i64 row = static_cast<i64>(offsets[x]);
          const i64 degree = static_cast<i64>(offsets[x + 1]) - row;
          if (degree > 0) body(batch, static_cast<Id>(x), neighbors + row, degree, offsets);
        }
      });
    });
  }

  template <class Choice>
  void kout() {
    rows_by_vertex([&](Batch<Id>& batch, Id x, const auto* row, i64 degree, const auto* offsets) {
      for (int round = 0; round < plan_.k; ++round) {
        i64 arc = Choice::arc(plan_.seed, x, round, degree);
        if (Choice::needs_degrees && round == 0) {
          arc = 0;
          for (i64 i = 1; i < degree; ++i) {
            const auto wide = [&](i64 j) { return offsets[row[j] + 1] - offsets[row[j]]; };
            if (wide(i) > wide(arc)) arc = i;
          }
        }
        if (arc < 0) break;
        batch.add(x, static_cast<Id>(row[arc]));
      }
    });
  }

  void hook_based() {
    std::vector<u64> stays(static_cast<std::size_t>((n_ + 63) / 64), 0);  // a chunk of vertices owns whole words
    static_assert(cpu::chunk_vertices % 64 == 0);
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      vertices([&](i64 b, i64 e) {
        for (i64 i = b; i < e; ++i) {
          const Id x = static_cast<Id>(i);
          const bool has = offsets[i] < offsets[i + 1];
          const bool root = phase::hook_first(parent_, x, has ? static_cast<Id>(neighbors[offsets[i]]) : x);
          if (root && has) stays[static_cast<std::size_t>(i >> 6)] |= u64{1} << (i & 63);
        }
      });
    });
    start(true);
    rows_by_vertex([&](Batch<Id>& batch, Id x, const auto* row, i64 degree, const auto*) {
      if ((stays[static_cast<std::size_t>(x >> 6)] >> (x & 63) & 1) == 0) return;
      for (i64 i = 0; i < std::min<i64>(plan_.k, degree); ++i) batch.add(x, static_cast<Id>(row[i]));
    });
  }

  // The vertex of largest degree among as many random ones as labels are drawn.
  Id busy_vertex() {
    i64 best = 0;
    const auto degree = [&](i64 x) { return graph_.row_begin(x + 1) - graph_.row_begin(x); };
    for (i64 i = 0; i < std::min(n_, drawn_labels); ++i) {
      const i64 x = n_ <= drawn_labels ? i : draw(i);
      if (degree(x) > degree(best)) best = x;
    }
    return static_cast<Id>(best);
  }

  i64 draw(i64 i) const { return static_cast<i64>(mix(plan_.seed, static_cast<u64>(i)) % static_cast<u64>(n_)); }

  // The label met most often among random vertices: any answer is correct, a large tree is fast.
  std::optional<Id> frequent() {
    std::vector<Id> drawn;
    for (i64 i = 0; i < std::min(n_, drawn_labels); ++i) {
      drawn.push_back(parent_.load(static_cast<Id>(n_ <= drawn_labels ? i : draw(i))));
    }
    std::sort(drawn.begin(), drawn.end());
    Id best = drawn.front();
    std::ptrdiff_t most = 0;
    for (auto i = drawn.begin(); i != drawn.end();) {
      const auto end = std::upper_bound(i, drawn.end(), *i);
      if (end - i > most) most = end - i, best = *i;
      i = end;
    }
    return best;
  }

  // ---- finish --------------------------------------------------------------------------------------------------------

  // Arcs that sampling has united for every vertex: the first k of each row.
  i64 united_arcs() const { return plan_.sample == "kout" && plan_.choice == "first" ? plan_.k : 0; }

  void finish_all() {
    if (!graph_.rows) {
      arcs(0, graph_.arcs, [&](Batch<Id>& batch, i64 b, i64 e) { add_pairs(batch, b, e); });
      return;
    }
    row_pieces([&](Batch<Id>& batch, Id x, const auto* row, i64 count, i64) {
      // Symmetric rows hold each edge twice: take it from its larger end.
      if (graph_.symmetric) batch.add_row(x, row, count, [x](Id v) { return v < x; });
      else batch.add_row(x, row, count, [](Id) { return true; });
    });
  }

  void add_pairs(Batch<Id>& batch, i64 b, i64 e) {
    if (graph_.a.wide) batch.template add_pairs<u64>(graph_.a, graph_.b, b, e);
    else batch.template add_pairs<u32>(graph_.a, graph_.b, b, e);
  }

  template <class F>
  void row_pieces(const F& body, i64 from = 0, i64 to = -1) {
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      arcs(from, to < 0 ? graph_.arcs : to, [&](Batch<Id>& batch, i64 b, i64 e) {
        for_row_pieces(offsets, neighbors, n_, b, e, [&](i64 x, const auto* row, i64 count, i64 position) {
          body(batch, static_cast<Id>(x), row, count, position);
        });
      });
    });
  }

  // All arcs but those that cannot matter: vertices known to be in the tree of `skip` do not expand their rows. On rows
  // that are not symmetric an edge may be stored at its skipped end alone: then the rows of skipped vertices are read,
  // and of their arcs those that lead out of the tree are taken.
  void finish_skipping(Id skip) {
    const i64 done = united_arcs();
    std::vector<u64> outside(static_cast<std::size_t>((n_ + 63) / 64), 0);
    std::atomic<i64> outsiders{0};
    vertices([&](i64 b, i64 e) {
      i64 some = 0;
      for (i64 x = b; x < e; ++x) {
        const bool out = parent_.load(static_cast<Id>(x)) != skip;
        outside[static_cast<std::size_t>(x >> 6)] |= static_cast<u64>(out) << (x & 63);
        some += out;
      }
      outsiders.fetch_add(some, std::memory_order_relaxed);
    });
    profile_.skipped_vertices = n_ - outsiders.load(std::memory_order_relaxed);
    if (profile_.skipped_vertices == n_) return;
    const auto is_outside = [&](u64 x) { return (outside[x >> 6] >> (x & 63) & 1) != 0; };
    if (graph_.symmetric) {
      rows_by_vertex([&](Batch<Id>& batch, Id x, const auto* row, i64 degree, const auto*) {
        if (is_outside(x) && degree > done) batch.add_row(x, row + done, degree - done, [](Id) { return true; });
      });
      return;
    }
    row_pieces([&](Batch<Id>& batch, Id x, const auto* row, i64 count, i64) {
      if (is_outside(x)) batch.add_row(x, row, count, [](Id) { return true; });
      else batch.add_row(x, row, count, [&](Id v) { return is_outside(v); });
    });
  }

  // Edges in groups; from the second group on, ends are replaced by their parents before they are united (Stages, Cong &
  // Muzio 2014).
  void staged() {
    const i64 group = std::max<i64>(1, static_cast<i64>(std::ceil(plan_.stage * static_cast<double>(n_))));
    for (i64 from = 0; from < graph_.arcs; from += group) {
      const i64 to = std::min(graph_.arcs, from + group);
      if (kernel_->ranked && from > 0) settle();
      if (!graph_.rows) {
        arcs(from, to, [&](Batch<Id>& batch, i64 b, i64 e) {
          if (from == 0) return add_pairs(batch, b, e);
          for (i64 i = b; i < e; ++i) {
            batch.add(parent_.load(static_cast<Id>(graph_.a[i])), parent_.load(static_cast<Id>(graph_.b[i])));
          }
        });
      } else {
        row_pieces(
            [&](Batch<Id>& batch, Id x, const auto* row, i64 count, i64) {
              const bool raise = from > 0;
              for (i64 i = 0; i < count; ++i) {
                const Id v = static_cast<Id>(row[i]);
                if (graph_.symmetric && v >= x) continue;
                if (raise) batch.add(parent_.load(x), parent_.load(v));
                else batch.add(x, v);
              }
            },
            from, to);
      }
    }
  }

  // ---- labels --------------------------------------------------------------------------------------------------------

  // Numbers the components in place. `settle_first`: parents need not be roots yet.
  i64 number(bool settle_first) {
    if (kernel_ != nullptr && kernel_->ranked) {
      settle();
      settle_first = false;
      to_minima();
    }
    const i64 chunk = cpu::chunk_vertices;
    std::vector<i64> roots(static_cast<std::size_t>((n_ + chunk - 1) / chunk) + 1, 0);
    vertices([&](i64 b, i64 e) {
      if (settle_first) kernel_->settle(cells_, b, e);
      i64 some = 0;
      for (i64 x = b; x < e; ++x) some += phase::is_root(parent_, static_cast<Id>(x));
      roots[static_cast<std::size_t>(b / chunk)] = some;
    });
    i64 count = 0;
    for (auto& r : roots) {
      const i64 before = count;
      count += r;
      r = before;
    }
    vertices([&](i64 b, i64 e) {
      const auto block = static_cast<std::size_t>(b / chunk);
      i64 next = roots[block];
      const i64 last = roots[block + 1];
      for (i64 x = b; next < last; ++x) {
        if (x >= e) break;
        if (phase::is_root(parent_, static_cast<Id>(x))) phase::number_root(parent_, static_cast<Id>(x), static_cast<Id>(next++));
      }
    });
    vertices([&](i64 b, i64 e) {
      for (i64 x = b; x < e; ++x) phase::take_label(parent_, static_cast<Id>(x));
    });
    watch_.lap("number");
    return count;
  }

  // Roots that are not the smallest vertices of their trees: rename each tree by its smallest vertex.
  void to_minima() {
    Buffer<Id> lows(static_cast<std::size_t>(n_));
    const SharedMemory<Id> low(lows.data());
    const auto each = [&](const auto& body) {
      vertices([&](i64 b, i64 e) {
        for (i64 x = b; x < e; ++x) body(static_cast<Id>(x));
      });
    };
    each([&](Id x) { low.store(x, none<Id>); });
    each([&](Id x) { phase::offer_low(low, parent_.load(x), x); });
    each([&](Id x) { parent_.store(x, low.load(parent_.load(x))); });
  }

  GraphView graph_;
  const Request& plan_;
  const i64 n_;
  const int threads_;
  SharedMemory<Id> parent_;
  Profile& profile_;
  Stopwatch watch_;
  const Kernel<Id>* kernel_ = nullptr;
  Cells<Id> cells_;
  Buffer<Id> aux_;
  Buffer<u64> words_;
  Rows<Id> made_;
};

}  // namespace

template <class Id>
i64 components(const GraphView& graph, const Request& plan, Id* labels, Profile& profile) {
  return Run<Id>(graph, plan, labels, profile).components();
}

template i64 components<u32>(const GraphView&, const Request&, u32*, Profile&);
template i64 components<u64>(const GraphView&, const Request&, u64*, Profile&);

}  // namespace lb::core

#include "components.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <vector>

#include "edge_batches.hpp"
#include "edge_buffer.hpp"
#include "error.hpp"
#include "forest.hpp"
#include "kernels.hpp"
#include "landbridge/phase/round.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/find.hpp"
#include "landbridge/policy/sample.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "rounds.hpp"
#include "search.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

// Labels looked up to find the most frequent one (Afforest; ConnectIt; GConn: the same number).
constexpr i64 drawn_labels = 1024;

class Stopwatch {
 public:
  explicit Stopwatch(Profile& p) : profile_(p), last_(std::chrono::steady_clock::now()) {}
  // What has passed was timed by somebody else.
  void skip() { last_ = std::chrono::steady_clock::now(); }
  void lap(const char* phase) {
    const auto now = std::chrono::steady_clock::now();
    profile_.seconds.emplace_back(phase, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Profile& profile_;
  std::chrono::steady_clock::time_point last_;
};

// How many rows ahead their first line is asked for.
constexpr i64 rows_ahead = 16;

// A set of vertices. A chunk of a pass owns whole words, so its thread writes them plainly.
struct VertexBits {
  std::vector<u64> words;
  explicit VertexBits(i64 n) : words(static_cast<std::size_t>((n + 63) / 64), 0) {}
  bool has(i64 x) const { return (words[static_cast<std::size_t>(x >> 6)] >> (x & 63) & 1) != 0; }
  void add(i64 x) { words[static_cast<std::size_t>(x >> 6)] |= u64{1} << (x & 63); }
  // The members in [begin, end), ascending; begin is a multiple of 64.
  template <class F>
  void each(i64 begin, i64 end, const F& visit) const {
    for (i64 base = begin; base < end; base += 64) {
      for (u64 word = words[static_cast<std::size_t>(base >> 6)]; word != 0; word &= word - 1)
        visit(base + std::countr_zero(word));
    }
  }
};
static_assert(cpu::chunk_vertices % 64 == 0);

// One run of a plan; with `marks` the edges that link are marked, and the parents are all it leaves.
template <class Id, bool marks>
class Run {
 public:
  Run(const GraphView& g, const Request& plan, Id* labels, Profile& profile, const Marks& marked = {})
      : graph_(g),
        plan_(plan),
        n_(g.vertices),
        threads_(std::max(1, plan.threads)),
        parent_(labels),
        marked_(marked),
        profile_(profile),
        watch_(profile),
        roots_(static_cast<std::size_t>((n_ + cpu::chunk_vertices - 1) / cpu::chunk_vertices)) {}

  i64 components() {
    if (n_ == 0) return 0;
    unite_all();
    return number();
  }

  // Unites the ends of every edge.
  void unite_all() {
    if (n_ == 0) return;
    if (plan_.rows) want_rows();
    if (plan_.stage > 0 && graph_.rows) throw InputError("stages run on pairs, not on rows");
    if (!plan_.finish.empty()) {
      if (is_round(plan_.finish))
        run_rounds();
      else
        run_standalone();
      return;
    }
    kernel_ = find_kernel<Id>(plan_.link, plan_.find, plan_.splice);
    if (kernel_ == nullptr) {
      throw InputError("no kernel for " + plan_.link + "(" + plan_.find +
                       (plan_.splice.empty() ? "" : "," + plan_.splice) + ")");
    }
    if (marks && kernel_->marking == nullptr)
      throw InputError("the links of " + plan_.link + " make no spanning forest");
    cells_.parent = labels();
    if (kernel_->uses_aux) {
      aux_ = Buffer<Id>(static_cast<std::size_t>(n_), "the auxiliary cells of the plan");
      cells_.aux = aux_.data();
    }
    if (kernel_->ranked) {
      words_ = Buffer<u64>(static_cast<std::size_t>(n_), "the ranks of the plan");
      cells_.words = words_.data();
    }
    if (plan_.sample.empty()) {
      start(false);
      watch_.lap("start");
      if (plan_.stage > 0)
        staged();
      else
        finish_all();
      watch_.lap("finish");
    } else {
      want_rows();
      sample();
      watch_.lap("sample");
      const VertexBits outside = settle_around(frequent_root());
      watch_.lap("skip");
      finish_skipping(outside);
      watch_.lap("finish");
    }
  }

  // The rest of a run whose edges have been united by `kernel` already.
  i64 number_united(const Kernel<Id>& kernel) {
    kernel_ = &kernel;
    cells_.parent = labels();
    return number();
  }

  // The rest of a run whose parents are all roots, the smallest vertices of their trees.
  i64 number_settled() {
    settled_ = true;
    return number();
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

 private:
  using Pairs = Batch<Id, marks>;
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
      Pairs batch(*kernel_, cells_, marked_.owning(from + b, from + e), threads_ == 1);
      body(batch, from + b, from + e);
    });
  }

  void start(bool adopt) {
    vertices([&](i64 b, i64 e) { kernel_->start(cells_, b, e, adopt); });
  }
  void settle() {
    vertices([&](i64 b, i64 e) { kernel_->settle(cells_, b, e); });
  }

  // A sampling needs rows, and some standalone algorithms do: made from pairs where the graph has none.
  void want_rows() {
    if (graph_.rows) return;
    use(symmetric_rows<Id>(graph_, threads_, marks));
  }
  void want_symmetric_rows() {
    if (graph_.rows && graph_.symmetric) return;
    use(symmetric_rows<Id>(graph_, threads_, marks));
  }
  void use(Rows<Id>&& made) {
    made_ = std::move(made);
    graph_.rows = true;
    graph_.symmetric = true;
    graph_.arcs = static_cast<i64>(made_.neighbors.size());
    graph_.offsets = {made_.offsets.data()};
    graph_.a = {made_.neighbors.data()};
    marked_.origin = marks ? made_.origins.data() : nullptr;
    watch_.lap("rows");
  }

  // ---- a standalone algorithm

  void run_standalone() {
    const Standalone<Id>* algorithm = find_standalone<Id>(plan_.finish);
    if (algorithm == nullptr) throw InputError("no finish " + plan_.finish);
    if (marks && !algorithm->has("forest")) throw InputError(plan_.finish + " makes no spanning forest");
    if (algorithm->has("symmetric"))
      want_symmetric_rows();
    else if (!algorithm->has("coo"))
      want_rows();
    if (plan_.stage == 0) {
      if (algorithm->has("stages")) alone_all();
      settle_standalone(algorithm->run({graph_, labels(), marked_, plan_.values, threads_, plan_.seed}));
    } else {
      alone_all();
      in_stages([&](i64 from, i64 to) {
        // Ends are replaced by their parents in all groups, which is what they are in the first.
        Buffer<Id> u(static_cast<std::size_t>(to - from)), v(static_cast<std::size_t>(to - from));
        parallel_for(to - from, cpu::chunk_arcs, threads_, [&](i64 b, i64 e, int) {
          for (i64 i = b; i < e; ++i) {
            u[static_cast<std::size_t>(i)] = parent_.load(static_cast<Id>(graph_.a[from + i]));
            v[static_cast<std::size_t>(i)] = parent_.load(static_cast<Id>(graph_.b[from + i]));
          }
        });
        GraphView group;
        group.vertices = n_;
        group.arcs = to - from;
        group.a = {u.data()};
        group.b = {v.data()};
        settle_standalone(algorithm->run({group, labels(), marked_, plan_.values, threads_, plan_.seed}));
      });
    }
    settled_ = true;
    watch_.lap("finish");
  }

  void settle_standalone(const StandaloneResult& left) {
    profile_.rounds += left.rounds;
    if (!left.settled) compress_all();
    if (!left.smallest) to_minima();
  }

  void alone_all() {
    vertices([&](i64 b, i64 e) {
      for (i64 x = b; x < e; ++x) parent_.store(static_cast<Id>(x), static_cast<Id>(x));
    });
  }

  void compress_all() {
    vertices([&](i64 b, i64 e) {
      for (i64 x = b; x < e; ++x) phase::compress(parent_, static_cast<Id>(x));
    });
  }

  // ---- rounds: policy/round.hpp

  void run_rounds() {
    rounds_ = find_rounds<Id>(plan_.finish, plan_.values.words());
    if (rounds_ == nullptr) throw InputError("no rounds " + plan_.finish + " with these words");
    if (marks && rounds_->claim.marking == nullptr)
      throw InputError("these rounds " + plan_.finish + " make no spanning forest");
    if (rounds_->rewrites && graph_.rows) throw InputError("rounds that rewrite edges run on pairs, not on rows");
    cells_.parent = labels();
    cells_.fell = &fell_;
    std::optional<VertexBits> outside;
    if (plan_.sample.empty()) {
      alone_all();
      watch_.lap("start");
    } else {
      // Rounds have no union of their own: a link unites the sample.
      kernel_ = find_kernel<Id>("rem_cas", "naive", "split_one");
      want_rows();
      sample();
      watch_.lap("sample");
      const Id largest = frequent_root();
      outside = settle_around(largest);
      if (profile_.skipped_vertices < n_) rename(largest);
      watch_.lap("skip");
    }
    kernel_ = &rounds_->connect;
    if (!outside || profile_.skipped_vertices < n_) {
      if (rounds_->uses_old) {
        aux_ = Buffer<Id>(static_cast<std::size_t>(n_));
        cells_.aux = aux_.data();
      }
      if (outside)
        until_stable(outside->words.data(), [&] { finish_skipping(*outside); }, [] { return true; });
      else if (rounds_->rewrites || plan_.stage > 0)
        rounds_on_copies();
      else
        until_stable(nullptr, [&] { finish_all(); }, [] { return true; });
      if (!marks) take_names_back();
    }
    watch_.lap("finish");
  }

  void take_names_back() {
    settle();
    if (cells_.lowest != 0) {
      const Id zero = parent_.load(0);
      parent_.store(0, parent_.load(cells_.lowest));
      parent_.store(cells_.lowest, zero);
      to_minima();
    }
    settled_ = true;
    counted_ = false;
  }

  void rename(Id largest) {
    cells_.lowest = largest;
    if (largest == 0) return;
    vertices([&](i64 b, i64 e) {
      for (i64 x = b; x < e; ++x) phase::relabel(parent_, phase::Relabel<Id>{largest}, static_cast<Id>(x));
    });
  }

  // Rounds until one changes nothing, from a forest of stars; also until `after` says that no edge is left. `connect`
  // feeds every edge to the kernel. Passes visit the vertices in `wanted`, or all if it is null.
  template <class Connect, class After>
  void until_stable(const u64* wanted, const Connect& connect, const After& after) {
    vertices([&](i64 b, i64 e) { rounds_->begin(cells_, b, e); });
    for (;;) {
      ++profile_.rounds;
      fell_.store(false, std::memory_order_relaxed);
      kernel_ = &rounds_->connect;
      connect();
      if (marks && fell_.load(std::memory_order_relaxed)) {
        kernel_ = &rounds_->claim;
        connect();
      }
      for (int k = 0; k < rounds_->passes; ++k) {
        vertices([&](i64 b, i64 e) { rounds_->pass(cells_, k, wanted, b, e); });
      }
      if (!fell_.load(std::memory_order_relaxed) || !after()) return;
    }
  }

  // Pairs that the rounds rewrite, and stages, whose pairs are replaced by the parents at the beginning of the stage.
  void rounds_on_copies() {
    EdgeBuffer<Id, marks> own(plan_.stage > 0 ? stage_edges() : graph_.arcs, threads_);
    const round::Labels<SharedMemory<Id>> l{parent_, SharedMemory<Id>(cells_.aux)};
    const auto group = [&](i64 from, i64 to) {
      if (from > 0) settle();
      own.load(to - from, [&](i64 i) {
        const Id u = static_cast<Id>(graph_.a[from + i]), v = static_cast<Id>(graph_.b[from + i]);
        return from > 0 ? std::pair{parent_.load(u), parent_.load(v)} : std::pair{u, v};
      });
      until_stable(
          nullptr,
          [&] {
            own.each([&](const Id* u, const Id* v, i64 count, [[maybe_unused]] const i64* at) {
              if constexpr (marks) {
                (threads_ == 1 ? kernel_->marking_alone : kernel_->marking)(cells_, u, v, count, marked_, {from, at});
              } else {
                (threads_ == 1 ? kernel_->pairs_alone : kernel_->pairs)(cells_, u, v, count);
              }
            });
          },
          [&] { return !rounds_->rewrites || own.thin_out([&](Id& u, Id& v) { return phase::rewrite(l, u, v); }); });
    };
    if (plan_.stage > 0)
      in_stages(group);
    else
      group(0, graph_.arcs);
  }

  // ---- sampling: leaves a forest in `parent` (in `words` for ranked rules) that the kernel goes on with
  // -------------------

  void sample() {
    if (plan_.sample == "kout") {
      start(false);
      if (plan_.choice == "first")
        kout<sample::First>();
      else if (plan_.choice == "pure")
        kout<sample::Pure>();
      else if (plan_.choice == "hybrid")
        kout<sample::Hybrid>();
      else if (plan_.choice == "max_degree")
        kout<sample::MaxDegree>();
      else
        throw InputError("kout has no choice " + plan_.choice);
    } else if (plan_.sample == "hb") {
      hook_based();
    } else if (plan_.sample == "bfs") {
      bfs_star<Id>(graph_, busy_vertex(), labels(), threads_, marked_);
      start(true);
    } else if (plan_.sample == "ldd") {
      ldd_stars<Id>(graph_, plan_.beta, plan_.seed, labels(), threads_, marked_);
      start(true);
    } else {
      throw InputError("no sampling " + plan_.sample);
    }
  }

  // Visits the rows of all vertices, or of the wanted ones: body(batch, x, first arc, row, degree), never an empty row.
  // A row lies anywhere, and its first line is asked for early.
  template <class F>
  void each_row(const VertexBits* wanted, const F& body) {
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      vertices([&](i64 b, i64 e) {
        Pairs batch(*kernel_, cells_, marked_.owning(static_cast<i64>(offsets[b]), static_cast<i64>(offsets[e])),
                    threads_ == 1);
        const auto visit = [&](i64 x) {
          const i64 row = static_cast<i64>(offsets[x]);
          const i64 degree = static_cast<i64>(offsets[x + 1]) - row;
          if (degree > 0) body(batch, static_cast<Id>(x), row, neighbors + row, degree);
        };
        if (wanted != nullptr) {
          wanted->each(b, e, visit);
          return;
        }
        for (i64 x = b; x < e; ++x) {
          if (x + rows_ahead < e) __builtin_prefetch(neighbors + offsets[x + rows_ahead]);
          visit(x);
        }
      });
    });
  }

  template <class Choice>
  void kout() {
    each_row(nullptr, [&](Pairs& batch, Id x, i64 first, const auto* row, i64 degree) {
      for (int round = 0; round < plan_.k; ++round) {
        const i64 arc =
            Choice::needs_degrees && round == 0 ? widest(row, degree) : Choice::arc(plan_.seed, x, round, degree);
        if (arc < 0) break;
        batch.add(x, static_cast<Id>(row[arc]), first + arc);
      }
    });
  }

  // The position of the neighbour of largest degree, the first of several.
  template <class T>
  i64 widest(const T* row, i64 count) const {
    const auto degree = [&](T y) {
      return graph_.row_begin(static_cast<i64>(y) + 1) - graph_.row_begin(static_cast<i64>(y));
    };
    return std::max_element(row, row + count, [&](T a, T b) { return degree(a) < degree(b); }) - row;
  }

  void hook_based() {
    VertexBits stays(n_);
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      vertices([&](i64 b, i64 e) {
        const Marks own = marked_.owning(static_cast<i64>(offsets[b]), static_cast<i64>(offsets[e]));
        [[maybe_unused]] MarksInOrder<SharedMemory> in_order(own);
        for (i64 i = b; i < e; ++i) {
          if (i + rows_ahead < e) __builtin_prefetch(neighbors + offsets[i + rows_ahead]);
          const Id x = static_cast<Id>(i);
          const bool has = offsets[i] < offsets[i + 1];
          Id first = has ? static_cast<Id>(neighbors[offsets[i]]) : x;
          // Vertices of this chunk before x are hooked already: take their parent at once, and chains stay short.
          if (static_cast<i64>(first) >= b && first < x) first = parent_.load(first);
          const bool alone = phase::hook_first(parent_, x, first);
          if (alone && has) stays.add(i);
          if constexpr (marks) {
            if (!alone) in_order.add(static_cast<i64>(offsets[i]));
          }
        }
      });
    });
    if (kernel_->uses_aux || kernel_->ranked) start(true);
    each_row(&stays, [&](Pairs& batch, Id x, i64 first, const auto* row, i64 degree) {
      for (i64 i = 0; i < std::min<i64>(plan_.k, degree); ++i) batch.add(x, static_cast<Id>(row[i]), first + i);
    });
  }

  // The vertex of largest degree among as many random ones as labels are drawn.
  Id busy_vertex() {
    i64 best = 0;
    const auto degree = [&](i64 x) { return graph_.row_begin(x + 1) - graph_.row_begin(x); };
    for (i64 i = 0; i < std::min(n_, drawn_labels); ++i) {
      const i64 x = draw(i);
      if (degree(x) > degree(best)) best = x;
    }
    return static_cast<Id>(best);
  }

  // A random vertex; each vertex once where there are few.
  i64 draw(i64 i) const {
    return n_ <= drawn_labels ? i : static_cast<i64>(mix(plan_.seed, static_cast<u64>(i)) % static_cast<u64>(n_));
  }

  // The root met most often above random vertices: any answer is correct, that of a large tree is fast.
  Id frequent_root() {
    if (kernel_->ranked) settle();
    std::vector<Id> drawn;
    for (i64 i = 0; i < std::min(n_, drawn_labels); ++i)
      drawn.push_back(find::Naive<>::find(parent_, static_cast<Id>(draw(i))));
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

  // Makes every parent a root, and returns the vertices outside the tree of `skip` that have arcs; on rows that are not
  // symmetric also those without, because an arc may lead to them.
  VertexBits settle_around(Id skip) {
    VertexBits outside(n_);
    std::atomic<i64> inside{0};
    vertices([&](i64 b, i64 e) {
      if (!kernel_->ranked) kernel_->settle(cells_, b, e);
      i64 here = 0, roots = 0;
      for (i64 i = b; i < e; i += 64) {
        u64 word = 0;
        const i64 last = std::min(e, i + 64);
        for (i64 x = i; x < last; ++x) {
          const Id p = parent_.load(static_cast<Id>(x));
          const bool busy = !graph_.symmetric || graph_.row_begin(x) != graph_.row_begin(x + 1);
          word |= static_cast<u64>(p != skip && busy) << (x - i);
          roots += p == static_cast<Id>(x);
        }
        outside.words[static_cast<std::size_t>(i >> 6)] = word;
        here += last - i - std::popcount(word);
      }
      roots_[block_of(b)] = roots;
      inside.fetch_add(here, std::memory_order_relaxed);
    });
    settled_ = counted_ = true;
    profile_.skipped_vertices = inside.load(std::memory_order_relaxed);
    return outside;
  }

  // ---- finish
  // --------------------------------------------------------------------------------------------------------

  // Arcs that sampling has united for every vertex: the first k of each row.
  // Rounds that move single vertices need them again: they are how the others of a tree hear of it.
  i64 united_arcs() const {
    const bool trees_move = rounds_ == nullptr || rounds_->root_based;
    return plan_.sample == "kout" && plan_.choice == "first" && trees_move ? plan_.k : 0;
  }
  // Whether a row may be left out now.
  bool idle(Id x) const { return rounds_ != nullptr && rounds_->active != nullptr && !rounds_->active(cells_, x); }

  void finish_all() {
    if (!graph_.rows) {
      arcs(0, graph_.arcs, [&](Pairs& batch, i64 b, i64 e) { add_pairs(batch, b, e); });
      return;
    }
    row_pieces([&](Pairs& batch, Id x, i64 first, const auto* row, i64 count) {
      // Symmetric rows hold each edge twice: take it from its larger end, or from an end that has news.
      if (graph_.symmetric && rounds_ != nullptr && rounds_->active != nullptr) {
        if (!idle(x)) batch.add_row(x, row, first, count, [](Id) { return true; });
      } else if (graph_.symmetric)
        batch.add_row(x, row, first, count, [x](Id v) { return v < x; });
      else
        batch.add_row(x, row, first, count, [](Id) { return true; });
    });
  }

  void add_pairs(Pairs& batch, i64 b, i64 e) {
    if (graph_.a.width == IdWidth::wide)
      batch.template add_pairs<u64>(graph_.a, graph_.b, b, e);
    else
      batch.template add_pairs<u32>(graph_.a, graph_.b, b, e);
  }

  template <class F>
  void row_pieces(const F& body) {
    with_row_types(graph_, [&](const auto* offsets, const auto* neighbors) {
      arcs(0, graph_.arcs, [&](Pairs& batch, i64 b, i64 e) {
        for_row_pieces(offsets, neighbors, n_, b, e, [&](i64 x, const auto* row, i64 count) {
          body(batch, static_cast<Id>(x), row - neighbors, row, count);
        });
      });
    });
  }

  // All arcs but those that cannot matter: vertices known to be in the tree of `skip` do not expand their rows. On rows
  // that are not symmetric an edge may be stored at its skipped end alone: then the rows of skipped vertices are read,
  // and of their arcs those that lead out of the tree are taken.
  void finish_skipping(const VertexBits& outside) {
    if (profile_.skipped_vertices == n_) return;
    const i64 done = united_arcs();
    std::atomic<bool> any{false};
    if (graph_.symmetric) {
      each_row(&outside, [&](Pairs& batch, Id x, i64 first, const auto* row, i64 degree) {
        if (degree <= done || idle(x)) return;
        if (!any.load(std::memory_order_relaxed)) any.store(true, std::memory_order_relaxed);
        batch.add_row(x, row + done, first + done, degree - done, [](Id) { return true; });
      });
    } else {
      any.store(true, std::memory_order_relaxed);
      row_pieces([&](Pairs& batch, Id x, i64 first, const auto* row, i64 count) {
        if (outside.has(x))
          batch.add_row(x, row, first, count, [](Id) { return true; });
        else
          batch.add_row(x, row, first, count, [&](Id v) { return outside.has(v); });
      });
    }
    if (any.load(std::memory_order_relaxed)) settled_ = counted_ = false;
  }

  // Edges in groups; from the second group on, ends are replaced by their parents before they are united (Stages, Cong
  // & Muzio 2014).
  void staged() {
    in_stages([&](i64 from, i64 to) {
      if (kernel_->ranked && from > 0) settle();
      arcs(from, to, [&](Pairs& batch, i64 b, i64 e) {
        if (from == 0) return add_pairs(batch, b, e);
        for (i64 i = b; i < e; ++i) {
          batch.add(parent_.load(static_cast<Id>(graph_.a[i])), parent_.load(static_cast<Id>(graph_.b[i])), i);
        }
      });
    });
  }

  i64 stage_edges() const {
    // Compared as floating point: a stage may be said to be larger than any integer.
    const double share = std::min(std::ceil(plan_.stage * static_cast<double>(n_)), static_cast<double>(graph_.arcs));
    return std::max<i64>(1, static_cast<i64>(share));
  }
  template <class Group>
  void in_stages(const Group& group) {
    for (i64 from = 0; from < graph_.arcs; from += stage_edges())
      group(from, std::min(graph_.arcs, from + stage_edges()));
  }

  // ---- labels
  // --------------------------------------------------------------------------------------------------------

  // Numbers the components in place.
  i64 number() {
    if (kernel_ != nullptr && kernel_->ranked) {
      settle();
      to_minima();
      counted_ = false;  // the roots are other vertices now, and may lie in other chunks
    } else if (!settled_) {
      vertices([&](i64 b, i64 e) {
        kernel_->settle(cells_, b, e);
        count_roots(b, e);
      });
      counted_ = true;
    }
    if (!counted_) vertices([&](i64 b, i64 e) { count_roots(b, e); });
    i64 count = 0;
    for (auto& r : roots_) {
      const i64 before = count;
      count += r;
      r = before;
    }
    // One component: every cell holds vertex 0, and 0 is its label.
    if (count == 1) {
      watch_.lap("number");
      return 1;
    }
    vertices([&](i64 b, i64 e) {
      i64 next = roots_[block_of(b)];
      const i64 last = block_of(b) + 1 < roots_.size() ? roots_[block_of(b) + 1] : count;
      if (next == last) return;
      for (i64 x = b; x < e; ++x) next += phase::number_root(parent_, static_cast<Id>(x), next);
    });
    vertices([&](i64 b, i64 e) {
      for (i64 x = b; x < e; ++x) phase::take_label(parent_, static_cast<Id>(x));
    });
    watch_.lap("number");
    return count;
  }

  static std::size_t block_of(i64 vertex) { return static_cast<std::size_t>(vertex / cpu::chunk_vertices); }
  void count_roots(i64 b, i64 e) {
    i64 some = 0;
    for (i64 x = b; x < e; ++x) some += phase::is_root(parent_, static_cast<Id>(x));
    roots_[block_of(b)] = some;
  }

  GraphView graph_;
  const Request& plan_;
  const i64 n_;
  const int threads_;
  SharedMemory<Id> parent_;
  Marks marked_;
  Profile& profile_;
  Stopwatch watch_;
  const Kernel<Id>* kernel_ = nullptr;
  const Rounds<Id>* rounds_ = nullptr;
  std::atomic<bool> fell_{false};  // whether a label has fallen in this round
  Cells<Id> cells_;
  Buffer<Id> aux_;
  Buffer<u64> words_;
  Rows<Id> made_;
  std::vector<i64> roots_;  // roots in each chunk of vertices
  bool settled_ = false;    // every parent is a root
  bool counted_ = false;    // roots_ is that of the forest as it is
};

// Parents of vertices that turn up one after another, in address space reserved for all there could be.
class GrowableParents {
 public:
  static constexpr i64 most = (i64{1} << 31) - 1;
  static constexpr std::size_t reserved = static_cast<std::size_t>(most) * sizeof(u32);
  GrowableParents() : cells_(static_cast<u32*>(reserve(reserved))) {}
  GrowableParents(const GrowableParents&) = delete;
  GrowableParents& operator=(const GrowableParents&) = delete;
  ~GrowableParents() {
    if (cells_ != nullptr) give_up(cells_, reserved);
  }
  bool there() const { return cells_ != nullptr; }
  u32* cells() { return cells_; }
  // Every vertex below n exists when this returns; any thread may call it.
  void need(i64 n) {
    if (ready_.load(std::memory_order_acquire) >= n) return;
    const std::lock_guard lock(growing_);
    const i64 from = ready_.load(std::memory_order_relaxed);
    if (from >= n) return;
    // Whole steps, so that ascending ids do not come here for every chunk.
    const i64 to = std::min(most, (n + step - 1) / step * step);
    for (i64 x = from; x < to; ++x) cells_[x] = static_cast<u32>(x);
    ready_.store(to, std::memory_order_release);
  }
  Buffer<u32> take(i64 n) {
    u32* const all = std::exchange(cells_, nullptr);
    const auto size = static_cast<std::size_t>(n);
    return Buffer<u32>::adopt(static_cast<u32*>(keep(all, reserved, size * sizeof(u32))), size);
  }

 private:
  static constexpr i64 step = i64{1} << 18;
  u32* cells_;
  std::atomic<i64> ready_{0};
  std::mutex growing_;
};

// Unites pairs whose number of vertices nobody has said, and returns that number; nothing if this way is not open.
template <bool marks>
std::optional<i64> unite_unseen(const Kernel<u32>& kernel, const IdArray& u, const IdArray& v, i64 edges, int threads,
                                const Marks& marked, GrowableParents& parents) {
  const Cells<u32> cells{.parent = parents.cells()};
  // Ids far beyond the number of edges would touch memory that nobody has asked the system for.
  const i64 most = 16 * edges + (i64{1} << 20);
  std::atomic<i64> vertices{0};
  std::atomic<bool> refused{false};
  parallel_for(edges, cpu::chunk_arcs, threads, [&](i64 b, i64 e, int) {
    if (refused.load(std::memory_order_relaxed)) return;
    // A negative id shows as a huge one. Compared before 1 is added: the largest, -1, would wrap to a graph without
    // vertices.
    const u64 largest = std::max(max_in(u, b, e), max_in(v, b, e));
    if (largest >= static_cast<u64>(std::min(GrowableParents::most, most))) {
      refused.store(true, std::memory_order_relaxed);
      return;
    }
    const i64 n = static_cast<i64>(largest) + 1;
    parents.need(n);
    i64 seen = vertices.load(std::memory_order_relaxed);
    while (n > seen && !vertices.compare_exchange_weak(seen, n, std::memory_order_relaxed)) {
    }
    Batch<u32, marks> batch(kernel, cells, marked.owning(b, e), threads == 1);
    if (u.width == IdWidth::wide)
      batch.template add_pairs<u64>(u, v, b, e);
    else
      batch.template add_pairs<u32>(u, v, b, e);
  });
  if (refused.load(std::memory_order_relaxed)) return std::nullopt;
  return vertices.load(std::memory_order_relaxed);
}

// The kernel of a plan that may unite pairs as they come; null if it needs more than the parents.
const Kernel<u32>* kernel_for_unseen(const Request& plan) {
  const auto* kernel = find_kernel<u32>(plan.link, plan.find, plan.splice);
  if (!plan.sample.empty() || plan.stage > 0 || kernel == nullptr || kernel->ranked || kernel->uses_aux) return nullptr;
  return kernel;
}

}  // namespace

template <class Id>
i64 components(const GraphView& graph, const Request& plan, Id* labels, Profile& profile) {
  return Run<Id, false>(graph, plan, labels, profile).components();
}

std::optional<FoundComponents> components_of_pairs(const IdArray& u, const IdArray& v, i64 edges, const Request& plan,
                                                   Profile& profile) {
  const auto* kernel = kernel_for_unseen(plan);
  GrowableParents parents;
  if (kernel == nullptr || !parents.there()) return std::nullopt;
  Stopwatch watch(profile);
  const auto n = unite_unseen<false>(*kernel, u, v, edges, std::max(1, plan.threads), {}, parents);
  if (!n) return std::nullopt;
  watch.lap("finish");
  FoundComponents found;
  GraphView graph;
  graph.vertices = *n;
  if (*n > 0) found.count = Run<u32, false>(graph, plan, parents.cells(), profile).number_united(*kernel);
  found.labels = parents.take(*n);
  return found;
}

template <class Id>
TreeEdges<Id> spanning_forest(const GraphView& graph, const Request& plan, Profile& profile) {
  Stopwatch watch(profile);
  const int threads = std::max(1, plan.threads);
  MarkBits bits(graph.arcs, threads);
  {
    Buffer<Id> parents(static_cast<std::size_t>(graph.vertices));
    watch.lap("marks");
    Run<Id, true>(graph, plan, parents.data(), profile, bits.marks()).unite_all();
  }
  watch.skip();
  auto edges = marked_edges<Id>(graph, bits, threads);
  watch.lap("collect");
  return edges;
}

std::optional<FoundForest> spanning_forest_of_pairs(const IdArray& u, const IdArray& v, i64 edges, const Request& plan,
                                                    Profile& profile) {
  const auto* kernel = kernel_for_unseen(plan);
  GrowableParents parents;
  if (kernel == nullptr || kernel->marking == nullptr || !parents.there()) return std::nullopt;
  Stopwatch watch(profile);
  const int threads = std::max(1, plan.threads);
  const MarkBits bits(edges, threads);
  watch.lap("marks");
  const auto n = unite_unseen<true>(*kernel, u, v, edges, threads, bits.marks(), parents);
  if (!n) return std::nullopt;
  (void)parents.take(*n);  // given back, so that the edges may lie there
  watch.lap("finish");
  GraphView graph;
  graph.vertices = *n, graph.arcs = edges, graph.a = u, graph.b = v;
  FoundForest found{*n, marked_edges<u32>(graph, bits, threads)};
  watch.lap("collect");
  return found;
}

namespace {

template <class Id, class F>
auto with_roots(Id* roots, i64 n, int threads, const F& f) {
  GraphView graph;
  graph.vertices = n;
  Request plan;
  plan.threads = threads;
  Profile profile;
  Run<Id, false> run(graph, plan, roots, profile);
  return f(run);
}

}  // namespace

template <class Id>
void roots_to_minima(Id* roots, i64 n, int threads) {
  with_roots(roots, n, threads, [](auto& run) { run.to_minima(); });
}

template <class Id>
i64 number_roots(Id* roots, i64 n, int threads) {
  return n == 0 ? 0 : with_roots(roots, n, threads, [](auto& run) { return run.number_settled(); });
}

template void roots_to_minima<u32>(u32*, i64, int);
template void roots_to_minima<u64>(u64*, i64, int);
template i64 number_roots<u32>(u32*, i64, int);
template i64 number_roots<u64>(u64*, i64, int);
template i64 components<u32>(const GraphView&, const Request&, u32*, Profile&);
template i64 components<u64>(const GraphView&, const Request&, u64*, Profile&);
template TreeEdges<u32> spanning_forest<u32>(const GraphView&, const Request&, Profile&);
template TreeEdges<u64> spanning_forest<u64>(const GraphView&, const Request&, Profile&);

}  // namespace lb::core

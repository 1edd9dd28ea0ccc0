#include "incremental.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "components.hpp"
#include "error.hpp"
#include "growable_array.hpp"
#include "precheck.hpp"
#include "stream.hpp"
#include "stream_rounds.hpp"
#include "threads.hpp"
#include "vertex_passes.hpp"

namespace lb::core {
namespace {

// Operations a thread takes at a time. A batch up to this size is not worth waking another thread for.
constexpr i64 chunk_operations = i64{1} << 13;
static_assert(cpu::batch_edges % 8 == 0 && chunk_operations % 8 == 0);

// The ids [begin, end) of any width as those of the cells, in pieces that stay in the cache: piece(u, v, from, count).
// Pieces begin at multiples of 8 from `begin`.
template <class Id, class Piece>
void for_pieces(const IdArray& u, const IdArray& v, i64 begin, i64 end, const Piece& piece) {
  const auto with = [&]<class T>() {
    const T* a = u.as<T>();
    const T* b = v.as<T>();
    if constexpr (sizeof(T) == sizeof(Id)) {
      if (u.stride == 1 && v.stride == 1) {
        piece(reinterpret_cast<const Id*>(a + begin), reinterpret_cast<const Id*>(b + begin), begin, end - begin);
        return;
      }
    }
    Id x[cpu::batch_edges], y[cpu::batch_edges];
    for (i64 from = begin; from < end; from += cpu::batch_edges) {
      const i64 some = std::min(end - from, cpu::batch_edges);
      for (i64 i = 0; i < some; ++i) {
        x[i] = static_cast<Id>(a[(from + i) * u.stride]);
        y[i] = static_cast<Id>(b[(from + i) * v.stride]);
      }
      piece(x, y, from, some);
    }
  };
  if (u.width == IdWidth::wide)
    with.template operator()<u64>();
  else
    with.template operator()<u32>();
}

// Of a batch that has begun, how many edges are sized up, and so treated alike, at a time.
constexpr i64 group_operations = i64{1} << 18;
// How many edges are looked at to size a group up: 16 times 64.
constexpr i64 places_looked_at = 16;
// Walking for an edge that links nothing takes about as long as pointing so many vertices at their roots.
constexpr i64 walk_in_vertices = 4;
static_assert(chunk_operations % 64 == 0 && group_operations % chunk_operations == 0);

// Whether all ids [begin, end) lie below `below` <= 2^63 (2^31 for 32 bits). The top bit tells, without a comparison.
bool all_below(const IdArray& ids, i64 begin, i64 end, u64 below) {
  const auto with = [&]<class T>() {
    constexpr int top = sizeof(T) * 8 - 1;
    const T last = static_cast<T>(std::min<u64>(below, u64{1} << top) - 1);
    const T* p = ids.as<T>() + begin * ids.stride;
    T beyond = 0;
    if (ids.stride == 1) {
      for (i64 i = 0; i < end - begin; ++i) beyond |= static_cast<T>(last - p[i]) | p[i];
    } else {
      for (i64 i = 0; i < end - begin; ++i) beyond |= static_cast<T>(last - p[i * ids.stride]) | p[i * ids.stride];
    }
    return beyond >> top == 0;
  };
  if (below == 0) return begin == end;
  return ids.width == IdWidth::wide ? with.template operator()<u64>() : with.template operator()<u32>();
}

i64 bits_in(const u64* words, i64 count) {
  i64 bits = 0;
  for (i64 i = 0; i < (count + 63) / 64; ++i) bits += std::popcount(words[i]);
  return bits;
}

template <class F>
void for_chunks(i64 count, int threads, const F& body) {
  if (count <= chunk_operations) {
    if (count > 0) body(i64{0}, count);
    return;
  }
  parallel_for(count, chunk_operations, threads, [&](i64 b, i64 e, int) { body(b, e); });
}

std::optional<u64> largest_of(const IdArray& u, const IdArray& v, i64 count, bool is_signed, const char* what,
                              int threads) {
  if (count <= chunk_operations) threads = 1;
  const auto a = largest_id(u, count, is_signed, what, threads);
  const auto b = largest_id(v, count, is_signed, what, threads);
  return std::max(a, b);
}

std::optional<u64> largest_inserted(const IdArray& u, const IdArray& v, const u8* is_query, i64 count) {
  std::optional<u64> most;
  for (i64 i = 0; i < count; ++i) {
    if (is_query[i] == 0) most = std::max(most, std::optional<u64>(std::max(u[i], v[i])));
  }
  return most;
}

}  // namespace

SharedMutex::SharedMutex() {
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
  pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &kind);
  pthread_rwlockattr_destroy(&kind);
}

// Leaves the gate, if it is held, at the end of a block; and proof of how it is held until then.
class Incremental::Entered {
 public:
  Entered(SharedMutex& gate, Held held) : gate_(gate), held_(held) {}
  ~Entered() {
    if (held_ != Held::nothing) gate_.leave();
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  explicit operator bool() const { return held_ != Held::nothing; }
  bool alone() const { return held_ == Held::alone; }

 private:
  SharedMutex& gate_;
  const Held held_;
};

// The cells, of either width. All ids lie below the size grown to.
class Incremental::Trees {
 public:
  virtual ~Trees() = default;
  virtual bool wide() const = 0;
  virtual bool ranked() const = 0;
  virtual bool mixes() const = 0;
  // Vertices [from, to) become singletons. Cells move only here.
  virtual void grow(i64 from, i64 to, int threads) = 0;
  // alone: nobody else is in the gate, and the caller is the only thread that works on the batch.
  virtual i64 insert(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u64 first,
                     const u64* at, bool alone) = 0;
  // Sets the bits of edges [begin, end) in open[0..], from bit 0 on, but those of edges whose ends have one parent.
  // False, with any bits, if an id is not below `below`, which is at most the number of vertices.
  virtual bool glance(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 below, u64* open) = 0;
  // Inserts the edges of [begin, end) whose bit is set.
  virtual i64 insert_open(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 first, const u64* at,
                          const u64* open, bool alone) = 0;
  // Points the vertices [begin, end) at their roots; inserts may run.
  virtual void shorten(i64 begin, i64 end) = 0;
  // A batch of `count` operations is all that is inserted at a time, from memory that is there before anything changes.
  virtual bool in_rounds() const = 0;
  virtual void prepare_rounds(i64 count, int threads) = 0;
  virtual i64 insert_in_rounds(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, u64 first,
                               const u64* at) = 0;
  virtual i64 mixed(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u64 first,
                    u8* bits) = 0;
  virtual void answer(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u8* bits) = 0;
  // roots[x] becomes the root of x.
  virtual void roots(i64 begin, i64 end, u32* roots) = 0;
  virtual void roots(i64 begin, i64 end, u64* roots) = 0;
  virtual void adopt(i64 begin, i64 end, const IdArray& roots) = 0;
  // The edge kept for x, if x is no root.
  virtual bool edge_of(i64 x, cpu::StreamEdge<u64>& edge) const = 0;
  virtual void keep_edge(i64 x, const cpu::StreamEdge<u64>& edge) = 0;
};

template <class Id>
class Incremental::TreesOf final : public Incremental::Trees {
 public:
  TreesOf(const StreamKernel<Id>& kernel, bool keep_forest) : kernel_(kernel), keep_forest_(keep_forest) {}
  TreesOf(const StreamRounds<Id>& rounds, bool keep_forest) : TreesOf(rounds.kernel, keep_forest) { rounds_ = &rounds; }
  bool wide() const override { return sizeof(Id) == sizeof(u64); }
  bool ranked() const override { return kernel_.ranked; }
  bool mixes() const override { return kernel_.mixed != nullptr; }

  void grow(i64 from, i64 to, int threads) override {
    if (kernel_.ranked)
      words_.grow(from, to);
    else
      parent_.grow(from, to);
    if (kernel_.uses_aux) aux_.grow(from, to);
    if (keep_forest_) owner_.grow(from, to);
    cells_ = {parent_.data(), words_.data(), aux_.data()};
    ready_ = to;
    parallel_for(to - from, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
      kernel_.start(cells_, from + b, from + e);
      if (keep_forest_) std::fill(owner_.data() + from + b, owner_.data() + from + e, no_edge);
    });
  }

  i64 insert(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u64 first, const u64* at,
             bool alone) override {
    i64 links = 0;
    for_pieces<Id>(u, v, begin, end, [&](const Id* a, const Id* b, i64 from, i64 count) {
      const cpu::LinkLog<Id> log{owner_.data(), first + static_cast<u64>(from), at == nullptr ? nullptr : at + from};
      links += alone && is_query == nullptr
                   ? kernel_.insert_alone(cells_, a, b, count, log)
                   : kernel_.insert(cells_, a, b, is_query == nullptr ? nullptr : is_query + from, count, log);
    });
    return links;
  }

  bool glance(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 below, u64* open) override {
    // In pieces, so that ids are in the cache when they are read again.
    for (i64 from = begin; from < end; from += cpu::batch_edges) {
      const i64 to = std::min(end, from + cpu::batch_edges);
      if (!all_below(u, from, to, below) || !all_below(v, from, to, below)) return false;
      for_pieces<Id>(u, v, from, to, [&](const Id* a, const Id* b, i64, i64 count) {
        precheck_edges(cells_.parent, a, b, count, open + (from - begin) / 64);
      });
    }
    return true;
  }

  i64 insert_open(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 first, const u64* at, const u64* open,
                  bool alone) override {
    Id a[cpu::batch_edges], b[cpu::batch_edges];
    u64 places[cpu::batch_edges];
    i64 links = 0, some = 0;
    const auto flush = [&] {
      const cpu::LinkLog<Id> log{owner_.data(), 0, places};
      links += alone ? kernel_.insert_alone(cells_, a, b, some, log) : kernel_.insert(cells_, a, b, nullptr, some, log);
      some = 0;
    };
    for (i64 base = begin; base < end; base += 64) {
      if (some + 64 > cpu::batch_edges) flush();
      for (u64 word = open[(base - begin) >> 6]; word != 0; word &= word - 1) {
        const i64 i = base + std::countr_zero(word);
        a[some] = static_cast<Id>(u[i]), b[some] = static_cast<Id>(v[i]);
        places[some++] = at == nullptr ? first + static_cast<u64>(i) : at[i];
      }
    }
    flush();
    return links;
  }

  void shorten(i64 begin, i64 end) override {
    const SharedMemory<Id> parents(cells_.parent);
    for (i64 x = begin; x < end; ++x) phase::shorten(parents, static_cast<Id>(x));
  }

  bool in_rounds() const override { return rounds_ != nullptr; }

  void prepare_rounds(i64 count, int threads) override {
    // All edges of a group are looked at until the last of them has settled: many more edges than vertices are cut up.
    const i64 most = std::min(count, std::max(ready_, smallest_cut));
    if (!group_ || group_->most() < most) group_.emplace(most, threads);
  }

  i64 insert_in_rounds(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, u64 first,
                       const u64* at) override {
    i64 links = 0;
    const Given given{u, v, first, at};
    for (i64 from = 0; from < count; from += group_->most()) {
      const i64 to = std::min(count, from + group_->most());
      links += group_->insert(*rounds_, cells_, given, is_query, from, to, keep_forest_ ? owner_.data() : nullptr);
    }
    return links;
  }

  i64 mixed(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u64 first, u8* bits) override {
    i64 links = 0;
    for_pieces<Id>(u, v, begin, end, [&](const Id* a, const Id* b, i64 from, i64 count) {
      const cpu::LinkLog<Id> log{owner_.data(), first + static_cast<u64>(from), nullptr};
      links += kernel_.mixed(cells_, a, b, is_query + from, count, log, bits + (from - begin) / 8);
    });
    return links;
  }

  void answer(const IdArray& u, const IdArray& v, const u8* is_query, i64 begin, i64 end, u8* bits) override {
    for_pieces<Id>(u, v, begin, end, [&](const Id* a, const Id* b, i64 from, i64 count) {
      kernel_.answer(cells_, a, b, is_query == nullptr ? nullptr : is_query + from, count, bits + (from - begin) / 8);
    });
  }

  void roots(i64 begin, i64 end, u32* roots) override { copy_roots(begin, end, roots); }
  void roots(i64 begin, i64 end, u64* roots) override { copy_roots(begin, end, roots); }

  void adopt(i64 begin, i64 end, const IdArray& roots) override {
    std::array<Id, cpu::batch_edges> some;
    for (i64 from = begin; from < end; from += cpu::batch_edges) {
      const i64 to = std::min(end, from + cpu::batch_edges);
      for (i64 x = from; x < to; ++x) some[static_cast<std::size_t>(x - from)] = static_cast<Id>(roots[x]);
      kernel_.adopt(cells_, from, to, some.data());
    }
  }

  bool edge_of(i64 x, cpu::StreamEdge<u64>& edge) const override {
    const auto& kept = owner_.data()[x];
    edge = {kept.position, kept.u, kept.v};
    return kept.u != no_edge.u;
  }
  void keep_edge(i64 x, const cpu::StreamEdge<u64>& edge) override {
    owner_.data()[x] = {edge.position, static_cast<Id>(edge.u), static_cast<Id>(edge.v)};
  }

 private:
  static constexpr cpu::StreamEdge<Id> no_edge{0, none<Id>, none<Id>};
  static constexpr i64 smallest_cut = i64{1} << 16;

  template <class Out>
  void copy_roots(i64 begin, i64 end, Out* out) {
    std::array<Id, cpu::batch_edges> some;
    for (i64 from = begin; from < end; from += cpu::batch_edges) {
      const i64 to = std::min(end, from + cpu::batch_edges);
      kernel_.roots(cells_, from, to, some.data());
      for (i64 x = from; x < to; ++x) out[x] = static_cast<Out>(some[static_cast<std::size_t>(x - from)]);
    }
  }

  const StreamKernel<Id>& kernel_;
  const bool keep_forest_;
  GrowableArray<Id> parent_, aux_;
  GrowableArray<u64> words_;
  GrowableArray<cpu::StreamEdge<Id>> owner_;
  Cells<Id> cells_;
  i64 ready_ = 0;
  const StreamRounds<Id>* rounds_ = nullptr;
  std::optional<RoundGroup<Id>> group_;
};

Incremental::Incremental(const std::string& link, const std::string& find, const std::string& splice, i64 vertices,
                         int threads, bool keep_forest, i64 narrow_most, std::vector<std::string> words,
                         bool alone_if_free)
    : link_(link),
      find_(find),
      splice_(splice),
      words_(std::move(words)),
      threads_(std::max(1, threads)),
      keep_forest_(keep_forest),
      narrow_most_(std::min(narrow_most, largest_narrow)),
      alone_if_free_(alone_if_free) {
  // Ranked rules keep a rank beside the parent, in words of 64 bits for any number of vertices.
  if (vertices <= narrow_most_) trees_ = make_trees<u32>();
  if (trees_ == nullptr) trees_ = make_trees<u64>();
  if (trees_ == nullptr)
    throw InputError("no stream has the rules " + link_ + "(" + find_ + (splice_.empty() ? "" : "," + splice_) + ")");
  mixed_ = trees_->mixes();
  if (keep_forest_ && !mixed_ && !trees_->in_rounds())
    throw InputError("no forest is kept beside rules that move subtrees");
  glances_ = mixed_ && !trees_->ranked();
  grow_alone(
      std::max<i64>(1, vertices));  // vertex 0 has a cell in any case: queries about unknown vertices are asked of it
  vertices_.store(vertices, std::memory_order_release);
}

Incremental::~Incremental() = default;

template <class Id>
std::unique_ptr<Incremental::Trees> Incremental::make_trees() const {
  const std::vector<std::string_view> words(words_.begin(), words_.end());
  if (const auto* rounds = find_stream_rounds<Id>(link_, words))
    return std::make_unique<TreesOf<Id>>(*rounds, keep_forest_);
  if (const auto* kernel = find_stream_kernel<Id>(link_, find_, splice_))
    return std::make_unique<TreesOf<Id>>(*kernel, keep_forest_);
  return nullptr;
}

i64 Incremental::count() const {
  // In this order: a vertex is known before a link to it is made.
  const i64 links = links_.load(std::memory_order_acquire);
  return vertices_.load(std::memory_order_acquire) - links;
}

void Incremental::grow_alone(i64 vertices) {
  const i64 from = ready_.load(std::memory_order_relaxed);
  if (vertices <= from) return;
  if (!trees_->wide() && vertices > narrow_most_) {
    auto wider = make_trees<u64>();
    wider->grow(0, vertices, threads_);
    Buffer<u64> roots(static_cast<std::size_t>(from));
    trees_->roots(0, from, roots.data());
    wider->adopt(0, from, {roots.data()});
    cpu::StreamEdge<u64> edge;
    for (i64 x = 0; keep_forest_ && x < from; ++x) {
      if (trees_->edge_of(x, edge)) wider->keep_edge(x, edge);
    }
    trees_ = std::move(wider);
  } else {
    trees_->grow(from, vertices, threads_);
  }
  ready_.store(vertices, std::memory_order_release);
}

bool Incremental::by_one(i64 count) const { return threads_ == 1 || count <= chunk_operations; }

Incremental::Held Incremental::enter(Held held, bool try_alone) {
  if (try_alone && gate_.try_enter(true)) return Held::alone;
  gate_.enter(held == Held::alone);
  return held;
}

Incremental::Held Incremental::enter_for(const std::optional<u64>& largest, Held held, Patience patience,
                                         bool try_alone) {
  if (largest && *largest >= u64{1} << 62) throw std::bad_alloc();
  const i64 wanted = largest ? static_cast<i64>(*largest) + 1 : 0;
  if (patience == Patience::none) {
    if (wanted > ready_.load(std::memory_order_acquire)) return Held::nothing;
    if (try_alone && gate_.try_enter(true)) return Held::alone;
    return gate_.try_enter(held == Held::alone) ? held : Held::nothing;
  }
  for (;;) {
    const Held entered_as = enter(held, try_alone);
    if (wanted <= ready_.load(std::memory_order_relaxed)) return entered_as;
    if (entered_as != Held::alone) {
      gate_.leave();
      gate_.enter(true);
    }
    const Entered entered(gate_, Held::alone);
    // More than is asked for: vertices often turn up one after another, and growing stops everybody.
    const i64 now = ready_.load(std::memory_order_relaxed);
    const i64 generous = std::max(wanted, now + now / 4 + 64);
    if (wanted > now) grow_alone(generous > narrow_most_ && wanted <= narrow_most_ ? wanted : generous);
  }
}

void Incremental::know(const std::optional<u64>& largest) {
  if (!largest) return;
  const i64 n = static_cast<i64>(*largest) + 1;
  i64 seen = vertices_.load(std::memory_order_relaxed);
  while (n > seen && !vertices_.compare_exchange_weak(seen, n, std::memory_order_acq_rel)) {
  }
}

// Whether a glance settles most edges of [begin, end), as far as edges at a few places show; false, too, if one of
// their ids is not below `below`. If edges that link nothing would be walked for too often, all vertices are pointed at
// their roots first.
bool Incremental::mostly_united(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 below) {
  const auto place = [&](i64 k) { return begin + (end - begin - 64) * k / places_looked_at; };
  std::array<u64, places_looked_at> open;
  const auto look = [&] {
    for (std::size_t k = 0; k < open.size(); ++k) {
      const i64 from = place(static_cast<i64>(k));
      if (!trees_->glance(u, v, from, from + 64, below, &open[k])) return false;
    }
    return true;
  };
  if (!look()) return false;
  i64 walks = 0;
  for (std::size_t k = 0; k < open.size(); ++k) {
    std::array<u8, 8> connected;
    const i64 from = place(static_cast<i64>(k));
    trees_->answer(u, v, nullptr, from, from + 64, connected.data());
    for (int i = 0; i < 64; ++i)
      walks += (open[k] >> i & 1) & (connected[static_cast<std::size_t>(i >> 3)] >> (i & 7) & 1);
  }
  const i64 n = ready_.load(std::memory_order_relaxed);
  const i64 expected = walks * (end - begin) / (64 * places_looked_at);
  if (walks_.load(std::memory_order_relaxed) + expected >= n / walk_in_vertices) {
    walks_.store(0, std::memory_order_relaxed);
    parallel_for(n, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) { trees_->shorten(b, e); });
    look();
  }
  return bits_in(open.data(), 64 * places_looked_at) < 64 * places_looked_at / 2;
}

// `walked` edges were no matter of a glance, and made `links` links.
void Incremental::note(i64 walked, i64 links) {
  walks_.fetch_add(walked - links, std::memory_order_relaxed);
  links_.fetch_add(links, std::memory_order_acq_rel);
}

// Large batches among vertices that are known, in one pass that checks the ids and, where most ends are connected
// already, glances at the edges, and one that unites what is left. False, with nothing done, if there are other ids
// among them.
bool Incremental::insert_known(const IdArray& u, const IdArray& v, i64 count, Patience patience) {
  if (!glances_ || count < group_operations || patience == Patience::none) return false;
  const Entered entered(gate_, enter(Held::shared, tries_alone(count)));
  const u64 below = std::min(static_cast<u64>(vertices()), limit_);
  const bool united = mostly_united(u, v, 0, count, below);
  Buffer<u64> open(united ? static_cast<std::size_t>((count + 63) / 64) : 0);
  std::atomic<bool> known{true};
  for_chunks(count, threads_, [&](i64 b, i64 e) {
    if (!known.load(std::memory_order_relaxed)) return;
    const bool fine = united ? trees_->glance(u, v, b, e, below, open.data() + b / 64)
                             : all_below(u, b, e, below) && all_below(v, b, e, below);
    if (!fine) known.store(false, std::memory_order_relaxed);
  });
  if (!known.load(std::memory_order_relaxed)) return false;
  const u64 first = position_.fetch_add(static_cast<u64>(count), std::memory_order_acq_rel);
  if (!united) {
    run_groups(entered, u, v, count, first, nullptr);
    return true;
  }
  const bool alone = entered.alone() && by_one(count);
  for_chunks(count, threads_, [&](i64 b, i64 e) {
    const u64* const words = open.data() + b / 64;
    note(bits_in(words, e - b), trees_->insert_open(u, v, b, e, first, nullptr, words, alone));
  });
  return true;
}

// Edges among vertices that have cells, group by group: what is a matter of a glance changes on the way.
void Incremental::run_groups(const Entered& entered, const IdArray& u, const IdArray& v, i64 count, u64 first,
                             const u64* at) {
  const u64 below = static_cast<u64>(ready_.load(std::memory_order_relaxed));
  for (i64 begin = 0; begin < count; begin += group_operations) {
    const i64 size = std::min(count - begin, group_operations);
    const bool alone = entered.alone() && by_one(size);
    const bool glancing = size >= 64 && mostly_united(u, v, begin, begin + size, below);
    for_chunks(size, threads_, [&](i64 b, i64 e) {
      const i64 from = begin + b, to = begin + e;
      i64 some = e - b, made = 0;
      std::array<u64, chunk_operations / 64> open;
      if (glancing && trees_->glance(u, v, from, to, below, open.data())) {
        some = bits_in(open.data(), e - b);
        made = trees_->insert_open(u, v, from, to, first, at, open.data(), alone);
      } else {
        made = trees_->insert(u, v, nullptr, from, to, first, at, alone);
      }
      note(some, made);
    });
  }
}

void Incremental::prepare(i64 count) {
  if (trees_->in_rounds()) trees_->prepare_rounds(count, threads_);
}

void Incremental::run_inserts(const Entered& entered, const IdArray& u, const IdArray& v, const u8* is_query, i64 count,
                              u64 first, const u64* at) {
  if (trees_->in_rounds()) {
    links_.fetch_add(trees_->insert_in_rounds(u, v, is_query, count, first, at), std::memory_order_acq_rel);
    return;
  }
  if (glances_ && is_query == nullptr && count > chunk_operations) return run_groups(entered, u, v, count, first, at);
  const bool alone = entered.alone() && by_one(count);
  for_chunks(count, threads_, [&](i64 b, i64 e) {
    links_.fetch_add(trees_->insert(u, v, is_query, b, e, first, at, alone), std::memory_order_acq_rel);
  });
}

void Incremental::make_ready(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool is_signed,
                             i64 vertices) {
  const auto all = largest_of(u, v, count, is_signed, is_query == nullptr ? "edge" : "operation", threads_);
  auto largest = is_query == nullptr ? all : largest_inserted(u, v, is_query, count);
  if (vertices > 0) largest = std::max(largest, std::optional<u64>(static_cast<u64>(vertices) - 1));
  const Entered entered(gate_, enter_for(largest, for_batches(), Patience::all));
  prepare(count);
}

bool Incremental::insert(const IdArray& u, const IdArray& v, i64 count, bool is_signed, Patience patience) {
  if (insert_known(u, v, count, patience)) return true;
  const auto largest = largest_of(u, v, count, is_signed, "edge", threads_);
  if (largest && *largest >= limit_) {
    check_range(u, count, is_signed, static_cast<i64>(limit_), "edge", threads_);
    check_range(v, count, is_signed, static_cast<i64>(limit_), "edge", threads_);
  }
  const Entered entered(gate_, enter_for(largest, for_batches(), patience, tries_alone(count)));
  if (!entered) return false;
  prepare(count);
  know(largest);
  run_inserts(entered, u, v, nullptr, count, position_.fetch_add(static_cast<u64>(count), std::memory_order_acq_rel),
              nullptr);
  return true;
}

void Incremental::insert_at(const IdArray& u, const IdArray& v, const u64* at, i64 count, u64 advance, i64 vertices) {
  auto largest = largest_of(u, v, count, false, "edge", threads_);
  if (vertices > 0) largest = std::max(largest, std::optional<u64>(static_cast<u64>(vertices) - 1));
  const Entered entered(gate_, enter_for(largest, for_batches(), Patience::all, tries_alone(count)));
  prepare(count);
  Buffer<u64> moved(static_cast<std::size_t>(at == nullptr ? 0 : count));
  know(largest);
  const u64 first = position_.fetch_add(advance, std::memory_order_acq_rel);
  if (at == nullptr) return run_inserts(entered, u, v, nullptr, count, first, nullptr);
  for (i64 i = 0; i < count; ++i) moved[static_cast<std::size_t>(i)] = first + at[i];
  run_inserts(entered, u, v, nullptr, count, 0, moved.data());
}

bool Incremental::apply(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool is_signed,
                        bool inserts_first, u8* bits, Patience patience) {
  // Nobody asks anything: inserts under another name.
  if (count >= group_operations && std::all_of(is_query, is_query + count, [](u8 q) { return q == 0; }) &&
      insert_known(u, v, count, patience)) {
    std::fill(bits, bits + (count + 7) / 8, u8{0});
    return true;
  }
  const auto largest = largest_of(u, v, count, is_signed, "operation", threads_);
  if (largest && *largest >= static_cast<u64>(ready_.load(std::memory_order_acquire))) {
    if (patience == Patience::none) return false;
    apply_masked(u, v, is_query, count, inserts_first, bits);
    return true;
  }
  const Entered entered(gate_, enter_for(std::nullopt, for_batches(), patience));
  if (!entered) return false;
  prepare(count);
  if (largest && *largest >= static_cast<u64>(vertices())) know(largest_inserted(u, v, is_query, count));
  const u64 first = position_.fetch_add(static_cast<u64>(count), std::memory_order_acq_rel);
  if (mixed_ && !inserts_first) {
    for_chunks(count, threads_, [&](i64 b, i64 e) {
      links_.fetch_add(trees_->mixed(u, v, is_query, b, e, first, bits + b / 8), std::memory_order_acq_rel);
    });
  } else {
    run_inserts(entered, u, v, is_query, count, first, nullptr);
    for_chunks(count, threads_, [&](i64 b, i64 e) { trees_->answer(u, v, is_query, b, e, bits + b / 8); });
  }
  return true;
}

// Some ids have no cell yet. The vertices of inserts get one; a query about others is replaced by one about vertex 0,
// and its answer by what it has to be.
void Incremental::apply_masked(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool inserts_first,
                               u8* bits) {
  {
    const Entered grown(gate_, enter_for(largest_inserted(u, v, is_query, count), Held::shared, Patience::all));
  }
  const u64 ready = static_cast<u64>(ready_.load(std::memory_order_acquire));
  Buffer<u64> a(static_cast<std::size_t>(count)), b(static_cast<std::size_t>(count));
  for (i64 i = 0; i < count; ++i) {
    const bool beyond = std::max(u[i], v[i]) >= ready;  // of queries alone
    a[static_cast<std::size_t>(i)] = beyond ? 0 : u[i];
    b[static_cast<std::size_t>(i)] = beyond ? 0 : v[i];
  }
  apply({a.data()}, {b.data()}, is_query, count, false, inserts_first, bits, Patience::all);
  for (i64 i = 0; i < count; ++i) {
    if (std::max(u[i], v[i]) >= ready && u[i] != v[i]) bits[i >> 3] &= static_cast<u8>(~(1u << (i & 7)));
  }
}

bool Incremental::connected(const IdArray& u, const IdArray& v, i64 count, bool is_signed, u8* answers,
                            Patience patience) {
  const auto largest = largest_of(u, v, count, is_signed, "query", threads_);
  const u64 ready = static_cast<u64>(ready_.load(std::memory_order_acquire));
  const bool all_known = !largest || *largest < ready;
  const Entered entered(gate_, enter_for(std::nullopt, Held::shared, patience));
  if (!entered) return false;
  for_chunks(count, threads_, [&](i64 begin, i64 end) {
    std::array<u8, chunk_operations / 8> bits;
    std::array<u64, cpu::batch_edges> a, b;
    const i64 step = all_known ? chunk_operations : cpu::batch_edges;
    for (i64 from = begin; from < end; from += step) {
      const i64 to = std::min(end, from + step);
      if (all_known) {
        trees_->answer(u, v, nullptr, from, to, bits.data());
      } else {
        for (i64 i = from; i < to; ++i) {
          const bool beyond = std::max(u[i], v[i]) >= ready;
          a[static_cast<std::size_t>(i - from)] = beyond ? 0 : u[i];
          b[static_cast<std::size_t>(i - from)] = beyond ? 0 : v[i];
        }
        trees_->answer({a.data()}, {b.data()}, nullptr, 0, to - from, bits.data());
      }
      for (i64 i = from; i < to; ++i) {
        const i64 k = i - from;
        u8 yes = bits[static_cast<std::size_t>(k >> 3)] >> (k & 7) & 1;
        if (!all_known && std::max(u[i], v[i]) >= ready) yes = u[i] == v[i];
        answers[i] = yes;
      }
    }
  });
  return true;
}

Incremental::Snapshot Incremental::snapshot(bool with_forest, int threads) {
  Snapshot s;
  if (threads == 0) threads = threads_;
  const Entered entered(gate_, enter_for(std::nullopt, Held::alone, Patience::all));
  s.vertices = vertices();
  s.position = position();
  s.wide = s.vertices > narrow_most_;
  const auto take = [&](auto& out) {
    out = std::remove_reference_t<decltype(out)>(static_cast<std::size_t>(s.vertices));
    parallel_for(s.vertices, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { trees_->roots(b, e, out.data()); });
    if (trees_->ranked()) roots_to_minima(out.data(), s.vertices, threads);
  };
  if (s.wide)
    take(s.broad);
  else
    take(s.narrow);
  if (!with_forest) return s;
  const auto edges = static_cast<std::size_t>(links_.load(std::memory_order_acquire));
  s.u = Buffer<u64>(edges), s.v = Buffer<u64>(edges), s.at = Buffer<u64>(edges);
  cpu::StreamEdge<u64> edge;
  std::size_t next = 0;
  for (i64 x = 0; x < s.vertices; ++x) {
    if (!trees_->edge_of(x, edge)) continue;
    s.u[next] = edge.u, s.v[next] = edge.v, s.at[next] = edge.position;
    ++next;
  }
  return s;
}

}  // namespace lb::core

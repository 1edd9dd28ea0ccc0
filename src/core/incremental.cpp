#include "incremental.hpp"

#include <utility>

#include "components.hpp"
#include "error.hpp"
#include "extremes.hpp"
#include "interrupt.hpp"
#include "vertex_passes.hpp"

namespace lb::core {

Incremental::Incremental(StreamRule rule, const StreamOptions& options)
    : rule_(std::move(rule)),
      options_([&] {
        StreamOptions o = options;
        o.threads = std::max(1, o.threads);
        o.narrow_most = std::min(o.narrow_most, StreamOptions::largest_narrow);
        return o;
      }()),
      batch_threads_(options_.threads) {
  // Ranked rules keep a rank beside the parent, in words of 64 bits for any number of vertices.
  if (options_.vertices <= options_.narrow_most) trees_ = make_trees(IdWidth::narrow);
  if (trees_ == nullptr) trees_ = make_trees(IdWidth::wide);
  if (trees_ == nullptr)
    throw InputError("no stream has the rules " + rule_.link + "(" + rule_.find +
                     (rule_.splice.empty() ? "" : "," + rule_.splice) + ")");
  mixed_ = trees_->mixes();
  if (options_.keep_forest && !mixed_ && !trees_->in_rounds())
    throw InputError("no forest is kept beside rules that move subtrees");
  prechecks_ = mixed_ && !trees_->ranked();
  grow(std::max<i64>(1, options_.vertices));  // vertex 0 has a cell in any case: it stands for vertices without one
  vertices_.store(options_.vertices, std::memory_order_release);
}

Incremental::~Incremental() = default;

i64 Incremental::count() const {
  // In this order: a vertex is counted before a link to it is made.
  const i64 links = links_.load(std::memory_order_acquire);
  return vertices_.load(std::memory_order_acquire) - links;
}

// growth --------------------------------------------------------------------------------------------------------------

std::unique_ptr<StreamTrees> Incremental::make_trees(IdWidth width) const {
  return make_stream_trees(rule_, width, options_.keep_forest, options_.climb);
}

void Incremental::grow(i64 vertices) {
  const i64 from = cells_.load(std::memory_order_relaxed);
  if (vertices <= from) return;
  const CallPart to_its_end(nullptr);
  if (trees_->width() == IdWidth::narrow && vertices > options_.narrow_most)
    widen(vertices);
  else
    trees_->grow(from, vertices, options_.threads);
  cells_.store(vertices, std::memory_order_release);
}

void Incremental::widen(i64 vertices) {
  const Range old{0, cells_.load(std::memory_order_relaxed)};
  auto wider = make_trees(IdWidth::wide);
  wider->grow(0, vertices, options_.threads);
  Buffer<u64> roots(static_cast<std::size_t>(old.size()));
  trees_->roots(old, roots.data());
  wider->load_roots(old, {roots.data()});
  cpu::StreamEdge<u64> edge;
  for (i64 x = 0; options_.keep_forest && x < old.end; ++x) {
    if (trees_->link_edge(x, edge)) wider->set_link_edge(x, edge);
  }
  trees_ = std::move(wider);
}

void Incremental::raise_vertices(const std::optional<u64>& largest) {
  if (!largest) return;
  const i64 n = std::min(static_cast<i64>(*largest) + 1, cells_.load(std::memory_order_relaxed));
  raise_to(vertices_, n, std::memory_order_acq_rel);
}

void Incremental::reserve(i64 count) {
  if (trees_->in_rounds()) trees_->reserve_rounds(count, options_.threads);
}

// admission -----------------------------------------------------------------------------------------------------------

Access Incremental::acquire_waiting(Access access, bool try_exclusive) {
  whole_.require_unforked();  // or a batch may be half done though no call had access when the process forked
  if (try_exclusive && mutex_.try_lock(true)) return Access::exclusive;
  const bool waits = !SharedMutex::tries_wake_others() || !mutex_.try_lock(access == Access::exclusive);
  if (waits || try_exclusive) meet_others();
  if (waits) mutex_.lock(access == Access::exclusive);
  return access;
}

Access Incremental::acquire(const std::optional<u64>& largest, Access access, Wait wait, bool try_exclusive) {
  if (largest && *largest >= u64{1} << 62) throw std::bad_alloc();
  const i64 needed = largest ? static_cast<i64>(*largest) + 1 : 0;
  if (wait == Wait::never) {
    whole_.require_unforked();
    if (needed > cells_.load(std::memory_order_acquire)) return Access::none;
    if (try_exclusive && mutex_.try_lock(true)) return Access::exclusive;
    const bool waits = !mutex_.try_lock(access == Access::exclusive);
    if (waits || try_exclusive) meet_others();
    return waits ? Access::none : access;
  }
  for (;;) {
    const Access acquired = acquire_waiting(access, try_exclusive);
    if (needed <= cells_.load(std::memory_order_relaxed)) return acquired;
    if (acquired != Access::exclusive) {
      mutex_.unlock();
      mutex_.lock(true);
    }
    const Admission admission(mutex_, Access::exclusive);
    // More than is needed: vertices often turn up one after another, and all calls wait for growth.
    const i64 now = cells_.load(std::memory_order_relaxed);
    const i64 generous = std::max(needed, now + now / 4 + 64);
    if (needed > now) grow(generous > options_.narrow_most && needed <= options_.narrow_most ? needed : generous);
  }
}

Admission Incremental::admit(const std::optional<u64>& largest, Access access, Wait wait, bool try_exclusive) {
  return Admission(mutex_, acquire(largest, access, wait, try_exclusive));
}

void Incremental::prepare(const Operations& batch, i64 vertices) {
  const char* const what = batch.is_query == nullptr ? "edge" : "operation";
  auto largest = largest_of(batch, what, options_.threads);
  // Only where a query may name a vertex without a cell it matters which operations are queries.
  const u64 cells = static_cast<u64>(cells_.load(std::memory_order_acquire));
  if (batch.is_query != nullptr && largest && *largest >= cells) largest = largest_inserted(batch, *largest);
  if (vertices > 0) largest = std::max(largest, std::optional<u64>(static_cast<u64>(vertices) - 1));
  const Admission admission = admit(largest, access_of_batches(), Wait::allowed);
  reserve(batch.count);
}

// snapshots -----------------------------------------------------------------------------------------------------------

// A time at which no batch is under way, nor a part of one.
class Incremental::Moment {
 public:
  explicit Moment(Incremental& stream)
      : no_batch_((stream.whole_.lock(true), stream.whole_), Access::exclusive),
        admission_(stream.admit(std::nullopt, Access::exclusive, Wait::allowed)) {}

 private:
  const Admission no_batch_, admission_;
};

// Writes copy(range, array) of all vertices into an array.
template <class Copy>
void Incremental::copy_vertices(Snapshot& s, int threads, const Copy& copy) {
  s.vertices = vertices();
  s.position = position();
  s.width = s.vertices > options_.narrow_most ? IdWidth::wide : IdWidth::narrow;
  if (threads == 0) threads = options_.threads;
  if (s.vertices <= shared_vertices) threads = 1;
  const auto copy_to = [&](auto& out) {
    out = std::remove_reference_t<decltype(out)>(static_cast<std::size_t>(s.vertices));
    parallel_for(s.vertices, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { copy(Range{b, e}, out.data()); });
    if (trees_->ranked()) roots_to_minima(out.data(), s.vertices, threads);
  };
  if (s.width == IdWidth::wide)
    copy_to(s.broad);
  else
    copy_to(s.narrow);
}

Incremental::Snapshot Incremental::snapshot(bool with_forest, int threads) {
  Snapshot s;
  const Moment moment(*this);
  copy_vertices(s, threads, [&](Range range, auto* out) { trees_->roots(range, out); });
  if (!with_forest) return s;
  const auto edges = static_cast<std::size_t>(links_.load(std::memory_order_acquire));
  s.u = Buffer<u64>(edges), s.v = Buffer<u64>(edges), s.at = Buffer<u64>(edges);
  cpu::StreamEdge<u64> edge;
  std::size_t next = 0;
  in_blocks(i64{0}, s.vertices, i64{1} << 16, [&](i64 b, i64 e) {
    for (i64 x = b; x < e; ++x) {
      if (!trees_->link_edge(x, edge)) continue;
      s.u[next] = edge.u, s.v[next] = edge.v, s.at[next] = edge.position;
      ++next;
    }
  });
  return s;
}

bool Incremental::copy_parents(Snapshot& parents, int threads) {
  const Moment moment(*this);
  if (trees_->ranked() || trees_->in_rounds()) return false;
  copy_vertices(parents, threads, [&](Range range, auto* out) { trees_->parents(range, out); });
  return true;
}

bool Incremental::take_parents(Snapshot& parents) {
  const Moment moment(*this);
  if (trees_->ranked() || trees_->in_rounds()) return false;
  auto empty = make_trees(trees_->width());
  empty->grow(0, 1, options_.threads);
  parents.vertices = vertices();
  parents.position = position();
  parents.width = trees_->width();
  // What fails from here on leaves a stream without vertices.
  const auto trees = std::exchange(trees_, std::move(empty));
  for (auto* const counted : {&links_, &vertices_, &inserted_, &marked_, &walked_in_vain_})
    counted->store(0, std::memory_order_release);
  shortening_.begin_anew();
  cells_.store(1, std::memory_order_release);
  if (parents.width == IdWidth::wide)
    trees->take_parents(parents.vertices, parents.broad);
  else
    trees->take_parents(parents.vertices, parents.narrow);
  return true;
}

}  // namespace lb::core

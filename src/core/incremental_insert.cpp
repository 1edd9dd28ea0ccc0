// Batches of inserts: whole, or in groups of which a pre-check drops most edges.
#include <array>
#include <mutex>

#include "error.hpp"
#include "incremental.hpp"
#include "interrupt.hpp"
#include "largest_tree.hpp"
#include "stopwatch.hpp"

namespace lb::core {
namespace {

// A sample of a group are the 64 edges at each of so many places.
constexpr i64 sampled_places = 16;
constexpr i64 sampled_edges = 64 * sampled_places;

// A group of several threads behind so many edges of the stream: long, so that waking them is a small part of its time,
// but no longer than what comes before, as most edges may be dropped behind that.
i64 longest_group(u64 before) {
  return std::clamp(static_cast<i64>(std::min<u64>(before, part_operations)), group_operations, part_operations);
}

Range sampled(Range range, std::size_t place) {
  const i64 from = range.begin + (range.size() - 64) * static_cast<i64>(place) / sampled_places;
  return {from, from + 64};
}

}  // namespace

bool Incremental::fit_one_cache(i64 n) const {
  return n <= options_.narrow_most ? !LargestTree<u32>::pays(n) : !LargestTree<u64>::pays(n);
}

int Incremental::threads_for(const Operations& batch, Range range) const {
  if (options_.threads == 1 || range.size() <= chunk_operations) return 1;
  const i64 so_far = static_cast<i64>(position_.load(std::memory_order_relaxed));
  if (std::max(so_far, range.size()) <= small_stream) return 1;
  if (range.size() > group_operations) return options_.threads;
  // Threads that take neighbouring edges meet in the same cells only if these lie all over. These ids may be none of
  // vertices yet, or of any.
  const auto [larger, smaller] =
      cpu::spans_of_few(batch.u, batch.v, range.begin, std::min(range.size(), chunk_operations));
  const u64 low = smaller.low, high = larger.high;
  if (high >= u64{1} << 31) return options_.threads;
  const i64 known = vertices(), n = std::max(known, static_cast<i64>(high) + 1);
  const bool few_cells = n <= options_.narrow_most ? nearly_cached<u32>(n) : nearly_cached<u64>(n);
  if (few_cells && options_.threads == 2 && std::max(so_far, batch.count) <= ThreadChoice::few_for_two) return 1;
  const i64 trees = count() + n - known;
  if (2 * trees < range.size() || !fit_one_cache(n)) return options_.threads;
  return high - low > static_cast<u64>(n / (2 * options_.threads)) ? 1 : options_.threads;
}

bool Incremental::tries_exclusive(const Operations& batch) {
  if (batch.is_query != nullptr || threads_for(batch, {0, batch.count}) > 1) return false;
  return options_.bulk || (batch.count <= chunk_operations && tries_exclusive());
}

bool Incremental::tries_exclusive() {
  if (!mixed_ || !SharedMutex::tries_wake_others()) return false;
  const int left = alone_in_.load(std::memory_order_relaxed);
  if (left > 0) alone_in_.store(left - 1, std::memory_order_relaxed);
  return left == 0;
}

template <class Piece>
void Incremental::in_turn(Admission& admission, int threads, const Piece& insert_piece) {
  const bool tries = threads == 1 && !admission.exclusive() && tries_exclusive();
  if (tries) admission.renew([&] { return acquire_waiting(Access::shared, true); });
  insert_piece(threads == 1 && admission.exclusive());
  if (tries && admission.exclusive()) admission.renew([&] { return acquire_waiting(Access::shared, false); });
}

Admission Incremental::whole(const Operations& batch) {
  const bool large = mixed_ && batch.is_query == nullptr && batch.count > chunk_operations;
  if (large) whole_.lock(false);
  return Admission(whole_, large ? Access::shared : Access::none);
}

void Incremental::shorten_paths(i64 n) {
  const int threads = n <= shared_vertices ? 1 : options_.threads;
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) { trees_->shorten({b, e}); });
  shortening_.begin_anew();
}

// Whether the pre-check drops most edges of a range, as far as a sample shows; false, too, if an id of the sample is
// not below `bound`. Where that saves more time than it takes, the paths of all vertices are shortened first.
bool Incremental::precheck_pays(const Operations& batch, Range range, u64 bound) {
  std::array<u64, sampled_places> remaining;
  const auto precheck_sample = [&] {
    for (std::size_t k = 0; k < remaining.size(); ++k) {
      if (!trees_->precheck(batch, sampled(range, k), bound, &remaining[k])) return false;
    }
    return true;
  };
  const auto drops_most = [&] { return bits_in(remaining.data(), sampled_edges) < sampled_edges / 2; };
  if (!precheck_sample()) return false;
  i64 walks = 0;
  for (std::size_t k = 0; k < remaining.size(); ++k) {
    std::array<u8, 8> connected;
    trees_->answer(batch, sampled(range, k), connected.data());
    for (int i = 0; i < 64; ++i)
      walks += (remaining[k] >> i & 1) & (connected[static_cast<std::size_t>(i >> 3)] >> (i & 7) & 1);
  }
  const i64 n = cells_.load(std::memory_order_relaxed);
  if (walks > 0 && shortening_.pays(n, range.size(), static_cast<double>(walks) / sampled_edges, drops_most())) {
    shorten_paths(n);
    precheck_sample();
  }
  return drops_most();
}

// Counts edges of a large batch. The largest tree is marked once there have been a few edges for each vertex, and again
// when there are twice as many, if since then as much time went into edges of one tree as marking takes.
void Incremental::mark_after(i64 edges) {
  if (!options_.skip_tree) return;
  const i64 n = vertices();  // cells made in advance are trees of their own
  const i64 inserted = inserted_.fetch_add(edges, std::memory_order_relaxed) + edges;
  i64 marked = marked_.load(std::memory_order_relaxed);
  if (inserted < std::max(sifts_from * n, 2 * marked)) return;
  const i64 in_vain = trees_->compared_in_vain() + walked_in_vain_.load(std::memory_order_relaxed);
  if (in_vain < trees_->comparisons_for_a_set(n)) return;
  // Of several callers that come here, one marks.
  if (!marked_.compare_exchange_strong(marked, inserted, std::memory_order_relaxed)) return;
  walked_in_vain_.store(0, std::memory_order_relaxed);
  if (!trees_->has_largest_tree(n)) return;
  sets_.fetch_add(1, std::memory_order_relaxed);
  shorten_paths(n);
  trees_->mark_largest_tree(n, options_.threads);
}

bool Incremental::precheck(const Operations& batch, Range chunk, u64 bound, u64* remaining, EdgeTimes& times) {
  const double began = measured_ns();
  if (!trees_->precheck(batch, chunk, bound, remaining)) return false;
  times.compare_ns.fetch_add(static_cast<i64>(measured_ns() - began), std::memory_order_relaxed);
  times.compared.fetch_add(chunk.size(), std::memory_order_relaxed);
  return true;
}

void Incremental::insert_chunk(const Operations& batch, Range chunk, const Positions& positions, const u64* remaining,
                               bool exclusive, EdgeTimes& times) {
  const double began = measured_ns();
  const i64 walked = remaining == nullptr ? chunk.size() : bits_in(remaining, chunk.size());
  const i64 links = remaining == nullptr ? trees_->insert(batch, chunk, positions, exclusive)
                                         : trees_->insert_remaining(batch, chunk, positions, remaining, exclusive);
  times.walk_ns.fetch_add(static_cast<i64>(measured_ns() - began), std::memory_order_relaxed);
  times.walked.fetch_add(walked, std::memory_order_relaxed);
  times.in_vain.fetch_add(walked - links, std::memory_order_relaxed);
  walked_in_vain_.fetch_add(walked - links, std::memory_order_relaxed);
  links_.fetch_add(links, std::memory_order_acq_rel);
}

template <class Part>
bool Incremental::in_parts(i64 count, i64* done, const Part& insert_part) {
  Call* const call = Call::current();
  const i64 most = most_of_part();
  for (i64 begin = 0; begin < count; begin += most) {
    if (begin > 0 && call != nullptr) call->check(true);
    const Range part{begin, std::min(count, begin + most)};
    const CallPart to_its_end(nullptr);
    const u64 first = position_.fetch_add(static_cast<u64>(part.size()), std::memory_order_acq_rel);
    if (!insert_part(part, Positions{first - static_cast<u64>(begin)})) {
      position_.fetch_sub(static_cast<u64>(part.end), std::memory_order_acq_rel);
      if (done != nullptr) *done = 0;
      return false;
    }
    if (done != nullptr) *done = part.end;
  }
  return true;
}

// A large batch whose ids are all below the number of vertices: one pass checks the ids and, where that pays, prechecks
// the edges; a second one unites what remains. Where a batch may be inserted in part, one pass does both, unless
// several threads precheck it. Returns false, and has done nothing that may not be done again, if there are other ids
// in it.
bool Incremental::insert_below_count(const Operations& batch, Wait wait, i64* done) {
  const i64 count = batch.count;
  const bool in_one_pass = options_.bulk && !options_.keep_forest;
  if (!prechecks_ || count < (in_one_pass ? chunk_operations + 1 : group_operations) || wait == Wait::never)
    return false;
  const Admission to_its_end = whole(batch);
  Admission admission(mutex_, acquire_waiting(Access::shared, options_.threads == 1 && tries_exclusive(batch)));
  const u64 bound = std::min(static_cast<u64>(vertices()), refused_from_);
  if (in_one_pass && options_.threads == 1) return insert_checking(admission, batch, bound, done);
  bool prechecked = count >= group_operations && precheck_pays(batch, {0, count}, bound);
  if (in_one_pass && !prechecked) return insert_checking(admission, batch, bound, done);
  Buffer<u64> remaining;
  try {
    if (prechecked) remaining = Buffer<u64>(static_cast<std::size_t>((count + 63) / 64));
  } catch (const std::bad_alloc&) {  // the call may be the rest of one that a signal has interrupted: it needs no room
    prechecked = false;
  }
  EdgeTimes times;
  std::atomic<bool> below{true};
  for_chunks(count, options_.threads, [&](Range chunk) {
    if (!below.load(std::memory_order_relaxed)) return;
    const bool fits = prechecked ? precheck(batch, chunk, bound, remaining.data() + chunk.begin / 64, times)
                                 : all_below(batch, chunk, bound);
    if (!fits) below.store(false, std::memory_order_relaxed);
  });
  if (!below.load(std::memory_order_relaxed)) return false;
  in_parts(count, done, [&](Range part, const Positions& positions) {
    if (!prechecked) return insert_groups(admission, batch, part, positions);
    mark_after(part.size());
    const i64 most = options_.threads == 1 ? group_operations : part.size();
    for (i64 begin = part.begin; begin < part.end; begin += most) {
      const i64 size = std::min(most, part.end - begin);
      in_turn(admission, options_.threads, [&](bool exclusive) {
        for_chunks(size, options_.threads, [&](Range some) {
          const Range chunk{begin + some.begin, begin + some.end};
          insert_chunk(batch, chunk, positions, remaining.data() + chunk.begin / 64, exclusive, times);
        });
      });
    }
    return true;
  });
  if (prechecked) shortening_.add(times);
  return true;
}

bool Incremental::insert_checking(Admission& admission, const Operations& batch, u64 bound, i64* done) {
  // A few edges show where vertices turn up on the way, the last one where they do so in order.
  constexpr i64 few = 16;
  for (i64 k = 1; k <= few; ++k) {
    const i64 end = std::max<i64>(1, batch.count * k / few);
    if (!all_below(batch, {end - 1, end}, bound)) return false;
  }
  return in_parts(batch.count, done, [&](Range part, const Positions& positions) {
    return insert_groups(admission, batch, part, positions, bound);
  });
}

// Edges among vertices that have cells, group by group: whether the pre-check pays changes on the way.
bool Incremental::insert_groups(Admission& admission, const Operations& batch, Range range, const Positions& positions,
                                std::optional<u64> checked) {
  const u64 bound = checked.value_or(static_cast<u64>(cells_.load(std::memory_order_relaxed)));
  std::atomic<bool> below{true};
  for (i64 begin = range.begin, end = begin; begin < range.end; begin = end) {
    end = std::min(range.end, begin + group_operations);
    const int most = threads_for(batch, {begin, end});
    if (most > 1) end = std::min(range.end, begin + longest_group(positions(begin)));
    const Range group{begin, end};
    if (prechecks_) mark_after(group.size());
    const bool prechecked = prechecks_ && group.size() >= 64 && precheck_pays(batch, group, bound);
    EdgeTimes times;
    const auto insert_next = [&](Range chunk, bool exclusive) {
      if (!below.load(std::memory_order_relaxed)) return;
      std::array<u64, chunk_operations / 64> remaining;
      const bool known = prechecked && precheck(batch, chunk, bound, remaining.data(), times);
      if (!known && checked && !all_below(batch, chunk, bound)) {
        below.store(false, std::memory_order_relaxed);
        return;
      }
      insert_chunk(batch, chunk, positions, known ? remaining.data() : nullptr, exclusive, times);
    };
    for (i64 from = group.begin; from < group.end;) {
      BatchThreads::Stretch stretch(batch_threads_, most, group.end - from, group_operations);
      std::mutex of_refused;
      in_turn(admission, stretch.threads, [&](bool exclusive) {
        stretch.unite([&] {
          for_chunks(stretch.size, stretch.threads, [&](Range part) {
            const Range chunk{from + part.begin, from + part.end};
            std::unique_lock lock(of_refused, std::defer_lock);
            const bool admitted = stretch.admits(chunk.size());
            if (!admitted) lock.lock();
            insert_next(chunk, exclusive);
            if (admitted) stretch.end_part();
          });
        });
      });
      if (!below.load(std::memory_order_relaxed)) {
        stretch.drop_time();
        return false;
      }
      from += stretch.size;
    }
    shortening_.add(times);
  }
  return true;
}

void Incremental::run_inserts(Admission& admission, const Operations& batch, const Positions& positions) {
  if (trees_->in_rounds()) {
    links_.fetch_add(trees_->insert_in_rounds(batch, positions), std::memory_order_acq_rel);
    return;
  }
  if (mixed_ && batch.is_query == nullptr && batch.count > chunk_operations) {
    insert_groups(admission, batch, {0, batch.count}, positions);
    return;
  }
  const int threads = threads_for(batch, {0, batch.count});
  const bool exclusive = admission.exclusive() && threads == 1;
  for_chunks(batch.count, threads, [&](Range chunk) {
    links_.fetch_add(trees_->insert(batch, chunk, positions, exclusive), std::memory_order_acq_rel);
  });
}

bool Incremental::insert(const Operations& batch, Wait wait, i64* done) {
  if (wait == Wait::never && batch.count > chunk_operations) return false;
  if (insert_below_count(batch, wait, done)) return true;
  const auto largest = largest_of(batch, "edge", options_.threads);
  if (largest && *largest >= refused_from_ && refused_from_ != none_refused) {
    const i64 n = static_cast<i64>(refused_from_);
    check_range(batch.u, batch.count, batch.is_signed, n, "edge", options_.threads);
    check_range(batch.v, batch.count, batch.is_signed, n, "edge", options_.threads);
  }
  const Admission to_its_end = whole(batch);
  Admission admission = admit(largest, access_of_batches(), wait, tries_exclusive(batch));
  if (!admission) return false;
  reserve(std::min(batch.count, most_of_part()));
  in_parts(batch.count, done, [&](Range range, const Positions& positions) {
    Operations part = from(batch, range.begin);
    part.count = range.size();
    raise_vertices(part.count == batch.count ? largest : largest_of(part, "edge", options_.threads));
    run_inserts(admission, part, {positions.first + static_cast<u64>(range.begin)});
    return true;
  });
  return true;
}

void Incremental::insert_at(const Operations& batch, const u64* at, u64 advance, i64 vertices) {
  auto largest = largest_of(batch, "edge", options_.threads);
  if (vertices > 0) largest = std::max(largest, std::optional<u64>(static_cast<u64>(vertices) - 1));
  const Admission to_its_end = whole(batch);
  Admission admission = admit(largest, access_of_batches(), Wait::allowed, tries_exclusive(batch));
  reserve(batch.count);
  Buffer<u64> moved(static_cast<std::size_t>(at == nullptr ? 0 : batch.count));
  raise_vertices(largest);
  const u64 first = position_.fetch_add(advance, std::memory_order_acq_rel);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = first + at[i];
  run_inserts(admission, batch, at == nullptr ? Positions{first} : Positions{0, moved.data()});
}

}  // namespace lb::core

// Coordinated scheduling (Schd) on CPU threads.
#include <algorithm>
#include <utility>
#include <vector>

#include "fresh_pages.hpp"
#include "interrupt.hpp"
#include "landbridge/phase/graft.hpp"
#include "thread_executor.hpp"
#include "vertex_passes.hpp"

namespace lb::core::standalone {
namespace {

// An access to the cell of `at`, on behalf of `other`.
template <class Id>
struct CellAccess {
  Id at, other;
};

// Vertices whose cells fit the second-level cache of a core.
constexpr int block_bits = 15;

// Accesses in buckets by blocks of cells. In a pass over them one thread has a block, so all accesses to it hit a cache
// and none needs to be atomic.
template <class Id>
class AccessBlocks {
 public:
  AccessBlocks(i64 vertices, i64 accesses, int threads)
      : blocks_((vertices >> block_bits) + 1),
        threads_(threads),
        now_(static_cast<std::size_t>(accesses)),
        next_(static_cast<std::size_t>(accesses)),
        starts_(static_cast<std::size_t>(blocks_ + 1), 0) {
    touch_pages(now_.data(), accesses, threads);
    touch_pages(next_.data(), accesses, threads);
  }

  i64 size() const { return starts_.back(); }

  // The accesses make(i) for i in [0, count), without those whose endpoints are equal.
  template <class Make>
  void fill(i64 count, const Make& make) {
    std::vector<i64> place(static_cast<std::size_t>(threads_ * blocks_), 0);
    const auto shares = [&](const auto& body) {
      parallel(threads_, [&](int w) {
        i64* const own = place.data() + w * blocks_;
        in_blocks(count * w / threads_, count * (w + 1) / threads_, i64{1} << 16, [&](i64 b, i64 e) {
          for (i64 i = b; i < e; ++i) {
            const CellAccess<Id> r = make(i);
            if (r.at != r.other) body(own[r.at >> block_bits], r);
          }
        });
      });
    };
    shares([](i64& count_of, const CellAccess<Id>&) { ++count_of; });
    i64 sum = 0;
    for (i64 k = 0; k < blocks_; ++k) {
      starts_[static_cast<std::size_t>(k)] = sum;
      for (int w = 0; w < threads_; ++w) sum += std::exchange(place[static_cast<std::size_t>(w * blocks_ + k)], sum);
    }
    starts_.back() = sum;
    shares([&](i64& at, const CellAccess<Id>& r) { next_[static_cast<std::size_t>(at++)] = r; });
    std::swap(now_, next_);
  }
  // The same from change(access) for the accesses of the last pass.
  template <class Change>
  void refill(const Change& change) {
    fill(size(), [&](i64 i) { return change(now_[static_cast<std::size_t>(i)]); });
  }
  // access(a) for each of them, by the thread that has its block.
  template <class Access>
  void for_each(const Access& access) {
    parallel_for(blocks_, 1, threads_, [&](i64 b, i64 e, int) {
      const i64 begin = starts_[static_cast<std::size_t>(b)], end = starts_[static_cast<std::size_t>(e)];
      in_blocks(begin, end, i64{1} << 16, [&](i64 first, i64 last) {
        for (i64 i = first; i < last; ++i) access(now_[static_cast<std::size_t>(i)]);
      });
    });
  }

 private:
  i64 blocks_;
  int threads_;
  Buffer<CellAccess<Id>> now_, next_;
  std::vector<i64> starts_;
};

}  // namespace

// Coordinated scheduling. Cong & Muzio 2014 name it and describe nothing but its idea, so this is our design: the
// rounds of CC-updt, in which accesses to parents are sorted by blocks of parents before they are made.
template <class Id>
StandaloneResult schd(const StandaloneRun<Id>& run) {
  using Access = CellAccess<Id>;
  const Endpoints<Id> endpoints(run.graph, run.threads, true);
  const SerialMemory<Id> parent(run.parent);  // a block is one thread's between two barriers
  const SharedMemory<Id> shared(run.parent);
  AccessBlocks<Id> accesses(run.graph.vertices, run.graph.arcs, run.threads);
  accesses.fill(run.graph.arcs, [&](i64 e) { return Access{endpoints.u(e), endpoints.v(e)}; });
  while (accesses.size() > 0) {
    // Both endpoints become roots, each in its own pass; then the larger is accessed, to be hung below the smaller.
    accesses.for_each([&](Access& a) { a.at = parent.load(a.at); });
    accesses.refill([](const Access& a) { return Access{a.other, a.at}; });
    accesses.for_each([&](Access& a) { a.at = parent.load(a.at); });
    accesses.refill([](const Access& a) { return a.at < a.other ? Access{a.other, a.at} : a; });
    accesses.for_each([&](const Access& a) { parent.fetch_min(a.at, a.other); });
    for_each_vertex<Id>(run.graph.vertices, run.threads, [&](Id x) { phase::climb(shared, x); });
  }
  return {.flat = true, .smallest = true};
}

#define LB_INSTANTIATE(Id) LB_STANDALONE_OF(schd, Id)
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core::standalone

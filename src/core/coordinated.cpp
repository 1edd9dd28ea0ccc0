// Coordinated scheduling (Schd) on CPU threads.
#include <algorithm>
#include <utility>
#include <vector>

#include "landbridge/phase/graft.hpp"
#include "thread_executor.hpp"

namespace lb::core::standalone {
namespace {

template <class F>
void each_vertex(i64 n, int threads, const F& body) {
  parallel_for(n, cpu::chunk_vertices, threads, [&](i64 b, i64 e, int) {
    for (i64 v = b; v < e; ++v) body(v);
  });
}

// A request: the cell of `at`, for the sake of `other`.
template <class Id>
struct Request {
  Id at, other;
};

// Vertices whose cells fit the second-level cache of a core.
constexpr int block_bits = 15;

// Requests in buckets by the block of cells they ask for. In a pass over them a block is in the hands of one thread, so
// all accesses to it hit a cache and none needs to be atomic.
template <class Id>
class Schedule {
 public:
  Schedule(i64 vertices, i64 requests, int threads)
      : blocks_((vertices >> block_bits) + 1),
        threads_(threads),
        now_(static_cast<std::size_t>(requests)),
        next_(static_cast<std::size_t>(requests)),
        starts_(static_cast<std::size_t>(blocks_ + 1), 0) {}

  i64 size() const { return starts_.back(); }

  // The requests make(i) for i in [0, count), without those whose ends are equal.
  template <class Make>
  void fill(i64 count, const Make& make) {
    std::vector<i64> place(static_cast<std::size_t>(threads_ * blocks_), 0);
    const auto shares = [&](const auto& body) {
      parallel(threads_, [&](int w) {
        i64* const mine = place.data() + w * blocks_;
        for (i64 i = count * w / threads_; i < count * (w + 1) / threads_; ++i) {
          const Request<Id> r = make(i);
          if (r.at != r.other) body(mine[r.at >> block_bits], r);
        }
      });
    };
    shares([](i64& counted, const Request<Id>&) { ++counted; });
    i64 sum = 0;
    for (i64 k = 0; k < blocks_; ++k) {
      starts_[static_cast<std::size_t>(k)] = sum;
      for (int w = 0; w < threads_; ++w) sum += std::exchange(place[static_cast<std::size_t>(w * blocks_ + k)], sum);
    }
    starts_.back() = sum;
    shares([&](i64& at, const Request<Id>& r) { next_[static_cast<std::size_t>(at++)] = r; });
    std::swap(now_, next_);
  }
  // The same from the requests that are there.
  template <class Turn>
  void turn(const Turn& turn) {
    fill(size(), [&](i64 i) { return turn(now_[static_cast<std::size_t>(i)]); });
  }
  // Each request by the thread that has its block.
  template <class Serve>
  void serve(const Serve& serve) {
    parallel_for(blocks_, 1, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = starts_[static_cast<std::size_t>(b)]; i < starts_[static_cast<std::size_t>(e)]; ++i) {
        serve(now_[static_cast<std::size_t>(i)]);
      }
    });
  }

 private:
  i64 blocks_;
  int threads_;
  Buffer<Request<Id>> now_, next_;
  std::vector<i64> starts_;
};

}  // namespace

// Coordinated scheduling. Cong & Muzio 2014 name it and describe nothing but its idea, so this is our design: the
// rounds of CC-updt, in which every access to a parent is a request, and requests are sorted by blocks of parents
// before they are served.
template <class Id>
StandaloneResult schd(const StandaloneRun<Id>& run) {
  const Ends<Id> ends(run.graph, run.threads);
  const Id* const u = ends.u();
  const Id* const v = ends.v();
  const SerialMemory<Id> parent(run.parent);  // a block is one thread's between two barriers
  const SharedMemory<Id> shared(run.parent);
  Schedule<Id> requests(run.graph.vertices, run.graph.arcs, run.threads);
  requests.fill(run.graph.arcs, [&](i64 e) { return Request<Id>{u[e], v[e]}; });
  const auto turned = [](const Request<Id>& r) { return Request<Id>{r.other, r.at}; };
  while (requests.size() > 0) {
    // Both ends become roots, each in its own pass; then the larger is asked for, to be hung below the smaller.
    for (int side = 0; side < 2; ++side) {
      requests.serve([&](Request<Id>& r) { r.at = parent.load(r.at); });
      if (side == 0) requests.turn(turned);
    }
    requests.turn([](const Request<Id>& r) { return r.at < r.other ? Request<Id>{r.other, r.at} : r; });
    requests.serve([&](const Request<Id>& r) { parent.fetch_min(r.at, r.other); });
    each_vertex(run.graph.vertices, run.threads, [&](i64 x) { phase::climb(shared, static_cast<Id>(x)); });
  }
  return {.settled = true, .smallest = true};
}

#define LB_INSTANTIATE(name)                                      \
  template StandaloneResult name<u32>(const StandaloneRun<u32>&); \
  template StandaloneResult name<u64>(const StandaloneRun<u64>&);
LB_INSTANTIATE(schd)
#undef LB_INSTANTIATE

}  // namespace lb::core::standalone

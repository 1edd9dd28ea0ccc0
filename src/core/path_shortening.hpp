// When a stream shortens the paths of all vertices, so that a comparison of parents shows edges that link nothing.
#pragma once
#include <atomic>

#include "landbridge/platform.hpp"

namespace lb::core {

// What became of some edges, and the nanoseconds that threads took for it. Any number of threads may add to it.
struct EdgeTimes {
  std::atomic<i64> walked{0}, in_vain{0};  // edges for which paths were walked, and those of them that linked nothing
  std::atomic<i64> compared{0};            // edges whose parents were compared
  std::atomic<i64> walk_ns{0}, compare_ns{0};
};

// Paths are shortened once there have been many walks for edges that link nothing, if parents are compared anyway, or
// if such walks take longer than comparing the parents of all edges: where the cells of walks lie near each other they
// do not. Calls at the same time may lose each other's times: that moves a shortening, and no answer.
class PathShortening {
 public:
  void add(const EdgeTimes& edges) {
    const auto learn = [](const std::atomic<i64>& ns, const std::atomic<i64>& number, std::atomic<double>& each) {
      const auto all = static_cast<double>(ns.load(std::memory_order_relaxed));
      const i64 count = number.load(std::memory_order_relaxed);
      if (count > 0) each.store(all / static_cast<double>(count), std::memory_order_relaxed);
    };
    learn(edges.walk_ns, edges.walked, walk_ns_);
    learn(edges.compare_ns, edges.compared, compare_ns_);
    walks_.fetch_add(edges.in_vain.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  // Whether it is time before so many edges, of which a share is walked for in vain. compares: parents are compared.
  bool pays(i64 vertices, i64 edges, double in_vain, bool compares) const {
    const double walks = static_cast<double>(walks_.load(std::memory_order_relaxed));
    if (walks + in_vain * static_cast<double>(edges) < static_cast<double>(vertices) / vertices_per_walk) return false;
    if (compares) return true;
    return in_vain * walk_ns_.load(std::memory_order_relaxed) > longer * compare_ns_.load(std::memory_order_relaxed);
  }
  // The paths of all vertices have been shortened.
  void begin_anew() { walks_.store(0, std::memory_order_relaxed); }

 private:
  // A walk takes about as long as shortening the paths of so many vertices.
  static constexpr double vertices_per_walk = 4;
  static constexpr double longer = 2;  // times the time of comparing
  // Of an edge, lately; comparing is taken to be that of cached parents at first.
  std::atomic<double> walk_ns_{0}, compare_ns_{0.7};
  std::atomic<i64> walks_{0};  // in vain, since the last shortening
};

}  // namespace lb::core

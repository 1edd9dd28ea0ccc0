// When a stream shortens the paths of all vertices, so that a comparison of parents shows edges that link nothing.
#pragma once
#include <algorithm>
#include <atomic>

#include "landbridge/platform.hpp"

namespace lb::core {

// Once there have been many walks for edges that link nothing, if such walks take longer than comparing the parents of
// all edges would: where the cells of walks lie near each other they do not. Times are measured, so any number of
// threads may be at work. Calls at the same time may lose each other's edges: that moves a shortening, and no answer.
class PathShortening {
 public:
  // Paths were walked for so many edges, for `in_vain` without a link, and the parents of `compared` edges were
  // compared before, or of none, in so many nanoseconds.
  void add(i64 walked, i64 in_vain, i64 compared, double ns) {
    if (walked <= 0) return;
    const double of_walks =
        std::max(0.0, ns - static_cast<double>(compared) * look_ns_.load(std::memory_order_relaxed));
    walk_ns_.store(of_walks / static_cast<double>(walked), std::memory_order_relaxed);
    walks_.fetch_add(in_vain, std::memory_order_relaxed);
  }
  // Whether it is time before so many edges, of which a share is walked for in vain.
  bool pays(i64 vertices, i64 edges, double in_vain) const {
    const double walks = static_cast<double>(walks_.load(std::memory_order_relaxed));
    if (walks + in_vain * static_cast<double>(edges) < static_cast<double>(vertices) / vertices_per_walk) return false;
    return in_vain * walk_ns_.load(std::memory_order_relaxed) > looks * look_ns_.load(std::memory_order_relaxed);
  }
  // The paths of all vertices have been shortened.
  void add_shortened(i64 vertices, double ns) {
    walks_.store(0, std::memory_order_relaxed);
    if (vertices >= measured_from) look_ns_.store(ns / static_cast<double>(vertices), std::memory_order_relaxed);
  }

 private:
  // A walk takes about as long as shortening the paths of so many vertices.
  static constexpr double vertices_per_walk = 4;
  static constexpr double looks = 2;                  // times as long as comparing parents
  static constexpr i64 measured_from = i64{1} << 12;  // vertices
  // Of a vertex whose path is shortened, which takes two cells, as comparing the parents of an edge does.
  std::atomic<double> look_ns_{0.7};
  std::atomic<double> walk_ns_{0};  // of an edge, lately
  std::atomic<i64> walks_{0};       // in vain, since the last shortening
};

}  // namespace lb::core

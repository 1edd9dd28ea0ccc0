// CPU threads as the executor of algorithms in rounds (landbridge/system/rounds.hpp): one thread runs the control flow,
// all take part in the phases.
#pragma once
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "edge_batches.hpp"
#include "error.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "landbridge/system/rounds.hpp"
#include "memory.hpp"
#include "standalone.hpp"
#include "threads.hpp"

namespace lb::core {

// Both endpoints of all edges of a COO edge list, as arrays of ids; copied only where they do not lie like that
// already, or where an algorithm needs every read to return the same.
template <class Id>
class Endpoints {
 public:
  Endpoints(const GraphView& g, int threads, bool copied)
      : u_(side(g.a, g.arcs, threads, copied, u_copy_)), v_(side(g.b, g.arcs, threads, copied, v_copy_)) {}
  Id u(i64 e) const { return u_[e]; }
  Id v(i64 e) const { return v_[e]; }

 private:
  static Bounded<Id> side(const IdArray& ids, i64 count, int threads, bool copied, Buffer<Id>& copy) {
    const Id last = static_cast<Id>(std::min<u64>(ids.last, none<Id>));
    if (!copied && ids.stride == 1 && ids.width == width_of<Id>) return {ids.as<Id>(), last};
    copy = Buffer<Id>(static_cast<std::size_t>(count));
    Id* const to = copy.data();
    parallel_for(count, cpu::chunk_arcs, threads, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) to[i] = static_cast<Id>(ids[i]);
    });
    return {to, last};
  }
  Buffer<Id> u_copy_, v_copy_;
  Bounded<Id> u_, v_;
};

template <class IdType>
class ThreadExecutor {
 public:
  using Id = IdType;
  using Memory = SharedMemory<Id>;

  // The arrays of an algorithm with so many cells per vertex and per edge.
  ThreadExecutor(const StandaloneRun<Id>& run, int vertex_cells, int edge_cells)
      : endpoints_(run.graph, run.threads, false),
        n_(run.graph.vertices),
        m_(run.graph.arcs),
        parent_(run.parent),
        threads_(run.threads) {
    if (edge_cells > 0 && static_cast<u64>(m_) >= static_cast<u64>(none<Id>)) {
      throw InputError("positions of " + std::to_string(m_) + " edges do not fit 32 bits: this plan needs ids=wide");
    }
    for (int k = 0; k < vertex_cells; ++k) cells_.emplace_back(static_cast<std::size_t>(n_));
    for (int k = 0; k < edge_cells; ++k) cells_.emplace_back(static_cast<std::size_t>(m_));
  }

  i64 vertices() const { return n_; }
  i64 edges() const { return m_; }
  Id u(i64 e) const { return endpoints_.u(e); }
  Id v(i64 e) const { return endpoints_.v(e); }
  Memory parent() const { return parent_; }
  Memory cells(int k) { return Memory(cells_[static_cast<std::size_t>(k)].data()); }

  template <class Body>
  void each(i64 count, const Body& body) {
    parallel_for(count, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
      for (i64 i = b; i < e; ++i) body(i);
    });
  }
  template <class Body>
  bool any(i64 count, const Body& body) {
    std::atomic<bool> result{false};
    parallel_for(count, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
      bool yes = false;
      for (i64 i = b; i < e; ++i) yes |= body(i);
      if (yes) result.store(true, std::memory_order_relaxed);
    });
    return result.load(std::memory_order_relaxed);
  }
  template <class Body>
  i64 gather(const Memory& out, i64 count, const Body& body) {
    std::atomic<i64> end{0};
    parallel_for(count, cpu::chunk_vertices, threads_, [&](i64 b, i64 e, int) {
      Id some[cpu::batch_edges];
      i64 size = 0;
      const auto flush = [&] {
        const i64 at = end.fetch_add(size, std::memory_order_relaxed);
        std::copy(some, some + size, out.cells + at);
        size = 0;
      };
      for (i64 i = b; i < e; ++i) {
        some[size] = body(i);
        size += some[size] != none<Id> ? 1 : 0;
        if (size == cpu::batch_edges) flush();
      }
      if (size > 0) flush();
    });
    return end.load(std::memory_order_relaxed);
  }

 private:
  Endpoints<Id> endpoints_;
  i64 n_, m_;
  Memory parent_;
  int threads_;
  std::vector<Buffer<Id>> cells_;
};

}  // namespace lb::core

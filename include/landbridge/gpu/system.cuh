// Standalone algorithms in rounds (system/rounds.hpp) in one launch each: all threads of a grid that fits the device
// run the control flow together, with a barrier after every phase, so that nothing is read back.
#pragma once
#include "../system/grid_vote.hpp"
#include "../system/rounds.hpp"
#include "counts.cuh"

namespace lb::gpu {

// What an algorithm of lb::system runs on. `room` holds its own arrays: vertex_cells of n cells, then others of `edges`
// cells. The edge list is read without strides.
template <class IdType, int vertex_cells>
class Grid {
 public:
  using Id = IdType;
  using Memory = DeviceMemory<Id>;
  __device__ Grid(const EdgeArrays<Id>& edges, const Cells<Id>& cells, Id* room)
      : u_(edges.u),
        v_(edges.v),
        edges_(edges.edges),
        n_(cells.vertices),
        parent_(cells.parent),
        room_(room),
        control_(cells.control),
        vote_(DeviceMemory<u64>(cells.control), word_vote) {}
  __device__ i64 vertices() const { return n_; }
  __device__ i64 edges() const { return edges_; }
  __device__ Id u(i64 e) const { return u_[e]; }
  __device__ Id v(i64 e) const { return v_[e]; }
  __device__ Memory parent() const { return Memory(parent_); }
  __device__ Memory cells(int k) const {
    return Memory(k < vertex_cells ? room_ + k * n_ : room_ + vertex_cells * n_ + (k - vertex_cells) * edges_);
  }
  template <class Body>
  __device__ void each(i64 count, const Body& body) {
    for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) body(i);
    barrier();
  }
  template <class Body>
  __device__ bool any(i64 count, const Body& body) {
    bool holds = false;
    for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) holds |= body(i);
    if (holds) vote_.yes();
    return close() != 0;
  }
  template <class Body>
  __device__ i64 gather(const Memory& out, i64 count, const Body& body) {
    // Whole warps append, also past the last item.
    for (i64 i = thread_in_grid(); i - static_cast<i64>(lane()) < count; i += threads_in_grid()) {
      const Id item = i < count ? body(i) : none<Id>;
      const u64 place = append(control_ + vote_.word(), item != none<Id>);
      if (item != none<Id>) out.store(static_cast<Id>(place), item);
    }
    return static_cast<i64>(close());
  }

 private:
  __device__ void barrier() { grid_barrier(control_ + word_barrier, round_); }
  __device__ u64 close() {
    return vote_.close(thread_in_grid() == 0, [&] { barrier(); });
  }
  const Id* u_;
  const Id* v_;
  i64 edges_, n_;
  Id* parent_;
  Id* room_;
  u64* control_;
  system::GridVote<DeviceMemory<u64>> vote_;
  u64 round_ = 0;
};

template <class System, class Id>
__global__ void __launch_bounds__(search_threads, system_blocks)
    run_system(const __grid_constant__ EdgeArrays<Id> edges, const __grid_constant__ Cells<Id> cells,
               const __grid_constant__ SystemArrays<Id> arrays) {
  Grid<Id, System::vertex_cells> grid(edges, cells, arrays.room);
  System::run(grid, system::Settings{arrays.first, arrays.second});
}

// Endpoints of a range of edges as ids that lie side by side, where it is raised their parents instead, and a control
// block for another grid.
template <class Id, class T>
__global__ void copy_endpoints(const __grid_constant__ EdgeArrays<T> edges, const __grid_constant__ Cells<Id> cells,
                               const __grid_constant__ EdgeRange range, const __grid_constant__ EndpointCopy<Id> copy) {
  if (thread_in_grid() == 0) {
    cells.control[word_barrier] = 0;
    for (int i = 0; i < 3; ++i) cells.control[word_vote + i] = 0;
  }
  const bool raised = range.raised != 0;
  const i64 count = range.end - range.begin;
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const Id a = endpoint<Id>(edges.u, edges.u_stride, range.begin + i);
    const Id b = endpoint<Id>(edges.v, edges.v_stride, range.begin + i);
    copy.u[i] = raised ? cells.parent[a] : a;
    copy.v[i] = raised ? cells.parent[b] : b;
  }
}

}  // namespace lb::gpu

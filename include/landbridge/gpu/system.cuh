// Standalone algorithms in rounds (system/rounds.hpp) in one launch each: all threads of a grid that fits the device
// run the control flow together, with a barrier after every phase, so that nothing is read back.
#pragma once
#include "../system/grid_vote.hpp"
#include "../system/rounds.hpp"
#include "warp.cuh"

namespace lb::gpu {

// The machine. `room` holds the algorithm's own arrays: vertex_cells of n cells, then others of `edges` cells.
template <class IdType, int vertex_cells>
class Grid {
 public:
  using Id = IdType;
  using Memory = DeviceMemory<Id>;
  __device__ Grid(const Id* u, const Id* v, i64 edges, i64 n, Id* parent, Id* room, u64* control)
      : u_(u),
        v_(v),
        edges_(edges),
        n_(n),
        parent_(parent),
        room_(room),
        control_(control),
        vote_(DeviceMemory<u64>(control), word_vote) {}
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
    bool found = false;
    for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) found |= body(i);
    if (found) vote_.yes();
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
    run_system(const Id* u, const Id* v, i64 edges, i64 n, Id* parent, Id* room, u64* control, i64 first, i64 second) {
  Grid<Id, System::vertex_cells> grid(u, v, edges, n, parent, room, control);
  System::run(grid, system::Settings{first, second});
}

// Ends of the edges [from, from + count) as ids that lie side by side, with `raise` their parents instead (Stages), and
// a control block for another grid.
template <class Id, class T>
__global__ void take_ends(const T* u, const T* v, i64 u_stride, i64 v_stride, i64 from, i64 count, const Id* parent,
                          i64 raise, Id* to_u, Id* to_v, u64* control) {
  if (thread_in_grid() == 0) {
    control[word_barrier] = 0;
    for (int i = 0; i < 3; ++i) control[word_vote + i] = 0;
  }
  for (i64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const Id a = static_cast<Id>(u[(from + i) * u_stride]);
    const Id b = static_cast<Id>(v[(from + i) * v_stride]);
    to_u[i] = raise != 0 ? parent[a] : a;
    to_v[i] = raise != 0 ? parent[b] : b;
  }
}

}  // namespace lb::gpu

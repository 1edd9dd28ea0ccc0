// A queue of edges in the shared memory of a warp, from which lanes unite at their own pace.
#pragma once
#include "unite_edge.cuh"

namespace lb::gpu {

// The endpoints of edges and their parents are read many at a time; edges whose endpoints have one parent are dropped,
// the others are queued; a lane that is done with one takes the next, so that no lane waits for the longest walk. For
// rules that offer their walk a step at a time.
template <class Link, class Id, class Hooks>
class WarpQueue {
 public:
  static constexpr int each = warp_queue_edges;
  static constexpr int places = (each + 1) * warp_threads;
  using F = ForestOf<Link, Id>;
  using Walk = typename Link::template EdgeWalk<Id>;
  struct Storage : Hooks::template Positions<places> {
    Walk walks[places];
  };

  __device__ WarpQueue(const F& f, Storage* storage, const Hooks& hooks, u64* control)
      : forest_(f), storage_(storage), hooks_(hooks), control_(control) {}

  // Edges by their endpoints and positions. All lanes call it; u is none where there is no edge. Where walks are
  // dropped, all are.
  __device__ void add(const Id (&u)[each], const Id (&v)[each], const i64 (&edges)[each]) {
    if (stops_) return;
    Id parent_u[each], parent_v[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      parent_u[i] = u[i] == none<Id> ? Id{0} : Link::Reads::load(forest_.parent, u[i]);
      parent_v[i] = u[i] == none<Id> ? Id{0} : Link::Reads::load(forest_.parent, v[i]);
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      bool apart = parent_u[i] != parent_v[i];
      if constexpr (merges<Link>) {
        const bool swap = parent_u[i] < parent_v[i];
        if (apart) apart = first_with(swap ? parent_v[i] : parent_u[i], swap ? parent_u[i] : parent_v[i]);
        __syncwarp();
      }
      const unsigned some = __ballot_sync(0xffffffffu, apart);
      if (apart) {
        const int place = size_ + __popc(some & lanes_below());
        storage_->walks[place] = {u[i], v[i], parent_u[i], parent_v[i]};
        storage_->store(place, edges[i]);
      }
      size_ += __popc(some);
    }
    __syncwarp();
    run(warp_threads);
  }
  // All lanes call it, in the end.
  __device__ void finish() { run(0); }

 private:
  // Goes on until fewer than `low` edges are queued, or everything is done where that is 0.
  __device__ void run(int low) {
    int left = long_walk;  // for the warp as a whole: no lane counts its own steps
    for (;;) {
      const unsigned idle = __ballot_sync(0xffffffffu, !busy_);
      const int rank = __popc(idle & lanes_below());
      if (!busy_ && rank < size_) {
        walk_ = storage_->walks[size_ - 1 - rank];
        edge_ = storage_->load(size_ - 1 - rank);
        row_ = walk_.x;
        other_ = walk_.y;
        busy_ = true;
      }
      const int removed = __popc(idle);
      size_ = removed < size_ ? size_ - removed : 0;
      if (size_ < low || !__any_sync(0xffffffffu, busy_)) break;
      if (busy_) {
        Link::step(forest_, walk_, hooks_.only(edge_, row_, other_));
        busy_ = walk_.parent_x != walk_.parent_y;
      }
      hooks_.rest();
      if constexpr (Hooks::may_defer) {
        if (--left != 0) continue;
        left = long_walk;
        if (busy_) busy_ = !defer<Link>(control_, walk_.x, walk_.y);
        stops_ = __any_sync(0xffffffffu, queue_is_full<Link>(control_)) != 0;
      }
    }
    __syncwarp();
  }

  const F forest_;
  Storage* const storage_;
  const Hooks hooks_;
  u64* const control_;
  Walk walk_{};
  i64 edge_ = 0;
  Id row_ = 0, other_ = 0;
  int size_ = 0;
  bool busy_ = false;
  bool stops_ = false;  // walks are dropped; one for all lanes
};

}  // namespace lb::gpu

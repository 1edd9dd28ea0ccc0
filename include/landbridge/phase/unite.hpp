// Phases are loop bodies "for one vertex" or "for one edge", written once; an engine's schedule calls them.
// This one unites the endpoints of edges.
#pragma once
#include "../memory.hpp"
#include "../policy/callback.hpp"
#include "../work.hpp"

namespace lb::phase {

// A run of edges processed by one thread. It carries what a link keeps between edges that share their first endpoint
// (its root), so uniting the edges of a vertex one after another costs one find for that endpoint.
template <class Link, class F>
class UniteRun {
 public:
  using Id = typename F::Id;
  LB_FN explicit UniteRun(const F& f) : f_(f) {}
  template <class OnLink>
  LB_FN void edge(Id u, Id v, const OnLink& on_link) {
    LB_WORK_WALK(walk);
#if !LB_DEVICE_COMPILER
    // Compilers for CPUs keep both cells for a link that begins at u itself.
    if constexpr (!Link::carries) {
      Link::unite(f_, u, v, on_link);
      return;
    }
#endif
    if (u != current_) {
      current_ = u;
      start_ = Link::begin(f_, u);
    }
    Link::unite(f_, start_, v, on_link);
  }

 private:
  const F& f_;
  Id current_ = none<Id>;
  Id start_ = none<Id>;
};

}  // namespace lb::phase

// Rem's union by threads that neither lock nor swap (Patwary, Refsnes & Manne 2012).
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// Rem's walk with plain stores. True if it ended by hanging what it read as a root below another vertex. Other threads
// may overwrite that, or rely on what is overwritten, so the caller has to test the edges again. Parents stay
// below their children, and a root that was hung once is a child for good: so every round of walks over edges that lie
// between two trees leaves fewer trees.
template <class M>
LB_FN bool rem_stores(const M& m, typename M::Cell u, typename M::Cell v) {
  for (;;) {
    auto parent_u = m.load(u);
    auto parent_v = m.load(v);
    if (parent_u == parent_v) return false;
    if (parent_u < parent_v) {
      swap(u, v);
      swap(parent_u, parent_v);
    }
    m.store(u, parent_v);
    if (parent_u == u) return true;
    u = parent_u;
  }
}

}  // namespace lb::phase

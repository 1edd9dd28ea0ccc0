// Rem's union as threads run it that neither lock nor swap (Patwary, Refsnes & Manne 2012).
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// Rem's walk with plain stores. True if it ended by hanging what it took for a root below another vertex. Others may overwrite
// that, or rely on what is overwritten, so whoever calls this has to look at the edges again. Parents stay below their
// children, and a root that was hung once is a child for good: so every round of walks over edges that lie between two trees
// leaves fewer trees.
template <class M>
LB_FN bool rem_stores(const M& m, typename M::Cell u, typename M::Cell v) {
  for (;;) {
    auto above_u = m.load(u);
    auto above_v = m.load(v);
    if (above_u == above_v) return false;
    if (above_u < above_v) {
      exchange_values(u, v);
      exchange_values(above_u, above_v);
    }
    m.store(u, above_v);
    if (above_u == u) return true;
    u = above_u;
  }
}

}  // namespace lb::phase

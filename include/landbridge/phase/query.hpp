// The phase that answers "are u and v in one tree?", also while links run.
#pragma once
#include "../memory.hpp"

namespace lb::phase {

// True if u and v are connected. Linearizable beside links that never move a subtree (every rule without a
// splice rule that does): "true" needs no proof, because roots only merge, and "false" is the answer only for
// two vertices that were roots of their trees at one and the same moment. With fresh reads the root of v was one
// during its find, and u, a root after it, was one then too. With stale reads the root of v has to be looked
// at again, before that of u. Read is the strength the find rule reads with.
template <class Find, class Read = Fresh, class M>
LB_FN bool same(const M& m, typename M::Cell u, typename M::Cell v) {
  for (;;) {
    u = Find::find(m, u);
    v = Find::find(m, v);
    if (u == v) return true;
    if constexpr (Read::may_be_old) {
      const auto parent_v = m.parent(m.load(v), v);
      if (parent_v != v) {
        v = parent_v;
        continue;
      }
    }
    const auto parent_u = m.parent(m.load(u), u);
    if (parent_u == u) return false;
    u = parent_u;
  }
}

}  // namespace lb::phase

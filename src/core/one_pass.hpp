// Components and forests of a COO edge list with an unknown number of vertices, in one pass over the edges: each chunk
// of ids is checked and then united while it is still in the cache, and the parent array grows as larger ids turn up.
#pragma once
#include <optional>

#include "components.hpp"

namespace lb::core {

// labels[v] for the n = largest id + 1 vertices.
struct OnePassComponents {
  i64 count = 0;
  Buffer<u32> labels;
};

// Nothing where an id is negative, not below 2^31 - 1 or far beyond the number of edges, where the plan needs more than
// the parent array (CSR, stages, auxiliary or ranked cells), or where so much address space cannot be reserved: the
// caller then validates and calls components().
std::optional<OnePassComponents> components_in_one_pass(const IdArray& u, const IdArray& v, i64 edges, const Plan& plan,
                                                        Profile& profile);

struct OnePassForest {
  i64 vertices = 0;
  ForestBits bits;
};

// The same for a spanning forest; nothing also where links of the plan make none.
std::optional<OnePassForest> forest_in_one_pass(const IdArray& u, const IdArray& v, i64 edges, const Plan& plan,
                                                Profile& profile);

}  // namespace lb::core

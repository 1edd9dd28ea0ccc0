// Samplings: the rows of axis sample. Each is one function template lb::core::sampling::<Type>, defined in a source
// file of its own or with related ones, and instantiated there for every kind of run; the table is made from the rows.
#pragma once
#include <string_view>

#include "landbridge/policy/sample.hpp"
#include "landbridge/random.hpp"
#include "run_context.hpp"

namespace lb::core {

// What a sampling leaves: a forest in `parent` (in `words` for ranked rules) that the kernel of the run goes on with.
// united_arcs: of every row it has united so many, the first ones.
struct SamplingResult {
  i64 united_arcs = 0;
};

// Each runs on CSR. Its parameters are run.plan.sample_values, and run.kernel unites the arcs it chooses.
namespace sampling {
#define LB_SAMPLE(name, code, Type, ...) \
  template <class Id, bool forest>       \
  SamplingResult Type(RunContext<Id, forest>& run);
#include "landbridge/policy/registry.def"
}  // namespace sampling

// Random vertex i, below lb::sample::drawn_labels, of a run; each vertex once where there are few.
template <class Id, bool forest>
i64 random_vertex(const RunContext<Id, forest>& run, i64 i) {
  if (run.n <= lb::sample::drawn_labels) return i;
  return static_cast<i64>(mix(run.plan.seed, static_cast<u64>(i)) % static_cast<u64>(run.n));
}

}  // namespace lb::core

// Instantiates lb::core::sampling::<name>; inside that namespace.
#define LB_SAMPLING_OF(name, Id, forest) template SamplingResult name<Id, forest>(RunContext<Id, forest> & run);

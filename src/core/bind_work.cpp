// Counts of work, in the build that keeps them (LANDBRIDGE_COUNT_WORK).
#include "bind.hpp"
#include "landbridge/work.hpp"

#if defined(LB_COUNT_WORK)
namespace lb::bind {

void work(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def(
      "take_work",
      [] {
        lb::work::Counts sum;
        for (auto& slot : lb::work::slots) {
          sum.edges += slot.edges;
          sum.loads += slot.loads;
          sum.stores += slot.stores;
          sum.swaps += slot.swaps;
          sum.failures += slot.failures;
          sum.walks += slot.walks;
          sum.owned += slot.owned;
          sum.foreign += slot.foreign;
          if (slot.longest > sum.longest) sum.longest = slot.longest;
          static_cast<lb::work::Counts&>(slot) = {};
        }
        nb::dict counts;
        counts["edges"] = sum.edges;
        counts["loads"] = sum.loads;
        counts["stores"] = sum.stores;
        counts["swaps"] = sum.swaps;
        counts["failures"] = sum.failures;
        counts["walks"] = sum.walks;
        counts["owned"] = sum.owned;
        counts["foreign"] = sum.foreign;
        counts["longest"] = sum.longest;
        return counts;
      },
      "The counts of all threads since the last call, which is a time without a run.");
}

}  // namespace lb::bind
#endif

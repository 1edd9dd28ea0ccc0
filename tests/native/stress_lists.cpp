// Stress tests of list ranking on real threads, for the sanitizers as much as for the answers: every plan on lists of
// several shapes, and on successors that are no lists, over which walks race.
#include <cstdio>
#include <string>
#include <vector>

#include "generate.hpp"
#include "kernels.hpp"
#include "rank.hpp"

namespace lb::core {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

std::vector<RankRequest> plans() {
  std::vector<RankRequest> out;
  for (const Policy& p : policies()) {
    if (std::string(p.axis) != "rank" || std::string(p.engines).find("cpu") == std::string::npos) continue;
    RankRequest plan;
    plan.plan = p.name;
    plan.threads = 4;
    plan.splitters = 300;
    out.push_back(plan);
    if (plan.plan == "random_splitter") plan.layout = "bits48", out.push_back(plan);
    if (plan.plan == "wyllie") plan.share = "stride", out.push_back(plan);
  }
  return out;
}

void test_lists() {
  for (const i64 lists : {1, 5, 9000}) {
    const auto made = linked_list<i32>(70000, lists, 3, 2);
    const std::vector<i32> successor(made.data(), made.data() + made.size());
    const auto n = static_cast<i64>(successor.size());
    const std::vector<i64> ones(successor.size(), 1);
    std::vector<i32> ranks(successor.size()), tails(successor.size());
    std::vector<i64> sums(successor.size());
    for (const RankRequest& plan : plans()) {
      Phases phases;
      for (const bool from_head : {false, true}) {
        rank_elements<i32, i32>(successor.data(), n, from_head, ranks.data(), tails.data(), plan, phases);
        const std::vector<i64> wide(ranks.begin(), ranks.end());
        const Scan links{rank::ScanOp::sum, from_head, from_head, true};
        const std::string wrong = check_scan<i32, i64>(successor.data(), n, ones.data(), links, wide.data());
        expect(wrong.empty(), plan.plan + ": " + wrong);
        const Scan scan{rank::ScanOp::max, from_head, false, false};
        scan_lists<i32, i32, i64>(successor.data(), n, wide.data(), scan, sums.data(), nullptr, plan, phases);
        expect(check_scan<i32, i64>(successor.data(), n, wide.data(), scan, sums.data()).empty(), plan.plan + ": scan");
      }
    }
  }
}

void test_broken() {
  const auto made = linked_list<i32>(50000, 2, 4, 2);
  std::vector<i32> successor(made.data(), made.data() + made.size());
  const auto n = static_cast<i64>(successor.size());
  // Many elements lead to one, walks meet everywhere; later a cycle as well.
  for (i64 i = 0; i < n; i += 7) successor[static_cast<std::size_t>(i)] = static_cast<i32>((i * 31) % n);
  std::vector<i32> ranks(successor.size());
  for (const RankRequest& plan : plans()) {
    for (int round = 0; round < 3; ++round) {
      bool refused = false;
      try {
        Phases phases;
        rank_elements<i32, i32>(successor.data(), n, false, ranks.data(), nullptr, plan, phases);
      } catch (const ListError&) {
        refused = true;
      }
      expect(refused, plan.plan + " accepts what is no list");
    }
  }
}

}  // namespace
}  // namespace lb::core

int main() {
  lb::core::test_lists();
  lb::core::test_broken();
  return lb::core::failures != 0;
}

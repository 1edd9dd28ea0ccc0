// Stress tests of list ranking on real threads, for the sanitizers as much as for the answers: every plan on lists of
// several shapes, and on successors that are no lists, over which walks race.
#include <cstdio>
#include <string>
#include <vector>

#include "generate.hpp"
#include "kernels.hpp"
#include "landbridge/phase/rank.hpp"
#include "landbridge/random.hpp"
#include "rank.hpp"

namespace lb::core {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

// A plan with its parameters as the registry's rows have them: small numbers of splitters.
ListPlan plan_of(const std::string& name, const std::string& word = "") {
  ListPlan plan{name, {}, 1, 4};
  plan.values.set("splitters", i64{300});
  plan.values.set("sublists", i64{300});
  plan.values.set("per_thread", i64{8});
  plan.values.set("stop", i64{100});
  plan.values.set("width", i64{64});
  plan.values.set("factor", 4.0);
  plan.values.set("layout", word.empty() ? "bits64" : word);
  plan.values.set("share", word.empty() ? "native" : word);
  return plan;
}

std::vector<ListPlan> plans() {
  std::vector<ListPlan> out;
  for (const Policy& p : policies()) {
    const std::string name = p.name;
    if (std::string(p.axis) != "rank" || std::string(p.engines).find("cpu") == std::string::npos) continue;
    out.push_back(plan_of(name));
    if (name == "random_splitter") out.push_back(plan_of(name, "bits48"));
    if (name == "wyllie") out.push_back(plan_of(name, "stride"));
  }
  return out;
}

void test_lists() {
  for (const i64 lists : {1, 5, 9000}) {
    const auto generated = linked_list<i32>(70000, lists, 3, 2);
    const std::vector<i32> successor(generated.data(), generated.data() + generated.size());
    const ListsView<i32> view{successor.data(), static_cast<i64>(successor.size())};
    const std::vector<i64> ones(successor.size(), 1);
    std::vector<i32> ranks(successor.size()), tails(successor.size());
    std::vector<i64> sums(successor.size());
    for (const ListPlan& plan : plans()) {
      Phases phases;
      for (const bool from_head : {false, true}) {
        rank_elements<i32, i32>(view, from_head, ranks.data(), tails.data(), plan, phases);
        const std::vector<i64> wide(ranks.begin(), ranks.end());
        const ScanSpec links{rank::ScanOp::sum, from_head, from_head, true};
        const std::string wrong = check_scan<i32, i64>(view, ones.data(), links, wide.data());
        expect(wrong.empty(), plan.name + ": " + wrong);
        const ScanSpec scan{rank::ScanOp::max, from_head, false, false};
        scan_lists<i32, i32, i64>(view, wide.data(), scan, sums.data(), nullptr, plan, phases);
        expect(check_scan<i32, i64>(view, wide.data(), scan, sums.data()).empty(), plan.name + ": scan");
      }
    }
  }
}

void test_broken() {
  const auto generated = linked_list<i32>(50000, 2, 4, 2);
  std::vector<i32> successor(generated.data(), generated.data() + generated.size());
  const auto n = static_cast<i64>(successor.size());
  const ListsView<i32> view{successor.data(), n};
  // Many elements lead to one, walks meet everywhere; later a cycle as well.
  for (i64 i = 0; i < n; i += 7) successor[static_cast<std::size_t>(i)] = static_cast<i32>((i * 31) % n);
  std::vector<i32> ranks(successor.size());
  for (const ListPlan& plan : plans()) {
    for (int round = 0; round < 3; ++round) {
      bool refused = false;
      try {
        Phases phases;
        rank_elements<i32, i32>(view, false, ranks.data(), nullptr, plan, phases);
      } catch (const ListError&) {
        refused = true;
      }
      expect(refused, plan.name + " accepts what is no list");
    }
  }
}

// Bits that elements share leave few neighbours without a bit of their own, whatever their distance.
void test_drawn_bits() {
  constexpr u64 elements = 100000;
  for (const u64 drawn : {u64{128}, u64{6400}, u64{50048}, u64{100032}}) {
    std::vector<u64> words(drawn / 64);  // read beyond its end under a sanitizer, if a place is none
    for (const u64 distance : {1, 2, 64, 4096, 30000}) {
      int good = 0;
      for (u64 round = 1; round <= 32; ++round) {
        for (u64 w = 0; w < words.size(); ++w) words[w] = mix(round, w);
        const phase::DrawnBits bit{words.data(), drawn, elements, mix(7, round)};
        u64 removed = 0;
        for (u64 u = distance; u + distance < elements; ++u) {
          if (drawn >= elements) expect(bit(u) == ((words[u / 64] >> u % 64 & 1) != 0), "an element's own bit");
          removed += bit(u) && !bit(u - distance) && !bit(u + distance);
        }
        good += removed > (elements - 2 * distance) / 16;  // an eighth in the mean
      }
      expect(good >= 28, std::to_string(drawn) + " bits at distance " + std::to_string(distance) + " are good in " +
                             std::to_string(good) + " of 32 rounds");
    }
  }
}

}  // namespace
}  // namespace lb::core

int main() {
  lb::core::test_lists();
  lb::core::test_broken();
  lb::core::test_drawn_bits();
  return lb::core::failures != 0;
}

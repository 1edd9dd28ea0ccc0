#include "rank_strategy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "landbridge/cpu/rank.hpp"
#include "once.hpp"
#include "registry_words.hpp"

namespace lb::core::lists {

// A function for each row of the axis `rank`, by its Type; those of other engines are declared and not defined.
namespace ranking {

#define LB_RANK(name, code, Type, ...) Strategy Type(const ListPlan& plan, i64 n);
#include "landbridge/policy/registry.def"

namespace {

// chains: elements of a sublist at least, and splitters at most
constexpr i64 least_sublist = 64, most_splitters = i64{1} << 16;

i64 between_1_and(i64 n, i64 value) { return std::clamp<i64>(value, 1, n); }

Strategy walks(i64 blocks) {
  Strategy s;
  s.method = Method::walks;
  s.blocks = blocks;
  return s;
}

}  // namespace

Strategy Serial(const ListPlan&, i64) { return {}; }

Strategy Wyllie(const ListPlan& plan, i64) {
  Strategy s;
  s.method = Method::jumps;
  s.stride = plan.values.word("share") == "stride";
  return s;
}

Strategy RandomSplitter(const ListPlan& plan, i64 n) {
  // The published bound keeps r lg r <= n.
  i64 r = between_1_and(n, plan.values.integer("splitters"));
  while (r > 1 && r * static_cast<i64>(std::bit_width(static_cast<u64>(r - 1))) > n) r /= 2;
  Strategy s = walks(r);
  if (plan.values.word("layout") == "bits48") s.layout = Strategy::Layout::bits48;
  return s;
}

Strategy HelmanJaja(const ListPlan& plan, i64 n) {
  return walks(between_1_and(n, plan.values.integer("per_thread") * plan.threads));
}

Strategy WeiJaja(const ListPlan& plan, i64 n) { return walks(between_1_and(n, plan.values.integer("sublists"))); }

Strategy Rehman(const ListPlan& plan, i64 n) {
  const i64 length = std::max<i64>(1, std::bit_width(static_cast<u64>(n - 1)));
  Strategy s = walks(between_1_and(n, (n + length - 1) / length));
  s.first_of_block = true;
  s.recursion = true;
  if (n <= plan.values.integer("stop")) s.method = Method::serial;
  return s;
}

Strategy Fis(const ListPlan& plan, i64 n) {
  Strategy s;
  s.method = Method::independent_sets;
  if (n < 16) return s;
  // A round removes an eighth of what it can: after so many rounds only the ends of lists are left.
  constexpr double most_rounds = 1000;
  const double rounds = std::floor(plan.values.number("factor") * std::log2(std::log2(static_cast<double>(n))));
  s.rounds = static_cast<int>(std::clamp(rounds, 0.0, most_rounds));
  return s;
}

Strategy Chains(const ListPlan& plan, i64 n) {
  const i64 splitters = plan.values.integer("splitters");
  Strategy s = walks(between_1_and(n, splitters > 0 ? splitters : std::min(n / least_sublist, most_splitters)));
  s.width = static_cast<int>(std::clamp<i64>(plan.values.integer("width"), 1, cpu::most_walks));
  s.layout = Strategy::Layout::fused;
  s.sublist_threads = plan.threads;
  return s;
}

}  // namespace ranking

namespace {

struct Row {
  std::string_view name;
  Strategy (*strategy)(const ListPlan& plan, i64 n);
};

// A template, so that rows of other engines name no function.
#define LB_RANK(name, code, Type, parameters, engines, ...) \
  if constexpr (has_word(engines, "cpu")) rows.push_back({#name, &ranking::Type});
template <class R>
std::vector<R> make_table() {
  std::vector<R> rows;
#include "landbridge/policy/registry.def"
  return rows;
}

}  // namespace

Strategy strategy_of(const ListPlan& plan, i64 n) {
  const auto& table = once([] { return make_table<Row>(); });
  for (const auto& row : table) {
    if (row.name == plan.name) return row.strategy(plan, n);
  }
  throw InputError("no list ranking " + plan.name);
}

ListPlan serial_plan() { return {"serial", {}, 1, 1}; }

ListPlan chains_plan(u64 seed, int threads) {
  ListPlan plan{"chains", {}, seed, threads};
  plan.values.set("splitters", i64{0});
  plan.values.set("width", i64{64});
  return plan;
}

}  // namespace lb::core::lists

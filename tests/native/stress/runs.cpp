// Full runs with four threads: the one-pass way, every sampling with links of each kind on CSR that is and is not known
// to be symmetric, every standalone algorithm, every rule in rounds, and stages.
#include <algorithm>

#include "components.hpp"
#include "kernels.hpp"
#include "landbridge/random.hpp"
#include "largest_tree.hpp"
#include "one_pass.hpp"
#include "parameters.hpp"
#include "rounds.hpp"
#include "standalone.hpp"
#include "stress.hpp"

namespace lb::core::stress {
namespace {

constexpr int workers = 4;
// Without a sanitizer rounds run behind each sampling. The threads of a sampling have ended before rounds begin, so no
// race and no wrong access is one of a pair: under a sanitizer each rule in rounds takes one sampling, the next in
// turn from that of `first_pair` on.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool every_pair = false;
#else
constexpr bool every_pair = true;
#endif

// The values of a row's parameters: all at their defaults, then each other word in its turn.
std::vector<Values> with_each_word(const std::string& column) {
  std::vector<Parameter> parameters = parameters_of(column);
  const auto values_of = [&] {
    Values values;
    for (const Parameter& p : parameters) {
      if (p.kind == "int")
        values.set(p.name, static_cast<i64>(std::stoll(p.default_value)));
      else if (p.kind == "float")
        values.set(p.name, std::stod(p.default_value));
      else
        values.set(p.name, p.default_value);
    }
    return values;
  };
  std::vector<Values> all{values_of()};
  for (Parameter& p : parameters) {
    const std::string usual = p.default_value;
    for (const std::string& word : p.words) {
      if (word == usual) continue;
      p.default_value = word;
      all.push_back(values_of());
    }
    p.default_value = usual;
  }
  return all;
}

// One column of random edges.
std::vector<i64> random_ends(i64 n, i64 m, u64 key) {
  std::vector<i64> ends;
  for (i64 i = 0; i < m; ++i) ends.push_back(static_cast<i64>(mix(key, static_cast<u64>(i)) % static_cast<u64>(n)));
  return ends;
}

// A graph as COO and as CSR, and the runs on it.
class Runs {
 public:
  Runs(i64 vertices, std::vector<i64> u, std::vector<i64> v)
      : n(vertices),
        m(static_cast<i64>(u.size())),
        u_(std::move(u)),
        v_(std::move(v)),
        labels_(static_cast<std::size_t>(n)) {
    coo_ = coo_view(n, u_, v_);
    arrays_ = symmetric_csr<u32>(coo_, workers);
    csr_ = symmetric_view(arrays_);
  }

  void one_pass(bool owners) {
    Profile profile;
    Plan plan;
    plan.threads = workers, plan.finish = "rem_cas", plan.find = "naive", plan.splice = "halve_one";
    plan.owners = plan.climb = owners;
    const auto result = components_in_one_pass(coo_.a, coo_.b, m, plan, profile);
    expect(result.has_value(), "one pass is open");
    if (!result) return;
    const auto vertices = static_cast<i64>(result->labels.size());
    std::copy(result->labels.data(), result->labels.data() + vertices, labels_.begin());
    for (i64 x = vertices; x < n; ++x)
      labels_[static_cast<std::size_t>(x)] = static_cast<u32>(result->count + x - vertices);
    expect_labels("one pass", coo_, labels_.data());
  }

  // The edges inside the largest tree are left out, from when there have been a few for each vertex.
  void largest_tree() {
    const i64 bytes = cached_set_bytes.exchange(n / 64);
    for (const bool owners : {false, true}) {
      for (const std::string link : {"rem_cas", "async", "hooks"}) {
        Plan plan;
        plan.finish = link, plan.find = link == "rem_cas" ? "naive" : "halve";
        plan.splice = link == "rem_cas" ? "halve_one" : "";
        plan.owners = owners, plan.skip_tree = true;
        check("without the largest tree, " + link, coo_, plan, true);
      }
    }
    cached_set_bytes.store(bytes);
  }

  // Links that go by steps, by threads that own ranges of vertices.
  void owners() {
    for_samplings([&](Plan plan) {
      plan.finish = "rem_cas", plan.find = "naive", plan.owners = plan.climb = true;
      for (const std::string splice : {"splice", "halve_one"}) {
        plan.splice = splice;
        if (plan.sample.empty()) check("owners of pairs, " + splice, coo_, plan, splice != "splice");
        on_csr([&] { check("owners, " + plan.sample + "+" + splice, csr_, plan, splice != "splice"); });
      }
    });
  }

  void samplings() {
    for_samplings([&](Plan plan) {
      for (const std::string link : {"async", "hooks", "jtb", "ecl", "rem_cas", "rem_lock"}) {
        plan.finish = link, plan.find = link == "jtb" ? "two_try" : "halve";
        plan.splice = link.starts_with("rem") ? "split_one" : "";
        on_csr([&] { check(plan.sample + "+" + link, csr_, plan, true); });
      }
    });
  }

  void standalone() {
    for (const Policy& row : policies()) {
      if (std::string(row.axis) != "finish" || find_standalone<u32>(row.name) == nullptr) continue;
      for (const Values& values : with_each_word(row.parameters)) {
        Plan plan;
        plan.finish = row.name, plan.values = values;
        const bool forest = has_word(row.traits, "forest");
        if (has_word(row.traits, "coo"))
          check(row.name, coo_, plan, forest);
        else
          on_csr([&] { check(row.name, csr_, plan, forest); });
        if (!has_word(row.traits, "stages")) continue;
        plan.stages = 0.5;
        check(std::string("stages of ") + row.name, coo_, plan, false);
      }
    }
  }

  void rounds() {
    for (const RoundVariant& variant : round_variants()) {
      if (variant.reason != nullptr) continue;
      const bool forest = variant.no_forest == nullptr;
      Plan plan;
      plan.finish = variant.name;
      std::string what(variant.name);
      for (const auto word : variant.words) {
        plan.values.set(std::to_string(plan.values.words().size()), std::string(word));
        what += "," + std::string(word);
      }
      for (const double stages : {0.0, 0.5}) {
        plan.stages = stages;
        check(what + " on COO", coo_, plan, forest);
      }
      plan.stages = 0;
      if (!variant.rewrites) rounds_on_csr(what, plan, forest);
    }
  }

  void stages() {
    for (const std::string link : {"async", "jtb"}) {
      Plan plan;
      plan.finish = link, plan.find = "naive", plan.stages = 0.5;
      check("stages of " + link, coo_, plan, true);
    }
  }

 private:
  const i64 n, m;

  // body(plan) with no sampling, and with each one of the registry at its defaults.
  template <class Body>
  static void for_samplings(const Body& body) {
    body(Plan{});
    for (const Policy& row : policies()) {
      if (std::string(row.axis) != "sample" || !has_word(row.engines, "cpu")) continue;
      Plan plan;
      plan.sample = row.name, plan.sample_values = with_each_word(row.parameters).front();
      body(plan);
    }
  }

  // body() with the CSR known to be symmetric, and not known to be.
  template <class Body>
  void on_csr(const Body& body) {
    for (const bool symmetric : {true, false}) {
      csr_.symmetric = symmetric;
      body();
    }
  }

  void rounds_on_csr(const std::string& what, const Plan& rounds, bool forest) {
    std::vector<std::string> samplings;
    for_samplings([&](const Plan& plan) {
      if (plan.sample != "hb" && plan.sample != "ldd") samplings.push_back(plan.sample);  // as kout and bfs
    });
    const std::string next =
        samplings[1 + (first_pair + turn_++) % (samplings.size() - 1)];  // behind no sampling, the first
    for_samplings([&](Plan plan) {
      if (std::find(samplings.begin(), samplings.end(), plan.sample) == samplings.end()) return;
      if (!every_pair && !plan.sample.empty() && plan.sample != next) return;
      plan.finish = rounds.finish, plan.values = rounds.values;
      on_csr([&] { check(plan.sample + "+" + what, csr_, plan, forest); });
    });
  }

  // The labels of a run, and its spanning forest.
  void check(const std::string& what, const GraphView& graph, Plan plan, bool forest) {
    plan.threads = workers;
    Profile profile;
    components<u32>(graph, plan, labels_.data(), profile);
    expect_labels(what, coo_, labels_.data());
    if (!forest) return;
    expect_forest("forest of " + what, graph, spanning_forest<u32>(graph, plan, profile), workers);
  }

  std::vector<i64> u_, v_;
  std::size_t turn_ = 0;
  std::vector<u32> labels_;
  CsrArrays<u32> arrays_;
  GraphView coo_, csr_;
};

}  // namespace

void runs() {
  constexpr i64 few = 60000, many = i64{1} << 19;
  Runs local(many / 2, near_ends(many / 2, many, false), near_ends(many / 2, many, true));
  local.one_pass(true);
  local.owners();
  Runs all(few, random_ends(few, few * 5 / 6, 1), random_ends(few, few * 5 / 6, 2));
  all.one_pass(false);
  all.samplings();
  all.standalone();
  all.rounds();
  all.stages();
  constexpr i64 scattered = i64{1} << 18;  // so that no chunk of edges counts as near
  Runs connected(scattered, random_ends(scattered, 4 * scattered, 3), random_ends(scattered, 4 * scattered, 4));
  connected.largest_tree();
  Gate::together = true;  // runs start their own threads
}

}  // namespace lb::core::stress

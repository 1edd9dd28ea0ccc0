// Streams: several callers at once, large batches in rounds and with splicing links, batches whose edges mostly lie
// inside trees.
#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "components.hpp"
#include "incremental.hpp"
#include "kernels.hpp"
#include "landbridge/random.hpp"
#include "largest_tree.hpp"
#include "rounds.hpp"
#include "stress.hpp"

namespace lb::core::stress {
namespace {

using Wait = Incremental::Wait;

// The labels of a stream's snapshot, and its count, are those of the edges.
void expect_components(const std::string& what, Incremental& stream, const GraphView& graph) {
  auto s = stream.snapshot(false);
  const bool wide = s.width == IdWidth::wide;
  const i64 count = wide ? number_roots(s.broad.data(), s.vertices, 2) : number_roots(s.narrow.data(), s.vertices, 2);
  expect_labels(what, graph, wide ? IdArray{s.broad.data()} : IdArray{s.narrow.data()});
  expect(count == stream.count(), "the count of " + what + " is current");
}

void expect_forest_of(const std::string& what, Incremental& stream, const GraphView& graph) {
  const auto s = stream.snapshot(true);
  expect_forest("the forest of " + what, graph, s.u.data(), s.v.data(), s.at.data(), static_cast<i64>(s.at.size()));
}

std::string text_of(const StreamRule& rule) {
  std::string text = rule.link + "(" + rule.find + (rule.splice.empty() ? "" : ",") + rule.splice + ")";
  for (const auto& word : rule.words) text += " " + word;
  return text;
}

// ---- callers of one stream at once: two insert, in batches of all ways, and make it grow meanwhile; one asks; one
// takes snapshots. What an insert that returned has joined is joined for every caller, and at the end no edge is lost.
// Some streams insert exclusively, by plain accesses, whenever no other caller is inside: ThreadSanitizer shows if one
// was.

constexpr int inserters = 2;

// What each inserter inserts, and the vertices of that.
struct Batches {
  i64 vertices, batch, batches;
};
constexpr Batches small_batches{400, 20, 30};
// Each of several chunks, so that one thread inserts them in pieces, between which others have a turn.
constexpr Batches in_pieces{60'000, 3 * chunk_operations, 6};

class CallersOfOneStream {
 public:
  CallersOfOneStream(const Batches& shape, const StreamRule& rule, const StreamOptions& options)
      : batch_(shape.batch),
        batches_(shape.batches),
        what_("a stream of " + text_of(rule)),
        forest_(options.keep_forest),
        stream_(rule, options),
        u_(static_cast<std::size_t>(inserters * batches_ * batch_)),
        v_(u_.size()),
        inserts_(static_cast<std::size_t>(batch_)) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const i64 operation = static_cast<i64>(i) % (batches_ * batch_);
      const u64 most = static_cast<u64>(20 + operation * (shape.vertices - 20) / (batches_ * batch_));
      u_[i] = static_cast<i64>(below(mix(5, i), most));
      v_[i] = static_cast<i64>(below(mix(6, i), most));
    }
  }

  void run() {
    std::vector<std::thread> callers;
    Gate gate(inserters + 2);
    for (int k = 0; k < inserters; ++k) {
      callers.emplace_back([&, k] {
        gate.pass();
        for (i64 i = 0; i < batches_; ++i) insert(k, i);
      });
    }
    callers.emplace_back([&] {
      gate.pass();
      do ask();
      while (running());
    });
    callers.emplace_back([&] {
      gate.pass();
      do look();
      while (running());
    });
    for (auto& t : callers) t.join();
    expect(right_, what_ + " has every insert that had returned");
    expect_components(what_, stream_, coo_view(stream_.vertices(), u_, v_));
  }

 private:
  void insert(int k, i64 i) {
    const auto at = static_cast<std::size_t>((k * batches_ + i) * batch_);
    const IdArray a{u_.data() + at}, b{v_.data() + at};
    std::vector<u8> bits(static_cast<std::size_t>((batch_ + 7) / 8));
    if (i % 3 == 0)
      stream_.apply({a, b, batch_, true, inserts_.data()}, i % 2 == 0, bits.data(), Wait::allowed);
    else if (i % 3 == 1)
      stream_.insert({a, b, batch_, true}, Wait::allowed);
    else
      for (i64 j = 0; j < batch_; ++j)
        stream_.insert({{u_.data() + at + j}, {v_.data() + at + j}, 1, true}, Wait::allowed);
    finished_[k].store(i + 1, std::memory_order_release);
  }

  void ask() {
    for (int k = 0; k < inserters; ++k) {
      const auto at = last_batch(k);
      if (at == u_.size()) continue;
      std::vector<u8> answers(static_cast<std::size_t>(batch_));
      stream_.connected({{u_.data() + at}, {v_.data() + at}, batch_, true}, answers.data(), Wait::allowed);
      for (const u8 yes : answers) {
        if (yes == 0) right_ = false;
      }
    }
  }

  void look() {
    std::size_t last[inserters];
    for (int k = 0; k < inserters; ++k) last[k] = last_batch(k);
    const auto s = stream_.snapshot(forest_);
    const auto root = [&](i64 x) {
      const auto i = static_cast<std::size_t>(x);
      return s.width == IdWidth::wide ? s.broad[i] : s.narrow[i];
    };
    for (const std::size_t at : last) {
      for (std::size_t i = at; i < std::min(at + static_cast<std::size_t>(batch_), u_.size()); ++i) {
        if (root(u_[i]) != root(v_[i])) right_ = false;
      }
    }
  }

  // Where the last batch begins that inserter k has finished; the end of all where there is none.
  std::size_t last_batch(int k) const {
    const i64 count = finished_[k].load(std::memory_order_acquire);
    return count == 0 ? u_.size() : static_cast<std::size_t>((k * batches_ + count - 1) * batch_);
  }
  bool running() const { return finished_[0].load() < batches_ || finished_[1].load() < batches_; }

  const i64 batch_, batches_;  // operations in each, and how many batches an inserter has
  const std::string what_;
  const bool forest_;
  Incremental stream_;
  std::vector<i64> u_, v_;
  const std::vector<u8> inserts_;
  std::atomic<i64> finished_[inserters] = {};  // batches of each inserter
  std::atomic<bool> right_{true};
};

void test_callers() {
  const auto with_options = [](const StreamRule& rule, bool forest) {
    constexpr i64 narrow = StreamOptions::largest_narrow;
    for (const auto& [narrow_most, exclusive] :
         {std::pair{narrow, false}, std::pair{narrow, true}, std::pair{i64{150}, true}}) {
      CallersOfOneStream(small_batches, rule, {0, 2, forest, narrow_most, exclusive}).run();
    }
  };
  for (const Combination& c : combinations()) {
    if (c.reason == nullptr) with_options({c.link, c.find, c.splice, {}}, c.no_forest == nullptr);
  }
  for (const RoundVariant& v : round_variants()) {
    if (v.reason == nullptr && v.root_based)
      with_options({std::string(v.name), "", "", {v.words.begin(), v.words.end()}}, true);
  }
}

// The same with batches in pieces: exclusive ones, wherever no other call is inside, and others between them; the
// stream grows, and its ids become wider, meanwhile.
void test_callers_between_pieces() {
  const std::pair<StreamRule, bool> rules[] = {{{"rem_cas", "naive", "halve_one", {}}, true},
                                               {{"async", "compress", "", {}}, true},
                                               {{"hooks", "split", "", {}}, true},
                                               {{"jtb", "two_try", "", {}}, false}};
  for (const auto& [rule, forest] : rules) {
    for (const i64 narrow_most : {StreamOptions::largest_narrow, in_pieces.vertices / 2}) {
      StreamOptions options{0, 1, forest, narrow_most};
      options.batches_beside_others = 1;
      for (const bool climb : {false, true}) {
        options.climb = climb;
        CallersOfOneStream(in_pieces, rule, options).run();
      }
    }
  }
}

// ---- batches that several threads insert together, exclusively, in rounds or where links splice: more than a piece of
// the batch for each of them.

void test_large_batches() {
  constexpr i64 n = 20000, m = 150000;
  std::vector<i64> u(m), v(m);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = static_cast<i64>(below(mix(7, i), n));
    v[i] = std::min<i64>(n - 1, u[i] + static_cast<i64>(below(mix(8, i), 3)));
  }
  const GraphView graph = coo_view(n, u, v);
  for (const Combination& c : combinations()) {
    if (c.reason != nullptr || c.separated == nullptr) continue;
    const StreamRule rule{c.link, c.find, c.splice, {}};
    Incremental stream(rule, {n, 4, false, StreamOptions::largest_narrow, true});
    stream.insert({graph.a, graph.b, m, true}, Wait::allowed);
    expect_components("a stream of " + text_of(rule), stream, graph);
  }
  for (const RoundVariant& v : round_variants()) {
    if (v.reason != nullptr || !v.root_based) continue;
    const StreamRule rule{std::string(v.name), "", "", {v.words.begin(), v.words.end()}};
    Incremental stream(rule, {n, 4, true});
    stream.insert({graph.a, graph.b, m, true}, Wait::allowed);
    expect_forest_of("a stream of " + text_of(rule), stream, graph);
    expect_components("a stream of " + text_of(rule), stream, graph);
  }
}

// ---- batches of 2^18 edges, which two callers insert into one stream at once: most edges of the later ones lie inside
// trees, so vertices are hung higher up and edges prechecked beside the links and questions of others. Then a run on
// all of these edges, whose bits lie in words of one thread and in words that two share.

class PrecheckedBatches {
 public:
  // The batches have the same pieces of `together` vertices, so the first connects most of what is ever connected.
  explicit PrecheckedBatches(u64 together) : u_(size * count), v_(u_.size()) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const auto piece = static_cast<i64>(below(mix(11, i), n / together) * together);
      u_[i] = piece + static_cast<i64>(below(mix(12, i), together));
      v_[i] = piece + static_cast<i64>(below(mix(13, i), together));
    }
    graph_ = coo_view(n, u_, v_);
  }

  // Each caller inserts by its own thread if a stream may be `exclusive`: exclusively, or beside the other.
  void two_callers(const StreamRule& rule, bool exclusive) {
    const std::string what = "a stream of large batches by " + text_of(rule);
    Incremental stream(rule, {n, exclusive ? 1 : 2, false, StreamOptions::largest_narrow, exclusive});
    std::atomic<bool> right{true};
    Gate gate(2);
    std::vector<std::thread> callers;
    for (int k = 0; k < 2; ++k) {
      callers.emplace_back([&, k] {
        gate.pass();
        for (i64 i = k; i < count; i += 2) {
          const auto at = static_cast<std::size_t>(i * size);
          const IdArray a{u_.data() + at}, b{v_.data() + at};
          stream.insert({a, b, size, true}, Wait::allowed);
          std::vector<u8> answers(1000);
          stream.connected({a, b, 1000, true}, answers.data(), Wait::allowed);
          for (const u8 yes : answers) {
            if (yes == 0) right = false;
          }
        }
      });
    }
    for (auto& t : callers) t.join();
    expect(right, what + " has every insert that had returned");
    expect_components(what, stream, graph_);
  }

  // With one caller, positions are those of the edges.
  void forest_of_one_caller(const StreamRule& rule) {
    Incremental stream(rule, {n, 4, true});
    for (i64 i = 0; i < count; i += 2) {
      const auto at = static_cast<std::size_t>(i * size);
      stream.insert({{u_.data() + at}, {v_.data() + at}, 2 * size, true}, Wait::allowed);
    }
    expect_forest_of("a stream of large batches by " + text_of(rule), stream, graph_);
  }

  void forest_of_a_run() {
    Plan plan;
    plan.threads = 4, plan.finish = "rem_cas", plan.find = "naive", plan.splice = "halve_one";
    Profile profile;
    expect_forest("the forest of many edges", graph_, spanning_forest<u32>(graph_, plan, profile), plan.threads);
  }

 private:
  static constexpr i64 n = 30000, size = i64{1} << 18, count = 4;
  std::vector<i64> u_, v_;
  GraphView graph_;
};

void test_prechecked_batches() {
  PrecheckedBatches large(100), one_tree(30000);
  const std::pair<StreamRule, bool> rules[] = {{{"rem_cas", "naive", "halve_one", {}}, false},
                                               {{"async", "compress", "", {}}, false},
                                               {{"hooks", "split", "", {}}, false},
                                               {{"async", "inter", "", {}}, true}};
  for (const auto& [rule, exclusive] : rules) {
    large.two_callers(rule, exclusive);
    large.forest_of_one_caller(rule);
  }
  large.forest_of_a_run();
  // With a set of the vertices of the largest tree, which one caller makes while the other inserts.
  const i64 bytes = cached_set_bytes.exchange(1000);
  for (const auto& [rule, exclusive] : rules) {
    one_tree.two_callers(rule, exclusive);
    one_tree.forest_of_one_caller(rule);
  }
  cached_set_bytes.store(bytes);
}

// ---- two callers that take turns at the largest vertex: a vertex is counted when the insert that brought it returns.

void test_vertices_at_one_moment() {
  constexpr i64 most = 400000;
  Incremental stream({"async", "halve", "", {}}, {1, 1});
  stream.prepare({}, most);  // room for all: no call is alone because it makes some
  std::atomic<i64> next{0}, forgotten{0};
  Gate gate(2);
  const auto call = [&] {
    gate.pass();
    for (i64 vertex; (vertex = next++) < most;) {
      stream.insert({{&vertex}, {&vertex}, 1, true}, Wait::allowed);
      if (stream.vertices() <= vertex) ++forgotten;
    }
  };
  std::thread other(call);
  call();
  other.join();
  expect(forgotten == 0, "every vertex that has turned up is counted");
}

}  // namespace

void streams() {
  test_callers();
  test_callers_between_pieces();
  test_vertices_at_one_moment();
  test_large_batches();
  test_prechecked_batches();
}

}  // namespace lb::core::stress

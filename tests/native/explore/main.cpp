// The explorer's command line. Every command prints one JSON object per line and exits 1 if a result is unexpected.
//
//   explore check [--depth fast|slow] [--part I/K] [--only TEXT]   sound programs: none may fail
//   explore hunt [--only TEXT] [--write FOLDER]                    unsound ones: each must fail
//   explore replay FILE ..                                         counterexamples: each must fail as expected
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "program.hpp"

namespace lb::explore {
namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The column `stale` of registry.def.
bool tolerates_stale(const std::string& rule) {
  static const std::vector<std::pair<std::string, std::string>> rows = {
#define LB_ROW(name, code, Type, parameters, engines, stale, ...) {#name, stale},
#define LB_FIND(...) LB_ROW(__VA_ARGS__)
#define LB_SPLICE(...) LB_ROW(__VA_ARGS__)
#define LB_LINK(...) LB_ROW(__VA_ARGS__)
#include "landbridge/policy/registry.def"
#undef LB_ROW
  };
  for (const auto& [name, stale] : rows) {
    if (name == rule) return stale == "tolerates";
  }
  return true;  // "": no splice rule
}

bool expected_clean(const Program& p) {
  return !p.stale || (tolerates_stale(p.link) && tolerates_stale(p.find) && tolerates_stale(p.splice));
}

// A set of cases and how far each is explored.
struct Exploration {
  std::vector<Case> cases;
  Limits limits;
  u64 walks = 0;  // random schedules instead of a search
};

std::vector<Exploration> explorations(bool stale, bool slow, int brief) {
  std::vector<Exploration> out;
  const auto fresh = [&](std::vector<Case> cases, int preemptions) {
    if (!stale) out.push_back({std::move(cases), {.preemptions = preemptions}});
  };
  const auto old = [&](std::vector<Case> cases, int preemptions, int old_answers, Staleness staleness) {
    if (stale) out.push_back({std::move(cases), {preemptions, old_answers, staleness}});
  };
  const auto walks = [&](u64 cases, u64 runs) {
    out.push_back({large_sequence(0, cases), {.old_answers = stale ? 4 : 0}, runs});
  };
  constexpr int unbounded = -1;
  if (brief > 0) {
    fresh(zoo(), slow ? brief + 1 : brief);
    fresh(sequence(0, slow ? 150 : 15), brief);
    old(zoo(), 1, 1, Staleness::any);
    if (slow) old(sequence(0, 60), 1, 1, Staleness::cached);
    walks(slow ? 100 : 10, slow ? 200 : 20);
  } else if (!slow) {
    fresh(zoo(), 3);
    fresh(sequence(0, 60), 2);
    old(zoo(), 2, 1, Staleness::any);
    old(zoo(), 1, 1, Staleness::cached);
    old(sequence(0, 30), 1, 1, Staleness::any);
    old(sequence(0, 30), 1, 1, Staleness::cached);
    walks(20, 50);
  } else {
    fresh(zoo(), unbounded);
    fresh(family(4), unbounded);
    fresh(sequence(0, 600), 3);
    for (const auto staleness : {Staleness::any, Staleness::cached}) {
      old(zoo(), 3, 1, staleness);
      old(family(4), 2, 2, staleness);
      old(sequence(0, 150), 2, 1, staleness);
    }
    walks(300, 300);
  }
  return out;
}

// The same for standalone algorithms, whose runs are long: after every barrier any thread may go on, and between two
// barriers a thread may be interrupted so often.
std::vector<Exploration> standalone_explorations(const Program& p, bool slow) {
  switch (p.start) {
    case Start::stars:
      return {{stars(slow ? 200 : 20), {.preemptions = slow ? 4 : 3}}};
    case Start::forest: {
      const int preemptions = slow ? 2 : 1;
      return {{batches(), {.preemptions = preemptions}}, {sequence(0, slow ? 200 : 15), {.preemptions = preemptions}}};
    }
    default:
      return {{graphs(slow ? 200 : 20), {.preemptions = slow ? 4 : 3}},
              {large_graphs(), {.preemptions = slow ? 2 : 1}}};
  }
}

struct Counts {
  u64 cases = 0, runs = 0, states = 0, incomplete = 0;
};

// Explores a program; the outcome of the first failure, if any, and the case it came from.
Outcome examine(Engine& engine, const Program& p, const std::vector<Exploration>& through, Counts& counts,
                Case& failing) {
  for (const Exploration& part : through) {
    for (const Case& c : part.cases) {
      if (c.queries && !p.claims.queries) continue;
      Outcome o = part.walks > 0 ? engine.walk(p.body, p.claims, c, part.walks, part.limits.old_answers, 1)
                                 : engine.explore(p.body, p.claims, c, part.limits);
      ++counts.cases;
      counts.runs += o.runs;
      counts.states += o.states;
      counts.incomplete += o.complete ? 0 : 1;
      if (o.failed) {
        failing = c;
        return o;
      }
    }
  }
  return {};
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void print(const Program& p, bool clean, const Counts& t, double seconds, const Outcome& o, const Case& c) {
  std::cout << "{\"program\": " << quoted(p.name) << ", \"link\": " << quoted(p.link)
            << ", \"find\": " << quoted(p.find) << ", \"splice\": " << quoted(p.splice)
            << ", \"reads\": " << (p.stale ? "\"stale\"" : "\"fresh\"")
            << ", \"queries\": " << (p.claims.queries ? "true" : "false")
            << ", \"expected\": " << (clean ? "\"clean\"" : "\"failure\"") << ", \"cases\": " << t.cases
            << ", \"runs\": " << t.runs << ", \"states\": " << t.states << ", \"incomplete\": " << t.incomplete
            << ", \"seconds\": " << seconds << ", \"failure\": " << (o.failed ? quoted(o.what) : "null")
            << ", \"case\": " << (o.failed ? quoted(c.text()) : "null")
            << ", \"trace\": " << (o.failed ? quoted(o.trace) : "null") << "}" << std::endl;
}

int check(bool slow, u64 part, u64 parts, const std::string& only) {
  const auto engine = std::make_unique<Engine>();
  int bad = 0;
  u64 number = 0;
  std::vector<Program> programs = registry_programs();
  for (const auto* more : {&system_programs(), &round_programs(), &stream_programs()})
    programs.insert(programs.end(), more->begin(), more->end());
  for (const Program& p : programs) {
    if (p.reason != nullptr || p.name.find(only) == std::string::npos || number++ % parts != part) continue;
    const Clock clock;
    Counts counts;
    Case failing;
    const auto through = p.standalone ? standalone_explorations(p, slow) : explorations(p.stale, slow, p.brief);
    const Outcome o = examine(*engine, p, through, counts, failing);
    print(p, expected_clean(p), counts, clock.seconds(), o, failing);
    bad += o.failed == expected_clean(p) ? 1 : 0;
  }
  return bad == 0 ? 0 : 1;
}

// Everything that must fail: forbidden combinations, claims that rules which move subtrees do not make, and the
// mutants.
std::vector<Program> unsound() {
  std::vector<Program> out;
  for (const Program& p : registry_programs()) {
    if (p.reason != nullptr) {
      out.push_back(p);
      // They lose an edge; that they also link without a callback shows sooner, and is not checked.
      out.back().claims.links = out.back().claims.forest = out.back().claims.queries = false;
    } else if (p.claims.moves_subtrees && !p.stale && p.brief == 0) {
      out.push_back(p);
      out.back().name += "+forest";
      out.back().claims.forest = true;
      if (p.name.find("+owners") != std::string::npos) continue;  // no query is asked while vertices have owners
      out.push_back(p);
      out.back().name += "+queries";
      out.back().claims.queries = true;
    }
  }
  for (const Program& p : mutants()) out.push_back(p);
  for (const Program& p : system_mutants()) out.push_back(p);
  for (const Program& p : round_mutants()) out.push_back(p);
  for (const Program& p : stream_mutants()) out.push_back(p);
  return out;
}

std::string file_name(const Program& p) {
  std::string out;
  for (const char c : p.name) out += c == '(' || c == ',' || c == '+' ? '.' : c;
  std::erase(out, ')');
  return out + (p.stale ? ".stale" : "") + ".txt";
}

void write_counterexample(const std::string& folder, const Program& p, const Case& c, const Outcome& o) {
  std::ofstream out(folder + "/" + file_name(p));
  out << "program " << p.name << "\nreads " << (p.stale ? "stale" : "fresh") << "\ncase " << c.text() << "\nschedule";
  const auto& s = o.schedule.threads;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t j = i;
    while (j < s.size() && s[j] == s[i]) ++j;
    out << ' ' << s[i] << 'x' << j - i;
    i = j;
  }
  out << "\nanswers";
  if (p.stale) {
    for (const u64 a : o.schedule.answers) out << ' ' << a;
  }
  if (!o.schedule.turns.empty()) {
    out << "\nturns";
    for (const bool yes : o.schedule.turns) out << (yes ? " 1" : " 0");
  }
  out << "\nexpect " << o.what << "\n";
  std::istringstream trace(o.trace);
  std::string line;
  for (int lines = 0; std::getline(trace, line) && lines < 120; ++lines) out << "# " << line << "\n";
  if (!out) throw std::runtime_error("cannot write to " + folder);
}

int hunt(const std::string& only, const std::string& folder) {
  const auto engine = std::make_unique<Engine>();
  int bad = 0;
  for (const Program& p : unsound()) {
    if (p.name.find(only) == std::string::npos) continue;
    const Clock clock;
    Counts counts;
    Case failing;
    std::vector<Exploration> through;
    const auto add = [&](std::vector<Case> cases) {
      for (const auto staleness : {Staleness::any, Staleness::cached}) {
        if (p.stale || staleness == Staleness::any) {
          through.push_back(
              {cases, {.preemptions = p.brief > 0 ? 1 : 3, .old_answers = p.stale ? 1 : 0, .staleness = staleness}});
        }
      }
    };
    if (p.start == Start::forest) {
      through.push_back({batches(), {.preemptions = 3}});
    } else if (p.standalone) {
      if (p.claims.forest) through.push_back({unlisted_edges(), {.preemptions = 0}});
      through.push_back({p.start == Start::stars ? stars(200) : graphs(20), {.preemptions = 4}});
      if (p.start == Start::singletons) through.push_back({large_graphs(), {.preemptions = 2}});
    } else {
      add(zoo());
      add(sequence(0, 20000));
    }
    const Outcome o = examine(*engine, p, through, counts, failing);
    print(p, false, counts, clock.seconds(), o, failing);
    bad += o.failed ? 0 : 1;
    if (o.failed && !folder.empty()) write_counterexample(folder, p, failing, o);
  }
  return bad == 0 ? 0 : 1;
}

int replay(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot open " + file);
  std::string name, expect, word;
  bool stale = false;
  Case c;
  Schedule schedule;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (!(words >> word) || word[0] == '#') continue;
    const std::string rest = line.size() > word.size() + 1 ? line.substr(word.size() + 1) : "";
    if (word == "program") name = rest;
    if (word == "reads") stale = rest == "stale";
    if (word == "case") c = Case::parse(rest);
    if (word == "expect") expect = rest;
    if (word == "schedule") {
      for (std::string run; words >> run;) {
        const auto x = run.find('x');
        schedule.threads.insert(schedule.threads.end(), std::stoul(run.substr(x + 1)), std::stoi(run.substr(0, x)));
      }
    }
    if (word == "answers") {
      for (u64 a; words >> a;) schedule.answers.push_back(a);
    }
    if (word == "turns") {
      for (int yes; words >> yes;) schedule.turns.push_back(yes != 0);
    }
  }
  for (const Program& p : unsound()) {
    if (p.name != name || p.stale != stale) continue;
    const auto engine = std::make_unique<Engine>();
    const Outcome o = engine->replay(p.body, p.claims, c, schedule);
    std::cout << "{\"file\": " << quoted(file) << ", \"expected\": " << quoted(expect)
              << ", \"failure\": " << (o.failed ? quoted(o.what) : "null") << "}" << std::endl;
    return o.failed && o.what == expect ? 0 : 1;
  }
  throw std::runtime_error(file + ": there is no unsound program \"" + name + "\"");
}

int main_(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  bool slow = false;
  u64 part = 0, parts = 1;
  std::string only, folder;
  std::vector<std::string> files;
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.rfind("--", 0) != 0) {
      files.push_back(option);
      continue;
    }
    if (++i == argc) throw std::invalid_argument(option + " needs a value");
    const std::string value = argv[i];
    if (option == "--depth" && (value == "fast" || value == "slow")) {
      slow = value == "slow";
    } else if (option == "--part" && value.find('/') != std::string::npos) {
      part = std::stoull(value);
      parts = std::stoull(value.substr(value.find('/') + 1));
    } else if (option == "--only") {
      only = value;
    } else if (option == "--write") {
      folder = value;
    } else {
      throw std::invalid_argument("unknown option " + option + " " + value);
    }
  }
  if (command == "check") return check(slow, part, parts, only);
  if (command == "hunt") return hunt(only, folder);
  if (command == "replay") {
    int bad = 0;
    for (const auto& file : files) bad |= replay(file);
    return bad;
  }
  throw std::invalid_argument("usage: explore check|hunt|replay ..");
}

}  // namespace
}  // namespace lb::explore

int main(int argc, char** argv) {
  try {
    return lb::explore::main_(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "explore: " << e.what() << std::endl;
    return 2;
  }
}

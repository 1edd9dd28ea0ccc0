#include "engine.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "landbridge/memory.hpp"
#include "landbridge/random.hpp"

namespace lb::explore {
namespace {

u64 cell_digest(int array, u64 x, u64 v) { return mix(static_cast<u64>(array) << 8 | x, v); }

int nth_bit(unsigned set, int n) {
  while (n-- > 0) set &= set - 1;
  return std::countr_zero(set);
}

std::string name(u64 v) { return v == none<u64> ? "none" : std::to_string(v); }

}  // namespace

Engine* Engine::current = nullptr;

Engine::Engine() : table_(std::size_t{1} << 16) {}

// ---- sets of vertices

Engine::Sets Engine::singletons() {
  Sets s{};
  for (int x = 0; x < max_vertices; ++x) s[static_cast<std::size_t>(x)] = static_cast<unsigned char>(x);
  return s;
}
int Engine::find(const Sets& s, int x) { return s[static_cast<std::size_t>(x)]; }
bool Engine::join(Sets& s, int x, int y) {
  const auto a = s[static_cast<std::size_t>(x)];
  const auto b = s[static_cast<std::size_t>(y)];
  if (a == b) return false;
  for (auto& c : s) {
    if (c == b) c = a;
  }
  return true;
}

// ---- cells

u64 Engine::parent_in(u64 word, u64 x) const { return claims_.ranked ? RankedCell::parent(word, x) : word; }

u64 Engine::root_of(u64 x) const {
  for (int step = 0; step <= case_->n; ++step) {
    const u64 p = parent_in(cells_[0][x], x);
    if (p == x) return x;
    x = p;
  }
  return none<u64>;  // a cycle
}

std::string Engine::cell_text(int array, u64 v) const {
  if (array != 0 || !claims_.ranked) return name(v);
  const std::string rank = " of rank " + std::to_string(RankedCell::rank(v));
  return RankedCell::is_root(v) ? "root" + rank : "child" + rank + " below " + name(v & RankedCell::parent_mask);
}

// ---- one run

void Engine::prepare(Body body, const Claims& claims, const Case& c) {
  body_ = body;
  claims_ = claims;
  case_ = &c;
  thread_count_ = static_cast<int>(c.threads.size());
  truth_ = singletons();
  initial_digest_ = 0;
  int roots = 0;
  for (int i = 0; i < c.n; ++i) {
    const auto x = static_cast<std::size_t>(i);
    const auto p = static_cast<u64>(c.parent[x]);
    const bool root = c.parent[x] == i;
    roots += root ? 1 : 0;
    initial_[0][x] = !claims.ranked ? p : root ? RankedCell::root(0) : RankedCell::child(0, p);
    initial_[1][x] = none<u64>;
    for (int a = 0; a < 2; ++a) initial_digest_ ^= cell_digest(a, x, initial_[static_cast<std::size_t>(a)][x]);
    join(truth_, i, c.parent[x]);
  }
  for (auto x = static_cast<std::size_t>(c.n); x < max_cells; ++x) initial_[0][x] = initial_[1][x] = none<u64>;
  for (const auto& thread : c.threads) {
    for (const auto& op : thread) {
      if (!op.query) join(truth_, op.u, op.v);
    }
  }
  int components = 0;
  for (int i = 0; i < c.n; ++i) {
    int low = 0;
    while (find(truth_, low) != find(truth_, i)) ++low;
    smallest_[static_cast<std::size_t>(i)] = static_cast<unsigned char>(low);
    components += low == i ? 1 : 0;
  }
  expected_links_ = roots - components;
}

void Engine::reset() {
  cells_ = initial_;
  cells_digest_ = initial_digest_;
  history_digest_ = 0;
  if (limits_.old_answers > 0) {
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(case_->n); ++x) {
        values_[a][x][0] = initial_[a][x];
        value_count_[a][x] = 1;
      }
    }
  }
  for (int t = 0; t < thread_count_; ++t) {
    auto& thread = threads_[static_cast<std::size_t>(t)];
    thread.fiber.prepare(&Engine::enter);
    thread.history = static_cast<u64>(t) + 1;
    thread.accesses = 0;
    thread.arrived = false;
    thread.opening = nullptr;
    if (limits_.old_answers > 0) thread.cached = {};
  }
  runnable_ = (1u << thread_count_) - 1;
  blocked_ = waiting_ = finished_ = 0;
  preemptions_left_ = limits_.preemptions;
  old_answers_left_ = limits_.old_answers;
  turns_left_ = limits_.turns;
  owner_.fill(-1);
  links_ = 0;
  done_ops_ = started_ops_ = 0;
  answered_ = singletons();
  failed_ = false;
  position_ = 0;
  now_ = -1;
  thread_position_ = answer_position_ = turn_position_ = 0;
}

void Engine::enter() {
  Engine& e = *current;
  e.body_(e, e.now_);
  e.finish();
}

void Engine::run() {
  reset();
  current = this;
  leave();
  // Back on the main fiber. A run that was cut off has threads left.
  if (!failed_ && runnable_ == 0 && blocked_ == 0 && waiting_ == 0) check_end();
}

void Engine::switch_to(int thread) {
  const int from = now_;
  now_ = thread;
  threads_[static_cast<std::size_t>(thread)].arrived = true;
  if (from == thread) return;
  Fiber::change(from < 0 ? main_ : threads_[static_cast<std::size_t>(from)].fiber,
                threads_[static_cast<std::size_t>(thread)].fiber);
}

void Engine::stop() {
  Fiber::change(threads_[static_cast<std::size_t>(now_)].fiber, main_);
  __builtin_unreachable();
}

void Engine::fail(std::string what) {
  failed_ = true;
  what_.swap(what);
  std::string().swap(what);  // this frame never ends
  stop();
}

int Engine::choose(int count) {
  int choice = 0;
  if (!live()) {
    choice = choices_[position_].taken;
  } else {
    if (mode_ == Mode::random) {
      random_ = mix(random_, 1);
      const auto draw = static_cast<int>(below(random_, static_cast<u64>(3 * count)));
      choice = draw < count ? draw : 0;
    }
    choices_.push_back({static_cast<unsigned char>(choice), static_cast<unsigned char>(count)});
  }
  ++position_;
  return choice;
}

// Before an access of the running thread: another thread may go first.
void Engine::point() {
  auto& self = threads_[static_cast<std::size_t>(now_)];
  if (self.accesses >= access_limit) {
    fail("livelock: thread " + std::to_string(now_) + " has made " + std::to_string(access_limit) + " accesses");
  }
  if (!self.arrived) {
    const unsigned others = runnable_ & ~(1u << now_);
    if (mode_ == Mode::replay) {
      if (thread_position_ < schedule_.threads.size()) {
        const int next = schedule_.threads[thread_position_];
        if (next != now_) {
          if ((others >> next & 1) == 0) {
            misfit_ = "access " + std::to_string(thread_position_) + ": thread " + std::to_string(next) + " cannot run";
            stop();
          }
          switch_to(next);
        }
      }
    } else {
      // States are looked up only where there is something to choose: the way to the next one is short.
      if (others != 0 && preemptions_left_ != 0) {
        if (searching() && visited()) stop();
        const int choice = choose(1 + std::popcount(others));
        if (choice > 0) {
          if (preemptions_left_ > 0) --preemptions_left_;
          switch_to(nth_bit(others, choice - 1));
        }
      }
    }
  }
  self.arrived = false;
  ++self.accesses;
  ++thread_position_;
  if (recording_) schedule_.threads.push_back(now_);
  if (self.opening != nullptr) {
    const Op& op = *self.opening;
    self.opening = nullptr;
    started_ops_ |= 1u << op.number;
    if (op.query) {
      // As late as possible, so that the answer must be right about as much as possible.
      self.known = answered_;
      for (int x = 0; x < case_->n; ++x) join(self.known, x, case_->parent[static_cast<std::size_t>(x)]);
      for (const auto& thread : case_->threads) {
        for (const auto& other : thread) {
          if (!other.query && (done_ops_ >> other.number & 1) != 0) join(self.known, other.u, other.v);
        }
      }
      for (int x = 0; x < case_->n; ++x) note(self.known[static_cast<std::size_t>(x)]);
    }
  }
}

// The running thread cannot go on, or there is none yet: another one does.
void Engine::leave() {
  if (runnable_ == 0) {
    if (blocked_ != 0) fail("deadlock: every thread left waits for another");
    if (waiting_ != 0) fail("a barrier that not all threads come to");
    stop();
  }
  int next = 0;
  if (mode_ == Mode::replay) {
    next =
        thread_position_ < schedule_.threads.size() ? schedule_.threads[thread_position_] : std::countr_zero(runnable_);
    // The thread of the next access may wait for others that make none before the barrier.
    if ((waiting_ >> next & 1) != 0) next = std::countr_zero(runnable_);
    if ((runnable_ >> next & 1) == 0) {
      misfit_ = "access " + std::to_string(thread_position_) + ": thread " + std::to_string(next) + " cannot run";
      stop();
    }
  } else {
    if (now_ >= 0 && searching() && visited()) stop();
    const int count = std::popcount(runnable_);
    next = nth_bit(runnable_, count > 1 ? choose(count) : 0);
  }
  switch_to(next);
}

void Engine::finish() {
  note(none<u64>);
  runnable_ &= ~(1u << now_);
  finished_ |= 1u << now_;
  leave();
  __builtin_unreachable();
}

void Engine::pause() {
  runnable_ &= ~(1u << now_);
  blocked_ |= 1u << now_;
  leave();
}

void Engine::refresh_caches() {
  if (limits_.old_answers == 0) return;
  for (int t = 0; t < thread_count_; ++t) {
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(case_->n); ++x) {
        threads_[static_cast<std::size_t>(t)].cached[a][x] = static_cast<unsigned char>(value_count_[a][x] - 1);
      }
    }
  }
}

void Engine::barrier() {
  note(~none<u64>);
  runnable_ &= ~(1u << now_);
  waiting_ |= 1u << now_;
  if ((runnable_ | blocked_) == 0 && finished_ == 0) {
    refresh_caches();
    runnable_ = waiting_;
    waiting_ = 0;
  }
  leave();
}

bool Engine::either() {
  bool yes = false;
  if (mode_ == Mode::replay) {
    yes = turn_position_ < schedule_.turns.size() && schedule_.turns[turn_position_++];
  } else if (turns_left_ > 0) {
    if (searching() && visited()) stop();
    yes = choose(2) == 1;
    if (yes) --turns_left_;
  }
  note(yes ? 3 : 2);
  if (recording_) {
    schedule_.turns.push_back(yes);
    trace_ += "thread " + std::to_string(now_) + ": either way: " + (yes ? "yes" : "no") + "\n";
  }
  return yes;
}

// ---- accesses

void Engine::note(u64 v) {
  auto& h = threads_[static_cast<std::size_t>(now_)].history;
  h = (h ^ v) * 0x9fb21c651e98df25u + 0x632be59bd9b4e019u;
  h ^= h >> 31;
}

void Engine::log(const char* what, int array, u64 x, const std::string& rest) {
  trace_ += "thread " + std::to_string(now_) + ": " + (array == 0 ? "" : "aux ") + what + " " + std::to_string(x) +
            rest + "\n";
}

u64 Engine::load(int array, u64 x) {
  point();
  const u64 v = cells_[static_cast<std::size_t>(array)][x];
  note(v);
  if (recording_) log("load", array, x, " = " + cell_text(array, v));
  return v;
}

u64 Engine::load_stale(int array, u64 x) {
  point();
  const auto a = static_cast<std::size_t>(array);
  u64 v = cells_[a][x];
  if (limits_.old_answers > 0) {
    auto& self = threads_[static_cast<std::size_t>(now_)];
    const int count = value_count_[a][x];
    int options[max_history] = {};  // positions in the cell's history
    int some = 0;
    if (mode_ == Mode::replay) {
      const u64 answer = answer_position_ < schedule_.answers.size() ? schedule_.answers[answer_position_++] : v;
      for (int i = 0; i < count; ++i) {
        if (values_[a][x][static_cast<std::size_t>(i)] == answer) options[0] = i, some = 1;
      }
      if (some == 0) {
        misfit_ = "access " + std::to_string(thread_position_ - 1) + ": vertex " + std::to_string(x) +
                  " never contained " + cell_text(array, answer);
        stop();
      }
    } else if (limits_.staleness == Staleness::any) {
      for (int i = count; i-- > 0;) {
        bool twice = false;
        for (int j = 0; j < some; ++j) {
          twice |= values_[a][x][static_cast<std::size_t>(i)] == values_[a][x][static_cast<std::size_t>(options[j])];
        }
        if (!twice) options[some++] = i;
      }
    } else {
      for (int i = self.cached[a][x]; i < count; ++i) options[some++] = i;
    }
    int choice = 0;
    if (some > 1 && old_answers_left_ > 0) {
      if (preemptions_left_ == 0 && searching() && visited()) stop();  // not looked up by point()
      choice = choose(some);
      if (choice > 0) --old_answers_left_;
    }
    self.cached[a][x] = static_cast<unsigned char>(options[choice]);
    v = values_[a][x][static_cast<std::size_t>(options[choice])];
    note(static_cast<u64>(options[choice]));
  }
  note(v);
  if (recording_) {
    schedule_.answers.push_back(v);
    log("stale load", array, x,
        " = " + cell_text(array, v) + (v == cells_[a][x] ? "" : " (contains " + cell_text(array, cells_[a][x]) + ")"));
  }
  return v;
}

void Engine::store(int array, u64 x, u64 v) {
  point();
  note(1);
  if (recording_) log("store", array, x, " := " + cell_text(array, v));
  write(array, x, v);
}

u64 Engine::compare_exchange(int array, u64 x, u64 old, u64 v) {
  point();
  const u64 previous = cells_[static_cast<std::size_t>(array)][x];
  note(previous);
  if (recording_) {
    log("compare_exchange", array, x,
        " from " + cell_text(array, old) + " to " + cell_text(array, v) +
            (previous == old ? "" : ": fails at " + cell_text(array, previous)));
  }
  if (previous == old) write(array, x, v);
  return previous;
}

u64 Engine::fetch_min(int array, u64 x, u64 v) {
  point();
  const u64 previous = cells_[static_cast<std::size_t>(array)][x];
  note(previous);
  if (recording_) log("fetch_min", array, x, " with " + cell_text(array, v) + ", from " + cell_text(array, previous));
  if (v < previous) write(array, x, v);
  return previous;
}

void Engine::shorten(int array, u64 x, u64 v) {
  point();
  const u64 previous = cells_[static_cast<std::size_t>(array)][x];
  note(previous);  // either() looks a state up that point() has not seen
  const bool stores = v < previous || (previous < v && either());
  if (recording_) log(stores ? "shorten" : "shorten in vain", array, x, " to " + cell_text(array, v));
  if (stores) write(array, x, v, true);
}

void Engine::write(int array, u64 x, u64 v, bool raises) {
  const auto a = static_cast<std::size_t>(array);
  const u64 old = cells_[a][x];
  if (old == v) return;
  if (array == 0) check_write(x, old, v, raises);
  cells_digest_ ^= cell_digest(array, x, old) ^ cell_digest(array, x, v);
  cells_[a][x] = v;
  runnable_ |= blocked_;
  blocked_ = 0;
  if (limits_.old_answers > 0 && x < max_vertices) {
    const std::size_t count = value_count_[a][x];
    if (count == max_history) fail("vertex " + std::to_string(x) + " has had too many values for the explorer");
    values_[a][x][count] = v;
    value_count_[a][x] = static_cast<unsigned char>(count + 1);
    history_digest_ ^= cell_digest(array, x + 32 * count, v);
  }
}

// The invariants of a parent array, at every single write.
void Engine::check_write(u64 x, u64 old, u64 v, bool raises) {
  const auto refuse = [&](const char* why) {
    fail(std::string(why) + ": vertex " + std::to_string(x) + " has " + cell_text(0, old) + " and gets " +
         cell_text(0, v));
  };
  const u64 before = parent_in(old, x);
  const u64 after = parent_in(v, x);
  if (after >= static_cast<u64>(case_->n)) refuse("a parent is no vertex");
  if (before != x && after == x) refuse("a child becomes a root again");
  if (find(truth_, static_cast<int>(after)) != find(truth_, static_cast<int>(x)))
    refuse("a parent in another component");
  if (claims_.ranked) {
    if (RankedCell::rank(v) < RankedCell::rank(old)) refuse("a rank falls");
  } else {
    if (claims_.ordered && after > x) refuse("a parent is larger than its child");
    if (!claims_.blind_store && !raises && after > before) refuse("a parent is raised");
  }
  if (after == x) return;
  const u64 root = root_of(after);
  if (root == x) refuse("a cycle");
  if (before != x && !claims_.moves_subtrees && root != root_of(x)) refuse("a child changes trees");
}

void Engine::check_end() {
  const auto refuse = [&](const std::string& why) {
    failed_ = true;
    what_ = why;
  };
  Sets result = singletons();
  for (int i = 0; i < case_->n; ++i) {
    const u64 r = root_of(static_cast<u64>(i));
    if (r == none<u64>) return refuse("a cycle at vertex " + std::to_string(i));
    if (!claims_.ranked && claims_.ordered && r > smallest_[static_cast<std::size_t>(i)]) {
      return refuse("a lost link: vertex " + std::to_string(i) + " ends below " + name(r) +
                    ", its component begins at " + std::to_string(smallest_[static_cast<std::size_t>(i)]));
    }
    join(result, i, static_cast<int>(r));
  }
  for (int i = 0; i < case_->n; ++i) {
    for (int j = 0; j < i; ++j) {
      if ((find(result, i) == find(result, j)) != (find(truth_, i) == find(truth_, j))) {
        return refuse("vertices " + std::to_string(j) + " and " + std::to_string(i) + " are " +
                      (find(result, i) == find(result, j) ? "in one tree" : "in two trees"));
      }
    }
  }
  if (claims_.links && links_ != expected_links_) {
    return refuse(std::to_string(links_) + " callbacks for " + std::to_string(expected_links_) + " links");
  }
  if (!claims_.forest) return;
  Sets forest = singletons();
  for (int i = 0; i < case_->n; ++i) join(forest, i, case_->parent[static_cast<std::size_t>(i)]);
  for (int i = 0; i < case_->n; ++i) {
    const int number = owner_[static_cast<std::size_t>(i)];
    if (number < 0) continue;
    for (const auto& thread : case_->threads) {
      for (const auto& op : thread) {
        if (op.number == number && !join(forest, op.u, op.v)) {
          return refuse("the recorded edges have a cycle: " + std::to_string(op.u) + "-" + std::to_string(op.v) +
                        " closes it");
        }
      }
    }
  }
}

// ---- operations

void Engine::begin(const Op& op) { threads_[static_cast<std::size_t>(now_)].opening = &op; }

void Engine::begin_union(int number) { started_ops_ |= 1u << number; }

void Engine::end_union(const Op& op) {
  threads_[static_cast<std::size_t>(now_)].opening = nullptr;  // a self-loop may make no access
  started_ops_ |= 1u << op.number;
  done_ops_ |= 1u << op.number;
}

void Engine::end_query(const Op& op, bool connected) {
  const auto& known = threads_[static_cast<std::size_t>(now_)].known;
  const std::string question = std::to_string(op.u) + "?" + std::to_string(op.v);
  if (recording_) trace_ += "thread " + std::to_string(now_) + ": " + question + (connected ? " yes" : " no") + "\n";
  if (!connected && find(known, op.u) == find(known, op.v)) {
    fail("a wrong no: " + question + " were connected before it was asked");
  }
  if (connected) {
    Sets possible = singletons();
    for (int x = 0; x < case_->n; ++x) join(possible, x, case_->parent[static_cast<std::size_t>(x)]);
    for (const auto& thread : case_->threads) {
      for (const auto& other : thread) {
        if (!other.query && (started_ops_ >> other.number & 1) != 0) join(possible, other.u, other.v);
      }
    }
    if (find(possible, op.u) != find(possible, op.v)) fail("a wrong yes: nothing begun so far connects " + question);
    join(answered_, op.u, op.v);
  }
}

void Engine::linked(u64 root, int op) {
  if (recording_) trace_ += "thread " + std::to_string(now_) + ": link of root " + std::to_string(root) + "\n";
  ++links_;
  if (claims_.links && owner_[root] >= 0) fail("root " + std::to_string(root) + " is linked twice");
  owner_[root] = op;
}

// ---- the search

bool Engine::visited() {
  u64 key = cells_digest_ ^ scramble(history_digest_);
  for (int t = 0; t < thread_count_; ++t) {
    key = mix(key + threads_[static_cast<std::size_t>(t)].history, static_cast<u64>(t));
  }
  // Without a bound it does not matter which thread runs.
  const u64 running = limits_.preemptions < 0 ? 0 : static_cast<u64>(now_) + 1;
  key = scramble(key ^ (running << 40 | static_cast<u64>(blocked_) << 8 | static_cast<u64>(old_answers_left_)));
  const u64 mask = table_.size() - 1;
  for (u64 i = key & mask;; i = (i + 1) & mask) {
    Entry& e = table_[i];
    if (e.stamp != stamp_) {
      e = {key, stamp_, preemptions_left_};
      ++states_;
      if (++table_used_ * 2 > table_.size()) {
        std::vector<Entry> old(table_.size() * 2);
        old.swap(table_);
        const u64 wide = table_.size() - 1;
        for (const Entry& o : old) {
          if (o.stamp != stamp_) continue;
          u64 j = o.key & wide;
          while (table_[j].stamp == stamp_) j = (j + 1) & wide;
          table_[j] = o;
        }
      }
      return false;
    }
    if (e.key == key) {
      if (preemptions_left_ <= e.left) return true;
      e.left = preemptions_left_;
      return false;
    }
  }
}

Outcome Engine::report(Outcome out) {
  out.failed = true;
  out.what = what_;
  recording_ = true;
  schedule_ = {};
  trace_.clear();
  mode_ = Mode::search;
  prefix_ = choices_.size();
  run();
  recording_ = false;
  out.schedule = schedule_;
  out.trace = trace_;
  return out;
}

Outcome Engine::explore(Body body, const Claims& claims, const Case& c, const Limits& limits) {
  prepare(body, claims, c);
  mode_ = Mode::search;
  Outcome out;
  states_ = 0;
  for (int bound = limits.preemptions < 0 ? -1 : 0; bound <= limits.preemptions; ++bound) {
    limits_ = limits;
    limits_.preemptions = bound;
    ++stamp_;
    table_used_ = 0;
    choices_.clear();
    prefix_ = 0;
    for (;;) {
      run();
      ++out.runs;
      out.states = states_;
      if (failed_) return report(out);
      if (out.runs >= limits.runs) {
        out.complete = false;
        return out;
      }
      while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().count) choices_.pop_back();
      if (choices_.empty()) break;
      ++choices_.back().taken;
      prefix_ = choices_.size();
    }
  }
  return out;
}

Outcome Engine::walk(Body body, const Claims& claims, const Case& c, u64 runs, int old_answers, u64 seed) {
  prepare(body, claims, c);
  limits_ = {.preemptions = -1, .old_answers = old_answers};
  random_ = seed;
  Outcome out;
  for (u64 i = 0; i < runs; ++i) {
    mode_ = Mode::random;
    choices_.clear();
    prefix_ = 0;
    run();
    ++out.runs;
    if (failed_) return report(out);
  }
  return out;
}

Outcome Engine::replay(Body body, const Claims& claims, const Case& c, const Schedule& schedule) {
  for (const int t : schedule.threads) {
    if (t < 0 || t >= static_cast<int>(c.threads.size())) {
      throw std::runtime_error("the schedule has thread " + std::to_string(t) + ", which the case does not have");
    }
  }
  prepare(body, claims, c);
  limits_ = {.preemptions = -1, .old_answers = schedule.answers.empty() ? 0 : 1};
  mode_ = Mode::replay;
  choices_.clear();
  prefix_ = 0;
  schedule_ = schedule;
  misfit_.clear();
  run();
  if (!misfit_.empty()) throw std::runtime_error("the rule does not follow the schedule: " + misfit_);
  Outcome out;
  out.runs = 1;
  out.failed = failed_;
  out.what = failed_ ? what_ : "";
  out.schedule = schedule;
  return out;
}

}  // namespace lb::explore

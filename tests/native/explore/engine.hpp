// The schedule explorer. Threads are fibers; before every access to a shared cell the engine chooses which thread goes
// on. A run is a sequence of choices (which thread; which value a stale read returns), so exploring is a depth-first
// search over such sequences: run, change the last choice that has an alternative, run again.
//
// Two runs that reach the same state (cells, what each thread has read so far, which thread runs) have the same future,
// so the second is cut off there. That loses nothing: every schedule within the bounds is a path through states that
// were all visited, and every check is made on states or on single steps.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "case.hpp"
#include "fiber.hpp"

namespace lb::explore {

// What a rule claims, and is checked for besides the partition, which every rule must leave.
struct Claims {
  bool ranked = false;          // cells hold ranks; otherwise roots must be the smallest vertices of their trees
  bool blind_store = false;     // a pointer may be raised again, to another ancestor
  bool moves_subtrees = false;  // a vertex may leave its tree; otherwise only a root's pointer changes trees
  bool links = true;            // one callback for each root that becomes a child
  bool forest = false;          // the edges of the callbacks are a spanning forest
  bool queries = false;         // questions beside unions are answered right
  bool ordered = true;  // parents are smaller than their children, so roots end as the smallest vertices of their trees
};

// How stale reads answer.
enum class Staleness {
  any,     // with the newest value; each older one instead costs one of `old_answers`
  cached,  // with what the thread got last, at first the value before the run, as from a cache that is refreshed at
           // barriers alone; each newer one instead costs one of `old_answers`
};

struct Limits {
  int preemptions = 3;  // switches away from a thread that could go on; negative: no bound
  int old_answers = 0;
  Staleness staleness = Staleness::any;
  int turns = 2;            // so often either() is true
  u64 runs = u64{1} << 62;  // end after so many
};

// Everything that determines one run.
struct Schedule {
  std::vector<int> threads;  // of the first, second, .. access
  std::vector<u64> answers;  // of the stale reads
  std::vector<bool> turns;   // the answers of either()
};

struct Outcome {
  u64 runs = 0;
  u64 states = 0;
  bool complete = true;  // false if Limits::runs was reached
  bool failed = false;
  std::string what;   // the first failure
  Schedule schedule;  // the run that shows it
  std::string trace;  // its accesses, one per line
};

class Engine {
 public:
  // The body of thread t: performs the operations of the case through CheckedMemory.
  using Body = void (*)(Engine&, int thread);

  Engine();

  // All schedules of a case within the limits, those with fewer preemptions first; stops at the first
  // failure.
  Outcome explore(Body body, const Claims& claims, const Case& c, const Limits& limits);
  // `runs` random schedules. Deterministic in `seed`.
  Outcome walk(Body body, const Claims& claims, const Case& c, u64 runs, int old_answers, u64 seed);
  // One schedule. Throws std::runtime_error if the rule does not follow it.
  Outcome replay(Body body, const Claims& claims, const Case& c, const Schedule& schedule);

  // For CheckedMemory. Array 0 holds the parents, array 1 the auxiliary cells.
  u64 load(int array, u64 x);
  u64 load_stale(int array, u64 x);
  void store(int array, u64 x, u64 v);
  u64 compare_exchange(int array, u64 x, u64 old, u64 v);
  u64 fetch_min(int array, u64 x, u64 v);
  // Writes v over what is larger, and over what is smaller or not: memories differ there, so both are explored. Such
  // a write alone may raise a parent under rules that never do.
  void shorten(int array, u64 x, u64 v);
  void pause();
  // Every thread that has not ended waits here until all of them do. Any of them may go on then.
  void barrier();
  // A free choice: both answers are explored, with a yes as often as Limits::turns allows.
  bool either();

  // For the bodies.
  const Case& graph() const { return *case_; }
  int thread() const { return now_; }  // that runs
  const std::vector<Op>& ops(int thread) const { return case_->threads[static_cast<std::size_t>(thread)]; }
  void begin(const Op& op);
  void begin_union(int number);  // without an access of its own
  void end_union(const Op& op);
  void end_query(const Op& op, bool connected);
  void linked(u64 root, int op);
  // Ends the run: what it does is wrong, whatever its result.
  [[noreturn]] void fail(std::string what);

  // The engine whose fibers run now.
  static Engine* current;

 private:
  static constexpr int access_limit = 600;  // of one thread: far above what any small case takes
  static constexpr int max_history = 24;
  static constexpr int max_cells = 32;                   // of an array; stale reads only of the first max_vertices
  using Sets = std::array<unsigned char, max_vertices>;  // vertex -> the representative of its set

  struct Thread {
    Fiber fiber;
    u64 history;  // a digest of every value it has read
    int accesses;
    bool arrived;                                                   // was switched to and has made no access since
    const Op* opening;                                              // an operation whose first access is still to come
    Sets known;                                                     // what was connected when its query began
    std::array<std::array<unsigned char, max_vertices>, 2> cached;  // position in the cell's history
  };
  struct Choice {
    unsigned char taken, count;
  };
  enum class Mode { search, random, replay };

  static void enter();
  void refresh_caches();
  void prepare(Body body, const Claims& claims, const Case& c);
  void reset();
  void run();
  Outcome report(Outcome out);

  bool live() const { return position_ >= prefix_; }
  // Behind the prefix of choices, where a visited state ends the run.
  bool searching() const { return mode_ == Mode::search && live() && !recording_; }
  int choose(int count);
  void point();
  void leave();
  void switch_to(int thread);
  [[noreturn]] void stop();
  void finish();

  void note(u64 v);
  void write(int array, u64 x, u64 v, bool raises = false);
  void check_write(u64 x, u64 old, u64 v, bool raises);
  void check_end();
  void log(const char* what, int array, u64 x, const std::string& rest);
  std::string cell_text(int array, u64 v) const;
  u64 parent_in(u64 word, u64 x) const;
  u64 root_of(u64 x) const;
  bool visited();

  static int find(const Sets& s, int x);
  static bool join(Sets& s, int x, int y);
  static Sets singletons();

  Body body_ = nullptr;
  Claims claims_;
  const Case* case_ = nullptr;
  Mode mode_ = Mode::search;
  Limits limits_;
  std::array<Thread, max_threads> threads_;
  Fiber main_;
  int thread_count_ = 0;

  // The state of a run.
  std::array<std::array<u64, max_cells>, 2> cells_, initial_;
  std::array<std::array<std::array<u64, max_history>, max_vertices>, 2> values_;
  std::array<std::array<unsigned char, max_vertices>, 2> value_count_;
  u64 cells_digest_ = 0, initial_digest_ = 0, history_digest_ = 0;
  int now_ = -1;
  unsigned runnable_ = 0, blocked_ = 0, waiting_ = 0, finished_ = 0;  // waiting_: at a barrier
  int preemptions_left_ = 0, old_answers_left_ = 0, turns_left_ = 0;
  std::array<int, max_vertices> owner_;
  int links_ = 0;
  unsigned done_ops_ = 0, started_ops_ = 0;
  Sets answered_;  // pairs that a query has answered to be connected
  bool failed_ = false;
  std::string what_;

  // What a case is measured by.
  Sets truth_;
  std::array<unsigned char, max_vertices> smallest_;
  int expected_links_ = 0;

  // The search.
  std::vector<Choice> choices_;
  std::size_t position_ = 0, prefix_ = 0;
  struct Entry {
    u64 key;
    unsigned stamp;
    int left;
  };
  std::vector<Entry> table_;
  u64 table_used_ = 0, states_ = 0;
  unsigned stamp_ = 0;

  u64 random_ = 0;
  bool recording_ = false;
  Schedule schedule_;
  std::size_t thread_position_ = 0, answer_position_ = 0, turn_position_ = 0;
  std::string trace_;
  std::string misfit_;
};

}  // namespace lb::explore

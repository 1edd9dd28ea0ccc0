// Incremental connectivity on CPU threads: batches of inserts and queries over vertices that may turn up at any time.
#pragma once
#include <pthread.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph.hpp"
#include "memory.hpp"

namespace lb::core {

// Many may hold it together, or one alone; one who wants it alone is let in before those who come later.
class SharedMutex {
 public:
  SharedMutex();
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void enter(bool alone) { alone ? pthread_rwlock_wrlock(&lock_) : pthread_rwlock_rdlock(&lock_); }
  bool try_enter(bool alone) {
    return (alone ? pthread_rwlock_trywrlock(&lock_) : pthread_rwlock_tryrdlock(&lock_)) == 0;
  }
  void leave() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

// Calls from any number of threads at once are safe. Beside rules that may be mixed, each insert and each query takes
// effect at one moment between its call and its return (linearizable); with the others a batch of inserts runs alone.
// Arrays are validated before anything changes: a call that throws InputError or std::bad_alloc has changed nothing.
//
// Every function that takes ids says `is_signed` of them; `what` names an entry in messages ("edge 17: ...").
class Incremental {
 public:
  // How many vertices cells of 32 bits hold at most; tests ask for fewer.
  static constexpr i64 largest_narrow = (i64{1} << 31) - 1;
  // none: a call that would have to wait for others, or to grow, returns false and has done nothing.
  enum class Patience { none, all };

  // Vertices 0..vertices-1, each alone. link: also the name of an algorithm in rounds, with its words. Throws
  // InputError for rules that no stream has. alone_if_free: a batch that one thread inserts keeps everybody else out if
  // nobody is in, which spares that thread all locked instructions; for feeders of which mostly one inserts.
  Incremental(const std::string& link, const std::string& find, const std::string& splice, i64 vertices, int threads,
              bool keep_forest, i64 narrow_most = largest_narrow, std::vector<std::string> words = {},
              bool alone_if_free = false);
  ~Incremental();

  // One more than the largest vertex known; vertices beyond are alone, too.
  i64 vertices() const { return vertices_.load(std::memory_order_acquire); }
  // Components of the vertices known. Exact when no call runs; of batches that run it counts the links made so far.
  i64 count() const;
  // Operations applied so far: the position of the next one.
  u64 position() const { return position_.load(std::memory_order_acquire); }
  bool mixed() const { return mixed_; }
  bool keeps_forest() const { return keep_forest_; }

  // Checks a batch, of edges alone where is_query is null, and makes room for its vertices and at least `vertices`:
  // whatever a call with it would refuse is thrown here. Nothing that can be asked for changes.
  void make_ready(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool is_signed, i64 vertices);
  bool insert(const IdArray& u, const IdArray& v, i64 count, bool is_signed, Patience patience);
  // From now on `insert` refuses vertices not below n: InputError "edge 17: vertex 9 is out of range for n = 9".
  void refuse_from(i64 n) { limit_ = static_cast<u64>(n); }
  // Edges of another stream of `vertices` vertices and `advance` operations, as if that one came now: edge i was its
  // operation at[i]. `at` may be null where no forest is kept.
  void insert_at(const IdArray& u, const IdArray& v, const u64* at, i64 count, u64 advance, i64 vertices);
  // Operation i is a query if is_query[i] is not 0. Bit i & 7 of bits[i >> 3] becomes 1 iff it is one and its vertices
  // are connected. A query grows nothing: vertices unknown are connected to themselves alone. With `inserts_first`
  // every query sees every insert of the batch; rules that must not mix do so always.
  bool apply(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool is_signed, bool inserts_first,
             u8* bits, Patience patience);
  // answers[i] becomes 1 or 0.
  bool connected(const IdArray& u, const IdArray& v, i64 count, bool is_signed, u8* answers, Patience patience);

  // A moment between batches: the representative (smallest vertex) of each vertex, and, if asked for, the forest: entry
  // i is the edge u[i], v[i], which was operation at[i]. n - k entries.
  struct Snapshot {
    bool wide = false;  // which of the two arrays is filled: narrow below 2^31 vertices
    Buffer<u32> narrow;
    Buffer<u64> broad;
    i64 vertices = 0;
    u64 position = 0;
    Buffer<u64> u, v, at;
  };
  // threads: how many copy; 0 for as many as insert.
  Snapshot snapshot(bool with_forest, int threads = 0);

 private:
  class Trees;
  template <class Id>
  class TreesOf;
  class Entered;

  enum class Held { nothing, shared, alone };
  // Enters the gate with cells for all vertices up to `largest`; without one, as they are. The caller leaves if it
  // holds it. try_alone: alone where that needs no waiting, else as `held` says.
  Held enter_for(const std::optional<u64>& largest, Held held, Patience patience, bool try_alone = false);
  Held enter(Held held, bool try_alone);
  // Whether one thread is to insert a batch of `count` edges.
  bool by_one(i64 count) const;
  void know(const std::optional<u64>& largest);
  template <class Id>
  std::unique_ptr<Trees> make_trees() const;
  void grow_alone(i64 vertices);
  void apply_masked(const IdArray& u, const IdArray& v, const u8* is_query, i64 count, bool inserts_first, u8* bits);
  Held for_batches() const { return mixed_ ? Held::shared : Held::alone; }
  bool tries_alone(i64 count) const { return alone_if_free_ && by_one(count); }
  // Before a batch of `count` operations changes anything.
  void prepare(i64 count);
  void run_inserts(const Entered& entered, const IdArray& u, const IdArray& v, const u8* is_query, i64 count, u64 first,
                   const u64* at);

  bool mostly_united(const IdArray& u, const IdArray& v, i64 begin, i64 end, u64 below);
  void note(i64 walked, i64 links);
  bool insert_known(const IdArray& u, const IdArray& v, i64 count, Patience patience);
  void run_groups(const Entered& entered, const IdArray& u, const IdArray& v, i64 count, u64 first, const u64* at);

  const std::string link_, find_, splice_;
  const std::vector<std::string> words_;
  const int threads_;
  const bool keep_forest_;
  const i64 narrow_most_;
  const bool alone_if_free_;
  u64 limit_ = UINT64_MAX;  // what `insert` refuses from there on
  bool mixed_ = true;
  bool glances_ = false;  // a parent two ends have in common proves them connected: the rules move no subtree
  SharedMutex gate_;
  std::unique_ptr<Trees> trees_;  // replaced by wider ones only by one who is alone
  std::atomic<i64> ready_{0};     // cells that exist: at least as many as vertices are known
  std::atomic<i64> vertices_{0};
  std::atomic<i64> links_{0};
  std::atomic<u64> position_{0};
  std::atomic<i64> walks_{0};  // edges that had to be walked for nothing since the trees were flat
};

}  // namespace lb::core

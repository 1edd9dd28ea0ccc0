// Incremental connectivity on CPU threads: batches of inserts and queries over vertices that may turn up at any time.
#pragma once
#include <atomic>
#include <memory>
#include <optional>

#include "admission.hpp"
#include "memory.hpp"
#include "path_shortening.hpp"
#include "stream_trees.hpp"
#include "thread_choice.hpp"

namespace lb::core {

// vertices: 0..vertices-1 are singletons from the beginning. narrow_most: how many vertices cells of 32 bits hold at
// most; tests ask for fewer. bulk: for callers of which mostly one inserts, and which take no answer if a batch is
// refused. One thread inserts a batch of any size with exclusive access where no other call runs, which spares it all
// locked instructions; and a batch that is refused may have been inserted in part. skip_tree: the edges of large
// batches inside the largest tree are left out. climb: a thread that has exclusive access climbs to roots where that is
// faster, under rules that go up by steps.
struct StreamOptions {
  static constexpr i64 largest_narrow = (i64{1} << 31) - 1;
  i64 vertices = 0;
  int threads = 1;
  bool keep_forest = false;
  i64 narrow_most = largest_narrow;
  bool bulk = false;
  bool skip_tree = true;
  bool climb = false;
  int batches_beside_others = 64;  // that one thread inserts before it tries again to have the trees for itself
};

// Calls from any number of threads at once are safe. Under rules that may be mixed, each insert and each query takes
// effect at one moment between its call and its return (linearizable); under the others a batch of inserts has
// exclusive access. Arrays are validated before anything changes: a call that throws InputError or std::bad_alloc has
// changed nothing.
class Incremental {
 public:
  // never: a call that would have to wait for others, or to grow, returns false and has done nothing; so does an insert
  // of more than 8,192 edges.
  enum class Wait { never, allowed };

  // Throws InputError for rules that no stream has.
  Incremental(StreamRule rule, const StreamOptions& options);
  ~Incremental();

  // One more than the largest vertex so far; vertices beyond are singletons, too.
  i64 vertices() const { return vertices_.load(std::memory_order_acquire); }
  // Components of these vertices. Exact when no call runs; of batches that run it counts the links made so far.
  i64 count() const;
  // Operations applied so far: the position of the next one.
  u64 position() const { return position_.load(std::memory_order_acquire); }
  // How often the set of the largest tree has been made.
  i64 sets() const { return sets_.load(std::memory_order_relaxed); }
  bool mixed() const { return mixed_; }
  bool keeps_forest() const { return options_.keep_forest; }

  // Checks a batch, of edges alone where is_query is null, and makes room for its vertices and at least `vertices`:
  // throws whatever a call with it would throw. No answer changes.
  void prepare(const Operations& batch, i64 vertices);
  // The current Call of this thread, if there is one, stops it only after a multiple of part_operations, or in rounds
  // of group_operations: the edges before are in the stream then, and `done`, if not null, is their number.
  bool insert(const Operations& batch, Wait wait, i64* done = nullptr);
  // From now on `insert` refuses vertices not below n: InputError "edge 17: vertex 9 is out of range for n = 9".
  void refuse_from(i64 n) { refused_from_ = static_cast<u64>(n); }
  // Edges of another stream of `vertices` vertices and `advance` operations, as if that one came now: edge i was its
  // operation at[i]. `at` may be null where no forest is kept.
  void insert_at(const Operations& batch, const u64* at, u64 advance, i64 vertices);
  // Bit i & 7 of bits[i >> 3] becomes 1 iff operation i is a query of two connected vertices. A query makes no vertex:
  // those beyond are connected to themselves alone. With `inserts_first` every query sees every insert of the batch;
  // under rules that must not mix it does so always.
  bool apply(const Operations& batch, bool inserts_first, u8* bits, Wait wait);
  // answers[i] becomes 1 or 0.
  bool connected(const Operations& batch, u8* answers, Wait wait);

  // A moment between batches: the representative (smallest vertex) of each vertex, and, with_forest, the forest: entry
  // i is the edge u[i], v[i], which was operation at[i]. n - k entries.
  struct Snapshot {
    IdWidth width = IdWidth::narrow;  // which of the two arrays is filled
    Buffer<u32> narrow;
    Buffer<u64> broad;
    i64 vertices = 0;
    u64 position = 0;
    Buffer<u64> u, v, at;
  };
  // threads: how many copy; 0 for as many as insert.
  Snapshot snapshot(bool with_forest, int threads = 0);
  // The same without the forest, where trees have parents that are smaller than their children: these, which need not
  // be roots. False, and nothing has happened, where they have not.
  bool copy_parents(Snapshot& parents, int threads);
  // The same in the memory of the trees. There is no vertex then, and positions go on. No other call may run.
  bool take_parents(Snapshot& parents);

 private:
  class Moment;
  template <class Copy>
  void copy_vertices(Snapshot& s, int threads, const Copy& copy);
  // Admission (incremental.cpp). `admit` returns with cells for all vertices up to `largest`; without one, as they are.
  // try_exclusive: exclusive access where that needs no waiting, else `access`.
  Admission admit(const std::optional<u64>& largest, Access access, Wait wait, bool try_exclusive = false);
  Access acquire(const std::optional<u64>& largest, Access access, Wait wait, bool try_exclusive);
  Access acquire_waiting(Access access, bool try_exclusive);
  Access access_of_batches() const { return mixed_ ? Access::shared : Access::exclusive; }
  // How many threads are to insert some edges of a batch, which may be more than a group: one where there are few, or
  // where all threads would write to the same cells, which one core's cache holds.
  int threads_for(const Operations& batch, Range range) const;
  // Whether the parents of n vertices fit one core's own cache.
  bool fit_one_cache(i64 n) const;
  // Whether what one thread inserts next is to have exclusive access if no other call runs: where none has been met in
  // a while.
  bool tries_exclusive();
  // The same for a whole batch. Others wait for it then, so it is small, and no pass over many vertices belongs to it.
  // Reads nothing that needs access.
  bool tries_exclusive(const Operations& batch);
  void meet_others() { alone_in_.store(options_.batches_beside_others, std::memory_order_relaxed); }
  // The pieces of a larger batch that one thread inserts have exclusive access each, and other calls a turn between
  // them: insert_piece(exclusive). Snapshots wait for the whole batch.
  template <class Piece>
  void in_turn(Admission& admission, int threads, const Piece& insert_piece);
  // Shared access to `whole_` for such a batch, none for others.
  Admission whole(const Operations& batch);

  // Growth (incremental.cpp). The caller has exclusive access.
  std::unique_ptr<StreamTrees> make_trees(IdWidth width) const;
  void grow(i64 vertices);
  void widen(i64 vertices);
  // All vertices up to `largest` have turned up.
  void raise_vertices(const std::optional<u64>& largest);
  // Before a batch of `count` operations changes anything.
  void reserve(i64 count);

  // Inserts (incremental_insert.cpp).
  void run_inserts(Admission& admission, const Operations& batch, const Positions& positions);
  bool insert_below_count(const Operations& batch, Wait wait, i64* done);
  // Edges of a part of a batch, which runs to its end. Rounds visit them several times.
  i64 most_of_part() const { return trees_->in_rounds() ? group_operations : part_operations; }
  // insert_part(range, positions) for the parts of a batch, each of which takes its positions when it begins. Ends
  // where one returns false: then no part has taken any, and false is returned.
  template <class Part>
  bool in_parts(i64 count, i64* done, const Part& insert_part);
  // checked: the ids of each chunk are compared with this first, at most the number of vertices. False if there are
  // others: they are in no edge that has been inserted, and some edges of the range are missing then.
  bool insert_groups(Admission& admission, const Operations& batch, Range range, const Positions& positions,
                     std::optional<u64> checked = {});
  // All parts of a batch by that.
  bool insert_checking(Admission& admission, const Operations& batch, u64 bound, i64* done);
  // The paths of the first n vertices.
  void shorten_paths(i64 n);
  bool precheck_pays(const Operations& batch, Range range, u64 bound);
  void mark_after(i64 edges);
  // The pre-check of a chunk, and the insertion of its edges (of those that remain; null: of all), timed and counted.
  bool precheck(const Operations& batch, Range chunk, u64 bound, u64* remaining, EdgeTimes& times);
  void insert_chunk(const Operations& batch, Range chunk, const Positions& positions, const u64* remaining,
                    bool exclusive, EdgeTimes& times);

  // Questions (incremental_query.cpp).
  void apply_beyond_cells(const Operations& batch, u64 largest, bool inserts_first, u8* bits);

  const StreamRule rule_;
  const StreamOptions options_;
  static constexpr u64 none_refused = UINT64_MAX;  // then a vertex is refused where there is no memory for it
  u64 refused_from_ = none_refused;
  bool mixed_ = true;
  bool prechecks_ = false;  // a parent that two endpoints share proves them connected: the rules move no subtree
  // Taken before the other one: shared by batches that let others have turns, exclusively by snapshots.
  SharedMutex whole_;
  SharedMutex mutex_;
  BatchThreads batch_threads_;
  std::unique_ptr<StreamTrees> trees_;  // replaced by wider ones under exclusive access only
  std::atomic<int> alone_in_{0};        // batches until one tries again to have the trees for itself
  std::atomic<i64> cells_{0};           // vertices that have a cell: at least as many as have turned up
  std::atomic<i64> vertices_{0};
  std::atomic<i64> links_{0};
  std::atomic<u64> position_{0};
  std::atomic<i64> inserted_{0};        // edges of large batches
  std::atomic<i64> marked_{0};          // how many of them there were when the largest tree was marked last
  std::atomic<i64> walked_in_vain_{0};  // edges that were walked for and linked nothing, since then
  std::atomic<i64> sets_{0};            // made, of the largest tree
  PathShortening shortening_;
};

}  // namespace lb::core

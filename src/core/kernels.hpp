// The table of compiled rules: one row for each combination of link, find and splice and each width of ids.
#pragma once
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "edge_bitmap.hpp"
#include "landbridge/cpu/owned.hpp"
#include "landbridge/platform.hpp"
#include "loop_choice.hpp"

namespace lb::core {

// The working arrays of a run: `parent` in any case; `words` for the ranked cells of rules that link by rank (then
// flatten writes `parent` from them); `aux` for the auxiliary cells of the rules that use them. Rounds keep the labels
// of their beginning in `aux`, set `changed` when a label has changed, and exchange the labels of vertex 0 and
// `relabeled_root`.
template <class Id>
struct Cells {
  Id* parent = nullptr;
  u64* words = nullptr;
  Id* aux = nullptr;
  std::atomic<bool>* changed = nullptr;
  Id relabeled_root = 0;
  cpu::Distance distance = cpu::Distance::far;  // of the cells of neighbouring pairs
  // Of a thread that alone writes the cells it meets; null: it does not climb.
  LoopChoice* choice = nullptr;
};

// A rule that runs on the CPU. `unite` unites u[i] with v[i]; any number of threads may call it at once.
// The others visit the vertices [begin, end), each vertex by one thread, and never while `unite` runs:
//   start    makes them singletons, or, with `adopt`, goes on from the forest in `parent`
//   flatten  makes parent[x] the root of x's tree
template <class Id>
struct Kernel {
  using Unite = void (*)(const Cells<Id>&, const Id* u, const Id* v, i64 count);
  using Record = void (*)(const Cells<Id>&, const Id* u, const Id* v, i64 count, const EdgeBits&, const ArcPositions&);
  using Own = cpu::OwnVertices<Id>;
  using Cut = cpu::CutWalks<Id>;
  using UniteOwned = void (*)(const Cells<Id>&, const Own&, const Id* u, const Id* v, i64 count, Cut&);
  using RecordOwned = void (*)(const Cells<Id>&, const Own&, const Id* u, const Id* v, i64 count, const EdgeBits&,
                               const ArcPositions&, Cut&);
  const char* link;
  const char* find;
  const char* splice;  // "" where the link takes none
  bool ranked;         // needs Cells::words, and roots need not be minima
  bool uses_aux;       // needs Cells::aux
  Unite unite;
  Unite unite_serial;  // the same for a single thread
  // The same, adding the edges that link to a bitmap. Null for rules whose links do not make a spanning forest.
  Record record;
  Record record_serial;
  // The same without locked instructions, in a pass that gives each vertex to one thread; walks that would have to
  // write a cell of another thread's are cut off. Null for links that do not go by steps.
  UniteOwned unite_owned = nullptr;
  RecordOwned record_owned = nullptr;
  // The same where no walk can leave the thread's own vertices: all endpoints are its own, and no edge that leads to
  // another thread's has been united yet.
  Unite unite_inside = nullptr;
  Record record_inside = nullptr;
  void (*start)(const Cells<Id>&, i64 begin, i64 end, bool adopt);
  void (*flatten)(const Cells<Id>&, i64 begin, i64 end);
};

// A row of the registry, as the plan grammar and the docs see it.
struct Policy {
  const char *axis, *name, *code, *parameters, *engines, *stale, *published, *reference, *summary;
  const char* traits = "";  // of a sampling or a standalone algorithm
};
const std::vector<Policy>& policies();

// Every pairing of a link with a find and a splice rule, whether it may run, and if not, why.
struct Combination {
  const char *link, *find, *splice;  // splice "" where the link takes none
  const char* reason;                // null if the combination is sound
  const char* no_forest;             // null if its links also make a spanning forest
  bool ranked, uses_aux;             // what the link needs beside the parents
  const char* separated;             // null if a stream may answer queries while its links run, else why it may not
  bool steps;                        // whether a union is offered a step at a time (link::Traits)
  bool cuts_off;                     // phase::cuts_off
  bool paths_grow;                   // nothing in it shortens a path or bounds its length
};
const std::vector<Combination>& combinations();

// The kernel of a sound combination; null for any other name.
template <class Id>
const Kernel<Id>* find_kernel(std::string_view link, std::string_view find, std::string_view splice);

}  // namespace lb::core

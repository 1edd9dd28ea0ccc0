// What the rows of registry.def mean to the compiler: the lists of find and splice rules, which links take
// which, and the reasons why some combinations are forbidden. A combination is judged by traits, never by name.
#pragma once
#include "find.hpp"
#include "link.hpp"
#include "sample.hpp"
#include "splice.hpp"

namespace lb {

template <class... T>
struct TypeList {
  static constexpr int size = sizeof...(T);
};
namespace detail {
template <class First, class... Rest>
TypeList<Rest...> drop_first(TypeList<First, Rest...>*);
}
// A list of rows that each begin with a comma, after a first entry that only serves the commas.
template <class List>
using Rest = decltype(detail::drop_first(static_cast<List*>(nullptr)));

#define LB_FIND(name, code, Type, ...) , find::Type<>
using FindRules = Rest<TypeList<void
#include "registry.def"
                                >>;
#define LB_FIND(name, ...) #name,
constexpr const char* find_names[] = {
#include "registry.def"
};

#define LB_SPLICE(name, code, Type, ...) , splice::Type<>
using SpliceRules = Rest<TypeList<void
#include "registry.def"
                                  >>;
#define LB_SPLICE(name, ...) #name,
constexpr const char* splice_names[] = {
#include "registry.def"
};

// Why Find and SpliceRule must not be combined in a link that is ranked or not; null if they may.
template <class Find, class SpliceRule>
constexpr const char* forbidden(bool link_is_ranked) {
  if (link_is_ranked && !Find::ranked_cells)
    return "linking by rank keeps root bit, rank and parent in one word, and this find rule reads plain parents";
  if (!link_is_ranked && !Find::plain_cells)
    return "this find rule works on words that hold a rank, which only linking by rank has";
  if (Find::blind_store && SpliceRule::moves_subtrees)
    return "the find stores without comparing, and splicing moves vertices between trees while it runs: the store may "
           "undo a parent that splicing has set and other threads have relied on, and an edge is lost (a test "
           "replays such a schedule)";
  return nullptr;
}

// Why a stream must not answer queries while links of a rule with this splice run; null if it may.
template <class SpliceRule>
constexpr const char* separated() {
  if (SpliceRule::moves_subtrees)
    return "splicing cuts a subtree off its tree for a moment: a query beside it could deny a connection of long "
           "before (a test replays such a schedule)";
  return nullptr;
}

// Why the edges whose links use this splice rule are not always a spanning forest; null if they are.
template <class SpliceRule>
constexpr const char* no_forest() {
  if (SpliceRule::moves_subtrees)
    return "splicing hangs a vertex below another tree before the two are united: meanwhile it is cut off from its own "
           "tree, and another thread links the halves with an edge that closes a cycle (a test replays such a "
           "schedule); split_one and halve_one are sound";
  return nullptr;
}

}  // namespace lb

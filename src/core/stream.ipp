// Instantiates every sound combination of one link rule for streams, as kernels.ipp does for whole graphs.
#pragma once
#include "kernels.ipp"
#include "stream.hpp"

namespace lb::core {

// The find of queries: that of the plan; where it shortens no path and the link's walks do on their way, the one that
// does it like them, as many queries may meet one path.
template <class Find, class SpliceRule>
struct QueryFind {
  using Type = Find;
};
template <class Read>
struct QueryFind<find::Naive<Read>, splice::SplitOne<Read>> {
  using Type = find::Split<Read>;
};
template <class Read>
struct QueryFind<find::Naive<Read>, splice::HalveOne<Read>> {
  using Type = find::Halve<Read>;
};

// What does not depend on how trees are linked.
template <class Id, class Find, bool ranked, bool uses_aux>
struct StreamCommon {
  using M = std::conditional_t<ranked, SharedMemory<u64, RankedCell>, SharedMemory<Id>>;

  static M cells_of(const Cells<Id>& c) {
    if constexpr (ranked)
      return M(c.words);
    else
      return M(c.parent);
  }
  template <template <class, class> class Memory = SharedMemory>
  static auto forest(const Cells<Id>& c) {
    using In = std::conditional_t<ranked, Memory<u64, RankedCell>, Memory<Id, PlainCell<Id>>>;
    if constexpr (ranked)
      return Forest<In>{In(c.words), In(nullptr)};
    else
      return Forest<In>{In(c.parent), In(c.aux)};
  }

  static void answer(const Cells<Id>& c, const Id* u, const Id* v, const u8* is_query, i64 count, u8* bits) {
    cpu::answer_batch<Find>(forest(c), u, v, is_query, count, bits);
  }
  static void start(const Cells<Id>& c, i64 begin, i64 end) {
    // A stream grows with exclusive access: no other thread reads these cells. Counted in Id: compilers store vectors
    // then.
    for (Id x = static_cast<Id>(begin); x < static_cast<Id>(end); ++x) {
      if constexpr (ranked)
        SerialMemory<u64, RankedCell>(c.words).store(x, RankedCell::root(0));
      else
        SerialMemory<Id>(c.parent).store(x, x);
      if constexpr (uses_aux) SerialMemory<Id>(c.aux).store(x, none<Id>);
    }
  }
  static void load_roots(const Cells<Id>& c, i64 begin, i64 end, const Id* roots) {
    start(c, begin, end);
    const M cells = cells_of(c);
    for (i64 i = begin; i < end; ++i) {
      const Id x = static_cast<Id>(i), root = roots[i - begin];
      if (root == x) continue;
      if constexpr (ranked)
        cells.store(x, RankedCell::child(0, root));
      else
        cells.store(x, root);
    }
  }
  static void roots(const Cells<Id>& c, i64 begin, i64 end, Id* roots) {
    const M cells = cells_of(c);
    for (i64 i = begin; i < end; ++i) {
      if constexpr (ranked)
        roots[i - begin] = Find::find(cells, static_cast<Id>(i));
      else
        roots[i - begin] = phase::compress(cells, static_cast<Id>(i));
    }
  }
};

template <class Id, class Rule, class Find, bool may_mix>
struct StreamInstance : StreamCommon<Id, Find, Rule::ranked, Rule::uses_aux> {
  using Common = StreamCommon<Id, Find, Rule::ranked, Rule::uses_aux>;

  static i64 insert(const Cells<Id>& c, const Id* u, const Id* v, const u8* is_query, i64 count,
                    const cpu::LinkLog<Id>& log) {
    return cpu::insert_batch<Rule>(Common::forest(c), u, v, is_query, count, c.distance, log);
  }
  static i64 insert_exclusive(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const cpu::LinkLog<Id>& log) {
    return cpu::insert_all<Rule>(Common::template forest<SerialMemory>(c), u, v, count, c.distance, log, c.choice);
  }
  static i64 mixed(const Cells<Id>& c, const Id* u, const Id* v, const u8* is_query, i64 count,
                   const cpu::LinkLog<Id>& log, u8* bits) {
    return cpu::mixed_batch<Rule, Find>(Common::forest(c), u, v, is_query, count, log, bits);
  }
  static StreamKernel<Id> kernel(const char* link, const char* find, const char* splice) {
    StreamKernel<Id> k{link,
                       find,
                       splice,
                       Rule::ranked,
                       Rule::uses_aux,
                       &insert,
                       &insert_exclusive,
                       nullptr,
                       &Common::answer,
                       &Common::start,
                       &Common::load_roots,
                       &Common::roots};
    if constexpr (may_mix) k.mixed = &mixed;
    return k;
  }
};

template <class Id, template <class, class, class> class Link>
std::vector<StreamKernel<Id>> make_stream_kernels(const char* link) {
  using Any = Link<find::Naive<>, splice::SplitOne<>, Fresh>;
  std::vector<StreamKernel<Id>> out;
  if constexpr (!Any::ranked || sizeof(Id) == sizeof(u64)) {
    for_each_pairing<Any::spliced>(
        [&]<class Find, class SpliceRule>(const char* find, const char* splice) {
          if constexpr (forbidden<Find, SpliceRule>(Any::ranked) == nullptr) {
            constexpr bool may_mix = separated<SpliceRule>() == nullptr;
            using Query = typename QueryFind<Find, SpliceRule>::Type;
            out.push_back(
                StreamInstance<Id, Link<Find, SpliceRule, Fresh>, Query, may_mix>::kernel(link, find, splice));
          }
        },
        static_cast<FindRules*>(nullptr), static_cast<SpliceRules*>(nullptr));
  }
  return out;
}

}  // namespace lb::core

// Instantiates every sound combination of one link rule for one width of ids. CMake makes one source file for each link
// of registry.def from kernels.cpp.in: they compile side by side, and are listed nowhere else.
#pragma once
#include <vector>

#include "kernels.hpp"
#include "landbridge/cpu/owned.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "landbridge/phase/bounded.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/rules.hpp"

namespace lb::core {

template <class Id, class Rule, class Find>
struct Instance {
  template <template <class, class> class Memory>
  static auto forest(const Cells<Id>& c) {
    if constexpr (Rule::ranked) {
      using M = Memory<u64, RankedCell>;
      return Forest<M>{M(c.words), M(nullptr)};
    } else {
      using M = Memory<Id, PlainCell<Id>>;
      return Forest<M>{M(c.parent), M(c.aux)};
    }
  }

  template <template <class, class> class Memory>
  static void unite_pairs(const Cells<Id>& c, const Id* u, const Id* v, i64 count) {
    unite<Memory>(c, u, v, count, [](i64) { return callback::Nothing{}; });
  }

  template <template <class, class> class Memory>
  static void record(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const EdgeBits& bits,
                     const ArcPositions& arcs) {
    BufferedEdgeSet<Memory> edges(bits);
    unite<Memory>(c, u, v, count, [&](i64 i) {
      return callback::RecordEdge<BatchEdgeSet<Memory>>{{&edges, &arcs}, static_cast<u64>(i)};
    });
  }

  template <template <class, class> class Memory, class CallbackOf>
  static void unite(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const CallbackOf& callback_of) {
    const auto f = forest<Memory>(c);
    using FId = typename decltype(f)::Id;
    if constexpr (std::is_same_v<FId, Id>) {
      cpu::unite_pairs<Rule>(f, u, v, count, c.distance, c.choice, callback_of);
    } else {
      // Vertices have 64 bits in ranked cells.
      for (i64 base = 0; base < count; base += cpu::batch_edges) {
        FId wide_u[cpu::batch_edges], wide_v[cpu::batch_edges];
        const i64 some = count - base < cpu::batch_edges ? count - base : cpu::batch_edges;
        for (i64 i = 0; i < some; ++i) wide_u[i] = u[base + i], wide_v[i] = v[base + i];
        cpu::unite_pairs<Rule>(f, wide_u, wide_v, some, c.distance, [&](i64 i) { return callback_of(base + i); });
      }
    }
  }

  using Own = cpu::OwnVertices<Id>;
  using Cut = cpu::CutWalks<Id>;
  static auto owned_forest(const Cells<Id>& c) {
    using M = SingleWriter<SharedMemory<Id>>;
    return Forest<M>{M(c.parent), M(c.aux)};
  }
  static void unite_owned(const Cells<Id>& c, const Own& own, const Id* u, const Id* v, i64 count, Cut& cut) {
    cpu::unite_owned_pairs<Rule>(
        owned_forest(c), own, u, v, count, c.distance, [](i64) { return callback::Nothing{}; }, cut);
  }
  static void record_owned(const Cells<Id>& c, const Own& own, const Id* u, const Id* v, i64 count,
                           const EdgeBits& bits, const ArcPositions& arcs, Cut& cut) {
    BufferedEdgeSet<SharedMemory> edges(bits);
    const auto callback_of = [&](i64 i) {
      return callback::RecordEdge<BatchEdgeSet<SharedMemory>>{{&edges, &arcs}, static_cast<u64>(i)};
    };
    cpu::unite_owned_pairs<Rule>(owned_forest(c), own, u, v, count, c.distance, callback_of, cut);
  }

  static void unite_inside(const Cells<Id>& c, const Id* u, const Id* v, i64 count) {
    cpu::unite_pairs<Rule>(owned_forest(c), u, v, count, c.distance, c.choice, [](i64) { return callback::Nothing{}; });
  }
  static void record_inside(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const EdgeBits& bits,
                            const ArcPositions& arcs) {
    BufferedEdgeSet<SharedMemory> edges(bits);
    cpu::unite_pairs<Rule>(owned_forest(c), u, v, count, c.distance, c.choice, [&](i64 i) {
      return callback::RecordEdge<BatchEdgeSet<SharedMemory>>{{&edges, &arcs}, static_cast<u64>(i)};
    });
  }

  static void start(const Cells<Id>& c, i64 begin, i64 end, bool adopt) {
    const SerialMemory<Id> parent(c.parent), aux(c.aux);  // of this thread alone in this pass
    for (Id x = static_cast<Id>(begin); x < static_cast<Id>(end); ++x) {
      if (!adopt) parent.store(x, x);
      if constexpr (Rule::uses_aux) aux.store(x, none<Id>);
      if constexpr (Rule::ranked) {
        const Id p = parent.load(x);
        SerialMemory<u64, RankedCell>(c.words).store(x, p == x ? RankedCell::root(0) : RankedCell::child(0, p));
      }
    }
  }

  static void flatten(const Cells<Id>& c, i64 begin, i64 end) {
    const SharedMemory<Id> parent(c.parent);
    if constexpr (Rule::ranked) {
      const SharedMemory<u64, RankedCell> words(c.words);
      for (i64 i = begin; i < end; ++i) {
        parent.store(static_cast<Id>(i), static_cast<Id>(Find::find(words, static_cast<u64>(i))));
      }
    } else {
      for (i64 i = begin; i < end; ++i) phase::compress(parent, static_cast<Id>(i));
    }
  }

  template <bool makes_forest>
  static Kernel<Id> kernel(const char* link, const char* find, const char* splice) {
    Kernel<Id> k{.link = link,
                 .find = find,
                 .splice = splice,
                 .ranked = Rule::ranked,
                 .uses_aux = Rule::uses_aux,
                 .unite = &unite_pairs<SharedMemory>,
                 .unite_serial = &unite_pairs<SerialMemory>,
                 .record = nullptr,
                 .record_serial = nullptr,
                 .start = &start,
                 .flatten = &flatten};
    if constexpr (Rule::steps) k.unite_owned = &unite_owned, k.unite_inside = &unite_inside;
    if constexpr (Rule::steps && makes_forest) k.record_owned = &record_owned, k.record_inside = &record_inside;
    if constexpr (makes_forest) k.record = &record<SharedMemory>, k.record_serial = &record<SerialMemory>;
    return k;
  }
};

// Calls visit.operator()<Find, SpliceRule>(find name, splice name) for every pairing a link could be written with.
template <bool spliced, class Visit, class... Find, class... SpliceRule>
void for_each_pairing(const Visit& visit, TypeList<Find...>*, TypeList<SpliceRule...>*) {
  int f = 0;
  const auto with_find = [&]<class F>() {
    const char* find_name = find_names[f++];
    if constexpr (spliced) {
      int s = 0;
      (visit.template operator()<F, SpliceRule>(find_name, splice_names[s++]), ...);
    } else {
      visit.template operator()<F, splice::NoSplice>(find_name, "");
    }
  };
  (with_find.template operator()<Find>(), ...);
}

template <class Id, template <class, class, class> class Link>
std::vector<Kernel<Id>> make_kernels(const char* link) {
  using Any = Link<find::Naive<>, splice::SplitOne<>, Fresh>;
  std::vector<Kernel<Id>> out;
  for_each_pairing<Any::spliced>(
      [&]<class Find, class SpliceRule>(const char* find, const char* splice) {
        if constexpr (forbidden<Find, SpliceRule>(Any::ranked) == nullptr) {
          using Rules = Instance<Id, Link<Find, SpliceRule, Fresh>, Find>;
          out.push_back(Rules::template kernel<no_forest<SpliceRule>() == nullptr>(link, find, splice));
        }
      },
      static_cast<FindRules*>(nullptr), static_cast<SpliceRules*>(nullptr));
  return out;
}

template <template <class, class, class> class Link>
std::vector<Combination> make_combinations(const char* link) {
  using Any = Link<find::Naive<>, splice::SplitOne<>, Fresh>;
  std::vector<Combination> out;
  for_each_pairing<Any::spliced>(
      [&]<class Find, class SpliceRule>(const char* find, const char* splice) {
        using Rule = Link<Find, SpliceRule, Fresh>;
        const char* const reason = forbidden<Find, SpliceRule>(Any::ranked);
        out.push_back({link, find, splice, reason, reason != nullptr ? reason : no_forest<SpliceRule>(), Any::ranked,
                       Any::uses_aux, separated<SpliceRule>(), Rule::steps, phase::cuts_off<Rule>,
                       !Any::ranked && !Rule::shortens});
      },
      static_cast<FindRules*>(nullptr), static_cast<SpliceRules*>(nullptr));
  return out;
}

}  // namespace lb::core

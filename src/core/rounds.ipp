// Instantiates every sound choice of words of every row of axis round, for one width of ids.
#pragma once
#include <bit>

#include "each_round.hpp"
#include "landbridge/cpu/schedule.hpp"
#include "landbridge/phase/round.hpp"
#include "landbridge/phase/vertex.hpp"
#include "rounds.hpp"

namespace lb::core {

template <class Id, class Rule>
struct RoundInstance {
  template <template <class, class> class Memory>
  static auto labels(const Cells<Id>& c) {
    using M = Memory<Id, PlainCell<Id>>;
    return round::Labels<M>{M(c.parent), M(c.aux)};
  }

  template <template <class, class> class Memory>
  static void connect(const Cells<Id>& c, const Id* u, const Id* v, i64 count) {
    const bool changed = cpu::connect_pairs<Rule>(labels<Memory>(c), relabel_of(c), u, v, count);
    report(c, changed);
  }

  template <template <class, class> class Memory>
  static void connect_unrecorded(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const EdgeBits&,
                                 const ArcPositions&) {
    connect<Memory>(c, u, v, count);
  }

  template <template <class, class> class Memory>
  static void claim(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const EdgeBits& bits,
                    const ArcPositions& arcs) {
    BufferedEdgeSet<Memory> edges(bits);
    cpu::claim_pairs<Rule>(labels<Memory>(c), relabel_of(c), u, v, count, [&](i64 i) {
      return callback::RecordEdge<BatchEdgeSet<Memory>>{{&edges, &arcs}, static_cast<u64>(i)};
    });
  }

  static phase::Relabel<Id> relabel_of(const Cells<Id>& c) { return {c.relabeled_root}; }

  static void report(const Cells<Id>& c, bool changed) {
    if (changed && !c.changed->load(std::memory_order_relaxed)) c.changed->store(true, std::memory_order_relaxed);
  }

  static void begin(const Cells<Id>& c, i64 from, i64 to) {
    const auto l = labels<SharedMemory>(c);
    for (i64 x = from; x < to; ++x) Rule::begin(l, static_cast<Id>(x));
  }

  template <int number>
  static void visit(const Cells<Id>& c, const u64* subset, i64 from, i64 to) {
    const auto l = labels<SharedMemory>(c);
    const auto relabel = relabel_of(c);
    bool changed = false;
    if (subset == nullptr) {
      for (i64 x = from; x < to; ++x) changed |= Rule::template pass<number>(l, static_cast<Id>(x));
    } else {
      for (i64 base = from; base < to; base += 64) {
        for (u64 word = subset[base >> 6]; word != 0; word &= word - 1) {
          changed |= Rule::template pass<number>(l, relabel(static_cast<Id>(base + std::countr_zero(word))));
        }
      }
    }
    report(c, changed);
  }

  static void pass(const Cells<Id>& c, int number, const u64* subset, i64 from, i64 to) {
    if (number == 0)
      visit<0>(c, subset, from, to);
    else
      visit<1>(c, subset, from, to);
  }

  static bool active(const Cells<Id>& c, Id x) { return Rule::active(labels<SharedMemory>(c), relabel_of(c)(x)); }

  static void flatten(const Cells<Id>& c, i64 from, i64 to) {
    const SharedMemory<Id> parent(c.parent);
    for (i64 x = from; x < to; ++x) phase::compress(parent, static_cast<Id>(x));
  }

  static Rounds<Id> row(const char* name, const std::vector<std::string_view>& words) {
    const Kernel<Id> connects{.link = name,
                              .find = "",
                              .splice = "",
                              .ranked = false,
                              .uses_aux = Rule::uses_old,
                              .unite = &connect<SharedMemory>,
                              .unite_serial = &connect<SerialMemory>,
                              .record = &connect_unrecorded<SharedMemory>,
                              .record_serial = &connect_unrecorded<SerialMemory>,
                              .start = nullptr,
                              .flatten = &flatten};
    auto claims = connects;
    if constexpr (Rule::no_forest == nullptr) {
      claims.record = &claim<SharedMemory>, claims.record_serial = &claim<SerialMemory>;
    } else {
      claims.record = claims.record_serial = nullptr;
    }
    return {name,
            words,
            Rule::root_based,
            Rule::rewrites,
            Rule::uses_old,
            Rule::passes,
            connects,
            claims,
            &begin,
            &pass,
            Rule::selective ? &active : nullptr};
  }
};

template <class Id>
std::vector<Rounds<Id>> make_rounds() {
  std::vector<Rounds<Id>> rows;
#define LB_ROUND(name, code, Type, ...)                                                                   \
  each_round<round::Type>(round::Type::Words{}, {}, [&]<class Rule>(const auto& words) {                  \
    if constexpr (Rule::forbidden == nullptr) rows.push_back(RoundInstance<Id, Rule>::row(#name, words)); \
  });
#include "landbridge/policy/registry.def"
  return rows;
}

std::vector<Rounds<u32>> rounds_narrow();
std::vector<Rounds<u64>> rounds_wide();

}  // namespace lb::core

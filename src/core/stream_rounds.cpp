#include "stream_rounds.hpp"

#include "id_width.hpp"
#include "once.hpp"
#include "rounds.ipp"
#include "stream.ipp"

namespace lb::core {
namespace {

template <class Id, class Rule>
struct StreamRoundInstance {
  static_assert(Rule::passes == 1 && Rule::uses_old && !Rule::selective);

  static auto labels(const Cells<Id>& c) {
    return round::Labels<SharedMemory<Id>>{SharedMemory<Id>(c.parent), SharedMemory<Id>(c.aux)};
  }

  static bool connect(const Cells<Id>& c, const Id* u, const Id* v, i64 count) {
    return cpu::connect_pairs<Rule>(labels(c), phase::Relabel<Id>{Id{0}}, u, v, count);
  }

  static void claim(const Cells<Id>& c, const Id* u, const Id* v, i64 count, const i64* operation,
                    const PlacedBatch& source, cpu::StreamEdge<Id>* link_edges) {
    cpu::claim_pairs<Rule>(labels(c), phase::Relabel<Id>{Id{0}}, u, v, count, [&](i64 i) {
      return [&, i](Id root) {
        const i64 k = operation[i];
        link_edges[root] = {source.positions(k), static_cast<Id>(source.batch.u[k]),
                            static_cast<Id>(source.batch.v[k])};
      };
    });
  }

  static bool pass(const Cells<Id>& c, const Id* vertices, i64 count) {
    const auto l = labels(c);
    bool changed = false;
    for (i64 i = 0; i < count; ++i) changed |= Rule::template pass<0>(l, vertices[i]);
    return changed;
  }

  static StreamRounds<Id> row(const char* name, const std::vector<std::string_view>& words) {
    using Common = StreamCommon<Id, find::Compress<>, false, true>;
    const StreamKernel<Id> kernel{name,
                                  "",
                                  "",
                                  false,
                                  true,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  &Common::answer,
                                  &Common::start,
                                  &Common::load_roots,
                                  &Common::roots};
    return {kernel, words, Rule::rewrites, &connect, &claim, &pass};
  }
};

template <class Id>
std::vector<StreamRounds<Id>> make_stream_rounds() {
  std::vector<StreamRounds<Id>> rows;
#define LB_ROUND(name, code, Type, ...)                                                  \
  each_round<round::Type>(round::Type::Words{}, {}, [&]<class Rule>(const auto& words) { \
    if constexpr (Rule::forbidden == nullptr && Rule::root_based) {                      \
      rows.push_back(StreamRoundInstance<Id, Rule>::row(#name, words));                  \
    }                                                                                    \
  });
#include "landbridge/policy/registry.def"
  return rows;
}

}  // namespace

template <class Id>
const StreamRounds<Id>* find_stream_rounds(std::string_view name, const std::vector<std::string_view>& words) {
  const auto& table = once([] { return make_stream_rounds<Id>(); });
  for (const auto& row : table) {
    if (row.kernel.link == name && row.words == words) return &row;
  }
  return nullptr;
}
#define LB_INSTANTIATE(Id) \
  template const StreamRounds<Id>* find_stream_rounds<Id>(std::string_view, const std::vector<std::string_view>&);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

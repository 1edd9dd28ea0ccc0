// The whole algorithms that work in rounds over a list of edges, on CPU threads.
#include "team.hpp"

namespace lb::core::whole {
namespace {

template <class System, class Id>
WholeResult run_system(const WholeRun<Id>& run, system::Settings settings) {
  Team<Id> team(run, System::vertex_cells, System::edge_cells);
  const i64 rounds = System::run(team, settings);
  return {.settled = true, .smallest = System::smallest, .rounds = rounds};
}

}  // namespace

template <class Id>
WholeResult soman(const WholeRun<Id>& run) {
  return run_system<system::Soman>(run, {run.values.word("hooks") == "alternate", run.values.word("jumps") == "everyone"});
}

template <class Id>
WholeResult gunrock_cc(const WholeRun<Id>& run) {
  return run_system<system::GunrockCc>(run, {});
}

template <class Id>
WholeResult groute_cc(const WholeRun<Id>& run) {
  return run_system<system::GrouteCc>(run, {run.values.integer("segments"), run.values.integer("blind")});
}

template <class Id>
WholeResult cong_muzio_cc(const WholeRun<Id>& run) {
  return run_system<system::CongMuzioCc>(run, {run.values.word("graft") == "lower"});
}

template <class Id>
WholeResult cc_updt(const WholeRun<Id>& run) {
  return run_system<system::CcUpdt>(run, {});
}

template <class Id>
WholeResult sv_updt(const WholeRun<Id>& run) {
  return run_system<system::SvUpdt>(run, {});
}

template <class Id>
WholeResult sv0_5(const WholeRun<Id>& run) {
  return run_system<system::Sv05>(run, {});
}

template <class Id>
WholeResult rem_verify(const WholeRun<Id>& run) {
  return run_system<system::RemVerify>(run, {});
}

#define LB_SYSTEMS(ROW) \
  ROW(soman, Soman) ROW(gunrock_cc, GunrockCc) ROW(groute_cc, GrouteCc) ROW(cong_muzio_cc, CongMuzioCc) \
  ROW(cc_updt, CcUpdt) ROW(sv_updt, SvUpdt) ROW(sv0_5, Sv05) ROW(rem_verify, RemVerify)

#define LB_INSTANTIATE(name, Type)                      \
  template WholeResult name<u32>(const WholeRun<u32>&); \
  template WholeResult name<u64>(const WholeRun<u64>&);
LB_SYSTEMS(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core::whole

namespace lb::core {

const std::vector<SystemRow>& systems() {
  static const std::vector<SystemRow> table = {
#define LB_ROW(name, Type) \
  {#name, #Type, system::Type::vertex_cells, system::Type::edge_cells, system::Type::smallest},
      LB_SYSTEMS(LB_ROW)
#undef LB_ROW
  };
  return table;
}

}  // namespace lb::core

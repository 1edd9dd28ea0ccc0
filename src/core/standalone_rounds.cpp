// The standalone algorithms that work in rounds over a COO edge list, on CPU threads.
#include "once.hpp"
#include "thread_executor.hpp"

namespace lb::core::standalone {
namespace {

template <class System, class Id>
StandaloneResult run_system(const StandaloneRun<Id>& run, system::Settings settings) {
  ThreadExecutor<Id> executor(run, System::vertex_cells, System::edge_cells);
  const i64 rounds = System::run(executor, settings);
  return {.flat = true, .smallest = System::smallest, .rounds = rounds};
}

}  // namespace

template <class Id>
StandaloneResult soman(const StandaloneRun<Id>& run) {
  return run_system<system::Soman>(run,
                                   {run.values.word("hooks") == "alternate", run.values.word("jumps") == "everyone"});
}

template <class Id>
StandaloneResult gunrock_cc(const StandaloneRun<Id>& run) {
  return run_system<system::GunrockCc>(run, {});
}

template <class Id>
StandaloneResult groute_cc(const StandaloneRun<Id>& run) {
  return run_system<system::GrouteCc>(run, {run.values.integer("segments"), run.values.integer("blind")});
}

template <class Id>
StandaloneResult cong_muzio_cc(const StandaloneRun<Id>& run) {
  return run_system<system::CongMuzioCc>(run, {run.values.word("graft") == "lower"});
}

template <class Id>
StandaloneResult cc_updt(const StandaloneRun<Id>& run) {
  return run_system<system::CcUpdt>(run, {});
}

template <class Id>
StandaloneResult sv_updt(const StandaloneRun<Id>& run) {
  return run_system<system::SvUpdt>(run, {});
}

template <class Id>
StandaloneResult sv0_5(const StandaloneRun<Id>& run) {
  return run_system<system::Sv05>(run, {});
}

template <class Id>
StandaloneResult rem_verify(const StandaloneRun<Id>& run) {
  return run_system<system::RemVerify>(run, {});
}

#define LB_SYSTEMS(ROW)      \
  ROW(soman, Soman)          \
  ROW(gunrock_cc, GunrockCc) \
  ROW(groute_cc, GrouteCc)   \
  ROW(cong_muzio_cc, CongMuzioCc) ROW(cc_updt, CcUpdt) ROW(sv_updt, SvUpdt) ROW(sv0_5, Sv05) ROW(rem_verify, RemVerify)

#define LB_INSTANTIATE(name, Type) LB_STANDALONE_OF(name, u32) LB_STANDALONE_OF(name, u64)
LB_SYSTEMS(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core::standalone

namespace lb::core {

const std::vector<SystemRow>& systems() {
  return once([] {
    return std::vector<SystemRow>{
#define LB_ROW(name, Type) {#name, #Type, system::Type::vertex_cells, system::Type::edge_cells, system::Type::smallest},
        LB_SYSTEMS(LB_ROW)
#undef LB_ROW
    };
  });
}

}  // namespace lb::core

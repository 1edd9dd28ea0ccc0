// The module _core: every file of bindings adds its part.
#include "bind.hpp"
#include "landbridge/work.hpp"
#include "rank.hpp"
#include "threads.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  nb::set_leak_warnings(false);  // a daemon thread may hold an object when the interpreter ends
  m.doc() = "The compiled core of landbridge. Internal: call the functions of the package instead.";
  const auto input = nb::exception<lb::core::InputError>(m, "CoreInputError", PyExc_ValueError);
  nb::exception<lb::core::ListError>(m, "CoreListError", input);
  nb::exception<lb::core::SumOverflow>(m, "CoreSumOverflow", input);
  m.def("available_threads", &lb::core::available_threads, "Processors this process may run on.");
  m.def("fail_allocation", &lb::core::fail_allocation, nb::arg("k"),
        "Makes the k-th allocation from now fail (for tests); 0 turns it off.");
  lb::bind::device_layout(m);
  lb::bind::registry(m);
  lb::bind::graph(m);
  lb::bind::components(m);
  lb::bind::text(m);
  lb::bind::generate(m);
  lb::bind::ids(m);
  lb::bind::incremental(m);
  lb::bind::interrupts(m);
  lb::bind::label_rows(m);
  lb::bind::lists(m);
  lb::bind::names(m);
  lb::bind::occurring(m);
  lb::bind::ordered(m);
  lb::bind::packed(m);
  lb::bind::rank(m);
  lb::bind::rooted(m);
  lb::bind::stage(m);
#if defined(LB_COUNT_WORK)
  lb::bind::work(m);
#endif
}

// The registry's names as types, so that a plan's text becomes a kernel's name without a table in between:
// lb::named::link::rem_cas<lb::named::find::naive<Read>, lb::named::splice::split_one<Read>, Read>.
#pragma once
#include "../policy/link.hpp"
#include "../policy/sample.hpp"
#include "../policy/splice.hpp"

#define LB_SAMPLE(...)
#define LB_FINISH(...)
#define LB_SPLICE(...)
#define LB_LINK(...)
#define LB_FIND(name, code, Type, ...) \
  template <class Read>                \
  using name = lb::find::Type<Read>;
namespace lb::named::find {
#include "../policy/registry.def"
}
#undef LB_FIND
#undef LB_SPLICE
#define LB_FIND(...)
#define LB_SPLICE(name, code, Type, ...) \
  template <class Read>                  \
  using name = lb::splice::Type<Read>;
namespace lb::named::splice {
template <class>
using none = lb::splice::NoSplice;
#include "../policy/registry.def"
}  // namespace lb::named::splice
#undef LB_SPLICE
#undef LB_LINK
#define LB_SPLICE(...)
#define LB_LINK(name, code, Type, ...)    \
  template <class Find, class S, class R> \
  using name = lb::link::Type<Find, S, R>;
namespace lb::named::link {
#include "../policy/registry.def"
}
#undef LB_LINK
#undef LB_SPLICE
#undef LB_FIND
#undef LB_SAMPLE
#undef LB_FINISH

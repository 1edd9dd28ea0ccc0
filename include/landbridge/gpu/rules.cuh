// The registry's names as types, so that a plan's text becomes a kernel's name without a table in between:
// lb::named::link::rem_cas<lb::named::find::naive<Read>, lb::named::splice::split_one<Read>, Read>.
#pragma once
#include "../policy/link.hpp"
#include "../policy/sample.hpp"
#include "../policy/splice.hpp"

#define LB_FIND(name, code, Type, ...) \
  template <class Read>                \
  using name = lb::find::Type<Read>;
namespace lb::named::find {
#include "../policy/registry.def"
}
#define LB_SPLICE(name, code, Type, ...) \
  template <class Read>                  \
  using name = lb::splice::Type<Read>;
namespace lb::named::splice {
template <class>
using none = lb::splice::NoSplice;
#include "../policy/registry.def"
}  // namespace lb::named::splice
#define LB_LINK(name, code, Type, ...)    \
  template <class Find, class S, class R> \
  using name = lb::link::Type<Find, S, R>;
namespace lb::named::link {
#include "../policy/registry.def"
}

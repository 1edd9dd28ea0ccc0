#include "kernels.hpp"

#include "id_width.hpp"
#include "once.hpp"

namespace lb::core {

#define LB_LINK(name, ...)                          \
  std::vector<Kernel<u32>> kernels_narrow_##name(); \
  std::vector<Kernel<u64>> kernels_wide_##name();   \
  std::vector<Combination> combinations_##name();
#include "landbridge/policy/registry.def"

namespace {

// The tables are never destroyed: a thread may still be inside a kernel when the process ends.

template <class T>
void append(std::vector<T>& out, const std::vector<T>& more) {
  out.insert(out.end(), more.begin(), more.end());
}

template <class Id>
const std::vector<Kernel<Id>>& kernels() {
  return once([] {
    std::vector<Kernel<Id>> t;
#define LB_LINK(name, ...)                                           \
  if constexpr (sizeof(Id) == 4) append(t, kernels_narrow_##name()); \
  if constexpr (sizeof(Id) == 8) append(t, kernels_wide_##name());
#include "landbridge/policy/registry.def"
    return t;
  });
}

}  // namespace

const std::vector<Combination>& combinations() {
  return once([] {
    std::vector<Combination> t;
#define LB_LINK(name, ...) append(t, combinations_##name());
#include "landbridge/policy/registry.def"
    return t;
  });
}

const std::vector<Policy>& policies() {
  return once([] {
    return std::vector<Policy>{
#define LB_ROW(axis, name, code, Type, ...) {axis, #name, code, __VA_ARGS__},
#define LB_SAMPLE(name, code, Type, parameters, engines, traits, published, ...) \
  {"sample", #name, code, parameters, engines, "-", published, __VA_ARGS__, traits},
#define LB_FIND(...) LB_ROW("find", __VA_ARGS__)
#define LB_SPLICE(...) LB_ROW("splice", __VA_ARGS__)
#define LB_LINK(...) LB_ROW("link", __VA_ARGS__)
#define LB_FINISH(name, code, Type, parameters, engines, traits, published, ...) \
  {"finish", #name, code, parameters, engines, "-", published, __VA_ARGS__, traits},
#define LB_ROUND(name, code, Type, parameters, engines, published, ...) \
  {"finish", #name, code, parameters, engines, "-", published, __VA_ARGS__, "csr|coo|samples|stages|rounds"},
#define LB_RANK(...) LB_ROW("rank", __VA_ARGS__)
#include "landbridge/policy/registry.def"
#undef LB_ROW
    };
  });
}

template <class Id>
const Kernel<Id>* find_kernel(std::string_view link, std::string_view find, std::string_view splice) {
  for (const auto& k : kernels<Id>()) {
    if (k.link == link && k.find == find && k.splice == splice) return &k;
  }
  return nullptr;
}

#define LB_INSTANTIATE(Id) \
  template const Kernel<Id>* find_kernel<Id>(std::string_view, std::string_view, std::string_view);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

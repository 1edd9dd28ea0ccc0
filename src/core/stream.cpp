#include "stream.hpp"

#include "id_width.hpp"
#include "once.hpp"

namespace lb::core {

#define LB_LINK(name, ...)                               \
  std::vector<StreamKernel<u32>> stream_narrow_##name(); \
  std::vector<StreamKernel<u64>> stream_wide_##name();
#include "landbridge/policy/registry.def"

namespace {

template <class Id>
const std::vector<StreamKernel<Id>>& kernels() {
  return once([] {
    std::vector<StreamKernel<Id>> t;
    const auto append = [&](const auto& more) { t.insert(t.end(), more.begin(), more.end()); };
#define LB_LINK(name, ...)          \
  if constexpr (sizeof(Id) == 4)    \
    append(stream_narrow_##name()); \
  else                              \
    append(stream_wide_##name());
#include "landbridge/policy/registry.def"
    return t;
  });
}

}  // namespace

template <class Id>
const StreamKernel<Id>* find_stream_kernel(std::string_view link, std::string_view find, std::string_view splice) {
  for (const auto& k : kernels<Id>()) {
    if (k.link == link && k.find == find && k.splice == splice) return &k;
  }
  return nullptr;
}
#define LB_INSTANTIATE(Id) \
  template const StreamKernel<Id>* find_stream_kernel<Id>(std::string_view, std::string_view, std::string_view);
LB_FOR_EACH_ID(LB_INSTANTIATE)
#undef LB_INSTANTIATE

}  // namespace lb::core

#include "device_layout.hpp"

#include <stdexcept>
#include <type_traits>

#include "landbridge/gpu/layout/components.hpp"
#include "landbridge/gpu/layout/graph.hpp"
#include "landbridge/gpu/layout/lists.hpp"
#include "landbridge/gpu/layout/streams.hpp"
#include "landbridge/gpu/tuning.hpp"

namespace lb::core {
namespace {

template <class T>
std::string kind_of() {
  static_assert(std::is_pointer_v<T> || std::is_enum_v<T> || std::is_same_v<T, double> ||
                    (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)),
                "a kind of field that the host cannot fill");
  if constexpr (std::is_pointer_v<T>)
    return "pointer";
  else if constexpr (std::is_enum_v<T>)
    return "int32";
  else if constexpr (std::is_same_v<T, double>)
    return "float64";
  else
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
}

// Visits what the families export, in order, and writes the checks beside it.
class Collector {
 public:
  explicit Collector(DeviceLayout& layout) : layout_(layout) {}

  // macro: what the header of the family defines, so that a program checks what it includes and nothing else.
  template <class Family>
  void add(const std::string& macro) {
    layout_.checks += "#ifdef " + macro + "\nnamespace lb::gpu {\n";
    Family::each_struct(*this);
    Family::each_enum(*this);
    Family::each_constant(*this);
    Family::each_control(*this);
    layout_.checks += "}\n#endif\n";
  }

  template <class Struct>
  void type(const std::string& text) {
    static_assert(std::is_aggregate_v<Struct> && std::is_trivially_copyable_v<Struct>);
    const std::string name = text.substr(0, text.find('<'));
    layout_.structs.push_back({name, text, sizeof(Struct), alignof(Struct), {}});
    Struct::each_field(*this);
    check("sizeof(" + text + ")", sizeof(Struct));
    check("alignof(" + text + ")", alignof(Struct));
    for (std::size_t i = 0; i + 1 < layout_.structs.size(); ++i) {
      if (layout_.structs[i].name != name) continue;
      if (!same(layout_.structs[i], layout_.structs.back())) throw std::logic_error("two layouts of " + name);
      layout_.structs.pop_back();
      return;
    }
  }
  template <class T>
  void field(const char* name, const char* type, i64 offset) {
    auto& owner = layout_.structs.back();
    owner.fields.push_back({name, offset, kind_of<T>(), type});
    check("LB_OFFSET_OF(" + std::string(name) + ", " + owner.type + ")", offset);
  }
  template <class Enum>
  void enumeration(const char* name) {
    open(layout_.enums, name);
    each_word(Enum{}, *this);
  }
  void family(const char* name) { open(layout_.control, name); }
  void word(const char* name, i64 value, const std::string& expression) {
    words_->words.emplace_back(name, value);
    check("static_cast<int>(" + expression + ")", value);
  }
  void constant(const char* name, i64 value) {
    for (const auto& [other, _] : layout_.constants) {
      if (other == name) throw std::logic_error("two constants " + other);
    }
    layout_.constants.emplace_back(name, value);
    check(name, value);
  }

 private:
  void open(std::vector<LayoutWords>& all, const char* name) {
    for (const auto& other : all) {
      if (other.name == name) throw std::logic_error("two lists of words " + other.name);
    }
    all.push_back({name, {}});
    words_ = &all.back();
  }
  static bool same(const LayoutStruct& a, const LayoutStruct& b) {
    if (a.size != b.size || a.align != b.align || a.fields.size() != b.fields.size()) return false;
    for (std::size_t i = 0; i < a.fields.size(); ++i) {
      const auto &x = a.fields[i], &y = b.fields[i];
      if (x.name != y.name || x.offset != y.offset || x.kind != y.kind) return false;
    }
    return true;
  }
  void check(const std::string& expression, i64 value) {
    layout_.checks += "static_assert(" + expression + " == " + std::to_string(value) + ");\n";
  }

  DeviceLayout& layout_;
  LayoutWords* words_ = nullptr;
};

}  // namespace

DeviceLayout device_layout() {
  DeviceLayout layout;
  Collector collector(layout);
  collector.add<gpu::TuningLayout>("LB_LAYOUT_TUNING");
  collector.add<gpu::GraphLayout>("LB_LAYOUT_GRAPH");
  collector.add<gpu::ComponentsLayout>("LB_LAYOUT_COMPONENTS");
  collector.add<gpu::ListsLayout>("LB_LAYOUT_LISTS");
  collector.add<gpu::StreamsLayout>("LB_LAYOUT_STREAMS");
  return layout;
}

}  // namespace lb::core

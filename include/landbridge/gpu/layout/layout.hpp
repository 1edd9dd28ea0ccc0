// What crosses the device boundary by value: structs whose fields are listed once. The list declares the fields and
// says what each is called, where it lies and what it holds, so that the host builds the same bytes without a second
// list. g++ and NVRTC both compile these headers; src/core/device_layout.cpp exports them. Kernels take such structs
// and nothing else, as const __grid_constant__ parameters where threads read a few fields of a large one: none copies
// it.
#pragma once
#include "../../platform.hpp"
#include "each.hpp"

// What only the host reads: devices compile these headers at run time.
#if LB_DEVICE_COMPILER
#define LB_ON_HOST(...)
#else
#define LB_ON_HOST(...) __VA_ARGS__
#endif

#define LB_UNPACK(...) __VA_ARGS__
#define LB_APPLY(macro, ...) macro(__VA_ARGS__)

// The fields of a by-value struct, inside of it: LB_FIELDS(Self, (type, name), ...). A type without commas: a pointer,
// an integer of 4 or 8 bytes, a double or an enum of LB_ENUM. Fields fill the struct without padding, which is why a
// field outside of the list cannot stay unnoticed (layout::packed).
#define LB_FIELDS(Self, ...)                                                                       \
  LB_EACH(LB_DECLARE_FIELD, Self, __VA_ARGS__)                                                     \
  LB_FN static constexpr lb::i64 listed_bytes() { return 0 LB_EACH(LB_ADD_FIELD, , __VA_ARGS__); } \
  LB_ON_HOST(template <class Visitor>                                                              \
             static constexpr void each_field(Visitor& v) { LB_EACH(LB_VISIT_FIELD, Self, __VA_ARGS__); })
#define LB_DECLARE_FIELD(Self, field) LB_APPLY(LB_DECLARE_FIELD_OF, LB_UNPACK field)
#define LB_DECLARE_FIELD_OF(type, name) type name;
#define LB_VISIT_FIELD(Self, field) LB_APPLY(LB_VISIT_FIELD_OF, Self, LB_UNPACK field)
#define LB_VISIT_FIELD_OF(Self, type, name) v.template field<type>(#name, #type, LB_OFFSET_OF(name, Self));
#define LB_ADD_FIELD(context, field) LB_APPLY(LB_ADD_FIELD_OF, LB_UNPACK field)
#define LB_ADD_FIELD_OF(type, name) +static_cast<lb::i64>(sizeof(type))

// An enum and its words in order: LB_ENUM(Name, word, ...).
#define LB_ENUM(Name, ...)               \
  enum class Name : int { __VA_ARGS__ }; \
  LB_ON_HOST(template <class Visitor>    \
             constexpr void each_word(Name, Visitor& v) { LB_EACH(LB_VISIT_WORD, Name, __VA_ARGS__); })
#define LB_VISIT_WORD(Name, Word) v.word(#Word, static_cast<int>(Name::Word), #Name "::" #Word);

// A control block: 64-bit words that the kernels of a family leave for each other and for the host.
// LB_CONTROL(family, prefix, (word), (word, places), ...) is the enum of their positions, prefix##word, and the size of
// the block, prefix##end. One name means one thing: a word is never used for a second purpose.
#define LB_CONTROL(family, prefix, ...)                                                   \
  enum prefix##position : int{LB_EACH(LB_CONTROL_WORD, prefix, __VA_ARGS__) prefix##end}; \
  LB_ON_HOST(template <class Visitor> constexpr void each_##family##_word(Visitor& v) {   \
    LB_EACH(LB_VISIT_CONTROL, prefix, __VA_ARGS__)                                        \
    v.word("end", prefix##end, LB_TEXT(prefix##end));                                     \
  })
#define LB_CONTROL_WORD(prefix, word) LB_APPLY(LB_CONTROL_WORD_OF, prefix, LB_UNPACK word)
#define LB_CONTROL_WORD_OF(prefix, name, ...) \
  prefix##name, __VA_OPT__(prefix##name##_last = prefix##name + __VA_ARGS__ - 1, )
#define LB_VISIT_CONTROL(prefix, word) LB_APPLY(LB_VISIT_CONTROL_OF, prefix, LB_UNPACK word)
#define LB_VISIT_CONTROL_OF(prefix, name, ...) v.word(#name, prefix##name, LB_TEXT(prefix##name));

// What a header exports, inside a struct that derives from layout::Family; whatever is left out is empty.
// Structs are given with arguments for their templates, in parentheses: the layout must not depend on them.
#define LB_EXPORT_STRUCTS(...)        \
  LB_ON_HOST(template <class Visitor> \
             static constexpr void each_struct(Visitor& v){LB_EACH(LB_VISIT_STRUCT, , __VA_ARGS__)})
#define LB_VISIT_STRUCT(context, Type)                                                                         \
  static_assert(lb::gpu::layout::packed<LB_UNPACK Type>, "LB_FIELDS misses a field, or fields leave padding"); \
  v.template type<LB_UNPACK Type>(LB_TEXT Type);
#define LB_TEXT(...) #__VA_ARGS__
#define LB_EXPORT_ENUMS(...)          \
  LB_ON_HOST(template <class Visitor> \
             static constexpr void each_enum(Visitor& v){LB_EACH(LB_VISIT_ENUM, , __VA_ARGS__)})
#define LB_VISIT_ENUM(context, Name) v.template enumeration<Name>(#Name);
#define LB_EXPORT_CONSTANTS(...)      \
  LB_ON_HOST(template <class Visitor> \
             static constexpr void each_constant(Visitor& v){LB_EACH(LB_VISIT_CONSTANT, , __VA_ARGS__)})
#define LB_VISIT_CONSTANT(context, name) v.constant(#name, name);
#define LB_EXPORT_CONTROL(...)        \
  LB_ON_HOST(template <class Visitor> \
             static constexpr void each_control(Visitor& v){LB_EACH(LB_VISIT_FAMILY, , __VA_ARGS__)})
#define LB_VISIT_FAMILY(context, Name) v.family(#Name), each_##Name##_word(v);

namespace lb::gpu::layout {

// Whether the listed fields are all there is: every byte of the struct belongs to one of them.
template <class Struct>
constexpr bool packed = static_cast<i64>(sizeof(Struct)) == Struct::listed_bytes();

// What a header exports that says nothing else.
struct Family {
#if !LB_DEVICE_COMPILER
  template <class Visitor>
  static constexpr void each_struct(Visitor&) {}
  template <class Visitor>
  static constexpr void each_enum(Visitor&) {}
  template <class Visitor>
  static constexpr void each_constant(Visitor&) {}
  template <class Visitor>
  static constexpr void each_control(Visitor&) {}
#endif
};

}  // namespace lb::gpu::layout

// The only file that depends on the compiler. Everything else under include/landbridge compiles
// unchanged under g++, nvcc and NVRTC, allocates nothing and includes no standard container.
#pragma once

#if defined(__CUDACC_RTC__)
namespace lb {
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;
}  // namespace lb
#define LB_DEVICE_COMPILER 1
#elif defined(__CUDACC__)
#include <cstdint>
namespace lb {
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = unsigned long long;  // the type the built-in atomics take
using i64 = long long;
}  // namespace lb
#define LB_DEVICE_COMPILER 1
#else
#include <cstdint>
namespace lb {
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
}  // namespace lb
#define LB_DEVICE_COMPILER 0
#endif

// Where a field lies in a struct (the last argument, which may hold commas), as a constant.
#if defined(__CUDACC_RTC__)
#define LB_OFFSET_OF(field, ...) __INTADDR__(&static_cast<__VA_ARGS__*>(nullptr)->field)
#else
#define LB_OFFSET_OF(field, ...) __builtin_offsetof(__VA_ARGS__, field)
#endif

#if defined(__CUDACC_RTC__)
#define LB_FN __device__ inline
#elif LB_DEVICE_COMPILER
#define LB_FN __host__ __device__ inline
#else
#define LB_FN inline
#endif

namespace lb {

template <class T>
LB_FN void swap(T& a, T& b) {
  const T t = a;
  a = b;
  b = t;
}

// The same where `swaps` is true, without a branch.
template <class T>
LB_FN void swap_if(bool swaps, T& a, T& b) {
  T differing = static_cast<T>(T{0} - static_cast<T>(swaps));
#if !LB_DEVICE_COMPILER
  asm("" : "+r"(differing));  // else a compiler makes a branch of it
#endif
  differing &= a ^ b;
  a ^= differing;
  b ^= differing;
}

// No edge, no label, no owner: the all-ones word. Vertex ids are always smaller.
template <class Id>
constexpr Id none = static_cast<Id>(~Id{0});

}  // namespace lb

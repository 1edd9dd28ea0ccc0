// How far finds walk: ECL-CC's rules on one thread over a memory that counts.
//   paths OFFSETS NEIGHBORS   raw arrays of 64- and 32-bit integers, symmetric rows
// prints finds, hops of all of them, and hops of the longest.
#include <cstdio>
#include <fstream>
#include <vector>

#include "landbridge/phase/unite.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/link.hpp"

namespace {

using lb::i64;
using lb::u32;

// Serial cells; every load of one find is counted by the rule below.
struct Counting : lb::SerialMemory<u32> {
  i64* loads;
  Counting(u32* cells, i64* counter) : SerialMemory(cells), loads(counter) {}
  u32 load(u32 x) const { return ++*loads, SerialMemory::load(x); }
};

struct Walks {
  i64 finds = 0, hops = 0, longest = 0;
};
Walks walks;

// Intermediate pointer jumping; a find that loads k cells has gone k - 1 hops.
struct Counted : lb::find::Inter<> {
  static u32 find(const Counting& m, u32 x) {
    const i64 before = *m.loads;
    const u32 root = lb::find::Inter<>::find(m, x);
    const i64 hops = *m.loads - before - 1;
    ++walks.finds;
    walks.hops += hops;
    if (hops > walks.longest) walks.longest = hops;
    return root;
  }
};

template <class T>
std::vector<T> read(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: paths OFFSETS NEIGHBORS\n"), 2;
  const auto offsets = read<i64>(argv[1]);
  const auto neighbors = read<u32>(argv[2]);
  const u32 n = static_cast<u32>(offsets.size() - 1);
  std::vector<u32> parent(n);
  i64 loads = 0;
  const Counting memory(parent.data(), &loads);
  for (u32 v = 0; v < n; ++v) {
    u32 start = v;
    for (i64 e = offsets[v]; e < offsets[v + 1] && start == v; ++e)
      if (neighbors[static_cast<std::size_t>(e)] < v) start = neighbors[static_cast<std::size_t>(e)];
    memory.store(v, start);
  }
  const lb::Forest<Counting> forest{memory, memory};
  lb::phase::UniteRun<lb::link::Ecl<Counted>, lb::Forest<Counting>> run(forest);
  for (u32 v = 0; v < n; ++v)
    for (i64 e = offsets[v]; e < offsets[v + 1]; ++e)
      if (const u32 u = neighbors[static_cast<std::size_t>(e)]; u < v) run.edge(v, u, lb::callback::Nothing{});
  std::printf("%lld %lld %lld\n", static_cast<long long>(walks.finds), static_cast<long long>(walks.hops),
              static_cast<long long>(walks.longest));
}

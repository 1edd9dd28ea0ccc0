// List ranking, its verifier, and what the GPU's plans and the benchmarks take from the CPU.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <atomic>

#include "bind.hpp"
#include "bind_values.hpp"
#include "landbridge/random.hpp"
#include "rank.hpp"
#include "rank_strategy.hpp"
#include "threads.hpp"

namespace lb::bind {
namespace {

constexpr std::size_t narrow = std::size_t{1} << 31;  // elements that 32 bits hold

template <class S>
core::ListsView<S> view_of(const In<S>& successor) {
  return {successor.data(), static_cast<i64>(successor.size())};
}

// Calls solve(T{}) with the type of elements in the result.
template <class S, class Solve>
nb::tuple with_width(const In<S>& successor, bool wide, const Solve& solve) {
  if constexpr (sizeof(S) == 8) {
    if (wide || successor.size() >= narrow) return solve(std::int64_t{});
  }
  return solve(std::int32_t{});
}

// Runs solve(out, tails, phases) without the interpreter's lock; the answer in the form of Python.
template <class V, class T, class Solve>
nb::tuple answer(std::size_t n, bool tails_requested, const Solve& solve) {
  core::Buffer<V> out(n);
  core::Buffer<T> tails(tails_requested ? n : 0);
  core::Phases phases;
  {
    const Unlocked unlocked;
    solve(out.data(), tails_requested ? tails.data() : nullptr, phases);
  }
  nb::object ends = tails_requested ? nb::cast(to_numpy(std::move(tails))) : nb::none();
  return nb::make_tuple(to_numpy(std::move(out)), ends, phases);
}

core::ScanSpec scan_spec(const std::string& op, bool from_head, bool exclusive, bool of_links) {
  const auto code = op == "min" ? rank::ScanOp::min : op == "max" ? rank::ScanOp::max : rank::ScanOp::sum;
  return {code, from_head, exclusive, of_links};
}

template <class S>
void ranks(nb::module_& m) {
  m.def(
      "rank_elements",
      [](const In<S>& successor, bool from_head, bool tails, const core::ListPlan& plan, bool wide) {
        const auto lists = view_of(successor);
        return with_width(successor, wide, [&]<class T>(T) {
          return answer<T, T>(successor.size(), tails, [&](T* out, T* ends, core::Phases& phases) {
            core::rank_elements<S, T>(lists, from_head, out, ends, plan, phases);
          });
        });
      },
      nb::arg("successor"), nb::arg("from_head"), nb::arg("tails"), nb::arg("plan"), nb::arg("wide") = false,
      "Links between each element and an end of its list: (ranks, tails or None, [(phase, seconds)]).");
  m.def(
      "problem_of_lists",
      [](const In<S>& successor) {
        const Unlocked unlocked;
        return core::problem_of_lists(view_of(successor));
      },
      nb::arg("successor"), "The first thing wrong with the successors, as one line; empty if they are lists.");
}

template <class S, class V>
void scans(nb::module_& m) {
  m.def(
      "scan_lists",
      [](const In<S>& successor, const In<V>& values, const core::ScanSpec& spec, bool tails,
         const core::ListPlan& plan, bool wide) {
        const auto lists = view_of(successor);
        if (values.size() != successor.size()) throw core::InputError("there must be a value for each element");
        return with_width(successor, wide, [&]<class T>(T) {
          return answer<V, T>(successor.size(), tails, [&](V* out, T* ends, core::Phases& phases) {
            core::scan_lists<S, T, V>(lists, values.data(), spec, out, ends, plan, phases);
          });
        });
      },
      nb::arg("successor"), nb::arg("values"), nb::arg("spec"), nb::arg("tails"), nb::arg("plan"),
      nb::arg("wide") = false,
      "The values between each element and an end of its list: (values, tails or None, [(phase, seconds)]).");
  m.def(
      "check_scan",
      [](const In<S>& successor, const std::optional<In<V>>& values, const core::ScanSpec& spec, const In<V>& ranks) {
        const std::size_t n = successor.size();
        if (ranks.size() != n || (values && values->size() != n))
          throw core::InputError("there must be a value for each element");
        const Unlocked unlocked;
        return core::check_scan<S, V>(view_of(successor), values ? values->data() : nullptr, spec, ranks.data());
      },
      nb::arg("successor"), nb::arg("values").none(), nb::arg("spec"), nb::arg("ranks"),
      "Empty if the values are right, else one line that proves they are not.");
}

void plans(nb::module_& m) {
  nb::class_<core::ListPlan>(m, "ListPlan", "A plan of list ranking: a row of the axis `rank` with its parameters.")
      .def(
          "__init__",
          [](core::ListPlan* self, std::string name, const nb::dict& values, u64 seed, int threads) {
            new (self) core::ListPlan{std::move(name), values_of(values), seed, threads};
          },
          nb::arg("name"), nb::arg("values"), nb::arg("seed") = 1, nb::arg("threads") = 1);
  nb::class_<core::ScanSpec>(m, "ScanSpec",
                             "What a scan combines: \"sum\", \"min\" or \"max\", and in which direction.")
      .def(
          "__init__",
          [](core::ScanSpec* self, const std::string& op, bool from_head, bool exclusive, bool of_links) {
            new (self) core::ScanSpec(scan_spec(op, from_head, exclusive, of_links));
          },
          nb::arg("op"), nb::arg("from_head"), nb::arg("exclusive"), nb::arg("of_links"));
}

// Of core::lists::Method.
constexpr const char* method_words[] = {"serial", "walks", "jumps", "independent_sets"};

// What a GPU's plans have in common with those of the CPU, and estimates of memory with both.
void shared_rules(nb::module_& m) {
  using core::lists::Strategy;
  nb::class_<Strategy>(m, "ListStrategy", "The parameters of a plan of list ranking.")
      .def_ro("blocks", &Strategy::blocks, "Blocks of indices with a splitter each.")
      .def_ro("first_of_block", &Strategy::first_of_block, "Whether it is the first element of its block.")
      .def_ro("rounds", &Strategy::rounds, "Rounds of removals.")
      .def_prop_ro(
          "method", [](const Strategy& s) { return method_words[static_cast<std::size_t>(s.method)]; },
          "\"serial\", \"walks\", \"jumps\" or \"independent_sets\".")
      .def_prop_ro(
          "state_bytes", [](const Strategy& s) { return s.layout == Strategy::Layout::bits48 ? 6 : 8; },
          "Bytes of an element's state in walks with 32-bit ranks.")
      .def_ro("recursion", &Strategy::recursion, "Whether the same plan ranks the sublists.");
  m.def("list_strategy", &core::lists::strategy_of, nb::arg("plan"), nb::arg("elements"),
        "The parameters of a plan for so many elements.");
  m.def("mix", &lb::mix, nb::arg("key"), nb::arg("counter"), "64 random bits that follow from a key and a counter.");
}

u64 sum_of_random_reads(const In<std::int32_t>& table, i64 count, int threads) {
  const std::int32_t* const words = table.data();
  const u64 n = table.size();
  if (n == 0 || n >= narrow) throw core::InputError("the table has between 1 and 2^31 - 1 words");
  std::atomic<u64> sum{0};
  const Unlocked unlocked;
  core::parallel_for(count, i64{1} << 16, threads, [&](i64 b, i64 e, int) {
    u64 part = 0;
    constexpr i64 in_flight = 64;  // as many as the memory can be asked for
    u64 places[in_flight];
    for (i64 i = b; i < e + in_flight; ++i) {
      u64& place = places[i % in_flight];
      if (i >= b + in_flight) part += static_cast<u64>(words[place]);
      if (i >= e) continue;
      place = below(mix(1, static_cast<u64>(i)), n);
      __builtin_prefetch(words + place);
    }
    sum.fetch_add(part, std::memory_order_relaxed);
  });
  return sum.load();
}

}  // namespace

void rank(nb::module_& m) {
  plans(m);
  ranks<std::int32_t>(m);
  ranks<std::int64_t>(m);
  scans<std::int32_t, std::int64_t>(m);
  scans<std::int32_t, double>(m);
  scans<std::int64_t, std::int64_t>(m);
  scans<std::int64_t, double>(m);
  shared_rules(m);
  m.def(
      "draw_words",
      [](const nb::ndarray<u64, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out, u64 key, int threads) {
        u64* const words = out.data();
        const auto n = static_cast<i64>(out.size());
        const Unlocked unlocked;
        // A chunk takes about as long as waking the threads of the pool does.
        core::parallel_for(n, i64{1} << 15, threads, [&](i64 b, i64 e, int) {
          for (i64 i = b; i < e; ++i) words[i] = mix(key, static_cast<u64>(i));
        });
      },
      nb::arg("out"), nb::arg("key"), nb::arg("threads"), "Fills an array with random words that follow from the key.");
  m.def("read_at_random", &sum_of_random_reads, nb::arg("table"), nb::arg("count"), nb::arg("threads"),
        "Reads words at independent random places, as fast as the memory answers, and returns their sum: what any walk "
        "costs at least.");
}

}  // namespace lb::bind

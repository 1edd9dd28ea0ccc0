#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <atomic>

#include "bind.hpp"
#include "rank.hpp"
#include "threads.hpp"

namespace lb::bind {
namespace {

template <class T>
nb::object none_or(core::Buffer<T>&& array, bool wanted) {
  return wanted ? nb::cast(to_numpy(std::move(array))) : nb::none();
}

core::RankRequest request(const std::string& plan, const std::string& layout, const std::string& share, i64 splitters,
                          i64 width, i64 per_thread, i64 stop, double factor, u64 seed, int threads) {
  return {plan, layout, share, splitters, width, per_thread, stop, factor, seed, threads};
}

core::Scan scan_of(const std::string& op, bool from_head, bool exclusive, bool of_links) {
  const auto code = op == "min" ? rank::Op::min : op == "max" ? rank::Op::max : rank::Op::sum;
  return {code, from_head, exclusive, of_links};
}

template <class S, class T>
nb::tuple ranks(const In<S>& successor, bool from_head, bool want_tails, const core::RankRequest& plan) {
  const std::size_t n = successor.size();
  core::Buffer<T> out(n), tails(want_tails ? n : 0);
  core::Phases phases;
  {
    const Unlocked unlocked;
    core::rank_elements<S, T>(successor.data(), static_cast<i64>(n), from_head, out.data(),
                              want_tails ? tails.data() : nullptr, plan, phases);
  }
  return nb::make_tuple(to_numpy(std::move(out)), none_or(std::move(tails), want_tails), phases);
}

template <class S, class T, class V>
nb::tuple scan(const In<S>& successor, const In<V>& values, const core::Scan& how, bool want_tails,
               const core::RankRequest& plan) {
  const std::size_t n = successor.size();
  if (values.size() != n) throw core::InputError("there must be a value for each element");
  core::Buffer<V> out(n);
  core::Buffer<T> tails(want_tails ? n : 0);
  core::Phases phases;
  {
    const Unlocked unlocked;
    core::scan_lists<S, T, V>(successor.data(), static_cast<i64>(n), values.data(), how, out.data(),
                              want_tails ? tails.data() : nullptr, plan, phases);
  }
  return nb::make_tuple(to_numpy(std::move(out)), none_or(std::move(tails), want_tails), phases);
}

constexpr std::size_t narrow = std::size_t{1} << 31;  // elements that 32 bits hold

template <class S, class V>
void scans(nb::module_& m) {
  m.def(
      "scan_lists",
      [](const In<S>& successor, const In<V>& values, const std::string& op, bool from_head, bool exclusive,
         bool of_links, bool want_tails, const std::string& plan, const std::string& layout, const std::string& share,
         i64 splitters, i64 width, i64 per_thread, i64 stop, double factor, u64 seed, int threads, bool wide) {
        const auto how = scan_of(op, from_head, exclusive, of_links);
        const auto wanted = request(plan, layout, share, splitters, width, per_thread, stop, factor, seed, threads);
        if constexpr (sizeof(S) == 8) {
          if (wide || successor.size() >= narrow)
            return scan<S, std::int64_t, V>(successor, values, how, want_tails, wanted);
        }
        return scan<S, std::int32_t, V>(successor, values, how, want_tails, wanted);
      },
      nb::arg("successor"), nb::arg("values"), nb::arg("op"), nb::arg("from_head"), nb::arg("exclusive"),
      nb::arg("of_links"), nb::arg("want_tails"), nb::arg("plan"), nb::arg("layout") = "bits64",
      nb::arg("share") = "native", nb::arg("splitters") = 0, nb::arg("width") = 64, nb::arg("per_thread") = 8,
      nb::arg("stop") = 100, nb::arg("factor") = 4.0, nb::arg("seed") = 1, nb::arg("threads") = 1,
      nb::arg("wide") = false,
      "What lies between each element and an end of its list: (values, tails or None, [(phase, seconds)]).");
  m.def(
      "check_scan",
      [](const In<S>& successor, const std::optional<In<V>>& values, const std::string& op, bool from_head,
         bool exclusive, bool of_links, const In<V>& ranks) {
        const auto how = scan_of(op, from_head, exclusive, of_links);
        const std::size_t n = successor.size();
        if (ranks.size() != n || (values && values->size() != n))
          throw core::InputError("there must be a value for each element");
        const Unlocked unlocked;
        return core::check_scan<S, V>(successor.data(), static_cast<i64>(n), values ? values->data() : nullptr, how,
                                      ranks.data());
      },
      nb::arg("successor"), nb::arg("values").none(), nb::arg("op"), nb::arg("from_head"), nb::arg("exclusive"),
      nb::arg("of_links"), nb::arg("ranks"), "Empty if the values are right, else one line that proves they are not.");
}

template <class S>
void lists(nb::module_& m) {
  m.def(
      "rank_elements",
      [](const In<S>& successor, bool from_head, bool want_tails, const std::string& plan, const std::string& layout,
         const std::string& share, i64 splitters, i64 width, i64 per_thread, i64 stop, double factor, u64 seed,
         int threads, bool wide) {
        const auto wanted = request(plan, layout, share, splitters, width, per_thread, stop, factor, seed, threads);
        if constexpr (sizeof(S) == 8) {
          if (wide || successor.size() >= narrow)
            return ranks<S, std::int64_t>(successor, from_head, want_tails, wanted);
        }
        return ranks<S, std::int32_t>(successor, from_head, want_tails, wanted);
      },
      nb::arg("successor"), nb::arg("from_head"), nb::arg("want_tails"), nb::arg("plan"), nb::arg("layout") = "bits64",
      nb::arg("share") = "native", nb::arg("splitters") = 0, nb::arg("width") = 64, nb::arg("per_thread") = 8,
      nb::arg("stop") = 100, nb::arg("factor") = 4.0, nb::arg("seed") = 1, nb::arg("threads") = 1,
      nb::arg("wide") = false,
      "Links between each element and an end of its list: (ranks, tails or None, [(phase, seconds)]).");
  m.def(
      "problem_of_lists",
      [](const In<S>& successor) {
        const Unlocked unlocked;
        return core::problem_of_lists(successor.data(), static_cast<i64>(successor.size()));
      },
      nb::arg("successor"), "The first thing wrong with the successors, as one line; empty if they are lists.");
  scans<S, std::int64_t>(m);
  scans<S, double>(m);
}

}  // namespace

void rank(nb::module_& m) {
  lists<std::int32_t>(m);
  lists<std::int64_t>(m);
  m.def(
      "draw_words",
      [](const nb::ndarray<u64, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out, u64 key, int threads) {
        u64* const words = out.data();
        const auto n = static_cast<i64>(out.size());
        const Unlocked unlocked;
        core::parallel_for(n, i64{1} << 15, threads, [&](i64 b, i64 e, int) {
          for (i64 i = b; i < e; ++i) words[i] = mix(key, static_cast<u64>(i));
        });
      },
      nb::arg("out"), nb::arg("key"), nb::arg("threads"), "Fills an array with random words that follow from the key.");
  m.def(
      "read_at_random",
      [](const In<std::int32_t>& table, i64 count, int threads) {
        const std::int32_t* const words = table.data();
        const u64 n = table.size();
        if (n == 0 || n >= narrow) throw core::InputError("the table has between 1 and 2^31 - 1 words");
        std::atomic<u64> sum{0};
        const Unlocked unlocked;
        core::parallel_for(count, i64{1} << 16, threads, [&](i64 b, i64 e, int) {
          u64 mine = 0;
          constexpr i64 at_once = 64;  // as many as the memory can be asked for
          u64 at[at_once];
          for (i64 i = b; i < e + at_once; ++i) {
            u64& place = at[i % at_once];
            if (i >= b + at_once) mine += static_cast<u64>(words[place]);
            if (i >= e) continue;
            place = below(mix(1, static_cast<u64>(i)), n);
            __builtin_prefetch(words + place);
          }
          sum.fetch_add(mine, std::memory_order_relaxed);
        });
        return sum.load();
      },
      nb::arg("table"), nb::arg("count"), nb::arg("threads"),
      "Reads words at independent random places, as fast as the memory answers, and returns their sum: what any walk "
      "costs at least.");
}

}  // namespace lb::bind

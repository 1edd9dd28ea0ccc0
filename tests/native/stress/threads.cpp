// The thread back-end.
#include "threads.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "edge_queue.hpp"
#include "extremes.hpp"
#include "landbridge/random.hpp"
#include "memory.hpp"
#include "path_shortening.hpp"
#include "stress.hpp"
#include "thread_choice.hpp"

namespace lb::core::stress {
namespace {

void test_every_worker_runs_once() {
  for (int threads = 1; threads <= 9; ++threads) {
    for (int round = 0; round < 50; ++round) {
      std::vector<int> runs(static_cast<std::size_t>(threads), 0);  // one writer each, read after the call
      Gate gate(round % 2 == 0 ? threads : 0);
      parallel(threads, [&](int worker) {
        gate.pass();
        ++runs[static_cast<std::size_t>(worker)];
      });
      for (const int r : runs)
        expect(r == 1, "a worker of " + std::to_string(threads) + " ran " + std::to_string(r) + " times");
    }
  }
}

void test_chunks_cover_the_range() {
  for (const i64 n : {0, 1, 7, 64, 1000}) {
    for (const i64 grain : {0, 1, 3, 64, 5000}) {
      std::vector<int> visits(static_cast<std::size_t>(n), 0);
      const auto visit = [&](i64 begin, i64 end, int worker) {
        if (worker < 0 || worker >= 4) std::abort();
        for (i64 i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      };
      parallel_for(n, grain, 4, visit);
      parallel_in_order(n, grain, 4, visit);
      for (const int count : visits)
        expect(count == 2,
               "an index of " + std::to_string(n) + " was visited " + std::to_string(count) + " times of 2");
    }
  }
}

// Whatever is taken, each edge is taken once, and no two parts share a word of 64 edges.
void test_each_edge_is_taken_once() {
  for (const i64 edges : {1, 1000, 4096, 100'000, 3'000'000}) {
    for (int threads = 1; threads <= 5; threads += 2) {
      EdgeQueue queue(edges);
      for (i64 b = 0; b < edges; b += cpu::chunk_arcs) queue.add({b, std::min(edges, b + cpu::chunk_arcs), b % 3 == 0});
      std::vector<char> words(static_cast<std::size_t>((edges + 63) / 64), 0);
      i64 sum_of_all = 0;
      for (i64 most = 1; queue.edges() > 0; most = most * 3 % (edges + 7)) {
        const i64 before = queue.edges();
        const auto parts = queue.take(most, threads);
        expect(!parts.empty(), "nothing is taken");
        i64 sum = 0;
        bool first = true;
        for (const EdgePart& part : parts) {
          // Some parts are queued again.
          const bool back = mix(static_cast<u64>(edges), static_cast<u64>(part.begin + most)) % 2 == 0;
          if (!std::exchange(first, false) && back) {
            queue.add(part);
            continue;
          }
          expect(part.begin % 64 == 0 && part.begin < part.end && part.end <= edges, "a part of no edges of the list");
          expect(part.near == (part.begin / cpu::chunk_arcs * cpu::chunk_arcs % 3 == 0), "a part of another kind");
          for (i64 w = part.begin / 64; w < (part.end + 63) / 64; ++w) ++words[static_cast<std::size_t>(w)];
          sum += part.end - part.begin;
        }
        expect(before - queue.edges() == sum, "edges are counted wrongly");
        sum_of_all += sum;
      }
      expect(sum_of_all == edges, "edges are left");
      for (const char times : words) expect(times == 1, "an edge is taken " + std::to_string(times) + " times");
    }
  }
}

// The time of a list over that of the better choice. each(together, place): nanoseconds of an edge there.
// waking_ns: what all threads take to wake, if that counts, as in batches; no turn is left there.
template <class Each>
double time_over_best(int threads, i64 edges, bool few, const Each& each, bool cached = false, double waking_ns = 0) {
  constexpr i64 part = 1024;
  ThreadChoice choice(threads, waking_ns > 0 ? BatchThreads::as_if : edges, few, true, false, cached);
  if (waking_ns > 0) choice.count_waking();
  double time = 0, alone = 0, together = 0;
  for (i64 place = 0; place < edges;) {
    const i64 most = std::min(edges - place, choice.next());
    expect(most > 0, "no edges are next");
    const TurnBound bound(choice);
    i64 count = 0;
    double ns = choice.threads() > 1 ? waking_ns : 0;
    std::vector<BusyThread> busy(1);
    while (count < most && (waking_ns > 0 || !bound.over(ns, count))) {
      const auto some = static_cast<double>(std::min(part, most - count));
      const double spent = some * each(choice.threads() > 1, place + count);
      busy[0].add(some, spent);
      ns += spent;
      alone += some * each(false, place + count);
      together += some * each(true, place + count);
      count += static_cast<i64>(some);
    }
    time += ns;
    choice.add(count, waking_ns > 0 ? ns / static_cast<double>(count) : BusyThread::ns_of_edge(busy));
    place += count;
  }
  return time / std::min(alone, together);
}

void test_threads_are_chosen_by_the_time_of_an_edge() {
  for (const int threads : {2, 16}) {
    for (const bool few : {false, true}) {
      for (const i64 edges : {i64{100'000}, i64{1'000'000}, i64{50'000'000}}) {
        const auto over = [&](double one, double all) {
          return time_over_best(threads, edges, few, [&](bool together, i64) { return together ? all : one; });
        };
        const std::string where =
            " with " + std::to_string(threads) + " threads and " + std::to_string(edges) + " edges";
        expect(few || over(6, 6.0 / threads) < 1.05 + 2e5 * threads / static_cast<double>(edges),
               "all threads" + where);
        // In each other's way: at worst a share of the list is united so.
        expect(over(6, 60) < (edges > 1'000'000 ? 1.1 : 1.3), "in each other's way" + where);
        expect(over(3, 30) < 1.4, "in each other's way, and fast alone" + where);
        expect(over(2, 1.9) < 1.1, "as fast alone" + where);
        expect(over(7, 7) < 1.01, "as fast alone, where edges link" + where);
      }
    }
  }
  for (const int threads : {1, 4}) {
    const ThreadChoice choice(threads, 1000, false, false);
    expect(choice.threads() == threads && choice.next() == 1000,
           "all threads unite all edges where nothing is compared");
  }
  // Batches, for which threads are woken: they take a tenth of one thread's time, and waking them 75 us.
  const auto far_faster = [](bool together, i64) { return together ? 0.4 : 4.0; };
  expect(time_over_best(16, 4'000'000, false, far_faster, false, 75'000) < 1.5, "all threads in spite of waking them");
  // The cells of the first edges are in no cache.
  const auto cold = [](bool together, i64 place) {
    return together ? 5.5 : 3.5 + 5.5 * std::exp(-static_cast<double>(place) / 10'000);
  };
  expect(time_over_best(2, 400'000, false, cold, true) < 1.2, "slow at first, and then fast");
  // One thread is interrupted for a millisecond while its time is measured.
  const auto interrupted = [](bool together, i64 place) {
    return together ? 35.0 : place >= 8192 && place < 8192 + 1024 ? 1000.0 : 3.0;
  };
  expect(time_over_best(2, 800'000, false, interrupted, true) < 1.5, "interrupted at first");
  // One thread becomes slow when the cells no longer fit its cache.
  const auto slower = [](bool together, i64 place) { return together ? 4.0 : place < 400'000 ? 3.0 : 9.0; };
  for (const bool cached : {false, true})
    expect(time_over_best(2, 4'000'000, false, slower, cached) < 1.1, "one thread that becomes slower");
  // From the middle of a list on, threads are in each other's way; and only up to there.
  const auto later = [](bool together, i64 place) {
    return place > 5'000'000 && together ? 60.0 : together ? 4.0 : 7.0;
  };
  expect(time_over_best(2, 10'000'000, false, later) < 3, "later in each other's way");
  const auto at_first = [](bool together, i64 place) {
    return place < 500'000 && together ? 60.0 : together ? 4.0 : 7.0;
  };
  expect(time_over_best(2, 10'000'000, false, at_first) < 1.35, "at first in each other's way");
}

void test_paths_are_shortened_where_walks_take_long() {
  constexpr i64 n = 1'000'000;
  // Of edges that took walks of so many nanoseconds, with parents compared before that, if they were.
  const auto learn = [](PathShortening& shortening, double walk_ns, double in_vain, i64 edges, double compare_ns = 0) {
    EdgeTimes times;
    const auto of = [&](double each) { return static_cast<i64>(each * static_cast<double>(edges)); };
    times.walked = edges, times.in_vain = of(in_vain), times.walk_ns = of(walk_ns);
    if (compare_ns > 0) times.compared = edges, times.compare_ns = of(compare_ns);
    shortening.add(times);
  };
  const auto pays_behind = [&](double walk_ns, double in_vain, i64 edges, bool compares = false) {
    PathShortening shortening;
    learn(shortening, walk_ns, in_vain, edges);
    return shortening.pays(n, edges, in_vain, compares);
  };
  expect(!PathShortening().pays(n, 10 * n, 1, false), "paths are shortened before any walk");
  expect(pays_behind(8, 0.5, n), "long walks go on");
  expect(!pays_behind(8, 0.5, n / 8), "paths are shortened for few walks");
  expect(!pays_behind(8, 0.05, 100 * n), "paths are shortened though most edges link");
  expect(!pays_behind(1.2, 0.5, 100 * n), "paths are shortened though walks are short");
  expect(pays_behind(1.2, 0.5, 100 * n, true), "short walks go on where parents are compared anyway");
  expect(!pays_behind(8, 0.5, n / 8, true), "paths are shortened for few walks, as parents are compared");
  PathShortening shortening;
  learn(shortening, 4, 0.9, n, 3);
  expect(!shortening.pays(n, n, 0.9, false), "comparisons are taken to be faster than they are");
  learn(shortening, 8, 0.9, n);
  expect(shortening.pays(n, n, 0.9, false), "walks that have become longer go on");
  learn(shortening, 4, 0.9, n, 0.5);
  expect(shortening.pays(n, n, 0.9, false), "comparisons are taken to be slower than they are");
  shortening.begin_anew();
  expect(!shortening.pays(n, n / 8, 0.9, true), "walks before a shortening count once more");
}

// An atomic whose first exchange comes behind another thread's, which stored `between`.
struct Overtaken {
  i64 value;
  i64 between;
  bool overtaken = false;

  i64 load(std::memory_order) const { return value; }
  bool compare_exchange_weak(i64& expected, i64 desired, std::memory_order) {
    if (!overtaken) value = between;
    overtaken = true;
    const bool same = value == expected;
    (same ? value : expected) = same ? desired : value;
    return same;
  }
};

void test_extremes_outlive_other_threads() {
  for (const i64 between : {0, 2, 3, 4, 5, 9, 12}) {
    Overtaken greatest{0, between}, least{12, between};
    raise_to(greatest, i64{4});
    lower_to(least, i64{4});
    expect(greatest.value == std::max<i64>(4, between),
           "4 raised " + std::to_string(between) + " to " + std::to_string(greatest.value));
    expect(least.value == std::min<i64>(4, between),
           "4 lowered " + std::to_string(between) + " to " + std::to_string(least.value));
  }
}

void test_nested_calls() {
  std::atomic<int> sum{0};
  parallel(4, [&](int) {
    parallel(3, [&](int inner) {
      sum += inner;
      parallel_for(10, 1, 2, [&](i64 begin, i64 end, int) { sum += static_cast<int>(end - begin); });
    });
  });
  expect(sum == 4 * (0 + 1 + 2 + 30), "nested calls did " + std::to_string(sum) + " of 132");
}

void test_exceptions() {
  for (int thrower = 0; thrower < 4; ++thrower) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> others{0};
      std::string caught;
      try {
        parallel(4, [&](int worker) {
          if (worker == thrower) throw std::runtime_error("worker " + std::to_string(worker));
          ++others;
        });
      } catch (const std::runtime_error& e) {
        caught = e.what();
      }
      expect(caught == "worker " + std::to_string(thrower), "an exception was lost: \"" + caught + "\"");
      expect(others == 3, "after an exception " + std::to_string(others) + " of 3 workers had finished");
    }
  }
  bool caught = false;
  try {
    parallel(3, [](int) { throw std::runtime_error("all"); });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  expect(caught, "three exceptions at once were lost");
  test_every_worker_runs_once();  // and nothing is left behind
}

void test_concurrent_callers() {
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 5; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 100; ++round) {
        const int threads = 2 + (c + round) % 4;
        std::atomic<int> sum{0};
        parallel(threads, [&](int worker) { sum += worker + 1; });
        if (sum != threads * (threads + 1) / 2) std::abort();
        ++total;
      }
    });
  }
  for (auto& t : callers) t.join();
  expect(total == 500, "of 500 concurrent calls " + std::to_string(total) + " returned");
}

void test_fork() {
#if !defined(__SANITIZE_THREAD__)  // which refuses to start threads in a child
  parallel(3, [](int) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> runs{0};
    parallel(3, [&](int) { ++runs; });
    _exit(runs == 3 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "no threads in a child after fork()");
  test_every_worker_runs_once();  // the parent's are unharmed
#endif
}

// A child whose parent was inside the memory's cache of mappings when it forked.
void test_fork_beside_allocations() {
#if !defined(__SANITIZE_THREAD__)
  constexpr std::size_t size = 4 * huge_page;
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int t = 0; t < 2; ++t) {
    others.emplace_back([&] {
      while (!stop) release(allocate(size), size);
    });
  }
  for (int round = 0; round < 300; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // which ends a child that waits
      release(allocate(size), size);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "no memory in child " + std::to_string(round));
    if (!WIFEXITED(status)) break;
  }
  stop = true;
  for (auto& t : others) t.join();
#endif
}

}  // namespace

void threads() {
  test_every_worker_runs_once();
  test_chunks_cover_the_range();
  test_each_edge_is_taken_once();
  test_threads_are_chosen_by_the_time_of_an_edge();
  test_paths_are_shortened_where_walks_take_long();
  test_extremes_outlive_other_threads();
  test_nested_calls();
  test_exceptions();
  test_concurrent_callers();
  test_fork();
  test_fork_beside_allocations();
}

void race() {
  int plain = 0;
  Gate gate(4);
  parallel(4, [&](int) {
    gate.pass();
    for (int i = 0; i < 1000; ++i) plain = plain + 1;
  });
  std::printf("%d\n", plain);
}

}  // namespace lb::core::stress

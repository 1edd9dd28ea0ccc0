// How a thread walks lists: many walks at once, one step each in turn, so that their cache misses overlap. A single
// walk would wait for every element.
#pragma once
#include "../phase/rank.hpp"

namespace lb::cpu {

constexpr int most_walks = 128;
constexpr i64 steps_between_pauses = i64{1} << 16;

// Follows up to `width` walks until `next_start(number, start)` returns false and all have ended. Calls
// `on_end(walk, status, owner)` at the end of each, and `pause()` between every `steps_between_pauses` steps.
template <class State, class F, class NextStart, class OnEnd, class Pause>
inline void follow_walks(const State& s, const F& f, int width, const NextStart& next_start, const OnEnd& on_end,
                         const Pause& pause) {
  phase::SublistWalk<typename State::V> walks[most_walks];
  int active = 0;
  const auto begin = [&](phase::SublistWalk<typename State::V>& w) {
    u64 number, start;
    while (next_start(number, start)) {
      const auto status = phase::begin_walk(s, f, start, number, w);
      if (status == phase::WalkStatus::active) {
        s.prefetch(w.at);
        return true;
      }
      on_end(w, status, rank::unowned);
    }
    return false;
  };
  while (active < width && begin(walks[active])) ++active;
  i64 steps = 0;
  while (active > 0) {
    steps += active;
    if (steps >= steps_between_pauses) {
      steps = 0;
      pause();
    }
    for (int i = 0; i < active; ++i) {
      auto& w = walks[i];
      u64 owner = rank::unowned;
      const auto status = phase::step_walk(s, f, w, owner);
      if (status == phase::WalkStatus::active) {
        s.prefetch(w.at);
        continue;
      }
      on_end(w, status, owner);
      if (!begin(w)) walks[i--] = walks[--active];
    }
  }
}

}  // namespace lb::cpu

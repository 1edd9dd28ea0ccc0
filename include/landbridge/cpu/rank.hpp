// How a thread walks lists: many walks at once, one step each in turn, so that the memory answers all of them together.
// One walk alone would wait for every single element.
#pragma once
#include "../phase/rank.hpp"

namespace lb::cpu {

constexpr int most_walks = 128;

// Follows walks until `take(number, start)` has no more of them; `done(walk, end, owner)` is called at the end of each.
template <class State, class F, class Take, class Done>
inline void follow(const State& s, const F& f, int width, const Take& take, const Done& done) {
  phase::Walk<typename State::V> walks[most_walks];
  int active = 0;
  const auto fresh = [&](phase::Walk<typename State::V>& w) {
    u64 number, start;
    while (take(number, start)) {
      const auto end = phase::begin_walk(s, f, start, number, w);
      if (end == phase::End::none) {
        s.prefetch(w.at);
        return true;
      }
      done(w, end, rank::unowned);
    }
    return false;
  };
  while (active < width && fresh(walks[active])) ++active;
  while (active > 0) {
    for (int i = 0; i < active; ++i) {
      auto& w = walks[i];
      u64 owner = rank::unowned;
      const auto end = phase::step_walk(s, f, w, owner);
      if (end == phase::End::none) {
        s.prefetch(w.at);
        continue;
      }
      done(w, end, owner);
      if (!fresh(w)) walks[i--] = walks[--active];
    }
  }
}

}  // namespace lb::cpu

// The third memory policy: before every access the explorer may switch to another thread.
#pragma once
#include "engine.hpp"
#include "landbridge/memory.hpp"

namespace lb::explore {

template <class CellType, class Kind = PlainCell<CellType>>
struct CheckedMemory : Kind {
  using Cell = CellType;
  int array;
  explicit CheckedMemory(int a) : array(a) {}
  Cell load(Cell x) const { return Engine::current->load(array, x); }
  Cell load_stale(Cell x) const { return Engine::current->load_stale(array, x); }
  void store(Cell x, Cell v) const { Engine::current->store(array, x, v); }
  Cell compare_exchange(Cell x, Cell old, Cell v) const { return Engine::current->compare_exchange(array, x, old, v); }
  Cell fetch_min(Cell x, Cell v) const { return Engine::current->fetch_min(array, x, v); }
  void shorten(Cell x, Cell, Cell v) const { Engine::current->shorten(array, x, v); }
  void prefetch(Cell) const {}
  void pause() const { Engine::current->pause(); }
};

}  // namespace lb::explore

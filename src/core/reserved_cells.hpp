// Cells of vertices in address space for every id there could be.
#pragma once
#include <optional>
#include <utility>

#include "landbridge/platform.hpp"
#include "memory.hpp"

namespace lb::core {

// Parents of 32-bit vertices, in address space for all numbers of 32 bits. So ids may be read from arrays whose owner
// is writing them, without a comparison: whatever is read there has a cell. Behind the vertices cells hold 0, a parent
// that is smaller than any of them: rules that go from parent to parent, and write nothing that is larger than what
// stood there, end at a vertex and leave those pages alone.
class ReservedCells {
 public:
  ReservedCells() : cells_(static_cast<u32*>(reserve(bytes))) {}
  ReservedCells(const ReservedCells&) = delete;
  ReservedCells& operator=(const ReservedCells&) = delete;
  ~ReservedCells() {
    if (cells_ != nullptr) give_up(cells_, bytes);
  }
  bool reserved() const { return cells_ != nullptr; }
  u32* data() { return cells_; }
  // Says that about n vertices follow, before any of their cells has a use: they get the pages of arrays released
  // before, and huge ones.
  void expect(i64 n) { populate(cells_, static_cast<std::size_t>(n) * sizeof(u32)); }
  // The first n cells, as an array; those behind the first `written` hold 0.
  Buffer<u32> take(i64 n, i64 written) {
    u32* const all = std::exchange(cells_, nullptr);
    const auto size = static_cast<std::size_t>(n), used = static_cast<std::size_t>(written);
    return Buffer<u32>::adopt(static_cast<u32*>(keep(all, bytes, size * sizeof(u32), used * sizeof(u32))), size);
  }

 private:
  static constexpr std::size_t bytes = (std::size_t{1} << 32) * sizeof(u32);
  u32* cells_;
};

// The parents of a run: ReservedCells where they are asked for and the system has the address space, else an array.
template <class Id>
class Parents {
 public:
  Parents(i64 n, bool reserved) : n_(n) {
    if constexpr (sizeof(Id) == sizeof(u32)) {
      if (reserved) cells_.emplace();
      if (reserved && cells_->reserved()) {
        cells_->expect(n);
        data_ = cells_->data();
        return;
      }
    }
    array_ = Buffer<Id>(static_cast<std::size_t>(n), "the labels");
    data_ = array_.data();
  }
  Id* data() const { return data_; }
  // Whether there is a cell for every number of 32 bits.
  bool any_id() const { return data_ != array_.data(); }
  Buffer<Id> take() {
    if constexpr (sizeof(Id) == sizeof(u32)) {
      if (any_id()) return cells_->take(n_, n_);
    }
    return std::move(array_);
  }

 private:
  i64 n_;
  std::optional<ReservedCells> cells_;
  Buffer<Id> array_;
  Id* data_ = nullptr;
};

}  // namespace lb::core

// Queries between and beside inserts. Vertices without a cell are connected to themselves alone; in arrays that are
// copied vertex 0 stands for them.
#include <array>

#include "incremental.hpp"

namespace lb::core {
namespace {

// Whether operation i has a vertex without a cell.
bool is_beyond(const Operations& batch, i64 i, u64 cells) { return std::max(batch.u[i], batch.v[i]) >= cells; }

// Copies the ids of a range; both ids of an operation become 0 where one of them has no cell.
void copy_within(const Operations& batch, Range range, u64 cells, u64* u, u64* v) {
  for (i64 i = range.begin; i < range.end; ++i) {
    const bool beyond = is_beyond(batch, i, cells);
    u[i - range.begin] = beyond ? 0 : batch.u[i];
    v[i - range.begin] = beyond ? 0 : batch.v[i];
  }
}

bool has_queries(const Operations& batch) {
  return std::any_of(batch.is_query, batch.is_query + batch.count, [](u8 q) { return q != 0; });
}

}  // namespace

bool Incremental::apply(const Operations& batch, bool inserts_first, u8* bits, Wait wait) {
  const i64 count = batch.count;
  if (count >= group_operations && !has_queries(batch)) {
    Operations edges = batch;
    edges.is_query = nullptr;
    if (insert_below_count(edges, wait, nullptr)) {
      std::fill(bits, bits + (count + 7) / 8, u8{0});
      return true;
    }
  }
  const auto largest = largest_of(batch, "operation", options_.threads);
  if (largest && *largest >= static_cast<u64>(cells_.load(std::memory_order_acquire))) {
    if (wait == Wait::never) return false;
    apply_beyond_cells(batch, *largest, inserts_first, bits);
    return true;
  }
  Admission admission = admit(std::nullopt, access_of_batches(), wait);
  if (!admission) return false;
  reserve(count);
  if (largest && *largest >= static_cast<u64>(vertices())) raise_vertices(largest_inserted(batch, *largest));
  const Positions positions{position_.fetch_add(static_cast<u64>(count), std::memory_order_acq_rel)};
  if (mixed_ && !inserts_first) {
    for_chunks(count, options_.threads, [&](Range chunk) {
      const i64 links = trees_->mixed(batch, chunk, positions, bits + chunk.begin / 8);
      links_.fetch_add(links, std::memory_order_acq_rel);
    });
  } else {
    run_inserts(admission, batch, positions);
    for_chunks(count, options_.threads, [&](Range chunk) { trees_->answer(batch, chunk, bits + chunk.begin / 8); });
  }
  return true;
}

// A batch with ids that have no cell yet. The vertices of inserts get one; queries of others are replaced, and then
// answered as they have to be.
void Incremental::apply_beyond_cells(const Operations& batch, u64 largest, bool inserts_first, u8* bits) {
  {
    const Admission grown = admit(largest_inserted(batch, largest), Access::shared, Wait::allowed);
  }
  const u64 cells = static_cast<u64>(cells_.load(std::memory_order_acquire));
  const auto size = static_cast<std::size_t>(batch.count);
  Buffer<u64> u(size), v(size);
  copy_within(batch, {0, batch.count}, cells, u.data(), v.data());
  apply({{u.data()}, {v.data()}, batch.count, false, batch.is_query}, inserts_first, bits, Wait::allowed);
  for (i64 i = 0; i < batch.count; ++i) {
    if (is_beyond(batch, i, cells) && batch.u[i] != batch.v[i]) bits[i >> 3] &= static_cast<u8>(~(1u << (i & 7)));
  }
}

bool Incremental::connected(const Operations& batch, u8* answers, Wait wait) {
  const auto largest = largest_of(batch, "query", options_.threads);
  const u64 cells = static_cast<u64>(cells_.load(std::memory_order_acquire));
  const bool all_within = !largest || *largest < cells;
  const Admission admission = admit(std::nullopt, Access::shared, wait);
  if (!admission) return false;
  for_chunks(batch.count, options_.threads, [&](Range chunk) {
    std::array<u8, chunk_operations / 8> bits;
    std::array<u64, cpu::batch_edges> u, v;
    const i64 step = all_within ? chunk_operations : cpu::batch_edges;
    for (i64 from = chunk.begin; from < chunk.end; from += step) {
      const Range piece{from, std::min(chunk.end, from + step)};
      if (all_within) {
        trees_->answer(batch, piece, bits.data());
      } else {
        copy_within(batch, piece, cells, u.data(), v.data());
        trees_->answer({{u.data()}, {v.data()}, piece.size()}, {0, piece.size()}, bits.data());
      }
      for (i64 i = piece.begin; i < piece.end; ++i) {
        const i64 k = i - from;
        u8 answer = bits[static_cast<std::size_t>(k >> 3)] >> (k & 7) & 1;
        if (!all_within && is_beyond(batch, i, cells)) answer = batch.u[i] == batch.v[i];
        answers[i] = answer;
      }
    }
  });
  return true;
}

}  // namespace lb::core

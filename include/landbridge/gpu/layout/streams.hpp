// Streams of edges in device memory: the edges of links, what is done to a batch, and the control blocks that its
// kernels leave for each other and for the host.
#pragma once
#include "components.hpp"

#define LB_LAYOUT_STREAMS  // a program that includes this is checked (_core.device_layout)

namespace lb::gpu {

// Edges that a lane of a stream's kernels reads at a time: the loads for all of them are in flight together.
constexpr int lane_edges = 4;
// What cells hold that name no vertex, in 64 bits; narrower cells hold as many of its bits as they have.
constexpr i64 no_vertex = static_cast<i64>(none<u64>);

// ---- control blocks

LB_CONTROL(stream, stream_word_,  //
           (links),               // vertices that are roots no more
           (left_out))            // 1: an edge was left out, of which an endpoint has no cell

LB_CONTROL(batch, batch_word_,  //
           (bound),             // one more than the largest id of an insert
           (first_fault),       // how many operations from the end the first id at fault stands; 0: none is
           (near_edges),        // edges whose endpoints are near
           (descents),          // edges that begin below the edge before them, of those whose lane reads both
           (barrier),           // arrivals at the barrier of a batch that is checked and inserted by one launch
           (done))              // its blocks that are done

// The report of a batch that is checked and inserted by one launch, in memory of the host.
LB_CONTROL(small_batch, small_word_,  //
           (bound),                   // as of the family `batch`
           (first_fault),             //
           (waiting),                 // edges of earlier batches whose walks were cut off, at most
           (number))                  // of the batch, once the other words are written

LB_CONTROL(largest_tree, tree_word_,  //
           (members))                 // how many bits are set

LB_CONTROL(stream_rounds, rounds_word_,  //
           (barrier),                    // arrivals at the barrier of the grid
           (vote, 3),                    // what the threads of the grid agree about, in turns
           (roots))                      // roots that the inserts name

// ---- trees

// The edge whose link made a vertex a child, in three arrays with a place for each vertex; null where no forest is
// recorded. `u` is none<Id> for a root.
template <class Id>
struct LinkEdges {
  LB_FIELDS(LinkEdges,         //
            (u64*, position),  // among all operations of the stream
            (Id*, u),          //
            (Id*, v))
};

// Vertices [begin, end) that become singletons.
struct Growth {
  LB_FIELDS(Growth,        //
            (i64, begin),  //
            (i64, end))
};

// A bit for each vertex, in words of warp_threads bits.
struct VertexBits {
  LB_FIELDS(VertexBits, (u32*, words))
};

// The members of the largest tree.
struct LargestTree {
  LB_FIELDS(LargestTree,      //
            (u32*, members),  // a bit for each vertex; null while no tree is marked
            (u64*, control),  // of the family `largest_tree`
            (i64, apart))     // 1: insert_edges leaves a range to insert_outside where the members decide
};

// ---- batches

// The edges [begin, end) of an edge list that are inserted. Edge i is the operation first + i of the stream, or, where
// `at` is not null, first + at[i].
struct Inserts {
  LB_FIELDS(Inserts,           //
            (i64, begin),      //
            (i64, end),        //
            (u64, first),      //
            (const u64*, at),  //
            (u64*, control),   // of the family `stream`
            (i64, unchecked))  // 1: ids have not been checked, so all edges are read, also where none can link
};

// The operations of a batch, inserts and queries, of which one kind or both are run.
struct OperationRun {
  LB_FIELDS(OperationRun,           //
            (const u8*, is_query),  // null: all are queries
            (u64, first),           // position of operation 0
            (i64, inserts),         // 1: inserts are run
            (i64, queries),         // 1: queries are run, and all bits of the answers written
            (i64, steps),           // after which a query's walk is cut off; 0: it is not
            (u64,
             query_run),      // number of this run of queries, from 1 on; word_long_query is that if a walk was cut off
            (i64, again),     // 1: run only if that is so
            (u32*, answers),  // bit i % 32 of word i / 32: whether operation i is a query of connected vertices
            (u64*, control))  // of the family `stream`
};

// How edges whose walks were cut off are united.
struct Settling {
  LB_FIELDS(Settling,               //
            (const u8*, is_query),  // operations of the range that are left out; null: none is
            (u64, query_run))       // a run of queries: paths are flattened if it met a long one; 0: of none
};

// Packed answers, and where each is written as a byte.
template <class Answer>
struct AnswerSpread {
  LB_FIELDS(AnswerSpread,          //
            (const u32*, packed),  //
            (Answer*, answers),    //
            (i64, count))
};

// What is looked up in a batch before it is inserted.
struct BatchCheck {
  LB_FIELDS(BatchCheck,             //
            (const u8*, is_query),  // null: all are inserts
            (u64, limit),           // ids are below it
            (i64, every),           // of so many warps' shares of the edges one is looked at
            (i64, near),            // endpoints are near if their distance is no larger; below 0: not counted
            (u64*, report))         // a control block of the family `batch`
};

// A batch that is checked and inserted by one launch, unless an id is at fault or has no cell.
struct SmallBatch {
  LB_FIELDS(SmallBatch,      //
            (u64, limit),    // ids are below it
            (u64, number),   // of this batch
            (u64*, report),  // a control block of the family `batch`, of zeros before and after
            (u64*, answer))  // one of the family `small_batch`, in memory of the host
};

// What rounds need for the inserts of a launch.
template <class Id>
struct InsertRounds {
  LB_FIELDS(InsertRounds,           //
            (const u8*, is_query),  // operations that are left out; null: none is
            (Id*, own_u),           // endpoints by their labels, a place for each insert of the launch
            (Id*, own_v),           //
            (Id*, roots),           // a place for each root that may be named: two per insert, or one per vertex
            (u64*, control))        // of the family `stream_rounds`, of zeros
};

struct StreamsLayout : layout::Family {
  LB_EXPORT_STRUCTS((LinkEdges<u32>), (Growth), (VertexBits), (LargestTree), (Inserts), (OperationRun), (Settling),
                    (AnswerSpread<u8>), (BatchCheck), (SmallBatch), (InsertRounds<u32>))
  LB_EXPORT_CONSTANTS(lane_edges, no_vertex)
  LB_EXPORT_CONTROL(stream, batch, small_batch, largest_tree, stream_rounds)
};

}  // namespace lb::gpu

// List ranking in device memory: the lists, the states of their elements, the sublists, and the control block that all
// kernels of a run share. Types of templates: S successors (i32, i64), T elements of the result (i32, i64), Id unsigned
// elements (u32, u64), V values (u32, u64, i64, double), R ranks.
#pragma once
#include "../../policy/rank.hpp"
#include "layout.hpp"

#define LB_LAYOUT_LISTS  // a program that includes this is checked (_core.device_layout)

namespace lb::rank {

template <class Visitor>
LB_FN constexpr void each_word(ScanOp, Visitor& v) {
  LB_EACH(LB_VISIT_WORD, ScanOp, sum, min, max);
}

}  // namespace lb::rank

namespace lb::gpu {

using rank::ScanOp;

LB_CONTROL(lists, list_word_,  //
           (tails),            // tails of all lists
           (sum),              // of the successors of all other elements
           (out_of_range),     // ~i of the first successor i out of range, 0 for none
           (invalid),          // 1: the successors are no lists
           (heads),            // heads that are listed
           (claimed),          // elements that walks have claimed
           (barrier),          // arrivals at the barrier of a grid
           (moving),           // the last round of jumps after which an element had not reached the end of its list
           (too_long),         // 1: a walk was given up at its limit of steps
           (done))             // blocks that have ended their work

constexpr int sampled_threads = 512;  // of a block of walks between sampled splitters
constexpr int sampled_steps = 4;      // of a walk between two turns of its block at the queues
constexpr int sampled_blocks = 2;     // of them on a multiprocessor
constexpr int most_windows = 128;     // parts of the result with a queue each

// Elements of a tile of a round of removals, and threads of the block that adds up all tiles.
constexpr i64 removal_tile = 2048;
constexpr int removal_scan_threads = 1024;

// Lists as an array of successors; a tail has itself or -1.
template <class S>
struct ListArrays {
  LB_FIELDS(ListArrays,             //
            (const S*, successor),  //
            (i64, elements),        //
            (u64*, control))        // a control block of the family `lists`
};

// A bit for each element.
struct ElementBits {
  LB_FIELDS(ElementBits, (u32*, words))
};

// A cell for each element, or for each sublist.
template <class T>
struct ElementArray {
  LB_FIELDS(ElementArray, (T*, cells))
};

// Where heads are listed.
struct HeadList {
  LB_FIELDS(HeadList,       //
            (i64*, heads),  //
            (i64, capacity))
};

// rank::SampledSplitters of the elements.
struct SplitterSampling {
  LB_FIELDS(SplitterSampling,  //
            (i64, shift),      // a splitter in each block of 2^shift elements; -1: there are none
            (u64, key))        // of 32 bits
};

// What a scan combines.
template <class V>
struct ScanValues {
  LB_FIELDS(ScanValues,          //
            (const V*, values),  // of the elements; null where every link counts one, or none is read
            (ScanOp, op),        //
            (i32, exclusive))    // 1: an element's place does not contain its own value
};

// ---- walks between marked splitters

// The states of elements. Bits64: words and no places. Separate: owners as words, and places.
template <class W, class V>
struct StateArrays {
  LB_FIELDS(StateArrays,  //
            (W*, words),  //
            (V*, places))
};

// One splitter in each block of indices.
struct SplitterBlocks {
  LB_FIELDS(SplitterBlocks,         //
            (i64, blocks),          //
            (i64, first_of_block),  // 1: the first element of its block instead of a random one
            (u64, seed))
};

// The sublists of all lists.
template <class V>
struct Sublists {
  LB_FIELDS(Sublists,          //
            (i64*, start),     // -1 for a slot without a sublist
            (i64*, next),      // the sublist after, -1 at the end of a list
            (i64*, tail),      // of the last sublist of a list; -1 for all others
            (i64*, previous),  // the sublist before, -1 for the first
            (V*, total),       // of its values
            (i64, count))
};

// Pointer jumping from array to array: where an element's jumps have led (phase::end_bit: to the end), and the sum of
// the values on the way.
template <class Id, class V>
struct JumpArrays {
  LB_FIELDS(JumpArrays,   //
            (Id*, last),  //
            (V*, value))
};

// One round of jumps.
struct JumpRound {
  LB_FIELDS(JumpRound,        //
            (i64, elements),  //
            (i64, round),     // from 1 on
            (u64*, control))  // a control block of the family `lists`
};

// By the first sublist of each list.
template <class V>
struct ListTotals {
  LB_FIELDS(ListTotals,    //
            (i64*, tail),  //
            (V*, whole))   // the sum of all values
};

// Where the answer is written.
template <class R, class T>
struct RankOutput {
  LB_FIELDS(RankOutput,        //
            (R*, ranks),       //
            (T*, ends),        // an end of each element's list; null where it is not requested
            (i64, from_tail),  // 1: ranks are what is left of the whole list
            (i64, heads))      // 1: the end of a list is its head
};

// ---- walks between sampled splitters

// Walks begin at all sampled splitters, in their order, then at those heads that are none. Without heads there is one
// list, whose head follows from the survey of the successors.
struct SampledWalks {
  LB_FIELDS(SampledWalks,         //
            (const i64*, heads),  // null: as the control block has it
            (i64, limit))         // steps after which a walk is given up
};

// What walks find of elements, an item each: a queue for each window of 2^window_bits elements of the result, or, with
// window_bits 0, at the element's own place.
struct ItemQueues {
  LB_FIELDS(ItemQueues,          //
            (u64*, items),       // a place for each element; null where items lie in the ranks
            (u64*, fill),        // items in each queue; null where there are no queues
            (i64, window_bits),  //
            (i64, owner_bits))   // of the number of a walk in an item
};

// Sublists between sampled splitters, in 32 bits.
struct SampledSublists {
  LB_FIELDS(SampledSublists,       //
            (u64*, words),         // as rank::Jump has them: of the way to the next sublist, later to the last one
            (u32*, tail),          // of the last sublist of a list
            (u32*, predecessors),  // sublists that lead to it: more than one only if the lists are not sound
            (i64, count))
};

// By sublist.
struct SublistRanks {
  LB_FIELDS(SublistRanks,    //
            (u32*, length),  // of a list, by its last sublist; null for ranks from the tail
            (u32*, first),   // the rank of the first element
            (u32*, tail))    // of the list; null where it is not requested
};

// Where the host reads what the control block of one launch held in the end, which leaves one of zeros.
struct ListAnswer {
  LB_FIELDS(ListAnswer,      //
            (u64*, answer))  // a control block of the family `lists` in memory of the host, whose `done` comes last
};

// ---- pointer jumping in packed words

struct JumpWords {
  LB_FIELDS(JumpWords,       //
            (u64*, words),   // as rank::Jump has them, for each element
            (i64, blocked))  // 1: a thread has a block of elements instead of every p-th
};

// ---- fractional independent sets

// The elements as a doubly linked list, without those that are removed.
template <class Id, class V>
struct LinkedElements {
  LB_FIELDS(LinkedElements,   //
            (Id*, next),      //
            (Id*, previous),  //
            (V*, value),      // with those of the removed elements that follow
            (i64, elements),  //
            (u64*, control))  // a control block of the family `lists`
};

// One round of removals.
template <class Id>
struct Removal {
  LB_FIELDS(Removal,             //
            (Id*, active),       // the elements left, in order
            (Id*, survivors),    // those of the next round
            (Id*, removed),      // all removed elements, round by round
            (u8*, selected),     // of each active element, whether it is removed
            (u64*, stay),        // of each tile of active elements, how many stay; then their sum before it
            (u64*, sizes),       // how many are left after each round, the first before all
            (const u64*, bits),  // drawn ones, 64 in a word; null: bits follow from the key
            (i64, drawn),        // how many bits: at least one for each active element
            (u64, key),          //
            (i64, round))        // from 1 on
};

// The elements that no round has removed, as lists of their own, backwards.
template <class Id, class V>
struct RemainingLists {
  LB_FIELDS(RemainingLists,       //
            (const Id*, active),  //
            (i64, count),         //
            (Id*, position),      // of an element among them
            (i64*, previous),     // by position
            (V*, value))          // by position
};

// What their ranking has found, by position.
template <class V>
struct RemainingRanks {
  LB_FIELDS(RemainingRanks,     //
            (const V*, place),  //
            (const i64*, end))  // null where it is not requested
};

// The elements that one round has removed.
template <class Id>
struct RemovedElements {
  LB_FIELDS(RemovedElements,        //
            (const Id*, elements),  //
            (i64, count))
};

// The most sublists whose numbers the 48-bit layout holds.
constexpr int short_owners = static_cast<int>(rank::most_owners_in<u16>);

struct ListsLayout : layout::Family {
  LB_EXPORT_STRUCTS((ListArrays<i32>), (ElementBits), (ElementArray<i32>), (HeadList), (SplitterSampling),
                    (ScanValues<i64>), (StateArrays<u64, u32>), (SplitterBlocks), (Sublists<i64>),
                    (JumpArrays<u64, i64>), (JumpRound), (ListTotals<i64>), (RankOutput<i32, i32>), (SampledWalks),
                    (ItemQueues), (SampledSublists), (SublistRanks), (ListAnswer), (JumpWords),
                    (LinkedElements<u32, i64>), (Removal<u32>), (RemainingLists<u32, i64>), (RemainingRanks<i64>),
                    (RemovedElements<u32>))
  LB_EXPORT_ENUMS(ScanOp)
  LB_EXPORT_CONSTANTS(sampled_threads, sampled_blocks, most_windows, removal_tile, removal_scan_threads, short_owners)
  LB_EXPORT_CONTROL(lists)
};

}  // namespace lb::gpu

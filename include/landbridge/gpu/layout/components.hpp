// Runs of connected components and spanning forests in device memory: the cells that rules work on, the arrays of each
// phase, and the control block that all kernels of a run share.
#pragma once
#include "../tuning.hpp"
#include "graph.hpp"

#define LB_LAYOUT_COMPONENTS  // a program that includes this is checked (_core.device_layout)

namespace lb::gpu {

// ---- the control block of a run

// Behind it lie pairs of words for deferred edges, word_capacity of them.
LB_CONTROL(components, word_,  //
           (skip),             // root of the tree whose vertices the finish skips, when it was chosen
           (count),            // number of components
           (ticket),           // next tile of the numbering scan
           (huge),             // rows queued for all blocks
           (heavy),            // tiles queued for all blocks
           (medium),           // rows queued for warps
           (large),            // rows queued for blocks
           (medium_next),      // place of the next queued row for a warp
           (large_next),       // place of the next queued row for a block
           (barrier),          // arrivals at the barrier of a grid
           (tail),             // end of the search queue
           (lowest),           // smallest vertex that a search has reached
           (next_source),      // smallest vertex of a window that no search has reached
           (grew),             // whether a sweep of a search has added vertices, or a level became broad
           (level, 6),         // of three levels of a search in turns: vertices that joined, edges of the next level
           (joined, 3),        // vertices that the levels of a search for one component have reached, and each pass
           (outside),          // vertices outside the tree that is skipped
           (frontier),         // neighbors of all vertices of a frontier
           (links),            // vertices that are roots no more, where that is counted
           (isolated),         // vertices without edges, where that is counted
           (deep),             // whether a path was met that is too long to be walked
           (vote, 3),          // what the threads of a grid agree about, in turns
           (round_barrier),    // arrivals at the barrier of the rounds
           (edges),            // edges of the spanning forest that are written
           (deferred),         // edges deferred; as a signed number below 0: none is, from now on
           (capacity),         // places for deferred edges
           (gathered),         // vertices gathered into a list before their rows are read
           (listed),           // vertices with short rows that rounds have listed, from the left
           (listed_long),      // vertices with long rows that rounds have listed, from the right
           (tree),             // vertices of the largest tree of an edge list, where its members are marked
           (hooked),           // how an edge list lies and whether it was hooked: 0, or hooked_not and so on
           (left),             // its edges that hooking has left to be united
           (cut),              // edges of an edge list whose walks were cut off and that are not united yet
           (cut_barrier),      // arrivals at the barrier of the kernel that unites them
           (cut_vote, 3),      // what its threads agree about, in turns
           (cut_done),         // its blocks that are done
           (long_query),       // the last run of queries that met a path too long to be walked
           (coverage),         // of coverage_scale, the share of the vertices in trees that the largest one has
           (adaptations))      // what followed from a sample, a bit for each of turn_sample, turn_all, turn_rows
constexpr int control_words = word_end;

// What word_hooked says of an edge list that was looked at. It was not hooked, as its edges do not join near vertices
// or are too few or too many, and they are in no order, or lie in rows, those of one first endpoint together. Or it was
// hooked, and its edges lie in order, or are scattered.
constexpr u64 hooked_not = 1, rows_not_hooked = 2, hooked_sorted = 3, hooked_scattered = 4;

// ---- the cells

// The cells of a union-find forest. Ranked rules work on words of rank and parent; `parent` is then their flattened
// copy.
template <class Id>
struct Cells {
  LB_FIELDS(Cells,            //
            (Id*, parent),    //
            (u64*, words),    // null unless the rule is ranked
            (Id*, aux),       // null unless the rule has auxiliary cells
            (i64, vertices),  //
            (u64*, control))  // a control block of the family `components`
};

// Any array with a cell for each vertex.
template <class Id>
struct VertexArray {
  LB_FIELDS(VertexArray,   //
            (Id*, cells),  //
            (i64, vertices))
};

// ---- start, flatten, number

struct StartOptions {
  LB_FIELDS(StartOptions,     //
            (i64, adopt),     // 1: another kernel writes the parents
            (i64, deferred))  // places for deferred edges behind the control block
};

// Whether a launch runs at all: always, or by the coverage of the largest tree. Decided on the device, so that nothing
// is read back.
LB_ENUM(RunIf,           //
        always,          //
        coverage_below,  // the coverage is below the bound
        coverage_from)   // it is the bound or more

struct FlattenOptions {
  LB_FIELDS(FlattenOptions,       //
            (const u64*, links),  // of a stream: vertices that are roots no more; null in other runs
            (i64, if_deep))       // 1: only where word_deep says so
};

// The words of the numbering scan, one for each tile of scan_tile vertices.
struct NumberScan {
  LB_FIELDS(NumberScan,     //
            (u64*, tiles),  //
            (i64, tile_count))
};

// The choice of the tree that the finish skips.
struct SkipChoice {
  LB_FIELDS(SkipChoice,    //
            (u64, seed),   //
            (i64, again),  // 1: a second choice, only where word_deep says so or the coverage is below `below`
            (i64, below))
};

struct DeferredOptions {
  LB_FIELDS(DeferredOptions,   //
            (i64, unbounded))  // 1: no edge is deferred from now on, however long its walk
};

// Edges whose walks were cut off after so many steps: they wait to be settled. Where there are more
// than places, all edges of the range are walked again.
template <class Id>
struct CutEdges {
  LB_FIELDS(CutEdges,          //
            (u64*, position),  // null where no forest is recorded
            (Id*, u),          //
            (Id*, v),          //
            (i64, capacity),   //
            (i64, steps))      // 0: walks are not cut off
};

// Which edge lists are hooked: those whose edges join near vertices, if there are enough.
struct HookChoice {
  LB_FIELDS(HookChoice,        //
            (i64, near),       // the largest distance of near vertices
            (i64, sorted),     // 1: edges in order are hooked
            (i64, scattered))  // 1: scattered edges are hooked
};

// Which edges of a list are united first, before the members of the largest tree are marked. All others follow.
struct EdgeSample {
  LB_FIELDS(EdgeSample,     //
            (i64, head),    // so many, the first of the list
            (i64, starts),  // where edges lie in rows: so many, the first of each row
            (i64, end))     // of the list
};

// Tiles of 2^bits vertices that blocks contract in shared memory.
struct TileContraction {
  LB_FIELDS(TileContraction, (i64, bits))
};

// ---- uniting CSR

// How rows are shared out: the words of the option `balance`.
LB_ENUM(Balance,   //
        tile,      // queues in shared memory: thread, warp and block parts of a tile of vertices (after Merrill et al.)
        worklist,  // one double-sided list for the grid, as in ECL-CC: unite_csr fills it, unite_queued empties it
        thread,    // a thread takes a row
        warp,      // a warp takes a row
        block,     // a block takes a row
        gather,  // selected vertices go to a list first (vertex gathering): unite_csr fills it, unite_queued empties it
        edge)    // every warp takes as many neighbors as any other, whatever rows they are in

// Which vertices have their rows read, by what their cells or bits hold now. CSR that need not be symmetric may have an
// edge in the row of one endpoint alone: there bits divide the rows, so that each is read once, whatever links run.
LB_ENUM(Pick,      //
        all,       // every vertex
        outside,   // those outside the tree that is skipped: in symmetric CSR nothing else can matter
        roots,     // those that are still roots
        unmarked,  // those without a bit of `members`
        leaving)   // those with one

// From which endpoint's row an edge is taken. Of symmetric CSR without skipping one is enough; where it is the smaller,
// the lanes that share a row link different roots below one, and do not contend for a single cell.
LB_ENUM(Owner, both, larger, smaller)

// How k-out reads its edges: the words of the option `arcs`.
LB_ENUM(Arcs,         //
        vertex,       // a thread takes the k edges of a vertex one after another
        coalesced,    // neighboring threads take the edges of one vertex (CSR coalescing)
        reorganised)  // pairs of threads load two edges of each of two vertices and exchange them, so that each owns
                      // the edges of one vertex (edge reorganisation); for k = 2 and first neighbors

// Where rows are queued for others than the thread that meets them.
template <class Id>
struct RowQueues {
  LB_FIELDS(RowQueues,      //
            (Id*, list),    // a place for each vertex, for Balance::worklist and Balance::gather; else null
            (Id*, huge),    // for Balance::tile and list_outside: rows for all blocks from the left, tiles from the
                            // right; else null
            (i64, places))  // of `huge`: edges / block_row + 1
};

// Which part of which rows is united.
struct RowSchedule {
  LB_FIELDS(RowSchedule,         //
            (u32*, members),     // bits of vertices, for Pick::unmarked and Pick::leaving; else null
            (u32*, inside),      // of Pick::leaving: bits of vertices; edges that lead to one that has it are left out
            (i64, first),        // the first neighbor of a row
            (i64, limit),        // the most neighbors of a row
            (i64, lanes),        // threads that share a short row, for Balance::tile: a power of two
            (i64, tile),         // vertices of a tile there, at most tile_vertices
            (i64, heavy_edges),  // edges in longer rows of a tile above which all blocks share them
            (i64, tile_bits),    // edges inside of tiles of 2^tile_bits vertices are left out: they are united
            (i64, bound),        // the coverage that `run_if` compares
            (Pick, pick),        //
            (Owner, owner),      //
            (RunIf, run_if),     //
            (i32, streaming),    // 1: neighbors are read once, so they may leave the caches first
            (i32, single_append),  // 1: appends to lists are one atomic per lane, not per warp
            (i32, ending))         // 1: a row ends once its vertex is in the tree that is skipped
};

// The edges that lead out of the largest tree.
struct LeavingEdges {
  LB_FIELDS(LeavingEdges,    //
            (u32*, inside),  // bits of its vertices
            (u32*, fold),    // bits of the vertices outside, all that have the same lowest bits together: fold_words
            (i64, bound))    // the coverage of edges from which they are read without their rows
};

// k-out.
struct Sampling {
  LB_FIELDS(Sampling,  //
            (i64, k),  //
            (u64, seed))
};

// ---- searches, rounds, systems

template <class Id>
struct SearchArrays {
  LB_FIELDS(SearchArrays,      //
            (Id*, queue),      //
            (i64, places),     // of the queue: in the search for one component fewer than there are vertices
            (u32*, members),   // of the search for one component: a bit for each vertex; else null
            (u32*, isolated),  // of that search: a bit for each vertex without edges; else null
            (u64, seed),       //
            (i64, number),     // of a pass of that search, from 1 on
            (double, growth))  // of the decomposition: how many times as many centres every wave has
};

// Whose cells are stored when a search for one component has ended. Where it has found most vertices, the finish and
// numbering need those of the vertices outside that have edges; the rest is for whatever reads all cells.
LB_ENUM(Adopted, all, outside, rest)
struct Adoption {
  LB_FIELDS(Adoption, (Adopted, which))
};

template <class Id>
struct RoundArrays {
  LB_FIELDS(RoundArrays,     //
            (Id*, old),      // a cell for each vertex if the rule reads them, the run is sampled or edges are taken
            (Id*, list),     // a place for each vertex if the run is sampled and CSR symmetric; else null
            (Id*, own_u),    // endpoints by their labels, a place for each edge of the range; null if the rule rewrites
            (Id*, own_v),    // none and the range is not raised
            (i64, sampled))  // 1: the parents are stars of a sampling, and word_skip is the root of the largest
};

// ECL-CC. start, finish: the position of the word of `init` and `fini`.
template <class Id>
struct EclSchedule {
  LB_FIELDS(EclSchedule,   //
            (Id*, list),   // a place for each vertex
            (i64, small),  // the longest row that a thread takes
            (i64, large),  // the longest row that a warp takes
            (i64, start),  //
            (i64, finish))
};

// An algorithm of lb::system.
template <class Id>
struct SystemArrays {
  LB_FIELDS(SystemArrays,   //
            (Id*, room),    // its arrays: first those with a cell for each vertex, then those with one for each edge
            (i64, first),   // the values of its parameters in the order of the registry
            (i64, second))  //
};

// Endpoints as ids that lie side by side.
template <class Id>
struct EndpointCopy {
  LB_FIELDS(EndpointCopy,  //
            (Id*, u),      //
            (Id*, v))
};

// ---- small graphs

// What the block answers that validates an edge list itself, in memory of the host.
LB_CONTROL(unchecked, unchecked_word_,  //
           (count),                     // number of components
           (vertices),                  // how many vertices have labels
           (refused),                   // 1 if ids are wrong or too large for the block: it does no more
           (answered))                  // the last word written: 1

// An edge list whose ids one block validates itself.
template <class T>
struct UncheckedEdges {
  LB_FIELDS(UncheckedEdges,   //
            (const T*, u),    //
            (const T*, v),    //
            (i64, u_stride),  // in elements
            (i64, v_stride),  //
            (i64, edges),     //
            (i64, vertices),  // how many there are; -1: up to the largest id
            (u32*, labels),   // unchecked_vertices places
            (u64*, answer))   // of the family `unchecked`
};

// ---- spanning forests

// Where the edges of a forest are written: their endpoints and positions, as many places as a forest can have edges,
// counted by word_edges.
template <class Id, class T>
struct ForestSink {
  LB_FIELDS(ForestSink,            //
            (const T*, a),         // endpoints of the edge list, or the neighbors of CSR
            (const T*, b),         // null for CSR
            (i64, a_stride),       //
            (i64, b_stride),       //
            (const i64*, origin),  // of CSR that is built from an edge list the edge behind each neighbor, else null
            (Id*, u),              //
            (Id*, v),              //
            (i64*, edge))
};

struct ComponentsLayout : layout::Family {
  LB_EXPORT_STRUCTS((Cells<u32>), (VertexArray<u32>), (StartOptions), (FlattenOptions), (NumberScan), (SkipChoice),
                    (DeferredOptions), (CutEdges<u32>), (HookChoice), (EdgeSample), (TileContraction), (RowQueues<u32>),
                    (RowSchedule), (LeavingEdges), (Sampling), (SearchArrays<u32>), (Adoption), (RoundArrays<u32>),
                    (EclSchedule<u32>), (SystemArrays<u32>), (EndpointCopy<u32>), (UncheckedEdges<u32>),
                    (ForestSink<u32, u32>))
  LB_EXPORT_ENUMS(Balance, Pick, Owner, Arcs, RunIf, Adopted)
  LB_EXPORT_CONTROL(components, unchecked)
};

}  // namespace lb::gpu

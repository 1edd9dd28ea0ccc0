// Graphs in device memory, and the reports of kernels that examine one before a run.
#pragma once
#include "layout.hpp"

#define LB_LAYOUT_GRAPH  // a program that includes this is checked (_core.device_layout)

namespace lb::gpu {

// A graph as CSR: the neighbors of x are neighbors[offsets[x] .. offsets[x + 1]).
template <class T, class O>
struct CsrArrays {
  LB_FIELDS(CsrArrays,              //
            (const O*, offsets),    // vertices + 1 of them; null where a kernel is given an edge list instead
            (const T*, neighbors),  //
            (i64, vertices),        //
            (i64, symmetric))       // 1: every edge stands in the rows of both endpoints
};

// A graph as a COO edge list: edge i joins u[i * u_stride] and v[i * v_stride].
template <class T>
struct EdgeArrays {
  LB_FIELDS(EdgeArrays,       //
            (const T*, u),    //
            (const T*, v),    //
            (i64, u_stride),  // in elements
            (i64, v_stride),  //
            (i64, edges))
};

// The edges [begin, end) of an edge list. A later group of a run in stages is united from the parents of its endpoints.
struct EdgeRange {
  LB_FIELDS(EdgeRange,      //
            (i64, begin),   //
            (i64, end),     //
            (i64, raised))  // 1: every endpoint is replaced by its parent first
};

// Ids that are validated: all have to be below `bound`.
template <class T>
struct IdCheck {
  LB_FIELDS(IdCheck,          //
            (const T*, ids),  //
            (i64, stride),    //
            (i64, count),     //
            (u64, bound),     //
            (u64*, report))   // a control block of the family `validation`
};

// Edges of a list that are validated: both ids of each have to be below `bound`.
struct PairCheck {
  LB_FIELDS(PairCheck,         //
            (u64, bound),      //
            (u64, seed),       // of the words that stand for edges
            (u64, asks_rows),  // not 0: u and v have no gaps, and it is asked whether the edges lie in rows
            (u64*, report))    // control blocks: two of the family `validation`, of u and of v, and one of `rows`
};

// Row offsets that are validated: none may be below the one before it.
template <class O>
struct OffsetCheck {
  LB_FIELDS(OffsetCheck,          //
            (const O*, offsets),  //
            (i64, vertices),      //
            (u64*, report))       // a control block of the family `validation`
};

LB_CONTROL(validation, validation_word_,  //
           (largest),                     // the largest id
           (wrong),                       // none<u64> less the first position at fault; 0: there is none
           (first),                       // of offsets, the first one
           (last))                        // of offsets, the last one

// Whether the edges of a list lie in rows.
LB_CONTROL(rows, rows_word_,  //
           (falls),           // 1: a first endpoint is smaller than the one before it, or it was not asked
           (unmatched),       // where none falls: the sum of words of all edges, 0 where each has its reverse
           (upper_halves))    // the same of the upper halves of the words

// The probe of some rows, for the choice of a plan.
struct CsrProbe {
  LB_FIELDS(CsrProbe,      //
            (i64, count),  // rows, spread evenly over all vertices; of warp_threads times as many one neighbor is read
            (i64, edges),  // neighbors in all; offsets and ids may be wrong
            (i64, near),   // the distance of ids below which neighbors count as near
            (u64*, report),  // a control block of the family `probe`
            (u64*, far))     // rows by the distance of a first neighbor that is not near: probed_distances of them
};

LB_CONTROL(probe, probe_word_,  //
           (degree),            // the largest degree, of these vertices and of some neighbors
           (firsts),            // rows that have neighbors, of warp_threads times as many vertices
           (smaller),           // of those, rows whose first neighbor is smaller
           (rows),              // rows that have neighbors
           (near_rows),         // rows whose first and last neighbors are near
           (doubled),           // rows whose first two neighbors are the same
           (shared),            // rows whose first neighbor is that of the middle one of these rows
           (stepped),           // the sum over them of some neighbors, probed_edges at most
           (walked),            // the sum over these of some of their neighbors, other than the row's vertex
           (reached),           // of these, those met for the first time: vertices two steps away
           (stepped_on),        // steps from such vertices, of one row in probed_around
           (enclosed))          // of those, steps that end no more than two steps away

// Where CSR is built from an edge list.
template <class T>
struct CsrOutput {
  LB_FIELDS(CsrOutput,          //
            (u64*, positions),  // of each vertex: its degree while endpoints are counted, then its next free place
            (T*, neighbors),    //
            (i64*, origin))     // the edge behind each neighbor; null where that is not kept
};

// The offsets of rows that an edge list consists of.
template <class O>
struct RowStarts {
  LB_FIELDS(RowStarts,      //
            (O*, offsets),  // vertices + 1 of them, all bits 1 before the first row is marked
            (i64, vertices))
};

// Where the vertex whose row a neighbor is in is written, for each of them.
template <class T>
struct RowSources {
  LB_FIELDS(RowSources, (T*, sources))
};

struct GraphLayout : layout::Family {
  LB_EXPORT_STRUCTS((CsrArrays<u32, u32>), (EdgeArrays<u32>), (EdgeRange), (IdCheck<u32>), (PairCheck),
                    (OffsetCheck<u32>), (CsrProbe), (CsrOutput<u32>), (RowStarts<u32>), (RowSources<u32>))
  LB_EXPORT_CONTROL(validation, rows, probe)
};

}  // namespace lb::gpu

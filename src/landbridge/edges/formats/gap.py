"""Serialised CSR of the GAP benchmark suite: .sg, and .wsg with weights."""

from __future__ import annotations

import struct
from typing import IO

from landbridge.edges.formats.arrays import check_offsets, check_size, view
from landbridge.edges.formats.numbered import adjacency, no_columns
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job, check_below_2_31, symmetric_csr
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options

_HEAD = struct.Struct("<Bqq")
"""Whether the graph is directed, m and n."""


def read(source: Source, options: Options) -> Edges:
    """The header, n + 1 offsets (int64), m neighbours (int32), and the same again transposed if directed.

    O(1) beside the copy of unaligned arrays.
    """
    return _read(source, options, 4)


def read_weighted(source: Source, options: Options) -> Edges:
    """The same with an int32 weight after each neighbour, which is dropped."""
    return _read(source, options, 8)


def _read(source: Source, options: Options, width: int) -> Edges:
    no_columns(source, options)
    head = source.peek(_HEAD.size)
    if len(head) < _HEAD.size:
        source.fail(f"the header of {_HEAD.size} bytes is cut off")
    directed, m, n = _HEAD.unpack(head)
    if directed > 1 or m < 0 or n < 0:
        source.fail(f"the header is impossible: directed {directed}, {m} edges, {n} vertices")
    one_direction = 8 * (n + 1) + width * m
    expected = _HEAD.size + one_direction * (2 if directed else 1)
    data = source.whole(expected)
    check_size(source, data, (expected,), f"{n} vertices and {m} neighbours")
    offsets = view(data, "<i8", n + 1, _HEAD.size)
    check_offsets(source, offsets, m)
    neighbors = view(data, "<i4", m * width // 4, _HEAD.size + 8 * (n + 1))
    if width == 8:
        neighbors = neighbors[::2].copy()
    return adjacency(source, offsets, neighbors, options, False if directed else None)


def write(job: Job, out: IO[bytes]) -> None:
    """Undirected: each edge in both lists of neighbours, repeats left out."""
    job.number_vertices()
    offsets, neighbors = symmetric_csr(job, simple=False)
    check_below_2_31(job, job.n)
    out.write(_HEAD.pack(0, len(neighbors), job.n))
    out.write(offsets.astype("<i8").tobytes())
    out.write(neighbors.astype("<i4").tobytes())

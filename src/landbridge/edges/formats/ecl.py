"""Binary CSR of the ECL graph codes: .egr."""

from __future__ import annotations

import struct
from typing import IO

from landbridge.edges.formats.arrays import check_offsets, check_size, view
from landbridge.edges.formats.numbered import adjacency, no_columns
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job, check_below_2_31, symmetric_csr
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options

_HEAD = struct.Struct("<ii")
"""n and m."""


def read(source: Source, options: Options) -> Edges:
    """The header, n + 1 offsets, m neighbours and perhaps m weights, all int32. O(1)."""
    no_columns(source, options)
    head = source.peek(_HEAD.size)
    if len(head) < _HEAD.size:
        source.fail(f"the header of {_HEAD.size} bytes is cut off")
    n, m = _HEAD.unpack(head)
    if n < 0 or m < 0:
        source.fail(f"the header is impossible: {n} vertices, {m} neighbours")
    expected = _HEAD.size + 4 * (n + 1) + 4 * m
    data = source.whole(expected + 4 * m)
    check_size(source, data, (expected, expected + 4 * m), f"{n} vertices and {m} neighbours")
    offsets = view(data, "<i4", n + 1, _HEAD.size)
    check_offsets(source, offsets, m)
    return adjacency(source, offsets, view(data, "<i4", m, _HEAD.size + 4 * (n + 1)), options, None)


def write(job: Job, out: IO[bytes]) -> None:
    """Each edge in both lists of neighbours, repeats left out."""
    job.number_vertices()
    offsets, neighbors = symmetric_csr(job, simple=False)
    check_below_2_31(job, max(job.n, len(neighbors)))
    out.write(_HEAD.pack(job.n, len(neighbors)))
    out.write(offsets.astype("<i4").tobytes())
    out.write(neighbors.astype("<i4").tobytes())

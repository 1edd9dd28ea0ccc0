"""Graphs on the device: their ids and offsets checked, a few rows probed, CSR built from edge lists and back."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from landbridge.device import cuda, kernels, layout
from landbridge.device.jit import Program
from landbridge.device.kernels import Width
from landbridge.device.launch import BLOCK, grid_for, launch_kernel, stride_of, width_of
from landbridge.device.layout import Struct
from landbridge.errors import InputError
from landbridge.probe import Probe

_CSR, _EDGES, _OUTPUT = map(layout.struct_type, ("CsrArrays", "EdgeArrays", "CsrOutput"))
_ID_CHECK, _PAIR_CHECK, _OFFSET_CHECK, _PROBE, _SOURCES, _STARTS = map(
    layout.struct_type, ("IdCheck", "PairCheck", "OffsetCheck", "CsrProbe", "RowSources", "RowStarts")
)
_REPORT, _ROWS = layout.control("validation"), layout.control("rows")
_PROBE_REPORT = layout.control("probe")
_PROBE_WORDS = _PROBE_REPORT["end"] + layout.constant("probed_distances")


def _limit(array: Any) -> int:
    """One more than the largest id the array's type can hold without a sign."""
    bits = 8 * int(array.dtype.itemsize)
    return 1 << (bits - 1 if array.dtype.kind == "i" else bits)


def _position(word: int) -> int:
    """The position that a report of the validation names, -1 for none."""
    return 2**64 - 1 - word if word else -1


def programs(edge: Width, offset: Width) -> list[Program]:
    """What validating and probing a graph of such ids loads."""
    return [
        kernels.validation("check_ids", edge).program,
        kernels.probe_csr(edge, offset).program,
        kernels.rows_of_list("mark_rows", edge, offset).program,
    ]


def check_ids(arrays: tuple[Any, ...], n: int | None, what: str) -> int:
    """Validate ids on the device: none negative, and all below n unless that is None. Returns n or the largest id + 1.

    One read-back for all arrays. Raises InputError for the first id at fault, array by array.
    """
    arrays = tuple(a for a in arrays if len(a))
    if not arrays:
        return n or 0
    size = _REPORT["end"]
    with cuda.errors("checking ids"):
        device = cuda.current()
        words = cuda.cupy().zeros(size * len(arrays), dtype=np.uint64)
        for i, array in enumerate(arrays):
            bound = min(_limit(array) if n is None else min(n, _limit(array)), 2**64 - 1)
            ids = _ID_CHECK(ids=array, stride=stride_of(array), count=len(array), bound=bound, report=words[size * i :])
            blocks = grid_for(device, len(array), BLOCK * 8)
            launch_kernel(device, kernels.validation("check_ids", width_of(array)), blocks, ids)
        reports = words.get().reshape(len(arrays), size).tolist()
        for array, report in zip(arrays, reports, strict=True):
            _refuse_id(array, n, what, report)
    return max(report[_REPORT["largest"]] for report in reports) + 1 if n is None else n


_ROWS_FROM = 2**24
"""Edges below which their offsets and a plan of more launches take longer than uniting the list."""


@cache
def _seed(process: int) -> int:
    """Of the words that stand for edges, so that no list of edges is made to fit them."""
    del process
    return int.from_bytes(os.urandom(8))


def check_pairs(u: Any, v: Any, n: int | None) -> tuple[int, bool]:
    """Validate the edges of a list on the device, as `check_ids` does, and find whether they lie in the rows of a
    symmetric CSR: sorted by first endpoints, each edge in both directions.

    That both directions are there is seen from sums of random words, which are 0 by chance once in 2^64 calls. Lists of
    few edges, with more vertices than edges or with gaps between ids in memory are not said to lie in rows.
    """
    m = len(u)
    if m == 0 or u.dtype != v.dtype:
        return check_ids((u, v), n, "edge"), False
    size = _REPORT["end"]
    with cuda.errors("checking edges"):
        device = cuda.current()
        words = cuda.cupy().zeros(2 * size + _ROWS["end"], dtype=np.uint64)
        bound = min(_limit(u) if n is None else min(n, _limit(u)), 2**64 - 1)
        asks_rows = m >= _ROWS_FROM and stride_of(u) == stride_of(v) == 1 and (n is None or n <= min(m, 2**32))
        check = _PAIR_CHECK(bound=bound, seed=_seed(os.getpid()), asks_rows=asks_rows, report=words)
        kernel = kernels.validation("check_pairs", width_of(u))
        launch_kernel(device, kernel, grid_for(device, m, BLOCK * 8), _edges(u, v), check)
        report = words.get().tolist()
        reports = report[:size], report[size : 2 * size]
        for array, each in zip((u, v), reports, strict=True):
            _refuse_id(array, n, "edge", each)
    if n is None:
        n = max(each[_REPORT["largest"]] for each in reports) + 1
    return n, not any(report[2 * size :]) and n <= min(m, 2**32)


def row_offsets(n: int, u: Any) -> Any:
    """Shape (n + 1,): the offsets of the rows of an edge list that is sorted by its first endpoints `u`. O(n + m), with
    a binary search for each empty row."""
    with cuda.errors("finding the rows of an edge list"):
        cupy = cuda.cupy()
        offsets = cupy.empty(n + 1, dtype=np.int32 if len(u) < 2**31 else np.int64)
        write_row_offsets(offsets, u)
        cupy.cuda.get_current_stream().synchronize()  # a graph is ready for any stream
    return offsets


def write_row_offsets(offsets: Any, u: Any) -> None:
    """The same into an array that is there. Only queues work."""
    device, n, m = cuda.current(), len(offsets) - 1, len(u)
    offsets.fill(-1)
    starts = _STARTS(offsets=offsets, vertices=n)
    for name, items in (("mark_rows", m), ("fill_rows", n + 1)):
        kernel = kernels.rows_of_list(name, width_of(u), width_of(offsets))
        launch_kernel(device, kernel, grid_for(device, items), _edges(u, u), starts)


def _edges(u: Any, v: Any) -> Struct:
    return _EDGES(u=u, v=v, u_stride=stride_of(u), v_stride=stride_of(v), edges=len(u))


_PROBED = 1024


def check_rows(offsets: Any, neighbors: Any) -> Probe:
    """Validate a CSR on the device, and probe a few rows. One read-back.

    Raises InputError unless offsets rise from 0 to the number of neighbors, and for a neighbor that is no vertex.
    """
    if len(offsets) == 0:
        raise InputError("offsets are empty; n + 1 of them are needed, also for n = 0")
    n, m = len(offsets) - 1, len(neighbors)
    size = _REPORT["end"]
    with cuda.errors("checking rows"):
        device = cuda.current()
        words = cuda.cupy().zeros(2 * size + _PROBE_WORDS, dtype=np.uint64)
        check = _OFFSET_CHECK(offsets=offsets, vertices=n, report=words)
        launch_kernel(device, kernels.validation("check_offsets", width_of(offsets)), grid_for(device, n), check)
        if m > 0:
            ids = _ID_CHECK(ids=neighbors, stride=1, count=m, bound=min(n, _limit(neighbors)), report=words[size:])
            launch_kernel(
                device, kernels.validation("check_ids", width_of(neighbors)), grid_for(device, m, BLOCK * 8), ids
            )
            _launch_probe(device, offsets, neighbors, words[2 * size :])
        report = words.get().tolist()
    _refuse_offsets(offsets, m, report[:size])
    _refuse_id(neighbors, n, "arc", report[size : 2 * size])
    return _probe_of(report[2 * size :], _probed(n))


def probe_rows(offsets: Any, neighbors: Any) -> Probe:
    """Probe a few rows of a CSR that is valid. One read-back."""
    with cuda.errors("probing rows"):
        words = cuda.cupy().zeros(_PROBE_WORDS, dtype=np.uint64)
        if len(neighbors):
            _launch_probe(cuda.current(), offsets, neighbors, words)
        return _probe_of(words.get().tolist(), _probed(len(offsets) - 1))


def _probed(n: int) -> int:
    """How many of n vertices have their rows probed."""
    return min(n, _PROBED)


def _launch_probe(device: cuda.Device, offsets: Any, neighbors: Any, report: Any) -> None:
    n, m = len(offsets) - 1, len(neighbors)
    count = _probed(n)
    far = report[_PROBE_REPORT["end"] :]
    rows = _PROBE(count=count, edges=m, near=max(1, n // 64), report=report, far=far)
    kernel = kernels.probe_csr(width_of(neighbors), width_of(offsets))
    launch_kernel(device, kernel, grid_for(device, 32 * count), _csr(n, offsets, neighbors), rows)


def _refuse_offsets(offsets: Any, edges: int, report: list[int]) -> None:
    at, first, last = _position(report[_REPORT["wrong"]]), report[_REPORT["first"]], report[_REPORT["last"]]
    if first != 0:
        raise InputError(f"offsets[0] is {int(offsets[0])}, not 0")
    if at >= 0:
        raise InputError(f"offsets[{at + 1}] is {int(offsets[at + 1])}, below offsets[{at}] = {int(offsets[at])}")
    if last != edges:
        raise InputError(f"the last offset is {int(offsets[-1])}, but there are {edges} neighbors")


def _refuse_id(array: Any, n: int | None, what: str, report: list[int]) -> None:
    at = _position(report[_REPORT["wrong"]])
    if at >= 0:
        value = int(array[at])
        problem = "is negative" if value < 0 else f"is out of range for n = {n}"
        raise InputError(f"{what} {at}: vertex {value} {problem}")


def _probe_of(report: list[int], count: int) -> Probe:
    words = {word: report[place] for word, place in _PROBE_REPORT.items() if word != "end"}
    rows, walked = max(1, words["rows"]), words["walked"]
    far = report[_PROBE_REPORT["end"] :]
    far_rows = sum(far)
    return Probe(
        largest_degree=float(words["degree"]),
        first_smaller=words["smaller"] / max(1, words["firsts"]),
        local=words["near_rows"] / rows,
        expansion=words["reached"] / max(1, words["stepped"]),
        repeats=1 - words["reached"] / walked if walked else 0.0,
        doubled=words["doubled"] / rows,
        shared=words["shared"] / rows,
        empty=1 - words["rows"] / count if words["rows"] else 0.0,
        enclosed=words["enclosed"] / max(1, words["stepped_on"]),
        equidistant=sum(k * (k - 1) for k in far) / max(1, far_rows * (far_rows - 1)),
    )


def _csr(n: int, offsets: Any, neighbors: Any) -> Struct:
    return _CSR(offsets=offsets, neighbors=neighbors, vertices=n, symmetric=0)


def sources_of_edges(n: int, offsets: Any, neighbors: Any) -> Any:
    """Shape (m,), of the neighbors' type: the vertex whose row each neighbor is in."""
    with cuda.errors("converting a CSR to an edge list"):
        device = cuda.current()
        sources = cuda.cupy().empty(len(neighbors), dtype=neighbors.dtype)
        kernel = kernels.list_sources(width_of(neighbors), width_of(offsets))
        rows = _SOURCES(sources=sources)
        launch_kernel(device, kernel, grid_for(device, n * 32), _csr(n, offsets, neighbors), rows)
    return sources


def symmetric_csr(n: int, offsets: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Row offsets and neighbors with every edge in both directions, from CSR (b is None) or an edge list on the device.

    Rows are not sorted. O(n + m) memory. A loop is stored once.
    """
    with cuda.errors("making symmetric rows"):
        if offsets is not None:
            a, b = sources_of_edges(n, offsets, a), a
        row_offsets, neighbors, _ = csr_of_edges(n, a, b, with_origins=False)
    return row_offsets, neighbors


def csr_of_edges(n: int, a: Any, b: Any, *, with_origins: bool) -> tuple[Any, Any, Any]:
    """Offsets and neighbors of symmetric CSR, and the edge behind each neighbor (None without `with_origins`)."""
    cupy, device, width = cuda.cupy(), cuda.current(), width_of(a)
    edges, blocks = _edges(a, b), grid_for(device, len(a))
    offsets = cupy.zeros(n + 1, dtype=np.int64)
    counts = _OUTPUT(positions=offsets[1:], neighbors=None, origin=None)
    launch_kernel(device, kernels.build_csr("count_endpoints", width), blocks, edges, counts)
    cupy.cumsum(offsets, out=offsets)
    arcs = int(offsets[n])
    neighbors = cupy.empty(arcs, dtype=a.dtype)
    origin = cupy.empty(arcs, dtype=np.int64) if with_origins else None
    output = _OUTPUT(positions=offsets[:-1].copy(), neighbors=neighbors, origin=origin)
    scatter = kernels.scatter_origins(width) if with_origins else kernels.build_csr("scatter_edges", width)
    launch_kernel(device, scatter, blocks, edges, output)
    return offsets, neighbors, origin

"""Runs of the commands about components. Loaded when a command runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge import check_components, components
from landbridge.cli import labels, terminal
from landbridge.cli.app import Reading
from landbridge.cli.edge_files import kind_of, memory_errors_of, read_edges, size_of, unit_of
from landbridge.engine.resolve import place_of
from landbridge.errors import CheckFailed
from landbridge.graph import Graph
from landbridge.id_kind import kind_of_ids
from landbridge.occurring import counted_from_one
from landbridge.passes import distinct
from landbridge.problems import PROBLEMS
from landbridge.result import Components
from landbridge.streams import chunks
from landbridge.threads import default_threads
from landbridge.typing import Devices

__all__ = [
    "TimedResult",
    "Where",
    "check_device",
    "check_labels",
    "counted_from_one",
    "in_chunks",
    "in_memory",
]


class TimedResult(NamedTuple):
    """A result, the number of edges or arcs, the seconds of reading and of the run, and what was counted."""

    result: Components
    edges: int
    read: float
    elapsed: float
    unit: str = "edges"


class Where(NamedTuple):
    """The plan of a run, and the processors that the command names."""

    plan: str
    device: str
    devices: Devices | None


def check_device(device: str) -> None:
    """Raise DeviceError for a device that is not available, before any input is read."""
    place_of(device)


def in_memory(
    reading: Reading, where: Where, _chunk_size: int | None, check_kind: Callable[[str], None]
) -> TimedResult:
    """The components of files that are read at once. check_kind: called with the kind of ids before the run."""
    started = time.perf_counter()
    edges = read_edges(reading)
    check_kind(kind_of(edges))
    read, started = time.perf_counter() - started, time.perf_counter()
    with memory_errors_of(reading):
        result = terminal.work(
            "finding components",
            lambda _: components(
                edges,
                ids=reading.signed,
                **where._asdict(),
                threads=reading.threads,
                num_vertices=reading.num_vertices,
            ),
        )
    terminal.notes(note for note in result.notes if note not in edges.notes)
    return TimedResult(result, size_of(edges), read, time.perf_counter() - started, unit_of(edges))


def in_chunks(reading: Reading, where: Where, chunk_size: int | None, check_kind: Callable[[str], None]) -> TimedResult:
    """The components of files that are read in chunks; else as `in_memory`."""
    started = time.perf_counter()
    request = PROBLEMS["incremental"].request(
        where.plan, where.device, reading.threads, present=False, devices=where.devices
    )
    result, edges = terminal.work(
        f"finding components of {reading.name}",
        lambda report: chunks.run_chunks(
            reading.source, reading.options(report), request, num_vertices=reading.num_vertices,
            format=reading.format, chunk_size=chunk_size,
        ),
    )  # fmt: skip
    terminal.notes(result.notes)
    check_kind(kind_of_ids(result.ids))
    return TimedResult(result, edges, 0.0, time.perf_counter() - started)


def check_labels(graph: Graph, path: str, reading: Reading, *, numbering: bool = False) -> tuple[int, int]:
    """The numbers of components and of vertices of a file of labels of a graph that was read so.

    numbering: whether the numbers of the labels are checked, too.

    Raises
    ------
    CheckFailed
        If they are not the components of the graph.
    """
    values, check_representatives = terminal.work(f"reading {path}", lambda _: _labels_of(graph, path, reading))
    try:
        with memory_errors_of(reading):
            terminal.work("checking", lambda _: check_components(graph, values, numbering=numbering))
    except CheckFailed as error:
        raise CheckFailed(f"{path}: {error}") from None
    check_representatives(values)
    return len(distinct(values, default_threads(None))), len(values)


def _labels_of(
    graph: Graph, path: str, reading: Reading
) -> tuple[NDArray[np.integer], Callable[[NDArray[np.integer]], None]]:
    """The labels of a file in the order of the graph's vertices, and the check of its representatives by these."""
    rows = labels.read(path, graph.id_kind == "names", reading.budget)
    if rows.ids is None:
        return rows.labels, lambda _: None
    with memory_errors_of(reading):
        expected = np.arange(graph.num_vertices) + (reading.base or 0) if graph.ids is None else np.asarray(graph.ids)
    vertices = rows.ids.astype(object) if rows.ids.dtype.kind in "US" else rows.ids
    if len(vertices) != len(expected):
        raise CheckFailed(f"{path} has labels of {len(vertices)} vertices, the graph has {len(expected)}")
    row_of = None  # of each vertex; None for rows in the order of the vertices
    if not np.array_equal(vertices, expected):
        order, places = np.argsort(vertices, kind="stable"), np.argsort(expected, kind="stable")
        wrong = np.flatnonzero(vertices[order] != expected[places])
        if len(wrong):
            raise CheckFailed(f"{path} has no label of vertex {expected[places[wrong[0]]]}, or two of another")
        row_of = np.empty_like(order)
        row_of[places] = order
    values = rows.labels if row_of is None else rows.labels[row_of]
    return values, lambda right: _check_representatives(path, rows, expected, right, row_of)


def _check_representatives(
    path: str,
    rows: labels.LabelRows,
    ids: NDArray[np.generic],
    values: NDArray[np.integer],
    row_of: NDArray[np.integer] | None,
) -> None:
    """Raise CheckFailed unless the representative of each row is the smallest id of its component.

    ids, values, row_of: the id, the right label and the row of each vertex, in ascending order of the ids.
    """
    if rows.representatives is None or len(ids) == 0:
        return
    representatives = rows.representatives if row_of is None else rows.representatives[row_of]
    _, first, component = np.unique(values, return_index=True, return_inverse=True)
    right = ids[first[component]]
    wrong = np.flatnonzero(representatives != right)
    if len(wrong):
        i = int(wrong[0]) if row_of is None else int(wrong[np.argmin(row_of[wrong])])
        row = i if row_of is None else int(row_of[i])
        raise CheckFailed(
            f"{path}, row {row} (from 0): the representative of vertex {ids[i]} is {right[i]}, not {representatives[i]}"
        )

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
from landbridge.cli.edge_files import kind_of, read_edges, size_of, unit_of
from landbridge.engine.resolve import place_of
from landbridge.errors import CheckFailed
from landbridge.graph import Graph
from landbridge.id_kind import kind_of_ids
from landbridge.occurring import counted_from_one
from landbridge.problems import PROBLEMS
from landbridge.result import Components
from landbridge.streams import chunks
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


def check_labels(graph: Graph, path: str, max_bytes: int | None = None, *, numbering: bool = False) -> tuple[int, int]:
    """The numbers of components and of vertices of a file of labels. numbering: whether their numbers are checked, too.

    Raises
    ------
    CheckFailed
        If they are not the components of the graph.
    """
    values = terminal.work(f"reading {path}", lambda _: _labels_of(graph, path, max_bytes))
    terminal.work("checking", lambda _: check_components(graph, values, numbering=numbering))
    return len(np.unique(values)), len(values)


def _labels_of(graph: Graph, path: str, max_bytes: int | None) -> NDArray[np.integer]:
    """The labels of a file in the order of the graph's vertices."""
    values, vertices = labels.read(path, graph.id_kind == "names", max_bytes)
    if vertices is None:
        return values
    expected = np.arange(graph.num_vertices) if graph.ids is None else np.asarray(graph.ids)
    if len(vertices) != len(expected):
        raise CheckFailed(f"{path} has labels of {len(vertices)} vertices, the graph has {len(expected)}")
    if vertices.dtype.kind in "US":
        vertices = vertices.astype(object)
    if np.array_equal(vertices, expected):
        return values
    order, places = np.argsort(vertices, kind="stable"), np.argsort(expected, kind="stable")
    wrong = np.flatnonzero(vertices[order] != expected[places])
    if len(wrong):
        raise CheckFailed(f"{path} has no label of vertex {expected[places[wrong[0]]]}, or two of another")
    result = np.empty_like(values)
    result[places] = values[order]
    return result

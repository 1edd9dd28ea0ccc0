"""The edges that a command reads and writes. Loaded when a command runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from landbridge.cli import output, terminal
from landbridge.cli.answers import print_json
from landbridge.cli.app import Reading
from landbridge.edges import files
from landbridge.edges.formats.registry import format_to_write
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.id_kind import IdKind, kind_of_ids


def read_edges(reading: Reading) -> Edges:
    """The edges of the files; the notes of their readers go to stderr."""
    edges = terminal.work(
        f"reading {reading.name}",
        lambda report: files.read(reading.source, format=reading.format, options=reading.options(report)),
    )
    terminal.notes(edges.notes)
    return edges


@contextmanager
def memory_errors_of(reading: Reading) -> Iterator[None]:
    """A MemoryError begins with the files whose vertices or edges are too many."""
    try:
        yield
    except OutOfDeviceMemory:
        raise
    except MemoryError as error:
        raise MemoryError(f"{reading.name}: {str(error) or 'not enough memory'}") from None


def size_of(edges: Edges) -> int:
    """The number of edges as they are stored: in CSR an edge of both directions is two arcs."""
    return len(edges.u) if isinstance(edges, EdgeList) else len(edges.neighbors)


def unit_of(edges: Edges) -> str:
    """What `size_of` counts."""
    return "edges" if isinstance(edges, EdgeList) else "arcs"


def kind_of(edges: Edges) -> IdKind:
    """The kind of the vertices."""
    return "sparse" if isinstance(edges, EdgeList) and edges.occurring else kind_of_ids(edges.ids)


def check_target(
    out: str, output_format: str | None, as_json: bool, sources: Sequence[str] = (), option: str = "-"
) -> tuple[str, str | None]:
    """The file and the format in which edges are written.

    Parameters
    ----------
    out, output_format : str
        As the command line names them.
    as_json : bool
        Whether stdout holds the answer.
    sources : sequence of str
        Files that are read, and not overwritten.
    option : str
        The argument for stdout, in messages.

    Raises
    ------
    InputError
        If edges cannot be written there.
    """
    out = output.check_target(out, sources)
    output_format = output.edge_format(out, output_format)
    files.check_target(out, output_format)
    if out == output.STANDARD and as_json:
        raise InputError(f"--json and {option} both write to stdout; write the edges to a file")
    return out, output_format


def refuse_gaps(out: str, output_format: str | None, edges: Edges, reading: Reading) -> None:
    """Raise InputError for ids with gaps in a format that is read as vertices 0 to n-1, unless --ids sparse is said."""
    if format_to_write(out, output_format).name != "npy" or reading.ids == "sparse" or kind_of(edges) != "sparse":
        return
    assert isinstance(edges, EdgeList)
    u, v = edges.u, edges.v
    ids = np.union1d(u, v) if edges.ids is None else np.asarray(edges.ids)
    if len(ids) and (int(ids[0]) != 0 or int(ids[-1]) != len(ids) - 1):
        raise InputError(
            f"{out}: .npy is read as vertices 0 to n-1, and these are the numbers that occur, with gaps: .txt, .csv "
            "and .parquet keep them; --ids sparse writes them to .npy, which --ids sparse reads again"
        )


def write_edges(out: str, output_format: str | None, edges: Edges) -> tuple[str, ...]:
    """Write edges to a file that `check_target` accepts; returns the notes of its writer."""

    def write() -> tuple[str, ...]:
        with output.replacing(out) as beside, beside.open("wb") as stream:
            return files.write_stream(edges, stream, out, output_format)

    notes = terminal.work(f"writing {out}", lambda _: write())
    terminal.notes(notes)
    return notes


def write_answer(out: str, output_format: str | None, edges: Edges, as_json: bool, fields: Mapping[str, Any]) -> None:
    """Write the edges of a command, and print a line or a JSON object with more `fields`."""
    notes = write_edges(out, output_format, edges)
    if out == output.STANDARD:
        return
    vertices = edges.num_vertices if isinstance(edges, EdgeList) else len(edges.offsets) - 1
    count = size_of(edges)
    if isinstance(edges, Adjacency) and files.lists_edges(out, output_format):
        notes = (*notes, "an edge for each arc of the input: one that is stored in both directions is written twice")
        terminal.notes(notes[-1:])
    answer = {**fields, "output": out, "vertices": vertices, "edges": count, "notes": [*edges.notes, *notes]}
    if as_json:
        print_json(answer)
        return
    if terminal.quiet():
        return
    of = "" if vertices is None else f" of {terminal.count(vertices)} vertices"
    terminal.result(f"{out}: {terminal.count(count)} {unit_of(edges)}{of}")

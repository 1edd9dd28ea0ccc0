"""The command that says why two vertices are in one component."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import terminal
from landbridge.cli.answers import print_json
from landbridge.cli.app import Json, Reading, app, reads_edges
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

if TYPE_CHECKING:
    from landbridge.edges.forms import Edges

_WHOLE = re.compile(r"-?[0-9]+")
_PADDED = re.compile(r"-?0[0-9]+")
_SCORE = "A column of how strong edges are, which the path then goes by: its name, or position from 0 without a header."


@app.command()
@reads_edges
def why(
    reading: Reading,
    start: Annotated[str, typer.Argument(metavar="U", help="A vertex; -- stands before negative ids.")],
    stop: Annotated[str, typer.Argument(metavar="V", help="Another vertex.")],
    *,
    score: Annotated[str | None, typer.Option("--score", help=_SCORE)] = None,
    as_json: Json = False,
) -> None:
    """Show why two vertices are in one component: a path of edges between them, one on a line."""
    # On demand: --help and completion load no NumPy.
    from landbridge import why as path_of
    from landbridge.cli import edge_files
    from landbridge.edges import files

    edges = edge_files.read_edges(reading)
    scores: Any = None
    if score is not None:
        column = score
        scores = terminal.work(
            f"reading the scores of {reading.name}",
            lambda _: files.read_numbers(reading.source, column, reading.format, reading.options()),
        )
    base = reading.base or 0
    ids = {text: _vertex(text, edges, reading) for text in (start, stop)}
    options: dict[str, Any] = {"num_vertices": reading.num_vertices, "threads": reading.threads, "ids": reading.signed}
    with edge_files.memory_errors_of(reading), _naming(reading, ids):
        path = terminal.work("finding a path", lambda _: path_of(edges, ids[start], ids[stop], score=scores, **options))
    u, v, vertices = (_counted(each, base) for each in (path.u, path.v, path.vertices))
    table: dict[str, list[Any]] = {"u": u, "v": v, "edge": path.edge.tolist()}
    if path.score is not None:
        table["score"] = path.score.tolist()
    rows = list(zip(*table.values(), strict=True))
    if as_json:
        answer = {
            "connected": path.connected,
            "vertices": vertices,
            "path": [dict(zip(table, row, strict=True)) for row in rows],
        }
        size = {"ids": edge_files.kind_of(edges), "edges": edge_files.size_of(edges), "notes": list(edges.notes)}
        print_json({**answer, **size, **reading.fields})
    elif path.connected:
        terminal.result("\n".join("\t".join(map(str, row)) for row in (tuple(table), *rows)))
    else:
        terminal.result(f"{start} and {stop} are not connected")


def _vertex(text: str, edges: Edges, reading: Reading) -> Any:
    """An id of the command line as the edges have it: text, or a whole number that counts from 0.

    Raises InputError for text where ids are numbers, and for zeros before a number unless the caller says that they are
    numbers, as in files.
    """
    from landbridge.cli import edge_files

    if edge_files.kind_of(edges) == "names":
        return text
    if _WHOLE.fullmatch(text) is None:
        raise InputError(f"ids are whole numbers here, and {text!r} is none; {spelled(ids='names')} takes text")
    if reading.options().ids == "auto" and _PADDED.fullmatch(text):
        raise InputError(f"{text!r} begins with zeros: ids are whole numbers here, as {int(text)} is")
    return int(text) - (reading.base or 0)


def _counted(ids: Any, base: int) -> list[Any]:
    """Ids as the caller counts them."""
    return [each + base for each in ids.tolist()] if base else list(ids.tolist())


@contextmanager
def _naming(reading: Reading, ids: dict[str, Any]) -> Iterator[None]:
    """The error of an id that is no vertex has the files, and the id as the caller says it."""
    from landbridge.result.rooted import no_vertex

    try:
        yield
    except InputError as error:
        wrong = next((text for text, each in ids.items() if str(error) == no_vertex(repr(each))), None)
        if wrong is None:
            raise
        raise InputError(f"{reading.name}: {no_vertex(wrong)}") from None

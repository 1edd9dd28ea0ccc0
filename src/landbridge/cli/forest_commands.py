"""The command that finds a spanning forest."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.app import Device, Json, PlanText, Reading, app, reads_edges
from landbridge.cli.commands import IDS, print_answer, run_fields
from landbridge.errors import InputError
from landbridge.id_kind import kind_of_ids

if TYPE_CHECKING:
    from landbridge.edges.forms import Edges
    from landbridge.result import SpanningForest


@app.command()
@reads_edges
def forest(
    reading: Reading,
    *,
    out: Annotated[str | None, typer.Option("-o", "--output", help="Edges, in any format edges go in, or -.")] = None,
    positions: Annotated[
        str | None, typer.Option("--positions", help="The positions of the edges in the input, as .npy.")
    ] = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Format of the edges.")] = None,
    plan: PlanText = "auto",
    device: Device = "auto",
    check: Annotated[bool, typer.Option("--check", help="Check the forest; exit code 1 if it is wrong.")] = False,
    as_json: Json = False,
) -> None:
    """Find a spanning forest of files of edges: as few of them as connect what all of them connect."""
    import numpy as np

    from landbridge import check_forest, spanning_forest  # loaded before the clock runs
    from landbridge.cli.reading import graph_of, read_edges, size_of
    from landbridge.edges import files

    if out is not None:
        out = output.check_target(out, reading.files)
        output_format = output.edge_format(out, output_format)
        files.check_target(out, output_format)
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both want stdout; write the edges to a file")
    if positions is not None:
        positions = output.check_target(positions)
        if not positions.endswith(".npy"):
            raise InputError(f"{positions}: positions are written as .npy")
    started = time.perf_counter()
    edges = read_edges(reading)
    read = time.perf_counter() - started
    started = time.perf_counter()
    found = terminal.work(
        "finding a forest",
        lambda _: spanning_forest(
            edges, plan=plan, device=device, threads=reading.threads, num_vertices=reading.num_vertices
        ),
    )
    elapsed = time.perf_counter() - started
    terminal.notes(note for note in found.notes if note not in edges.notes)
    if check:
        graph = graph_of(edges, reading)
        terminal.work("checking", lambda _: check_forest(graph, found))
    if out is not None:
        path = out
        terminal.notes(
            terminal.work(f"writing {path}", lambda _: _write(edges, found, path, output_format, reading.base))
        )
    if positions is not None:
        with output.replacing(positions) as beside, beside.open("wb") as stream:
            np.lib.format.write_array(stream, found.edge, allow_pickle=False)
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": found.count,
        "forest_edges": len(found.edge),
        "vertices": found.num_vertices,
        "edges": size_of(edges),
        "ids": kind_of_ids(found.ids),
        "checked": check,
        **run_fields(found, reading, elapsed, read, out),
    }
    speed = terminal.rate(answer["edges"], elapsed)
    rows = {
        "trees": terminal.count(found.count),
        "forest edges": terminal.count(len(found.edge)) + (", checked" if check else ""),
        "vertices": terminal.count(found.num_vertices),
        "ids": IDS[answer["ids"]],
        "edges": terminal.count(answer["edges"]),
        "plan": found.plan,
        "device": found.device,
        "time": f"{terminal.seconds(elapsed)} ({speed}); reading {terminal.seconds(read)}",
    }
    print_answer(answer, rows, "forest", as_json)


def _write(
    edges: Edges, found: SpanningForest, out: str, output_format: str | None, base: int | None
) -> tuple[str, ...]:
    import numpy as np

    from landbridge.edges import files
    from landbridge.edges.forms import EdgeList

    chosen: EdgeList
    if isinstance(edges, EdgeList):
        u, v = (np.ascontiguousarray(ends[found.edge]) for ends in (edges.u, edges.v))
        n = None if edges.occurring else edges.num_vertices if edges.ids is not None else found.num_vertices
        chosen = EdgeList(u, v, n, edges.ids, occurring=edges.occurring)
    else:
        u, v = found.u, found.v
        if edges.ids is not None:
            u, v = np.searchsorted(edges.ids, u), np.searchsorted(edges.ids, v)
        chosen = EdgeList(u, v, found.num_vertices, edges.ids)
    if base and files.lists_edges(out, output_format):  # formats that declare their vertices have a base of their own
        chosen = EdgeList(chosen.u + 1, chosen.v + 1)
    with output.replacing(out) as beside, beside.open("wb") as stream:
        return files.write_stream(chosen, stream, out, output_format)

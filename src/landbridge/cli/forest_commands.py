"""The command that finds a spanning forest."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from landbridge.cli import output, terminal
from landbridge.cli.commands import (
    Columns,
    Device,
    File,
    Format,
    Ids,
    Json,
    PlanText,
    Threads,
    app,
    print_answer,
    read_graph,
    run_fields,
)
from landbridge.edges import files
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError

if TYPE_CHECKING:
    from landbridge.graph import Graph
    from landbridge.result import SpanningForest


@app.command()
def forest(
    file: File,
    *,
    out: Annotated[str | None, typer.Option("-o", "--output", help="Edges, in any format edges go in, or -.")] = None,
    positions: Annotated[
        str | None, typer.Option("--positions", help="The positions of the edges in the input, as .npy.")
    ] = None,
    plan: PlanText = "auto",
    device: Device = "auto",
    threads: Threads = None,
    format_: Format = None,
    ids: Ids = "auto",
    columns: Columns = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Format of the edges.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Check the forest; exit code 1 if it is wrong.")] = False,
    as_json: Json = False,
) -> None:
    """Find a spanning forest of a file of edges: as few of them as connect what all of them connect."""
    import landbridge as lib

    if out is not None:
        output.check_target(out)
        files.check_target(out, output_format)
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both want stdout; write the edges to a file")
    if positions is not None:
        output.check_target(positions)
        if not positions.endswith(".npy"):
            raise InputError(f"{positions}: positions are written as .npy")
    started = time.perf_counter()
    graph = read_graph(file, format_, ids, columns, threads)
    read = time.perf_counter() - started
    started = time.perf_counter()
    found = terminal.work(
        "finding a forest", lambda _: lib.spanning_forest(graph, plan=plan, device=device, threads=threads)
    )
    elapsed = time.perf_counter() - started
    if check:
        terminal.work("checking", lambda _: lib.check_forest(graph, found))
    if out is not None:
        for note in terminal.work(f"writing {out}", lambda _: _write(graph, found, out, output_format)):
            terminal.tell(f"note: {note}")
    if positions is not None:
        with output.replacing(positions) as beside, beside.open("wb") as stream:
            np.lib.format.write_array(stream, found.edge, allow_pickle=False)
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": found.count,
        "forest_edges": len(found.edge),
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "checked": check,
        **run_fields(found, file, elapsed, read, out),
    }
    speed = terminal.rate(graph.num_edges, elapsed)
    rows = {
        "trees": terminal.count(found.count),
        "forest edges": terminal.count(len(found.edge)) + (", checked" if check else ""),
        "vertices": terminal.count(graph.num_vertices),
        "edges": terminal.count(graph.num_edges),
        "plan": found.plan,
        "device": found.device,
        "time": f"{terminal.seconds(elapsed)} ({speed}); reading {terminal.seconds(read)}",
    }
    print_answer(answer, rows, "forest", as_json)


def _write(graph: Graph, found: SpanningForest, out: str, output_format: str | None) -> tuple[str, ...]:
    u, v = found.u, found.v
    if graph.b is not None:
        u, v = graph.a[found.edge], graph.b[found.edge]
    elif graph.ids is not None:
        u, v = np.searchsorted(graph.ids, u), np.searchsorted(graph.ids, v)
    edges = EdgeList(u, v, graph.num_vertices, graph.ids)
    with output.replacing(out) as beside, beside.open("wb") as stream:
        return files.write_stream(edges, stream, out, output_format)

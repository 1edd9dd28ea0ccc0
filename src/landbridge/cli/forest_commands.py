"""The command that finds a spanning forest."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.answers import ids_in_words, print_answer, run_fields
from landbridge.cli.app import Device, Devices, Json, PlanText, Reading, app, devices_of, reads_edges
from landbridge.errors import InputError
from landbridge.id_kind import kind_of_ids


@app.command()
@reads_edges
def forest(
    reading: Reading,
    *,
    out: Annotated[str | None, typer.Option("-o", "--output", help="Edges, in any format edges go in, or -.")] = None,
    positions: Annotated[
        str | None, typer.Option("--positions", help="The positions of the edges in the input, as .npy.")
    ] = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="A format or an ending.")] = None,
    plan: PlanText = "auto",
    device: Device = "auto",
    devices: Devices = None,
    check: Annotated[bool, typer.Option("--check", help="Check the forest; exit code 1 if it is wrong.")] = False,
    as_json: Json = False,
) -> None:
    """Find a spanning forest of files of edges: as few of them as connect what all of them connect."""
    import numpy as np

    # On demand: --help and completion load no NumPy.
    from landbridge import check_forest, spanning_forest
    from landbridge.cli import edge_files, graphs
    from landbridge.edges import files

    output.refuse_format(output_format, out)
    if out is not None:
        out, output_format = edge_files.check_target(out, output_format, as_json, reading.files, "-o -")
    if positions is not None:
        positions = output.check_target(positions, reading.files, out)
        if not positions.endswith(".npy"):
            raise InputError(f"{positions}: positions are written as .npy")
    started = time.perf_counter()
    edges = edge_files.read_edges(reading)
    read = time.perf_counter() - started
    started = time.perf_counter()
    with edge_files.memory_errors_of(reading):
        result = terminal.work(
            "finding a forest",
            lambda _: spanning_forest(
                edges,
                ids=reading.signed,
                plan=plan,
                device=device,
                devices=devices_of(devices),
                threads=reading.threads,
                num_vertices=reading.num_vertices,
            ),
        )
    elapsed = time.perf_counter() - started
    terminal.notes(note for note in result.notes if note not in edges.notes)
    if check:
        graph = graphs.graph_of(edges, reading)
        terminal.work("checking", lambda _: check_forest(graph, result))
    if out is not None:
        # Formats that declare their vertices have a base of their own.
        shift = bool(reading.base) and files.lists_edges(out, output_format)
        edge_files.write_edges(out, output_format, graphs.forest_edges(edges, result, shift))
    if positions is not None:
        with output.replacing(positions) as beside, beside.open("wb") as stream:
            np.lib.format.write_array(stream, result.edge, allow_pickle=False)
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": result.count,
        "forest_edges": len(result.edge),
        "vertices": result.num_vertices,
        "edges": edge_files.size_of(edges),
        "ids": kind_of_ids(result.ids),
        "checked": check,
        **run_fields(result, reading, elapsed, read, out),
    }
    speed = terminal.rate(answer["edges"], elapsed)
    rows = {
        "trees": terminal.count(result.count),
        "forest edges": terminal.count(len(result.edge)) + (", checked" if check else ""),
        "vertices": terminal.count(result.num_vertices),
        "ids": ids_in_words(answer["ids"], reading),
        edge_files.unit_of(edges): terminal.count(answer["edges"]),
        "plan": result.plan,
        "device": result.device,
        "time": f"{terminal.seconds(elapsed)} ({speed}); reading {terminal.seconds(read)}",
    }
    print_answer(answer, rows, "forest", as_json)

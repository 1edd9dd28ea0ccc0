"""The commands that find components and check labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.answers import ids_in_words, print_answer, print_json, run_fields
from landbridge.cli.app import Device, Devices, Json, PlanText, Reading, app, devices_of, reads_edges
from landbridge.errors import CheckFailed, InputError
from landbridge.id_kind import kind_of_ids


@app.command()
@reads_edges
def components(
    reading: Reading,
    *,
    out: Annotated[
        str | None, typer.Option("-o", "--output", help="Labels: .csv .tsv (.gz .zst) .parquet .npz .npy, or -.")
    ] = None,
    ids_out: Annotated[
        str | None, typer.Option("--ids-output", help="The id of each vertex as .npy, in the order of the labels.")
    ] = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Format of the labels.")] = None,
    plan: PlanText = "auto",
    device: Device = "auto",
    devices: Devices = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Read in chunks: memory for the vertices and their names only.")
    ] = False,
    chunk_size: Annotated[
        int | None, typer.Option("--chunk-size", min=1, help="Edges in a chunk; implies --stream.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the connected components of files of edges, and write a label for each vertex."""
    from landbridge.cli import component_runs, labels  # on demand: --help and completion load no NumPy

    component_runs.check_device(device)
    output.refuse_format(output_format, out)
    processors = devices_of(devices)
    streams = stream or chunk_size is not None
    label_format = ""
    if out is not None:
        out = output.check_target(out, reading.files)
        label_format = labels.format_of(out, output_format)
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both write to stdout; write the labels to a file")
    if ids_out is not None:
        ids_out = output.check_target(ids_out, reading.files, out)
        if not ids_out.endswith(".npy"):
            raise InputError(f"{ids_out}: ids are written as .npy")

    def check_kind(kind: str) -> None:
        if out is not None:
            labels.refuse_lost_ids(out, label_format, kind, ids_out)

    run = component_runs.in_chunks if streams else component_runs.in_memory
    result, edges, read, elapsed, unit = run(
        reading, component_runs.Where(plan, device, processors), chunk_size, check_kind
    )
    written = component_runs.counted_from_one(result) if reading.base else result
    if ids_out is not None:
        ids_path = ids_out
        terminal.work(f"writing {ids_path}", lambda _: labels.write_ids(ids_path, written))
    if out is not None:
        path, threads = out, reading.options().threads
        terminal.work(f"writing {path}", lambda _: labels.write(path, label_format, written, threads))
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": result.count,
        "largest": result.largest_size,
        "vertices": len(result.labels),
        "edges": edges,
        "ids": kind_of_ids(result.ids),
        **run_fields(result, reading, elapsed, read, out),
    }
    share = f" ({answer['largest'] / answer['vertices']:.1%})" if answer["vertices"] else ""
    rows = {
        "components": terminal.count(answer["count"]),
        "largest": f"{terminal.count(answer['largest'])} vertices{share}",
        "vertices": terminal.count(answer["vertices"]),
        "ids": ids_in_words(answer["ids"], reading),
        unit: terminal.count(answer["edges"]),
        "plan": answer["plan"],
        "device": answer["device"],
        "time": f"{terminal.seconds(elapsed)} ({terminal.rate(answer['edges'], elapsed)})"
        + (", with reading" if streams else f"; reading {terminal.seconds(read)}"),
    }
    print_answer(answer, rows, "labels", as_json)


@app.command()
@reads_edges
def check(
    reading: Reading,
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Labels as written by 'components'.")],
    *,
    numbering: Annotated[
        bool, typer.Option("--numbering", help="Labels must be 0, 1, ... by the smallest ids, as of 'components'.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check that labels are the components of a graph: exit code 0 if they are, 1 if not."""
    from landbridge.cli import component_runs  # on demand: --help and completion load no NumPy
    from landbridge.cli.edge_files import read_edges
    from landbridge.cli.graphs import graph_of

    graph = graph_of(read_edges(reading), reading)
    answer: dict[str, Any] = {"vertices": graph.num_vertices, "edges": graph.num_edges, "ids": graph.id_kind}
    try:
        count, vertices = component_runs.check_labels(graph, labels, reading, numbering=numbering)
    except CheckFailed as error:
        if as_json:
            print_json({"ok": False, "problem": str(error), **answer})
        raise
    if as_json:
        print_json({"ok": True, "count": count, **answer, "notes": list(graph.notes)})
        return
    terminal.result(f"{labels}: right, {terminal.count(count)} components of {terminal.count(vertices)} vertices")

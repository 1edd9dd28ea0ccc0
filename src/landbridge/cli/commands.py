"""The commands. Each reads its arguments, calls the library, and prints one result."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.app import Device, Json, PlanText, Quiet, Reading, Threads, app, name_of, reads_edges
from landbridge.errors import CheckFailed, InputError
from landbridge.typing import kind_of_ids

if TYPE_CHECKING:
    import numpy as np

    from landbridge.graph import Graph
    from landbridge.result import Components


@app.callback(invoke_without_command=True)
def landbridge(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Connected components of large graphs. Results go to stdout, messages to stderr; - is either one."""
    import landbridge as lib

    terminal.be_quiet(False)
    if version:
        terminal.result(lib.__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        terminal.result(context.get_help())
        raise typer.Exit


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
    stream: Annotated[
        bool, typer.Option("--stream", help="Read in chunks: memory for the vertices and their names only.")
    ] = False,
    chunk_size: Annotated[int | None, typer.Option("--chunk-size", min=1, help="Edges in a chunk; streams.")] = None,
    as_json: Json = False,
) -> None:
    """Find the connected components of files of edges, and write a label for each vertex."""
    from landbridge.cli import labels
    from landbridge.engine.resolve import place_of
    from landbridge.occurring import counted_from_one

    place_of(device)  # refuses one that is not here before anything is read
    streams = stream or chunk_size is not None
    label_format = ""
    if out is not None:
        out = output.check_target(out, reading.files)
        label_format = labels.format_of(out, output_format)
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both want stdout; write the labels to a file")
    if ids_out is not None:
        ids_out = output.check_target(ids_out)
        if not ids_out.endswith(".npy"):
            raise InputError(f"{ids_out}: ids are written as .npy")

    def fits(kind: str) -> None:
        if out is not None:
            labels.refuse_lost_ids(out, label_format, kind, ids_out)

    solve = _solve_chunks if streams else _solve_whole
    found, edges, read, elapsed = solve(reading, plan, device, chunk_size, fits)
    threads = reading.options().threads
    shown = counted_from_one(found) if reading.base else found
    if ids_out is not None:
        ids_path = ids_out
        terminal.work(f"writing {ids_path}", lambda _: labels.write_ids(ids_path, shown))
    if out is not None:
        path = out
        terminal.work(f"writing {path}", lambda _: labels.write(path, label_format, shown, threads))
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": found.count,
        "largest": found.largest_size,
        "vertices": len(found.labels),
        "edges": edges,
        "ids": kind_of_ids(found.ids),
        **run_fields(found, reading, elapsed, read, out),
    }
    share = f" ({answer['largest'] / answer['vertices']:.1%})" if answer["vertices"] else ""
    rows = {
        "components": terminal.count(answer["count"]),
        "largest": f"{terminal.count(answer['largest'])} vertices{share}",
        "vertices": terminal.count(answer["vertices"]),
        "ids": IDS[answer["ids"]],
        "edges": terminal.count(answer["edges"]),
        "plan": answer["plan"],
        "device": answer["device"],
        "time": f"{terminal.seconds(elapsed)} ({terminal.rate(answer['edges'], elapsed)})"
        + (", with reading" if streams else f"; reading {terminal.seconds(read)}"),
    }
    print_answer(answer, rows, "labels", as_json)


IDS = {
    "dense": "dense: 0 to n-1",
    "sparse": "sparse: the numbers that occur",
    "names": "names: the texts that occur",
}
"""What the vertices are, in words."""

_Solution = tuple["Components", int, float, float]
"""The answer, the number of edges, the seconds of reading and of solving."""


def _solve_whole(
    reading: Reading, plan: str, device: str, _chunk_size: int | None, fits: Callable[[str], None]
) -> _Solution:
    from landbridge import components as solve  # loaded before the clock runs
    from landbridge.cli.reading import kind_of, read_edges, size_of

    started = time.perf_counter()
    edges = read_edges(reading)
    fits(kind_of(edges))
    read, started = time.perf_counter() - started, time.perf_counter()
    found = terminal.work(
        "finding components",
        lambda _: solve(edges, plan=plan, device=device, threads=reading.threads, num_vertices=reading.num_vertices),
    )
    terminal.notes(note for note in found.notes if note not in edges.notes)
    return found, size_of(edges), read, time.perf_counter() - started


def _solve_chunks(
    reading: Reading, plan: str, device: str, chunk_size: int | None, fits: Callable[[str], None]
) -> _Solution:
    from landbridge.plan import parse
    from landbridge.streams.chunks import run_chunks

    started = time.perf_counter()
    found, edges = terminal.work(
        f"finding components of {reading.name}",
        lambda report: run_chunks(
            reading.source, reading.options(report), plan=None if plan == "auto" else parse(plan), device=device,
            num_vertices=reading.num_vertices, format=reading.format, chunk_size=chunk_size,
        ),
    )  # fmt: skip
    terminal.notes(found.notes)
    fits(kind_of_ids(found.ids))
    return found, edges, 0.0, time.perf_counter() - started


@app.command()
@reads_edges
def check(
    reading: Reading,
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Labels as written by 'components'.")],
    *,
    as_json: Json = False,
) -> None:
    """Check that labels are the components of a graph: exit code 0 if they are, 1 if not."""
    import landbridge as lib
    from landbridge.cli.reading import graph_of, read_edges

    graph = graph_of(read_edges(reading), reading)
    answer: dict[str, Any] = {"vertices": graph.num_vertices, "edges": graph.num_edges, "ids": graph.id_kind}
    try:
        values = terminal.work(f"reading {labels}", lambda _: _labels_of(graph, labels))
        terminal.work("checking", lambda _: lib.check_components(graph, values))
    except CheckFailed as error:
        if as_json:
            print_json({"ok": False, "problem": str(error), **answer})
        raise
    count = int(values.max()) + 1 if len(values) else 0
    if as_json:
        print_json({"ok": True, "count": count, **answer, "notes": list(graph.notes)})
        return
    terminal.result(f"{labels}: right, {terminal.count(count)} components of {terminal.count(len(values))} vertices")


@app.command()
def plans(
    *,
    problem: Annotated[
        str, typer.Option("--problem", help="components, forest, incremental or list_ranking.")
    ] = "components",
    engine: Annotated[str | None, typer.Option("--engine", help="Only this engine's.")] = None,
    layout: Annotated[str | None, typer.Option("--layout", help="csr or coo.")] = None,
    extended: Annotated[bool, typer.Option("--extended", help="Also those outside the published list.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the single rules instead.")] = False,
    aliases: Annotated[bool, typer.Option("--aliases", help="List the names of historic systems instead.")] = False,
    as_json: Json = False,
) -> None:
    """List every valid plan in its canonical text, one a line."""
    from landbridge.plan import ALIASES, registry
    from landbridge.problems import enumerate_plans

    if rules:
        print_rows(registry().policies(), as_json, ("axis", "name", "code", "summary", "reference"))
    elif aliases:
        print_rows(ALIASES.values(), as_json, ("name", "plan", "source", "deviation"))
    else:
        texts = enumerate_plans(problem, engine=engine, layout=layout, extended=extended)
        terminal.result(json.dumps(texts) if as_json else "\n".join(texts))


@app.command()
@reads_edges
def explain(reading: Reading, *, device: Device = "auto", as_json: Json = False) -> None:
    """Tell which plan would be used for a graph, and why."""
    from dataclasses import asdict

    import landbridge as lib
    from landbridge.cli.reading import graph_of, read_edges

    graph = graph_of(read_edges(reading), reading)
    reason = terminal.work("looking at the graph", lambda _: lib.explain(graph, device=device, threads=reading.threads))
    if as_json:
        print_json({**reading.fields, **asdict(reason), "notes": list(graph.notes)})
        return
    terminal.result(str(reason))


@app.command()
def info(as_json: Json = False) -> None:
    """Show versions, processors, file formats and optional packages."""
    import numpy as np

    import landbridge as lib
    from landbridge import _core
    from landbridge.device import cuda, jit
    from landbridge.edges import files

    optional = {name: _version(name) for name in ("pyarrow", "zstandard", "scipy", "networkx", "cupy")}
    answer: dict[str, Any] = {
        "version": lib.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "threads": int(_core.available_threads()),
        "devices": ["cpu", *(f"gpu {g['device']}: {g['name']}" for g in cuda.describe())],
        "kernels": f"{len(jit.cached_files())} files in {jit.cache_folder()}",
        "formats": list(files.FORMATS),
        "packages": optional,
    }
    if as_json:
        print_json(answer)
        return
    found = ", ".join(f"{name} {version}" for name, version in optional.items() if version is not None)
    rows = {**{k: v for k, v in answer.items() if k != "packages"}, "packages": found or "none"}
    terminal.pairs("landbridge", {k: ", ".join(v) if isinstance(v, list) else str(v) for k, v in rows.items()})


@app.command()
def demo(
    out: Annotated[str, typer.Option("-o", "--output", help="The picture to write, or -.")] = "landbridge-demo.svg",
    graph: Annotated[str, typer.Option("--graph", help="The graph to make.")] = "",
    threads: Threads = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make a graph of millions of edges, find its components, check the answer, and draw their sizes.

    The picture goes to the current folder unless -o says where.
    """
    from landbridge.cli.demo import DEFAULT_GRAPH, show

    terminal.be_quiet(quiet)
    target = output.check_target(out)
    if target == output.STANDARD and as_json:
        raise InputError("--json and -o - both want stdout; write the picture to a file")
    show(graph or DEFAULT_GRAPH, target, threads, as_json)


def _labels_of(graph: Graph, path: str) -> np.ndarray[Any, Any]:
    """The labels of a file in the order of the graph's vertices."""
    import numpy as np

    from landbridge.cli import labels as label_files

    labels, vertices = label_files.read(path, graph.id_kind == "names")
    if vertices is None:
        return labels
    known = np.arange(graph.num_vertices) if graph.ids is None else np.asarray(graph.ids)
    if len(vertices) != len(known):
        raise CheckFailed(f"{path} has labels of {len(vertices)} vertices, the graph has {len(known)}")
    if vertices.dtype.kind in "US":
        vertices = vertices.astype(object)
    if np.array_equal(vertices, known):
        return labels
    order, places = np.argsort(vertices, kind="stable"), np.argsort(known, kind="stable")
    wrong = np.flatnonzero(vertices[order] != known[places])
    if len(wrong):
        raise CheckFailed(f"{path} has no label of vertex {known[places[wrong[0]]]}, or two of another")
    found = np.empty_like(labels)
    found[places] = labels[order]
    return found


def _version(package: str) -> str | None:
    """The version of a package; None if it is not there. Its distribution may be called otherwise, as CuPy's are."""
    from importlib import metadata, util

    if util.find_spec(package) is None:
        return None
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    for name in metadata.packages_distributions().get(package, []):
        with suppress(metadata.PackageNotFoundError):
            return f"{metadata.version(name)} ({name})"
    return "unknown"


def print_json(answer: Any) -> None:
    terminal.result(json.dumps(answer))


def run_fields(found: Any, reading: Reading, elapsed: float, read: float, out: str | None) -> dict[str, Any]:
    """What the answer of every command says that runs a plan on files; found: its result."""
    return {**result_fields(found, elapsed, read, out), **reading.fields}


def result_fields(found: Any, elapsed: float, read: float, out: str | None) -> dict[str, Any]:
    """The part of it that says nothing of the input."""
    return {
        "plan": found.plan,
        "device": found.device,
        "seconds": elapsed,
        "read_seconds": read,
        "threads": found.profile.threads,
        "output": out,
        "notes": list(getattr(found, "notes", ())),
    }


def print_answer(answer: dict[str, Any], rows: dict[str, str], what: str, as_json: bool) -> None:
    """The answer of a run: as JSON, or as rows for people with the file where `what` was written to, if it was."""
    if as_json:
        print_json(answer)
        return
    out = answer["output"]
    title = answer["file"] or name_of(answer["files"])
    terminal.pairs(title, rows | ({what: out} if out is not None else {}))


def print_rows(items: Iterable[object], as_json: bool, shown: tuple[str, ...]) -> None:
    """The named attributes of each item: a table on a terminal, tabs in a pipe, or JSON objects."""
    rows = [{key: str(getattr(item, key)) for key in shown} for item in items]
    if as_json:
        print_json(rows)
    elif terminal.for_people():
        from rich.table import Table
        from rich.text import Text

        table = Table(*shown, box=None, pad_edge=False, header_style="cyan")
        for row in rows:
            table.add_row(*(Text(row[key]) for key in shown))
        terminal.rich_result(table)
    else:
        terminal.result("\n".join("\t".join(row[key] for key in shown) for row in rows))

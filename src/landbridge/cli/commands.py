"""The commands. Each reads its arguments, calls the library, and prints one result."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterable
from dataclasses import asdict
from importlib import metadata, util
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from landbridge.cli import output, terminal
from landbridge.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from landbridge.edges.forms import Edges
    from landbridge.graph import Graph

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[str, typer.Argument(metavar="FILE", help="A file of edges, or - for edges as text on stdin.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
PlanText = Annotated[str, typer.Option("--plan", help="Which rules to use, as listed by 'landbridge plans'.")]
Device = Annotated[str, typer.Option("--device", help="auto, cpu or gpu.")]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads; all processors if not given.")]
Format = Annotated[str | None, typer.Option("--format", help="The input's format; by its ending if not given.")]
Ids = Annotated[
    str, typer.Option("--ids", help="auto, dense (0 to n-1), sparse (any numbers, kept) or names (any text, kept).")
]
Columns = Annotated[
    str | None, typer.Option("--columns", help="The two columns of the edges: names or positions, A,B.")
]


@app.callback(invoke_without_command=True)
def landbridge(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Connected components of large graphs. Results go to stdout, messages to stderr; - is either one."""
    import landbridge as lib

    if version:
        terminal.result(lib.__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        terminal.result(context.get_help())
        raise typer.Exit


@app.command()
def components(
    file: File,
    *,
    out: Annotated[str | None, typer.Option("-o", "--output", help="Labels: .csv .npy .npz .parquet, or -.")] = None,
    plan: PlanText = "auto",
    device: Device = "auto",
    threads: Threads = None,
    format_: Format = None,
    ids: Ids = "auto",
    columns: Columns = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Format of the labels.")] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Read in chunks: memory for the vertices and their names only.")
    ] = False,
    chunk_size: Annotated[int | None, typer.Option("--chunk-size", min=1, help="Edges in a chunk; streams.")] = None,
    as_json: Json = False,
) -> None:
    """Find the connected components of a file of edges, and write a label for each vertex."""
    import landbridge as lib
    from landbridge.chunked import components_of_chunks
    from landbridge.edges.options import options_of
    from landbridge.graph import default_threads
    from landbridge.plan import parse

    if out is not None:
        output.check_target(out)
        label_format = output.label_format(out, output_format)
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both want stdout; write the labels to a file")
    started = time.perf_counter()
    if stream or chunk_size is not None:
        # Reading is part of the work here.
        edges, read = 0, 0.0

        def in_chunks(report: terminal.Report) -> tuple[lib.Components, int]:
            options = options_of(
                ids=ids, threads=default_threads(threads), columns=chosen_columns(columns), progress=report
            )
            return components_of_chunks(
                file, options, plan=None if plan == "auto" else parse(plan), device=device, num_vertices=None,
                format=format_, chunk_size=chunk_size,
            )  # fmt: skip

        found, edges = terminal.work(f"finding components of {file}", in_chunks)
        for note in found.notes:
            terminal.tell(f"note: {note}")
    else:
        graph = read_graph(file, format_, ids, columns, threads)
        read, edges = time.perf_counter() - started, graph.num_edges
        started = time.perf_counter()
        found = terminal.work(
            "finding components", lambda _: lib.components(graph, plan=plan, device=device, threads=threads)
        )
    elapsed = time.perf_counter() - started
    if out is not None:
        if label_format == "npy" and found.ids is not None:
            terminal.tell("note: .npy holds labels only, in ascending order of the ids; .npz and .csv keep the ids")
        terminal.work(f"writing {out}", lambda _: output.write_labels(out, label_format, found.labels, found.ids))
    if out == output.STANDARD:
        return
    answer: dict[str, Any] = {
        "count": found.count,
        "largest": found.largest_size,
        "vertices": len(found.labels),
        "edges": edges,
        **run_fields(found, file, elapsed, read, out),
    }
    share = f" ({answer['largest'] / answer['vertices']:.1%})" if answer["vertices"] else ""
    rows = {
        "components": terminal.count(answer["count"]),
        "largest": f"{terminal.count(answer['largest'])} vertices{share}",
        "vertices": terminal.count(answer["vertices"]),
        "edges": terminal.count(answer["edges"]),
        "plan": answer["plan"],
        "device": answer["device"],
        "time": f"{terminal.seconds(elapsed)} ({terminal.rate(answer['edges'], elapsed)})"
        + (f"; reading {terminal.seconds(read)}" if read else ", with reading"),
    }
    print_answer(answer, rows, "labels", as_json)


@app.command()
def check(
    file: File,
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Labels as written by 'components'.")],
    *,
    format_: Format = None,
    ids: Ids = "auto",
    columns: Columns = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Check that labels are the components of a graph: exit code 0 if they are, 1 if not."""
    import landbridge as lib

    graph = read_graph(file, format_, ids, columns, threads)
    values = terminal.work(f"reading {labels}", lambda _: _labels_of(graph, labels))
    try:
        terminal.work("checking", lambda _: lib.check_components(graph, values))
    except CheckFailed as error:
        if as_json:
            print_json({"ok": False, "problem": str(error), "vertices": graph.num_vertices})
        raise
    count = int(values.max()) + 1 if len(values) else 0
    if as_json:
        print_json({"ok": True, "count": count, "vertices": graph.num_vertices, "edges": graph.num_edges})
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
    from landbridge.plan import ALIASES, enumerate_plans, registry

    if rules:
        print_rows(registry().policies(), as_json, ("axis", "name", "code", "summary", "reference"))
    elif aliases:
        print_rows(ALIASES.values(), as_json, ("name", "plan", "source", "deviation"))
    else:
        texts = enumerate_plans(problem, engine=engine, layout=layout, extended=extended)
        terminal.result(json.dumps(texts) if as_json else "\n".join(texts))


@app.command()
def explain(
    file: File,
    *,
    format_: Format = None,
    ids: Ids = "auto",
    columns: Columns = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Tell which plan would be used for a graph, and why."""
    import landbridge as lib

    graph = read_graph(file, format_, ids, columns, threads)
    reason = terminal.work("looking at the graph", lambda _: lib.explain(graph, threads=threads))
    if as_json:
        print_json({"file": file, **asdict(reason)})
        return
    terminal.result(str(reason))


@app.command()
def info(as_json: Json = False) -> None:
    """Show versions, processors, file formats and optional packages."""
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
    out: Annotated[str, typer.Option("-o", "--output", help="The picture to write.")] = "landbridge-demo.svg",
    graph: Annotated[str, typer.Option("--graph", help="The graph to make.")] = "",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Make a graph of millions of edges, find its components, check the answer, and draw their sizes."""
    from landbridge.cli.demo import DEFAULT_GRAPH, show

    output.check_target(out)
    show(graph or DEFAULT_GRAPH, out, threads, as_json)


def chosen_columns(columns: str | None) -> tuple[str | int, ...] | None:
    """What --columns names: positions where all digits, else names."""
    if columns is None:
        return None
    return tuple(int(c) if c.strip().isdecimal() else c.strip() for c in columns.split(","))


def read_edges(file: str, format_: str | None, ids: str, columns: str | None, threads: int | None) -> Edges:
    from landbridge.edges import files

    chosen = chosen_columns(columns)
    edges = terminal.work(
        f"reading {file}",
        lambda report: files.read(file, format=format_, ids=ids, threads=threads, columns=chosen, progress=report),
    )
    for note in edges.notes:
        terminal.tell(f"note: {note}")
    return edges


def read_graph(file: str, format_: str | None, ids: str, columns: str | None, threads: int | None) -> Graph:
    from landbridge.graph import Graph

    edges = read_edges(file, format_, ids, columns, threads)
    return terminal.work("building the graph", lambda _: Graph(edges, threads=threads))


def _labels_of(graph: Graph, path: str) -> np.ndarray[Any, Any]:
    """The labels of a file in the order of the graph's vertices."""
    names = graph.ids is not None and graph.ids.dtype == object
    labels, vertices = output.read_labels(path, names)
    if vertices is None:
        return labels
    known = np.arange(graph.num_vertices) if graph.ids is None else np.asarray(graph.ids)
    if len(vertices) != len(known):
        raise CheckFailed(f"{path} has labels of {len(vertices)} vertices, the graph has {len(known)}")
    order, places = np.argsort(vertices, kind="stable"), np.argsort(known, kind="stable")
    wrong = np.flatnonzero(vertices[order] != known[places])
    if len(wrong):
        raise CheckFailed(f"{path} has no label of vertex {known[places[wrong[0]]]}, or two of another")
    found = np.empty_like(labels)
    found[places] = labels[order]
    return found


def _version(package: str) -> str | None:
    return metadata.version(package) if util.find_spec(package) is not None else None


def print_json(answer: Any) -> None:
    terminal.result(json.dumps(answer))


def run_fields(found: Any, file: str, elapsed: float, read: float, out: str | None) -> dict[str, Any]:
    """What the answer of every command says that runs a plan on a file; found: its result."""
    return {
        "plan": found.plan,
        "device": found.device,
        "seconds": elapsed,
        "read_seconds": read,
        "threads": found.profile.threads,
        "file": file,
        "output": out,
    }


def print_answer(answer: dict[str, Any], rows: dict[str, str], what: str, as_json: bool) -> None:
    """The answer of a run: as JSON, or as rows for people with the file where `what` was written to, if it was."""
    if as_json:
        print_json(answer)
        return
    out = answer["output"]
    terminal.pairs(answer["file"], rows | ({what: out} if out is not None else {}))


def print_rows(items: Iterable[object], as_json: bool, shown: tuple[str, ...]) -> None:
    """The named attributes of each item: a table on a terminal, tabs in a pipe, or JSON objects."""
    rows = [{key: str(getattr(item, key)) for key in shown} for item in items]
    if as_json:
        print_json(rows)
    elif terminal.for_people():
        table = Table(*shown, box=None, pad_edge=False, header_style="cyan")
        for row in rows:
            table.add_row(*(Text(row[key]) for key in shown))
        terminal.rich_result(table)
    else:
        terminal.result("\n".join("\t".join(row[key] for key in shown) for row in rows))

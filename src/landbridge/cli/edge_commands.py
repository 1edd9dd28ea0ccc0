"""The commands that make and convert files of edges."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.app import Json, Quiet, Reading, Threads, app, reads_edges
from landbridge.cli.commands import print_json, print_rows
from landbridge.errors import InputError

if TYPE_CHECKING:
    from landbridge.edges.forms import Edges
    from landbridge.edges.generators import Generator


@app.command()
def generate(
    *,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="A generator, such as 'rmat(20,seed=1)'.")] = None,
    out: Annotated[str | None, typer.Option("-o", "--output", help="The file of edges to write, or -.")] = None,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Its format; by its ending.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="In place of the text's seed.")] = None,
    threads: Threads = None,
    quiet: Quiet = False,
    listing: Annotated[bool, typer.Option("--list", help="List the generators.")] = False,
    as_json: Json = False,
) -> None:
    """Make a graph from a few numbers and write its edges."""
    from landbridge.edges import generators

    terminal.be_quiet(quiet)
    if listing:
        print_rows([_Usage(g) for g in generators.GENERATORS.values()], as_json, ("usage", "summary", "source"))
        return
    if text is None:
        raise InputError("a generator is needed, such as 'rmat(20,seed=1)'; --list shows them")
    if out is None:
        raise InputError("a file to write is needed: -o FILE")
    out, output_format = _check_edge_target(out, output_format, as_json)
    started = time.perf_counter()
    edges: Edges = terminal.work(f"making {text}", lambda _: generators.generate(text, seed=seed, threads=threads))
    elapsed = time.perf_counter() - started
    _write_edges(out, output_format, edges, as_json, {"generator": generators.canonical(text), "seconds": elapsed})


@app.command()
@reads_edges
def convert(
    reading: Reading,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file of edges to write, or -.")],
    *,
    output_format: Annotated[str | None, typer.Option("--output-format", help="Its format; by its ending.")] = None,
    as_json: Json = False,
) -> None:
    """Read files of edges and write them as one, in another format."""
    from landbridge.cli.reading import kind_of, read_edges
    from landbridge.edges.forms import EdgeList

    out, output_format = _check_edge_target(out, output_format, as_json, reading.files)
    started = time.perf_counter()
    edges = read_edges(reading)
    more = {"ids": kind_of(edges), **reading.fields, "seconds": time.perf_counter() - started}
    if reading.num_vertices is not None and isinstance(edges, EdgeList) and edges.ids is None:
        edges = replace(edges, num_vertices=reading.num_vertices)
    _write_edges(out, output_format, edges, as_json, more)


def _check_edge_target(
    out: str, output_format: str | None, as_json: bool, sources: Sequence[str] = ()
) -> tuple[str, str | None]:
    """Where the edges go and in which format, if they can."""
    from landbridge.edges import files

    out = output.check_target(out, sources)
    output_format = output.edge_format(out, output_format)
    files.check_target(out, output_format)
    if out == output.STANDARD and as_json:
        raise InputError("--json and - both want stdout; write the edges to a file")
    return out, output_format


def _write_edges(out: str, output_format: str | None, edges: Edges, as_json: bool, more: Mapping[str, Any]) -> None:
    from landbridge.edges import files
    from landbridge.edges.forms import EdgeList

    def write() -> tuple[str, ...]:
        with output.replacing(out) as beside, beside.open("wb") as stream:
            return files.write_stream(edges, stream, out, output_format)

    notes = terminal.work(f"writing {out}", lambda _: write())
    terminal.notes(notes)
    if out == output.STANDARD:
        return
    if isinstance(edges, EdgeList):
        count, vertices = len(edges.u), edges.num_vertices
    else:
        count, vertices = len(edges.neighbors), len(edges.offsets) - 1
    answer = {**more, "output": out, "vertices": vertices, "edges": count, "notes": [*edges.notes, *notes]}
    if as_json:
        print_json(answer)
        return
    of = "" if vertices is None else f" of {terminal.count(vertices)} vertices"
    terminal.result(f"{out}: {terminal.count(count)} edges{of}")


class _Usage:
    """A generator as the list shows it."""

    def __init__(self, generator: Generator) -> None:
        parameters = [
            p.name if p.required else f"{p.name}={'...' if p.default is None else p.default}"
            for p in generator.parameters
        ]
        self.usage = f"{generator.name}({', '.join([*parameters, 'seed=0'])})"
        self.summary = generator.summary.replace("``", "")
        self.source = generator.source

"""The commands that generate and convert files of edges."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from landbridge.cli import terminal
from landbridge.cli.answers import print_rows
from landbridge.cli.app import Json, Quiet, Reading, Threads, app, reads_edges
from landbridge.errors import InputError

if TYPE_CHECKING:
    from landbridge.edges.generators import Generator


@app.command()
def generate(
    *,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="A generator, such as 'rmat(20,seed=1)'.")] = None,
    out: Annotated[str | None, typer.Option("-o", "--output", help="The file of edges to write, or -.")] = None,
    output_format: Annotated[
        str | None,
        typer.Option("--output-format", help="Its format, or an ending such as csv; by default its own ending."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="In place of the text's seed.")] = None,
    threads: Threads = None,
    quiet: Quiet = False,
    listing: Annotated[bool, typer.Option("--list", help="List the generators.")] = False,
    as_json: Json = False,
) -> None:
    """Make a graph from a few numbers and write its edges."""
    from landbridge.cli import edge_files  # on demand: --help and completion load no NumPy
    from landbridge.edges import generators

    terminal.be_quiet(quiet)
    if listing:
        others = {"-o": out, "--output-format": output_format, "--seed": seed, "a generator": text}
        idle = next((option for option, value in others.items() if value is not None), None)
        if idle is not None:
            raise InputError(f"{idle} would have no effect: --list prints the generators, and makes no graph")
        print_rows([_Usage(g) for g in generators.GENERATORS.values()], as_json, ("usage", "summary", "source"))
        return
    if text is None:
        raise InputError("a generator is needed, such as 'rmat(20,seed=1)'; --list shows them")
    if out is None:
        raise InputError("a file to write is needed: -o FILE")
    out, output_format = edge_files.check_target(out, output_format, as_json)
    started = time.perf_counter()
    edges = terminal.work(f"making {text}", lambda _: generators.generate(text, seed=seed, threads=threads))
    fields = {"generator": generators.canonical(text), "seconds": time.perf_counter() - started}
    edge_files.write_answer(out, output_format, edges, as_json, fields)


@app.command()
@reads_edges
def convert(
    reading: Reading,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file of edges to write, or -.")],
    *,
    output_format: Annotated[
        str | None,
        typer.Option("--output-format", help="Its format, or an ending such as csv; by default its own ending."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read files of edges and write them as one, in another format."""
    from landbridge.cli import edge_files  # on demand: --help and completion load no NumPy
    from landbridge.edges.forms import EdgeList

    out, output_format = edge_files.check_target(out, output_format, as_json, reading.files)
    started = time.perf_counter()
    edges = edge_files.read_edges(reading)
    edge_files.refuse_gaps(out, output_format, edges, reading)
    fields = {"ids": edge_files.kind_of(edges), **reading.fields, "seconds": time.perf_counter() - started}
    if reading.num_vertices is not None and isinstance(edges, EdgeList) and edges.ids is None:
        edges = replace(edges, num_vertices=reading.num_vertices)
    edge_files.write_answer(out, output_format, edges, as_json, fields)


class _Usage:
    """A generator as a row of the list."""

    def __init__(self, generator: Generator) -> None:
        parameters = [
            p.name if p.required else f"{p.name}={'...' if p.default is None else p.default}"
            for p in generator.parameters
        ]
        self.usage = f"{generator.name}({', '.join([*parameters, 'seed=0'])})"
        self.summary = generator.summary.replace("``", "")
        self.source = generator.source

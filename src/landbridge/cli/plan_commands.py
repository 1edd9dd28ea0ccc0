"""The commands that list plans and explain a choice."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from landbridge.cli import terminal
from landbridge.cli.answers import print_json, print_rows
from landbridge.cli.app import Device, Devices, Json, PlanText, Reading, app, devices_of, reads_edges
from landbridge.errors import InputError


def _problems() -> list[str]:
    """The names of the problems, for completion."""
    from landbridge.problems import PROBLEMS  # on demand: --help loads no NumPy

    return list(PROBLEMS)


def _engines() -> list[str]:
    """The names of the engines, for completion."""
    from landbridge.plan.engines import ENGINES  # on demand: likewise

    return list(ENGINES)


@app.command()
def plans(
    *,
    problem: Annotated[
        str,
        typer.Option("--problem", help="What they solve; a wrong word lists the problems.", autocompletion=_problems),
    ] = "components",
    engine: Annotated[str | None, typer.Option("--engine", help="Only this engine's.", autocompletion=_engines)] = None,
    layout: Annotated[str | None, typer.Option("--layout", help="csr or coo.")] = None,
    extended: Annotated[bool, typer.Option("--extended", help="Also those outside the published list.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the single rules instead.")] = False,
    aliases: Annotated[bool, typer.Option("--aliases", help="List the names of historic systems instead.")] = False,
    as_json: Json = False,
) -> None:
    """List every valid plan in its canonical text, one per line."""
    from landbridge.plan import ALIASES, registry  # on demand: --help and completion load no NumPy
    from landbridge.problems import enumerate_plans

    listing = "--rules" if rules else "--aliases" if aliases else ""
    if rules and aliases:
        raise InputError("--rules and --aliases print a list each; one command prints one")
    others = {
        "--problem": problem != "components", "--engine": engine is not None, "--layout": layout is not None,
        "--extended": extended,
    }  # fmt: skip
    idle = next((option for option, is_set in others.items() if is_set), None) if listing else None
    if idle is not None:
        raise InputError(f"{idle} would have no effect: it is about the list of plans, and {listing} prints another")
    if rules:
        print_rows(registry().policies(), as_json, ("axis", "name", "code", "summary", "reference"))
    elif aliases:
        print_rows(ALIASES.values(), as_json, ("name", "plan", "source", "deviation"))
    else:
        texts = enumerate_plans(problem, engine=engine, layout=layout, extended=extended)
        if not texts:
            narrowed = {"--engine": engine, "--layout": layout}
            which = " ".join(f"{option} {value}" for option, value in narrowed.items() if value is not None)
            raise InputError(f"there is no plan of {problem} with {which}")
        terminal.result(json.dumps(texts) if as_json else "\n".join(texts))


@app.command()
@reads_edges
def explain(
    reading: Reading,
    *,
    plan: PlanText = "auto",
    device: Device = "auto",
    devices: Devices = None,
    as_json: Json = False,
) -> None:
    """Show which plan would be used for a graph, and why; with --plan, what that plan's work is at worst."""
    import landbridge as lib  # on demand: --help and completion load no NumPy
    from landbridge.cli.edge_files import read_edges
    from landbridge.cli.graphs import graph_of

    graph = graph_of(read_edges(reading), reading)
    reason = terminal.work(
        "looking at the graph",
        lambda _: lib.explain(graph, plan=plan, device=device, devices=devices_of(devices), threads=reading.threads),
    )
    if as_json:
        print_json({**reading.fields, **asdict(reason), "notes": list(graph.notes)})
        return
    terminal.result(str(reason))

"""The program itself: its version, its surroundings, and a demonstration."""

from __future__ import annotations

import platform
from contextlib import suppress
from typing import Annotated, Any

import typer

from landbridge import __version__
from landbridge.cli import output, terminal
from landbridge.cli.answers import print_json
from landbridge.cli.app import Json, Quiet, Threads, app
from landbridge.errors import InputError


@app.callback(invoke_without_command=True)
def landbridge(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Connected components of large graphs. Results go to stdout, messages to stderr; - is either one."""
    terminal.be_quiet(False)
    if version:
        terminal.result(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        terminal.result(context.get_help())
        raise typer.Exit


@app.command()
def info(as_json: Json = False) -> None:
    """Show versions, processors, file formats and optional packages."""
    import numpy as np

    from landbridge import _core  # on demand, as those below: --help and completion load no NumPy
    from landbridge.device import jit
    from landbridge.edges import files
    from landbridge.engine.resolve import engine_of
    from landbridge.plan import ENGINES

    optional = {name: _version(name) for name in ("pyarrow", "zstandard", "scipy", "networkx", "cupy")}
    answer: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "threads": int(_core.available_threads()),
        "devices": [place for name in ENGINES for place in engine_of(name, present=False).places()],
        "kernels": f"{len(jit.cached_files())} files in {jit.cache_folder()}",
        "formats": list(files.FORMATS),
        "packages": optional,
    }
    if as_json:
        print_json(answer)
        return
    packages = ", ".join(f"{name} {version}" for name, version in optional.items() if version is not None)
    rows = {**{key: value for key, value in answer.items() if key != "packages"}, "packages": packages or "none"}
    terminal.pairs(
        "landbridge", {key: ", ".join(value) if isinstance(value, list) else str(value) for key, value in rows.items()}
    )


def _version(package: str) -> str | None:
    """The version of a package; None if it is not installed. Distributions may have other names, as CuPy's have."""
    from importlib import metadata, util  # on demand: slow to load

    if util.find_spec(package) is None:
        return None
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    for name in metadata.packages_distributions().get(package, []):
        with suppress(metadata.PackageNotFoundError):
            return f"{metadata.version(name)} ({name})"
    return "unknown"


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
    from landbridge.cli.demo import DEFAULT_GRAPH, show  # on demand: --help and completion load no NumPy

    terminal.be_quiet(quiet)
    target = output.check_target(out)
    if target == output.STANDARD and as_json:
        raise InputError("--json and -o - both write to stdout; write the picture to a file")
    show(graph or DEFAULT_GRAPH, target, threads, as_json)

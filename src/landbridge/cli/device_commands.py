"""Commands for the compiled kernels of the GPU engine."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from landbridge.cli import terminal
from landbridge.cli.answers import print_json
from landbridge.cli.app import Json, app


class Action(StrEnum):
    """What to do with the cache."""

    clear = "clear"
    warm = "warm"


@app.command()
def cache(
    action: Annotated[Action, typer.Argument(help="clear: delete compiled kernels. warm: compile the usual ones now.")],
    as_json: Json = False,
) -> None:
    """Delete the compiled GPU kernels, or compile those of the default plans before they are needed."""
    from landbridge.device import jit  # on demand, as those below: --help and completion load no NumPy

    started = time.perf_counter()
    if action is Action.clear:
        changed = jit.clear_cache()
    else:
        from landbridge.device import cuda
        from landbridge.engine.gpu.warm import warm

        before = len(jit.cached_files())
        terminal.work("compiling kernels", lambda _: warm(cuda.current()))
        changed = len(jit.cached_files()) - before
    answer: dict[str, Any] = {
        "folder": str(jit.cache_folder()),
        "removed" if action is Action.clear else "compiled": changed,
        "seconds": time.perf_counter() - started,
    }
    if as_json:
        print_json(answer)
        return
    terminal.pairs("kernel cache", {key: str(value) for key, value in answer.items() if key != "seconds"})

"""The command that prints what a shell needs to complete commands and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from landbridge.cli import terminal
from landbridge.cli.app import app


class Shell(StrEnum):
    """A shell that completes."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


@app.command()
def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print what a shell needs to complete commands and options; its start-up file takes it.

    eval "$(landbridge completion bash)"
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined] # not in its __all__, for years

    script = get_completion_script(prog_name="landbridge", complete_var="_LANDBRIDGE_COMPLETE", shell=shell.value)
    terminal.result(script)

"""The command line. The only part of the package that uses typer and rich; both load when it is called."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command (``sys.argv`` by default) and returns its exit code.

    0: done. 1: an answer was checked and is wrong. 2: the user's error, told in one line. 130: interrupted.
    141: the reader of a pipe has gone.
    """
    from landbridge.cli.run import run

    return run(arguments)

"""The command line. The only part of the package that uses typer and rich; both load when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command (``sys.argv`` by default) and returns its exit code.

    0: done. 1: an answer was checked and is wrong. 2: the user's error, told in one line. 130: interrupted.
    141: the reader of a pipe has gone.
    """
    if (sys.argv[1:] if arguments is None else list(arguments)) == ["--version"] and sys.stdout is not None:
        # Nothing has to be loaded for this answer; what goes wrong is told as for any other.
        from landbridge import __version__

        with suppress(OSError, ValueError):
            print(__version__, flush=True)
            return 0
    from landbridge.cli.run import run

    return run(arguments)


def command() -> NoReturn:
    """The program ``landbridge``: `main`, and then the end of the process, at once.

    All files are closed by then. What an interpreter takes down at its end are libraries that a command has loaded,
    such as pyarrow and CuPy with threads of their own; that takes up to seconds on a busy machine, and a thread that
    does not end there would keep a process alive whose work is done.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # main has told of it
                stream.flush()
    os._exit(code)

"""The command line. The only part of the package that uses typer and rich; both load when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from landbridge import _early


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command (``sys.argv`` by default) and returns its exit code.

    0: success. 1: an answer is wrong, or a journal is damaged. 2: no answer, and one line says why: a mistake in the
    input or the arguments, a file that cannot be read or written, too little memory. 124: the seconds of --timeout are
    over. 130: Ctrl-C. 143: SIGTERM. 141: the reader of standard output has ended.
    """
    if (sys.argv[1:] if arguments is None else list(arguments)) == ["--version"] and sys.stdout is not None:
        # This answer needs no command; a failure is reported as for any other.
        from landbridge import __version__

        with suppress(OSError, ValueError):
            print(__version__, flush=True)
            return 0
    from landbridge.cli.run import run  # on demand: it loads typer

    return run(arguments)


def command() -> NoReturn:
    """The program ``landbridge``: `main`, and then the end of the process, at once.

    All files are closed by then. Shutting down the interpreter, with libraries such as pyarrow and CuPy and their
    threads, takes up to seconds on a busy machine, and a thread that does not end would keep the process running.
    """
    try:
        code = main()
    except KeyboardInterrupt:  # a second one, while the first was reported
        code = _early.INTERRUPTED
    _early.interrupts_end_the_command()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # main has reported it
                stream.flush()
    os._exit(code)

"""What happens before anything is imported: Ctrl-C while the command line loads ends it without a traceback.

`_signal` is a part of the interpreter; the module `signal` around it takes milliseconds to load, and a Ctrl-C in these
would be a traceback. What remains is the interpreter's own start, and the modules that an installer's script imports
before this package.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found] # the built-in module
import sys

INTERRUPTED = 130
"""The exit code."""


def interrupts_end_the_command() -> None:
    """While the command's modules load, and after its answer, Ctrl-C ends the process at once, as it ends one that has
    no handler.

    Does nothing in a program that uses landbridge as a library, in a thread, or where Ctrl-C is ignored.
    """
    # While `python -m` looks for a module, the program's name is "-m".
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    words = getattr(sys, "orig_argv", [])
    module = words.index("-m") + 1 if script == "-m" and "-m" in words else len(words)
    ours = words[module : module + 1] == ["landbridge"] or script.rpartition("/")[2] == "landbridge"
    if ours and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _set(_signal.SIG_DFL)


def interrupts_raise() -> None:
    """From here on Ctrl-C is an exception, and its answer an exit code; undoes `interrupts_end_the_command`."""
    if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
        _set(_signal.default_int_handler)


def _set(handler: object) -> None:
    try:
        _signal.signal(_signal.SIGINT, handler)
    except ValueError:  # only the main thread sets handlers
        return


interrupts_end_the_command()

"""What happens before anything is imported: Ctrl-C while the command line loads ends it without a traceback."""

from __future__ import annotations

import signal
import sys
import threading


def interrupts_end_the_command() -> None:
    """While the command's modules load, Ctrl-C ends the process at once, as it ends one that has no handler.

    Does nothing in a program that uses landbridge as a library, in a thread, or where Ctrl-C is ignored.
    """
    words = getattr(sys, "orig_argv", [])
    module = words.index("-m") + 1 if "-m" in words else len(words)
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    ours = words[module : module + 1] == ["landbridge"] or script.rpartition("/")[2] == "landbridge"
    main_thread = threading.current_thread() is threading.main_thread()
    if ours and main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupts_raise() -> None:
    """From here on Ctrl-C is an exception, and its answer an exit code; undoes `interrupts_end_the_command`."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


interrupts_end_the_command()

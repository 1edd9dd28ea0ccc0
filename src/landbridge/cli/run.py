"""From arguments to exit code: every error becomes one line on stderr, and nothing unfinished is left."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any

import typer

from landbridge import _early
from landbridge.cli import (
    completion_command,  # noqa: F401 - it adds its command to the app
    component_commands,  # noqa: F401 - likewise
    device_commands,  # noqa: F401 - likewise
    edge_commands,  # noqa: F401 - likewise
    forest_commands,  # noqa: F401 - likewise
    info_commands,  # noqa: F401 - likewise
    journal_command,  # noqa: F401 - likewise
    output,
    plan_commands,  # noqa: F401 - likewise
    rank_command,  # noqa: F401 - likewise
    terminal,
    why_command,  # noqa: F401 - likewise
)
from landbridge.cli.app import app
from landbridge.edges.spelling import as_on_command_line
from landbridge.errors import CheckFailed, LandbridgeError, TimeLimitExceeded

REFUSED, USER_ERROR, TIMED_OUT, PIPE_CLOSED, TERMINATED = 1, 2, 124, 141, 143
INTERRUPTED = _early.INTERRUPTED

# typer brings its own click or uses the installed one, depending on its age; its errors name the base class.
ClickException: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


class Terminated(BaseException):
    """SIGTERM was received."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; see ``landbridge.cli.main``."""
    restore = _terminate_cleanly()
    try:
        _hold_standard_streams()
        with as_on_command_line():
            code = _call(arguments)
    finally:
        if restore is not None:
            signal.signal(signal.SIGTERM, restore)
    if terminal.working():
        # The worker thread is inside compiled code, which only the end of the process can stop.
        output.abandon()
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)
    return code


def _call(arguments: Sequence[str] | None) -> int:
    try:
        _early.interrupts_raise()
        result = app(args=arguments, prog_name="landbridge", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if result == INTERRUPTED:  # typer's answer to a Ctrl-C outside of the waiting for a task
            return _fail(_while("interrupted"), INTERRUPTED)
        return result if isinstance(result, int) else 0
    except (terminal.Interrupted, KeyboardInterrupt, typer.Abort):
        return _fail(_while("interrupted"), INTERRUPTED)
    except Terminated:
        return _fail(_while("terminated"), TERMINATED)
    except output.PipeClosed:
        output.discard_stdout()
        return PIPE_CLOSED
    except CheckFailed as error:
        return _fail(str(error), REFUSED)
    except TimeLimitExceeded as error:
        return _fail(str(error), TIMED_OUT)
    except LandbridgeError as error:
        return _fail(str(error), USER_ERROR)
    except ClickException as error:
        return _fail(_usage_problem(error), USER_ERROR)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(where + (error.strerror or str(error)), USER_ERROR)
    except MemoryError as error:
        return _fail(str(error) or "not enough memory", USER_ERROR)
    except Exception as error:
        # An optional library failed on an input. One line names the task; the traceback is printed on request.
        if os.environ.get("LANDBRIDGE_TRACEBACK"):
            raise
        where = f"{terminal.doing()}: " if terminal.doing() else "unexpected "
        reason = f": {error}" if str(error) else ""
        return _fail(f"{where}{type(error).__name__}{reason} (LANDBRIDGE_TRACEBACK=1 shows more)", USER_ERROR)


def _usage_problem(error: Any) -> str:
    """What is wrong with a command's words; where one is missing, with those that it takes: of ``why FILE U`` the file
    may be any of them."""
    problem: str = error.format_message().rstrip(".").replace(": Value error, ", ": ")
    if type(error).__name__ == "MissingParameter" and error.ctx is not None:
        words = re.sub("[{}]", "", " ".join(error.ctx.command.collect_usage_pieces(error.ctx)))
        return f"{problem} ({error.ctx.command_path} {words})"
    return problem


def _while(what: str) -> str:
    return f"{what} {terminal.when()}".rstrip()


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    terminal.message(f"landbridge: {line[:1].lower() + line[1:] if line[1:2].islower() else line}")
    return code


def _hold_standard_streams() -> None:
    """Open the null device for standard streams that are closed: the first file opened would get a free descriptor, and
    output for stdout would be written into that file."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


def _terminate_cleanly() -> Any:
    """SIGTERM becomes an exception, so that unfinished files are removed and the terminal is left in order."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, stop)

"""Messages and progress on stderr, results on stdout, never mixed."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from landbridge.cli.output import to_stdout
from landbridge.errors import InputError, TimeLimitExceeded, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

PATIENCE = 1.0
"""Seconds before a progress line appears."""

T = TypeVar("T")
_workers: set[threading.Thread] = set()
_quiet = False
_LAST_STEP = 0.1
"""Seconds in which a task that a signal meets may end: a file that has its name is written."""
_doing = ""
_is_done = False


def doing() -> str:
    """The last task that was started, in words."""
    return _doing


def when() -> str:
    """When it is, in words for what ends the command: while the last task runs, or after it; "" before the first."""
    return f"{'after' if _is_done else 'while'} {_doing}" if _doing else ""


def be_quiet(quiet: bool) -> None:
    """Whether notes and progress are left out from now on."""
    global _quiet  # noqa: PLW0603 - one terminal
    _quiet = quiet


def quiet() -> bool:
    """Whether notes and progress are left out."""
    return _quiet


def notes(lines: Iterable[str]) -> None:
    """Remarks about an answer, on stderr."""
    for line in [] if _quiet else lines:
        message(f"note: {line}")


def message(line: str) -> None:
    """One line on stderr: a note, a warning, an error. A closed stderr is no reason to fail."""
    if sys.stderr is None:  # print would take stdout instead
        return
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except (BrokenPipeError, ValueError):
        return


def result(text: str) -> None:
    """A result on stdout."""
    with to_stdout() as out:
        out.write((text if text.endswith("\n") else text + "\n").encode(sys.stdout.encoding, "replace"))


def rich_result(renderable: RenderableType) -> None:
    """A result on stdout in colour; only for a terminal."""
    from rich.console import Console

    page = io.StringIO()
    Console(file=page, force_terminal=True, width=Console().width).print(renderable)
    result(page.getvalue())


def for_people() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def pairs(title: str, rows: Mapping[str, str]) -> None:
    """Named values on stdout: a table on a terminal, ``name: value`` lines in a pipe."""
    if not for_people():
        result("\n".join(f"{name}: {printable(value)}" for name, value in rows.items()))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(printable(title), style="bold"), title_justify="left", show_header=False, box=None, pad_edge=False
    )
    table.add_column(style="cyan")
    table.add_column()
    for name, value in rows.items():
        table.add_row(name, Text(printable(value)))
    rich_result(table)


class Interrupted(Exception):
    """Ctrl-C during a task. Not a KeyboardInterrupt, which typer would report."""


class Report:
    """The progress of a task, written by the task and read by the terminal."""

    def __init__(self) -> None:
        self.done = 0
        self.total: int | None = None

    def __call__(self, done: int, total: int | None) -> None:
        self.done, self.total = done, total


def work(what: str, task: Callable[[Report], T]) -> T:
    """Run a task with progress once it takes a second, and with Ctrl-C at any time.

    The task runs in a thread of its own, because compiled code does not check for signals; the main thread stays free
    to show progress and to stop.

    Parameters
    ----------
    what : str
        The task in words.
    task : callable
        Called with the `Report` of its progress.

    Raises
    ------
    Interrupted
        For Ctrl-C.
    TimeLimitExceeded
        Where the time of `limit` is over.
    BaseException
        Those of the task; an EOFError becomes an InputError, since typer takes it for the end of typing.
    """
    global _doing, _is_done  # noqa: PLW0603 - one task at a time
    _doing, _is_done = what, False
    answer: list[T] = []
    problem: list[BaseException] = []
    done = threading.Event()
    report = Report()

    def body() -> None:
        try:
            answer.append(task(report))
        except BaseException as error:  # passed to the waiting thread, whatever it is
            problem.append(error)
        finally:
            done.set()

    def is_done(seconds: float) -> bool:
        return done.wait(seconds) and not problem

    worker = threading.Thread(target=body, name=what, daemon=True)
    _workers.add(worker)
    try:
        worker.start()
        if _quiet or sys.stderr is None or not sys.stderr.isatty():
            done.wait(_time_left())
        elif not done.wait(_time_left(PATIENCE)):
            _show(what, done, report)
        if _limit is not None and not done.is_set():
            raise TimeLimitExceeded(f"{what}: not done after {_limit[1]:g} s, the --timeout")
        worker.join()
    except BaseException as error:
        _is_done = not isinstance(error, Exception) and is_done(_LAST_STEP)  # Ctrl-C or SIGTERM
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted from None
        raise
    _is_done = is_done(0)
    _workers.discard(worker)
    if problem and isinstance(problem[0], EOFError):
        raise InputError(f"{what}: EOFError: {problem[0] or 'it ends before it is complete'}") from problem[0]
    if problem:
        raise problem[0]
    return answer[0]


_limit: tuple[float, float] | None = None
"""When the command has to end, on the monotonic clock, and the seconds that it was given; None for no limit."""


def limit(seconds: float | None) -> None:
    """From now on tasks of this command have so much time together; infinity is no limit."""
    global _limit  # noqa: PLW0603 - of the process
    if seconds is not None and not seconds > 0:
        raise InputError(f"--timeout is a number of seconds above 0, not {seconds:g}")
    _limit = None if seconds is None else (time.monotonic() + seconds, seconds)


def _time_left(most: float | None = None) -> float | None:
    """Seconds to wait: until the limit, but no longer than `most`; None for any time."""
    if _limit is None:
        return most
    left = min(max(0.0, _limit[0] - time.monotonic()), threading.TIMEOUT_MAX)
    return left if most is None else min(left, most)


def working() -> bool:
    """Whether a task is still running, which happens only after an interrupt."""
    return any(worker.is_alive() for worker in _workers)


def _show(what: str, done: threading.Event, report: Report) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        while not done.wait(_time_left(0.1)) and _time_left() != 0:
            progress.update(task, completed=report.done, total=report.total)


def count(value: int) -> str:
    """A number with thousands apart on a terminal, plain digits in a pipe."""
    return f"{value:,}" if for_people() else str(value)


def seconds(value: float) -> str:
    """A duration with three significant digits."""
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def rate(items: int, elapsed: float) -> str:
    """Items in a second, in millions."""
    return f"{items / elapsed / 1e6:,.1f} million edges/s" if elapsed > 0 else "-"

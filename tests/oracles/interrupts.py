"""Calls of streams cut short: by a signal between two lines, or behind a call of the core."""

from __future__ import annotations

import linecache
import signal
import sys
from collections.abc import Callable
from typing import Any

from landbridge import Incremental
from landbridge.edges import numbering
from landbridge.streams import files, form, ids, incremental, journal, operands, replay

SOURCES = tuple(module.__file__ for module in (files, form, ids, journal, operands, replay, incremental, numbering))


def cut_short(call: Callable[[], object], step: int) -> bool:
    """Interrupt a call before its line number `step`, counted as they run; False if it ended before."""
    # The line of a `with` comes again where its block ends, between the block and its exit: no signal raises there.
    left, before = step, sys.gettrace()

    def in_frame(frame: Any, event: str, argument: object) -> Any:
        nonlocal left
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip()
        counts = event == "line" and not line.startswith("with ")
        left -= counts
        if counts and left == 0:
            raise KeyboardInterrupt
        return in_frame

    def enter(frame: Any, event: str, argument: object) -> Any:
        # A file may be closed as the last reference goes: what is raised then is reported, and goes no further.
        closing = frame.f_code.co_qualname == "File.close"
        return in_frame if frame.f_code.co_filename in SOURCES and not closing else None

    sys.settrace(enter)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def before_any_line(
    stream: Incremental, call: Callable[[Incremental], object], reopened: Callable[[Incremental], Incremental]
) -> tuple[Incremental, bool]:
    """Interrupt a call of a stream before each of its lines in turn, and open the stream again, until none is left.

    Returns the stream, and whether any interrupt came behind the insert.
    """
    moved = step = 0
    while True:
        step += 1
        if step % 40 == 0:  # so that the journal stays short
            stream.compact()
        before = stream.position
        cut = cut_short(lambda s=stream: call(s), step)  # type: ignore[misc]
        moved += cut and stream.position != before
        stream = reopened(stream)
        if not cut:
            break
    assert step > 40
    return stream, moved > 0


class Interrupted:
    """Trees whose calls are followed by a signal, as one that comes while they run is."""

    def __init__(self, trees: Any) -> None:
        self._trees = trees

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._trees, name)
        if name not in ("insert", "apply", "insert_at"):
            return method

        def call(*arguments: Any) -> Any:
            result = method(*arguments)
            signal.raise_signal(signal.SIGINT)
            return result

        return call

"""``progress=True``: a bar in a terminal or a notebook, by tqdm where that is installed."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from landbridge.errors import InputError

Progress = Callable[[int, int | None], None]
P = ParamSpec("P")
R = TypeVar("R")


class _Bar:
    """A bar of tqdm, which is a widget in a notebook and a line in a terminal."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._bar, self._done = tqdm, None, 0

    def __call__(self, done: int, total: int | None) -> None:
        if self._bar is None:
            unit = "edges" if total is None else "B"
            self._bar = self._tqdm(total=total, unit=unit, unit_scale=True, unit_divisor=1024 if total else 1000)
        bar: Any = self._bar
        bar.total = total
        bar.update(done - self._done)
        self._done = done

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Line:
    """A line on stderr that is written again, ten times a second at most; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._next, self._written = 0.0, False
        self._terminal = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if not self._terminal or (now < self._next and done != total):
            return
        self._next, self._written = now + 0.1, True
        text = f"{done / total:6.1%} of {total:,} bytes" if total else f"{done:,} edges"
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        if self._written:
            sys.stderr.write("\n")


@contextmanager
def reporter(progress: Progress | bool | np.bool_ | None) -> Iterator[Progress | None]:
    """What a call reports its progress to, for True a bar that ends with the call. InputError for anything else."""
    if not isinstance(progress, bool | np.bool_ | None):
        if not callable(progress):
            raise InputError(f"progress must be True, False, None or a function of (done, total), not {progress!r}")
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        bar: Any = _Bar(importlib.import_module("tqdm.auto").tqdm)
    except ImportError:
        bar = _Line()
    try:
        yield bar
    finally:
        bar.close()


def with_progress(function: Callable[P, R]) -> Callable[P, R]:
    """Make a bar of ``progress=True`` while a function runs."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs.get("progress") is None:
            return function(*args, **kwargs)
        with reporter(kwargs["progress"]) as report:  # type: ignore[arg-type]
            return function(*args, **kwargs | {"progress": report})  # type: ignore[arg-type]

    return call

"""Limits of time: the mechanism by which Ctrl-C ends a call of the core ends one whose time is over."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from landbridge import _core
from landbridge._core import CoreTimeOver
from landbridge.errors import InputError, TimeLimitExceeded

P = ParamSpec("P")
R = TypeVar("R")

_FOREVER = 1e18
"""Seconds beyond any run; a whole number may be larger than any float."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of the calls of this package that a thread makes in a block.

    Parameters
    ----------
    seconds : float
        The time for the whole block; infinity is no limit. Blocks nest, and the earliest end counts.

    Returns
    -------
    context manager
        For a ``with`` statement.

    Raises
    ------
    TimeLimitExceeded
        Within about 0.1 s of the end of the time, from whichever call runs then; a call that begins later raises at
        once. What was called is not half done.
    InputError
        For a limit that is no number above 0.

    Notes
    -----
    This is the one mechanism for every function, class and method of the package; the argument `timeout` that some
    have is such a block around the call. Only the package's own code on CPU threads stops: not other libraries that
    read a file or convert a column for it, and not kernels on a GPU. A batch that a stream has begun to insert is
    inserted completely; on CPU threads a call with more than 2^20 operations is several batches (see `Incremental`).

    Examples
    --------
    >>> with landbridge.time_limit(10):
    ...     landbridge.components(([0, 1], [1, 2])).count
    1
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(f"a limit of time is a number of seconds above 0, not {seconds!r}")
    outer = _core.deadline()
    own = time.monotonic() + min(seconds, _FOREVER)
    try:
        _core.set_deadline(min(own, outer))
        yield
    except CoreTimeOver:
        if outer <= own:  # that of a block around this one
            raise
        raise TimeLimitExceeded(f"the call took longer than {seconds} s") from None
    finally:
        _core.set_deadline(outer)


def with_timeout(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function within `time_limit` of its argument `timeout`, if there is one."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        timeout = kwargs.get("timeout")
        if timeout is None:
            return function(*args, **kwargs)
        with time_limit(timeout):  # type: ignore[arg-type]
            return function(*args, **kwargs)

    return call

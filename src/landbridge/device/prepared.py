"""What a thread has prepared for calls to come, such as a launch with the memory in which it answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Prepared(Generic[P, R]):
    """Functions by key, each for the thread that made it and for one call at a time.

    A handler of a signal may come to the same call while its thread is in it: it finds no function and makes another,
    which is kept, too, as what it has queued may still be at work on the memory that it holds.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def call(self, key: Hashable, make: Callable[[], Callable[P, R]], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call this thread's function of a key, which is made if it is not there."""
        of_thread: dict[Any, list[Callable[P, R]]] = self._of_thread.__dict__
        functions = of_thread.setdefault(key, [])
        function = functions.pop() if functions else make()
        try:
            return function(*args, **kwargs)
        finally:
            functions.append(function)

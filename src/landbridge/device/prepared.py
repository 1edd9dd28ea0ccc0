"""What a thread has prepared for calls to come, such as a launch with the memory in which it answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Prepared(Generic[P, R]):
    """Functions by key, each for the thread that made it and for one call at a time.

    A handler of a signal may come to the same call while its thread is in it: it finds no function and makes another.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def call(self, key: Hashable, make: Callable[[], Callable[P, R]], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call this thread's function of a key, which is made if it is not there."""
        functions: dict[Any, Callable[P, R]] = self._of_thread.__dict__
        function = functions.pop(key, None) or make()
        try:
            return function(*args, **kwargs)
        finally:
            functions[key] = function

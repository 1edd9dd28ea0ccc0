"""Work of several processors side by side: the queue they take edges from, and a thread for each of them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from landbridge import _core

MOST_EDGES, LEAST_EDGES = 1 << 22, 1 << 14
"""Edges of a piece: what crosses an interconnect while the one before it is united; and what a thread pays for."""
MOST_ON_DEVICE = 1 << 26
"""The same of edges in the memory of a GPU: each piece is checked before it is inserted, and the answer read back."""
_TURNS = 8
"""Pieces for each processor, at least, where there are enough edges: the last one ends soon after the others."""


class Piece(NamedTuple):
    """Edges begin..end-1."""

    begin: int
    end: int


class Pieces:
    """The edges 0..edges-1 in pieces, which processors take from one queue. Any thread may call."""

    def __init__(self, edges: int, processors: int, size: int | None = None, most: int = MOST_EDGES) -> None:
        step = size or min(most, max(LEAST_EDGES, -(-edges // (_TURNS * processors))))
        self._queue = deque(Piece(begin, min(begin + step, edges)) for begin in range(0, edges, step))
        self._lock = threading.Lock()

    def take(self) -> Piece | None:
        """The next piece, None where there is none."""
        with self._lock:
            return self._queue.popleft() if self._queue else None

    def put(self, piece: Piece) -> None:
        """A piece that its processor had no memory for: another one takes it."""
        with self._lock:
            self._queue.appendleft(piece)

    def stop(self) -> None:
        """Nothing is left to take."""
        with self._lock:
            self._queue.clear()

    def __len__(self) -> int:
        return len(self._queue)


def together(tasks: Sequence[Callable[[], None]], stop: Callable[[], None] = lambda: None) -> None:
    """Run tasks side by side, each in a thread of its own, and wait for all of them.

    Once one has failed, or the caller is interrupted, `stop` is called, which should make the others end soon. Raises
    the error of the first task in the list that failed.
    """
    if len(tasks) == 1:
        tasks[0]()
        return
    problems: dict[int, BaseException] = {}
    deadline = _core.deadline()

    def run(place: int, task: Callable[[], None]) -> None:
        _core.set_deadline(deadline)
        try:
            task()
        except BaseException as error:  # raised by the caller, whatever it is
            problems[place] = error
            stop()

    threads = [
        threading.Thread(target=run, args=pair, name="landbridge-parts", daemon=True) for pair in enumerate(tasks)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    if problems:
        raise problems[min(problems)]

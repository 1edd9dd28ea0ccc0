"""Work of several processors side by side: the queue they take edges from, and a thread for each of them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from landbridge import _core

MOST_EDGES, LEAST_EDGES = 1 << 24, 1 << 14
"""Edges of a piece: what crosses an interconnect while the one before it is united; and what a thread pays for. The
program between two pieces runs in one thread of all processors at a time: with many links pieces must be large."""
_TURNS = 8
"""Pieces for each processor, at least, where there are enough edges: the last one ends soon after the others."""
MOST_ON_DEVICE, LEAST_ON_DEVICE, _TURNS_ON_DEVICE = 1 << 26, 1 << 18, 3
"""The same of edges in the memory of a GPU, where a launch takes no time unless pieces are small."""
_ALIGNED = 128
"""Pieces begin at multiples of so many edges: GPUs read several at once."""


class Batch(NamedTuple):
    """The edges (u[i], v[i]); edge i is operation first + i, or at[i].

    holder: the processor in whose memory they are, by its place in a list; None where none is nearer than the others.
    ready: the CUDA event behind which arrays on a GPU may be read. number: which of several batches it is.
    """

    u: Any
    v: Any
    first: int = 0
    at: Any = None
    holder: int | None = None
    ready: Any = None
    number: int = 0


class Piece(NamedTuple):
    """The edges begin..end-1 of a batch."""

    batch: Batch
    begin: int
    end: int

    @property
    def edges(self) -> tuple[Any, Any]:
        """The endpoints."""
        return self.batch.u[self.begin : self.end], self.batch.v[self.begin : self.end]


class Pieces:
    """The edges of batches in pieces, which processors take. Any thread may call.

    A processor takes those in its own memory first, then those that no processor holds, then the last ones of the
    processor that has most left.
    """

    def __init__(
        self, batches: Sequence[Batch], processors: int, size: int | None = None, *, resident: bool = False
    ) -> None:
        """size: edges of a piece. resident: whether edges are on GPUs."""
        edges = sum(len(batch.u) for batch in batches)
        most, least, turns = (
            (MOST_ON_DEVICE, LEAST_ON_DEVICE, _TURNS_ON_DEVICE) if resident else (MOST_EDGES, LEAST_EDGES, _TURNS)
        )
        step = size or min(most, max(least, _ALIGNED * (edges // (turns * _ALIGNED * processors))))
        self._queues: dict[int | None, deque[Piece]] = {None: deque()}
        for batch in batches:
            queue = self._queues.setdefault(batch.holder, deque())
            length = len(batch.u)
            queue.extend(Piece(batch, begin, min(begin + step, length)) for begin in range(0, length, step))
        self._lock = threading.Lock()

    def take(self, place: int | None = None, most: int | None = None) -> Piece | None:
        """The next piece for the processor of this place, None where there is none. most: of its edges; the others stay
        in the queue."""
        with self._lock:
            queues = (self._queues.get(own) for own in (place, None))
            queue = next((queue for queue in queues if queue), None)
            piece = queue.popleft() if queue else None
            if piece is None:
                queue = max(self._queues.values(), key=len)
                piece = queue.pop() if queue else None
            if queue is not None and piece is not None and most is not None and piece.end - piece.begin > most:
                queue.append(piece._replace(begin=piece.begin + most))
                piece = piece._replace(end=piece.begin + most)
            return piece

    @property
    def edges(self) -> int:
        """How many edges are left."""
        with self._lock:
            return sum(piece.end - piece.begin for queue in self._queues.values() for piece in queue)

    def put(self, piece: Piece) -> None:
        """A piece that its processor had no memory for: another one takes it."""
        with self._lock:
            self._queues[None].appendleft(piece)

    def stop(self) -> None:
        """Nothing is left to take."""
        with self._lock:
            for queue in self._queues.values():
                queue.clear()

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))


def run_in_threads(tasks: Sequence[Callable[[], None]], stop: Callable[[], None] = lambda: None) -> None:
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

"""Several readers of one file side by side; one thread unites what they read, as long as it keeps up."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

from landbridge import _core
from landbridge.edges.chunks import Chunk, ChunkedFile

_QUEUE = 8
"""Chunks in the queue of the uniting thread: 16 bytes for each of their edges."""


class ParallelReaders:
    """Every reader of a file in a thread of its own. One thread unites, too: cells that it alone writes stay in its
    cache.

    The uniting thread is the first reader, and later every reader that has reached its end. The others queue what they
    read; where the queue is full, they unite their chunks themselves.

    unite: unites a chunk. progress: called with the bytes read so far and the bytes of the file.
    """

    def __init__(
        self,
        file: ChunkedFile,
        unite: Callable[[ChunkedFile, Chunk], None],
        progress: Callable[[int, int | None], None] | None,
    ) -> None:
        self._file, self._unite_chunk, self._progress = file, unite, progress
        self._lock = threading.Lock()
        self._problems: list[tuple[tuple[int, int], BaseException]] = []
        self._bytes = [0] * len(file.readers)
        self._stopped = threading.Event()
        self._queue: deque[Chunk] = deque()
        self._changed = threading.Condition()
        self._reading = len(file.readers)
        self._deadline = _core.deadline()  # of the calling thread

    def run(self) -> None:
        """Read and unite all. Raises the first problem of the file."""
        threads = [
            threading.Thread(target=self._work, args=pair, name="landbridge-chunks", daemon=True)
            for pair in enumerate(self._file.readers)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            self._stopped.set()
        if self._problems:
            raise min(self._problems, key=lambda problem: problem[0])[1]

    def _work(self, reader: int, read: Callable[[], Iterator[Chunk]]) -> None:
        _core.set_deadline(self._deadline)
        place = (0, 0)
        try:
            for chunk in read():
                place = (chunk.number, chunk.first)
                if self._is_obsolete(place):
                    break
                if not self._enqueue(chunk, reader):
                    self._unite(chunk)
                while (other := self._dequeue(reader)) is not None:
                    self._unite(other)
                self._bytes[reader] = chunk.done
                if self._progress is not None:
                    with self._lock:
                        self._progress(sum(self._bytes), self._file.size)
        except BaseException as error:
            self._record(place, error)
        with self._changed:
            self._reading -= 1
            self._changed.notify_all()
        while (other := self._dequeue_at_end()) is not None:
            self._unite(other)

    def _unite(self, chunk: Chunk) -> None:
        place = (chunk.number, chunk.first)
        if not self._is_obsolete(place):
            try:
                self._unite_chunk(self._file, chunk)
            except BaseException as error:  # raised by `run`, whatever it is
                self._record(place, error)

    def _record(self, place: tuple[int, int], error: BaseException) -> None:
        with self._lock:
            self._problems.append((place, error))

    def _is_obsolete(self, place: tuple[int, int]) -> bool:
        """Whether an earlier place has a problem: the first one of the file is raised, in whatever order they occur."""
        with self._lock:
            return self._stopped.is_set() or any(earlier < place for earlier, _ in self._problems)

    def _is_uniting(self, reader: int) -> bool:
        """Whether this reader unites what others queue. The caller holds `_changed`."""
        return reader == 0 and self._reading == len(self._file.readers)

    def _enqueue(self, chunk: Chunk, reader: int) -> bool:
        with self._changed:
            if len(self._queue) == _QUEUE or self._is_uniting(reader):
                return False
            self._queue.append(chunk)
            self._changed.notify()
            return True

    def _dequeue(self, reader: int) -> Chunk | None:
        with self._changed:
            return self._queue.popleft() if self._is_uniting(reader) and self._queue else None

    def _dequeue_at_end(self) -> Chunk | None:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._reading == 0)
            return self._queue.popleft() if self._queue else None

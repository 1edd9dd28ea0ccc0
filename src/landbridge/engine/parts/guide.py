"""When CPU threads beside GPUs take edges of one queue, and how many at a time.

A GPU is many times as fast where trees do not fit the caches of a CPU, and filling its pinned buffers takes processors
as well: a thread that unites edges instead keeps more of them from crossing the link. So CPU threads begin behind the
GPUs, where processors are idle while these are filled, with a few edges; from both rates follows whether the rest ends
sooner with them, their merge included. They take so few edges at a time that no GPU waits long for the last ones, and
give back what would be merged more slowly than united again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from landbridge import _core
from landbridge.engine.parts.worker_threads import MOST_EDGES, Pieces

FIRST_EDGES, LEAST = 1 << 19, 1 << 15
"""Edges of the first piece of CPU threads, and of a piece that is worth taking."""
MERGE_SECONDS = 1.5e-9
"""Per vertex, until a GPU has the trees of CPU threads: measured on an H200 and 32 threads as 1.4e-9."""
_GAIN = 0.95
"""A run with CPU threads has to look as short as this part of one without them."""
_BEHIND = 2
"""Pieces of each GPU after which its rate is known."""
_WAIT = 2e-4
IDLE = 0.5
"""CPU threads are tried where so many processors for each of them have nothing to do: uniting an edge takes a processor
longer than filling a buffer with it, and a trial takes trees."""


class GuidedPart(Protocol):
    """A part, as far as it is guided."""

    @property
    def processor(self) -> Any: ...
    @property
    def trees(self) -> Any: ...


@dataclass(frozen=True)
class Clocks:
    """What a guide measures with: seconds that pass, seconds that this process has computed on all processors, and how
    many processors there are."""

    wall: Callable[[], float] = time.perf_counter
    computed: Callable[[], float] = time.process_time
    processors: Callable[[], int] = _core.available_threads


class Guide:
    """The rates of the processors of one distribution. Any thread may call."""

    def __init__(self, pieces: Pieces, parts: Sequence[GuidedPart], clocks: Clocks | None = None) -> None:
        self._pieces, self._clocks = pieces, clocks or Clocks()
        gpus = [part for part in parts if not part.processor.engine.on_host]
        self._guided = {id(part) for part in parts if part.processor.engine.on_host} if gpus else set[int]()
        self._gpus, self._first = len(gpus), gpus[0] if gpus else None
        self._lock = threading.Lock()
        self._pieces_of_gpus = 0
        self._first_are_done = False  # the first pieces of the GPUs, which wait until there are buffers
        self._gpu_rate = 0.0  # edges per second of the GPUs, before CPU threads took any
        self._idle = 0.0  # processors that had nothing to do meanwhile
        self._own: dict[int, tuple[int, float]] = {}
        self._begin()

    def _begin(self) -> None:
        self._began, self._computed, self._by_gpus = self._clocks.wall(), self._clocks.computed(), 0

    def guides(self, part: GuidedPart) -> bool:
        """Whether the edges that a part takes are limited here: those of CPU threads beside GPUs."""
        return id(part) in self._guided

    def withdraw(self, part: GuidedPart) -> None:
        """A part takes no more edges, for lack of memory."""
        with self._lock:
            self._gpus -= not self.guides(part)

    @property
    def without_gpus(self) -> bool:
        """Whether no GPU takes edges any more."""
        return self._gpus <= 0

    def record(self, part: GuidedPart, edges: int, seconds: float) -> None:
        """A part has united so many edges in so many seconds."""
        with self._lock:
            if self.guides(part):
                before = self._own.get(id(part), (0, 0.0))
                self._own[id(part)] = before[0] + edges, before[1] + seconds
            else:
                self._by_gpus += edges
                self._pieces_of_gpus += 1
                if not self._first_are_done and self._pieces_of_gpus >= self._gpus:
                    self._first_are_done = True
                    self._begin()

    def next_edges(self, part: GuidedPart) -> int:
        """How many edges a guided part takes next, 0 for none any more. Waits until the rate of the GPUs is known."""
        while not self.without_gpus and (self._pieces_of_gpus < _BEHIND * self._gpus or not self._by_gpus):
            if not len(self._pieces):
                return 0
            time.sleep(_WAIT)
        if self.without_gpus:
            return MOST_EDGES
        with self._lock:
            seconds = max(1e-9, self._clocks.wall() - self._began)
            rate = self._by_gpus / seconds
            if not self._gpu_rate:
                self._gpu_rate = rate
                self._idle = self._clocks.processors() - (self._clocks.computed() - self._computed) / seconds
            left, free = self._pieces.edges, self._idle / part.processor.threads
            own = self._own.get(id(part))
            if own is None:
                # Not even the merge would be paid by what is left.
                worth = free >= IDLE and left / self._gpu_rate > 2 * self._merge
                return min(FIRST_EDGES, left) if worth else 0
            speed = min(1.0, free) * own[0] / max(1e-9, own[1])
            shared = left / (rate + speed) + self._merge
            if shared > _GAIN * left / self._gpu_rate:
                return 0
            return min(MOST_EDGES, int(left * speed / (rate + speed) / 4)) // LEAST * LEAST

    def returns_pieces(self, part: GuidedPart) -> bool:
        """Whether the GPUs unite the edges of a guided part sooner than they get its trees."""
        edges, _ = self._own.get(id(part), (0, 0.0))
        return not self.without_gpus and edges > 0 and self._gpu_rate > 0 and edges / self._gpu_rate < self._merge

    @property
    def _merge(self) -> float:
        return MERGE_SECONDS * int(self._first.trees.vertices) if self._first is not None else 0.0

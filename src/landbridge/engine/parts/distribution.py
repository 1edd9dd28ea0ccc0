"""How edges are distributed among processors: each takes pieces of one queue, into its own trees."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Trees
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.guide import Guide
from landbridge.engine.parts.processors import OneGpu, Processor, copied_to, device_of, errors_of, holds
from landbridge.engine.parts.worker_threads import LEAST_EDGES, Batch, Piece, Pieces, run_in_threads
from landbridge.errors import InputError
from landbridge.result import Share

_EDGE = re.compile(r"edge (\d+)(.*)", re.DOTALL)


@dataclass
class Part:
    """A processor with its trees.

    make: makes the trees when they are first needed; to CPU threads beside a GPU that may be never. opened: the trees
    that there are. has_unmerged_links: whether they hold links that the first trees lack.
    """

    processor: Processor
    make: Callable[[], Trees]
    opened: Trees | None = None
    has_unmerged_links: bool = False
    edges: int = 0
    moved: int = 0
    link: str = ""
    spans: list[tuple[float, float]] = field(default_factory=list)

    @property
    def trees(self) -> Trees:
        """Its trees. Raises what making them raises."""
        if self.opened is None:
            with errors_of(self.processor, "making trees"), self.processor.selected():
                self.opened = self.make()
        return self.opened

    def record(self, edges: int, began: float, ended: float) -> None:
        """So many edges are in its trees."""
        self.edges += edges
        self.spans.append((began, ended))

    def share(self) -> Share:
        """What the processor has done so far."""
        seconds = sum(end - begin for begin, end in self.spans)
        spans = tuple(self.spans)
        return Share(self.processor.name, self.edges, len(spans), seconds, self.link, self.moved, spans)


@dataclass
class Distribution:
    """Batches among processors. first: the part whose trees get all others in the end. piece: edges of a piece, by
    default as their number suggests. bulk: whether time limits end it. keeps_forest: of the trees. began: when their
    first edge came. refuse_beyond: raises InputError for the first id of a batch in host memory that is too large.
    vertices: all there are, where nothing else is wrong with the edges: once one processor has connected them all, the
    rest is not read.
    """

    parts: Sequence[Part]
    first: Part
    batches: Sequence[Batch]
    piece: int | None
    bulk: bool
    keeps_forest: bool
    began: float
    refuse_beyond: Callable[[Any, Any], None]
    vertices: int | None = None

    def __post_init__(self) -> None:
        self._edges = sum(len(batch.u) for batch in self.batches)
        self.memory_errors: list[MemoryError] = []

    def run(self, guard: Callable[[Callable[[], None]], None]) -> bool:
        """Insert all edges: a few into the first trees, many in pieces, by the processor that takes each. False if no
        processor has memory for the last ones. guard: runs the work of a processor."""
        if self._edges <= LEAST_EDGES and self.piece is None:
            for batch in self.batches:
                self._insert(self.first, Piece(batch, 0, len(batch.u)), fed=False)
            return True
        resident = any(batch.ready is not None for batch in self.batches)
        workers = self._places_of_workers(resident)
        self._pieces = Pieces(self.batches, len(workers), self.piece, resident=resident)
        self._guide = Guide(self._pieces, [self.parts[i] for i in workers])
        for place in workers:
            if isinstance(trees := self.parts[place].opened, MergingTrees):
                trees.expect(self._edges // len(workers))
        # Each takes one, however late its thread begins, those that hold edges first. Guided ones begin later.
        holders = {batch.holder for batch in self.batches}
        self._first_pieces = {
            place: piece
            for place in sorted(workers, key=lambda place: place not in holders)
            if not self._guide.guides(self.parts[place]) and (piece := self._pieces.take(place)) is not None
        }
        self._resting: list[int] = []  # those that would only delay the others
        while (self._first_pieces or len(self._pieces)) and workers:
            run_in_threads(
                [partial(guard, partial(self._work, place, workers)) for place in workers], self._pieces.stop
            )
            if self._guide.without_gpus:
                workers += self._resting
                self._resting = []
        return not len(self._pieces)

    def _places_of_workers(self, resident: bool) -> list[int]:
        """The places of the processors that take pieces: all, but GPUs alone, if there are any, of edges on a GPU."""
        gpus = [i for i, part in enumerate(self.parts) if not part.processor.engine.on_host]
        return gpus if resident and gpus else list(range(len(self.parts)))

    def _next(self, place: int) -> Piece | None:
        part = self.parts[place]
        if not self._guide.guides(part):
            return self._first_pieces.pop(place, None) or self._pieces.take(place)
        most = self._guide.next_edges(part)
        return self._pieces.take(place, most) if most else None

    def _work(self, place: int, workers: list[int]) -> None:
        part, pieces = self.parts[place], list[Piece]()
        before = part.edges, len(part.spans), part.has_unmerged_links
        while (piece := self._next(place)) is not None:
            if self.bulk:
                _core.check_time()
            try:
                trees = part.trees
                since = time.perf_counter()
                self._insert(part, piece)
            except MemoryError as error:
                self.memory_errors.append(error)
                self._guide.withdraw(part)
                workers.remove(place)
                self._pieces.put(piece)
                break
            pieces.append(piece)
            self._guide.record(part, piece.end - piece.begin, time.perf_counter() - since)
            if self.vertices and isinstance(trees, MergingTrees) and trees.linked() + 1 >= self.vertices:
                self._pieces.stop()
        if part.opened is not None:
            with errors_of(part.processor, "inserting edges"):
                part.opened.close()
        if self._guide.guides(part) and not self._guide.without_gpus and place in workers:
            workers.remove(place)
            self._resting.append(place)
            if self._guide.returns_pieces(part):
                # The links in its trees are true, and are left alone: others have the edges again.
                part.edges, part.has_unmerged_links = before[0], before[2]
                del part.spans[before[1] :]
                for piece in pieces:
                    self._pieces.put(piece)

    def _insert(self, part: Part, piece: Piece, *, fed: bool = True) -> None:
        """Insert a piece into the trees of a processor. fed: arrays on a GPU do not change before it is closed."""
        since, batch, trees = time.perf_counter(), piece.batch, part.trees
        u, v = piece.edges
        part.has_unmerged_links = part is not self.first
        try:
            with errors_of(part.processor, "inserting edges"), part.processor.selected():
                if fed and batch.ready is not None and batch.at is None and isinstance(trees, MergingTrees):
                    trees.feed(u, v, batch.first + piece.begin, batch.ready)
                else:
                    self._insert_near(part, piece, fed)
        except (InputError, CoreInputError) as error:
            self._refuse(error, piece)
        part.record(piece.end - piece.begin, since - self.began, time.perf_counter() - self.began)

    def _insert_near(self, part: Part, piece: Piece, fed: bool) -> None:
        """Insert a piece whose arrays are moved to the processor first."""
        batch, processor, (u, v) = piece.batch, part.processor, piece.edges
        if batch.ready is not None:
            with device_of(u):
                cuda.cupy().cuda.get_current_stream().wait_event(batch.ready)
        if isinstance(processor, OneGpu):
            u, v = (copied_to(x, processor.ordinal) for x in (u, v))
        u, v, first = processor.adopt(u), processor.adopt(v), batch.first + piece.begin
        if not self.keeps_forest:
            part.trees.insert(u, v)
        elif batch.at is None and isinstance(part.trees, MergingTrees):
            part.trees.insert_from(u, v, first)
        else:
            at = np.arange(first, first + len(u)) if batch.at is None else batch.at[piece.begin : piece.end]
            part.trees.insert_at(u, v, at, 0, 0)
        if fed and batch.ready is not None and not processor.engine.on_host:
            cuda.cupy().cuda.get_current_stream().synchronize()

    def _refuse(self, error: Exception, piece: Piece) -> NoReturn:
        """Raise an error of the input, with the place of the edge in its batch: a piece counts from its own beginning,
        and of host memory the first edge at fault is that of the whole batch."""
        batch = piece.batch
        if batch.ready is None:
            self.refuse_beyond(batch.u, batch.v)
        match = _EDGE.fullmatch(str(error))
        shown = type(error)(f"edge {int(match[1]) + piece.begin}{match[2]}") if match else error
        vars(shown)["batch"] = batch.number
        raise shown from None


def with_holder(batch: Batch, parts: Sequence[Part]) -> Batch:
    """A batch with the processor that holds it, and the event behind which it may be read."""
    if not is_device_array(batch.u):
        return batch
    ordinal = int(batch.u.device.id)
    holder = next((i for i, part in enumerate(parts) if holds(part.processor, ordinal)), None)
    with device_of(batch.u):
        ready = cuda.cupy().cuda.get_current_stream().record()
    return batch._replace(holder=holder, ready=ready)

"""How the operations of a call reach the trees and the journal of a stream: as one batch, or cut into several."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge._core import CoreInputError
from landbridge.edges.coerce import Orientations
from landbridge.engine.base import Trees
from landbridge.streams.cuts import MOST, cuts
from landbridge.streams.form import Record
from landbridge.streams.ids import Pairs, StreamIds
from landbridge.streams.journal import Journal
from landbridge.streams.operands import on_host
from landbridge.streams.replay import insert_record, memory_for


class Batches:
    """The part of `Incremental` that changes the trees."""

    _trees: Trees
    _ids: StreamIds | None
    _journal: Journal | None
    _orientations: Orientations

    def _is_large(self, count: int) -> bool:
        """Whether a call with so many operations is cut. The batches of a device are queued, not awaited."""
        return count > MOST and not self._trees.reads_device

    @contextlib.contextmanager
    def _numbering(self) -> Iterator[StreamIds]:
        """The ids, for one batch. What an interrupted one has left is dropped before the next: dropping it at once
        could be interrupted, too."""
        assert self._ids is not None
        with self._ids.lock:
            self._ids.drop_beyond(self._trees.vertices)
            yield self._ids

    # inserts ----------------------------------------------------------------------------------------------------------

    def _insert_pairs(self, pairs: Pairs) -> None:
        if self._is_large(len(pairs)):
            with self._numbering() as ids:  # what is wrong with any id is raised before the first edge is inserted
                ids.refuse(pairs)
        for cut in cuts(len(pairs)) if self._is_large(len(pairs)) else (slice(0, len(pairs)),):
            with self._numbering() as ids:
                self._insert_batch(*ids.number(pairs.part(cut), self._trees.position))

    def _insert(self, a: Any, b: Any) -> None:
        if self._journal is None or not self._is_large(len(a)):
            self._insert_batch(a, b)  # the trees cut a large batch themselves
            return
        self._trees.prepare(a, b, None, 0)  # what is wrong with any edge is raised before the first is inserted
        for cut in cuts(len(a)):
            self._insert_batch(a[cut], b[cut])

    def _insert_batch(self, a: Any, b: Any) -> None:
        if self._journal is None:
            self._trees.insert(a, b)
        elif len(a):
            self._append(
                Record(0, len(a), 0, on_host(a), on_host(b), None),
                lambda: self._trees.prepare(a, b, None, 0),
                lambda: self._trees.insert(a, b),
            )

    # inserts and queries ----------------------------------------------------------------------------------------------

    def _apply_pairs(self, pairs: Pairs, kinds: NDArray[Any], inserts_first: bool) -> Any:
        def batch(cut: slice) -> Any:
            own = kinds[cut]
            with self._numbering() as ids:
                u, v = ids.operations(pairs.part(cut), own, self._trees.position)
                return self._apply_batch(u, v, own, inserts_first)

        if not self._is_large(len(pairs)):
            return batch(slice(0, len(pairs)))
        with self._numbering() as ids:
            ids.refuse(pairs.rows(np.flatnonzero(kinds == 0)))
        if self._trees.mixed and not inserts_first:
            return np.concatenate([batch(cut) for cut in cuts(len(pairs))])
        for cut in cuts(len(pairs)):
            at = np.flatnonzero(kinds[cut] == 0)
            with self._numbering() as ids:
                u, v = ids.number(pairs.part(cut).rows(at), self._trees.position)
                self._insert_record(Record(0, len(kinds[cut]), 0, u, v, at))
        queries = np.flatnonzero(kinds)
        with self._numbering() as ids:
            u, v = ids.queried(pairs.rows(queries))
        return self._answers(u, v, kinds, queries)

    def _apply(self, a: Any, b: Any, kinds: Any, inserts_first: bool) -> Any:
        if not self._is_large(len(a)):
            return self._apply_batch(a, b, kinds, inserts_first)
        self._trees.prepare(a, b, kinds, 0)
        if self._trees.mixed and not inserts_first:
            return np.concatenate([self._apply_batch(a[cut], b[cut], kinds[cut], False) for cut in cuts(len(a))])
        for cut in cuts(len(a)):
            at = np.flatnonzero(kinds[cut] == 0)
            self._insert_record(Record(0, len(kinds[cut]), 0, a[cut][at], b[cut][at], at))
        answers = np.zeros(len(kinds), dtype=bool)
        for cut in cuts(len(a)):
            queries = np.flatnonzero(kinds[cut])
            answers[cut][queries] = self._trees.connected(a[cut][queries], b[cut][queries])
        return np.packbits(answers, bitorder="little")

    def _apply_batch(self, a: Any, b: Any, kinds: Any, inserts_first: bool) -> Any:
        def run() -> Any:
            return self._trees.apply(a, b, kinds, inserts_first)

        if self._journal is None or len(a) == 0:
            return run()
        at = np.flatnonzero(on_host(kinds) == 0)
        inserts = Record(0, len(a), 0, on_host(a)[at], on_host(b)[at], at)
        return self._append(inserts, lambda: self._trees.prepare(a, b, kinds, 0), run)

    def _answers(self, a: Any, b: Any, kinds: NDArray[Any], queries: NDArray[Any]) -> Any:
        """Packed answers of the operations that are queries."""
        answers = np.zeros(len(kinds), dtype=bool)
        answers[queries] = self._connected(a, b)
        return np.packbits(answers, bitorder="little")

    def _connected(self, a: Any, b: Any) -> Any:
        if not self._is_large(len(a)):
            return self._trees.connected(a, b)
        answers = np.empty(len(a), dtype=bool)
        for cut in cuts(len(a)):
            try:
                answers[cut] = self._trees.connected(a[cut], b[cut])
            except CoreInputError:
                self._trees.connected(a, b)  # names the query by its number in the call
                raise
        return answers

    # records ----------------------------------------------------------------------------------------------------------

    def _insert_record(self, record: Record) -> None:
        if self._journal is None:
            insert_record(self._trees, record)
        else:
            self._append_record(record)

    def _append(self, record: Record, prepare: Callable[[], None], apply: Callable[[], Any]) -> Any:
        """Append a record to the journal, at the position of that moment, and apply it."""
        assert self._journal is not None
        with self._journal.lock:
            new = None if self._ids is None else self._ids.new(self._journal.ids)
            record = replace(record, position=self._trees.position, new=new, rows=self._orientations.rows)
            return self._journal.append(record, prepare, apply)

    def _append_record(self, record: Record) -> None:
        trees = self._trees

        def prepare() -> None:
            with memory_for(record):
                trees.prepare(record.u, record.v, None, record.vertices)

        self._append(record, prepare, lambda: insert_record(trees, record))

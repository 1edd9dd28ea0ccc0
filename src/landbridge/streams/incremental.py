"""Incremental connectivity: edges arrive in batches, and "are these two connected now?" is answered in between."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, overload

import numpy as np

from landbridge._core import CoreInputError
from landbridge.edges.coerce import Orientations
from landbridge.edges.id_columns import are_plain
from landbridge.edges.options import checked_most
from landbridge.engine.base import Trees
from landbridge.errors import FileFormatError, InputError, SizeLimitExceeded
from landbridge.filename import filename
from landbridge.flags import flag, is_word
from landbridge.graph import check_count
from landbridge.plan import Plan
from landbridge.problems import PROBLEMS, refuse_without_forest
from landbridge.result import Components, SpanningForest
from landbridge.streams.batches import Batches
from landbridge.streams.form import Head, Record
from landbridge.streams.ids import KINDS, StreamIds
from landbridge.streams.journal import Journal, load, save
from landbridge.streams.operands import are_columns, endpoints, kinds_of, on_host, operands, reported
from landbridge.streams.replay import Owner
from landbridge.streams.views import Views, refusals
from landbridge.typing import Device, Devices, EdgeBatch, Id, Ids, Labels, PlanText


class Incremental(Batches, Views):
    """Connectivity of a graph that grows. Edges are inserted, never deleted; vertices appear when an edge names them.

    Parameters
    ----------
    num_vertices : int, default 0
        Vertices 0..num_vertices-1 exist from the beginning, each a component of its own. Inserting an edge with a
        larger id makes all vertices up to that id; those that no edge has named are components of their own.
    ids : {"sparse", "names"}, optional
        None: ids are vertex numbers, as above. "sparse": ids are whole numbers with gaps, also negative ones, and
        "names": they are text; vertices are then the ids that occur. Both are numbered in host memory, on one table: 24
        to 32 bytes per id, for names about 60 and their bytes.
    plan : PlanText or Plan, default "auto"
        "auto", or one of ``landbridge.plans("incremental")``, such as ``"rem_cas(naive,halve_one)"``.
    device : Device, default "auto"
        "cpu", "gpu", or "auto": the CPU, unless the first batch of all is on a GPU. A stream on a GPU takes arrays from
        either side and answers where the ids are; batches are queued on CuPy's current CUDA stream.
    devices : Devices, optional
        Several processors, such as ``[0, 1]`` for two GPUs: each unites some edges of a large batch in trees of its
        own, which are merged before a question. Calls take turns then.
    threads : int, optional
        How many threads a large batch uses at most; by default all processors of this process. Small batches run on the
        calling thread, and so do others that it inserts sooner.
    forest : bool, default False
        Record, for each link, the edge that made it, so that `forest` is available (16 bytes per vertex more).
    journal : str or path, optional
        A file that makes the stream restartable, created if it does not exist. Each batch is appended to it before the
        call returns. Opening it again, also after the process was killed, restores every batch whose call had returned,
        and perhaps one more that was being inserted; `position` says how far the stream had come. One stream at a time
        holds a journal.
    sync : bool, default True
        Wait until each batch is on the disk: whatever ends the process or the power, each batch whose call returned is
        there, and the journal opens. False leaves it to the system when: a killed process still loses nothing. After a
        power cut the journal has the batches up to some point behind the last `compact` or opening; it may have to be
        cut back to that with ``landbridge journal repair``.
    max_bytes : int, optional
        Of a journal from others: how many bytes the vertices of its stream may take. One of some hundred bytes may name
        any number of them.

    Raises
    ------
    InputError
        For bad arguments.
    InvalidPlan
        For a plan that no stream runs (InvalidCombination, too).
    DeviceError
        For a device that is not there, or that the plan contradicts.

    Notes
    -----
    **Concurrent callers.** Any method may be called from any number of threads at once; calls run side by side, with
    the interpreter's lock released for all but the smallest. With a plan that mixes (`mixed`), every single insert and
    every single query takes effect at one moment between the call and the return of the method that carried it, also
    among the operations of one batch: the calls are linearizable. So a query that begins after an insert has returned
    sees it; two vertices, once answered "connected", are never answered "not connected" later; and `count` never rises
    but by new vertices. With the plans that do not mix, a batch of inserts has the trees to itself, and the same holds
    with the batch as the operation. `components`, `forest`, `save` and `merge` see a moment between batches: of each
    batch all inserts or none. A call that raises InputError has changed nothing. Nor has one that raises MemoryError,
    unless it is large, as follows.

    **Large calls.** A call with up to 2^20 operations is one batch, and runs to its end. One with more is a sequence of
    batches of that many, which other threads may see between them. A signal whose handler raises, such as Ctrl-C, or a
    `time_limit` ends it between two batches: the first ones are in the stream, and in its journal, and `position` says
    how many operations that were. Inserting the same edges again is harmless. MemoryError may end such a call of a
    stream with ids in the same way. `merge` is always one batch. Batches on a GPU are not cut.

    Ids are held in 32 bits below 2^31 vertices: 4 bytes per vertex (8 above, and for jtb; hooks, rem_lock and rounds
    take an id per vertex more). Inserting m edges costs O(m a(n)) for the union-find plans; plans in rounds read each
    edge of a batch once a round, typically O(lg m) times, in copies of 24 bytes per edge, which a CPU's stream retains
    for the next batch. Batches of inserts and queries are those of ConnectIt (hong2020).

    Examples
    --------
    >>> stream = landbridge.Incremental(4)
    >>> stream.insert([0, 1], [1, 2])
    >>> stream.connected(0, 2), stream.connected(0, 3), stream.count
    (True, False, 2)
    """

    def __init__(
        self,
        num_vertices: int = 0,
        *,
        ids: str | None = None,
        plan: PlanText | Plan = "auto",
        device: Device = "auto",
        devices: Devices | None = None,
        threads: int | None = None,
        forest: bool = False,
        journal: str | os.PathLike[str] | None = None,
        sync: bool = True,
        max_bytes: int | None = None,
    ) -> None:
        if check_count(num_vertices) is None:
            raise InputError("num_vertices must be a whole number of at least 0, not None")
        if ids is not None and not is_word(ids, KINDS):
            raise InputError(f"ids must be None, 'sparse' or 'names', not {ids!r}")
        if ids is not None and num_vertices:
            raise InputError(f"num_vertices has no meaning with ids={ids!r}: vertices are the ids that occur")
        forest, sync = flag("forest", forest), flag("sync", sync)
        problem = PROBLEMS["incremental"]
        if forest:
            refuse_without_forest(problem.plan_of(plan))
        self._request = problem.request(plan, device, threads, present=False, devices=devices)
        self._engine, self._plan = self._request.stream()
        self._threads = self._request.threads
        self._keep_forest = forest
        # Until the first batch a stream for which no device was named may move to that of the batch.
        self._may_move = self._request.engine is None and journal is None
        self._trees = self._open_trees(0 if journal is not None else int(num_vertices))
        self._orientations = Orientations("batch", "two columns, insert(u, v)")
        self._ids = None if ids is None else StreamIds(ids, self._threads, self._keep_forest)
        self._journal: Journal | None = None
        most = checked_most(max_bytes)
        if journal is not None:
            self._open_journal(filename("journal", journal), sync, int(num_vertices), most)
        elif most is not None or not sync:
            idle = f"max_bytes={most}" if most is not None else f"sync={sync!r}"
            raise InputError(f"{idle} has no effect: it is for journals, and this stream has none")

    def _open_trees(self, num_vertices: int) -> Trees:
        return self._engine.trees(self._plan, num_vertices, self._keep_forest, self._threads)

    def _open_journal(self, path: str, sync: bool, num_vertices: int, most: int | None) -> None:
        owner = Owner(self._trees, self._ids, self._orientations, most, path)
        self._journal = Journal(path, self._head(), sync, owner)
        if num_vertices > self._trees.vertices:
            empty = np.empty(0, dtype=np.int64)
            try:
                self._append_record(Record(0, 0, num_vertices, empty, empty, None))
            except BaseException:
                self._journal.close()
                raise

    def _endpoints(self, u: Any, v: Any, unit: str) -> tuple[Any, Any, bool]:
        """Both endpoints as arrays the trees can read, and whether they were two integers. unit: as for `operands`."""
        a, b, single = operands(u, v, unit)
        if not isinstance(a, np.ndarray) and not self._trees.reads_device:
            if not (self._may_move and self._trees.position == 0):
                raise InputError("these ids are on a GPU and the stream is not: make it with device='gpu'")
            self._engine, self._plan = self._request.stream(on_device=True)
            self._trees = self._open_trees(self._trees.vertices)
        return a, b, single

    # operations -------------------------------------------------------------------------------------------------------

    @overload
    def insert(self, u: Id | Ids, v: Id | Ids) -> None: ...
    @overload
    def insert(self, u: EdgeBatch, *, columns: Sequence[str | int] | None = None) -> None: ...
    def insert(self, u: Id | Ids | EdgeBatch, v: Id | Ids = ..., *, columns: Sequence[str | int] | None = None) -> None:
        """Insert the edge (u, v), or the edges (u[i], v[i]), or the edges of one argument: ``insert(frame)``.

        Parameters
        ----------
        u, v : Id or Ids, or EdgeBatch alone
            Two ids, or two equally long columns of them: whole numbers, with ids="names" text, of any type that
            `components` takes. NumPy arrays of 32- or 64-bit integers are read in place. Or, without `v`, edges in one
            object, as `components` takes them: a data frame, an (m, 2) array, a list of pairs.
        columns : pair of str or int, optional
            Of a data frame: the two that hold the edges, as for `Graph`.

        Raises
        ------
        InputError
            Naming the edge at fault; nothing has been inserted then. Also for an object of shape (2, 2), whose rows are
            edges, in a stream that has taken one of shape (2, m), whose columns are, and the reverse, also before it
            was saved or its journal was opened: it names both batches, as numbered from 0 among those in one object.
        MemoryError
            Nothing has been inserted then; of more than 2^20 edges, those before `position` have.

        Examples
        --------
        >>> stream = landbridge.Incremental(ids="names")
        >>> stream.insert("ann", "bob")
        >>> stream.insert(["cy", "dan"], ["dan", "eve"])
        >>> stream.count, stream.position
        (2, 3)
        """
        if v is ...:
            if type(u) is tuple and len(u) == 2 and columns is None and are_columns(*u):
                self._insert_columns(*u)
                self._orientations.count()
                return
            with self._orientations.turn(u):
                self._insert_columns(*endpoints(u, columns))
            return
        if columns is not None:
            raise InputError("columns: for data frames; these edges are two columns already")
        self._insert_columns(u, v)

    def _insert_columns(self, u: Any, v: Any) -> None:
        a, b = u, v
        try:
            if self._ids is not None:
                return self._insert_pairs(self._ids.read(u, v))
            if self._journal is None:  # small batches take as long as what is left out
                if type(u) is int and type(v) is int:
                    return self._trees.insert_one(u, v)
                if are_plain(u, v):
                    return self._trees.insert(u, v)
            a, b, _ = self._endpoints(u, v, "edge")
            self._insert(a, b)
        except (CoreInputError, MemoryError, TypeError) as error:
            raise reported(error, a, b, "edge", ids=self._ids is not None) from None

    @overload
    def connected(self, u: int, v: int) -> bool: ...
    @overload
    def connected(self, u: str, v: str) -> bool: ...
    @overload
    def connected(self, u: int | Ids, v: int | Ids) -> Any: ...
    def connected(self, u: int | str | Ids, v: int | str | Ids) -> Any:
        """Whether u and v are connected now.

        Parameters
        ----------
        u, v : int or str or Ids
            Two ids, or equally long arrays of them; one of the two may be an integer beside an array.

        Returns
        -------
        bool or array of bool, shape (len(u),)
            A bool for two ids. An id that no edge has named is connected to itself alone, also one beyond
            `num_vertices` in a stream of vertex numbers; a query does not make a vertex.

        Raises
        ------
        InputError
            Naming the query at fault.
        """
        try:
            if self._ids is not None:
                pairs = self._ids.read(u, v, "query")
                with self._numbering() as ids:
                    a, b = ids.queried(pairs)
                single = pairs.single
            elif type(u) is int and type(v) is int:
                return self._trees.connected_one(u, v)
            else:
                a, b, single = self._endpoints(u, v, "query")
            answers = self._connected(a, b)
            return bool(answers[0]) if single else answers
        except (CoreInputError, MemoryError, TypeError) as error:
            raise reported(error, u, v, "query", ids=self._ids is not None) from None

    def apply(self, u: Ids, v: Ids, is_query: Labels, *, order: Literal["inserts_first"] | None = None) -> Any:
        """Run a batch of inserts and queries; return the answers, one bit per operation.

        Parameters
        ----------
        u, v : Ids
            As for `insert`.
        is_query : array of bool, or of 0 and 1
            As long; true where operation i is a query of u[i] and v[i], false where it inserts that edge.
        order : {"inserts_first"}, optional
            None runs all at once: a query may or may not see the inserts of its own batch, but the answers are those of
            some order of the operations. "inserts_first" makes every query see every insert of the batch, so the
            answers are reproducible; plans that do not mix do that in any case.

        Returns
        -------
        array of uint8, shape ((len(u) + 7) // 8,)
            Operation i has bit ``i & 7`` (the lowest is bit 0) of byte ``i >> 3``: 1 if it is a query of two connected
            vertices, else 0; bits of inserts, and those behind the last operation, are 0.
            ``np.unpackbits(bits, count=len(u), bitorder="little")`` spreads them.

        Raises
        ------
        InputError, MemoryError
            As `insert` does.

        Examples
        --------
        >>> stream = landbridge.Incremental(3)
        >>> bits = stream.apply([0, 0, 0], [1, 1, 2], [False, True, True], order="inserts_first")
        >>> np.unpackbits(bits, count=3, bitorder="little").tolist()
        [0, 1, 0]
        """
        if order is not None and not is_word(order, ("inserts_first",)):
            raise InputError(f"order must be None or 'inserts_first', not {order!r}")
        a, b, kinds = u, v, None
        try:
            if self._ids is not None:
                pairs = self._ids.read(u, v, "operation")
                kinds = on_host(kinds_of(is_query, len(pairs)))
                return self._apply_pairs(pairs, kinds, order is not None)
            a, b, _ = self._endpoints(u, v, "operation")
            kinds = kinds_of(is_query, len(a))
            return self._apply(a, b, kinds, order is not None)
        except (CoreInputError, MemoryError, TypeError) as error:
            raise reported(error, a, b, "operation", ids=self._ids is not None, kinds=kinds) from None

    # other streams ----------------------------------------------------------------------------------------------------

    def merge(self, other: Incremental) -> None:
        """Insert all edges of `other`, as if its stream came now. O(n).

        Parameters
        ----------
        other : Incremental
            Does not change.

        Raises
        ------
        InputError
            For another kind of ids, or for a stream without the forest that this one records.

        Notes
        -----
        Afterwards the components are those of both streams' edges together; `position` and the number of vertices are
        those of this stream followed by the other, unless that is this one. Merging is associative, commutative and
        idempotent as far as components go.
        """
        if not isinstance(other, Incremental):
            is_result = isinstance(other, Components | SpanningForest)
            both = "; landbridge.merge takes streams and results" if is_result else ""
            raise InputError(f"only another Incremental can be merged, not {type(other).__name__}{both}")
        if self._trees.keeps_forest and not other._trees.keeps_forest:
            raise InputError("this stream keeps a forest and the other does not: the edges of its links are not known")
        if other.ids != self.ids:
            own, others = (f"ids={x.ids!r}" if x.ids else "vertex numbers" for x in (self, other))
            raise InputError(f"this stream has {own}, and the other {others}")
        if other is self:
            return
        record = other._summary(self._trees.keeps_forest)
        if record.new is None:
            with refusals():
                self._insert_record(record)
            return
        with self._numbering() as ids, refusals():
            place = ids.translated(record.new.ids, self._trees.position)
            self._insert_record(replace(record, u=place[record.u], v=place[record.v], vertices=len(ids), new=None))

    # on disk ----------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the stream to a file: components, position and, where it is recorded, the forest. O(n).

        Parameters
        ----------
        path : str or path
            Is replaced at one moment.

        Raises
        ------
        OSError
            Naming the file.

        Notes
        -----
        The file is written beside the path, flushed to the disk, renamed. If the process is killed meanwhile, or the
        disk is full, the old file stays as it was. 8 bytes for each vertex that is not the smallest of its component
        (24 with a forest); 8 for each id, or its bytes and 4. The new file has the mode of the old one, and its owner
        as far as this process may set it.
        """
        save(filename("path", path), self._head(), self._summary(self._trees.keeps_forest))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        plan: PlanText | Plan | None = None,
        device: Device = "auto",
        threads: int | None = None,
        max_bytes: int | None = None,
    ) -> Incremental:
        """The stream that `save` wrote.

        Parameters
        ----------
        path : str or path
            Of the file.
        plan : PlanText or Plan, optional
            None for that of the file.
        device, threads, max_bytes : optional
            As for the class.

        Returns
        -------
        Incremental

        Raises
        ------
        FileFormatError
            For a file that is cut off, altered, of another version, or something else.
        OSError
            Naming the file.
        """
        path = filename("path", path)
        head, record = load(path)
        plan = head.plan if plan is None else plan
        stream = cls(ids=head.ids, plan=plan, device=device, threads=threads, forest=head.forest)
        try:
            Owner(stream._trees, stream._ids, stream._orientations, checked_most(max_bytes), path).replay(record)
        except SizeLimitExceeded:
            raise
        except InputError as error:
            raise FileFormatError(path, f"damaged: {error}") from None
        if stream.num_vertices - stream.count != len(record.u):
            raise FileFormatError(path, "damaged: its edges close a cycle")
        return stream

    def compact(self) -> None:
        """Replace the journal by a summary of itself, so that it is no longer than the components need. O(n).

        At every moment the file is the old journal or the new one. Inserts of other threads wait.

        Raises
        ------
        InputError
            For a stream without a journal.
        """
        if self._journal is None:
            raise InputError("this stream has no journal")
        with self._numbering() if self._ids is not None else contextlib.nullcontext(), self._journal.lock:
            self._journal.compact(self._head(), lambda: self._summary_of_trees(self._trees.keeps_forest))

    def close(self) -> None:
        """Release the journal, so that another stream may open it. Inserts raise InputError from now on.

        A stream without a journal goes on: it holds nothing to be released.
        """
        if self._journal is not None:
            self._journal.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a stream is not copied: merge it into a new one, or save and load it")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def journal(self) -> Path | None:
        """The journal's file."""
        return None if self._journal is None else Path(self._journal.path)

    @property
    def dropped(self) -> int:
        """Bytes of an unfinished batch that were cut off the journal's end when it was opened."""
        return 0 if self._journal is None else self._journal.dropped

    def _head(self) -> Head:
        return Head(self.plan, self._trees.keeps_forest, self.ids)

    def _summary(self, forest: bool) -> Record:
        with self._numbering() if self._ids is not None else contextlib.nullcontext():
            return self._summary_of_trees(forest)

    def _summary_of_trees(self, forest: bool) -> Record:
        """The stream as one record. Of a stream with ids the caller holds their lock."""
        position, representatives, edges = self._snapshot(forest)
        n = len(representatives)
        new = None if self._ids is None else self._ids.new(0, whole=True)
        rows = self._orientations.rows
        if edges is not None:
            u, v, at = edges
            return Record(0, position, n, u, v, at, new, rows)
        children = np.flatnonzero(representatives != np.arange(n, dtype=representatives.dtype))
        u, v = children.astype(representatives.dtype), representatives[children]
        return Record(0, position, n, u, v, None, new, rows)

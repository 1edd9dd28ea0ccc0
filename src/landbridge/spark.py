"""Connected components and spanning forests of Spark DataFrames, by Arrow functions in Python workers alone."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from landbridge.cluster.engines import Source, Task
from landbridge.cluster.in_process import gathered
from landbridge.cluster.keys import arrow, numbers_of
from landbridge.cluster.messages import Kind, counters_of
from landbridge.cluster.planning import ClusterPlan
from landbridge.cluster.running import ClusterRun, RunOptions, edges_of
from landbridge.errors import InputError, MissingDependency

_MESSAGES = "`to` int, kind tinyint, data binary"
_TYPES = {"int": "int32", "bigint": "int64", "string": "string", "binary": "binary"}
_WORDS = {"int32": "int", "int64": "bigint", "string": "string", "binary": "binary"}
_NUMBERS = {"int", "bigint"}
_log = logging.getLogger("landbridge.cluster")
_UNITS = {"": 2**20, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}


def connected_components(
    edges: Any,
    vertices: Any = None,
    *,
    src: str = "src",
    dst: str = "dst",
    id: str = "id",
    component: str = "component",
    method: str = "auto",
    min_size: int = 1,
    check: bool = False,
    memory: int | None = None,
) -> Any:
    """Connected components of the edges in a Spark DataFrame.

    Parameters
    ----------
    edges : pyspark.sql.DataFrame
        Two columns of ids of one type: int, bigint, string or binary, without nulls. Edges have no direction;
        duplicates and loops are edges, too.
    vertices : pyspark.sql.DataFrame, optional
        Ids that are components of their own if no edge names them, in a column `id`.
    src, dst : str, default "src", "dst"
        The columns of edges.
    id, component : str, default "id", "component"
        The columns of the result.
    method : {"auto", "tree", "sample", "contract"}
        How; "auto" chooses by the counts of the first pass, as `explain` says.
    min_size : int, default 1
        Components of fewer ids are left out.
    check : bool, default False
        Prove the answer on the executors, or raise CheckFailed: both endpoints of every edge agree, and ids minus
        forest edges are components. Reads the edges again.
    memory : int, optional
        Bytes that a task may take; by default half of ``spark.executor.pyspark.memory``, or else of
        ``spark.executor.memory``, divided among the tasks of an executor.

    Returns
    -------
    pyspark.sql.DataFrame
        A row for each id, distributed by id and persisted (`unpersist` releases it): the id, and the smallest id of its
        component (of strings and binary, the smallest by bytes), of the type of the ids. The same from every
        partitioning, order, retry and run.

    Raises
    ------
    InputError
        For ids of two types, with the cast that makes them one, and for arguments that break the contract. A null fails
        the job with a PythonException whose message names its partition and row.
    MissingDependency
        Without pyspark or pyarrow.

    Notes
    -----
    O(m a(n)) work in one pass over the edges, then forests only. No JAR, no checkpoint directory, nothing collected but
    counters; with `sample`, Spark broadcasts the members of one component by way of the driver. Tested with Spark 3.5
    and 4.3 in classic sessions and with 4.3 by Spark Connect. With `tree` one task holds all ids, up to 48 bytes for
    each number and 272 for each other id; with `contract` a task holds its share. A retried or speculative
    task changes nothing; where its rows come in another order and that matters, all behind the first pass is done
    again, three times at most, and then an error says so.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (5, 6)], "src bigint, dst bigint")  # doctest: +SKIP
    >>> landbridge.spark.connected_components(edges).orderBy("id").toPandas()["component"].tolist()  # doctest: +SKIP
    [1, 1, 5, 5]
    """
    options = RunOptions((id, component), method, min_size, check)
    rows, reader = _read(edges, (src, dst), vertices, id)
    return ClusterRun(_Spark(edges.sparkSession, memory), reader, options).components(rows)


def spanning_forest(
    edges: Any, *, src: str = "src", dst: str = "dst", method: str = "auto", memory: int | None = None
) -> Any:
    """A spanning forest of the edges in a Spark DataFrame.

    Parameters
    ----------
    edges, src, dst, memory : optional
        As for `connected_components`.
    method : {"auto", "tree", "sample"}
        As there.

    Returns
    -------
    pyspark.sql.DataFrame
        Edges of the input, in the columns `src` and `dst`: one less than ids in each component, without a cycle. Which
        they are may differ from run to run. Persisted.

    Raises
    ------
    InputError
        As `connected_components` does, and if the ids do not fit one worker.
    """
    rows, reader = _read(edges, (src, dst), None, "id")
    return ClusterRun(_Spark(edges.sparkSession, memory), reader, RunOptions((src, dst), method)).spanning_forest(rows)


def explain(
    edges: Any,
    vertices: Any = None,
    *,
    src: str = "src",
    dst: str = "dst",
    id: str = "id",
    method: str = "auto",
    memory: int | None = None,
) -> ClusterPlan:
    """Which method `connected_components` takes, why, and how many bytes it moves. Costs the first pass.

    Parameters
    ----------
    edges, vertices, src, dst, id, method, memory : optional
        As for `connected_components`.

    Returns
    -------
    ClusterPlan
        Its ``method``, ``reason``, ``bytes`` and ``facts``; as text, one line.
    """
    rows, reader = _read(edges, (src, dst), vertices, id)
    return ClusterRun(_Spark(edges.sparkSession, memory), reader, RunOptions(method=method)).explain(rows)


# edges ----------------------------------------------------------------------------------------------------------------


def _functions() -> Any:
    try:
        return importlib.import_module("pyspark.sql.functions")
    except ImportError:
        raise MissingDependency("Spark is not installed: pip install 'landbridge[spark]'") from None


def _columns(rows: Any, names: tuple[str, str]) -> list[Any]:
    """The types of two columns in Arrow."""
    if not hasattr(rows, "mapInArrow"):
        raise InputError(f"edges and vertices are Spark DataFrames, not {type(rows).__name__}")
    kinds = dict(rows.dtypes)
    for name in names:
        if name not in kinds:
            raise InputError(f"there is no column {name!r}; there are {', '.join(map(repr, kinds))}")
    words = [kinds[name] for name in names]
    words = ["string" if word.startswith(("varchar", "char")) else word for word in words]
    return [getattr(arrow(), _TYPES[word])() if word in _TYPES else word for word in words]


def _read(edges: Any, names: tuple[str, str], vertices: Any, id: str) -> tuple[Any, Any]:
    """The rows of edges and of vertices, as two columns, and how they are read."""
    f = _functions()
    types = _columns(edges, names)
    of_vertices = None if vertices is None else (id, _columns(vertices, (id, id))[0])
    reader = edges_of(types[0], types[1], names, of_vertices, _WORDS)
    rows = edges.select(*(f.col(f"`{name}`").alias(column) for name, column in zip(names, "uv", strict=True)))
    if vertices is not None:
        rows = rows.unionAll(vertices.select(*(f.col(f"`{id}`").alias(column) for column in "uv")))
    return rows, reader


# the engine -----------------------------------------------------------------------------------------------------------


def _partition_number() -> int:
    """The number of the partition that runs this."""
    return int(importlib.import_module("pyspark").TaskContext.get().partitionId())


def _on_batches(task: Task) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        yield from task(_partition_number(), batches)

    return run


def _on_groups(task: Task, columns: Sequence[tuple[str, Any]] | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A task on each run of messages to one receiver."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for to, group in _runs(batches):
            yield from task(to, iter(group)) if columns is None else gathered(task, to, group, columns).to_batches()

    return run


def _runs(batches: Iterator[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Of messages in the order of their receivers, those to each."""
    group: list[Any] = []
    last = 0
    for batch in batches:
        to = numbers_of(batch.column(0))
        bounds = [0, *(np.flatnonzero(np.diff(to)) + 1).tolist(), len(to)]
        for begin, stop in pairwise(bounds):
            if stop > begin:
                if group and int(to[begin]) != last:
                    yield last, group
                    group = []
                last = int(to[begin])
                group.append(batch.slice(begin, stop - begin))
    if group:
        yield last, group


class _Spark:
    """Spark as an engine. Data are DataFrames of messages."""

    def __init__(self, session: Any, memory: int | None) -> None:
        self._session = session
        self._partitions = int(self._setting("spark.sql.shuffle.partitions", "200"))
        self.tasks = max(min(self._partitions, 64, self._slots()), 1)
        size = self._setting("spark.executor.pyspark.memory", self._setting("spark.executor.memory", "1g"))
        cores = int(self._setting("spark.executor.cores", "1"))
        self.memory = memory or _bytes(size) // (2 * cores)
        self.places = 0
        self._of_numbers: list[Any] = []
        self._as_divided: list[tuple[Any, Any, Task]] = []
        self._local = self._setting("spark.master", "").startswith("local[")
        self.threads = self._slots() if self._local else cores

    def _setting(self, name: str, default: str) -> str:
        return str(self._session.conf.get(name, default))

    def _slots(self) -> int:
        """Tasks that run at once, as far as this session says: Spark Connect does not."""
        try:
            return int(self._session.sparkContext.defaultParallelism)
        except Exception:  # whatever a session without a context raises
            return 64

    def map_partitions(self, edges: Any, task: Task) -> Any:
        """A task on each partition of rows; where all tasks run in one process, on as many as run at once, each made of
        several: fewer forests go into the exchange, and they are united by all slots instead of one."""
        data = (edges.coalesce(self._slots()) if self._local else edges).mapInArrow(_on_batches(task), _MESSAGES)
        if self._local:
            self._as_divided.append((data, edges, task))
        if {kind for _, kind in edges.dtypes} <= _NUMBERS:
            self._of_numbers.append(data)
        return data

    def map_messages(self, source: Source, task: Task, to_all: Source | None = None) -> Any:
        """A task on messages where they are."""
        rows = self._only(source) if to_all is None else self._with(source, to_all)
        return rows.mapInArrow(_on_batches(task), _MESSAGES)

    def _with(self, source: Source, to_all: Source) -> Any:
        """In each partition, all of some messages in place of the one that stands in front."""
        f = _functions()
        data, kinds = source
        more = self._only(to_all).select(f.col("kind").alias("kind_to_all"), f.col("data").alias("data_to_all"))
        rows = self._only((data, (Kind.PLACE, *kinds)))
        joined = rows.join(f.broadcast(more), f.col("kind") == int(Kind.PLACE), "left")
        columns = [f.coalesce(f"{name}_to_all", name).alias(name) for name in ("kind", "data")]
        return joined.select("to", *columns)

    def reduce_groups(self, sources: Sequence[Source], task: Task, groups: int) -> Any:
        """A task on `groups` groups of messages, those from one partition in one."""
        rows = self._divided(sources, groups)
        if getattr(task, "forest", False):  # which edges it keeps depends on their order, and a fetch has none
            rows = rows.sortWithinPartitions("data")
        return rows.mapInArrow(_on_batches(task), _MESSAGES)

    def combine(self, source: Source, task: Task, fan_in: int) -> Source:
        """As they are: Spark does not say where partitions lie."""
        del task, fan_in
        return source

    def shuffle(self, sources: Sequence[Source], task: Task, receivers: int) -> Any:
        """A task on all messages that were sent to one receiver."""
        return self._to_receivers(sources, receivers).mapInArrow(_on_groups(task, None), _MESSAGES)

    def _to_receivers(self, sources: Sequence[Source], receivers: int) -> Any:
        return self._divided(sources, min(receivers, self._partitions)).sortWithinPartitions("to")

    def _divided(self, sources: Sequence[Source], parts: int) -> Any:
        """Messages in `parts` partitions, those to one receiver in one."""
        rows = reduce(lambda a, b: a.unionAll(b), map(self._only, sources))
        if parts == 1:
            return rows.repartition(1)
        part = _functions().expr(f"pmod(`to`, {parts})")
        # By a hash, two receivers may be in one partition, and another stays empty.
        return rows.repartitionById(parts, part) if hasattr(rows, "repartitionById") else rows.repartition(parts, part)

    def _only(self, source: Source) -> Any:
        data, kinds = source
        return data.filter(_functions().col("kind").isin([int(kind) for kind in kinds]))

    def persist(self, data: Any) -> list[dict[str, Any]]:
        """The counters; the DataFrame is persisted."""
        numbers = any(data is one for one in self._of_numbers)
        copy = _with_settings(data, _OF_NUMBERS if numbers else _OF_MESSAGES)
        copy.persist()  # by its plan, which is that of `data` as well
        try:
            rows = copy.filter(_functions().col("kind") == int(Kind.COUNTERS)).select("data").collect()
        except Exception as error:
            if InputError.__name__ in str(error):
                self._fail_as_divided(data)
            raise
        return counters_of(bytes(row[0]) for row in rows)

    def _fail_as_divided(self, data: Any) -> None:
        """Raise the error of rows that cannot be read with the number of their partition as the caller divided them."""
        for one, edges, task in self._as_divided:
            if one is data:
                edges.mapInArrow(_on_batches(task), _MESSAGES).count()

    def release(self, data: Any) -> None:
        """Release a DataFrame."""
        data.unpersist()

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]], receivers: int) -> Any:
        """A persisted DataFrame."""
        words = ", ".join(f"`{name}` {_WORDS[str(kind)]}" for name, kind in columns)
        result = self._to_receivers(sources, receivers).mapInArrow(_on_groups(task, columns), words)
        of_numbers = {_WORDS[str(kind)] for _, kind in columns} <= _NUMBERS
        copy = _with_settings(result, _OF_MESSAGES | (_OF_TABLE if of_numbers else {}))
        copy.persist()
        try:
            copy.count()
        except Exception:
            result.unpersist()
            raise
        return result


def _bytes(text: str) -> int:
    """The bytes of a size of memory as Spark writes it, such as 1g or 512m; without a unit in MiB."""
    digits = text.strip().lower()
    if digits.endswith("b") and digits[-2:-1].isdigit():
        return int(digits[:-1])
    digits = digits.removesuffix("b").removesuffix("i")
    unit = digits[-1] if digits and not digits[-1].isdigit() else ""
    return int(digits.removesuffix(unit)) * _UNITS[unit]


# settings -------------------------------------------------------------------------------------------------------------

_BYTES, _RECORDS = "spark.sql.execution.arrow.maxBytesPerBatch", "spark.sql.execution.arrow.maxRecordsPerBatch"
_MOST_RECORDS = 100_000

_OF_NUMBERS = {_BYTES: str(2**31 - 1)}
"""Rows of two numbers are as many as maxRecordsPerBatch says. Spark 4.1 and later add up the bytes of a batch after
each row unless there is no limit to them."""
_OF_MESSAGES = {_BYTES: str(2**22)}
"""A message has up to 200 kB. A batch of few of them is read while the next is sent, and Spark's buffers for 64 MB, the
default, are grown by copying."""
_OF_TABLE = {"spark.sql.inMemoryColumnarStorage.compressed": "false"}
"""Of numbers: Spark would put each into a hash table to find those that repeat, which takes about as long as all else
about a row and saves 8 bytes of it at most."""


def _with_settings(frame: Any, settings: Mapping[str, str]) -> Any:
    """The same rows by the settings of a copied session, unless the caller has set one of them: Spark reads those of
    the session that a plan belongs to, and the caller's stay as they are. A session of Spark Connect, and one that
    cannot be copied, keeps its own, which costs time alone."""
    try:
        session = frame.sparkSession
        rows = frame._jdf
        most = int(session.conf.get(_RECORDS, "10000"))
        new = {name: value for name, value in settings.items() if session.conf.get(name, None) is None}
        if not new or not 0 < most <= _MOST_RECORDS:
            return frame
        copy = rows.sparkSession().cloneSession()
        for name, value in new.items():
            copy.conf().set(name, value)
        return type(frame)(_class(session, rows).ofRows(copy, rows.queryExecution().logical()), session)
    except Exception as error:  # whatever a session says that gives no access to its inside
        _log.debug("settings of the session stay: %s", error)
        return frame


def _class(session: Any, rows: Any) -> Any:
    """The class of a frame in the JVM, whose name changed with Spark 4."""
    place = session._jvm
    for word in rows.getClass().getName().split("."):
        place = getattr(place, word)
    return place

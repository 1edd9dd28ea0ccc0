"""Connected components and spanning forests of Dask DataFrames and of Parquet files, on Dask's workers."""

from __future__ import annotations

import importlib
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from landbridge.cluster.engines import Source, Task
from landbridge.cluster.in_process import InProcess, by_receiver, gathered, only
from landbridge.cluster.keys import KINDS_OF_IDS, arrow
from landbridge.cluster.messages import Kind, counters_of
from landbridge.cluster.planning import ClusterPlan
from landbridge.cluster.running import ClusterRun, RunOptions, edges_of
from landbridge.errors import InputError, MissingDependency
from landbridge.filename import filename

_MEMORY = 1 << 30
"""Bytes of a task where no worker says how much it has."""
_FILES = 4
"""A task reads so many files, where there are enough for all tasks: fewer forests of the same ids are merged."""
_RETRIES = 2
_TIMES_ASKED = 5
"""A task that fails runs again so many times."""


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
    """Connected components of edges that Dask has, or that are in Parquet files.

    Parameters
    ----------
    edges : dask.dataframe.DataFrame, or path, or list of paths
        Two columns of ids of one type: int32, int64, uint64, strings, UUIDs (16 bytes) or binary, without nulls.
        Strings in any of Arrow's widths, views and dictionaries are one type, and so is binary. Of Parquet files each
        is a partition, and workers read them, up to four in a task. Edges have no direction; duplicates and loops are
        edges, too.
    vertices : dask.dataframe.DataFrame, or path, or list of paths, optional
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
        Prove the answer on the workers, or raise CheckFailed: both endpoints of every edge agree, and ids minus forest
        edges are components. Reads the edges again.
    memory : int, optional
        Bytes that a task may take; by default half of a worker's limit, divided among its threads.

    Returns
    -------
    dask.dataframe.DataFrame
        A row for each id, distributed by id: the id, and the smallest id of its component (of strings and binary, the
        smallest by bytes), of the type of the ids. The same from every partitioning, order, retry and run. The workers
        hold it as tables of Arrow; a partition becomes a frame of pandas where it is read.

    Raises
    ------
    InputError
        For a null, with its partition and row; for ids of two types, with the cast that makes them one; for arguments
        that break the contract.
    MissingDependency
        Without Dask or pyarrow.

    Notes
    -----
    O(m a(n)) work in one pass over the edges, then forests only. With `tree` one task holds all ids, up to 48 bytes for
    each number and 272 for each other id; with `contract` a task holds its share. A retried task or a repeated
    partition changes nothing; where a lost worker's rows come again in another order and that matters, all behind the
    first pass is done again, three times at most, and then an error says so.

    Examples
    --------
    >>> frame = dask.dataframe.from_pandas(pandas.DataFrame({"src": [1, 5], "dst": [2, 6]}))  # doctest: +SKIP
    >>> landbridge.dask.connected_components(frame).compute()["component"].tolist()  # doctest: +SKIP
    [1, 1, 5, 5]
    """
    options = RunOptions((id, component), method, min_size, check)
    rows, reader = _read(edges, (src, dst), vertices, id)
    return ClusterRun(_engine(memory), reader, options).components(rows)


def spanning_forest(
    edges: Any, *, src: str = "src", dst: str = "dst", method: str = "auto", memory: int | None = None
) -> Any:
    """A spanning forest of edges that Dask has, or that are in Parquet files.

    Parameters
    ----------
    edges, src, dst, memory : optional
        As for `connected_components`.
    method : {"auto", "tree", "sample"}
        As there.

    Returns
    -------
    dask.dataframe.DataFrame
        Edges of the input, in the columns `src` and `dst`: one less than ids in each component, without a cycle. Which
        they are may differ from run to run.

    Raises
    ------
    InputError
        As `connected_components` does, and if the ids do not fit one worker.
    """
    rows, reader = _read(edges, (src, dst), None, "id")
    return ClusterRun(_engine(memory), reader, RunOptions((src, dst), method)).spanning_forest(rows)


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
    return ClusterRun(_engine(memory), reader, RunOptions(method=method)).explain(rows)


# edges ----------------------------------------------------------------------------------------------------------------


def _dask(name: str = "dask") -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependency("Dask is not installed: pip install 'landbridge[dask]'") from None


def _read(edges: Any, names: tuple[str, str], vertices: Any, id: str) -> tuple[list[Any], Any]:
    """The partitions of edges and of vertices, each with its columns, and how they are read."""
    partitions, types = _partitions(edges, names)
    of_vertices, kind = ([], None) if vertices is None else _partitions(vertices, (id, id))
    known = next((one for one in (*types, *(kind or ())) if one is not None), arrow().string())
    src, dst, *more = (known if one is None else one for one in (*types, *(kind or ())))
    reader = edges_of(src, dst, names, (id, more[0]) if more else None)
    return partitions + of_vertices, reader


def _partitions(rows: Any, names: tuple[str, str]) -> tuple[list[Any], list[Any]]:
    """The partitions of rows with the names of two columns, and the types of these in Arrow, None without a value."""
    if isinstance(rows, str | os.PathLike):
        rows = [rows]
    if isinstance(rows, list | tuple):
        paths = [filename("the path", path) for path in rows]
        if not paths:
            raise InputError("there are no files")
        client = _client()  # workers read the files; this process may not, and its Arrow would take memory for it
        if client is None:
            types = _types_of_files(paths, names)
        else:
            types = client.submit(_types_of_files, paths, names, pure=False).result()
        return [(path, names) for path in paths], types
    if not hasattr(rows, "to_delayed"):
        raise InputError(f"edges are a Dask DataFrame or Parquet files, not {type(rows).__name__}")
    _check_names(names, list(rows.columns))
    columns = rows[list(dict.fromkeys(names))]
    types_of_columns = _types_of_frame(columns)
    return [(part, names) for part in columns.to_delayed()], [types_of_columns[name] for name in names]


def _check_names(names: Sequence[str], known: list[Any]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"there is no column {name!r}; there are {', '.join(map(repr, known))}")
        if known.count(name) > 1:
            raise InputError(f"there are {known.count(name)} columns {name!r}")


def _types_of_files(paths: list[str], names: tuple[str, str]) -> list[Any]:
    """The types of the first file, and of a column without a type there, as pandas writes one without values, those of
    the first file that has one."""
    types: list[Any] = [None, None]
    for path in paths:
        schema = importlib.import_module("pyarrow.parquet").read_schema(path)
        _check_names(names, schema.names)
        for i, name in enumerate(names):
            kind = schema.field(name).type
            if types[i] is None and not arrow().types.is_null(kind):
                types[i] = kind
        if None not in types:
            break
    return types


def _says_no_type(kind: Any) -> bool:
    """Whether a column of a type of pandas may hold values of any type: objects, or categories."""
    return hasattr(kind, "categories") or (isinstance(kind, np.dtype) and kind.hasobject)


def _types_of_frame(frame: Any) -> dict[str, Any]:
    """The types of the columns of a Dask DataFrame. Columns of objects and of categories say none: a row without nulls
    is computed for them, and `_one_type` refuses partitions with others. Without such a row their type is None.
    """
    pa, typical = arrow(), frame._meta_nonempty
    untyped = [name for name, kind in frame.dtypes.items() if _says_no_type(kind)]
    rows = (
        frame.partitions[i].map_partitions(_first_row).compute() for i in range(frame.npartitions if untyped else 0)
    )
    row: Any = next((row for row in rows if len(row)), None)
    types: dict[str, Any] = dict.fromkeys(typical.columns)
    for name in types:
        if name in untyped and row is None:
            continue
        values = (row if name in untyped else typical)[name]
        try:
            types[name] = pa.Array.from_pandas(values).type
        except (pa.ArrowException, OverflowError):
            kind = type(values.iloc[0]).__name__
            raise InputError(f"column {name!r} holds {kind}; {KINDS_OF_IDS}") from None
    return types


def _first_row(part: Any) -> Any:
    """The first row of a frame of pandas without nulls, if there is one; categories become what they stand for."""
    row = part[part.notna().all(axis=1)].iloc[:1]
    kinds = {name: kind.categories.dtype for name, kind in row.dtypes.items() if hasattr(kind, "categories")}
    return row.astype({name: kind if kind.kind in "iu" else object for name, kind in kinds.items()})


def _batches(part: Any, names: tuple[str, str], number: int) -> Iterator[Any]:
    """Two columns of a partition, as batches."""
    pa = arrow()
    if isinstance(part, str):
        file = importlib.import_module("pyarrow.parquet").ParquetFile(part)
        batches = file.iter_batches(1 << 18, columns=list(dict.fromkeys(names)))
    else:
        if any(map(_says_no_type, part.dtypes)):
            _one_type(part, names, number)
        try:
            batches = pa.Table.from_pandas(part, preserve_index=False).to_batches()
        except (pa.ArrowException, OverflowError) as error:
            raise InputError(f"partition {number}: {'; '.join(map(str, error.args))}") from None
    for batch in batches:
        for name in names:
            if batch.schema.get_field_index(name) < 0:
                raise InputError(f"{part if isinstance(part, str) else 'a partition'}: there is no one column {name!r}")
        yield pa.record_batch([batch.column(batch.schema.get_field_index(name)) for name in names], names=["u", "v"])


def _one_type(part: Any, names: tuple[str, str], number: int) -> None:
    """Refuse objects of several types in a column: pyarrow makes bytes of strings among bytes, two ids become one."""
    infer = importlib.import_module("pandas").api.types.infer_dtype
    for name in dict.fromkeys(names):
        column = part[name]
        values = getattr(column.dtype, "categories", column)
        if values.dtype == object and infer(values).startswith("mixed"):
            types = sorted({type(value).__name__ for value in values.dropna()})
            if len(types) > 1:
                raise InputError(f"partition {number}: {name!r} holds {', '.join(types)}: cast them to one type")


# the engine -----------------------------------------------------------------------------------------------------------


def _run_rows(task: Any, number: int, parts: list[Any]) -> list[Any]:
    """A task on some partitions, each with its number and its columns."""
    rows = (replace(task.edges, names=names).checked(i, _batches(part, names, i)) for i, part, names in parts)
    return list(task(number, chain.from_iterable(rows)))


def _together(partitions: Sequence[Any], tasks: int) -> list[list[Any]]:
    """The partitions that a task reads, with their numbers: consecutive files, or one that Dask has.

    Files are divided into as many groups as all tasks read at once, or a multiple of that, of nearly equal size: a
    group more than that would wait for the others.
    """
    files = [(i, part, names) for i, (part, names) in enumerate(partitions) if isinstance(part, str)]
    others = [[(i, part, names)] for i, (part, names) in enumerate(partitions) if not isinstance(part, str)]
    count = min(tasks * -(-len(files) // (tasks * _FILES)), len(files))
    groups = [files[i * len(files) // count : (i + 1) * len(files) // count] for i in range(count)]
    return sorted([*groups, *others], key=lambda group: group[0][0])


def _run(task: Task, number: int, batches: list[Any]) -> list[Any]:
    return list(task(number, iter(batches)))


def _run_on(task: Task, number: int, parts: list[list[Any]], kinds: list[tuple[Kind, ...]] | None = None) -> list[Any]:
    if kinds is not None:
        parts = [only(part, some) for part, some in zip(parts, kinds, strict=True)]
    return _run(task, number, [batch for part in parts for batch in part])


def _table(task: Task, number: int, parts: list[list[Any]], columns: Sequence[tuple[str, Any]]) -> Any:
    return gathered(task, number, [batch for part in parts for batch in part], columns)


def _to_pandas(table: Any) -> Any:
    frames = importlib.import_module("pandas")

    def as_arrow(kind: Any) -> Any:
        return None if arrow().types.is_integer(kind) else frames.ArrowDtype(kind)

    return table.to_pandas(types_mapper=as_arrow)


def _counters(part: list[Any]) -> list[bytes]:
    return [value.as_py() for batch in only(part, (Kind.COUNTERS,)) for value in batch.column(2)]


def _take(groups: dict[int, Any], receiver: int) -> Any:
    return groups[receiver]


def _client() -> Any:
    """The client in use, or None."""
    try:
        return _dask("distributed").get_client()
    except (ValueError, MissingDependency):
        return None


def _workers_of(client: Any) -> dict[str, Any]:
    """The record that the scheduler has of each worker, by its address.

    Every other second a thread of the client replaces the records of all workers by those of none.
    """
    workers: dict[str, Any] = {}
    for _ in range(_TIMES_ASKED):
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if workers or not client.nthreads():
            break
    return workers


def _engine(memory: int | None) -> Any:
    client = _client()
    if client is not None and client.asynchronous:
        raise InputError("the client of Dask is asynchronous, and this waits for its answers: use one that is not")
    return _Local(memory=memory or _MEMORY) if client is None else _Workers(client, memory)


class _Local(InProcess):
    """Without a client: this process."""

    def map_partitions(self, edges: Sequence[Any], task: Task) -> list[list[Any]]:
        """A task on each partition of rows."""
        run, (compute,) = _run_rows, (_dask().compute,)
        return [run(task, i, [(i, compute(part)[0], names)]) for i, (part, names) in enumerate(edges)]

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]], receivers: int) -> Any:
        """A DataFrame of one partition."""
        rows = _to_pandas(super().table(sources, task, columns, receivers))
        return _dask("dask.dataframe").from_pandas(rows, npartitions=1, sort=False)


class _Workers:
    """The workers of a client as an engine. Data are lists of futures, each the batches of one task.

    If a worker is lost, the scheduler runs the tasks of its futures again.
    """

    def __init__(self, client: Any, memory: int | None) -> None:
        self._client = client
        workers = _workers_of(client).values()  # none, where Dask starts them for tasks
        self.places = len(workers)
        self.tasks = max(sum(worker["nthreads"] for worker in workers), 1)
        limits = [worker["memory_limit"] // (2 * worker["nthreads"]) for worker in workers if worker["memory_limit"]]
        self.memory = memory or min(limits, default=_MEMORY)
        on_host: dict[str, int] = defaultdict(int)
        for worker in workers:
            on_host[worker["host"]] += worker["nthreads"]
        self.threads = min(on_host.values(), default=1)  # the other workers of a host wait for the task that is alone

    def _submit(self, function: Any, *words: Any, to: str = "") -> Any:
        """to: the worker that is to run it, unless it is lost."""
        where = {"workers": [to], "allow_other_workers": True} if to else {}
        return self._client.submit(function, *words, pure=False, retries=_RETRIES, **where)

    def map_partitions(self, edges: list[Any], task: Task) -> list[Any]:
        """A task on each partition of rows."""
        run = _dask().delayed(_run_rows, pure=False)
        delayed = [run(task, i, parts) for i, parts in enumerate(_together(edges, self.tasks))]
        futures: list[Any] = self._client.compute(delayed, retries=_RETRIES)
        _dask("dask.dataframe")  # the import takes two seconds, in which the workers work
        return futures

    def map_messages(self, source: Source, task: Task, to_all: Source | None = None) -> list[Any]:
        """A task on messages where they are."""
        more, kinds_of_more = to_all or ([], ())
        kinds = [*(kinds_of_more for _ in more), source[1]]
        return [self._submit(_run_on, task, i, [*more, part], kinds) for i, part in enumerate(source[0])]

    def reduce_groups(self, sources: Sequence[Source], task: Task, groups: int) -> list[Any]:
        """A task on `groups` groups of messages."""
        parts = [part for data, _ in sources for part in data]
        kinds = [kinds for data, kinds in sources for _ in data]
        bounds = [i * len(parts) // groups for i in range(groups + 1)]
        return [
            self._submit(_run_on, task, i, parts[begin:stop], kinds[begin:stop])
            for i, (begin, stop) in enumerate(pairwise(bounds))
        ]

    def combine(self, source: Source, task: Task, fan_in: int) -> Source:
        """The messages of each worker in one partition; if one worker has all, in as few as a task takes."""
        data, kinds = source
        workers = self._client.who_has(data)
        at: dict[str, list[Any]] = defaultdict(list)
        for part in data:
            at[min(workers[part.key], default="")].append(part)
        most = 1 if len(at) > 1 else fan_in
        while any(len(parts) > most for parts in at.values()):
            for worker, parts in at.items():
                groups = [parts[begin : begin + fan_in] for begin in range(0, len(parts), fan_in)]
                at[worker] = [
                    self._submit(_run_on, task, i, group, [kinds] * len(group), to=worker) if group[1:] else group[0]
                    for i, group in enumerate(groups)
                ]
        return [part for parts in at.values() for part in parts], kinds

    def shuffle(self, sources: Sequence[Source], task: Task, receivers: int) -> list[Any]:
        """A task on all messages that were sent to one receiver."""
        return [self._submit(_run_on, task, to, parts) for to, parts in self._by_receiver(sources)]

    def _by_receiver(self, sources: Sequence[Source]) -> list[tuple[int, list[Any]]]:
        """The messages to each receiver. The receivers alone come to this process."""
        groups = [self._submit(by_receiver, part, kinds) for data, kinds in sources for part in data]
        receivers = self._client.gather([self._submit(list, group) for group in groups])
        to_each: dict[int, list[Any]] = {}
        for group, receivers_of_group in zip(groups, receivers, strict=True):
            for to in receivers_of_group:
                to_each.setdefault(to, []).append(self._submit(_take, group, to))
        return sorted(to_each.items())

    def persist(self, data: list[Any]) -> list[dict[str, Any]]:
        """The counters. Futures hold their data."""
        counters = self._client.gather([self._submit(_counters, part) for part in data])
        return counters_of(value for part in counters for value in part)

    def release(self, data: list[Any]) -> None:
        """Forget the futures: Dask releases what nothing refers to."""
        data.clear()

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]], receivers: int) -> Any:
        """A DataFrame of tables of Arrow that workers hold: no worker imports pandas before a partition is read."""
        frames = _dask("dask.dataframe")
        places = list(_workers_of(self._client)) or [""]
        meta = _to_pandas(arrow().schema(list(columns)).empty_table())
        tables = [
            self._submit(_table, task, to, parts, list(columns), to=places[to % len(places)])
            for to, parts in self._by_receiver(sources)
        ]
        if not tables:
            return frames.from_pandas(meta, npartitions=1)
        _dask("distributed").wait(tables)
        for table in tables:
            if table.status == "error":  # a table that is lost is made again where a partition is read
                table.result()
        as_frame = _dask().delayed(_to_pandas)
        return frames.from_delayed([as_frame(table) for table in tables], meta=meta, verify_meta=False)

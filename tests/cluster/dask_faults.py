"""Dask workers whose tasks fail the first time, run twice, come late, and are killed."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from cluster_cases import KINDS
from trials import Trial

import landbridge.dask
from landbridge.cluster import in_process

_TASKS = [(landbridge.dask, name) for name in ("_run_rows", "_run_on", "_table", "_take", "_counters")]
_TASKS += [(in_process, "by_receiver")]
_RATES = {"before": 0.04, "behind": 0.04, "twice": 0.05, "late": 0.05}
_KILLED = 0.2
"""The part of tasks that kill their worker, where one is to be lost."""


class Faults(distributed.WorkerPlugin):
    """In place of the tasks of landbridge.dask, tasks that fail. folder: on a disk of all workers."""

    name = "faults"
    idempotent = True

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def setup(self, worker: Any) -> None:
        """Also of a worker that starts in the place of a killed one."""
        del worker
        for module, name in _TASKS:
            setattr(module, name, failing(getattr(module, name), self.folder))

    def teardown(self, worker: Any) -> None:
        """Workers are as before."""
        del worker
        for module, name in _TASKS:
            setattr(module, name, getattr(module, name).__wrapped__)


def failing(function: Callable[..., Any], folder: str) -> Callable[..., Any]:
    """A function that fails once in each task that is unlucky, by its key."""

    @functools.wraps(function)
    def run(*words: Any, **more: Any) -> Any:
        key = str(distributed.get_worker().get_current_task())
        digest = hashlib.blake2b(key.encode(), digest_size=16).digest()
        luck, death = (int.from_bytes(part, "little") / 2**64 for part in (digest[:8], digest[8:]))
        if death < _KILLED and take(Path(folder, "kill")):
            os.kill(os.getpid(), signal.SIGKILL)
        fate = fate_of(luck)
        if fate in ("before", "behind") and not first(Path(folder, f"{fate}-{digest.hex()}")):
            fate = ""
        if fate == "before":
            raise RuntimeError("the first attempt fails")
        if fate == "late":
            time.sleep(0.01)
        result = function(*words, **more)
        if fate == "twice":
            result = function(*words, **more)
        if fate == "behind":
            raise RuntimeError("the first attempt fails with all done")
        return result

    return run


def fate_of(luck: float) -> str:
    """What becomes of a task, from a number of 0 to 1."""
    for fate, rate in _RATES.items():
        if luck < rate:
            return fate
        luck -= rate
    return ""


def first(path: Path) -> bool:
    """Whether this is the first call with a path, of all processes."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def take(path: Path) -> bool:
    """Whether there was a file, which is gone then: of all processes, one gets it."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def shuffled(rows: Any) -> Any:
    """In another order in each run."""
    return rows.sample(frac=1)


class OnDask:
    """Trials on the workers of a client, as frames or as files of Parquet."""

    kinds = KINDS

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = itertools.count()
        self._killing = threading.Lock()
        self.killed = 0

    def failures(self) -> Counter[str]:
        """How many tasks have failed."""
        count = Counter(path.name.split("-")[0] for path in self._folder.iterdir() if "-" in path.name)
        return count + Counter(killed=self.killed)

    def components(self, trial: Trial) -> pa.Table:
        """Ids and components."""
        words = {"method": trial.method, "memory": trial.memory, "check": trial.check, "min_size": trial.min_size}
        rng = np.random.default_rng(trial.seed)
        with self._loss(trial):
            vertices = None
            if trial.vertices is not None:
                rows = pa.table({"id": trial.vertices}).to_pandas(types_mapper=pd.ArrowDtype)
                vertices = dd.from_pandas(rows, npartitions=int(rng.integers(1, 4)))
            edges = self._edges(trial, rng)
            result = landbridge.dask.connected_components(edges, vertices, **words)
            return pa.Table.from_pandas(result.compute(), preserve_index=False)

    def forest(self, trial: Trial) -> pa.Table:
        """Edges."""
        with self._loss(trial):
            edges = self._edges(trial, np.random.default_rng(trial.seed))
            result = landbridge.dask.spanning_forest(edges, method=trial.method)
            return pa.Table.from_pandas(result.compute(), preserve_index=False)

    @contextmanager
    def _loss(self, trial: Trial) -> Iterator[None]:
        """One trial at a time is one of a killed worker; others beside it see it, too."""
        if not trial.lost:
            yield
            return
        with self._killing:
            path = self._folder / "kill"
            path.touch()
            try:
                yield
            finally:
                self.killed += not take(path)

    def _edges(self, trial: Trial, rng: np.random.Generator) -> Any:
        schema = pa.schema([("src", trial.case.type), ("dst", trial.case.type)])
        tables = [pa.Table.from_batches(batches, schema=schema) for batches in trial.case.partitions]
        if rng.random() < 0.2:
            folder = self._folder / f"edges{next(self._number)}"
            folder.mkdir()
            paths = [folder / f"{i}.parquet" for i in range(len(tables))]
            for path, table in zip(paths, tables, strict=True):
                pq.write_table(table, path)
            return paths
        frames = [table.to_pandas(types_mapper=pd.ArrowDtype) for table in tables]
        edges = dd.from_delayed([dask.delayed(one) for one in frames], meta=frames[0][:0], verify_meta=False)
        # A task that runs again may get its rows in another order.
        return edges.map_partitions(shuffled, meta=frames[0][:0]) if rng.random() < 0.4 else edges


@contextmanager
def dask_cluster(workers: int = 2, threads: int = 1) -> Iterator[OnDask]:
    """Two worker processes whose tasks fail."""
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    words: dict[str, Any] = {"n_workers": workers, "threads_per_worker": threads, "processes": True}
    words |= {"dashboard_address": None, "memory_limit": "2GiB"}
    with distributed.LocalCluster(**words) as cluster, distributed.Client(cluster) as client, faults(client) as one:
        yield one


@contextmanager
def faults(client: Any) -> Iterator[OnDask]:
    """Tasks of a client's workers fail meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        client.register_plugin(Faults(folder))
        try:
            yield OnDask(Path(folder))
        finally:
            client.unregister_worker_plugin(Faults.name)

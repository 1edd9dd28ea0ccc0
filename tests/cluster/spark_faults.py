"""Spark whose tasks fail in their first attempt, half-way or with all done, and run twice."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark
from cluster_cases import spark_settings
from trials import Trial

import landbridge.spark

KINDS = ("int32", "int64", "string", "uuid", "binary")
_RATES = {"half": 0.04, "behind": 0.04, "twice": 0.04}


def failing(make: Callable[..., Any], folder: str) -> Callable[..., Any]:
    """In place of what makes functions of batches, one that makes functions that fail."""

    def other(*words: Any) -> Any:
        run, number = make(*words), random.getrandbits(32)

        def unreliable(batches: Iterator[Any]) -> Iterator[Any]:
            context = pyspark.TaskContext.get()
            luck = random.Random(f"{number} {context.stageId()} {context.partitionId()}").random()
            fate = ""
            for name, rate in _RATES.items():
                if 0 <= luck < rate:
                    fate = name
                luck -= rate
            again = context.attemptNumber() > 0
            if fate and not again:
                Path(folder, f"{fate}-{random.getrandbits(64)}").touch()
            if fate == "twice":
                whole = list(batches)
                for _ in run(iter(whole)):
                    pass
                yield from run(iter(whole))
                return
            for batch in run(batches):
                yield batch
                if fate == "half" and not again:
                    raise RuntimeError("the first attempt fails half-way")
            if fate == "behind" and not again:
                raise RuntimeError("the first attempt fails with all done")

        return unreliable

    return other


def rows_of(partitions: list[bytes], shuffled: bool) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Rows of the partitions whose numbers come, each a stream of Arrow. shuffled: in another order in each run."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in [x for batch in batches for x in batch.column(0).to_pylist()]:
            table = pa.ipc.open_stream(partitions[number]).read_all()
            if shuffled:
                table = table.take(pa.array(np.random.default_rng().permutation(table.num_rows)))
            yield from table.to_batches()

    return run


class OnSpark:
    """Trials in a session."""

    kinds = KINDS

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._folder = session, folder

    def failures(self) -> Counter[str]:
        """How many tasks have failed, or ran twice."""
        return Counter(path.name.split("-")[0] for path in self._folder.iterdir())

    def components(self, trial: Trial) -> pa.Table:
        """Ids and components."""
        words = {"method": trial.method, "memory": trial.memory, "check": trial.check, "min_size": trial.min_size}
        vertices = None
        if trial.vertices is not None:
            vertices = self._frame(trial, [pa.table({"id": trial.vertices})])
        return self._table(landbridge.spark.connected_components(self._edges(trial), vertices, **words), trial)

    def forest(self, trial: Trial) -> pa.Table:
        """Edges."""
        return self._table(landbridge.spark.spanning_forest(self._edges(trial), method=trial.method), trial)

    def _edges(self, trial: Trial) -> Any:
        schema = pa.schema([("src", trial.case.type), ("dst", trial.case.type)])
        return self._frame(trial, [pa.Table.from_batches(one, schema=schema) for one in trial.case.partitions])

    def _frame(self, trial: Trial, tables: list[pa.Table]) -> Any:
        parts = []
        for columns in tables:
            table = columns
            if trial.case.kind == "uuid":  # Spark has no such type
                table = pa.table([column.cast(pa.binary()) for column in table.columns], table.column_names)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            parts.append(sink.getvalue().to_pybytes())
        word = {"int32": "int", "int64": "bigint", "string": "string"}.get(trial.case.kind, "binary")
        shuffled = np.random.default_rng(trial.seed).random() < 0.4
        columns = ", ".join(f"{name} {word}" for name in tables[0].column_names)
        numbers = self._session.range(0, len(parts), 1, len(parts))
        return numbers.mapInArrow(rows_of(parts, shuffled), columns)

    def _table(self, result: Any, trial: Trial) -> pa.Table:
        table = result.toArrow()
        result.unpersist()
        if trial.case.kind == "uuid":
            table = pa.table([column.cast(trial.case.type) for column in table.columns], table.column_names)
        return table


@contextmanager
def spark_cluster(master: str = "local[2,4]") -> Iterator[OnSpark]:
    """A session whose tasks may fail three times."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = spark_settings() | {
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.log.level": "OFF",
    }
    builder = pyspark.sql.SparkSession.builder.appName("landbridge").master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        with faults(session) as one:
            yield one
    finally:
        session.stop()


@contextmanager
def faults(session: Any) -> Iterator[OnSpark]:
    """Tasks of a session fail meanwhile."""
    names = ("_on_batches", "_on_groups")
    before = {name: getattr(landbridge.spark, name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in before.items():
            setattr(landbridge.spark, name, failing(make, folder))
        try:
            yield OnSpark(session, Path(folder))
        finally:
            for name, make in before.items():
                setattr(landbridge.spark, name, make)

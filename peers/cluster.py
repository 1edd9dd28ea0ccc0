"""Components of edges in Parquet files on Spark, Dask, DuckDB and one process: each contestant gets the files' folder
and gives ids, components, and what its engine has counted of bytes written for exchanges."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Answer = tuple[NDArray[Any], NDArray[Any]]
"""Ids and their components; ascending by id where that is how they come."""


@dataclass
class Measured:
    """seconds: from the files to ids and components held by the engine. start: of the engine before. shuffled: bytes
    that the engine has written for exchanges, None if it counts none. peak: bytes of this process until then, before
    the answer came to it."""

    seconds: float
    start: float
    shuffled: int | None
    answer: Answer | None
    peak: int


def begin() -> None:
    """The engine has started: what is timed begins."""
    print("begin", flush=True)


def peak_bytes() -> int:
    """The most memory that this process has had; ru_maxrss would be that of the one that started it, if larger."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


@contextmanager
def spark_session() -> Iterator[Any]:
    """A session of two task slots in this machine."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sql: Any = import_module("pyspark.sql")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "8g",
        "spark.executor.memory": "8g",
        "spark.sql.shuffle.partitions": "4",
        "spark.log.level": "ERROR",
    }
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    machine = session.sparkContext._gateway.proc
    try:
        yield session
    finally:
        session.stop()
        machine.stdin.close()  # the Java process ends behind it; it holds the pipes of this one until then
        machine.wait()


def on_spark(run: Callable[[Any, str], Any], folder: str, answers: bool = True) -> Measured:
    """Time a function of a session and a folder that gives a DataFrame of ids and components, held; answers: they are
    those of the edges. The engine has started when a function of Python has run in it."""
    began = time.perf_counter()
    with spark_session() as session:
        session.range(10).mapInArrow(_unchanged, "id bigint").count()
        ready = time.perf_counter()
        begin()
        frame = run(session, folder)
        frame.count()
        done = time.perf_counter()
        moved, peak = _shuffled(session), peak_bytes()
        answer = None
        if answers:
            table = frame.toArrow()
            answer = np.asarray(table[0]), np.asarray(table[1])
        return Measured(done - ready, ready - began, moved, answer, peak)


def _unchanged(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches


def _shuffled(session: Any) -> int:
    """Bytes that all stages so far have written for shuffles, as Spark counts them."""
    time.sleep(0.5)  # the counters come by a queue
    gateway = session.sparkContext._gateway
    store = session.sparkContext._jsc.sc().statusStore()
    none = gateway.new_array(gateway.jvm.double, 0)
    empty = gateway.jvm.java.util.ArrayList()
    stages = store.stageList(empty, False, False, none, empty)
    return sum(int(stages.apply(i).shuffleWriteBytes()) for i in range(stages.size()))


def landbridge_spark(session: Any, folder: str) -> Any:
    """`landbridge.spark`."""
    import landbridge.spark

    return landbridge.spark.connected_components(session.read.parquet(folder))


def nothing_computed(session: Any, folder: str) -> Any:
    """What Spark takes to hand the edges to Python, and to hold a table that has a row for every other edge: what any
    function of Arrow batches takes that gets these edges and gives these ids."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        rows = sum(batch.num_rows for batch in batches)
        yield pa.record_batch([pa.array([rows])], names=["rows"])

    def table(batches: Iterator[Any]) -> Iterator[Any]:
        rows = sum(sum(batch.column(0).to_pylist()) for batch in batches)
        for first in range(0, rows, 1 << 16):
            numbers = pa.array(np.arange(first, min(first + (1 << 16), rows)))
            yield pa.record_batch([numbers, numbers], names=["id", "component"])

    pa: Any = import_module("pyarrow")
    rows = sum(row[0] for row in session.read.parquet(folder).mapInArrow(count, "rows bigint").collect())
    halves = session.createDataFrame([(rows // 4,), (rows // 4,)], "rows bigint").repartition(2)
    return halves.mapInArrow(table, "id bigint, component bigint").persist()


def graphx(session: Any, folder: str) -> Any:
    """GraphX inside Spark, through its gateway to the JVM: label propagation over a property graph."""
    context, jvm = session.sparkContext, session.sparkContext._jvm
    text = f"{folder}-text"
    if not Path(text).exists():
        session.read.parquet(folder).selectExpr("concat(src, ' ', dst)").write.text(text)
    level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
    graph = jvm.org.apache.spark.graphx.GraphLoader.edgeListFile(context._jsc.sc(), text, False, 4, level, level)
    tag = getattr(getattr(jvm.scala.reflect, "ClassTag$"), "MODULE$").Int()
    answer = jvm.org.apache.spark.graphx.lib.ConnectedComponents.run(graph, tag, tag)
    rows = answer.vertices().toJavaRDD()
    frame = jvm.org.apache.spark.sql.SparkSession.active().createDataset(
        rows.rdd(), jvm.org.apache.spark.sql.Encoders.tuple(*[jvm.org.apache.spark.sql.Encoders.LONG()] * 2)
    )
    data_frame: Any = import_module("pyspark.sql").DataFrame
    return data_frame(frame.toDF(), session).persist()


def star(session: Any, folder: str) -> Any:
    """Large and small star (kiveris2014) as joins of DataFrames, one after the other until nothing changes.

    Each round is a local checkpoint: the plan of one that was only persisted would hold those of all rounds before it.
    """
    f: Any = import_module("pyspark.sql.functions")
    edges = session.read.parquet(folder).filter("src <> dst").localCheckpoint()
    vertices = edges.select(f.col("src").alias("id")).union(edges.select("dst")).distinct()
    sums = None
    while True:
        both = edges.union(edges.select("dst", "src"))
        least = both.groupBy("src").agg(f.least(f.min("dst"), f.col("src")).alias("m"))
        large = both.filter("dst > src").join(least, "src").select(f.col("dst").alias("src"), f.col("m").alias("dst"))
        large = large.distinct()
        down = large.select(f.greatest("src", "dst").alias("src"), f.least("src", "dst").alias("dst"))
        least = down.groupBy("src").agg(f.min("dst").alias("m"))
        small = down.join(least, "src").select(f.col("dst").alias("src"), f.col("m").alias("dst")).filter("src <> dst")
        small = small.union(least.select("src", f.col("m").alias("dst"))).distinct().localCheckpoint()
        now = small.agg(f.count("*"), f.sum(f.col("src").cast("decimal(38)")), f.sum(f.col("dst").cast("decimal(38)")))
        values = tuple(now.collect()[0])
        edges = small
        if values == sums:
            break
        sums = values
    named = vertices.join(edges, vertices.id == edges.src, "left")
    return named.select("id", f.coalesce("dst", "id").alias("component")).persist()


def graphframes(session: Any, folder: str) -> Any:
    """GraphFrames' default, by the Python package beside the jar of LANDBRIDGE_PEER_GRAPHFRAMES."""
    graph_frame: Any = import_module("graphframes").GraphFrame
    edges = session.read.parquet(folder)
    vertices = edges.selectExpr("src as id").union(edges.selectExpr("dst as id")).distinct()
    return graph_frame(vertices, edges).connectedComponents(broadcastThreshold=-1).select("id", "component").persist()


def landbridge_dask(folder: str) -> Measured:
    """`landbridge.dask` on two workers; Dask's own count is of bytes that came to them."""
    import landbridge.dask

    distributed: Any = import_module("distributed")
    began = time.perf_counter()
    words: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": "8GiB"}
    with distributed.LocalCluster(**words) as cluster, distributed.Client(cluster) as client:
        client.submit(int, 1).result()
        ready = time.perf_counter()
        begin()
        frame = landbridge.dask.connected_components(sorted(str(path) for path in Path(folder).glob("*.parquet")))
        done = time.perf_counter()
        logs = client.run(
            lambda dask_worker: (
                dask_worker.transfer_incoming_bytes_total
                if hasattr(dask_worker, "transfer_incoming_bytes_total")
                else sum(log["total"] for log in dask_worker.transfer_incoming_log)
            )
        )
        peak = peak_bytes()
        rows = frame.compute()
        answer = rows["id"].to_numpy(), rows["component"].to_numpy()
    return Measured(done - ready, ready - began, sum(logs.values()), answer, peak)


def one_process(folder: str) -> Measured:
    """`landbridge.components` of the same files."""
    import landbridge

    begin()
    began = time.perf_counter()
    frame = landbridge.components(folder, columns=("src", "dst"), ids="sparse").frame("pyarrow")
    seconds, peak = time.perf_counter() - began, peak_bytes()
    return Measured(seconds, 0.0, None, (np.asarray(frame["id"]), np.asarray(frame["representative"])), peak)


def scipy(folder: str) -> Measured:
    """SciPy of the same files, ids numbered by a sort."""
    sparse: Any = import_module("scipy.sparse")
    parquet: Any = import_module("pyarrow.parquet")
    begin()
    began = time.perf_counter()
    table = parquet.read_table(folder)
    src, dst = (np.asarray(table[name]) for name in ("src", "dst"))
    ids, numbers = np.unique(np.concatenate([src, dst]), return_inverse=True)
    u, v = np.split(numbers, 2)
    matrix = sparse.coo_array((np.ones(len(u), np.int8), (u, v)), shape=(len(ids), len(ids)))
    labels = sparse.csgraph.connected_components(matrix, directed=False)[1]
    first = np.unique(labels, return_index=True)[1]
    answer = ids, ids[first[labels]]
    return Measured(time.perf_counter() - began, 0.0, None, answer, peak_bytes())


def splink(folder: str) -> Measured:
    """Splink's SQL on DuckDB."""
    duckdb: Any = import_module("duckdb")
    clustering: Any = import_module("splink.clustering")
    splink_duckdb: Any = import_module("splink").DuckDBAPI
    begin()
    began = time.perf_counter()
    connection = duckdb.connect()
    files = f"'{folder}/*.parquet'"
    connection.execute(f"create view edges as select src as unique_id_l, dst as unique_id_r from {files}")
    connection.execute(f"create table nodes as select src as unique_id from {files} union select dst from {files}")
    answer = clustering.cluster_pairwise_predictions_at_threshold(
        nodes="nodes", edges="edges", db_api=splink_duckdb(connection=connection), node_id_column_name="unique_id"
    )
    rows = answer.as_duckdbpyrelation().fetchnumpy()
    seconds = time.perf_counter() - began
    return Measured(seconds, 0.0, None, (rows["unique_id"], rows["cluster_id"]), peak_bytes())


CONTESTANTS: dict[str, Callable[[str], Measured]] = {
    "landbridge, one process": one_process,
    "landbridge.spark": lambda folder: on_spark(landbridge_spark, folder),
    "landbridge.dask": landbridge_dask,
    "spark alone": lambda folder: on_spark(nothing_computed, folder, answers=False),
    "graphx": lambda folder: on_spark(graphx, folder),
    "star joins": lambda folder: on_spark(star, folder),
    "graphframes": lambda folder: on_spark(graphframes, folder),
    "splink": splink,
    "scipy": scipy,
}


def missing(name: str) -> str:
    """Why a contestant cannot run here, or nothing."""
    if name == "graphframes":
        jar = os.environ.get("LANDBRIDGE_PEER_GRAPHFRAMES")
        if not jar:
            return "LANDBRIDGE_PEER_GRAPHFRAMES names no jar"
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jar} pyspark-shell"
    needs = {
        "landbridge.dask": "distributed",
        "splink": "splink",
        "scipy": "scipy",
        "landbridge, one process": "pyarrow",
    }
    try:
        import_module(needs.get(name, "pyspark"))
    except ImportError as error:
        return str(error)
    return ""

"""Spark with two executor processes (local-cluster): labels as from one process, bit for bit, whatever fails."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cluster_cases import Case, packed, random_case, skewed, smallest, spark_settings
from oracles.zoo import zoo
from trials import quick, run_trials

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: pip install '.[spark]'")
pd = pytest.importorskip("pandas")
pq = pytest.importorskip("pyarrow.parquet")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, and there is none", allow_module_level=True)

import landbridge  # noqa: E402
import landbridge.spark  # noqa: E402
from landbridge.cluster.versions import versions_of  # noqa: E402
from landbridge.errors import InputError  # noqa: E402

REMOTE = os.environ.get("LANDBRIDGE_TEST_SPARK_REMOTE", "")
"""A Spark Connect server such as "sc://localhost", or "local[2,4]" to start one; none: a classic session."""

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cluster]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = spark_settings() | {
        "spark.sql.shuffle.partitions": "4",
        "spark.executor.memory": "1g",
        "spark.network.timeout": "600s",
    }
    builder = pyspark.sql.SparkSession.builder.appName("landbridge")
    builder = builder.remote(REMOTE) if REMOTE else builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def parquet(case: Case, folder: Path) -> str:
    """The partitions of a case as files of a folder."""
    folder.mkdir()
    schema = pa.schema([("src", case.type), ("dst", case.type)])
    for i, batches in enumerate(case.partitions):
        pq.write_table(pa.Table.from_batches(batches, schema=schema), folder / f"{i}.parquet")
    return str(folder)


def as_dict(rows: list[Any]) -> dict[Any, Any]:
    result = {_plain(row[0]): _plain(row[1]) for row in rows}
    assert len(result) == len(rows)
    return result


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


@pytest.mark.parametrize("method", ["tree", "sample", "contract"])
@pytest.mark.parametrize("kind", ["int64", "string"])
def test_labels_are_those_of_a_search(spark: Any, tmp_path: Path, kind: str, method: str) -> None:
    case = random_case(np.random.default_rng(4), kind, 400)
    edges = spark.read.parquet(parquet(case, tmp_path / "in"))
    memory = 20_000 if method == "contract" else None
    result = landbridge.spark.connected_components(edges, method=method, check=True, memory=memory)
    assert as_dict(result.collect()) == case.answer()
    result.unpersist()


def test_partitions_leave_out_what_a_sample_joins(spark: Any, caplog: pytest.LogCaptureFixture) -> None:
    u, v = np.random.default_rng(3).integers(0, 3000, (2, 24_000))
    edges = spark.createDataFrame(pd.DataFrame({"src": u, "dst": v})).repartition(24)
    answer = landbridge.components((u, v), ids="sparse").frame("pandas").set_index("id")["representative"]
    with caplog.at_level(logging.INFO, "landbridge.cluster"):
        result = landbridge.spark.connected_components(edges, check=True)
    assert as_dict(result.collect()) == answer.to_dict()
    assert "sample: " in caplog.text
    (left,) = re.findall(r"the others keep (\d+) edges", caplog.text)
    assert int(left) < 3000
    forest = landbridge.spark.spanning_forest(edges, method="sample").collect()
    assert {(row[0], row[1]) for row in forest} <= set(zip(u.tolist(), v.tolist(), strict=True))
    assert len(forest) == len(answer) - answer.nunique()


def test_vertices_alone_and_files_out(spark: Any, tmp_path: Path) -> None:
    edges = spark.createDataFrame([(7, 5), (5, 7), (9, 9)], "a int, b int")
    vertices = spark.createDataFrame([(5,), (1,)], "v int")
    result = landbridge.spark.connected_components(edges, vertices, src="a", dst="b", id="v", component="c")
    result.write.parquet(str(tmp_path / "out"))
    rows = pq.read_table(tmp_path / "out")
    assert rows.schema.types == [pa.int32(), pa.int32()]
    assert dict(zip(rows["v"].to_pylist(), rows["c"].to_pylist(), strict=True)) == {1: 1, 5: 5, 7: 5, 9: 9}
    few = landbridge.spark.connected_components(edges, vertices, src="a", dst="b", id="v", min_size=2)
    assert as_dict(few.collect()) == {5: 5, 7: 5}


def test_the_forest_is_of_the_input(spark: Any, tmp_path: Path) -> None:
    case = random_case(np.random.default_rng(6), "int64", 300)
    forest = landbridge.spark.spanning_forest(spark.read.parquet(parquet(case, tmp_path / "in"))).collect()
    answer = case.answer()
    assert {(row[0], row[1]) for row in forest} <= set(case.pairs)
    assert len(forest) == len(answer) - len(set(answer.values()))


@pytest.mark.parametrize(("kind", "method"), [("int64", "auto"), ("int64", "sample"), ("string", "contract")])
def test_a_hundred_random_cases(spark: Any, tmp_path: Path, kind: str, method: str) -> None:
    case = packed(100, kind, seed=len(method))
    edges = spark.read.parquet(parquet(case, tmp_path / "in")).repartition(5)
    memory = 200_000 if method == "contract" else None
    result = landbridge.spark.connected_components(edges, method=method, memory=memory)
    assert as_dict(result.collect()) == case.answer()
    result.unpersist()


@pytest.mark.skipif(bool(REMOTE), reason="tasks of a remote session are those of its server")
def test_random_trials_with_tasks_that_fail(spark: Any) -> None:
    from spark_faults import faults

    with faults(spark) as cluster:
        counts = run_trials(cluster, quick(cluster.kinds), 2)  # python tests/cluster spark: for as long as you like
        assert counts["trials"] > 0


def test_the_zoo_and_skew_have_the_labels_of_one_process(spark: Any) -> None:
    graphs = [(np.asarray(one.u, np.int64), np.asarray(one.v, np.int64)) for one in zoo() if 0 < len(one.u) < 5000]
    parts = [*graphs, *skewed()]  # those of the skewed graph have their ids in common
    firsts = [10**6 * min(i, len(graphs)) for i in range(len(parts))]
    rows = [
        pd.DataFrame({"part": i, "src": u + first, "dst": v + first})
        for i, ((u, v), first) in enumerate(zip(parts, firsts, strict=True))
    ]
    table = pd.concat(rows, ignore_index=True)
    edges = spark.createDataFrame(table)
    edges = edges.repartition(len(parts) + 3, "part").select("src", "dst")  # some are empty, one has half of the edges
    endpoints = table["src"].to_numpy(), table["dst"].to_numpy()
    answer = landbridge.components(endpoints, ids="sparse").frame("pandas").set_index("id")["representative"].to_dict()
    result = landbridge.spark.connected_components(edges)
    assert as_dict(result.collect()) == answer
    result.unpersist()


@pytest.mark.skipif(bool(REMOTE), reason="settings of a remote session stay as they are")
def test_settings_are_those_of_a_copy_of_the_session(spark: Any) -> None:
    edges = spark.range(1000).selectExpr("id as src", "id + 1 as dst")
    sizes = edges.mapInArrow(_batch_sizes, "rows bigint")
    name, limit = "spark.sql.execution.arrow.maxRecordsPerBatch", {"spark.sql.execution.arrow.maxRecordsPerBatch": "7"}
    copy = landbridge.spark._with_settings(sizes, limit)
    rows = [row[0] for row in copy.collect()]
    assert (sum(rows), max(rows)) == (1000, 7)
    assert max(row[0] for row in sizes.collect()) > 7
    assert spark.conf.get(name) == "10000"
    spark.conf.set(name, "10001")
    try:
        assert landbridge.spark._with_settings(sizes, limit) is sizes  # what the caller has set stands
    finally:
        spark.conf.unset(name)
    assert landbridge.spark._with_settings(sizes, landbridge.spark._OF_NUMBERS) is not sizes

    result = landbridge.spark.connected_components(edges)
    assert result.sparkSession is spark
    assert result.storageLevel.useMemory
    assert {row[0] for row in result.select("component").collect()} == {0}
    result.unpersist()
    assert not result.storageLevel.useMemory


@pytest.mark.skipif(bool(REMOTE), reason="a remote session does not say how many tasks run at once")
def test_slots_of_one_process_take_partitions_together(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    u, v = np.random.default_rng(3).integers(0, 3000, (2, 24_000))
    edges = spark.createDataFrame(pd.DataFrame({"src": u, "dst": v})).repartition(24)
    assert landbridge.spark.explain(edges).facts.tasks == 24
    setting = landbridge.spark._Spark._setting

    def of_one_process(engine: Any, name: str, default: str) -> str:
        return "local[2]" if name == "spark.master" else setting(engine, name, default)

    monkeypatch.setattr(landbridge.spark._Spark, "_setting", of_one_process)
    assert landbridge.spark.explain(edges).facts.tasks == spark.sparkContext.defaultParallelism == 2
    result = landbridge.spark.connected_components(edges, check=True)
    answer = landbridge.components((u, v), ids="sparse").frame("pandas").set_index("id")["representative"]
    assert as_dict(result.collect()) == answer.to_dict()
    result.unpersist()
    edges = spark.range(0, 12, 1, 3).selectExpr("id AS src", "nullif(id, 9) AS dst")
    with pytest.raises(Exception, match="partition 2, row 1: 'dst' is null"):  # as the caller divided them
        landbridge.spark.connected_components(edges)


def _batch_sizes(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        yield pa.record_batch([pa.array([batch.num_rows])], names=["rows"])


@pytest.mark.skipif(bool(REMOTE), reason="a remote session has no counters of stages")
def test_a_sample_writes_less_for_exchanges_by_sparks_own_count(spark: Any) -> None:
    u, v = np.random.default_rng(3).integers(0, 20_000, (2, 160_000))
    edges = spark.createDataFrame(pd.DataFrame({"src": u, "dst": v})).repartition(24).localCheckpoint()
    written = []
    for method in ("tree", "sample"):
        before = shuffled(spark)
        landbridge.spark.connected_components(edges, method=method).unpersist()
        written.append(shuffled(spark) - before)
    assert 0 < written[1] < written[0] / 2


def shuffled(spark: Any) -> int:
    """Bytes that the stages so far have written for shuffles, as Spark counts them."""
    time.sleep(1)  # the counters come by a queue
    gateway, store = spark.sparkContext._gateway, spark.sparkContext._jsc.sc().statusStore()
    stages = store.stageList(
        gateway.jvm.java.util.ArrayList(),
        False,
        False,
        gateway.new_array(gateway.jvm.double, 0),
        gateway.jvm.java.util.ArrayList(),
    )
    return sum(int(stages.apply(i).shuffleWriteBytes()) for i in range(stages.size()))


def _fails_first(folder: str) -> Any:
    """Every task fails in its first attempt, half-way."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        context = pyspark.TaskContext.get()
        for batch in batches:
            yield batch.slice(0, batch.num_rows // 2)
            if context.attemptNumber() == 0:
                Path(folder, str(context.partitionId())).touch()
                raise RuntimeError("the first attempt fails")
            yield batch.slice(batch.num_rows // 2)

    return run


def test_tasks_that_fail_once_change_nothing(spark: Any, tmp_path: Path) -> None:
    case = packed(20, "int64", seed=12)
    edges = spark.read.parquet(parquet(case, tmp_path / "in")).repartition(6)
    unreliable = edges.mapInArrow(_fails_first(str(tmp_path)), edges.schema)
    result = landbridge.spark.connected_components(unreliable, check=True)
    assert as_dict(result.collect()) == case.answer()
    assert {str(i) for i in range(6)} <= {path.name for path in tmp_path.iterdir()}


def _kills_executor(flag: str) -> Any:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            try:
                os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(_java_above(), 9)

    return run


def _java_above() -> int:
    """The executor that runs this worker."""
    process = os.getpid()
    while "java" not in Path(f"/proc/{process}/exe").resolve().name:
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return process


@pytest.mark.skipif(bool(REMOTE), reason="the server is the executor")
def test_a_killed_executor_changes_nothing(spark: Any, tmp_path: Path) -> None:
    case = random_case(np.random.default_rng(21), "int64", 400)
    edges = spark.read.parquet(parquet(case, tmp_path / "in"))
    deadly = edges.mapInArrow(_kills_executor(str(tmp_path / "killed")), edges.schema)
    result = landbridge.spark.connected_components(deadly, check=True)
    assert as_dict(result.collect()) == case.answer()
    assert (tmp_path / "killed").exists()


def _shuffled(batches: Iterator[Any]) -> Iterator[Any]:
    """The rows of each batch in another order in each run."""
    for batch in batches:
        yield batch.take(pa.array(np.random.default_rng().permutation(batch.num_rows)))


@pytest.mark.parametrize("forest", [False, True])
def test_data_lost_behind_the_counts_are_counted_again(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, forest: bool
) -> None:
    case = random_case(np.random.default_rng(46), "int64", 500)
    edges = spark.read.parquet(parquet(case, tmp_path / "in")).coalesce(1)
    rows = edges.mapInArrow(_shuffled, edges.schema)
    persist, held, lost = landbridge.spark._Spark.persist, [], []

    def persist_and_lose(engine: Any, data: Any) -> Any:
        counters = persist(engine, data)
        held.append(data)
        if versions_of(counters) and not lost:
            lost.extend(one.unpersist(True) for one in held)
        return counters

    monkeypatch.setattr(landbridge.spark._Spark, "persist", persist_and_lose)
    with caplog.at_level("INFO", "landbridge.cluster"):
        if forest:
            result = landbridge.spark.spanning_forest(rows)
            pairs = [tuple(row) for row in result.collect()]
            assert smallest([*pairs, *((x, x) for x in case.answer())]) == case.answer()
            assert len(pairs) == len(case.answer()) - len(set(case.answer().values()))
        else:
            result = landbridge.spark.connected_components(rows, method="contract", memory=8000)
            assert as_dict(result.collect()) == case.answer()
    result.unpersist()
    assert "its rows came in another order" in caplog.text


def test_uuids_in_one_partition_that_comes_twice_among_empty_ones(spark: Any, tmp_path: Path) -> None:
    case = random_case(np.random.default_rng(14), "uuid", 300)
    whole = spark.read.parquet(parquet(case, tmp_path / "in")).coalesce(1)
    assert dict(whole.dtypes) == {"src": "binary", "dst": "binary"}
    none = whole.filter("false")
    result = landbridge.spark.connected_components(none.unionAll(whole).unionAll(none).unionAll(whole), check=True)
    assert as_dict(result.collect()) == case.answer()
    result.unpersist()


def test_numbers_beyond_bigint_are_cast_by_the_caller(spark: Any, tmp_path: Path) -> None:
    column = pa.array([2**64 - 1, 2**63, 5], pa.uint64())
    pq.write_table(pa.table({"src": column, "dst": column[::-1]}), tmp_path / "wide.parquet")
    edges = spark.read.parquet(str(tmp_path / "wide.parquet"))
    with pytest.raises(InputError, match=r"decimal\(20,0\)"):
        landbridge.spark.connected_components(edges)
    texts = edges.selectExpr("CAST(src AS string) AS src", "CAST(dst AS string) AS dst")
    words = {x: str(2**64 - 1) for x in (str(2**64 - 1), "5")} | {str(2**63): str(2**63)}
    assert as_dict(landbridge.spark.connected_components(texts).collect()) == words


def test_nulls_and_two_types_are_refused(spark: Any) -> None:
    edges = spark.range(0, 12, 1, 3).selectExpr("id AS src", "nullif(id, 9) AS dst")
    with pytest.raises(Exception, match="partition 2, row 1: 'dst' is null"):
        landbridge.spark.connected_components(edges)
    edges = spark.createDataFrame([(1, "a")], "src bigint, dst string")
    with pytest.raises(InputError, match="'src' holds bigint and 'dst' holds string: cast 'src' to string"):
        landbridge.spark.connected_components(edges)
    vertices = spark.createDataFrame([(7,)], "id int")
    with pytest.raises(InputError, match="holds int: cast 'id' of the vertices to bigint"):
        landbridge.spark.connected_components(edges.selectExpr("src", "src AS dst"), vertices)
    with pytest.raises(InputError, match="there is no column 'from'"):
        landbridge.spark.connected_components(edges, src="from")


def test_no_edges_no_rows(spark: Any) -> None:
    edges = spark.createDataFrame([], "src string, dst string")
    assert landbridge.spark.connected_components(edges, check=True).collect() == []

"""Spark with two executor processes (local-cluster): labels as from one process, bit for bit, whatever fails."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cluster_cases import Case, random_case

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: pip install '.[spark]'")
pd = pytest.importorskip("pandas")
pq = pytest.importorskip("pyarrow.parquet")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, and there is none", allow_module_level=True)

import landbridge  # noqa: E402
import landbridge.spark  # noqa: E402
from landbridge.errors import InputError  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cluster]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    short = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a program of seconds, to compile little takes less time
    settings = {
        "spark.driver.extraJavaOptions": short,
        "spark.executor.extraJavaOptions": short,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.executor.memory": "1g",
        "spark.task.maxFailures": "4",
        "spark.network.timeout": "600s",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    builder = pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]").appName("landbridge")
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


def _fails_first(batches: Iterator[Any]) -> Iterator[Any]:
    """Every task fails in its first attempt, half-way."""
    for batch in batches:
        yield batch
        if pyspark.TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("the first attempt fails")


def test_tasks_that_fail_once_change_nothing(spark: Any, tmp_path: Path) -> None:
    case = random_case(np.random.default_rng(12), "int64", 400)
    edges = spark.read.parquet(parquet(case, tmp_path / "in"))
    unreliable = edges.mapInArrow(_fails_first, edges.schema)
    result = landbridge.spark.connected_components(unreliable, check=True)
    assert as_dict(result.collect()) == case.answer()


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


def test_a_killed_executor_changes_nothing(spark: Any, tmp_path: Path) -> None:
    case = random_case(np.random.default_rng(21), "int64", 400)
    edges = spark.read.parquet(parquet(case, tmp_path / "in"))
    deadly = edges.mapInArrow(_kills_executor(str(tmp_path / "killed")), edges.schema)
    result = landbridge.spark.connected_components(deadly, check=True)
    assert as_dict(result.collect()) == case.answer()
    assert (tmp_path / "killed").exists()


def test_nulls_and_two_types_are_refused(spark: Any) -> None:
    edges = spark.createDataFrame([(1, 2), (3, None)], "src bigint, dst bigint").coalesce(1)
    with pytest.raises(Exception, match="partition 0, row 1: 'dst' is null"):
        landbridge.spark.connected_components(edges)
    edges = spark.createDataFrame([(1, "a")], "src bigint, dst string")
    with pytest.raises(InputError, match="cast them to one type"):
        landbridge.spark.connected_components(edges)
    with pytest.raises(InputError, match="there is no column 'from'"):
        landbridge.spark.connected_components(edges, src="from")


def test_no_edges_no_rows(spark: Any) -> None:
    edges = spark.createDataFrame([], "src string, dst string")
    assert landbridge.spark.connected_components(edges, check=True).collect() == []

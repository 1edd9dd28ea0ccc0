"""Dask with two worker processes, one of which is killed: labels as from one process, bit for bit."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cluster_cases import Case, packed, random_case, skewed, smallest
from trials import quick, run_trials

import landbridge

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install '.[dask]'")
distributed = pytest.importorskip("distributed", reason="Dask's workers are not installed: pip install '.[dask]'")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
pq = pytest.importorskip("pyarrow.parquet")

from dask_faults import faults, shuffled  # noqa: E402
from oracles.zoo import zoo  # noqa: E402

import landbridge.dask  # noqa: E402
from landbridge.cluster.versions import versions_of  # noqa: E402
from landbridge.errors import InputError  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cluster]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="2GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(_path, [*map(str, (Path(__file__).parent,))])
        yield client


def _path(folders: list[str]) -> None:
    import sys

    sys.path += folders


def frame(case: Case) -> Any:
    """The partitions of a case as a Dask DataFrame."""

    def part(batches: list[Any]) -> Any:
        table = pa.Table.from_batches(batches, schema=pa.schema([("src", case.type), ("dst", case.type)]))
        return table.to_pandas(types_mapper=pd.ArrowDtype)

    parts = [part(batches) for batches in case.partitions]
    return dd.from_delayed([dask.delayed(one) for one in parts], meta=parts[0].iloc[:0], verify_meta=False)


def as_dict(result: Any) -> dict[Any, Any]:
    rows = result.compute()
    answer = dict(zip(rows["id"].tolist(), rows["component"].tolist(), strict=True))
    assert len(answer) == len(rows)
    return answer


@pytest.mark.parametrize("method", ["auto", "sample", "contract"])
@pytest.mark.parametrize("kind", ["int64", "uint64", "large_string", "uuid"])
def test_labels_are_those_of_a_search(client: Any, kind: str, method: str) -> None:
    del client
    case = random_case(np.random.default_rng(11), kind, 400)
    memory = 20_000 if method == "contract" else None
    result = landbridge.dask.connected_components(frame(case), method=method, check=True, memory=memory)
    assert as_dict(result) == case.answer()


def test_the_zoo_has_the_labels_of_one_process(client: Any) -> None:
    del client
    for specimen in zoo():
        if not 0 < len(specimen.u) < 5000:
            continue
        edges = pd.DataFrame({"src": specimen.u, "dst": specimen.v})
        vertices = dd.from_pandas(pd.DataFrame({"id": np.arange(specimen.n)}), npartitions=2)
        result = landbridge.dask.connected_components(dd.from_pandas(edges, npartitions=3), vertices).compute()
        one = landbridge.components((specimen.u, specimen.v), num_vertices=specimen.n)
        rows = result.sort_values("id")
        assert rows["id"].tolist() == list(range(specimen.n)), specimen
        assert np.array_equal(rows["component"], one.representatives), specimen


@pytest.mark.parametrize(("kind", "method"), [("int64", "auto"), ("int64", "sample"), ("string", "contract")])
def test_a_hundred_random_cases(client: Any, kind: str, method: str) -> None:
    del client
    case = packed(100, kind, seed=len(method))
    memory = 200_000 if method == "contract" else None
    assert as_dict(landbridge.dask.connected_components(frame(case), method=method, memory=memory)) == case.answer()


def test_random_trials_with_tasks_that_fail(client: Any) -> None:
    with faults(client) as cluster:
        counts = run_trials(cluster, quick(cluster.kinds), 4)  # python tests/cluster dask: for as long as you like
        assert counts["trials"] > 0
        assert cluster.failures().total() > 0


def test_files_are_read_some_at_a_time(client: Any, tmp_path: Path) -> None:
    u = np.arange(60)
    paths = [tmp_path / f"{i}.parquet" for i in range(10)]
    for i, path in enumerate(paths):
        v = pa.array([*(u[i::10][:-1] + 1).tolist(), None if i == 7 else 0])
        pq.write_table(pa.table({"src": u[i::10], "dst": v}), path)
    with pytest.raises(InputError, match="partition 7, row 5: 'dst' is null"):
        landbridge.dask.connected_components(paths)
    del paths[7]
    plan = landbridge.dask.explain(paths)
    slots = sum(client.nthreads().values())
    assert (plan.facts.tasks, plan.facts.edges) == (min(slots * -(-9 // (4 * slots)), 9), 54)
    whole = pd.concat([pd.read_parquet(path) for path in paths])
    one = landbridge.components((whole["src"].to_numpy(), whole["dst"].to_numpy()), ids="sparse").frame("pandas")
    answer = one.set_index("id")["representative"].to_dict()
    assert as_dict(landbridge.dask.connected_components(paths, check=True)) == answer


@pytest.mark.parametrize("files", [0, 1, 5, 8, 9, 31, 32, 33, 97, 129])
def test_files_are_divided_evenly(files: int) -> None:
    tasks = 8
    partitions = [(f"{i}.parquet", ("u", "v")) for i in range(files)]
    partitions[files // 2 : files // 2] = [(object(), ("u", "v"))]
    groups = landbridge.dask._together(partitions, tasks)
    assert sorted(i for group in groups for i, _, _ in group) == list(range(files + 1))
    sizes = [len(group) for group in groups if isinstance(group[0][1], str)]
    assert max(sizes, default=0) <= 4
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert len(sizes) == files or len(sizes) % tasks == 0
    assert len(groups) == len(sizes) + 1


def test_skew_has_the_labels_of_one_process(client: Any) -> None:
    del client
    parts = [pd.DataFrame({"src": u, "dst": v}) for u, v in skewed()]
    edges = dd.from_delayed([dask.delayed(one) for one in parts], meta=parts[0][:0], verify_meta=False)
    whole = pd.concat(parts)
    endpoints = whole["src"].to_numpy(), whole["dst"].to_numpy()
    answer = landbridge.components(endpoints, ids="sparse").frame("pandas").set_index("id")["representative"].to_dict()
    for method, memory in (("tree", None), ("contract", 200_000)):
        assert as_dict(landbridge.dask.connected_components(edges, method=method, memory=memory)) == answer


def test_what_a_sample_moves_by_dasks_own_count(client: Any) -> None:
    # Each of two workers merges its half of the forests first: by tree one forest moves, and a sample saves nothing.
    u, v = np.random.default_rng(3).integers(0, 20_000, (2, 160_000))
    edges = dd.from_pandas(pd.DataFrame({"src": u, "dst": v}), npartitions=24).persist()
    distributed.wait(edges)
    moved = []
    for method in ("tree", "sample"):
        before = came_to_workers(client)
        landbridge.dask.connected_components(edges, method=method)
        moved.append(came_to_workers(client) - before)
    assert 0 < moved[0] < 2 * 4 * 20_000, moved  # a forest, and labels
    assert 0 < moved[1] < 24 * 4 * 20_000, moved  # a fraction of what all forests take
    plan = landbridge.dask.explain(edges)
    assert (plan.method, plan.facts.tasks, plan.facts.places) == ("tree", 24, 2)


def test_workers_are_there_while_the_client_replaces_what_it_knows_of_them(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, answers = client.scheduler_info, iter((0, -1))
    # In one of many calls a thread of the client, which asks for no workers, comes between the question and the answer.
    monkeypatch.setattr(client, "scheduler_info", lambda n_workers: ask(n_workers=next(answers, n_workers)))
    edges = dd.from_pandas(pd.DataFrame({"src": [0, 1, 2], "dst": [1, 2, 3]}), npartitions=3)
    assert landbridge.dask.explain(edges).facts.places == 2


def came_to_workers(client: Any) -> int:
    """Bytes that workers have got from each other, as Dask logs them."""
    logs = client.run(lambda dask_worker: sum(one["total"] for one in dask_worker.transfer_incoming_log))
    return sum(logs.values())


def _fails_first(rows: Any, folder: str, partition_info: Any = None) -> Any:
    number = 0 if partition_info is None else partition_info["number"]
    try:
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return rows
    raise RuntimeError("the first attempt fails")


def test_a_task_that_is_alone_has_the_threads_of_all_workers_of_its_host(client: Any) -> None:
    assert landbridge.dask._Workers(client, None).threads == 2


def test_a_cluster_without_workers_yet(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # As Dask's adaptive clusters are before the first task, and any cluster that has lost its workers.
    monkeypatch.setattr(client, "scheduler_info", lambda n_workers=5: {"workers": {}})
    case = random_case(np.random.default_rng(17), "int64", 200)
    assert as_dict(landbridge.dask.connected_components(frame(case))) == case.answer()


def test_tasks_that_fail_once_change_nothing(client: Any, tmp_path: Path) -> None:
    del client
    case = packed(20, "int64", seed=12)
    edges = frame(case)
    unreliable = edges.map_partitions(_fails_first, str(tmp_path), meta=edges._meta)
    answer = as_dict(landbridge.dask.connected_components(unreliable))
    assert len(list(tmp_path.iterdir())) == edges.npartitions > 4
    assert answer == case.answer()


def parquet(case: Case, folder: Path) -> list[Path]:
    schema = pa.schema([("src", case.type), ("dst", case.type)])
    paths = [folder / f"{i}.parquet" for i in range(len(case.partitions))]
    for path, batches in zip(paths, case.partitions, strict=True):
        pq.write_table(pa.Table.from_batches([b.cast(schema) for b in batches], schema=schema), path)
    return paths


def test_files_in_and_files_out(client: Any, tmp_path: Path) -> None:
    del client
    case = random_case(np.random.default_rng(2), "string", 300)
    paths = parquet(case, tmp_path)
    landbridge.dask.connected_components(paths, min_size=2).to_parquet(tmp_path / "out")
    rows = pq.read_table(tmp_path / "out")
    assert dict(zip(rows["id"].to_pylist(), rows["component"].to_pylist(), strict=True)) == case.answer(2)
    forest = landbridge.dask.spanning_forest(paths).compute()
    answer = case.answer()
    assert set(zip(forest["src"], forest["dst"], strict=True)) <= set(case.pairs)
    assert len(forest) == len(answer) - len(set(answer.values()))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        landbridge.dask.connected_components([tmp_path / "nowhere.parquet"])


def test_uuids_in_one_partition_that_comes_twice_among_empty_ones(client: Any) -> None:
    del client
    case = random_case(np.random.default_rng(14), "uuid", 300)
    whole: list[Any] = [one for batches in case.partitions for one in batches]
    edges = frame(Case("uuid", case.pairs, [[], whole, [], whole]))
    assert edges.npartitions == 4
    assert as_dict(landbridge.dask.connected_components(edges, check=True)) == case.answer()


def test_nulls_and_two_types_are_refused(client: Any) -> None:
    del client
    edges = pd.DataFrame({"src": pd.array([*range(9), None, 10, 11], "Int64"), "dst": pd.array(range(12), "Int64")})
    with pytest.raises(InputError, match="partition 2, row 1: 'src' is null"):
        landbridge.dask.connected_components(dd.from_pandas(edges, npartitions=3))
    edges = pd.DataFrame({"src": [1], "dst": ["a"]})
    with pytest.raises(InputError, match="'src' holds int64 and 'dst' holds string: cast 'src' to string"):
        landbridge.dask.connected_components(dd.from_pandas(edges, npartitions=1))
    with pytest.raises(InputError, match="there is no column 'from'"):
        landbridge.dask.connected_components(dd.from_pandas(edges, npartitions=1), src="from")


def test_text_of_all_widths_and_dictionaries_is_one_type(client: Any, tmp_path: Path) -> None:
    del client
    kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.large_string())]
    paths = [tmp_path / f"{i}.parquet" for i in range(len(kinds) + 1)]
    for i, (path, kind) in enumerate(zip(paths, kinds, strict=False)):
        pq.write_table(pa.table({"src": pa.array([f"{i}"]).cast(kind), "dst": pa.array([f"{i + 1}"], kind)}), path)
    pq.write_table(pa.table({"src": pa.nulls(0), "dst": pa.nulls(0)}), paths[-1])  # as pandas writes no objects
    vertices = pd.DataFrame({"id": ["9", "1"]})
    answer = dict.fromkeys("01234", "0") | {"9": "9"}
    for order in (paths, paths[::-1]):
        for rows in (vertices, vertices.astype("category"), vertices.astype("string[pyarrow]")):
            one = dd.from_pandas(rows, npartitions=1)
            assert as_dict(landbridge.dask.connected_components(order, one, check=True)) == answer
    with pytest.raises(InputError, match="partition 5, row 1: 'id' is null"):
        rows = dd.from_pandas(pd.DataFrame({"id": ["9", None]}), npartitions=1)
        landbridge.dask.connected_components(paths, rows)
    pairs = pd.DataFrame({"src": [b"a", b"b", b"x"], "dst": [b"b", b"c", b"x"]}).astype("category")
    result = landbridge.dask.connected_components(dd.from_pandas(pairs, npartitions=2)).compute()
    assert dict(zip(result["id"], result["component"], strict=True)) == {b"x": b"x"} | dict.fromkeys(
        (b"a", b"b", b"c"), b"a"
    )
    for kind in ("int64", "int32", "uint64"):
        numbers = pd.DataFrame({"src": [1, 5], "dst": [5, 6]}).astype(kind).astype("category")
        for frame in (numbers, numbers.astype({"dst": kind})):
            result = landbridge.dask.connected_components(dd.from_pandas(frame, npartitions=1))
            assert as_dict(result) == dict.fromkeys((1, 5, 6), 1)


def test_a_message_of_two_types_names_the_cast(client: Any, tmp_path: Path) -> None:
    del client
    paths = [tmp_path / "32.parquet", tmp_path / "64.parquet"]
    for path, kind in zip(paths, (pa.int32(), pa.int64()), strict=True):
        pq.write_table(pa.table({"src": pa.array([1], kind), "dst": pa.array([2], kind)}), path)
    with pytest.raises(InputError, match="partition 1: 'src' holds int64, not int32: cast 'src' to int64"):
        landbridge.dask.connected_components(paths)
    narrow, wide = (dd.from_pandas(pd.DataFrame({"id": [3]}, dtype=kind), npartitions=1) for kind in ("int32", "int64"))
    with pytest.raises(InputError, match="'id' of the vertices holds int64: cast 'src' and 'dst' to int64"):
        landbridge.dask.connected_components(paths[0], wide)
    with pytest.raises(InputError, match="holds int32: cast 'id' of the vertices to int64"):
        landbridge.dask.connected_components(paths[1], narrow)
    assert as_dict(landbridge.dask.connected_components(paths[1], narrow.astype("int64"))) == {1: 1, 2: 1, 3: 3}


@pytest.mark.parametrize("method", ["auto", "contract"])
def test_objects_without_a_value_say_no_type(method: str) -> None:
    def solve(parts: list[Any], ids: Any = None) -> Any:
        with dask.config.set({"dataframe.convert-string": False}):
            some = [pd.DataFrame(dict(zip(("src", "dst"), part, strict=True)), dtype=object) for part in parts]
            edges = dd.from_delayed([dask.delayed(one) for one in some], meta=some[0][:0], verify_meta=False)
            vertices = None if ids is None else dd.from_pandas(pd.DataFrame({"id": ids}), npartitions=1)
            return as_dict(landbridge.dask.connected_components(edges, vertices, method=method))

    none: Any = ([], [])
    objects = pd.Series([], dtype=object)
    assert solve([none]) == solve([none, none]) == solve([none], objects) == {}
    assert solve([none, (["b"], ["a"])]) == {"a": "a", "b": "a"}
    assert solve([(["b"], ["a"]), none], objects) == {"a": "a", "b": "a"}
    assert solve([none], [7, 8]) == {7: 7, 8: 8}
    assert solve([none, ([7], [8])], objects) == {7: 7, 8: 7}
    for part in (([None], [None]), ([None], ["a"])):
        with pytest.raises(InputError, match="partition 1, row 0: 'src' is null"):
            solve([none, part])
    with pytest.raises(InputError, match="column 'src' holds object; ids are int32"):
        solve([none, ([object()], [1])])


def test_objects_of_several_types_are_refused_wherever_they_are() -> None:
    def solve(*parts: tuple[list[Any], list[Any]]) -> Any:
        frames = [pd.DataFrame(dict(zip(("src", "dst"), part, strict=True)), dtype=object) for part in parts]
        with dask.config.set({"dataframe.convert-string": False}):
            some = [dask.delayed(one) for one in frames]
            edges = dd.from_delayed(some, meta=frames[0][:0], verify_meta=False)
            return as_dict(landbridge.dask.connected_components(edges))

    assert solve(([], []), ([1, 5], [2, 6]), ([2], [7])) == {1: 1, 2: 1, 5: 5, 6: 5, 7: 1}
    ids = [uuid.UUID(int=i) for i in (2, 1)]
    assert solve(([ids[0]], [ids[1]])) == dict.fromkeys((x.bytes for x in ids), ids[1].bytes)
    first = ([b"a"], [b"b"])
    for parts, message in (
        ((first, ([b"a"], ["a"])), "partition 1: 'dst' holds str, not fixed|holds string, not binary"),
        ((([b"a", "x"], [b"b", b"c"]),), "partition 0: 'src' holds bytes, str: cast them to one type"),
        ((first, (["a", b"x"], [b"b", b"c"])), "partition 1: 'src' holds bytes, str"),
        ((([1, "a"], [2, "b"]),), "partition 0: 'src' holds int, str"),
        ((([1], [2]), ([2**63], [3])), "partition 1: "),
        ((([1, 2], [2, 1.0]),), "partition 0: 'dst' holds double|partition 0: 'dst' holds float, int"),
        ((([1, 2], [3, True]),), "partition 0: 'dst' holds bool, int"),
        ((([None, 1], [2, 3]),), "partition 0, row 0: 'src' is null"),
    ):
        with pytest.raises(InputError, match=message):
            solve(*parts)


def _slow_then_killed(rows: Any, flag: str) -> Any:
    """The rows; the process that reads them first is killed while it does."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return rows
    time.sleep(0.2)
    return os.kill(os.getpid(), 9)


def test_bytes_in_columns_of_objects(client: Any) -> None:
    pairs = pd.DataFrame({"src": [b"b", b"\xff", b"c"], "dst": [b"a", b"b", b"c"]}, dtype=object)
    with dask.config.set({"dataframe.convert-string": False}):
        for parts in ([pairs], [pairs[:0], pairs[:1], pairs[1:]]):
            edges = dd.from_delayed([dask.delayed(one) for one in parts], meta=pairs[:0], verify_meta=False)
            answer = landbridge.dask.connected_components(edges).compute()
            components = dict(zip(answer["id"].tolist(), answer["component"].tolist(), strict=True))
            assert components == {b"a": b"a", b"b": b"a", b"\xff": b"a", b"c": b"c"}
        with pytest.raises(InputError, match="ids are"):
            landbridge.dask.connected_components(dd.from_pandas(pairs.map(lambda _: 0.5).astype(object), npartitions=1))


def test_a_killed_worker_changes_nothing(client: Any, tmp_path: Path) -> None:
    del client
    case = random_case(np.random.default_rng(8), "int64", 500)
    edges = frame(case)
    meta = edges._meta
    deadly = edges.map_partitions(_slow_then_killed, str(tmp_path / "killed"), meta=meta)
    answer = as_dict(landbridge.dask.connected_components(deadly, check=True))
    assert (tmp_path / "killed").exists()
    assert answer == case.answer()


@pytest.mark.parametrize("forest", [False, True])
def test_workers_lost_behind_the_counts_are_counted_again(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, forest: bool
) -> None:
    case = random_case(np.random.default_rng(46), "int64", 500)
    edges = frame(case).repartition(npartitions=2).map_partitions(shuffled, meta=frame(case)._meta)
    persist, lost = landbridge.dask._Workers.persist, []

    def persist_and_lose(engine: Any, data: Any) -> Any:
        counters = persist(engine, data)
        if versions_of(counters) and not lost:
            processes = client.run(os.getpid)
            lost.extend(processes)
            for process in processes.values():
                os.kill(process, 9)
            while set(lost) & set(client.scheduler_info(n_workers=-1)["workers"]):
                time.sleep(0.02)
        return counters

    monkeypatch.setattr(landbridge.dask._Workers, "persist", persist_and_lose)
    with caplog.at_level("INFO", "landbridge.cluster"):
        if forest:
            rows = landbridge.dask.spanning_forest(edges).compute()
            pairs = list(zip(rows["src"].tolist(), rows["dst"].tolist(), strict=True))
            assert smallest([*pairs, *((x, x) for x in case.answer())]) == case.answer()
            assert len(pairs) == len(case.answer()) - len(set(case.answer().values()))
        else:
            result = landbridge.dask.connected_components(edges, method="contract", memory=8000)
            assert as_dict(result) == case.answer()
    assert lost
    assert "its rows came in another order" in caplog.text

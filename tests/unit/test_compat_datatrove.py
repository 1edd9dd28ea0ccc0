"""Files of duplicates in datatrove's format: clusters, removals, and an independent union of the same records."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import FileFormatError, InputError
from landbridge.compat import datatrove

SENTINEL = 2**32 - 1
Document = tuple[int, int]


def written(folder: Path, records: list[tuple[int, int, int, int]], files: int = 3) -> Path:
    folder.mkdir()
    for i in range(files):
        data = np.array(records[i::files], "<u4").reshape(-1, 4)
        (folder / f"{i:05d}_00.dups").write_bytes(data.tobytes())
    return folder


def random_records(seed: int, index: bool) -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, (4, 60, 4, 60), (120, 4))
    records = [(a, b, c, d) for a, b, c, d in table.tolist() if (a, b) != (c, d)]
    if index:
        records[::20] = [(SENTINEL, SENTINEL, c, d) for _, _, c, d in records[::20]]
    return records


def clusters(records: list[tuple[int, int, int, int]], ignore: bool) -> list[list[Document]]:
    """By repeated merging of sets."""
    sets: dict[Document, set[Document]] = {}
    for a, b, c, d in records:
        if ignore and (a, b) == (SENTINEL, SENTINEL):
            continue
        union = sets.get((a, b), {(a, b)}) | sets.get((c, d), {(c, d)})
        for document in union:
            sets[document] = union
    return sorted({tuple(sorted(each)) for each in sets.values()})  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("ignore", [False, True])
def test_removals(tmp_path: Path, index: bool, ignore: bool) -> None:
    records = random_records(1, index)
    folder = written(tmp_path / "buckets", records)
    options = {"save_cluster_id": True, "save_cluster_size": True, "ignore_index_matches": ignore}
    answer = datatrove.write_removals(folder, tmp_path / "out", **options)
    expected = clusters(records, ignore)
    assert [len(each) for each in expected] == answer.sizes.tolist()
    removed = {x for each in expected for x in (each if (SENTINEL, SENTINEL) in each else each[1:])}
    removed -= {(SENTINEL, SENTINEL)}
    listed: set[Document] = set()
    for path in (tmp_path / "out").glob("*.remove"):
        documents = np.fromfile(path, "<u4").tolist()
        assert documents == sorted(documents)
        listed |= {(int(path.stem), x) for x in documents}
    assert listed == removed
    for suffix, values in (("clusters", range(len(expected))), ("sizes", [len(each) for each in expected])):
        table = {x: value for each, value in zip(expected, values, strict=True) for x in each if x[0] != SENTINEL}
        rows = {
            (int(path.stem), x): value
            for path in (tmp_path / "out").glob(f"*.{suffix}")
            for x, value in np.fromfile(path, "<u4").reshape(-1, 2).tolist()
        }
        assert rows == table


def test_batches_are_pairs_of_numbers_in_the_order_of_documents(tmp_path: Path) -> None:
    records = random_records(2, index=True)
    folder = written(tmp_path / "buckets", records)
    batches = list(datatrove.pairs(folder, chunk_size=7))
    assert max(len(u) for u, _ in batches) == 7
    u, v = (np.concatenate(columns) for columns in zip(*batches, strict=True))
    file, document = datatrove.documents(u)
    assert sorted(zip(file.tolist(), document.tolist(), strict=True)) == sorted((a, b) for a, b, _, _ in records)
    whole = landbridge.components((u, v), ids="sparse")
    chunks = landbridge.components(chunks=datatrove.pairs(str(folder / "*.dups"), chunk_size=7), ids="sparse")
    assert np.array_equal(whole.labels, chunks.labels)
    assert (u == datatrove.INDEX).sum() == 6


def test_no_pairs_and_bad_files(tmp_path: Path) -> None:
    folder = tmp_path / "buckets"
    folder.mkdir()
    with pytest.raises(InputError, match=r"there is no \.dups file"):
        datatrove.cluster(folder)
    (folder / "a.dups").write_bytes(b"")
    answer = datatrove.write_removals([folder / "a.dups"], tmp_path / "out")
    assert len(answer.ids) == 0
    assert list((tmp_path / "out").iterdir()) == []
    (folder / "b.dups").write_bytes(b"x" * 17)
    with pytest.raises(FileFormatError, match=r"b.dups: it has 17 bytes, and a pair of duplicates takes 16"):
        datatrove.cluster(folder)
    for call in (datatrove.cluster, lambda path: datatrove.cluster([path])):
        with refused(InputError, "the path is empty; give the path of a file"):
            call("")
    with refused(InputError, "output is empty; give the path of a folder"):
        datatrove.write_removals(folder / "a.dups", "")


def test_paths_may_begin_with_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.dups").write_bytes(b"")
    datatrove.write_removals("~/a.dups", "~/out")
    assert datatrove.cluster(["~"]).ids.tolist() == []
    assert (tmp_path / "out").is_dir()


def test_examples(tmp_path: Path) -> None:
    globs = {"np": np, "tmp": tmp_path, "pairs": datatrove.pairs}
    test = doctest.DocTestFinder().find(datatrove.pairs, "pairs", globs=globs)[0]
    assert doctest.DocTestRunner().run(test).failed == 0

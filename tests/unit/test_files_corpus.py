"""Small files, good and bad, in every format: good ones yield their edges, bad ones one exact error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import FORMATS, detect_format, read
from landbridge.edges.formats.compression import COMPRESSED
from landbridge.edges.formats.registry import NOT_READ
from landbridge.edges.forms import EdgeList, Edges
from landbridge.edges.options import Options, options_of
from landbridge.errors import FileFormatError, InputError, LandbridgeError

TEXT = [name for name, row in FORMATS.items() if row.is_text]
CORPUS = Path(__file__).parents[1] / "corpus"
GOOD = json.loads((CORPUS / "good.json").read_text())
BAD = json.loads((CORPUS / "bad.json").read_text())


def flat(edges: Edges) -> tuple[int, list[list[int]]]:
    """Number of vertices and all stored edges, in original ids."""
    if isinstance(edges, EdgeList):
        u, v, n = edges.u, edges.v, edges.num_vertices
        if edges.occurring:
            n = len({int(end) for end in (*u, *v)})
        elif n is None:
            n = max((int(end) + 1 for end in (*u, *v)), default=0)
    else:
        n = len(edges.offsets) - 1
        u, v = np.repeat(np.arange(n), np.diff(edges.offsets)), edges.neighbors
    if edges.ids is not None:
        u, v = edges.ids[u], edges.ids[v]
    return n, [list(pair) for pair in zip(u.tolist(), v.tolist(), strict=True)]


def options(entry: dict[str, Any], **more: Any) -> Options:
    """The options of a file of the corpus."""
    words = dict(entry.get("options", {}))
    if isinstance(words.get("columns"), list):
        words["columns"] = tuple(words["columns"])
    return options_of(**words, **more)


def test_every_file_is_listed_and_every_format_has_one() -> None:
    for folder, listed in (("good", GOOD), ("bad", BAD)):
        assert sorted(p.name for p in (CORPUS / folder).iterdir()) == sorted(listed)
    assert {detect_format(CORPUS / "good" / name) for name in GOOD} | {"parquet", "arrow"} == set(FORMATS)
    assert {detect_format(CORPUS / "bad" / name) for name in BAD if Path(name).suffix not in NOT_READ} | {
        "arrow", "jsonl",
    } == set(FORMATS)  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("threads", [1, 2])
def test_good_files_yield_their_edges(name: str, threads: int) -> None:
    edges = read(CORPUS / "good" / name, options=options(GOOD[name], threads=threads))
    assert flat(edges) == (GOOD[name]["vertices"], GOOD[name]["edges"])
    if "options" in GOOD[name] or any(isinstance(end, str) for edge in GOOD[name]["edges"] for end in edge):
        return
    sparse = read(CORPUS / "good" / name, ids="sparse", threads=threads)
    occurring = sorted({end for edge in GOOD[name]["edges"] for end in edge})
    assert flat(sparse) == (len(occurring), GOOD[name]["edges"])
    assert isinstance(sparse, EdgeList)
    assert sparse.occurring or (sparse.ids is not None and sparse.ids.tolist() == occurring)


@pytest.mark.parametrize("name", [n for n in GOOD if detect_format(n) in TEXT])
def test_compressed_good_files_yield_the_same(name: str, tmp_path: Path) -> None:
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((CORPUS / "good" / name).read_bytes()))
    if not name.endswith(COMPRESSED):
        edges = read(packed, options=options(GOOD[name]))
        assert flat(edges) == (GOOD[name]["vertices"], GOOD[name]["edges"])
        assert edges.notes == read(CORPUS / "good" / name, options=options(GOOD[name])).notes


@pytest.mark.parametrize("name", [n for n in GOOD if detect_format(CORPUS / "good" / n) == "edges"])
def test_good_files_in_chunks_yield_the_same(name: str) -> None:
    opened = open_chunks(CORPUS / "good" / name, options(GOOD[name]), chunk_size=1)
    edges = [pair for chunk in opened.readers[0]() for pair in flat(chunk.edges)[1]]
    assert edges == GOOD[name]["edges"]


@pytest.mark.parametrize("name", BAD)
def test_bad_files_yield_their_error(name: str) -> None:
    path = CORPUS / "bad" / name
    expected = BAD[name]
    with pytest.raises(InputError) as caught:
        read(path, options=options(expected))
    error = caught.value
    assert str(error).startswith(str(path))
    assert expected["problem"] in str(error)
    if expected["line"]:
        assert isinstance(error, FileFormatError)
        assert error.line == expected["line"]
        assert expected["column"] in (0, error.column)
    assert "\n" not in str(error)


@pytest.mark.parametrize("format", TEXT)
def test_any_file_in_any_format_yields_edges_or_a_library_error(format: str) -> None:
    gave = 0
    for path in sorted(p for p in CORPUS.rglob("*") if p.is_file()):
        try:
            edges = read(path, format=format, threads=2)
        except LandbridgeError as error:
            assert "\n" not in str(error)
        else:
            gave += 1
            u, n = (edges.u, edges.num_vertices) if isinstance(edges, EdgeList) else (edges.neighbors, None)
            assert n is None or len(u) == 0 or int(u.max()) < n
    assert gave > 0


@pytest.mark.long
def test_prefixes_and_changed_bytes_of_binary_files_yield_edges_or_a_library_error(tmp_path: Path) -> None:
    target = tmp_path / "f"
    for name in GOOD:
        format_ = detect_format(name)
        if format_ in TEXT:
            continue
        data = (CORPUS / "good" / name).read_bytes()
        changed = [data[:k] for k in range(len(data))]
        changed += [data[:k] + bytes([data[k] ^ flip]) + data[k + 1 :] for k in range(len(data)) for flip in (1, 0x80)]
        for variant in changed:
            target.write_bytes(variant)
            try:
                flat_or_error = read(target, format=format_)
            except LandbridgeError as error:
                assert "\n" not in str(error)
            else:
                assert flat_or_error.notes == tuple(flat_or_error.notes)

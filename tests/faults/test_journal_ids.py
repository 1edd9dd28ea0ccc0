"""Streams with ids cut short anywhere: table, trees and journal stay alike, and nothing acknowledged is lost."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.interrupts import Interrupted, before_any_line
from oracles.refusals import all_damage_is_refused, refused

from landbridge import FileFormatError, Incremental
from landbridge.streams import form


def an_id(kind: str, i: int) -> Any:
    return f"id {i}" if kind == "names" else 10**12 * i - 5


def column(kind: str, numbers: list[int]) -> Any:
    return [an_id(kind, i) for i in numbers]


def state(stream: Incremental) -> list[Any]:
    """All that a stream holds: its ids and the batches that brought them, its trees and its forest."""
    record = stream._summary(True)
    assert record.new is not None and record.at is not None
    order = np.argsort(record.at)
    edges = [x[order].tolist() for x in (record.u, record.v, record.at)]
    new = record.new
    batches = [None if x is None else x.tolist() for x in (new.first, new.at)]
    # Of two batches with the same first id the first brought none.
    return [stream.position, record.vertices, list(new.ids), dict(zip(*batches, strict=True)), stream.count, *edges]


def same(a: Incremental, b: Incremental) -> None:
    assert state(a) == state(b)


def agrees(stream: Incremental) -> None:
    """There are as many ids as vertices, and the forest is of edges between them."""
    assert stream._ids is not None
    with stream._numbering():
        assert len(stream._ids) == stream.num_vertices
    assert len(stream.forest().u) == stream.num_vertices - stream.count


def reopened(stream: Incremental) -> Incremental:
    """The stream that its journal makes, after one more batch that is acknowledged and brings an id."""
    assert stream.journal is not None and stream.ids is not None
    agrees(stream)
    stream.insert(*(column(stream.ids, x) for x in ([10**5 + len(stream), 3], [3, 4])))
    stream.close()
    again = Incremental(journal=stream.journal, ids=stream.ids, forest=True, sync=False, threads=1)
    same(stream, again)
    return again


def a_merge(stream: Incremental) -> None:
    assert stream.ids is not None
    other = Incremental(ids=stream.ids, forest=True)
    other.insert(*(column(stream.ids, x) for x in ([len(stream) + 1, 2], [0, len(stream) + 2])))
    stream.merge(other)


def call(name: str, stream: Incremental) -> None:
    n, kind = len(stream), stream.ids
    assert kind is not None
    if name == "insert":
        stream.insert(column(kind, [n, 0]), column(kind, [1, n + 1]))
    elif name == "insert one":
        stream.insert(an_id(kind, n), an_id(kind, 0))
    elif name == "apply":
        stream.apply(column(kind, [n, 0, n + 2]), column(kind, [1, n, 6]), [False, True, False])
    elif name == "merge":
        a_merge(stream)
    else:
        stream.compact()


def stream_of(kind: str, path: Path) -> Incremental:
    stream = Incremental(journal=path, ids=kind, forest=True, sync=False, threads=1)
    stream.insert(column(kind, [0, 1, 6, 3]), column(kind, [1, 2, 6, 5]))
    return stream


CASES = [("names", name) for name in ("insert", "insert one", "apply", "merge", "compact")] + [("sparse", "insert")]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_an_interrupt_before_any_line_leaves_table_trees_and_journal_alike(
    kind: str, name: str, tmp_path: Path
) -> None:
    stream = stream_of(kind, tmp_path / "j")
    stream, moved = before_any_line(stream, lambda s: call(name, s), reopened)
    assert moved == (name != "compact"), "no interrupt came behind the insert"
    stream.close()


@pytest.mark.parametrize("name", ["insert", "apply", "merge"])
@pytest.mark.parametrize("twice", [False, True])
def test_a_signal_while_a_batch_is_inserted_keeps_it_and_its_ids(
    name: str, twice: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = stream_of("names", tmp_path / "j")
    before = len(stream)
    with monkeypatch.context() as patch:
        patch.setattr(stream, "_trees", Interrupted(stream._trees))
        if twice:  # and once more while that is being mended
            patch.setattr(os, "ftruncate", lambda fd, size: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            call(name, stream)
    assert len(stream) > before
    reopened(stream).close()


@pytest.mark.parametrize("kind", ["names", "sparse"])
@pytest.mark.parametrize("journal", [False, True])
def test_a_batch_that_fails_leaves_no_ids(
    kind: str, journal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    stream = stream_of(kind, path) if journal else Incremental(ids=kind, forest=True)
    if not journal:
        stream.insert(column(kind, [0, 1]), column(kind, [1, 2]))
    before = path.read_bytes() if journal else b""

    class Full:
        """Trees without memory for another batch."""

        def __init__(self, trees: Any) -> None:
            self._trees = trees

        def __getattr__(self, name: str) -> Any:
            if name in ("prepare", "insert", "apply", "insert_at"):
                raise MemoryError
            return getattr(self._trees, name)

    known = len(stream)
    for name in ("insert", "insert one", "apply", "merge"):
        with monkeypatch.context() as patch:
            patch.setattr(stream, "_trees", Full(stream._trees))
            with pytest.raises(MemoryError):
                call(name, stream)
        assert len(stream) == known
        agrees(stream)
        assert not stream.connected(an_id(kind, known), an_id(kind, 0))
    if journal:
        assert path.read_bytes() == before
        with monkeypatch.context() as patch:

            def broken(fd: int, data: Any) -> int:
                raise OSError(errno.ENOSPC, "No space left on device")

            patch.setattr(os, "writev", broken)
            with pytest.raises(OSError, match="No space left"):
                call("insert", stream)
        assert path.read_bytes() == before
        agrees(stream)
        reopened(stream).close()


@pytest.mark.parametrize("kind", ["names", "sparse"])
def test_the_torn_end_is_dropped_and_anything_else_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(journal=path, ids=kind, sync=False)
    sizes, batches = [path.stat().st_size], [([0, 1], [1, 1]), ([2, 0], [3, 9]), ([4], [4])]
    for u, v in batches:
        stream.insert(column(kind, u), column(kind, v))
        sizes.append(path.stat().st_size)
    stream.close()
    whole = path.read_bytes()
    assert struct.unpack_from("<I", whole, 8) == (2,)
    counts = [(0, 0), (2, 2), (4, 5), (5, 6)]
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        again = Incremental(journal=path, ids=kind, sync=False)
        complete = max(0, sum(end <= length for end in sizes) - 1)
        assert (again.position, len(again)) == counts[complete]
        assert again.dropped == (length - sizes[complete] if length >= sizes[0] else length)
        again.insert(an_id(kind, 4), an_id(kind, 8))
        again.close()
        last = Incremental(journal=path, ids=kind, sync=False)
        assert (last.position, last.connected(an_id(kind, 8), an_id(kind, 4))) == (counts[complete][0] + 1, True)
        last.close()
    for byte in range(len(whole)):
        altered = bytearray(whole)
        altered[byte] ^= 1 << byte % 8
        path.write_bytes(altered)
        with pytest.raises(FileFormatError, match=f"^{path}: "):
            Incremental(journal=path, ids=kind, sync=False)
        assert path.read_bytes() == altered


@pytest.mark.parametrize("kind", [None, "names", "sparse"])
@pytest.mark.parametrize("forest", [False, True])
def test_a_compacted_journal_that_is_cut_is_refused_and_left_alone(
    kind: str | None, forest: bool, tmp_path: Path
) -> None:
    path = tmp_path / "j"
    stream = Incremental(journal=path, ids=kind, forest=forest, sync=False)
    endpoints = ([1, 2, 5], [2, 3, 6])
    stream.insert(*(column(kind, x) if kind else x for x in endpoints))
    stream.compact()
    summary = path.stat().st_size
    stream.insert(*(column(kind, x) if kind else x for x in endpoints))
    stream.close()
    whole = path.read_bytes()
    for length in range(13, summary):  # so much is there that the header says what the file is
        for data in (whole[:length], whole[:length] + bytes(summary - length)):
            if data == whole[:summary]:
                continue
            path.write_bytes(data)
            with pytest.raises(FileFormatError, match=f"^{path}: "):
                Incremental(journal=path, ids=kind, forest=forest)
            assert path.read_bytes() == data
    path.write_bytes(whole[:-1])  # a batch behind the summary is a batch like others
    stream = Incremental(journal=path, ids=kind, forest=forest)
    assert (stream.position, stream.dropped) == (3, len(whole) - 1 - summary)
    stream.close()


def test_a_journal_of_other_ids_is_refused(tmp_path: Path) -> None:
    for kind in (None, "names", "sparse"):
        Incremental(journal=tmp_path / str(kind), ids=kind).close()
    wrong = {
        (None, "names"): "a journal of a stream with vertex numbers; open it without ids=",
        ("names", None): "a journal of a stream with names as ids; open it with ids='names'",
        ("names", "sparse"): "a journal of a stream with names as ids; open it with ids='names'",
        ("sparse", "names"): "a journal of a stream with whole numbers as ids; open it with ids='sparse'",
    }
    for (kind, opened), message in wrong.items():
        with refused(FileFormatError, f"{tmp_path / str(kind)}: {message}"):
            Incremental(journal=tmp_path / str(kind), ids=opened)


def test_records_with_right_checksums_that_lie(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Incremental(journal=path, ids="sparse").close()
    head = path.read_bytes()

    def record(before: int, ids: list[int], endpoints: list[int], vertices: int = 0, position: int = 0) -> bytes:
        u = np.array(endpoints, dtype=np.uint32)
        new = form.NewIds(before, np.array(ids, dtype=np.int64))
        parts = form.record_parts(form.Record(position, len(u), vertices, u, u, None, new))
        return b"".join(bytes(part) for part in parts)

    path.write_bytes(head + record(0, [7, 9], [0, 1]))
    with Incremental(journal=path, ids="sparse") as stream:
        assert stream.frame().to_pydict()["id"] == [7, 9]
    for data, message in (
        (record(0, [7, 7], [0, 1]), "id 1 of 2 is there already, as number 0"),
        (record(0, [7, 9], [0, 2]), "it has vertex 2, and there are 2 ids"),
        (record(0, [7, 9], [0, 1], vertices=3), "it has vertex 2, and there are 2 ids"),
        (record(1, [7, 9], [0, 1]), "1 ids before it, not 0"),
        (record(0, [7, 9], [0, 1], position=1), "position 1, not 0"),
    ):
        path.write_bytes(head + data)
        with refused(FileFormatError, f"{path}: damaged at byte {len(head)}: {message}"):
            Incremental(journal=path, ids="sparse")


def test_bytes_of_names_in_a_stream_of_numbers_are_no_record(tmp_path: Path) -> None:
    """Else the record would be longer than what is read of it, and be cut off when the journal is opened again."""
    path = tmp_path / "j"
    Incremental(journal=path, ids="sparse").close()
    head = path.read_bytes()
    for text in (1, 2, 10**6):
        start = form.WITH_IDS.pack(form._Start(0, 1, 0, 1, 0, 0, 2, text, 0))
        arrays = [np.zeros(2, "<u4"), np.array([7, 9], "<u8")]
        data = head + start + form._digest(start, *arrays) + b"".join(a.tobytes() for a in arrays)
        path.write_bytes(data)
        for _ in range(2):
            with refused(FileFormatError, f"{path}: damaged at byte {len(head)}: no record begins there"):
                Incremental(journal=path, ids="sparse")
            assert path.read_bytes() == data


@pytest.mark.parametrize("kind", ["names", "sparse"])
def test_every_flipped_bit_of_a_saved_stream_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    stream = Incremental(ids=kind, forest=True)
    stream.insert(column(kind, [0, 1]), column(kind, [1, 1]))
    stream.insert(an_id(kind, 0), an_id(kind, 2))
    stream.save(path)
    same(stream, Incremental.load(path))
    all_damage_is_refused(path, Incremental.load)

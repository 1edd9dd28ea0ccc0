"""Streams on disk: what is written comes back, and whatever is not exactly that is refused by name."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.reference import by_sets
from oracles.refusals import all_damage_is_refused, refused

import landbridge
from landbridge import FileFormatError, Incremental, InputError
from landbridge.streams import form, journal
from landbridge.streams.files import flush_data
from landbridge.streams.form import Head, Record
from landbridge.streams.inspection import inspect


def some(forest: bool = False, **options: object) -> Incremental:
    stream = Incremental(9, forest=forest, **options)  # type: ignore[arg-type]
    stream.insert([0, 1, 0], [1, 2, 2])
    stream.apply([5, 5, 7], [6, 6, 6], [False, True, False])
    return stream


def same(a: Incremental, b: Incremental) -> None:
    assert (a.num_vertices, a.count, a.position) == (b.num_vertices, b.count, b.position)
    assert np.array_equal(a.components().labels, b.components().labels)
    if a._trees.keeps_forest:
        mine, yours = (sorted(zip(*(x.tolist() for x in c._trees.snapshot(True)[2]), strict=True)) for c in (a, b))
        assert mine == yours


@pytest.mark.parametrize("plan", landbridge.plans("incremental", engine="cpu")[::5])
@pytest.mark.parametrize("forest", [False, True])
def test_what_was_saved_is_loaded(plan: str, forest: bool, tmp_path: Path) -> None:
    if forest and not Incremental(plan=plan).mixed:
        return
    stream = some(forest, plan=plan)
    stream.save(tmp_path / "s")
    again = Incremental.load(tmp_path / "s")
    assert again.plan == plan
    same(stream, again)
    again.insert(8, 3)
    assert again.connected(3, 8)
    again.save(tmp_path / "s")
    same(again, Incremental.load(tmp_path / "s", plan="async(halve)", threads=1))
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("ids", [None, "sparse"])
@pytest.mark.parametrize("forest", [False, True])
def test_whether_batches_are_two_rows_or_two_columns_is_kept(ids: str | None, forest: bool, tmp_path: Path) -> None:
    columns, rows = [[0, 1, 2], [3, 4, 5]], [[6, 7], [8, 0]]
    for first, other in ((columns, rows), (rows, columns)):
        path = tmp_path / str(len(first[0]))
        names = ["batch 0", "a batch in the stream's file"][:: 1 if first is columns else -1]
        problem = f"{names[0]} is of the first kind, {names[1]} of the second"
        stream = Incremental(ids=ids, forest=forest, journal=path)
        stream.insert(first)
        stream.insert([0], [1])
        stream.save(tmp_path / "s")
        stream.close()
        for again in (Incremental.load(tmp_path / "s"), Incremental(ids=ids, forest=forest, journal=path)):
            with pytest.raises(InputError, match=problem):
                again.insert(other)
            again.insert(first)
            if again.journal is not None:
                again.compact()
            again.close()
        with (
            Incremental(ids=ids, forest=forest, journal=path) as again,
            pytest.raises(InputError, match=problem),
        ):
            again.insert(other)


def test_a_file_that_does_not_say_what_batches_were_is_loaded(tmp_path: Path) -> None:
    ids = np.array([0, 1], dtype=np.uint32)
    journal.save(str(tmp_path / "s"), Head("auto", False), Record(0, 2, 0, ids, ids + 1, None))
    stream = Incremental.load(tmp_path / "s")
    stream.insert([[6, 7], [8, 0]])
    assert stream.connected(6, 7)


def test_nothing_is_a_stream_too(tmp_path: Path) -> None:
    Incremental().save(tmp_path / "s")
    assert len(Incremental.load(tmp_path / "s")) == 0
    Incremental(5).save(tmp_path / "s")
    assert Incremental.load(tmp_path / "s").count == 5


@pytest.mark.parametrize("forest", [False, True])
def test_every_truncation_and_every_flipped_bit_is_refused_by_name(forest: bool, tmp_path: Path) -> None:
    path = tmp_path / "s"
    some(forest).save(path)
    all_damage_is_refused(path, Incremental.load)
    path.write_bytes(path.read_bytes() + b"\0")
    with refused(FileFormatError, f"{path}: 1 bytes too many at its end"):
        Incremental.load(path)


def test_other_files_versions_and_kinds(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"0 1\n1 2\n")
    with refused(FileFormatError, f"{path}: no journal and no saved stream of landbridge"):
        Incremental.load(path)
    some().save(path)
    path.write_bytes(form.STREAM_MAGIC + struct.pack("<I", 7) + path.read_bytes()[12:])
    with refused(FileFormatError, f"{path}: format version 7, and this landbridge reads 1 and 2"):
        Incremental.load(path)
    with pytest.raises(FileNotFoundError):
        Incremental.load(tmp_path / "nowhere")
    Incremental(journal=path.with_name("j")).close()
    with refused(
        FileFormatError, f"{path}: a saved stream, not a journal: open it with Incremental.load", exactly=True
    ):
        some().save(path)
        Incremental(journal=path)
    j = path.with_name("j")
    with refused(FileFormatError, f"{j}: a journal, not a saved stream: open it with Incremental(journal=...)"):
        Incremental.load(j)


def test_a_file_with_right_checksums_that_lies(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    ids = np.array([1, 1], dtype=np.uint32)
    journal.save(path, Head("async(naive)@cpu", False), Record(0, 3, 2, ids, ids * 0, None))
    with refused(FileFormatError, f"{path}: damaged: its edges close a cycle"):
        Incremental.load(path)
    journal.save(path, Head("async(naive)@cpu", False), Record(0, 3, 2**60, ids, ids, None))
    with refused(MemoryError, f"no memory for the stream's {2**60} vertices"):
        Incremental.load(path)
    # A length beyond the file is seen before memory is taken for it.
    head = form.head_bytes(Head("async(naive)@cpu", False), saved=True)
    start, *_ = form.record_parts(Record(0, 0, 0, ids, ids, None))
    checked = bytearray(start[:40])
    struct.pack_into("<Q", checked, 24, 2**50)
    Path(path).write_bytes(head + checked + struct.pack("<II", form.zlib.crc32(checked), 0) + bytes(40))
    with refused(FileFormatError, f"{path}: cut off at byte", exactly=False):
        Incremental.load(path)


def test_a_failing_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    stream = some()
    stream.save(path)
    before = path.read_bytes()
    stream.insert(3, 4)

    def full(fd: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "writev", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        stream.save(path)
    assert error.value.filename == str(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("options", [{"max_bytes": 1000}, {"sync": False}])
def test_options_of_journals_are_refused_without_one(options: dict[str, Any], tmp_path: Path) -> None:
    (text,) = (f"{name}={value}" for name, value in options.items())
    with refused(InputError, f"{text} has no effect: it is for journals, and this stream has none"):
        Incremental(**options)
    Incremental(journal=tmp_path / "j", **options).close()


def test_an_empty_file_is_a_fresh_journal(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.touch()
    a = Incremental(3, journal=path, forest=True)
    a.insert(0, 1)
    a.close()
    b = Incremental(journal=path, forest=True)
    assert (b.count, b.num_vertices, b.position) == (2, 3, 1)
    b.close()
    path.write_bytes(b"")
    with refused(FileFormatError, f"{path}: cut off at byte 0"):
        Incremental.load(path)


def test_a_missing_folder_is_told_by_the_name_that_was_given(tmp_path: Path) -> None:
    path = tmp_path / "no" / "s"
    for call in (lambda: some().save(path), lambda: Incremental(journal=path)):
        with pytest.raises(FileNotFoundError) as error:
            call()
        assert error.value.filename == str(path)


def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="neither a file nor a new one") as error:
            some().save(path)
        assert error.value.filename == str(pipe)
    assert pipe.is_fifo()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_journal_brings_everything_back(tmp_path: Path) -> None:
    path = tmp_path / "j"
    a = Incremental(4, journal=path, forest=True)
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 300, (2, 500))
    kinds = rng.random(500) < 0.3
    a.insert(u[:100], v[:100])
    bits = a.apply(u[100:400], v[100:400], kinds[100:400])
    assert len(bits) == 38
    a.insert(int(u[400]), int(v[400]))
    other = Incremental(350, forest=True)
    other.insert([340, 2], [341, 341])
    a.merge(other)
    a.insert([], [])
    a.close()
    b = Incremental(journal=path, forest=True)
    same(a, b)
    assert (b.position, b.dropped, b.num_vertices) == (403, 0, 350)
    inserted = ~kinds[:401]
    inserted[:100] = inserted[400] = True
    endpoints = [np.r_[x[:401][inserted], y] for x, y in ((u, [340, 2]), (v, [341, 341]))]
    assert np.array_equal(b.components().labels, by_sets(350, *endpoints))
    size = path.stat().st_size
    b.compact()
    assert path.stat().st_size < size
    b.insert(348, 349)
    b.close()
    c = Incremental(journal=path)
    same(c, b)
    assert (c.position, c.connected(348, 349)) == (404, True)
    c.close()


def test_the_torn_end_of_a_journal_is_dropped_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "j"
    a = Incremental(journal=path, sync=False)
    sizes = [path.stat().st_size]
    for i in range(3):
        a.insert([0, i], [i, i + 1])
        sizes.append(path.stat().st_size)
    a.close()
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        b = Incremental(journal=path, sync=False)
        complete = max(0, sum(end <= length for end in sizes) - 1)
        assert (b.position, b.dropped) == (2 * complete, length - sizes[complete] if length >= sizes[0] else length)
        b.insert(7, 8)
        b.close()
        c = Incremental(journal=path, sync=False)
        assert (c.position, c.dropped) == (2 * complete + 1, 0)
        c.close()
    # A file system that had no time leaves zeros; they are no batch.
    path.write_bytes(whole + bytes(3000))
    b = Incremental(journal=path, sync=False)
    assert (b.position, b.dropped) == (6, 3000)
    b.close()
    # A damaged record that is all there was acknowledged once, the last one too: that is not repaired in silence.
    for byte in range(sizes[3]):
        altered = bytearray(whole)
        altered[byte] ^= 16
        path.write_bytes(altered)
        with pytest.raises(FileFormatError, match=f"^{path}: "):
            Incremental(journal=path, sync=False)
        assert path.read_bytes() == altered


def test_a_batch_that_fails_is_not_in_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    a = Incremental(journal=path)
    a.insert(0, 1)
    before = path.read_bytes()
    calls: list[Callable[[], object]] = [
        lambda: a.insert([1, -2], [2, 2]),
        lambda: a.insert(0, 10**14),
        lambda: a.apply([0, -1], [0, 0], [0, 1]),
    ]
    for call in calls:
        with pytest.raises((InputError, MemoryError)):
            call()
        assert path.read_bytes() == before

    def broken(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        sync = os.fdatasync
        patch.setattr(os, "fdatasync", lambda fd: patch.setattr(os, "fdatasync", sync) or broken(fd))
        with pytest.raises(OSError, match="Input/output error"):
            a.insert(2, 3)
    assert path.read_bytes() == before
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", broken)
        with pytest.raises(OSError, match="Input/output error"):
            a.insert(2, 3)
    with pytest.raises(OSError, match="could be neither written nor taken back"):
        a.insert(2, 3)
    a.close()
    assert Incremental(journal=path).position == 1


def test_a_pipe_or_a_device_is_no_journal_and_no_saved_stream(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null")):
        for call in (lambda name: Incremental(journal=name), Incremental.load, inspect):
            with pytest.raises(FileFormatError, match="a pipe or a device"):
                call(str(path))


def test_who_may_write_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "j"
    a = Incremental(3, journal=path)
    assert a.journal == path
    with refused(InputError, f"{path}: the journal is held by another stream"):
        Incremental(journal=path)
    child = os.fork()
    if child == 0:
        try:
            a.insert(0, 1)
        except InputError as error:
            os._exit(0 if "which forked this one" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    a.close()
    with refused(InputError, f"{path}: the journal is closed"):
        a.insert(0, 1)
    with refused(FileFormatError, f"{path}: a journal of a stream that keeps no forest"):
        Incremental(journal=path, forest=True)
    b = Incremental(journal=path)
    assert b.num_vertices == 3
    b.close()
    with refused(InputError, "this stream has no journal"):
        Incremental().compact()


def test_the_end_of_a_with_block_or_of_the_stream_gives_the_journal_up(tmp_path: Path) -> None:
    with Incremental(journal=tmp_path / "j") as stream:
        stream.insert(1, 2)
        with pytest.raises(InputError, match="held by another stream"):
            Incremental(journal=tmp_path / "j")
    with pytest.raises(InputError, match="the journal is closed"):
        stream.insert(3, 4)
    forgotten = Incremental(journal=tmp_path / "j")
    assert forgotten.position == 1
    del forgotten
    assert Incremental(journal=tmp_path / "j").connected(1, 2)


# Written by the first version of the form, before streams had ids.
SAVED = (
    "894c42530d0a1a0a010000000300000010000000000000006173796e6328696e746572294063707577b2a98abaaa6b62ff40"
    "f1063c06f5bc4c4252310200000006000000000000000900000000000000030000000000000000000000000000009939a95f"
    "000000000fcaa608504266e4f1eb74c718788b5b010000000200000006000000000000000000000005000000000000000000"
    "000001000000000000000400000000000000"
)
JOURNAL = (
    "894c42530d0a1a0a010000000000000010000000000000006173796e6328696e7465722940637075eadff09e717f3fb60f78"
    "ec5d2a3432634c425231000000000300000000000000000000000000000003000000000000000000000000000000ebd0417d"
    "00000000364014d780a5912306c7c6d8d785eaad010000000200000006000000000000000000000005000000"
)


def test_files_of_streams_without_ids_are_as_they_always_were(tmp_path: Path) -> None:
    saved, written = tmp_path / "s", tmp_path / "j"
    saved.write_bytes(bytes.fromhex(SAVED))
    stream = Incremental.load(saved)
    assert (stream.num_vertices, stream.position, stream.forest().edge.tolist()) == (9, 6, [0, 1, 4])
    assert stream.components().labels.tolist() == [0, 0, 0, 1, 2, 3, 3, 4, 5]
    stream.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes().hex() == SAVED
    written.write_bytes(bytes.fromhex(JOURNAL))
    with Incremental(journal=written) as stream:
        assert (stream.num_vertices, stream.position, stream.dropped) == (7, 3, 0)
        assert stream.components().labels.tolist() == [0, 0, 0, 1, 2, 3, 3]
    with Incremental(journal=tmp_path / "fresh", plan="async(inter)") as stream:
        stream.insert(np.array([1, 2, 6]), np.array([0, 0, 5]))
    assert (tmp_path / "fresh").read_bytes().hex() == JOURNAL


def test_streams_with_ids_are_of_a_version_that_older_programs_refuse(tmp_path: Path) -> None:
    for i, ids in enumerate((None, "sparse", "names")):
        Incremental(ids=ids).save(tmp_path / "s")
        Incremental(ids=ids, journal=tmp_path / str(ids)).close()
        for path in (tmp_path / "s", tmp_path / str(ids)):
            version, flags = struct.unpack_from("<II", path.read_bytes(), 8)
            assert (version, flags & ~1) == ((1, 0), (2, 8), (2, 16))[i]
    # Flags without a meaning are refused, too.
    head = bytearray(form.head_bytes(Head("async(inter)@cpu", False)))
    struct.pack_into("<I", head, 12, 32)
    path = tmp_path / "new"
    path.write_bytes(bytes(head[:-16]) + form._digest(bytes(head[:-16])))
    with refused(FileFormatError, f"{path}: its flags are 32, which this version of landbridge does not support"):
        Incremental(journal=path)


@pytest.mark.parametrize("refused", [None, errno.ENOTSUP, errno.EIO])
def test_systems_without_fdatasync_flush_by_what_they_have(
    refused: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def full(fd: int, what: int) -> None:
        calls.append(what)
        if refused is not None:
            raise OSError(refused, os.strerror(refused))

    monkeypatch.delattr(os, "fdatasync")
    monkeypatch.setattr(os, "fsync", calls.append)
    with (tmp_path / "file").open("wb") as file:
        flush_data(file.fileno())
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", full)
        if refused == errno.EIO:
            with pytest.raises(OSError, match="Input/output error"):
                flush_data(file.fileno())
        else:
            flush_data(file.fileno())
        fd = file.fileno()
    assert calls == [fd, 51] if refused != errno.ENOTSUP else calls == [fd, 51, fd]

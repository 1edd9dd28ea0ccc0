"""Journals and saves that are cut short anywhere: by signals, by the system's refusals, by death between two steps."""

from __future__ import annotations

import errno
import os
import signal
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.interrupts import Interrupted, before_any_line, cut_short
from oracles.refusals import refused

from landbridge import FileFormatError, Incremental, InputError
from landbridge.streams import form, inspection, journal
from landbridge.streams.form import Record


def same(a: Incremental, b: Incremental) -> None:
    assert (a.num_vertices, a.count, a.position) == (b.num_vertices, b.count, b.position)
    assert np.array_equal(a.components().labels, b.components().labels)
    mine, yours = (c.forest() for c in (a, b))
    for x, y in ((mine.u, yours.u), (mine.v, yours.v), (mine.edge, yours.edge)):
        assert np.array_equal(x, y)


def reopened(stream: Incremental) -> Incremental:
    """The stream that its journal makes, after one more batch that is acknowledged."""
    assert stream.journal is not None
    stream.insert([stream.num_vertices, 3], [stream.num_vertices + 1, 4])
    stream.close()
    again = Incremental(journal=stream.journal, forest=True)
    same(stream, again)
    return again


def a_merge(stream: Incremental) -> None:
    other = Incremental(stream.num_vertices + 4, forest=True)
    other.insert([1, 2], [7, 8])
    stream.merge(other)


CALLS: dict[str, Callable[[Incremental], object]] = {
    "insert": lambda s: s.insert([s.num_vertices, 0], [1, s.num_vertices + 1]),
    "insert_one": lambda s: s.insert(s.num_vertices, 0),
    "apply": lambda s: s.apply([s.num_vertices, 0, 5], [1, 5, 6], [False, True, False]),
    "merge": a_merge,
    "compact": lambda s: s.compact(),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_before_any_line_leaves_stream_and_journal_alike(name: str, tmp_path: Path) -> None:
    stream = Incremental(9, journal=tmp_path / "j", forest=True)
    stream, moved = before_any_line(stream, CALLS[name], reopened)
    assert moved == (name != "compact"), "no interrupt came behind the insert"
    stream.close()


def test_an_interrupt_before_any_line_of_opening_loses_nothing(tmp_path: Path) -> None:
    for step in range(1, 1000):
        path = tmp_path / str(step) / "j"  # a folder of its own: what lies there is looked at, line by line
        path.parent.mkdir()
        cut = cut_short(lambda p=path: Incremental(5, journal=p, forest=True).close(), step)  # type: ignore[misc]
        stream = Incremental(5, journal=path, forest=True)
        stream.insert(0, 1)
        stream.close()
        cut_short(lambda p=path: Incremental(journal=p, forest=True).close(), step)  # type: ignore[misc]
        stream = Incremental(journal=path, forest=True)
        assert (stream.position, stream.num_vertices, stream.count) == (1, 5, 4)
        stream.close()
        if not cut:
            break
    assert 50 < step < 999


def test_an_interrupt_before_any_line_of_a_save_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "s"
    stream = Incremental(4)
    stream.save(path)
    saved = {0}
    for step in range(1, 1000):
        before = stream.position
        stream.insert(0, 1)
        cut = cut_short(lambda: stream.save(path), step)
        position = Incremental.load(path).position
        assert position in (*saved, stream.position)
        saved = {position}
        if not cut:
            break
        assert position <= before + 1
    assert 30 < step < 999
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("name", ["insert", "apply", "merge"])
@pytest.mark.parametrize("twice", [False, True])
def test_a_signal_while_a_batch_is_inserted_keeps_it(
    name: str, twice: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Incremental(9, journal=tmp_path / "j", forest=True)
    stream.insert([0, 1], [1, 2])
    before = stream.position
    with monkeypatch.context() as patch:
        patch.setattr(stream, "_trees", Interrupted(stream._trees))
        if twice:  # and once more while that is being mended
            patch.setattr(os, "ftruncate", lambda fd, size: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            CALLS[name](stream)
    assert stream.position > before
    reopened(stream).close()


def test_a_signal_while_a_batch_is_written_takes_it_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Incremental(9, journal=tmp_path / "j", forest=True)
    size = (tmp_path / "j").stat().st_size
    write = os.writev

    def some(fd: int, parts: Any) -> int:
        done = write(fd, [parts[0][:7]])
        signal.raise_signal(signal.SIGINT)
        return done

    for twice in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(os, "writev", some)
            if twice:
                patch.setattr(os, "ftruncate", lambda fd, size: signal.raise_signal(signal.SIGINT))
            with pytest.raises(KeyboardInterrupt):
                stream.insert(5, 6)
        assert stream.position == 0
        assert ((tmp_path / "j").stat().st_size == size) == (not twice)
    stream = reopened(stream)
    assert not stream.connected(5, 6)
    stream.close()


def folders_fail(number: int, call: Callable[..., Any]) -> Callable[..., Any]:
    """A call of the system that fails for folders."""

    def instead(what: int) -> Any:
        if stat.S_ISDIR(os.fstat(what).st_mode):
            raise OSError(number, os.strerror(number))
        return call(what)

    return instead


def test_a_compaction_without_a_descriptor_left_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    stream = Incremental(9, journal=path, forest=True)
    stream.insert([0, 1], [1, 2])
    before = path.read_bytes()
    opened = os.open

    def scarce(where: Any, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_DIRECTORY:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), where)
        return opened(where, flags, mode)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", scarce)
        with pytest.raises(OSError, match="Too many open files") as error:
            stream.compact()
        with pytest.raises(OSError, match="Too many open files"):
            stream.save(tmp_path / "s")
    assert error.value.filename == str(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["j"]
    reopened(stream).close()


def test_a_compaction_that_may_be_undone_takes_no_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Incremental(9, journal=tmp_path / "j", forest=True)
    for _ in range(3):
        stream.insert([0, 1], [1, 2])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", folders_fail(errno.EIO, os.fsync))
        with pytest.raises(OSError, match="Input/output error"):
            stream.compact()
    position = stream.position
    with pytest.raises(OSError, match="it was replaced, and a power cut could undo that; open the journal again"):
        stream.insert(5, 6)
    assert stream.position == position
    stream.compact()  # into place once more, and flushed this time
    reopened(stream).close()


def test_the_other_name_that_a_crash_leaves_a_fresh_journal_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(9, journal=path, forest=True)
    stream.insert(0, 1)
    path.with_name("j.0123456789abcdef.partial").hardlink_to(path)
    stream.compact()
    stream = reopened(stream)
    path.with_name("j.0123456789abcdef.partial").hardlink_to(path)
    stream.close()
    stream = Incremental(journal=path, forest=True)
    assert stream.position == 3
    stream.compact()
    reopened(stream).close()
    assert [p.name for p in tmp_path.iterdir()] == ["j"]


def test_a_closed_or_inherited_journal_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(9, journal=path)
    child = os.fork()
    if child == 0:
        try:
            stream.compact()
        except InputError as error:
            os._exit(0 if "which forked this one" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    stream.close()
    with refused(InputError, f"{path}: the journal is closed"):
        stream.compact()


# batches that cannot be inserted -----------------------------------------------------------------------------------

IMPOSSIBLE: dict[str, Callable[[Incremental], object]] = {
    "negative": lambda s: s.insert([5, -1], [6, 3]),
    "negative, 32 bits": lambda s: s.insert(np.array([5, -1], dtype=np.int32), np.array([6, 3], dtype=np.int32)),
    "negative query": lambda s: s.apply([5, -1], [6, 3], [False, True]),
    "negative in a batch": lambda s: s.apply([5, -1], [6, 3], [True, False]),
    "too large": lambda s: s.insert([2**61], [3]),
    "too large for a machine": lambda s: s.insert([2**46], [3]),
    "largest": lambda s: s.insert([2**63 - 1], [0]),
    "unsigned": lambda s: s.insert(np.array([2**64 - 1], dtype=np.uint64), np.array([0], dtype=np.uint64)),
    "too large in a batch": lambda s: s.apply([2**61, 1], [3, 2], [False, True]),
    "too large merge": lambda s: s._append_record(Record(0, 1, 2**46, NO_IDS, NO_IDS, None)),
}
NO_IDS = np.empty(0, dtype=np.int64)


@pytest.mark.parametrize("plan", ["auto", "rem_cas(naive,splice)", "shiloach_vishkin"])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_batch_that_is_refused_is_never_written(
    plan: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Incremental(9, plan=plan, journal=tmp_path / "j")
    stream.insert([0, 1], [1, 2])
    before = (tmp_path / "j").read_bytes()
    write, written = os.writev, []
    monkeypatch.setattr(os, "writev", lambda fd, data: written.append(fd) or write(fd, data))
    with pytest.raises((InputError, MemoryError)):
        IMPOSSIBLE[name](stream)
    assert (stream.num_vertices, stream.position, stream.count) == (9, 2, 7)
    assert not written
    assert (tmp_path / "j").read_bytes() == before
    stream.insert(3, 4)
    stream.close()
    assert Incremental(journal=tmp_path / "j").count == 6


def test_killed_between_writing_a_batch_and_inserting_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Incremental(9, journal=path).close()
    calls = [lambda s: s.insert([0, 1], [1, 2]), *IMPOSSIBLE.values()]
    for call in calls:
        child = os.fork()
        if child == 0:
            stream = Incremental(journal=path)
            journal.os.fdatasync = lambda fd: os._exit(9)  # type: ignore[assignment]
            try:
                call(stream)
            except (InputError, MemoryError):
                os._exit(8)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code == (9 if call is calls[0] else 8)
        stream = Incremental(journal=path)
        assert (stream.position, stream.count, stream.dropped) == (2, 7, 0)
        stream.close()


def with_batch(path: Path, ids: list[int], position: int, dtype: str = "i8") -> int:
    """Write a batch behind a journal without any check; its length."""
    u = np.array(ids).astype(dtype)
    parts = [bytes(part) for part in form.record_parts(Record(position, len(u), 0, u, u, None))]
    with path.open("ab") as file:
        file.write(b"".join(parts))
    return sum(map(len, parts))


def test_a_last_batch_that_no_stream_can_hold_was_never_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(9, journal=path)
    stream.insert([0, 1], [1, 2])
    stream.close()
    whole = path.read_bytes()
    for largest in (2**61, 2**63 - 1, -1):
        length = with_batch(path, [3, largest], 2)
        stream = Incremental(journal=path)
        assert (stream.position, stream.count, stream.dropped) == (2, 7, length)
        assert path.read_bytes() == whole
        stream.close()
    # One that another machine may hold was acknowledged there: it is not thrown away.
    with_batch(path, [3, 2**46], 2)
    longer = path.read_bytes()
    with refused(MemoryError, f"no memory for the stream's {2**46 + 1} vertices"):
        Incremental(journal=path)
    assert path.read_bytes() == longer


def test_bytes_of_no_record_are_not_one_that_is_cut_off(tmp_path: Path) -> None:
    path, saved = tmp_path / "j", tmp_path / "s"
    stream = Incremental(9, journal=path)
    stream.insert([0, 1], [1, 2])
    stream.save(saved)
    stream.close()
    whole = path.read_bytes()
    for foreign in (b"x", b"LBR2", b"LBX" + bytes(range(1, 40)), b"LBR1" + b"x" * 44, b"x" * 63, b"x" * 100):
        path.write_bytes(whole + foreign)
        problem = f"damaged at byte {len(whole)}: no record begins there"
        with refused(FileFormatError, f"{path}: {problem}"):
            Incremental(journal=path)
        assert inspection.inspect(str(path)).problem == problem
    for length in (1, 4, 47):
        path.write_bytes(whole + (b"LBR1" + b"x" * 43)[:length])
        with Incremental(journal=path) as again:
            assert (again.position, again.dropped) == (2, length)
    begun = saved.read_bytes()[:-1]
    saved.write_bytes(begun)
    begins = begun.index(b"LBR1")
    with refused(FileFormatError, f"{saved}: cut off at byte {len(begun)}, in the record that begins at byte {begins}"):
        Incremental.load(saved)


def test_a_summary_that_no_stream_can_hold_stays(tmp_path: Path) -> None:
    path = tmp_path / "j"
    u = np.array([2**63 - 1], dtype=np.int64)
    parts = [bytes(part) for part in form.record_parts(Record(0, 1, 2, u, np.array([1]), None))]
    path.write_bytes(form.head_bytes(form.Head("auto", False, None), summary=True) + b"".join(parts))
    whole = path.read_bytes()
    for _ in range(2):
        with refused(MemoryError, f"no memory for the stream's {2**63} vertices"):
            Incremental(journal=path)
        assert path.read_bytes() == whole
    assert not inspection.inspect(str(path)).opens
    with pytest.raises(FileFormatError, match="nothing to cut back to"):
        inspection.repair(str(path))
    assert path.read_bytes() == whole


# journals whose creation was interrupted ------------------------------------------------------------------------------


def header(plan: str = "auto", forest: bool = False, folder: Path = Path("/")) -> bytes:
    path = folder / "h"
    Incremental(journal=path, plan=plan, forest=forest).close()
    data = path.read_bytes()
    path.unlink()
    return data


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("plan", ["auto", "hooks(compress)"])
def test_the_beginning_of_a_header_is_a_fresh_journal(plan: str, forest: bool, tmp_path: Path) -> None:
    path, whole = tmp_path / "j", header(plan, forest, tmp_path)
    for data in (*(whole[:length] for length in range(len(whole))), bytes(30), bytes(5000)):
        path.write_bytes(data)
        stream = Incremental(3, journal=path, forest=True)  # another plan than had begun, and a forest perhaps
        assert (stream.dropped, stream.position) == (len(data), 0)
        reopened(stream).close()


def test_what_only_looks_like_the_beginning_of_a_header_is_refused(tmp_path: Path) -> None:
    path, whole = tmp_path / "j", header(folder=tmp_path)
    start = struct.calcsize("<8sIIII")
    others = [b"0 1\n1 2\n", b"\0\0\0x", bytes(5000) + b"x", whole[:-1] + b"x", whole[: start + 3] + b"\0", b"x" * 5000]
    flags = struct.pack("<I", 1)
    for data in (*others, whole[:12] + flags + whole[16:30], whole[:8] + b"\2\0\0\0" + whole[12:30]):
        path.write_bytes(data)
        with pytest.raises(FileFormatError, match=f"^{path}: "):
            Incremental(journal=path)
        assert path.read_bytes() == data


def test_a_journal_in_an_empty_file_is_on_the_disk_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    path.touch()
    flushed = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(Path(f"/proc/self/fd/{fd}").readlink()) or flush(fd))
    Incremental(journal=path).close()
    assert flushed[-2:] == [path, tmp_path]

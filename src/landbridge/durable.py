"""Streams on disk: files that are whole or refused, and a journal that loses no acknowledged batch.

One format for both. A file is a header and records; integers are little-endian::

    header   8 bytes  89 4c 42 53 0d 0a 1a 0a
             u32      format version, 1
             u32      flags: 1 the file is a saved stream (one record, nothing behind it), 2 the stream keeps its forest
             u32      length of the plan's text
             u32      0
             text     the plan, canonical, ASCII
             16 bytes BLAKE2b of all of the header before
    record   4 bytes  "LBR1"
             u32      flags: 1 ids have 64 bits (else 32), 2 positions follow the ids
             u64      how far the record moves the stream's position
             u64      vertices that are known behind it, at least (0: those of its edges)
             u64      its edges, m
             u64      the stream's position before it
             u32      CRC-32 of the record before
             u32      0
             16 bytes BLAKE2b of the 48 bytes before and of the arrays behind
             m ids u, m ids v, and m u64 positions relative to the record's beginning, if the flag says so

A record is the summary of a stream, or a batch of it: either way edges to insert. The last record of a journal may be
cut off anywhere: it is dropped when the journal is opened, for its batch was never acknowledged. So is a last record
with ids that no stream can hold: journals were once written before ids were looked at. A header that is cut off, or
zeros alone, is a journal that somebody began to make. A record that is all there and does not agree with its checksums
is refused, the last one too.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from landbridge.errors import FileFormatError, InputError

MAGIC = b"\x89LBS\r\n\x1a\n"
VERSION = 1
_SAVED, _FOREST = 1, 2
_WIDE, _POSITIONS = 1, 2
_HEADER = struct.Struct("<8sIIII")
_RECORD = struct.Struct("<4sIQQQQII")
_CHECKED = struct.Struct("<4sIQQQQ")  # what the record's own checksum covers
_DIGEST = 16
_MARK = b"LBR1"
_PARTIAL = ".partial"
_LONGEST_HEADER = 2**12
_NO_ID = 1 << 55
"""No machine has addresses for the cells of so many vertices."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Head:
    """What a file says of its stream: the plan's text, and whether the forest is kept."""

    plan: str
    forest: bool


@dataclass(frozen=True, eq=False)
class Record:
    """Edges of a stream, as `insert_at` of the trees takes them. at: positions relative to `position`, or None."""

    position: int
    advance: int
    vertices: int
    u: Array
    v: Array
    at: Array | None


def _digest(*parts: Any) -> bytes:
    state = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        state.update(part)
    return state.digest()


def _head_bytes(head: Head, saved: bool) -> bytes:
    flags = (_SAVED if saved else 0) | (_FOREST if head.forest else 0)
    text = head.plan.encode("ascii")
    start = _HEADER.pack(MAGIC, VERSION, flags, len(text), 0) + text
    return start + _digest(start)


def _record_parts(record: Record) -> list[Any]:
    wide = record.u.dtype.itemsize == 8 and any(len(x) and int(x.view("u8").max()) >> 32 for x in (record.u, record.v))
    flags = (_WIDE if wide else 0) | (0 if record.at is None else _POSITIONS)
    ids = "<u8" if wide else "<u4"
    arrays = [np.ascontiguousarray(x.astype(ids, copy=False)) for x in (record.u, record.v)]
    if record.at is not None:
        arrays.append(np.ascontiguousarray(record.at).astype("<u8", copy=False))
    checked = _CHECKED.pack(_MARK, flags, record.advance, record.vertices, len(record.u), record.position)
    start = checked + struct.pack("<II", zlib.crc32(checked), 0)
    views = [a.view(np.uint8).data for a in arrays if len(a)]
    return [start, _digest(start, *views), *views]


def _holdable(record: Record) -> bool:
    """Whether there can be a machine whose memory holds the vertices of a record."""
    return all(x.dtype.itemsize < 8 or len(x) == 0 or int(x.max()) < _NO_ID for x in (record.u, record.v))


def _length(flags: int, edges: int) -> int:
    """The bytes of a record."""
    width = 8 if flags & _WIDE else 4
    return _RECORD.size + _DIGEST + edges * (2 * width + (8 if flags & _POSITIONS else 0))


# reading ----------------------------------------------------------------------------------------------------------


class _Reader:
    """A file read from its beginning; every size is compared with what the file has before memory is taken."""

    def __init__(self, fd: int, path: str) -> None:
        self.fd, self.path, self.at, self.size = fd, path, 0, os.fstat(fd).st_size

    def wrong(self, problem: str) -> FileFormatError:
        return FileFormatError(self.path, problem)

    @property
    def left(self) -> int:
        return self.size - self.at

    def bytes(self, count: int) -> bytes:
        data = os.pread(self.fd, count, self.at) if count else b""
        if len(data) != count:
            raise self.wrong(f"cut off at byte {self.at + len(data)}")
        self.at += count
        return data

    def array(self, count: int, dtype: str) -> Array:
        array = np.empty(count, dtype=dtype)
        view = array.view(np.uint8).data
        done = 0
        while done < len(view):
            some = os.preadv(self.fd, [view[done : done + 2**30]], self.at + done)
            if some == 0:
                raise self.wrong(f"cut off at byte {self.at + done}")
            done += some
        self.at += done
        return array

    def head(self) -> tuple[Head, bool]:
        """What the file is of, and whether it is a saved stream."""
        if self.left < _HEADER.size or os.pread(self.fd, len(MAGIC), 0) != MAGIC:
            whole = self.left >= len(MAGIC) and os.pread(self.fd, len(MAGIC), 0) != MAGIC
            raise self.wrong("not a stream saved by landbridge" if whole else f"cut off at byte {self.size}")
        start = self.bytes(_HEADER.size)
        _, version, flags, length, _ = _HEADER.unpack(start)
        if version != VERSION:
            raise self.wrong(f"format version {version}, and this landbridge reads {VERSION}")
        if self.left < length + _DIGEST:
            raise self.wrong("cut off in its header, or damaged")
        text = self.bytes(length)
        if self.bytes(_DIGEST) != _digest(start, text):
            raise self.wrong("damaged: the checksum of its header is wrong")
        return Head(text.decode("ascii"), bool(flags & _FOREST)), bool(flags & _SAVED)

    def record(self) -> Record:
        """The next record. Raises FileFormatError where there is none that is whole."""
        where = self.at
        if self.left < _RECORD.size + _DIGEST:
            raise self.wrong(f"cut off at byte {self.size}")
        start = self.bytes(_RECORD.size)
        mark, flags, advance, vertices, edges, position, check, _ = _RECORD.unpack(start)
        if mark != _MARK or check != zlib.crc32(start[: _CHECKED.size]):
            raise self.wrong(f"damaged at byte {where}: no record begins there")
        digest = self.bytes(_DIGEST)
        width = 8 if flags & _WIDE else 4
        if self.size - where < _length(flags, edges):
            raise self.wrong(f"cut off at byte {self.size}")
        u, v = (self.array(edges, f"<u{width}") for _ in range(2))
        at = self.array(edges, "<i8") if flags & _POSITIONS else None
        arrays = [a.view(np.uint8).data for a in (u, v, at) if a is not None and len(a)]
        if digest != _digest(start, *arrays):
            raise self.wrong(f"damaged in the record at byte {where}: its checksum is wrong")
        return Record(position, advance, vertices, u, v, at)

    def torn(self) -> bool:
        """Whether what is left is the beginning of a record and no more, as a process leaves it that is killed.

        The length of a record has a checksum of its own, so one that is all there and wrong is told from one that is
        not. Zeros alone are no record either: some file systems leave them where nothing was written in time.
        """
        start = os.pread(self.fd, _RECORD.size, self.at)
        if start[: len(_MARK)] != _MARK[: len(start)]:
            return self._only_zeros()
        if len(start) < _RECORD.size:
            return True
        _, flags, _, _, edges, _, check, _ = _RECORD.unpack(start)
        return bool(check == zlib.crc32(start[: _CHECKED.size]) and self.left < _length(flags, edges))

    def unmade(self) -> bool:
        """Whether the file is the beginning of a journal's header and no more, or zeros: nothing was ever written to
        it. Every byte is compared, so that no damage to a whole journal can look like that."""
        if self.size > _LONGEST_HEADER:
            return self._only_zeros()
        data = os.pread(self.fd, self.size, 0)
        start, rest = data[: _HEADER.size], data[_HEADER.size :]
        _, _, flags, length, zero = _HEADER.unpack(start.ljust(_HEADER.size, b"\0"))
        known = MAGIC + struct.pack("<I", VERSION)
        if start[: len(known)] != known[: len(start)]:
            return not any(data)
        text, digest = rest[:length], rest[length:]
        plain = all(0x20 <= byte < 0x7F for byte in text)
        fits = flags in (0, _FOREST) and zero == 0 and plain and length <= _LONGEST_HEADER
        return fits and len(digest) < _DIGEST and _digest(start, text).startswith(digest)

    def _only_zeros(self) -> bool:
        step = 2**20
        return not any(any(os.pread(self.fd, step, at)) for at in range(self.at, self.size, step))


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors of the system say which file they are about."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, path + _PARTIAL, str(Path(path).parent)):
            raise
        raise type(error)(error.errno, os.strerror(error.errno), path) from None


def load(path: str) -> tuple[Head, Record]:
    """The stream a file holds. Raises FileFormatError for anything but exactly what `save` writes, OSError."""
    with _named(path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            reader = _Reader(fd, path)
            head, saved = reader.head()
            if not saved:
                raise reader.wrong("a journal, not a saved stream: open it with Incremental(journal=...)")
            record = reader.record()
            if reader.left:
                raise reader.wrong(f"{reader.left} bytes too many at its end")
            return head, record
        finally:
            os.close(fd)


# writing ----------------------------------------------------------------------------------------------------------


def _write(fd: int, parts: list[Any]) -> None:
    for part in parts:
        view = memoryview(part)
        while view:
            view = view[os.write(fd, view[: 2**30]) :]


class _File:
    """An open file that nobody can lose: closed, and its lock given up, with the last reference to it."""

    fd = -1

    def __init__(self, path: str, flags: int) -> None:
        self.fd = os.open(path, flags | os.O_CLOEXEC, 0o666)

    def close(self) -> None:
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    __del__ = close


def _folder_of(path: str) -> _File:
    return _File(str(Path(path).parent), os.O_RDONLY | os.O_DIRECTORY)


def _is_at(file: _File, path: str) -> bool:
    """Whether an open file is still what the path names."""
    try:
        return os.path.samestat(os.fstat(file.fd), Path(path).stat())
    except FileNotFoundError:
        return False


def _scratch(path: str) -> _File:
    """The open, locked, empty file in which another is prepared: its path + ".partial", left behind only by a crash."""
    while True:
        file = _File(path, os.O_RDWR | os.O_CREAT)
        try:
            if os.fstat(file.fd).st_nlink > 1:  # a fresh journal's other name, which a crash has left
                Path(path).unlink(missing_ok=True)
                continue
            fcntl.flock(file.fd, fcntl.LOCK_EX)
            # Whoever held the lock may have renamed the file that was opened here, or given it another name.
            if _is_at(file, path) and os.fstat(file.fd).st_nlink == 1:
                os.ftruncate(file.fd, 0)
                return file
        except BaseException:
            file.close()
            raise


class _Replacement:
    """A file beside the one whose place it is to take: all there, on the disk, and locked.

    All that may be missing is asked for at once, so that renaming is the last thing to go wrong.
    """

    def __init__(self, path: str, parts: list[Any]) -> None:
        self.path = path
        self._folder = _folder_of(path)
        self.file = _scratch(path + _PARTIAL)
        try:
            _write(self.file.fd, parts)
            os.fsync(self.file.fd)
        except BaseException:
            self.withdraw()
            self.file.close()
            raise

    def place(self, *, fresh: bool = False) -> None:
        """At one moment the path names this file. fresh: raise FileExistsError if it names one already."""
        scratch = Path(self.path + _PARTIAL)
        if fresh:
            Path(self.path).hardlink_to(scratch)
            scratch.unlink(missing_ok=True)
        else:
            scratch.replace(self.path)

    def placed(self) -> bool:
        return _is_at(self.file, self.path)

    def flush(self) -> None:
        """Once this returns, the path names this file after a power cut too."""
        os.fsync(self._folder.fd)

    def withdraw(self) -> None:
        """Remove the file, unless it has been placed."""
        scratch = self.path + _PARTIAL
        with contextlib.suppress(OSError):
            if _is_at(self.file, scratch):
                Path(scratch).unlink()


def save(path: str, head: Head, record: Record) -> None:
    """Write a stream to a file: whole, or not at all. Raises OSError naming the file."""
    path = os.path.realpath(path)
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
        # Renaming would put a file in the place of the device or pipe.
        raise OSError(errno.EINVAL, "neither a file nor a new one, so it cannot be replaced by one", path)
    with _named(path):
        new = _Replacement(path, [_head_bytes(head, saved=True), *_record_parts(record)])
        try:
            new.place()
            new.flush()
        finally:
            new.withdraw()
            new.file.close()


class Owner(Protocol):
    """The stream a journal belongs to. Nobody changes it but in a call of `append`."""

    def replay(self, record: Record) -> None:
        """Insert what the journal says."""

    def reached(self) -> tuple[int, int]:
        """(position, vertices)."""


@dataclass(frozen=True)
class _Batch:
    """A batch between the first byte written of it and the moment it counts. end: where the file ends then."""

    reached: tuple[int, int]
    advances: bool
    end: int

    def counts(self, reached: tuple[int, int]) -> bool:
        """Whether the stream has it: a batch without operations makes vertices known."""
        return reached[0] != self.reached[0] if self.advances else reached != self.reached


class Journal:
    """A file to which each batch is appended before it counts. One process at a time holds it; any thread may append.

    A call may be cut short anywhere: signals raise between any two lines, and a signal that comes while a batch is
    inserted raises after it has been. So what is under way is written down first (`_batch`, `_next`), and whoever comes
    next brings the file in line with the stream: a batch that the stream has stays, another one is cut off.

    dropped: bytes of an unfinished last record, which was never acknowledged, that were cut off when it was opened.
    """

    def __init__(self, path: str, head: Head, sync: bool, owner: Owner) -> None:
        self.path, self.sync, self.dropped = os.path.realpath(path), sync, 0
        self.lock = threading.Lock()
        self._owner, self._process = owner, os.getpid()
        self._broken = ""  # why nothing may be appended
        self._batch: _Batch | None = None
        self._next: _Replacement | None = None
        with _named(self.path):
            made = None if Path(self.path).exists() else self._made(head)
            self._file = made or self._opened(head)
            self._end = os.lseek(self._file.fd, 0, os.SEEK_END)

    def _made(self, head: Head) -> _File | None:
        """A new file; None if somebody else has just made one."""
        new = _Replacement(self.path, [_head_bytes(head, saved=False)])
        try:
            new.place(fresh=True)
            new.flush()
        except BaseException as error:
            new.withdraw()
            new.file.close()
            if isinstance(error, FileExistsError):
                return None
            raise
        return new.file

    def _held(self) -> _File:
        while True:
            file = _File(self.path, os.O_RDWR)
            try:
                fcntl.flock(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{self.path}: the journal is held by another stream") from None
            if _is_at(file, self.path):
                return file

    def _opened(self, head: Head) -> _File:
        file = self._held()
        try:
            self._read(file, head)
        except BaseException:
            file.close()  # not with the last reference: somebody may keep the error
            raise
        return file

    def _read(self, file: _File, head: Head) -> None:
        reader = _Reader(file.fd, self.path)
        if reader.unmade():  # somebody has made room for it, and nothing more
            folder = _folder_of(self.path)
            self._cut(file, 0, reader.size)
            _write(file.fd, [_head_bytes(head, saved=False)])
            os.fsync(file.fd)
            os.fsync(folder.fd)
            return
        found, saved = reader.head()
        if saved:
            raise reader.wrong("a saved stream, not a journal: open it with Incremental.load")
        if head.forest and not found.forest:
            raise reader.wrong("a journal of a stream that keeps no forest")
        position = 0
        while reader.left:
            where = reader.at
            try:
                record = reader.record()
            except FileFormatError:
                reader.at = where
                if not reader.torn():
                    raise
                self._cut(file, where, reader.left)
                break
            if record.position != position:
                raise reader.wrong(f"damaged at byte {where}: position {record.position}, not {position}")
            if not _holdable(record) and not reader.left:
                self._cut(file, where, reader.size - where)
                break
            self._owner.replay(record)
            position += record.advance

    def _cut(self, file: _File, end: int, dropped: int) -> None:
        self.dropped = dropped
        os.ftruncate(file.fd, end)
        if self.sync:
            os.fsync(file.fd)

    def append(self, record: Record, prepare: Callable[[], None], apply: Callable[[], Any]) -> Any:
        """Append a batch, on disk when `sync`, and apply it: both or, if one fails, neither. With `lock` held.

        prepare: raises whatever `apply` would refuse; what it raises is raised before anything is written.
        """
        self._owned()
        self._settle()
        if self._broken:
            raise OSError(f"{self.path}: {self._broken}; open the journal again")
        prepare()
        parts = _record_parts(record)
        end = self._end + sum(len(part) for part in parts)
        try:
            self._batch = _Batch(self._owner.reached(), record.advance > 0, end)
            with _named(self.path):
                _write(self._file.fd, parts)
                if self.sync:
                    os.fdatasync(self._file.fd)
            result = apply()
            self._end, self._batch = end, None
        except BaseException:
            self._settle()
            raise
        return result

    def _owned(self) -> None:
        if self._file.fd < 0:
            raise InputError(f"{self.path}: the journal is closed")
        if self._process != os.getpid():
            raise InputError(f"{self.path}: the journal belongs to process {self._process}, which forked this one")

    def _settle(self) -> None:
        """Bring the file in line with the stream, whatever was cut short. Every line may be run again."""
        self._adopt()
        if self._batch is None or self._broken:
            return
        if self._batch.counts(self._owner.reached()):
            self._end = self._batch.end
        try:
            with _named(self.path):
                os.ftruncate(self._file.fd, self._end)
                os.lseek(self._file.fd, self._end, os.SEEK_SET)
                os.fdatasync(self._file.fd)
        except OSError:
            self._broken = "a batch could be neither written nor taken back"
            raise
        self._batch = None

    def _adopt(self) -> None:
        """Go on with the replacement, if it has taken the journal's place."""
        new = self._next
        if new is None:
            return
        with _named(self.path):
            if new.placed():
                # The stream was summed up as it is: nothing of what was under way is in the new file.
                self._file, self._batch = new.file, None
                self._end = os.lseek(new.file.fd, 0, os.SEEK_END)
                self._broken = ""
                try:
                    new.flush()
                except OSError:
                    self._broken, self._next = "it was replaced, and a power cut could undo that", None
                    raise
            else:
                new.withdraw()
                new.file.close()
        self._next = None

    def compact(self, head: Head, summary: Callable[[], Record]) -> None:
        """Replace all records by one; at every moment the file is the old journal or the new. With `lock` held."""
        self._owned()
        self._adopt()
        with _named(self.path):
            self._next = _Replacement(self.path, [_head_bytes(head, saved=False), *_record_parts(summary())])
            try:
                self._next.place()
            finally:
                self._adopt()

    def close(self) -> None:
        """Give the file up. Appending fails from now on."""
        with self.lock:
            self._next = None
            self._file.close()

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
cut off anywhere: it is dropped when the journal is opened, for its batch was never acknowledged. A record that is all
there and does not agree with its checksums is refused, the last one too.
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
from typing import Any

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

    def _only_zeros(self) -> bool:
        step = 2**20
        return not any(any(os.pread(self.fd, step, at)) for at in range(self.at, self.size, step))


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors of the system say which file they are about."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, path + _PARTIAL):
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


def _sync_folder(path: str) -> None:
    fd = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _is_at(fd: int, path: str) -> bool:
    """Whether an open file is still what the path names."""
    try:
        return os.path.samestat(os.fstat(fd), Path(path).stat())
    except FileNotFoundError:
        return False


def _scratch(path: str) -> int:
    """The open, locked, empty file in which `path` is prepared: `path` + ".partial", left behind only by a crash."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            # Whoever held the lock may have renamed the file that was opened here.
            if _is_at(fd, path):
                os.ftruncate(fd, 0)
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _replace(path: str, parts: list[Any], *, fresh: bool = False) -> int:
    """Make `path` a file of these parts at one moment, on disk when this returns; before it, the old file is whole.

    Returns the new file, open and locked. fresh: raise FileExistsError if there is a file already.
    """
    scratch = path + _PARTIAL
    fd = _scratch(scratch)
    try:
        _write(fd, parts)
        os.fsync(fd)
        if fresh:
            Path(path).hardlink_to(scratch)
            Path(scratch).unlink()
        else:
            Path(scratch).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(scratch).unlink()
        os.close(fd)
        raise
    _sync_folder(path)
    return fd


def save(path: str, head: Head, record: Record) -> None:
    """Write a stream to a file: whole, or not at all. Raises OSError naming the file."""
    path = os.path.realpath(path)
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
        # Renaming would put a file in the place of the device or pipe.
        raise OSError(errno.EINVAL, "neither a file nor a new one, so it cannot be replaced by one", path)
    with _named(path):
        os.close(_replace(path, [_head_bytes(head, saved=True), *_record_parts(record)]))


class Journal:
    """A file to which each batch is appended before it counts. One process at a time holds it; any thread may append.

    dropped: bytes of an unfinished last record, which was never acknowledged, that were cut off when it was opened.
    """

    def __init__(self, path: str, head: Head, sync: bool, replay: Callable[[Record], None]) -> None:
        self.path, self.sync, self.dropped = os.path.realpath(path), sync, 0
        self.lock = threading.Lock()
        self._broken, self._process = False, os.getpid()
        with _named(self.path):
            try:
                self._fd = _replace(self.path, [_head_bytes(head, saved=False)], fresh=True)
            except FileExistsError:
                self._fd = self._open(head, replay)
            self._end = os.lseek(self._fd, 0, os.SEEK_END)

    def _held(self) -> int:
        while True:
            fd = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
                raise InputError(f"{self.path}: the journal is held by another stream") from None
            if _is_at(fd, self.path):
                return fd
            os.close(fd)  # replaced by a shorter one meanwhile

    def _open(self, head: Head, replay: Callable[[Record], None]) -> int:
        fd = self._held()
        try:
            reader = _Reader(fd, self.path)
            if reader.size == 0:  # somebody has made room for it, and nothing more
                _write(fd, [_head_bytes(head, saved=False)])
                if self.sync:
                    os.fsync(fd)
                return fd
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
                    self.dropped = reader.left
                    os.ftruncate(fd, where)
                    if self.sync:
                        os.fsync(fd)
                    break
                if record.position != position:
                    raise reader.wrong(f"damaged at byte {where}: position {record.position}, not {position}")
                replay(record)
                position += record.advance
            return fd
        except BaseException:
            os.close(fd)
            raise

    def append(self, record: Record, apply: Callable[[], Any]) -> Any:
        """Append a batch, on disk when `sync`, and apply it: both or, if one fails, neither. With `lock` held."""
        if self._fd < 0:
            raise InputError(f"{self.path}: the journal is closed")
        if self._process != os.getpid():
            raise InputError(f"{self.path}: the journal belongs to process {self._process}, which forked this one")
        if self._broken:
            raise OSError(f"{self.path}: a batch could be neither written nor taken back; open the journal again")
        parts = _record_parts(record)
        try:
            with _named(self.path):
                _write(self._fd, parts)
                if self.sync:
                    os.fdatasync(self._fd)
            result = apply()
        except BaseException:
            self._broken = True  # unless the next lines succeed
            with _named(self.path):
                os.ftruncate(self._fd, self._end)
                os.lseek(self._fd, self._end, os.SEEK_SET)
                os.fdatasync(self._fd)
            self._broken = False
            raise
        self._end += sum(len(part) for part in parts)
        return result

    def compact(self, head: Head, record: Record) -> None:
        """Replace all records by one; at every moment the file is the old journal or the new. With `lock` held."""
        with _named(self.path):
            fd = _replace(self.path, [_head_bytes(head, saved=False), *_record_parts(record)])
            os.close(self._fd)
            self._fd = fd
            self._end = os.lseek(fd, 0, os.SEEK_END)
            self._broken = False

    def close(self) -> None:
        """Give the file up. Appending fails from now on."""
        with self.lock:
            if self._fd >= 0:
                os.close(self._fd)
            self._fd = -1

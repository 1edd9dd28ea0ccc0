"""The form of streams on disk: bytes of a header and of records, written and read.

Integers are little-endian::

    header   8 bytes  89 4c 42 53 0d 0a 1a 0a
             u32      format version: 1, or 2 for a stream with ids
             u32      flags: 1 the file is a saved stream (one record, nothing behind it), 2 the stream keeps its
                      forest, 4 the first record is a summary, which was on the disk before the file had its name,
                      8 its ids are whole numbers, 16 its ids are names
             u32      length of the plan's text
             u32      0
             text     the plan, canonical, ASCII
             16 bytes BLAKE2b of all of the header before
    record   4 bytes  "LBR1"
             u32      flags: 1 numbers of vertices have 64 bits (else 32), 2 positions follow them, 8 the stream has
                      taken an object of shape (2, 2), whose rows are edges, 16 one of shape (2, m), whose columns are
             u64      how far the record moves the stream's position
             u64      vertices of the stream behind it, at least (0: those of its edges)
             u64      its edges, m
             u64      the stream's position before it
             u32      CRC-32 of the record before
             u32      0
             16 bytes BLAKE2b of the 48 bytes before and of the arrays behind
             m numbers u, m numbers v, and m u64 positions relative to the record's beginning, if the flag says so

A record of a stream with ids begins with "LBR2", and its numbers of vertices are those of ids in the order in which
they turned up. It has three more integers between its position and its CRC-32, and more arrays behind the others::

             u64      how many ids the stream had before it
             u64      new ids, k: they have the next k numbers
             u64      bytes of their names
             u64      batches that brought them, b (in summaries; else 0)
    arrays   k u64 ids (signed ones as two's complement; flag 4: from 2^63 on they are unsigned), or, of names, k u32
             lengths and then their bytes in UTF-8; then b u64 numbers of ids, the first of a batch, and b u64 positions
             of these batches

A record is the summary of a stream, or a batch of it: either way edges to insert.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats.registry import STREAM_MAGIC
from landbridge.edges.names import NameArray
from landbridge.errors import FileFormatError

VERSIONS = (1, 2)
_SAVED, _FOREST, _SUMMARY, _NUMBERS, _NAMES = 1, 2, 4, 8, 16
_KINDS = {"sparse": _NUMBERS, "names": _NAMES}
_WIDE, _POSITIONS, _UNSIGNED, _ROWS, _COLUMNS = 1, 2, 4, 8, 16
_ORIENTATIONS = {None: 0, True: _ROWS, False: _COLUMNS}
_HEADER = struct.Struct("<8sIIII")
_DIGEST = 16
_LONGEST_HEADER = 2**12
SECTOR = 512
"""What a disk writes whole or not at all, at the least."""

_NO_ID = 1 << 55
"""No address space holds the cells of so many vertices."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Head:
    """What a file says of its stream: the plan's text, whether it has its forest, and what its ids are.

    ids: "sparse", "names", or None for vertex numbers.
    """

    plan: str
    forest: bool
    ids: str | None = None


@dataclass(frozen=True, eq=False)
class NewIds:
    """Ids that a record brings. before: how many the stream had. ids: int64, uint64 or NameArray, in the order of their
    numbers. first, at: of each batch that brought some of them, the first number and the position where it began; only
    summaries of streams that keep a forest have these, and others None."""

    before: int
    ids: Any
    first: Array | None = None
    at: Array | None = None


@dataclass(frozen=True, eq=False)
class Record:
    """Edges of a stream, as `insert_at` of the trees takes them. at: positions relative to `position`, or None.

    new: the ids it brings, of a stream with ids. rows: as `Orientations.rows` of the stream.
    """

    position: int
    advance: int
    vertices: int
    u: Array
    v: Array
    at: Array | None
    new: NewIds | None = None
    rows: bool | None = None

    @property
    def ids(self) -> int:
        """How many ids the stream has behind it."""
        return 0 if self.new is None else self.new.before + len(self.new.ids)


@dataclass(frozen=True)
class _Start:
    """The beginning of a record, which has a checksum of its own, and so the record's length."""

    flags: int
    advance: int
    vertices: int
    edges: int
    position: int
    before: int = 0
    ids: int = 0
    text: int = 0
    batches: int = 0

    def length(self, layout: _Layout, names: bool) -> int:
        width = 8 if self.flags & _WIDE else 4
        edges = self.edges * (2 * width + (8 if self.flags & _POSITIONS else 0))
        ids = self.ids * (4 if names else 8) + self.text + 16 * self.batches
        return layout.size + _DIGEST + edges + ids


class _Layout:
    """The integers at the beginning of a record."""

    def __init__(self, signature: bytes, integers: str) -> None:
        self.signature = signature
        self._checked = struct.Struct("<4sI" + integers)
        self.size = self._checked.size + 8

    def pack(self, start: _Start) -> bytes:
        """The beginning of a record with its checksum."""
        values = (start.advance, start.vertices, start.edges, start.position)
        more = (start.before, start.ids, start.text, start.batches)
        checked = self._checked.pack(self.signature, start.flags, *values, *(more if self is WITH_IDS else ()))
        return checked + struct.pack("<II", zlib.crc32(checked), 0)

    def begun(self, data: bytes) -> bool:
        """Whether these bytes, the last of a file, may be of a record that is cut off before its beginning ends."""
        return len(data) < self.size and data[: len(self.signature)] == self.signature[: len(data)]

    def unpack(self, data: bytes, names: bool) -> _Start | None:
        """None for anything that is not the beginning of a record: only ids that are names have bytes."""
        if len(data) < self.size:
            return None
        checked = data[: self._checked.size]
        signature, *values = self._checked.unpack(checked)
        check = struct.unpack_from("<I", data, self._checked.size)[0]
        if signature != self.signature or check != zlib.crc32(checked):
            return None
        start = _Start(*values)
        return start if names or start.text == 0 else None


PLAIN, WITH_IDS = _Layout(b"LBR1", "QQQQ"), _Layout(b"LBR2", "QQQQQQQQ")


def _digest(*parts: Any) -> bytes:
    state = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        state.update(part)
    return state.digest()


def head_bytes(head: Head, *, saved: bool = False, summary: bool = False) -> bytes:
    """The header of a file. summary: of a journal whose first record is one."""
    flags = (_SAVED if saved else 0) | (_FOREST if head.forest else 0) | (_SUMMARY if summary else 0)
    text = head.plan.encode("ascii")
    version = 1 if head.ids is None else 2
    start = _HEADER.pack(STREAM_MAGIC, version, flags | _KINDS.get(head.ids or "", 0), len(text), 0) + text
    return start + _digest(start)


def record_parts(record: Record) -> list[Any]:
    """A record as buffers to be written one behind the other."""
    wide = record.u.dtype.itemsize == 8 and any(len(x) and int(x.view("u8").max()) >> 32 for x in (record.u, record.v))
    flags = (_WIDE if wide else 0) | (0 if record.at is None else _POSITIONS) | _ORIENTATIONS[record.rows]
    numbers = "<u8" if wide else "<u4"
    arrays = [np.ascontiguousarray(x.astype(numbers, copy=False)) for x in (record.u, record.v)]
    if record.at is not None:
        arrays.append(np.ascontiguousarray(record.at).astype("<u8", copy=False))
    plain = (record.advance, record.vertices, len(record.u), record.position)
    if record.new is None:
        start = PLAIN.pack(_Start(flags, *plain))
    else:
        more, unsigned, text = _id_arrays(record.new)
        arrays += more
        batches = 0 if record.new.first is None else len(record.new.first)
        ids = (record.new.before, len(record.new.ids), text, batches)
        start = WITH_IDS.pack(_Start(flags | (_UNSIGNED if unsigned else 0), *plain, *ids))
    views = [a.view(np.uint8).data for a in arrays if len(a)]
    return [start, _digest(start, *views), *views]


def _id_arrays(new: NewIds) -> tuple[list[Array], bool, int]:
    """The arrays of new ids, whether they are unsigned, and the bytes of names."""
    arrays: list[Array] = []
    text, unsigned = 0, False
    if isinstance(new.ids, NameArray):
        offsets, data = new.ids.buffers
        offsets = np.asarray(offsets)
        text = int(offsets[-1]) - int(offsets[0])
        arrays += [np.diff(offsets).astype("<u4"), np.ascontiguousarray(data[int(offsets[0]) : int(offsets[-1])])]
    else:
        unsigned = new.ids.dtype.kind == "u"
        arrays.append(np.ascontiguousarray(new.ids).astype("<u8", copy=False))
    if new.first is not None and new.at is not None:
        arrays += [np.ascontiguousarray(x).astype("<u8", copy=False) for x in (new.first, new.at)]
    return arrays, unsigned, text


def holdable(record: Record) -> bool:
    """Whether an address space can hold the vertices of a record."""
    return all(x.dtype.itemsize < 8 or len(x) == 0 or int(x.max()) < _NO_ID for x in (record.u, record.v))


class Reader:
    """A file read from its beginning; every size is compared with what the file has before memory is taken."""

    def __init__(self, fd: int, path: str) -> None:
        self.fd, self.path, self.at, self.size = fd, path, 0, os.fstat(fd).st_size
        self._layout, self._names, self._summary = PLAIN, False, 0

    def wrong(self, problem: str) -> FileFormatError:
        """The error for a problem of this file."""
        return FileFormatError(self.path, problem)

    @property
    def left(self) -> int:
        """Bytes from here to its end."""
        return self.size - self.at

    def bytes(self, count: int) -> bytes:
        """The next so many bytes."""
        data = os.pread(self.fd, count, self.at) if count else b""
        if len(data) != count:
            raise self.wrong(f"cut off at byte {self.at + len(data)}")
        self.at += count
        return data

    def array(self, count: int, dtype: str) -> Array:
        """The next so many integers."""
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
        if self.left < _HEADER.size or os.pread(self.fd, len(STREAM_MAGIC), 0) != STREAM_MAGIC:
            begun = STREAM_MAGIC.startswith(os.pread(self.fd, len(STREAM_MAGIC), 0))
            raise self.wrong(
                f"cut off at byte {self.size}" if begun else "no journal and no saved stream of landbridge"
            )
        start = self.bytes(_HEADER.size)
        _, version, flags, length, _ = _HEADER.unpack(start)
        if version not in VERSIONS:
            raise self.wrong(f"format version {version}, and this landbridge reads {VERSIONS[0]} and {VERSIONS[1]}")
        if self.left < length + _DIGEST:
            raise self.wrong("cut off in its header, or damaged")
        text = self.bytes(length)
        if self.bytes(_DIGEST) != _digest(start, text):
            raise self.wrong("damaged: the checksum of its header is wrong")
        ids = [kind for kind, flag in _KINDS.items() if flags & flag]
        if len(ids) != version - 1 or flags >= 2 * _NAMES:
            raise self.wrong(f"its flags are {flags}, which this version of landbridge does not support")
        self._layout = WITH_IDS if ids else PLAIN
        self._names = ids == ["names"]
        self._summary = self.at if flags & _SUMMARY else 0
        if not text.isascii():
            raise self.wrong("damaged: its plan is not ASCII")
        return Head(text.decode("ascii"), bool(flags & _FOREST), ids[0] if ids else None), bool(flags & _SAVED)

    def record(self) -> Record:
        """The next record. Raises FileFormatError where there is none that is whole."""
        where = self.at
        data = os.pread(self.fd, self._layout.size, where)
        start = self._layout.unpack(data, self._names)
        if start is None and not self._layout.begun(data):
            raise self.wrong(f"damaged at byte {where}: no record begins there")
        if start is None or self.left < start.length(self._layout, self._names):
            raise self.wrong(f"cut off at byte {self.size}, in the record that begins at byte {where}")
        self.at += len(data)
        digest = self.bytes(_DIGEST)
        width = 8 if start.flags & _WIDE else 4
        u, v = (self.array(start.edges, f"<u{width}") for _ in range(2))
        at = self.array(start.edges, "<i8") if start.flags & _POSITIONS else None
        arrays = [u, v] if at is None else [u, v, at]
        new = None
        if self._layout is WITH_IDS:
            new, more = self._new_ids(start)
            arrays += more
        if digest != _digest(data, *(a.view(np.uint8).data for a in arrays if len(a))):
            raise self.wrong(f"damaged in the record at byte {where}: its checksum is wrong")
        rows = next((rows for rows, flag in _ORIENTATIONS.items() if start.flags & flag), None)
        return Record(start.position, start.advance, start.vertices, u, v, at, new, rows)

    def _new_ids(self, start: _Start) -> tuple[NewIds, list[Array]]:
        """The new ids of a record, and the arrays as they stand in the file."""
        if self._names:
            lengths, text = self.array(start.ids, "<u4"), self.array(start.text, "<u1")
            offsets = np.zeros(start.ids + 1, dtype=np.int64)
            np.cumsum(lengths, out=offsets[1:])
            if int(offsets[-1]) != start.text:
                raise self.wrong(f"damaged: its names have {int(offsets[-1])} bytes, not {start.text}")
            ids: Any = NameArray(offsets, text)
            arrays = [lengths, text]
        else:
            ids = self.array(start.ids, "<u8" if start.flags & _UNSIGNED else "<i8")
            arrays = [ids]
        first, at = (self.array(start.batches, "<i8") for _ in range(2))
        arrays += [first, at]
        return NewIds(start.before, ids, first if start.batches else None, at if start.batches else None), arrays

    def never_counted(self, where: int, record: Record) -> bool:
        """Whether a record that was read at a place, the last of the file, is a batch that no stream could insert: its
        call failed, and was interrupted before it took the batch back. A summary is of a stream that held it."""
        return record.new is None and not holdable(record) and not self.left and where != self._summary

    @property
    def has_summary(self) -> bool:
        """Whether its header says that the first record is a summary."""
        return self._summary > 0

    def records(self) -> Iterator[tuple[int, Record]]:
        """Each record with the byte at which it begins; stops before an end that `torn` recognises.

        Raises FileFormatError for damage; `at` is then where the damaged record begins.
        """
        position = ids = 0
        while self.left or self.at == self._summary:
            where = self.at
            try:
                record = self.record()
                if record.position != position:
                    raise self.wrong(f"damaged at byte {where}: position {record.position}, not {position}")
                if record.new is not None and record.new.before != ids:
                    raise self.wrong(f"damaged at byte {where}: {record.new.before} ids before it, not {ids}")
            except FileFormatError:
                self.at = where
                if not self.torn():
                    raise
                return
            yield where, record
            position += record.advance
            ids = record.ids

    def torn(self) -> bool:
        """Whether what is left is a batch that was being written as the process was killed or the power failed, so that
        its call never returned.

        The length of a record has a checksum of its own, so a complete but wrong record differs from an incomplete one.
        After a power cut a record may be complete but for sectors that were never written, which read as zeros. Nothing
        is behind it: another batch would have been written after this one's was on the disk. A summary was on the disk
        before the file had its name, so nothing tears it.
        """
        if self.at == self._summary:
            return False
        data = os.pread(self.fd, self._layout.size, self.at)
        if self._layout.begun(data):
            return True
        start = self._layout.unpack(data, self._names)
        if start is None:
            return self._has_unwritten(min(self._layout.size, self.left)) and not self._record_behind()
        length = start.length(self._layout, self._names)
        return self.left < length or (self.left == length and self._has_unwritten(length))

    def _has_unwritten(self, length: int) -> bool:
        """Whether one of the next so many bytes is in a sector that has nothing but zeros from here on."""
        end = self.at + length
        for begin in range(self.at - self.at % SECTOR, end, 2**20):
            data = os.pread(self.fd, 2**20, begin)
            for at in range(begin, min(begin + 2**20, end), SECTOR):
                sector = data[max(at, self.at) - begin : at + SECTOR - begin]
                if not any(sector):
                    return True
        return False

    def _record_behind(self) -> bool:
        """Whether a record begins in what is left, behind its first byte."""
        step, overlap = 2**20, self._layout.size
        for begin in range(self.at + 1, self.size, step):
            data = os.pread(self.fd, step + overlap, begin)
            at = data.find(self._layout.signature)
            while 0 <= at < step:
                header = data[at : at + overlap]
                if self._layout.unpack(header, self._names) is not None:
                    return True
                at = data.find(self._layout.signature, at + 1)
        return False

    def unmade(self) -> bool:
        """Whether the file is the beginning of a journal's header and no more, or zeros: nothing was ever written to
        it. Every byte is compared, so that no damage to a whole journal can look like that."""
        if self.size > _LONGEST_HEADER:
            return self._only_zeros()
        data = os.pread(self.fd, self.size, 0)
        start, rest = data[: _HEADER.size], data[_HEADER.size :]
        _, version, flags, length, zero = _HEADER.unpack(start.ljust(_HEADER.size, b"\0"))
        if not data.startswith(STREAM_MAGIC[: len(data)]):
            return not any(data)
        if len(start) > len(STREAM_MAGIC) and version not in VERSIONS:
            return False
        text, digest = rest[:length], rest[length:]
        plain = all(0x20 <= byte < 0x7F for byte in text)
        legal = flags & ~_FOREST in ((_NUMBERS, _NAMES) if version == 2 and len(data) > 12 else (0,))
        fits = legal and zero == 0 and plain and length <= _LONGEST_HEADER
        return fits and len(digest) < _DIGEST and _digest(start, text).startswith(digest)

    def _only_zeros(self) -> bool:
        step = 2**20
        return not any(any(os.pread(self.fd, step, at)) for at in range(self.at, self.size, step))

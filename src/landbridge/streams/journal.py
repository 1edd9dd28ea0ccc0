"""Streams on disk: files that are whole or refused, and a journal that loses no acknowledged batch.

The last record of a journal may be cut off anywhere, or lack sectors: it is dropped when the journal is opened, for its
batch was never acknowledged. So is a last record with ids that no stream can hold: early versions wrote records before
they checked ids. A summary, by which compaction replaces all records, is no such record: it was on the disk before the
file had its name. A header that is cut off, or zeros alone, is a journal whose creation was interrupted. Any other
record that does not agree with its checksums is refused, the last one too; `inspection` says what is wrong, and cuts a
journal back to what is whole. `form` defines the bytes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from landbridge.errors import InputError, SizeLimitExceeded
from landbridge.streams.files import (
    File,
    Replacement,
    flush_data,
    folder_of,
    is_at,
    named,
    refuse_devices,
    regular,
    write,
)
from landbridge.streams.form import Head, Reader, Record, head_bytes, record_parts

_KINDS = {None: "vertex numbers", "sparse": "whole numbers as ids", "names": "names as ids"}
_OPEN_WITH = {
    None: "open it without ids=",
    "sparse": "open it with ids='sparse'",
    "names": "open it with ids='names'",
}


def load(path: str) -> tuple[Head, Record]:
    """The stream a file holds. Raises FileFormatError for anything but exactly what `save` writes, OSError."""
    with named(path):
        file = regular(path, os.O_RDONLY)
        try:
            reader = Reader(file.fd, path)
            head, saved = reader.head()
            if not saved:
                raise reader.wrong("a journal, not a saved stream: open it with Incremental(journal=...)")
            record = reader.record()
            if reader.left:
                raise reader.wrong(f"{reader.left} bytes too many at its end")
            return head, record
        finally:
            file.close()


def save(path: str, head: Head, record: Record) -> None:
    """Write a stream to a file: whole, or not at all. Raises OSError naming the file."""
    path = os.path.realpath(path)
    refuse_devices(path)
    with named(path):
        new = Replacement(path, [head_bytes(head, saved=True), *record_parts(record)])
        try:
            new.place()
            new.flush()
        finally:
            new.withdraw()
            new.file.close()


class Owner(Protocol):
    """The stream a journal belongs to. It changes in calls of `append` only."""

    def replay(self, record: Record) -> None:
        """Insert a record of the journal."""

    def reached(self) -> tuple[int, int]:
        """(position, vertices)."""


@dataclass(frozen=True)
class _Batch:
    """A batch between the first byte written of it and the moment it counts.

    end, ids: the end of the file, and how many ids it holds, from that moment on.
    """

    reached: tuple[int, int]
    advances: bool
    end: int
    ids: int

    def counts(self, reached: tuple[int, int]) -> bool:
        """Whether the stream has it: a batch without operations has vertices."""
        return reached[0] != self.reached[0] if self.advances else reached != self.reached


class Journal:
    """A file to which each batch is appended before it counts. One process at a time holds it; any thread may append.

    A call may be interrupted anywhere: signals raise between any two lines, and a signal that comes while a batch is
    inserted raises after it has been. So a change is recorded before it begins (`_batch`, `_next`), and the next call
    makes the file agree with the stream: a batch that the stream has stays, another one is cut off.

    dropped: bytes of an unfinished last record, which was never acknowledged, that were cut off when it was opened.
    ids: of a stream with ids, how many of them the file holds. A batch brings those behind them.
    """

    def __init__(self, path: str, head: Head, sync: bool, owner: Owner) -> None:
        self.path, self.sync, self.dropped, self.ids = os.path.realpath(path), sync, 0, 0
        self._lock = threading.Lock()
        self._owner, self._process = owner, os.getpid()
        self._broken = ""  # why nothing may be appended
        self._batch: _Batch | None = None
        self._next: Replacement | None = None
        self._next_ids = 0  # of the replacement
        with named(self.path):
            new = None if Path(self.path).exists() else self._new(head)
            self._file = new or self._opened(head)
            self._end = os.lseek(self._file.fd, 0, os.SEEK_END)

    @property
    def lock(self) -> threading.Lock:
        """Raises InputError in a forked process, where it might never be released."""
        self._owned()
        return self._lock

    def _new(self, head: Head) -> File | None:
        """A new file; None if another process has just made one."""
        new = Replacement(self.path, [head_bytes(head)])
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

    def _held(self) -> File:
        while True:
            file = regular(self.path, os.O_RDWR)
            try:
                fcntl.flock(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{self.path}: the journal is held by another stream") from None
            if is_at(file, self.path):
                return file

    def _opened(self, head: Head) -> File:
        file = self._held()
        try:
            self._read(file, head)
        except BaseException:
            file.close()  # not with the last reference: the error may be stored
            raise
        return file

    def _read(self, file: File, head: Head) -> None:
        reader = Reader(file.fd, self.path)
        if reader.unmade():
            folder = folder_of(self.path)
            self._cut(file, 0, reader.size)
            write(file.fd, [head_bytes(head)])
            os.fsync(file.fd)
            os.fsync(folder.fd)
            return
        existing, saved = reader.head()
        if saved:
            raise reader.wrong("a saved stream, not a journal: open it with Incremental.load")
        if head.forest and not existing.forest:
            raise reader.wrong("a journal of a stream that keeps no forest")
        if head.ids != existing.ids:
            raise reader.wrong(f"a journal of a stream with {_KINDS[existing.ids]}; {_OPEN_WITH[existing.ids]}")
        for where, record in reader.records():
            if reader.never_counted(where, record):
                self._cut(file, where, reader.size - where)
                return
            try:
                self._owner.replay(record)
            except SizeLimitExceeded:
                raise
            except InputError as error:
                raise reader.wrong(f"damaged at byte {where}: {error}") from None
            self.ids = record.ids
        if reader.left:
            self._cut(file, reader.at, reader.left)

    def _cut(self, file: File, end: int, dropped: int) -> None:
        self.dropped = dropped
        os.ftruncate(file.fd, end)
        os.fsync(file.fd)  # whatever `sync` says: else a power cut could mix what is cut with what comes behind it

    def append(self, record: Record, prepare: Callable[[], None], apply: Callable[[], Any]) -> Any:
        """Append a batch, on disk when `sync`, and apply it: both or, if one fails, neither. With `lock` held.

        prepare: raises whatever `apply` would refuse; what it raises is raised before anything is written.
        """
        self._owned()
        self._reconcile()
        if self._broken:
            raise OSError(f"{self.path}: {self._broken}; open the journal again")
        prepare()
        parts = record_parts(record)
        end = self._end + sum(len(part) for part in parts)
        try:
            self._batch = _Batch(self._owner.reached(), record.advance > 0, end, record.ids)
            with named(self.path):
                write(self._file.fd, parts)
                if self.sync:
                    flush_data(self._file.fd)
            result = apply()
            self._end, self.ids, self._batch = end, record.ids, None
        except BaseException:
            self._reconcile()
            raise
        return result

    def _owned(self) -> None:
        if self._file.fd < 0:
            raise InputError(f"{self.path}: the journal is closed")
        if not self._is_ours():
            raise InputError(f"{self.path}: the journal belongs to process {self._process}, which forked this one")

    def _is_ours(self) -> bool:
        return self._process == os.getpid()

    def _reconcile(self) -> None:
        """Make the file agree with the stream, whatever was interrupted. Every line may be run again."""
        self._adopt()
        if self._batch is None or self._broken:
            return
        if self._batch.counts(self._owner.reached()):
            self._end, self.ids = self._batch.end, self._batch.ids
        try:
            with named(self.path):
                os.ftruncate(self._file.fd, self._end)
                os.lseek(self._file.fd, self._end, os.SEEK_SET)
                flush_data(self._file.fd)
        except OSError:
            self._broken = "a batch could be neither written nor taken back"
            raise
        self._batch = None

    def _adopt(self) -> None:
        """Continue with the replacement, if the path names it by now."""
        new = self._next
        if new is None:
            return
        with named(self.path):
            if new.placed():
                # The summary is of the whole stream: no interrupted batch is in the new file.
                self._file, self._batch, self.ids = new.file, None, self._next_ids
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
        with named(self.path):
            record = summary()
            self._next_ids = record.ids
            self._next = Replacement(self.path, [head_bytes(head, summary=True), *record_parts(record)])
            try:
                self._next.place()
            finally:
                self._adopt()

    def close(self) -> None:
        """Release the file. Appending fails from now on."""
        with self._lock if self._is_ours() else contextlib.nullcontext():
            self._next = None
            self._file.close()

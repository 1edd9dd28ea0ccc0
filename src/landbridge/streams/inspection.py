"""Journals that do not open: what is whole in them, and cutting them back to that."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass, replace

from landbridge.errors import FileFormatError, InputError
from landbridge.streams.files import File, folder_of, is_at, named, regular, write
from landbridge.streams.form import Reader, holdable


@dataclass(frozen=True)
class Inspection:
    """What a journal holds.

    Parameters
    ----------
    path, size : str, int
        The file, and its bytes.
    plan : str
        Of the stream that has written it; "" for a journal that was never made completely.
    records, position : int
        How many whole records there are before any other, and how many operations they are.
    whole : int
        The bytes up to the end of the last of them.
    problem : str
        What is wrong behind them; "" if nothing is.
    torn : bool
        Whether that is a batch whose call never returned. Opening the journal cuts it off.
    backup : str
        After a repair: the file that has the bytes that were cut off.
    """

    path: str
    size: int
    plan: str
    records: int
    position: int
    whole: int
    problem: str = ""
    torn: bool = False
    backup: str = ""

    @property
    def opens(self) -> bool:
        """Whether a stream can be opened with the journal as it is."""
        return self.torn or not self.problem


def inspect(path: str) -> Inspection:
    """Read a journal and change nothing. Raises FileFormatError for what is no journal, OSError."""
    path = os.path.realpath(path)
    with named(path):
        file = regular(path, os.O_RDONLY)
        try:
            return _inspected(file, path)
        finally:
            file.close()


def repair(path: str) -> Inspection:
    """Cut a journal back to its whole records. The bytes that are cut off are kept in a new file beside it.

    Raises
    ------
    FileFormatError
        For what is no journal, and for one whose header or summary is damaged: nothing of it is whole.
    InputError
        If a stream holds the journal.
    """
    path = os.path.realpath(path)
    with named(path):
        file = regular(path, os.O_RDWR)
        try:
            try:
                fcntl.flock(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{path}: the journal is held by a stream") from None
            if not is_at(file, path):
                raise InputError(f"{path}: the journal was replaced meanwhile")
            inspected = _inspected(file, path)
            if not inspected.problem:
                return inspected
            if inspected.records == 0 and not inspected.torn and inspected.plan and _begins_with_summary(file, path):
                problem = f"{inspected.problem}; it is the summary of all batches: there is nothing to cut back to"
                raise FileFormatError(path, problem)
            backup = _keep(file, inspected)
            os.ftruncate(file.fd, inspected.whole)
            os.fsync(file.fd)
        finally:
            file.close()
    return replace(inspect(path), backup=backup)


def _inspected(file: File, path: str) -> Inspection:
    reader = Reader(file.fd, path)
    if reader.unmade():
        problem = "its creation was interrupted" if reader.size else ""
        return Inspection(path, reader.size, "", 0, 0, 0, problem, torn=True)
    head, saved = reader.head()
    if saved:
        raise reader.wrong("a saved stream, not a journal")
    records = position = 0
    whole = reader.at
    problem, torn = "", False
    try:
        for where, record in reader.records():
            if record.new is None and not holdable(record):
                problem = f"the record at byte {where} has vertices that no stream can hold"
                torn = reader.never_counted(where, record)
                break
            records, position, whole = records + 1, position + record.advance, reader.at
        else:
            if reader.left:
                problem, torn = f"the last {reader.left} bytes are of a batch that was never acknowledged", True
    except FileFormatError as error:
        problem = error.problem
    return Inspection(path, reader.size, head.plan, records, position, whole, problem, torn)


def _begins_with_summary(file: File, path: str) -> bool:
    reader = Reader(file.fd, path)
    reader.head()
    return reader.has_summary


def _keep(file: File, inspected: Inspection) -> str:
    """Copy what will be cut off into a new file; returns its name."""
    name = f"{inspected.path}.cut-at-{inspected.whole}"
    copy = File(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        at = inspected.whole
        while data := os.pread(file.fd, 2**20, at):
            write(copy.fd, [data])
            at += len(data)
        os.fsync(copy.fd)
    finally:
        copy.close()
    folder = folder_of(inspected.path)
    os.fsync(folder.fd)
    folder.close()
    return name

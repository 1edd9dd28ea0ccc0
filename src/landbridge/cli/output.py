"""Files that are whole or not there: written beside their target, flushed to disk, then renamed over it."""

from __future__ import annotations

import csv
import io
import os
import shutil
import stat
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from landbridge.edges import files
from landbridge.edges.forms import EdgeList
from landbridge.errors import FileFormatError, InputError, MissingDependency

LABEL_FORMATS = ("csv", "npy", "npz", "parquet")
STANDARD = "-"
CHUNK = 1 << 16

_unfinished: set[Path] = set()
_lock = threading.RLock()
_closed = threading.Event()


def abandon() -> None:
    """Removes every file that is being written, and lets no thread finish or begin one: the process ends."""
    with _lock:
        _closed.set()
        while _unfinished:
            with suppress(OSError):
                _unfinished.pop().unlink()


class PipeClosed(Exception):
    """Whoever read our stdout has gone; there is nobody to tell."""


@contextmanager
def to_stdout() -> Iterator[IO[bytes]]:
    """The bytes of stdout, flushed at the end. Raises PipeClosed where the reader has gone."""
    if sys.stdout is None:
        raise InputError("stdout is closed: there is nowhere to print to")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise PipeClosed from None
    except OSError as error:
        raise files.named_after(error, "<stdout>") from None


def hush() -> None:
    """Sends what is still buffered for a closed pipe to nowhere, so that the process exits quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def check_target(path: str) -> None:
    """Refuses a target that cannot be written before any work is done for it."""
    if path == STANDARD:
        return
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory")
    folder = target.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{path}: the folder {folder} does not exist")
    if not os.access(folder if not target.exists() or target.is_file() else target, os.W_OK):
        raise InputError(f"{path}: no permission to write there")


@contextmanager
def replacing(path: str) -> Iterator[Path]:
    """A path to write to instead of ``path``; it takes the target's place when the block ends well, and is
    removed when it does not. The name ends like the target's. A target that is no regular file (a pipe, a
    device) is written directly, and ``-`` is collected and then copied to stdout.
    """
    if path == STANDARD:
        with _collected() as collected:
            yield collected
        return
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        try:
            yield target
        except OSError as error:
            raise files.named_after(error, path) from None
        return
    beside = target.with_name(f".{uuid.uuid4().hex[:12]}.{target.name}")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    with _lock:
        if _closed.is_set():
            raise InputError(f"{path}: interrupted")
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        _unfinished.add(beside)
    try:
        if mode is not None:
            beside.chmod(mode)
        yield beside
        _to_disk(beside)
        with _lock:
            if _closed.is_set():
                raise InputError(f"{path}: interrupted")
            beside.replace(target)
            _unfinished.discard(beside)
        _to_disk(target.parent)
    except OSError as error:
        raise files.named_after(error, path) from None
    finally:
        with _lock:
            if beside in _unfinished:
                _unfinished.discard(beside)
                beside.unlink(missing_ok=True)


@contextmanager
def _collected() -> Iterator[Path]:
    with _lock:
        handle, name = tempfile.mkstemp(prefix="landbridge-")
        os.close(handle)
        collected = Path(name)
        _unfinished.add(collected)
    try:
        yield collected
        with collected.open("rb") as source, to_stdout() as out:
            shutil.copyfileobj(source, out, 1 << 20)
    finally:
        with _lock:
            _unfinished.discard(collected)
            collected.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def label_format(path: str, name: str | None) -> str:
    """The format of a label file: the one named, or the one its suffix says; csv for stdout.

    Raises InputError for an unknown one, MissingDependency where a package for it is missing.
    """
    chosen = name or ("csv" if path == STANDARD else Path(path).suffix.removeprefix(".").lower())
    if chosen not in LABEL_FORMATS:
        if name is not None:
            raise InputError(f"unknown label format {name!r}; known: {', '.join(LABEL_FORMATS)}")
        raise InputError(f"{path}: labels are written as {', '.join('.' + f for f in LABEL_FORMATS)}")
    if chosen == "parquet":
        _pyarrow()
    return chosen


def write_labels(path: str, format_: str, labels: NDArray[Any], ids: NDArray[Any] | None) -> None:
    """Writes one label a vertex.

    csv and parquet have the columns vertex and label, with the original ids if the graph has them. npy holds
    the labels alone, in ascending order of the vertices; npz holds ``labels`` and, if there are any, ``ids``.
    """
    writers: dict[str, Callable[[IO[bytes]], None]] = {
        "npy": lambda out: np.save(out, labels, allow_pickle=False),
        "npz": lambda out: _write_npz(out, labels, ids),
        "csv": lambda out: _write_csv(out, labels, ids),
        "parquet": lambda out: _write_parquet(out, labels, ids),
    }
    if path == STANDARD:
        whole = io.BytesIO()
        with to_stdout() as out:
            writers[format_](out if format_ == "csv" else whole)
            out.write(whole.getbuffer())
        return
    with replacing(path) as beside, beside.open("wb") as out:
        writers[format_](out)


def _write_npz(out: IO[bytes], labels: NDArray[Any], ids: NDArray[Any] | None) -> None:
    if ids is None:
        np.savez(out, labels=labels)
    else:
        # Objects would be pickled, and nothing that is read here is unpickled: names are kept as text.
        plain = np.array([str(x) for x in ids], dtype=np.str_) if ids.dtype == object else ids
        np.savez(out, labels=labels, ids=plain)


def _write_csv(out: IO[bytes], labels: NDArray[Any], ids: NDArray[Any] | None) -> None:
    out.write(b"vertex,label\n")
    for begin in range(0, len(labels), CHUNK):
        end = min(begin + CHUNK, len(labels))
        vertices = np.arange(begin, end) if ids is None else ids[begin:end]
        if vertices.dtype.kind in "iu":
            out.write(integer_rows(vertices, labels[begin:end], ","))
        else:
            text = io.StringIO()
            rows = zip(vertices.tolist(), labels[begin:end].tolist(), strict=True)
            csv.writer(text, lineterminator="\n").writerows(rows)
            out.write(text.getvalue().encode())


def integer_rows(first: NDArray[Any], second: NDArray[Any], between: str) -> bytes:
    """Two columns of whole numbers as text, one pair a line."""
    row = f"%d{between}%d\n"
    return "".join(map(row.__mod__, zip(first.tolist(), second.tolist(), strict=True))).encode()


def _write_parquet(out: IO[bytes], labels: NDArray[Any], ids: NDArray[Any] | None) -> None:
    arrow, parquet = _pyarrow()
    vertices = np.arange(len(labels)) if ids is None else arrow.array(ids)
    parquet.write_table(arrow.table({"vertex": vertices, "label": labels}), out)


def read_labels(path: str, names: bool = False) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Labels and, if the file has them, the vertices they belong to (as written by ``write_labels``).

    names: vertices have names, so digits are text too.
    Raises InputError, or FileFormatError with the line, for a file that holds anything else; OSError if it
    cannot be read. Nothing is unpickled.
    """
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in LABEL_FORMATS:
        raise InputError(f"{path}: labels are read from {', '.join('.' + f for f in LABEL_FORMATS)}")
    if suffix == "csv":
        return _read_csv(path, names)
    try:
        if suffix == "parquet":
            table = _pyarrow()[1].read_table(path)
            return _column(path, table, "label"), _column(path, table, "vertex")
        with Path(path).open("rb") as source:
            loaded = np.load(source, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return loaded, None
            with loaded:
                if "labels" not in loaded:
                    raise InputError(f"{path}: there is no array 'labels' in it")
                return loaded["labels"], loaded.get("ids")
    except (ValueError, EOFError, BadZipFile) as error:
        raise error if isinstance(error, InputError) else InputError(f"{path}: {error}") from None


def _column(path: str, table: Any, name: str) -> NDArray[Any]:
    if name not in table.column_names:
        raise InputError(f"{path}: there is no column {name!r} in it")
    column: NDArray[Any] = table.column(name).to_numpy()
    return column


def _read_csv(path: str, names: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    with Path(path).open(newline="", encoding="utf-8", errors="replace") as source:
        rows = csv.reader(source)
        if next(rows, None) != ["vertex", "label"]:
            raise FileFormatError(path, "expected the header vertex,label", line=1)
        first = next(rows, None)
        if first is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if first[0].isdecimal() and not names:
            pairs = files.read(path, format="edges", ids="dense", columns=("vertex", "label"))
            assert isinstance(pairs, EdgeList)
            return pairs.v, pairs.u
        vertices: list[str] = []
        labels: list[int] = []
        for row in chain([first], rows):
            if len(row) != 2 or not row[1].isdecimal():
                raise FileFormatError(path, "expected a vertex and its label", line=rows.line_num, text=",".join(row))
            vertices.append(row[0])
            labels.append(int(row[1]))
    return np.array(labels, dtype=np.int64), np.array(vertices)


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet needs pyarrow: pip install 'landbridge[io]'") from None

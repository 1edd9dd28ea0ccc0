"""Files of labels: for each vertex its id, the number of its component, and the smallest id of that component."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cli import output
from landbridge.edges import files
from landbridge.edges.formats import npy, npz, parquet
from landbridge.edges.formats.archive import open_archive
from landbridge.edges.formats.compression import compressor
from landbridge.edges.formats.registry import FORMATS as FORMATS_OF_EDGES
from landbridge.edges.formats.registry import MAGIC, format_by_magic
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import arrow_errors
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import NameArray
from landbridge.edges.options import Budget, options_of
from landbridge.errors import FileFormatError, InputError, MissingDependency
from landbridge.filename import filename
from landbridge.result import Components, saving

FORMATS = ("csv", "tsv", "npy", "npz", "parquet")
TEXT = {"csv": ",", "tsv": "\t"}
"""The formats that are text, which may be compressed, and the delimiter of their columns."""
COMPRESSED = (".gz", ".zst")
_LABEL, _NUMBER = re.compile(r"[0-9]{1,18}"), re.compile(r"-?[0-9]{1,19}")
HEADER = ("id", "component", "representative")
ROWS = 1 << 18
"""LabelRows formatted at a time."""

Names = tuple[NDArray[np.int64], NDArray[np.uint8]]


def format_of(path: str, name: str | None) -> str:
    """The format of a label file: the named one, or that of its suffix; csv for stdout, pipes and devices.

    Raises
    ------
    InputError
        For an unknown format.
    MissingDependency
        If a package for it is missing.
    """
    plain, packed = _unpacked(path)
    kind = name or Path(plain).suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        endings = f"labels are written as {', '.join('.' + f for f in FORMATS)}, .csv.gz, .csv.zst"
        if name is not None:
            raise InputError(f"unknown label format {name!r}; known: {', '.join(FORMATS)}")
        if path != output.STANDARD and not output.is_stream(path):
            raise InputError(f"{path}: {endings}")
        kind = "csv"
    if packed and kind not in TEXT:
        raise InputError(f"{path}: only text is compressed, .csv and .tsv")
    if kind == "parquet":
        _pyarrow()
    return kind


def refuse_lost_ids(path: str, format_: str, kind: str, ids_path: str | None) -> None:
    """Raise InputError if the ids of vertices that are not 0 to n-1 would be lost."""
    if format_ == "npy" and kind != "dense" and ids_path is None:
        dense = "" if kind == "names" else "; --ids dense takes ids as the numbers of vertices 0 to n-1"
        raise InputError(
            f"{path}: .npy holds labels alone, and these vertices are the {_KINDS[kind]} that occur: write .npz, .csv "
            f"or .parquet, or their ids as a second array, --ids-output IDS.npy{dense}"
        )


_KINDS = {"sparse": "numbers", "names": "names"}


def write(path: str, format_: str, result: Components, threads: int = 1) -> None:
    """Write a row per vertex, in ascending order of the ids.

    csv, tsv and parquet have the columns id, component and representative, the smallest id of the component. npy holds
    the labels (components) alone; npz holds ``labels``, and ``ids`` of vertices that are not 0 to n-1.
    """
    writers: dict[str, Callable[[IO[bytes]], None]] = {
        "npy": lambda out: np.lib.format.write_array(out, result.labels, allow_pickle=False),
        "npz": lambda out: _write_npz(out, path, result),
        "csv": lambda out: _write_text(out, path, result, ",", threads),
        "tsv": lambda out: _write_text(out, path, result, "\t", threads),
        "parquet": lambda out: _write_parquet(out, path, result),
    }
    with _opened(path) as out:
        if format_ in TEXT:
            packed = compressor(path, out)
            writers[format_](packed)
            if packed is not out:
                packed.close()
        elif path == output.STANDARD or not out.seekable():
            whole = io.BytesIO()
            writers[format_](whole)
            out.write(whole.getbuffer())
        else:
            writers[format_](out)


def write_ids(path: str, result: Components) -> None:
    """Write the id of each vertex as an array, in the order of the labels."""
    ids = np.arange(len(result.labels)) if result.ids is None else _array(path, result.ids)
    with _opened(path) as out:
        np.lib.format.write_array(out, ids, allow_pickle=False)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    if path == output.STANDARD:
        with output.to_stdout() as out:
            yield out
        return
    with output.replacing(path) as beside, beside.open("wb") as out:
        yield out


def names_of(path: str, ids: Any) -> Names | None:
    """The offsets and bytes of ids that are text, None for numbers. Raises InputError for invalid UTF-8."""
    if not isinstance(ids, NameArray):
        if np.asarray(ids).dtype.kind in "iu":
            return None
        parts = [str(x).encode("utf-8", "surrogateescape") for x in np.asarray(ids).tolist()]
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)), out=offsets[1:])
        ids = NameArray(offsets, np.frombuffer(b"".join(parts), np.uint8))
    offsets, data = (np.ascontiguousarray(x) for x in ids.buffers)
    offsets = offsets.astype(np.int64, copy=False)
    for begin in range(0, len(offsets) - 1, ROWS):
        end = min(begin + ROWS, len(offsets) - 1)
        try:
            data[offsets[begin] : offsets[end]].tobytes().decode()
        except UnicodeDecodeError as error:
            at = int(offsets[begin]) + error.start
            i = int(np.searchsorted(offsets, at, side="right")) - 1
            text = data[offsets[i] : offsets[i + 1]].tobytes()
            raise InputError(
                f"{path}: the id {text!r} of vertex {i} is no UTF-8, and nothing else is written; --encoding says what "
                "the input is"
            ) from None
    return offsets, data


def _array(path: str, ids: Any) -> NDArray[Any]:
    """Ids as an array that can be saved: objects would be pickled, so names are kept as text of one width."""
    names = names_of(path, ids)
    if names is None:
        return np.asarray(ids)
    offsets, data = names
    lengths = np.diff(offsets)
    last = data[np.maximum(offsets[1:], 1) - 1] if len(data) else np.ones(len(lengths), np.uint8)
    if np.any((last == 0) & (lengths > 0)):
        raise InputError(f"{path}: an id ends in a NUL, which NumPy's text cannot hold; .csv and .parquet can")
    width = int(lengths.max(initial=1))
    if np.any(data >= 128):
        return np.array(np.asarray(ids).tolist(), dtype=np.str_)
    texts = np.empty(len(lengths), dtype=f"U{max(width, 1)}")
    for begin in range(0, len(lengths), ROWS):
        here = lengths[begin : begin + ROWS]
        page = np.zeros((len(here), max(width, 1)), np.uint8)
        page[np.arange(page.shape[1]) < here[:, None]] = data[offsets[begin] : offsets[begin + len(here)]]
        texts[begin : begin + len(here)] = page.view(f"S{page.shape[1]}")[:, 0]
    return texts


def _write_npz(out: IO[bytes], path: str, result: Components) -> None:
    if result.ids is None:
        np.savez(out, labels=result.labels)
    else:
        np.savez(out, labels=result.labels, ids=_array(path, result.ids))


def _chunks(result: Components) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """Ranges of rows: the first row, the labels, and the representatives as vertex numbers."""
    for begin in range(0, len(result.labels), ROWS):
        labels = np.ascontiguousarray(result.labels[begin : begin + ROWS], dtype=np.int64)
        yield begin, labels, result.first[labels].astype(np.int64, copy=False)


def _write_text(out: IO[bytes], path: str, result: Components, separator: str, threads: int) -> None:
    how: dict[str, Any] = {"separator": separator, "threads": threads}
    names = None if result.ids is None else names_of(path, result.ids)
    out.write((separator.join(HEADER) + "\n").encode())
    for begin, labels, smallest in _chunks(result):
        if names is not None:
            out.write(_core.format_named_rows(*names, begin, labels, smallest, **how))
            continue
        representatives: NDArray[Any] = smallest
        if result.ids is None:
            ids: NDArray[Any] = np.arange(begin, begin + len(labels))
        else:
            wide = np.uint64 if result.ids.dtype.kind == "u" else np.int64
            ids = np.ascontiguousarray(result.ids[begin : begin + ROWS], dtype=wide)
            representatives = np.ascontiguousarray(result.ids[smallest], dtype=wide)
        out.write(_core.format_numbered_rows(ids, labels, representatives, **how))


def _write_parquet(out: IO[bytes], path: str, result: Components) -> None:
    arrow, writing = _pyarrow()
    names = None if result.ids is None else names_of(path, result.ids)
    if names is not None:
        buffers = [arrow.py_buffer(x) for x in names]
        ids = arrow.LargeStringArray.from_buffers(len(result.labels), *buffers)
    elif result.ids is not None:
        ids = arrow.array(np.asarray(result.ids))
    else:
        ids = arrow.array(np.arange(len(result.labels)))
    kinds = (ids.type, arrow.from_numpy_dtype(result.labels.dtype), ids.type)
    schema = arrow.schema(list(zip(HEADER, kinds, strict=True)))
    with writing.ParquetWriter(out, schema) as writer:
        for begin, labels, representatives in _chunks(result):
            component = arrow.array(labels.astype(result.labels.dtype, copy=False))
            rows = [ids.slice(begin, len(labels)), component, ids.take(arrow.array(representatives))]
            writer.write_table(arrow.table(rows, schema=schema))


# reading -----------------------------------------------------------------------------------------------------------


class LabelRows(NamedTuple):
    """The rows of a file of labels: a component, an id and a representative each; None for what the file has not."""

    labels: NDArray[Any]
    ids: NDArray[Any] | None = None
    representatives: NDArray[Any] | None = None


def read(path: str, names: bool = False, budget: Budget | None = None) -> LabelRows:
    """Labels and, if the file has them, ids of vertices and representatives (as written by `write`), not unpickled.

    Labels alone are those of the vertices in ascending order. Columns may also be called vertex and label.

    Parameters
    ----------
    path : str
        The file.
    names : bool
        Whether ids are names, so that digits are text, too.
    budget : Budget, optional
        What may be read or held, unpacked.

    Raises
    ------
    InputError
        (FileFormatError with a line) for a file that holds anything else; SizeLimitExceeded for more than the budget.
    OSError
        If it cannot be read.
    """
    path = filename("the path of the labels", path)
    suffix = Path(_unpacked(path)[0]).suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: labels are read from {', '.join('.' + f for f in FORMATS)}, .csv.gz, .csv.zst")
    if suffix in TEXT:
        return _read_text(path, TEXT[suffix], names, budget)
    with Source(path, budget=budget) as source:
        rows = _read_parquet(source) if suffix == "parquet" else _read_arrays(source)
    values, ids, _ = rows
    if values.ndim != 1 or values.dtype.kind not in "iu" or (ids is not None and ids.shape != values.shape):
        shapes = f"{values.dtype} of shape {values.shape}" + ("" if ids is None else f", of ids {ids.shape}")
        raise FileFormatError(path, f"labels are whole numbers, one for each vertex, not {shapes}")
    return rows


def _read_parquet(source: Source) -> LabelRows:
    with arrow_errors(source.path, "the Parquet file"):
        table, columns = parquet.read_columns(source, lambda known: _columns(source.path, known, 0))
        ids, labels, *others = (_column(table, name) for name in columns)
        return LabelRows(labels, ids, *others)


def _read_arrays(source: Source) -> LabelRows:
    if format_by_magic(source.peek(MAGIC), source.path) is FORMATS_OF_EDGES["npy"]:
        return LabelRows(npy.array_of(source).copy())
    with open_archive(source) as members:
        if "labels" not in members.names:
            raise InputError(f"{source.path}: there is no array 'labels' in it")
        names = saving.names_in(source, members)
        ids = npz.member(source, members, "ids") if "ids" in members.names else None
        return LabelRows(npz.member(source, members, "labels"), ids if names is None else names[:])


def _unpacked(path: str) -> tuple[str, str]:
    """The path without the suffix of a compressed file, and that suffix."""
    ending = Path(path).suffix.lower()
    return (path[: -len(ending)], ending) if ending in COMPRESSED else (path, "")


def _columns(path: str, known: list[str], line: int) -> tuple[str, ...]:
    """The columns of ids, labels and, if there are any, representatives among those of a file."""
    for columns in (HEADER, HEADER[:2], ("vertex", "label")):
        if all(name in known for name in columns):
            return columns
    raise FileFormatError(path, "expected the columns id and component", line=line, text=",".join(known))


def _column(table: Any, name: str) -> NDArray[Any]:
    column: NDArray[Any] = table.column(name).to_numpy()
    return column


def _read_text(path: str, separator: str, names: bool, budget: Budget | None) -> LabelRows:
    with _text(path, budget) as source:
        rows = csv.reader(source, delimiter=separator)
        try:
            known = next(rows, None)
            if known is None:
                raise FileFormatError(path, "expected the columns id and component", line=1)
            columns = _columns(path, known, 1)
            first = next(rows, None)
            if first is None:
                return LabelRows(*(np.zeros(0, np.int64) for _ in columns))
            if not names and all(cell.isdecimal() for cell in first):
                ids, labels = _read_numbers(path, columns[:2], separator, budget)
                if len(columns) == 2:
                    return LabelRows(labels, ids)
                return LabelRows(labels, ids, _read_numbers(path, columns[1:], separator, budget)[1])
            return _rows(path, first, rows, (known, columns), names)
        except UnicodeDecodeError as error:
            raise FileFormatError(path, f"not UTF-8 ({error.reason})", line=rows.line_num + 1) from None
        except csv.Error as error:
            raise FileFormatError(path, str(error), line=rows.line_num) from None


def _read_numbers(path: str, columns: Sequence[str], separator: str, budget: Budget | None) -> tuple[Any, Any]:
    """Two columns of numbers of a text."""
    options = options_of(
        ids="sparse", columns=tuple(columns), header=True, delimiter=separator, comment="", max_bytes=budget
    )
    edges = files.read(path, format="edges", options=options)
    assert isinstance(edges, EdgeList)
    return edges.u, edges.v


def _rows(path: str, first: list[str], reader: Any, header: tuple[list[str], Sequence[str]], names: bool) -> LabelRows:
    """Labels, ids and representatives of the first row and those behind it; header: all names, and those to be read."""
    known, columns = header
    at = [known.index(name) for name in columns]
    ids: list[str] = []
    labels: list[int] = []
    representatives: list[str] = []
    for row in chain([first], reader):
        if len(row) != len(known) or not _LABEL.fullmatch(row[at[1]]):
            text = ",".join(row)[:60]
            raise FileFormatError(path, "expected an id and its component", line=reader.line_num, text=text)
        ids.append(row[at[0]])
        labels.append(int(row[at[1]]))
        representatives += [row[i] for i in at[2:]]
    values = _ids_of(ids, names)
    others = [_ids_of(representatives, names or values.dtype == object)] if len(at) > 2 else []
    return LabelRows(np.array(labels, dtype=np.int64), values, *others)


def _ids_of(words: list[str], names: bool) -> NDArray[Any]:
    """Ids as numbers that the parser of edges refuses, such as negative ones, else as text."""
    if not names and all(map(_NUMBER.fullmatch, words)):
        with suppress(OverflowError):
            return np.array(list(map(int, words)), dtype=np.int64)
    return np.array(words, dtype=object)


@contextmanager
def _text(path: str, budget: Budget | None) -> Iterator[IO[str]]:
    with Source(path, budget=budget) as source:
        yield io.TextIOWrapper(io.BufferedReader(_Unpacked(source)), encoding="utf-8-sig", newline="")


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file."""

    def __init__(self, source: Source) -> None:
        self._chunks, self._rest = source.chunks(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        some = self._rest[: len(buffer)]
        buffer[: len(some)] = some
        self._rest = self._rest[len(some) :]
        return len(some)


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet needs pyarrow: pip install 'landbridge[io]'") from None

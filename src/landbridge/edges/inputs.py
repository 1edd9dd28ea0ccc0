"""Files as a caller names them: a path, folder, pattern or URL, an open file, a dataset of Arrow, a list of these."""

from __future__ import annotations

import errno
import glob
import importlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from landbridge.edges.formats.compression import COMPRESSED
from landbridge.edges.formats.source import Source, name_of
from landbridge.edges.options import Options
from landbridge.edges.place import shown
from landbridge.errors import FileFormatError, InputError, LandbridgeError, MissingDependency, counted
from landbridge.filename import filename

_URL = re.compile(r"[a-z][a-z0-9+.-]+://|memory://", re.IGNORECASE)
_SMALL = 1 << 10
"""Bytes of a compressed file that may hold none."""
_NO_DATA = re.compile(
    r".*~|#.*#|.*\.(bak|tmp|swp|crc|partial)|_SUCCESS|(readme|licen[cs]e|changelog)(\.(md|rst|txt))?", re.IGNORECASE
)
"""Names of files that editors and programs leave beside those of tables, and of texts about them."""
_HIVE = re.compile(r"[^=/]+=[^=/]*")


@dataclass(frozen=True, slots=True)
class Input:
    """One file, or what Arrow reads as one table.

    Attributes
    ----------
    name : str
        For messages; its suffix shows the format.
    path : str or None
        Of a local file, or "-".
    file : file or None
        One that is open for reading.
    open : callable or None
        Opens the file.
    dataset : pyarrow.dataset.Dataset or None
        A dataset.
    open_source : Source or None
        The source, if it is open already and cannot be reopened.
    notes : tuple of str
        What was left out beside it.
    """

    name: str
    path: str | None = None
    file: Any = None
    open: Callable[[], Any] | None = None
    dataset: Any = None
    open_source: Source | None = None
    notes: tuple[str, ...] = ()

    @property
    def again(self) -> bool:
        """Whether it can be read from its beginning more than once."""
        return self.file is None and self.path != "-" and self.open_source is None

    def source(self, options: Options) -> Source:
        """The open file."""
        if self.open_source is not None:
            self.open_source.watch(options.progress)
            return self.open_source
        file = self.path if self.path is not None else self.file if self.open is None else self.open()
        return Source(
            file, options.progress, options.encoding, name=self.name, owned=self.open is not None, budget=options.budget
        )


def inputs_of(source: Any) -> list[Input]:
    """The files in the order in which they are read; those of a folder or a pattern in the order of their names.

    Files and folders whose names begin with a dot or an underscore are skipped in folders. In folders and patterns that
    do not name them, copies of editors, unfinished files and the like (``a.csv~``, ``a.csv.bak``, ``README``) are
    skipped, and files without a byte, as programs write for parts without rows; the first file has a note of each. A
    folder with ``key=value`` folders of Parquet files is one table, whose keys are columns, too.

    Raises
    ------
    InputError
        If there is no file.
    """
    if isinstance(source, list | tuple):
        _refuse_words(source)
        entries = [entry for item in source for entry in inputs_of(item)]
        if not entries:
            raise InputError("the list of files is empty")
        return entries
    if hasattr(source, "read"):
        return [Input(name_of(source), file=source)]
    if not isinstance(source, str | os.PathLike):
        return [Input(f"<{type(source).__name__}>", dataset=source)]
    name = filename("the path", source)
    if _URL.match(name):
        return _remote(name)
    if "\n" in name and not os.path.lexists(name):
        raise InputError(
            f"no file has this text for its name: {shown(name)}; io.StringIO(text) is read as a file that holds it"
        )
    path = Path(name)
    if name != "-" and path.is_dir():
        return _folder(path)
    if glob.has_magic(name) and not path.exists():
        entries = [entry for match in sorted(glob.glob(name, recursive=True)) for entry in _matched(Path(match))]  # noqa: PTH207
        if not entries:
            raise InputError(f"{name}: no file matches")
        entries = _with_data(name, entries, name)
        return _with_bytes(name, entries, [_size_of(entry.path) for entry in entries])
    return [Input(name_of(name), path=name)]


def _refuse_words(source: Sequence[Any]) -> None:
    """Raise FileNotFoundError for a list of strings of which none is a file or looks like a path: they may be ids."""
    if source and all(isinstance(item, str) and _is_word(item) for item in source):
        problem = "strings are taken as paths, and edges are pairs of ids, such as ('ann', 'bob'); no such file"
        raise FileNotFoundError(errno.ENOENT, problem, source[0])


def _is_word(item: str) -> bool:
    """Whether a text has no suffix, folder or pattern of a path, and no file has this name."""
    is_path = re.search(r"[/\\\n]", item) or Path(item).suffix or glob.has_magic(item) or item in ("", "-")
    return not is_path and "\0" not in item and not os.path.lexists(item)


def would_read(source: str, target: Path) -> bool:
    """Whether a local file is one of those that a path, folder or pattern stands for, or will be when it is there.

    Links are followed. A file that is skipped by its name is none of them, one without a byte is.
    """
    source = filename("the path", source) if source else source
    if _URL.match(source):
        return source.lower().startswith("file://") and would_read(source[7:], target)
    path = Path(source)
    if source not in ("", "-") and path.is_dir():
        return _would_hold(path, target)
    if not glob.has_magic(source) or path.exists():
        return _is_same(path, target)
    if _is_left_out(target.name, source):
        return False
    matches = map(Path, glob.glob(source, recursive=True))  # noqa: PTH207
    if any(_would_hold(match, target) if match.is_dir() else _is_same(match, target) for match in matches):
        return True
    folder, name = os.path.split(source)
    fits = fnmatch(target.name, name) and (name.startswith(".") or not target.name.startswith("."))
    return fits and any(_is_same(Path(each), target.parent) for each in glob.glob(folder or ".", recursive=True))  # noqa: PTH207


def _would_hold(folder: Path, target: Path) -> bool:
    """Whether a file is one of those that are read of a folder, or will be when it is there."""
    if _is_left_out(target.name):
        return False
    root, places = folder.resolve(), (target.resolve(), target.parent.resolve() / target.name)
    if any(place.is_relative_to(root) and not _is_hidden(place.relative_to(root)) for place in places):
        return True
    return target.exists() and any(_is_same(file, target) for file in _files_in(folder))


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _matched(path: Path) -> list[Input]:
    """The files that a match of a pattern stands for; of a folder without data those that the pattern leaves out."""
    files = _files_in(path) if path.is_dir() else [path]
    without_data = all(_NO_DATA.fullmatch(file.name) for file in files)
    return _folder(path) if path.is_dir() and not (files and without_data) else _as_inputs(files)


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(folder)))


def _is_hidden(path: Path) -> bool:
    """Whether a path within a folder is skipped by its name or that of a folder on it."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _as_inputs(files: list[Path]) -> list[Input]:
    return [Input(str(file), path=str(file)) for file in files]


def _folder(folder: Path) -> list[Input]:
    files = _files_in(folder)
    if not files:
        raise InputError(f"{folder}: the folder has no files")
    entries = _with_data(str(folder), _as_inputs(files))
    entries = _with_bytes(str(folder), entries, [_size_of(entry.path) for entry in entries])
    files = [Path(entry.name) for entry in entries]
    keys = any(_HIVE.fullmatch(part) for path in files for part in path.relative_to(folder).parts[:-1])
    if keys and all(path.suffix.lower() in (".parquet", ".pq") for path in files):
        arrow = _module("pyarrow.dataset", f"{folder}: pyarrow is needed to read Parquet files", "landbridge[io]")
        try:
            dataset = arrow.dataset([str(path) for path in files], format="parquet", partitioning="hive")
        except (ValueError, TypeError, LookupError, OSError, RuntimeError) as error:
            problem = " ".join(str(error).split())[:300]
            raise FileFormatError(str(folder), f"its Parquet files cannot be read ({problem})") from None
        return [Input(str(folder), dataset=dataset, notes=entries[0].notes)]
    return entries


def _size_of(path: str | None) -> int | None:
    """The bytes of a local file, 0 for a compressed one of nothing; None for what is no file, such as a pipe."""
    if path is None or not Path(path).is_file():
        return None
    size = Path(path).stat().st_size
    if not 0 < size <= _SMALL or not path.lower().endswith(COMPRESSED):
        return size
    try:
        with Source(path) as source:
            return len(next(source.chunks(), b""))
    except (LandbridgeError, OSError):
        return size  # its reader says what is wrong


def _with_bytes(name: str, entries: list[Input], sizes: list[int | None]) -> list[Input]:
    """The files of a folder or a pattern that have a byte; with a note on the others. sizes: None where unknown."""
    empty = [entry.name for entry, size in zip(entries, sizes, strict=True) if size == 0]
    others = [entry for entry, size in zip(entries, sizes, strict=True) if size != 0]
    if not others:
        raise InputError(f"{name}: every file is empty")
    if sizes[0] == 0:  # the notes are those of the first one
        others[0] = replace(others[0], notes=(*entries[0].notes, *others[0].notes))
    return _noted(others, "files without a byte are skipped", empty)


def _with_data(name: str, entries: list[Input], pattern: str = "") -> list[Input]:
    """The files of a folder or a pattern but those whose names say that they hold no table; with a note on the others.

    Raises InputError if there are none. pattern: it matches all if it is such a name itself, as ``*.bak`` is.
    """
    skipped = [entry.name for entry in entries if _is_left_out(entry.name, pattern)]
    others = [entry for entry in entries if not _is_left_out(entry.name, pattern)]
    if not others:
        raise InputError(f"{name}: no file but {skipped[0]}, which is read where its own path is given")
    return _noted(others, "files that editors and programs leave are skipped", skipped)


def _is_left_out(name: str, pattern: str = "") -> bool:
    """Whether a name says that its file holds no table, and the pattern is no such name itself."""
    literal = re.sub(r"\[[^]]*\]|[*?]", "", _last(pattern))
    return _NO_DATA.fullmatch(_last(name)) is not None and not _NO_DATA.fullmatch(literal)


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _noted(entries: list[Input], what: str, names: list[str]) -> list[Input]:
    """The entries, the first of them with a note of the files that are left out; without one if none are."""
    if not names:
        return entries
    first, more = entries[0], f" and {len(names) - 1} more" * (len(names) > 1)
    return [replace(first, notes=(*first.notes, f"{what}: {names[0]}{more}")), *entries[1:]]


def _remote(url: str) -> list[Input]:
    """Files that fsspec opens."""
    if url.lower().startswith("file://"):
        return inputs_of(url[7:])
    core = _module("fsspec.core", f"{url}: fsspec is needed to read files by URL", "landbridge[remote]")
    try:
        system, path = core.url_to_fs(url)
        if glob.has_magic(path):
            infos = system.glob(path, detail=True)
        elif system.isdir(path):
            infos = {
                p: info
                for p, info in system.find(path, detail=True).items()
                if not any(x.startswith((".", "_")) for x in p[len(path) :].split("/"))
            }
        else:
            infos = {path: {}}
    except ImportError as error:  # of the package that fsspec needs for this kind of URL
        extra = " (pip install 'landbridge[remote]')" if url.lower().startswith(("http://", "https://")) else ""
        raise MissingDependency(f"{url}: {' '.join(str(error).split())}{extra}") from None
    except (ValueError, OSError) as error:
        raise InputError(f"{url}: {' '.join(str(error).split())}") from None
    if not infos:
        raise InputError(f"{url}: no file matches")

    def opener(file: str) -> Callable[[], Any]:
        return lambda: system.open(file, "rb")

    entries, sizes = [], {}
    for file, info in sorted(infos.items()):
        entries.append(Input(system.unstrip_protocol(file), open=opener(file)))
        sizes[entries[-1].name] = info.get("size") if info.get("type") == "file" else None
    if infos != {path: {}}:
        entries = _with_data(url, entries, path if glob.has_magic(path) else "")
    return _with_bytes(url, entries, [sizes[entry.name] for entry in entries])


def _module(name: str, problem: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependency(f"{problem}: pip install '{package}'") from None


def notes_of_files(files: Iterable[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """The notes on several files, each with the first file that it is about. files: their names and notes."""
    names: dict[str, list[str]] = {}
    for name, notes in files:
        for note in notes:
            names.setdefault(note, []).append(name)
    others = {note: f" and {counted(len(of) - 1, 'other file')}" if len(of) > 1 else "" for note, of in names.items()}
    return tuple(f"{of[0]}{others[note]}: {note}" for note, of in names.items())

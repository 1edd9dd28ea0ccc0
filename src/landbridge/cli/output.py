"""Files that are complete or absent: written beside their target, flushed to disk, then renamed over it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from landbridge.errors import InputError
from landbridge.filename import filename

STANDARD = "-"
_STDOUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_OPEN_FILES = ("/dev/stderr", "/dev/fd/", "/proc/")

_unfinished: set[Path] = set()
_lock = threading.RLock()
_closed = threading.Event()


def abandon() -> None:
    """Remove every file that is being written, and let no thread finish or begin one: the process ends."""
    with _lock:
        _closed.set()
        while _unfinished:
            with suppress(OSError):
                _unfinished.pop().unlink()


class PipeClosed(Exception):
    """The reader of stdout has exited."""


@contextmanager
def to_stdout() -> Iterator[IO[bytes]]:
    """The bytes of stdout, flushed at the end. Raises PipeClosed if its reader has exited."""
    if sys.stdout is None:
        raise InputError("stdout is closed: there is nowhere to print to")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise PipeClosed from None
    except OSError as error:
        raise _with_path(error, "<stdout>") from None


def discard_stdout() -> None:
    """Discard what is buffered for a closed pipe, so that the process exits quietly."""
    null = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(null, sys.stdout.fileno())
    os.close(null)


def check_target(path: str, sources: Sequence[str] = (), other: str | None = None) -> str:
    """The path to write to: ``-`` for any name of stdout. other: what the command writes beside it, as this returns it.

    Raises
    ------
    InputError
        For a path that cannot be written, for a file that is read, for one that would be read with the others of its
        folder or pattern when it is there, and for the file of the other output.
    """
    if path == STANDARD or path in _STDOUT:
        return STANDARD
    path = filename("the path to write to", path, "- is standard output")
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory")
    _refuse_input(path, sources)
    if other is not None:
        _refuse_other(path, other)
    folder = target.resolve().parent
    if not is_stream(path) and not folder.is_dir():
        raise InputError(f"{path}: the folder {folder} does not exist")
    if not os.access(target if is_stream(path) else folder, os.W_OK):
        raise InputError(f"{path}: no permission to write there")
    return path


def _refuse_input(path: str, sources: Sequence[str]) -> None:
    """Raise InputError for a file that the sources, which may be folders and patterns, hold, or would hold then."""
    target = Path(path)
    if not sources or (is_stream(path) and not target.is_file()):
        return
    from landbridge.edges.inputs import would_read  # on demand: --help and completion load no NumPy

    source = next((source for source in sources if would_read(source, target)), None)
    if source is None:
        return
    if target.is_file():
        raise InputError(f"{path}: is the input, and would be lost")
    raise InputError(f"{path}: would be read with the files of {source} the next time; write it elsewhere")


def _refuse_other(path: str, other: str) -> None:
    """Raise InputError for the file of another output, which may have another name or be a link to it."""
    if other == STANDARD or (is_stream(path) and not Path(path).is_file()):
        return
    target, first = Path(path), Path(other)
    is_same = target.exists() and first.exists() and target.samefile(first)
    if is_same or target.resolve() == first.resolve():
        raise InputError(f"{path}: is the file of another output, {other}, and one of the two would be lost")


def is_stream(path: str) -> bool:
    """Whether a target is written directly and never replaced: a pipe, a device, an inherited open file."""
    return path.startswith(_OPEN_FILES) or (Path(path).exists() and not Path(path).is_file())


def refuse_format(name: str | None, path: str | None) -> None:
    """Raise InputError for the format of an output that is not written."""
    if name is not None and path is None:
        raise InputError(f"--output-format {name} would have no effect: it is the format of -o FILE, and there is none")


def edge_format(path: str, name: str | None) -> str | None:
    """The format of edges to write to a target: the named one; for a stream, which has no suffix, text."""
    return name or ("edges" if path != STANDARD and is_stream(path) else None)


def _with_path(error: OSError, path: str) -> OSError:
    from landbridge.edges.files import named_after  # on demand: --help and completion load no NumPy

    return named_after(error, path)


@contextmanager
def replacing(path: str) -> Iterator[Path]:
    """A path to write to instead of ``path``; it replaces the target if the block succeeds, and is removed if it fails.

    Its name has the suffix of the target. A target that is no regular file (a pipe, a device) is written directly, and
    ``-`` is collected and then copied to stdout.
    """
    if path == STANDARD:
        with _collected() as collected:
            yield collected
        return
    if is_stream(path):
        try:
            yield Path(path)
        except OSError as error:
            raise _with_path(error, path) from None
        return
    from landbridge.edges.replacing import copy_mode_and_owner  # on demand: --help and completion load no NumPy

    target = Path(path).resolve()
    beside = target.with_name(f".{uuid.uuid4().hex[:12]}.{target.name}")
    old = target.stat() if target.exists() else None
    with _lock:
        if _closed.is_set():
            raise InputError(f"{path}: interrupted")
        handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if old is None else 0o600)
        _unfinished.add(beside)
    try:
        try:
            if old is not None:
                copy_mode_and_owner(handle, old)
        finally:
            os.close(handle)
        yield beside
        _to_disk(beside)
        with _lock:
            if _closed.is_set():
                raise InputError(f"{path}: interrupted")
            beside.replace(target)
            _unfinished.discard(beside)
        _to_disk(target.parent)
    except OSError as error:
        raise _with_path(error, path) from None
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

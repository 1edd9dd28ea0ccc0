"""Files that are replaced at one moment: as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from landbridge.edges.replacing import copy_mode_and_owner
from landbridge.errors import FileFormatError

_PARTIAL = re.compile(r"\.[0-9a-f]{16}\.partial")


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Errors of the system say which file they are about."""
    try:
        yield
    except OSError as error:
        own = error.filename in (None, str(Path(path).parent)) or _is_partial(str(error.filename), path)
        if error.errno is None or not own:
            raise
        raise type(error)(error.errno, os.strerror(error.errno), path) from None


def _is_partial(name: str, path: str) -> bool:
    return name.startswith(path) and _PARTIAL.fullmatch(name, len(path)) is not None


def write(fd: int, parts: list[Any]) -> None:
    """Write all parts, one behind the other: in one call where the system takes them, so that it never has the
    beginning of a sector without the rest."""
    left = [memoryview(part).cast("B") for part in parts if len(part)]
    while left:
        done = os.writev(fd, left)
        while left and done >= len(left[0]):
            done -= len(left.pop(0))
        if done:
            left[0] = left[0][done:]


def flush_data(fd: int) -> None:
    """Bring the bytes and the length of a file to the disk.

    macOS has no fdatasync, and its fsync leaves them in the disk's own cache; what takes its place is not for every
    file system.
    """
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(fd, full)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
    getattr(os, "fdatasync", os.fsync)(fd)


class File:
    """An open file that does not leak: closed, and its lock released, with the last reference to it."""

    fd = -1

    def __init__(self, path: str, flags: int, mode: int = 0o666) -> None:
        self._process = os.getpid()
        self.fd = os.open(path, flags | os.O_CLOEXEC, mode)

    def close(self) -> None:
        """Close it. A forked child shares the lock, so it is released explicitly, and only by the process that acquired
        it."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            with contextlib.suppress(OSError):
                if self._process == os.getpid():
                    fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)

    __del__ = close


def regular(path: str, flags: int) -> File:
    """A file whose bytes stay where they are. FileFormatError for a pipe or a device, which is not waited for."""
    file = File(path, flags | os.O_NONBLOCK)
    mode = os.fstat(file.fd).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        file.close()
        raise FileFormatError(path, "a pipe or a device; journals and saved streams are regular files")
    return file


def folder_of(path: str) -> File:
    """The folder a file is in."""
    return File(str(Path(path).parent), os.O_RDONLY | os.O_DIRECTORY)


def is_at(file: File, path: str) -> bool:
    """Whether an open file is still what the path names."""
    try:
        return os.path.samestat(os.fstat(file.fd), Path(path).lstat())
    except FileNotFoundError:
        return False


def _scratch(path: str) -> tuple[str, File]:
    """A new, locked, empty file beside another, of an unpredictable name.

    It has the mode and, as far as this process may set it, the owner of the other one, if that exists.
    """
    try:
        old = Path(path).stat()
    except FileNotFoundError:
        old = None
    while True:
        name = f"{path}.{secrets.token_hex(8)}.partial"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        file = File(name, flags, 0o666 if old is None else 0o600)
        try:
            fcntl.flock(file.fd, fcntl.LOCK_EX)
            if not is_at(file, name):  # a sweep has removed it as one that a crash left
                continue
            if old is not None:
                copy_mode_and_owner(file.fd, old)
            return name, file
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            file.close()
            raise


def sweep(path: str) -> None:
    """Remove what crashes have left beside a file: replacements of it that no process holds."""
    with contextlib.suppress(OSError), os.scandir(Path(path).parent) as entries:
        for name in [entry.path for entry in entries if _is_partial(entry.path, path)]:
            with contextlib.suppress(OSError):
                _sweep_one(path, name)


def _sweep_one(path: str, name: str) -> None:
    file = File(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not is_at(file, path):  # else another name of the file itself, which may be removed
            fcntl.flock(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_at(file, name) and stat.S_ISREG(os.fstat(file.fd).st_mode):
            Path(name).unlink()
    finally:
        file.close()


class Replacement:
    """A file beside the one that it is to replace: complete, on the disk, and locked.

    Everything that may fail is done at once, so that renaming is the last step to fail.
    """

    def __init__(self, path: str, parts: list[Any]) -> None:
        self.path = path
        self._folder = folder_of(path)
        sweep(path)
        self._name, self.file = _scratch(path)
        try:
            write(self.file.fd, parts)
            os.fsync(self.file.fd)
        except BaseException:
            self.withdraw()
            self.file.close()
            raise

    def place(self, *, fresh: bool = False) -> None:
        """At one moment the path names this file. fresh: raise FileExistsError if it names one already."""
        if fresh:
            Path(self.path).hardlink_to(self._name)
            Path(self._name).unlink(missing_ok=True)
        else:
            Path(self._name).replace(self.path)

    def placed(self) -> bool:
        """Whether the path names this file."""
        return is_at(self.file, self.path)

    def flush(self) -> None:
        """Once this returns, the path names this file after a power cut too."""
        os.fsync(self._folder.fd)

    def withdraw(self) -> None:
        """Remove the file, unless it has been placed."""
        with contextlib.suppress(OSError):
            if is_at(self.file, self._name):
                Path(self._name).unlink()


def refuse_devices(path: str) -> None:
    """Raise where renaming would replace a device or a pipe by a file."""
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
        raise OSError(errno.EINVAL, "neither a file nor a new one, so it cannot be replaced by one", path)

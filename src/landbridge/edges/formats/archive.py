"""Zip archives as far as .npz files need: members that are stored or deflated, read a piece at a time.

Lengths that an archive declares are compared with the size of the file before memory is allocated.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from landbridge.edges.formats.source import Source
from landbridge.errors import LandbridgeError

# The highest ratio of deflate, with room for tiny members.
_MOST_DEFLATED = 1032
PIECE = 1 << 20
"""Bytes requested of the file at a time; as the directory is one request, it has at most about 20,000 members."""
_METHODS = {9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz"}
_ENCRYPTED = 1
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, ArithmeticError,
    LookupError,
)  # fmt: skip


@contextmanager
def open_archive(source: Source) -> Iterator[Archive]:
    """The archive in a file; errors of zipfile inside the block become FileFormatErrors of the file."""
    try:
        with zipfile.ZipFile(_InPieces(source)) as file:
            yield Archive(source, file)
    except LandbridgeError:
        raise
    except _DAMAGED as error:
        reason = " ".join(str(error).split())[:200]
        source.fail(f"the archive is damaged ({reason or type(error).__name__})")


class Archive:
    """The members of an archive by the names of their arrays."""

    def __init__(self, source: Source, file: zipfile.ZipFile) -> None:
        self._source, self._file = source, file
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in file.infolist():
            name = info.filename.removesuffix(".npy")
            if name in self._members:
                source.fail(f"two members of the archive are called {shown(name)}")
            self._members[name] = info
        self.names = self._members.keys()
        self.commented = [name for name, info in self._members.items() if info.comment]
        """Members with a comment; where a length in the directory is damaged, it is the entry of another member."""

    def is_stored(self, name: str) -> bool:
        """Whether a member has the bytes of its array as they are."""
        return self._members[name].compress_type == zipfile.ZIP_STORED

    def open(self, name: str) -> tuple[IO[bytes], int]:
        """A member, and its declared length, which reading cannot exceed."""
        info = self._members[name]
        method = info.compress_type
        if info.flag_bits & _ENCRYPTED:
            self._source.fail(f"{name} is encrypted")
        if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            method_name = _METHODS.get(method, f"method {method}")
            self._source.fail(f"{name} is compressed with {method_name}; only stored and deflated members are read")
        most = info.compress_size
        if method == zipfile.ZIP_DEFLATED:
            most = _MOST_DEFLATED * (most + 64)
        if info.file_size > most or info.compress_size > (self._source.size or 0):
            self._source.fail(f"{name} claims {info.file_size} bytes from {info.compress_size}")
        return self._file.open(info), info.file_size


def shown(name: str) -> str:
    """The name of a member for a message: one line of bounded length."""
    return name[:60] if name.isprintable() else repr(name[:60])


class _InPieces:
    """A file of which each read returns at most a piece, whatever lengths an archive declares."""

    def __init__(self, source: Source) -> None:
        self._source, self._file = source, source.file
        self.seek, self.tell, self.seekable = self._file.seek, self._file.tell, self._file.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(PIECE + 1 if size < 0 else min(size, PIECE + 1))
        if size > PIECE or len(data) > PIECE:
            self._source.fail(f"the directory of the archive has more than {PIECE >> 20} MiB")
        return data

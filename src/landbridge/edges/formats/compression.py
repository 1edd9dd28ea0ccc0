"""Compressed files: gzip, zstd, bzip2 and xz, recognised by their first bytes, unpacked a piece at a time.

No input makes a step produce more than a bounded number of bytes.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NoReturn

from landbridge import _core
from landbridge.errors import MissingDependency

COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
"""The suffixes of compressed files."""

BLOCK = 8 << 20
"""Bytes that a step unpacks at most (zstd: a few more)."""

_WRITTEN = 1 << 18
"""Bytes that are compressed without a look at the time."""

HEAD = 10
"""First bytes of a file that `compression_of` needs."""

# bzip2 has no magic number of its own, so that of the first block is included.
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    *((b"BZh%d%b" % (level, block), "bzip2") for level in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")),
)
# How data behind the end of other data may begin; zstd has frames that are skipped.
_STARTS = {
    "gzip": (b"\x1f\x8b",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % kind for kind in range(0x50, 0x60))),
    "xz": (b"\xfd7zXZ\0",),
    "bzip2": (b"BZh",),
}
# Compressed bytes per step; their output is consumed before the next step.
_PIECE = 1 << 16
_ZSTD_PIECE = 1 << 12  # zstd expands up to 30,000 times

Fail = Callable[[str], NoReturn]
"""Raises the error of a file whose compressed data is damaged."""


def compression_of(head: bytes) -> str | None:
    """The compression that the first bytes of a file show; None for none."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def unpacked(compression: str, chunks: Iterable[bytes], path: str, fail: Fail) -> Iterator[bytes]:
    """The unpacked bytes of a compressed file.

    Parameters
    ----------
    compression : str
        As `compression_of` names it.
    chunks : iterable of bytes
        The compressed bytes.
    path : str
        The file, for the message about a missing package.
    fail : Fail
        Raises the error of damaged data.
    """
    if compression == "gzip":
        return _gunzip(_pieces(chunks, _PIECE), fail)
    if compression == "zstd":
        return _unzstd(_pieces(chunks, _ZSTD_PIECE), path, fail)
    if compression == "bzip2":
        return _unpack(_pieces(chunks, _PIECE), "bzip2", bz2.BZ2Decompressor, fail)
    return _unpack(_pieces(chunks, _PIECE), "xz", _xz_stream, fail)


def _xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << 30)


def _pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _refuse_other_bytes(rest: bytes, name: str, fail: Fail) -> None:
    """Fail for bytes behind compressed data that begin no more of it, such as a line feed."""
    starts = _STARTS[name]
    if not any(magic.startswith(rest[: len(magic)]) for magic in starts):
        fail(f"bytes that are no {name} data follow behind its end: {rest[:8]!r}")


def _gunzip(pieces: Iterator[bytes], fail: Fail) -> Iterator[bytes]:
    member = zlib.decompressobj(31)
    inside = True  # a member; between members only zero padding is allowed
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if not inside:
                    rest = rest.lstrip(b"\0")
                    if not rest:
                        break
                    _refuse_other_bytes(rest, "gzip", fail)
                    member, inside = zlib.decompressobj(31), True
                out = member.decompress(rest, BLOCK)
                if out:
                    yield out
                rest = member.unused_data if member.eof else member.unconsumed_tail
                inside = not member.eof
    except zlib.error as error:
        fail(f"the gzip data is damaged ({error})")
    if inside:
        fail("the gzip data ends early: the file was cut off")


def _unpack(pieces: Iterator[bytes], name: str, start: Callable[[], Any], fail: Fail) -> Iterator[bytes]:
    """Streams of bzip2 or xz one after another, at most a block at a time."""
    stream, inside = start(), True
    try:
        for piece in pieces:
            rest = piece
            while True:
                if stream.eof:
                    rest = rest.lstrip(b"\0")
                    if not rest:
                        inside = False
                        break
                    _refuse_other_bytes(rest, name, fail)
                    stream, inside = start(), True
                if not rest and stream.needs_input:
                    break
                out = stream.decompress(rest, BLOCK)
                rest = stream.unused_data if stream.eof else b""
                if out:
                    yield out
    except (OSError, EOFError, lzma.LZMAError) as error:
        fail(f"the {name} data is damaged ({error})")
    if inside and not stream.eof:
        fail(f"the {name} data ends early: the file was cut off")


def _unzstd(pieces: Iterator[bytes], path: str, fail: Fail) -> Iterator[bytes]:
    zstandard = _zstandard(f"{path}: zstandard is needed to read .zst files")
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if frame.eof:
                    _refuse_other_bytes(rest, "zstd", fail)
                    frame = decompressor.decompressobj()
                out = frame.decompress(rest)
                for start in range(0, len(out), BLOCK):
                    yield out[start : start + BLOCK]
                rest = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        fail(f"the zstd data is damaged ({error})")
    if not frame.eof:
        fail("the zstd data ends early: the file was cut off")


def _zstandard(problem: str) -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        raise MissingDependency(f"{problem}: pip install 'landbridge[io]'") from None


def compressed_suffix(path: str) -> str:
    """The suffix of compressed files that a path has, or ""."""
    return next((ending for ending in COMPRESSED if path.lower().endswith(ending)), "")


class Parts:
    """Writes to a file that compresses a part at a time, between which a signal or the end of the time ends a call."""

    def __init__(self, out: Any) -> None:
        self._out = out

    def write(self, data: Any) -> int:
        """Write bytes. Raises CoreTimeOver if the time of the call is over."""
        view = memoryview(data).cast("B")
        for begin in range(0, len(view), _WRITTEN):
            _core.check_time()
            self._out.write(view[begin : begin + _WRITTEN])
        return len(view)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def compressor(path: str, out: IO[bytes]) -> IO[bytes] | Any:
    """The stream that compresses to an open file as the suffix of a path says; the file itself for any other suffix.

    Raises
    ------
    MissingDependency
        For .zst without zstandard.
    """
    ending = compressed_suffix(path)
    if ending == ".bz2":
        return Parts(bz2.BZ2File(out, "wb"))
    if ending == ".xz":
        return Parts(lzma.LZMAFile(out, "wb", preset=1))
    if ending == ".gz":
        # Without a time and a name, so that the same text gives the same bytes.
        return Parts(gzip.GzipFile(filename="", fileobj=out, mode="wb", mtime=0, compresslevel=6))
    if ending == ".zst":
        zstandard = _zstandard(f"{path}: zstandard is needed to write .zst files")
        return Parts(zstandard.ZstdCompressor().stream_writer(out, closefd=False))
    return out

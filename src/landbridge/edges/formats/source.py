"""Where the bytes of a file come from: a mapping, a decompressor or a pipe, with one kind of error.

A plain file is mapped, never copied. Compressed files and pipes are read in blocks by a second thread,
so that decompressing and parsing overlap. Nothing here knows a graph format.
"""

from __future__ import annotations

import mmap
import os
import queue
import stat
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options, Progress
from landbridge.errors import FileFormatError, MissingDependency

Bytes = NDArray[np.uint8]
T = TypeVar("T")

BLOCK = 8 << 20
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSED = (".gz", ".zst")


class Source:
    """A file opened for reading: its name for messages, its compression, and its bytes whole or in blocks."""

    def __init__(self, path: str, progress: Progress | None = None) -> None:
        self.path = "<stdin>" if path == "-" else path
        if path == "-" and sys.stdin is None:
            self.fail("standard input is closed")
        self._file: IO[bytes] = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115
        self._progress = progress
        status = None if path == "-" else os.fstat(self._file.fileno())
        self.size = status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None
        self._done = 0
        self._head = self._file.read(4)
        if not self._head:
            self.close()
            self.fail("the file is empty")
        self.compression = "gzip" if self._head.startswith(GZIP) else "zstd" if self._head.startswith(ZSTD) else None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if sys.stdin is None or self._file is not sys.stdin.buffer:
            self._file.close()

    def fail(self, problem: str, *, line: int = 0, column: int = 0, text: str = "") -> NoReturn:
        """Raise the error of a file that is not what it should be."""
        raise FileFormatError(self.path, problem, line=line, column=column, text=text)

    @property
    def mappable(self) -> bool:
        """Whether the bytes can be had without reading them first."""
        return self.size is not None and self.compression is None

    @property
    def file(self) -> IO[bytes]:
        """The open file, at its start, for readers that seek."""
        self._file.seek(0)
        return self._file

    @property
    def report(self) -> Callable[[int], None] | None:
        """The progress function of a parser that works on the mapped file."""
        progress, total = self._progress, self.size
        if progress is None or not self.mappable:
            return None
        return lambda done: progress(done, total)

    def whole(self) -> Bytes:
        """All bytes after decompression; of a plain file a mapping, so it must not shrink meanwhile."""
        if self.mappable:
            mapped = mmap.mmap(self._file.fileno(), 0, prot=mmap.PROT_READ)
            return np.frombuffer(mapped, np.uint8)
        data = bytearray()
        for chunk in self._chunks():
            data += chunk
        if not data:
            self.fail("the file is empty")
        return np.frombuffer(data, np.uint8)

    def line_blocks(self) -> Iterator[bytes]:
        """The decompressed bytes in blocks of whole lines, read ahead by another thread."""
        carry: list[bytes] = []
        for chunk in read_ahead(self._chunks()):
            cut = chunk.rfind(b"\n") + 1
            if cut == 0:
                carry.append(chunk)
                continue
            yield b"".join((*carry, chunk[:cut]))
            carry = [chunk[cut:]]
        if last := b"".join(carry):
            yield last

    def parse(self, parser: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a parser of the core; its complaint becomes a FileFormatError that names this file."""
        try:
            return parser(*args, **options)
        except _core.CoreFormatError as error:
            problem, line, column, text = error.args
            raise FileFormatError(self.path, problem, line=line, column=column, text=text) from None

    def _raw(self) -> Iterator[bytes]:
        yield self._head
        self._done = len(self._head)
        while chunk := self._file.read(BLOCK if self.compression is None else BLOCK // 8):
            self._done += len(chunk)
            yield chunk
            if self._progress is not None:
                self._progress(self._done, self.size)

    def _chunks(self) -> Iterator[bytes]:
        if self.compression == "gzip":
            return self._gunzip()
        return self._unzstd() if self.compression == "zstd" else self._raw()

    def _gunzip(self) -> Iterator[bytes]:
        member = zlib.decompressobj(31)
        started = True  # inside a member; between members only zero padding may stand
        try:
            for compressed in self._raw():
                rest = compressed
                while rest:
                    if not started:
                        rest = rest.lstrip(b"\0")
                        if not rest:
                            break
                        member, started = zlib.decompressobj(31), True
                    out = member.decompress(rest, BLOCK)
                    if out:
                        yield out
                    rest = member.unused_data if member.eof else member.unconsumed_tail
                    started = not member.eof
        except zlib.error as error:
            self.fail(f"the gzip data is damaged ({error})")
        if started:
            self.fail("the gzip data ends early: the file was cut off")

    def _unzstd(self) -> Iterator[bytes]:
        try:
            import zstandard
        except ImportError:
            raise MissingDependency(
                f"{self.path}: zstandard is needed to read .zst files: pip install 'landbridge[io]'"
            ) from None
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            for compressed in self._raw():
                rest = compressed
                while rest:
                    if frame.eof:
                        frame = zstandard.ZstdDecompressor().decompressobj()
                    out = frame.decompress(rest)
                    for start in range(0, len(out), BLOCK):
                        yield out[start : start + BLOCK]
                    rest = frame.unused_data if frame.eof else b""
        except zstandard.ZstdError as error:
            self.fail(f"the zstd data is damaged ({error})")
        if not frame.eof:
            self.fail("the zstd data ends early: the file was cut off")


def read_ahead(chunks: Iterable[T], depth: int = 2) -> Iterator[T]:
    """Run an iterator in another thread, at most ``depth`` items ahead; its exception is raised here."""
    ready: queue.Queue[T | BaseException | None] = queue.Queue(depth)
    stop = threading.Event()

    def put(item: T | BaseException | None) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            for chunk in chunks:
                if not put(chunk):
                    return
            put(None)
        except BaseException as error:  # handed to the reader, whatever it is
            put(error)

    thread = threading.Thread(target=work, name="landbridge-read", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()


Reader = Callable[[Source, Options], Edges]

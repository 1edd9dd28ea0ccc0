"""Where the bytes of a file come from: a mapping, a decompressor, a decoder or a pipe, with one kind of error.

A plain file is mapped, never copied. Compressed files and pipes are read in blocks by a second thread,
so that decompressing and parsing overlap. Nothing here knows a graph format.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
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
from landbridge.errors import FileFormatError, InputError, MissingDependency

Bytes = NDArray[np.uint8]
T = TypeVar("T")

BLOCK = 8 << 20
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")

_LONGEST_LINE = 1 << 28
# How the compressed files begin. bz2 has no number of its own, so the first block's is looked for, too.
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    *((b"BZh%d%b" % (level, block), "bzip2") for level in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")),
)
# Compressed bytes that are handed over at a time: what they grow to is taken out before the next.
_PIECE = 1 << 16
_ZSTD_PIECE = 1 << 12  # its data can be 30,000 times as long


class Source:
    """A file opened for reading: its name for messages, its compression, and its bytes whole or in blocks.

    path: its name, or an open file of bytes or text. encoding: of text, None for UTF-8. name: what messages call it.
    ours: whether an open file is to be closed with this.
    """

    def __init__(
        self,
        path: str | IO[Any],
        progress: Progress | None = None,
        encoding: str | None = None,
        *,
        name: str | None = None,
        ours: bool = False,
    ) -> None:
        self.path = name_of(path) if name is None else name
        self._encoding = _checked(encoding)
        if path == "-" and sys.stdin is None:
            self.fail("standard input is closed")
        self._named = isinstance(path, str) and path != "-"
        self._ours = self._named or ours
        self._file = self._opened(path)
        self._progress = progress
        status = os.fstat(self._file.fileno()) if self._named else None
        self.size = status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None
        self._done = 0
        self._head = self._file.read(10)
        if not isinstance(self._head, bytes):
            self._file, self._head = _Encoded(self._file, self._head), b""
            self._encoding = None
        while len(self._head) < 10 and (more := self._file.read(10 - len(self._head))):  # sockets give what they have
            self._head += more
        if not self._head:
            self.close()
            self.fail("the file is empty")
        self.compression = next((name for magic, name in _MAGIC if self._head.startswith(magic)), None)
        self._stream: Iterator[bytes] | None = None
        self._ahead: list[bytes] = []  # of the stream, looked at and not yet given out
        self._whole: Bytes | None = None

    def _opened(self, path: str | IO[Any]) -> Any:
        if not isinstance(path, str):
            return path
        return sys.stdin.buffer if path == "-" else Path(path).open("rb")

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input and files that somebody else has opened stay open."""
        if self._ours:
            self._file.close()

    def watch(self, progress: Progress | None) -> None:
        """Report to this function from now on."""
        self._progress = progress

    def fail(self, problem: str, *, line: int = 0, column: int = 0, text: str = "") -> NoReturn:
        """Raise the error of a file that is not what it should be."""
        raise FileFormatError(self.path, problem, line=line, column=column, text=text)

    @property
    def mappable(self) -> bool:
        """Whether the bytes can be had without reading them first."""
        return self.size is not None and self.compression is None and self._encoding is None

    @property
    def file(self) -> IO[bytes]:
        """The open file, at its start, for readers that seek."""
        self._file.seek(0)
        opened: IO[bytes] = self._file
        return opened

    @property
    def report(self) -> Callable[[int], None] | None:
        """The progress function of a parser that works on the mapped file."""
        progress, total = self._progress, self.size
        if progress is None or not self.mappable:
            return None
        return lambda done: progress(done, total)

    def whole(self, most: int | None = None) -> Bytes:
        """All bytes after decompression; of a plain file a mapping, so it must not shrink meanwhile.

        most: no more than that are unpacked. Raises MemoryError for more than this machine has memory.
        """
        if self._whole is None:
            if self.mappable:
                mapped = mmap.mmap(self._file.fileno(), 0, prot=mmap.PROT_READ)
                self._whole = np.frombuffer(mapped, np.uint8)
            else:
                data, room = bytearray(), memory_of_machine()
                for chunk in self._chunks():
                    if most is not None and len(data) + len(chunk) > most:
                        self.fail(f"the header promises {most} bytes in all, and more follow")
                    if len(data) + len(chunk) > room:
                        raise MemoryError(f"{self.path}: more than {room} bytes, as much memory as this machine has")
                    data += chunk
                if not data:
                    self.fail("the file is empty")
                self._whole = np.frombuffer(data, np.uint8)
        return self._whole

    def peek(self, size: int) -> bytes:
        """The first `size` bytes after decompression, or all there are. They are read again by what follows."""
        if self.mappable or self._whole is not None:
            return self.whole()[:size].tobytes()
        chunks = self._chunks()
        parts: list[bytes] = []
        while sum(map(len, parts)) < size and (chunk := next(chunks, None)) is not None:
            parts.append(chunk)
        self._ahead = parts + self._ahead
        if not any(parts):
            self.fail("the file is empty")
        return b"".join(parts)[:size]

    def line_blocks(self, skip: int = 0) -> Iterator[bytes]:
        """The decompressed bytes but for the first `skip` in blocks of whole lines, read ahead by another thread."""
        carry: list[bytes] = []
        waiting = 0
        for block in read_ahead(self._chunks()):
            chunk, skip = block[skip:], max(0, skip - len(block))
            cut = chunk.rfind(b"\n") + 1
            waiting += len(chunk)
            if waiting < BLOCK // 2 or cut == 0:
                carry.append(chunk)
                if cut == 0 and waiting > _LONGEST_LINE and not any(b"\n" in part for part in carry):
                    self.fail(f"a line of more than {_LONGEST_LINE >> 20} MiB")
                continue
            yield b"".join((*carry, chunk[:cut]))
            carry, waiting = [chunk[cut:]], len(chunk) - cut
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
        """The bytes that have not been given out yet, after decompression and as UTF-8."""
        while self._ahead:
            yield self._ahead.pop(0)
        if self._stream is None:
            packed = {"gzip": self._gunzip, "zstd": self._unzstd, "bzip2": self._bunzip2, "xz": self._unxz}
            self._stream = packed[self.compression]() if self.compression is not None else self._raw()
            if self._encoding is not None:
                self._stream = self._decoded(self._stream, self._encoding)
        while (chunk := next(self._stream, None)) is not None:  # `yield from` would close it with this generator
            yield chunk

    def _decoded(self, chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)()
        lines = 1
        try:
            for chunk in chunks:
                text = decoder.decode(chunk).encode()
                lines += text.count(b"\n")
                yield text
            yield decoder.decode(b"", True).encode()
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                lines += codecs.decode(error.object[: error.start], encoding, "replace").count("\n")
            self.fail(f"the text is not {encoding} ({getattr(error, 'reason', error)})", line=lines)

    def _pieces(self, size: int = _PIECE) -> Iterator[bytes]:
        for chunk in self._raw():
            for start in range(0, len(chunk), size):
                yield chunk[start : start + size]

    def _gunzip(self) -> Iterator[bytes]:
        member = zlib.decompressobj(31)
        started = True  # inside a member; between members only zero padding may stand
        try:
            for piece in self._pieces():
                rest = piece
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

    def _bunzip2(self) -> Iterator[bytes]:
        return self._unpack("bzip2", bz2.BZ2Decompressor)

    def _unxz(self) -> Iterator[bytes]:
        return self._unpack("xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << 30))

    def _unpack(self, name: str, start: Callable[[], Any]) -> Iterator[bytes]:
        """Decompress streams one after another, at most a block at a time."""
        stream, begun = start(), True
        try:
            for piece in self._pieces():
                rest = piece
                while True:
                    if stream.eof:
                        rest = rest.lstrip(b"\0")
                        if not rest:
                            begun = False
                            break
                        stream, begun = start(), True
                    if not rest and stream.needs_input:
                        break
                    out = stream.decompress(rest, BLOCK)
                    rest = stream.unused_data if stream.eof else b""
                    if out:
                        yield out
        except (OSError, EOFError, lzma.LZMAError) as error:
            self.fail(f"the {name} data is damaged ({error})")
        if begun and not stream.eof:
            self.fail(f"the {name} data ends early: the file was cut off")

    def _unzstd(self) -> Iterator[bytes]:
        try:
            import zstandard
        except ImportError:
            raise MissingDependency(
                f"{self.path}: zstandard is needed to read .zst files: pip install 'landbridge[io]'"
            ) from None
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            for piece in self._pieces(_ZSTD_PIECE):
                rest = piece
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


class _Encoded:
    """A file of text as one of UTF-8; `start` is what was read of it."""

    def __init__(self, file: IO[str], start: str) -> None:
        self._file, self._rest = file, start.encode("utf-8", "surrogatepass")

    def read(self, size: int) -> bytes:
        """At most a few more than `size` bytes; none at the end."""
        if not self._rest:
            return self._file.read(size).encode("utf-8", "surrogatepass")
        rest, self._rest = self._rest, b""
        return rest


def memory_of_machine() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def name_of(path: Any) -> str:
    """What messages call a path or an open file."""
    if isinstance(path, str | os.PathLike):
        return "<stdin>" if path == "-" else os.fspath(path)
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else f"<{type(path).__name__}>"


def _checked(encoding: str | None) -> str | None:
    """The name of an encoding of text; None for UTF-8. Raises InputError for what is none."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses codecs that are no encodings of text
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError, TypeError):
        raise InputError(f"encoding={encoding!r} is no encoding of text that Python knows") from None
    return None if name == "utf-8" else name


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

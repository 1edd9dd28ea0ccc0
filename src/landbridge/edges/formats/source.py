"""The bytes of a file: mapped, decompressed, decoded or read from a pipe, with one kind of error.

A plain file is mapped, never copied. Compressed files and pipes are read in blocks by a second thread, so that
decompressing and parsing overlap. Graph formats are no concern of this module.
"""

from __future__ import annotations

import codecs
import io
import mmap
import os
import queue
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats import compression
from landbridge.edges.formats.compression import BLOCK
from landbridge.edges.options import Budget, Progress
from landbridge.edges.spelling import spelled
from landbridge.errors import FileFormatError, InputError

Bytes = NDArray[np.uint8]
T = TypeVar("T")

_LONGEST_LINE = 1 << 26


class Source:
    """A file opened for reading: its name for messages, its compression, and its bytes at once or in blocks.

    Parameters
    ----------
    path : str or file
        Its name, or an open file of bytes or text.
    progress : Progress, optional
        Called with the bytes read so far.
    encoding : str, optional
        Of text; None for UTF-8.
    name : str, optional
        The name in messages; by default that of the path or the open file.
    owned : bool
        Whether an open file is closed with this.
    budget : Budget, optional
        What may be read.

    Raises
    ------
    FileFormatError
        For an empty file.
    """

    def __init__(
        self,
        path: str | IO[Any],
        progress: Progress | None = None,
        encoding: str | None = None,
        *,
        name: str | None = None,
        owned: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.path = name_of(path) if name is None else name
        self._encoding = _checked(encoding)
        if path == "-" and sys.stdin is None:
            self.fail("standard input is closed")
        self._has_path = isinstance(path, str) and path != "-"
        self._owned = self._has_path or owned
        self._budget, self._read = budget, 0
        self._key = self.path if isinstance(path, str) or owned else id(path)
        self._file = self._opened(path)
        self._progress = progress
        status = os.fstat(self._file.fileno()) if self._has_path else None
        self.size = status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None
        self._done = 0
        self._head = self._bytes(compression.HEAD)
        if not isinstance(self._head, bytes):
            self._file, self._head = _Encoded(self._file, self._head), b""
            self._encoding = None
        while (missing := compression.HEAD - len(self._head)) > 0 and (more := self._bytes(missing)):
            self._head += more  # sockets return what has arrived
        if not self._head:
            self.close()
            self.fail("the file is empty")
        self.compression = compression.compression_of(self._head)
        self._stream: Iterator[bytes] | None = None
        self._ahead: list[bytes] = []  # of the stream, peeked at and not consumed
        self._whole: Bytes | None = None

    def _opened(self, path: str | IO[Any]) -> Any:
        if not isinstance(path, str):
            return path
        return sys.stdin.buffer if path == "-" else Path(path).open("rb")

    def _bytes(self, size: int) -> Any:
        """So many bytes of the file, or fewer. Raises OSError, with the name of the file."""
        try:
            return self._file.read(size)
        except OSError as error:
            if error.filename is None and error.errno is not None:
                raise OSError(error.errno, error.strerror, self.path) from None
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input and files that the caller opened stay open."""
        if self._owned:
            self._file.close()

    def watch(self, progress: Progress | None) -> None:
        """Report to this function from now on."""
        self._progress = progress

    def fail(self, problem: str, *, line: int = 0, column: int = 0, text: str = "") -> NoReturn:
        """Raise the FileFormatError of this file."""
        raise FileFormatError(self.path, problem, line=line, column=column, text=text)

    def take(self, size: int, what: str, part: str = "") -> None:
        """Count bytes that are read of this file, or held of what was read; those of a part are counted by themselves.

        Raises
        ------
        SizeLimitExceeded
            If the caller allows fewer.
        """
        if self._budget is not None:
            self._budget.take(self.path, (self._key, part), size, what)

    def take_labels(self, vertices: int) -> None:
        """Count the labels of so many vertices. Raises SizeLimitExceeded if the caller allows fewer bytes."""
        if self._budget is not None:
            self._budget.take_labels(self.path, vertices, f"its {vertices} vertices")

    @property
    def limited(self) -> bool:
        """Whether the bytes to be read are limited."""
        return self._budget is not None

    @property
    def mappable(self) -> bool:
        """Whether the bytes are available without reading them first."""
        return self.size is not None and self.compression is None and self._encoding is None

    @property
    def file(self) -> IO[bytes]:
        """The open file, at its start, for readers that seek."""
        self._file.seek(0)
        file: IO[bytes] = self._file
        return file

    @property
    def report(self) -> Callable[[int], None] | None:
        """The progress function of a parser that works on the mapped file."""
        progress, total = self._progress, self.size
        if progress is None or not self.mappable:
            return None
        return lambda done: progress(done, total)

    def whole(self, most: int | None = None) -> Bytes:
        """All bytes after decompression; of a plain file a mapping, so the file must not shrink meanwhile.

        Parameters
        ----------
        most : int, optional
            Unpack at most this many bytes.

        Raises
        ------
        FileFormatError
            If there are more than `most` bytes.
        SizeLimitExceeded
            If the caller allows fewer.
        MemoryError
            If they exceed the memory of this machine.
        """
        if self.size is not None and self.mappable:
            self.take(self.size, "the file has")
        return self._everything(most)

    def _everything(self, most: int | None) -> Bytes:
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
        """The first `size` bytes after decompression, or all if there are fewer; later calls return them again."""
        if self.mappable or self._whole is not None:
            return self._everything(None)[:size].tobytes()
        chunks = self._chunks()
        parts: list[bytes] = []
        length = 0
        while length < size and (chunk := next(chunks, None)) is not None:
            parts.append(chunk)
            length += len(chunk)
        head = b"".join(parts)
        self._ahead.insert(0, head)
        if not head:
            self.fail("the file is empty")
        return head[:size]

    def chunks(self) -> Iterator[bytes]:
        """The decompressed bytes, a block at a time."""
        return self._chunks()

    def line_blocks(self, skip: int = 0, line: int = 1) -> Iterator[bytes]:
        """The decompressed bytes behind the first `skip`, in blocks of whole lines, read ahead by another thread.

        line: the number of the first of these lines, for messages.
        """
        carry: list[bytes] = []
        waiting = unended = 0  # bytes; those behind the last line feed
        for block in read_ahead(self._chunks()):
            chunk, skip = block[skip:], max(0, skip - len(block))
            cut = chunk.rfind(b"\n") + 1
            waiting += len(chunk)
            unended = len(chunk) - cut if cut else unended + len(chunk)
            if unended > _LONGEST_LINE:
                line += sum(part.count(b"\n") for part in (*carry, chunk))
                self.fail(f"this line has more than {_LONGEST_LINE >> 20} MiB, the most of one", line=line)
            if waiting < BLOCK // 2 or cut == 0:
                carry.append(chunk)
                continue
            lines = b"".join((*carry, chunk[:cut]))
            line += lines.count(b"\n")
            yield lines
            carry, waiting = [chunk[cut:]], len(chunk) - cut
        if last := b"".join(carry):
            yield last

    def parse(self, parser: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a parser of the core; its error becomes a FileFormatError with the name of this file."""
        try:
            return parser(*args, **options)
        except _core.CoreFormatError as error:
            problem, line, column, text = error.args
            problem = problem.replace("encoding=", spelled("encoding"))  # the core's only option
            raise FileFormatError(self.path, problem, line=line, column=column, text=text) from None

    def _raw(self) -> Iterator[bytes]:
        yield self._head
        self._done = len(self._head)
        while chunk := self._bytes(BLOCK if self.compression is None else BLOCK // 8):
            self._done += len(chunk)
            yield chunk
            if self._progress is not None:
                self._progress(self._done, self.size)

    def _chunks(self) -> Iterator[bytes]:
        """The bytes not consumed yet, after decompression and as UTF-8."""
        while self._ahead:
            yield self._ahead.pop(0)
        if self._stream is None:
            self._stream = self._raw()
            if self.compression is not None:
                self._stream = compression.unpacked(self.compression, self._stream, self.path, self.fail)
            if self._encoding is not None:
                self._stream = self._decoded(self._stream, self._encoding)
        while (chunk := next(self._stream, None)) is not None:  # `yield from` would close it with this generator
            _core.check_time()
            self._read += len(chunk)
            self.take(self._read, "unpacked, the file has at least" if self.compression else "the file has at least")
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


class _Encoded:
    """An open file of text as one of UTF-8; `start`: the text read from it already."""

    def __init__(self, file: IO[str], start: str) -> None:
        self._file, self._rest = file, start.encode("utf-8", "surrogatepass")

    def read(self, size: int) -> bytes:
        """About `size` bytes; none at the end."""
        if not self._rest:
            return self._file.read(size).encode("utf-8", "surrogatepass")
        rest, self._rest = self._rest, b""
        return rest


def memory_of_machine() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def name_of(path: Any) -> str:
    """The name of a path or an open file in messages."""
    if isinstance(path, str | os.PathLike):
        return "<stdin>" if path == "-" else os.fspath(path)
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else f"<{type(path).__name__}>"


def _checked(encoding: str | None) -> str | None:
    """The name of an encoding of text; None for UTF-8. Raises InputError for any other codec."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses codecs that are no encodings of text
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError, TypeError):
        raise InputError(f"{spelled(encoding=encoding)} is no encoding of text in Python") from None
    return None if name == "utf-8" else name


def read_ahead(chunks: Iterable[T], depth: int = 2) -> Iterator[T]:
    """Run an iterator in another thread, at most `depth` items ahead; its exception is raised here."""
    ready: queue.Queue[T | BaseException | None] = queue.Queue(depth)
    stop = threading.Event()
    deadline = _core.deadline()  # of the consumer

    def put(item: T | BaseException | None) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        _core.set_deadline(deadline)
        try:
            for chunk in chunks:
                _core.check_time()
                if not put(chunk):
                    return
            put(None)
        except BaseException as error:  # passed to the consumer, whatever it is
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

"""The options of reading edges from a file or a table, shared by readers, frames, chunks and the command line."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ParamSpec, TypedDict, TypeVar

from landbridge.edges.column_names import refuse_one_column
from landbridge.edges.spelling import CHARACTERS, option, spelled
from landbridge.errors import InputError, SizeLimitExceeded
from landbridge.flags import flag_or_none, is_word
from landbridge.passes import is_whole

Progress = Callable[[int, int | None], None]
"""Called as ``progress(done, total)``; total is None if it is unknown."""

IDS = ("auto", "dense", "sparse", "names")


def _without(**numbers: Any) -> str:
    """What a message says behind ids='names' and ids='sparse': which options go with vertex numbers alone, of those
    that are not None."""
    idle = [option(name) for name, value in numbers.items() if value is not None]
    return f" without {' and '.join(idle)}" if idle else ""


def with_negative(error: Exception, num_vertices: Any = None) -> str:
    """The message of an error of the core, with what takes a negative id of an edge; an arc of a CSR has none."""
    return with_way_out(error, f"{spelled(ids='sparse')}{_without(num_vertices=num_vertices)}")


def with_way_out(error: Exception, way_out: str) -> str:
    """The message of an error of the core, with what takes negative ids if it is about that of an edge, or of an
    operation, which may be one."""
    message = str(error)
    is_of_edge = message.startswith(("edge ", "operation ")) and "is negative" in message
    return f"{message}; {way_out} takes negative ids" if is_of_edge else message


P = ParamSpec("P")
R = TypeVar("R")


class FileOptions(TypedDict, total=False):
    """The options of reading edges from files and tables, as public functions take them; see `Options`."""

    columns: Sequence[str | int] | None
    header: bool | None
    delimiter: str | None
    comment: str | None
    base: int | None
    encoding: str | None
    max_bytes: int | None


class ReadingOptions(FileOptions, total=False):
    """All options of reading edges that public functions take."""

    ids: str | None


class GraphOptions(FileOptions, total=False):
    """What functions that make a `Graph` take for it besides ``ids`` and ``threads``."""

    num_vertices: int | None
    symmetric: bool | None
    check: bool
    format: str | None


def takes_reading_options(function: Callable[P, R]) -> Callable[P, R]:
    """Spell the options out in the signature of a function that takes them as ``**reading``, and refuse others."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    hints = {"ids": ReadingOptions.__annotations__["ids"], **FileOptions.__annotations__}
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint.__forward_arg__)
        for name, hint in hints.items()
    ]
    names = {each.name for each in (*own, *options)}

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not kwargs.keys() <= names:
            unknown = next(name for name in kwargs if name not in names)
            raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {unknown!r}")
        return function(*args, **kwargs)

    call.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return call


class Budget:
    """Bytes that one call may read, or hold of what it has read, over all its files.

    most: the bound. A file that is opened again counts once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._parts: dict[Any, int] = {}
        self._total = 0
        self._lock = threading.Lock()

    def take(self, path: str, key: Any, size: int, what: str) -> None:
        """`size` bytes of the part `key` of a file are read, or would be.

        Raises
        ------
        SizeLimitExceeded
            If these are too many, together with those of other parts and files.
        """
        with self._lock:
            more = max(0, size - self._parts.get(key, 0))
            total = self._total + more
            if more and total <= self.most:  # what is refused is not read, and no other part is refused for it
                self._parts[key], self._total = size, total
        if total > self.most:
            others = "" if total == size else f", {total} with what is counted already"
            raise SizeLimitExceeded(path, f"{what} {size} bytes{others}: more than {spelled(max_bytes=self.most)}")

    def take_labels(self, path: str, vertices: int, which: str) -> None:
        """There are so many vertices, which have a label each: one array, however many files and arguments ask for it.

        which: these vertices in a message. Raises SizeLimitExceeded as `take` does.
        """
        self.take(path, "labels", vertices * (4 if vertices < 2**31 else 8), f"the labels of {which} have")


@dataclass(frozen=True, slots=True)
class Options:
    """How to read edges. None for an option: as the input shows.

    Attributes
    ----------
    ids : str
        "dense": ids are vertex numbers, and vertices are 0..n-1. "sparse": ids are integers, and vertices are those
        that occur. "names": ids are text, and vertices are those that occur. "auto": "dense" for arrays, matrices and
        formats that declare n, else "sparse" or "names", as the ids are numbers or text.
    threads : int
        The result does not depend on it.
    columns : pair of str or int, optional
        The two columns that hold the edges, by name or by position from 0.
    progress : Progress, optional
        Called with the progress of a reader.
    header : bool, optional
        Whether the first row of text names the columns.
    delimiter : str, optional
        The one character between columns of text.
    comment : str, optional
        The characters that begin a comment line of text, each on its own; "" for none.
    base : int, optional
        The number of the first vertex, 0 or 1, of ids that are vertex numbers.
    encoding : str, optional
        Of text, by its name in Python; by default UTF-8.
    budget : Budget, optional
        What may be read.
    num_vertices : int, optional
        Of ids that are vertex numbers: text with another one is refused where it is read.
    """

    ids: str = "auto"
    threads: int = 1
    columns: tuple[str | int, str | int] | None = None
    progress: Progress | None = None
    header: bool | None = None
    delimiter: str | None = None
    comment: str | None = None
    base: int | None = None
    encoding: str | None = None
    budget: Budget | None = None
    num_vertices: int | None = None

    def spelled(self, **values: Any) -> str:
        """Options that a message proposes beside these, with what has to be left out for them."""
        is_other = values.get("ids") in ("names", "sparse")
        return spelled(**values) + (_without(num_vertices=self.num_vertices, base=self.base) if is_other else "")

    @property
    def dialect(self) -> dict[str, Any]:
        """The options for text that are set."""
        if self.header is None and self.delimiter is None and self.comment is None and self.encoding is None:
            return {}
        values = {name: getattr(self, name) for name in ("header", "delimiter", "comment", "encoding")}
        return {name: value for name, value in values.items() if value is not None}


def _below(num_vertices: Any) -> int | None:
    """A number of vertices that ids are compared with as they are read; the graph refuses what is none."""
    return int(num_vertices) if is_whole(num_vertices) and 0 <= num_vertices < 1 << 62 else None


def checked_most(max_bytes: Any) -> int | None:
    """A bound of bytes. Raises InputError for what is none."""
    if max_bytes is None:
        return None
    if not is_whole(max_bytes) or max_bytes < 1:
        raise InputError(f"max_bytes must be a positive whole number, not {max_bytes!r}")
    return int(max_bytes)


def budget_of(max_bytes: Any) -> Budget | None:
    """What may be read: as a bound says, or what is left of a budget. Raises InputError for what is no bound."""
    if isinstance(max_bytes, Budget):
        return max_bytes
    most = checked_most(max_bytes)
    return None if most is None else Budget(most)


def _pair_of(columns: Any) -> tuple[str | int, str | int] | None:
    """The two columns that a caller names. Raises InputError for anything but two names or positions."""
    if columns is None:
        return None
    is_one = isinstance(columns, str) or getattr(columns, "shape", None) == () or not isinstance(columns, Iterable)
    pair = () if is_one else tuple(columns)
    fits = all(isinstance(c, str | Integral) and not isinstance(c, bool) for c in pair)
    if len(pair) != 2 or not fits:
        raise InputError(f"columns must name two columns, each by its name or its position from 0, not {columns!r}")
    first, second = (c if isinstance(c, str) else int(c) for c in pair)
    refuse_one_column(first if first == second else None)
    return first, second


def refuse_other_ids(ids: Any) -> None:
    """Raise InputError for a kind of ids that there is not."""
    if not is_word(ids, IDS):
        raise InputError(f"ids must be one of {', '.join(map(repr, IDS))}, not {ids!r}")


def options_of(
    *,
    ids: str | None = None,
    num_vertices: int | None = None,
    threads: int = 1,
    columns: Sequence[str | int] | None = None,
    progress: Progress | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    comment: str | None = None,
    base: int | None = None,
    encoding: str | None = None,
    max_bytes: int | Budget | None = None,
) -> Options:
    """The arguments of a public function as Options.

    A number of vertices, and a base, imply ids="dense".

    Raises
    ------
    InputError
        For an invalid value, and for values that contradict each other; SizeLimitExceeded for labels of
        `num_vertices` vertices that are more than `max_bytes`.
    """
    mode = "auto" if ids is None else ids
    refuse_other_ids(mode)
    pair = _pair_of(columns)
    for name, value in (("num_vertices", num_vertices), ("base", base)):
        if value is None:
            continue
        if mode in ("sparse", "names"):
            raise InputError(f"{option(name)} has no meaning with {spelled(ids=mode)}: vertices are the ids that occur")
        mode = "dense"
    if base is not None and (not is_whole(base) or base not in (0, 1)):
        raise InputError(f"{option('base')} must be 0 or 1, not {base!r}")
    header = flag_or_none("header", header)
    for name, text in (("delimiter", delimiter), ("comment", comment), ("encoding", encoding)):
        if text is not None and not isinstance(text, str):
            raise InputError(f"{option(name)} must be text or None, not {text!r}")
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        doubled = len(set(delimiter)) == 1 and delimiter.isascii() and delimiter.strip('"\r\n\0 \t') != ""
        way = spelled(delimiter=delimiter[:1], columns=(0, len(delimiter)))
        hint = f"; {way} takes the first two columns of lines between such" if doubled else ""
        if delimiter.lower() in CHARACTERS:
            hint = f"; say {spelled(delimiter=CHARACTERS[delimiter.lower()])}"
        raise InputError(
            f"{option('delimiter')} must be one character of ASCII, no quote and no line break, not {delimiter!r}{hint}"
        )
    if comment is not None and (not comment.isascii() or any(c.isalnum() or c in '"\r\n\0 \t' for c in comment)):
        raise InputError(f"{option('comment')} must be characters of ASCII that begin no id, not {comment!r}")
    budget, below = budget_of(max_bytes), _below(num_vertices)
    if budget is not None and below is not None:
        budget.take_labels("", below, f"{spelled(num_vertices=below)} vertices")
    return Options(mode, threads, pair, progress, header, delimiter, comment, base, encoding, budget, below)

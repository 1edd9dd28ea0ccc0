"""Every exception of landbridge. Each message is one line and names the place and the value."""

from __future__ import annotations

import copyreg
from typing import Any


def printable(text: str) -> str:
    """A text in one line: line breaks and control characters, which a terminal would obey, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def counted(number: int, thing: str, plural: str = "") -> str:
    """A number of things in words: "1 edge", "2 edges"."""
    return f"{number} {thing if number == 1 else plural or thing + 's'}"


class LandbridgeError(Exception):
    """The base of all errors of this package.

    Parameters
    ----------
    *args
        As of `Exception`; in text, line breaks and control characters become escapes.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*(printable(arg) if isinstance(arg, str) else arg for arg in args))


class InputError(LandbridgeError, ValueError):
    """Edges, ids or arguments that break the contract, such as ``edge 17: vertex 9 is out of range for n = 9``."""


class FileFormatError(InputError):
    """A file that is not what its format says: names file, line, byte and the offending text.

    Parameters
    ----------
    path : str
        The file; "" if no file is at fault.
    problem : str
        What is wrong.
    line, column : int, default 0
        The line and the byte in it, counted from 1; 0 if unknown.
    text : str, default ""
        The offending text, of which the first 80 characters are kept.
    """

    def __init__(self, path: str, problem: str, *, line: int = 0, column: int = 0, text: str = "") -> None:
        text = text[:80]
        self.path, self.problem, self.line, self.column, self.text = path, problem, line, column, text
        where = path + (f", line {line}" if line else "") + (f", byte {column}" if column else "")
        super().__init__((f"{where}: " if where else "") + problem + (f": {text!r}" if text else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        # By its message and attributes: the message alone is not what the class is called with.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class SizeLimitExceeded(FileFormatError):
    """A file of which more bytes would have to be read or held than ``max_bytes`` allows; the message names both."""


class ListError(InputError):
    """Successors that are no lists; names the element that is out of range, has two predecessors or is in a cycle."""


class InvalidPlan(LandbridgeError, ValueError):
    """A plan text that does not parse or names something unknown."""


class InvalidCombination(InvalidPlan):
    """Rules that exist but must not be combined; the message gives the reason."""


class CheckFailed(LandbridgeError, AssertionError):
    """An answer that a check refutes; the message names the vertex or edge that proves it."""


class DeviceError(LandbridgeError, RuntimeError):
    """The device that was asked for by name is not there or failed."""


class OutOfDeviceMemory(DeviceError, MemoryError):
    """The device has less free memory than the plan needs; the message says how much was asked for."""


class TimeLimitExceeded(LandbridgeError, TimeoutError):
    """A call took longer than the time it was given; nothing is half done."""


class MissingDependency(LandbridgeError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""

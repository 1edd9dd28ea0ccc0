"""The places of columns and of their elements in messages, and the elements themselves."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import isnan
from typing import Any

from landbridge.errors import FileFormatError, InputError


@dataclass(frozen=True, slots=True)
class Place:
    """The names of a column and of its elements in messages.

    Attributes
    ----------
    subject : str
        The column, such as "u" or "column 'src'".
    unit : str
        An element, such as "edge" or "row"; "" for an element of the array that is the subject: ``offsets[1]``.
    first : int
        The number of the first element.
    path : str
        The file; "" for an object in memory.
    kinds : str
        What the column may hold.
    """

    subject: str
    unit: str = "edge"
    first: int = 0
    path: str = ""
    kinds: str = "whole numbers or text"

    def error(self, problem: str) -> InputError:
        """The error of the column as a whole."""
        return self._error(f"{self.subject} {problem}")

    def error_at(self, i: int, problem: str) -> InputError:
        """The error of element i."""
        if not self.unit:
            return self._error(f"{self.subject}[{self.first + int(i)}] {problem}")
        place = f"{self.unit} {self.first + int(i)}{' (from 0)' * bool(self.path)}"
        return self._error(f"{place}: {self.subject} {problem}")

    def error_at_nan(self, i: int, value: object) -> InputError:
        """The error of element i, a float or a decimal which is not a number: rows of tables may lack a value there."""
        others = self.unit in ("", "edge", "query", "operation")
        return self.error_at(i, f"= {value} is {'' if others else 'null or '}not a number")

    def error_of_kind(self, kind: object) -> InputError:
        """The error of a column of another kind than it may hold."""
        return self.error(f"must hold {self.kinds}, not {kind}")

    def _error(self, problem: str) -> InputError:
        return FileFormatError(self.path, problem) if self.path else InputError(problem)


@cache
def endpoint_places(unit: str = "edge") -> tuple[Place, Place]:
    """The places of the endpoints of edges, queries or operations."""
    return Place("u", unit), Place("v", unit)


def is_null(value: Any) -> bool:
    """Whether an object stands for no value: None, NaN, and those of pandas."""
    return value is None or (isinstance(value, float | Decimal) and isnan(value)) or type(value).__name__ in (
        "NAType", "NaTType",
    )  # fmt: skip


def shown(value: object) -> str:
    """A value for a message: one line of bounded length."""
    if isinstance(value, int) and value.bit_length() > 256:  # Python refuses to print numbers of thousands of digits
        return f"a number of {value.bit_length()} bits"
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:96]} ..."

"""The places of columns and of their elements in messages, and the elements themselves."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
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
        An element, such as "edge" or "row".
    first : int
        The number of the first element.
    path : str
        The file; "" for an object in memory.
    """

    subject: str
    unit: str = "edge"
    first: int = 0
    path: str = ""

    def error(self, problem: str) -> InputError:
        """The error of the column as a whole."""
        return self._error(f"{self.subject} {problem}")

    def error_at(self, i: int, problem: str) -> InputError:
        """The error of element i."""
        place = f"{self.unit} {self.first + int(i)}{' (from 0)' * bool(self.path)}"
        return self._error(f"{place}: {self.subject} {problem}")

    def _error(self, problem: str) -> InputError:
        return FileFormatError(self.path, problem) if self.path else InputError(problem)


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

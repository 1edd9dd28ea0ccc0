"""Options that are true or false, or one of some words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from landbridge.errors import InputError


def flag(name: str, value: Any) -> bool:
    """The value of an option: a bool of Python or NumPy. Raises InputError for anything else.

    A text such as "no" is true where Python asks for a bool, and 0 is the number of a row elsewhere.
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def flag_or_none(name: str, value: Any) -> bool | None:
    """As `flag`, of an option that may be left open."""
    if value is not None and not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True, False or None, not {value!r}")
    return None if value is None else bool(value)


def is_word(value: Any, words: Collection[str]) -> bool:
    """Whether the value of an option is one of some words; an array of text is none."""
    return isinstance(value, str) and value in words

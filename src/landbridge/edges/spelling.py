"""Options in messages, in the spelling of their reader: header=True in Python, --header yes on the command line.

A message is made once, with its options in the spelling of the program that runs. Words of the caller, such as names of
files and columns, are no options and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHARACTERS = {"tab": "\t", "\\t": "\t", "comma": ",", "pipe": "|", "semicolon": ";", "space": " "}
"""Names of characters that are hard to type in a shell."""
_FLAGS = {"chunks": "--stream"}
_NAMES = {character: name for name, character in CHARACTERS.items() if name.isalpha()}
_PLAIN = re.compile(r"[\w.,/+-]*\w")
"""Words that a shell takes as they are, and that no mark of a sentence ends."""
_is_command_line = False


@contextmanager
def as_on_command_line() -> Iterator[None]:
    """Until the end of the block messages of this process are those of the command line."""
    global _is_command_line  # noqa: PLW0603 - one command in a process, whose work is done by several threads
    before, _is_command_line = _is_command_line, True
    try:
        yield
    finally:
        _is_command_line = before


def option(name: str) -> str:
    """The option of a name, as the subject of a sentence: ``columns`` or ``--columns``."""
    return _flag(name) if _is_command_line else name


def spelled(*names: str, **values: Any) -> str:
    """Options as a caller writes them, one behind the other.

    names: those whose value is left open, ``columns=`` or ``--columns``. values: of the others, as in Python.
    """
    if _is_command_line:
        return " ".join(
            [*map(_flag, names), *(f"{_flag(name)} {_word(name, value)}" for name, value in values.items())]
        )
    return ", ".join([*(f"{name}=" for name in names), *(f"{name}={value!r}" for name, value in values.items())])


def can_name(column: str) -> bool:
    """Whether a caller can select a column by its name: ``--columns`` takes none with a comma or blanks around it, and
    digits as a position."""
    return not _is_command_line or (column.strip() == column != "" and "," not in column and not column.isdecimal())


def _flag(name: str) -> str:
    return _FLAGS.get(name, "--" + name.replace("_", "-"))


def _word(name: str, value: Any) -> str:
    """The value of an option as a word of a shell."""
    if name == "header":
        return "yes" if value else "no"
    if name == "delimiter":
        value = _NAMES.get(value, value)
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\"'\"'") + "'"

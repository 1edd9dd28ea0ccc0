"""Arguments that are the path of a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from landbridge.errors import InputError


def filename(name: str, path: Any, otherwise: str = "give the path of a file") -> str:
    """The text of a path, one in the home folder (``~/pairs.csv``) from the root on, unless there is a file or a folder
    of the name that it begins with, ``~``.

    name: of the argument. otherwise: what is to be given in place of an empty one.

    Raises InputError for what is no path, for an empty one and for one with a zero byte. The current folder, which
    ``Path("")`` is, is left to the system, which says that it is a folder, as is a path that is not there.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{name} must be a path, as str or os.PathLike, not {path!r}")
    try:
        text = os.fsdecode(path)
    except TypeError as error:  # of its __fspath__
        raise InputError(f"{name} must be a path, as str or os.PathLike: {error}") from None
    if not text:
        raise InputError(f"{name} is empty; {otherwise}")
    if "\0" in text:
        raise InputError(f"{name} has a zero byte, which no path has: {path!r}")
    if text.startswith("~") and not os.path.lexists(Path(text).parts[0]):
        return os.path.expanduser(text)  # noqa: PTH111 - Path raises where there is no such user
    return text

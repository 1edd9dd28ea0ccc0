"""Arguments that are the path of a file."""

from __future__ import annotations

import os
from typing import Any

from landbridge.errors import InputError


def filename(name: str, path: Any) -> str:
    """The text of a path. name: of the argument. Raises InputError for what is no path, and for an empty one.

    The current folder, which ``Path("")`` is, is left to the system, which says that it is a folder.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{name} must be a path, as str or os.PathLike, not {path!r}")
    text = os.fsdecode(path)
    if not text:
        raise InputError(f"{name} must be the path of a file, not {path!r}")
    if "\0" in text:
        raise InputError(f"{name} must be a path without zero bytes, not {path!r}")
    return text

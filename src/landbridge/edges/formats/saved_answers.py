"""Files that `Components.save` wrote: they hold an answer, and no edges."""

from __future__ import annotations

from typing import Any

from landbridge.edges.options import Options
from landbridge.errors import FileFormatError

KEY = b"landbridge"
"""Of the metadata of a table that is an answer."""
ANSWER = "it is an answer that Components.save wrote, and no edges: Components.load(path) reads it"


def refuse_saved_answer(path: str, schema: Any, options: Options) -> None:
    """Raise FileFormatError for a table of Arrow that is an answer, unless the caller names the columns.

    Metadata stays with a table that is made of another one, so its columns decide, too.
    """
    is_answer = KEY in (schema.metadata or {}) and {"id", "component"}.issubset(schema.names)
    if is_answer and options.columns is None:
        raise FileFormatError(path, ANSWER)

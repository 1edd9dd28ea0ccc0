"""What an error must be: this type, this one line, to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def refused(kind: type[BaseException], message: str, *, exactly: bool = True) -> Iterator[None]:
    """The block must raise `kind` itself with this message, or one that begins with it."""
    try:
        yield
    except kind as error:
        said = str(error)
        assert type(error) is kind, f"{type(error).__name__}, not {kind.__name__}: {said}"
        assert (said == message) if exactly else said.startswith(message), said
        assert "\n" not in said
    else:
        raise AssertionError(f"nothing was raised; expected {kind.__name__}: {message}")

"""What an error must be: this type, this one line, to the letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from landbridge import FileFormatError


def all_damage_is_refused(path: Path, load: Callable[[Path], object]) -> None:
    """A file cut off anywhere, and one with any bit flipped, is refused by name and in one line. Leaves it whole."""
    whole = path.read_bytes()
    load(path)
    beginnings = [whole[:length] for length in range(len(whole))]
    flipped = [whole[:i] + bytes([whole[i] ^ 1 << bit]) + whole[i + 1 :] for i in range(len(whole)) for bit in range(8)]
    for damaged in beginnings + flipped:
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=f"^{path}: ") as refusal:
            load(path)
        assert "\n" not in str(refusal.value)
    path.write_bytes(whole)


@contextmanager
def refused(kind: type[BaseException], message: str, *, exactly: bool = True) -> Iterator[None]:
    """The block must raise `kind` itself with this message, or one that begins with it."""
    try:
        yield
    except kind as error:
        message_text = str(error)
        assert type(error) is kind, f"{type(error).__name__}, not {kind.__name__}: {message_text}"
        assert (message_text == message) if exactly else message_text.startswith(message), message_text
        assert "\n" not in message_text
    else:
        raise AssertionError(f"nothing was raised; expected {kind.__name__}: {message}")

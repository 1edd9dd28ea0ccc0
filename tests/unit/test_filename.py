"""Arguments that are paths of files: what is none is refused before a file is looked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError

CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "journal": ("journal", lambda path: landbridge.Incremental(journal=path)),
    "stream": ("path", landbridge.Incremental.load),
    "saved stream": ("path", lambda path: landbridge.Incremental(3).save(path)),
    "answer": ("path", landbridge.Components.load),
    "saved answer": ("path", lambda path: landbridge.components([(0, 1)]).save(path)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("path", [b"", b"a.npz", 5, True, [], {}])
def test_what_is_no_path_is_refused(call: str, path: Any) -> None:
    name, function = CALLS[call]
    with refused(InputError, f"{name} must be a path, as str or os.PathLike, not {path!r}"):
        function(path)


@pytest.mark.parametrize("call", CALLS)
def test_an_empty_path_and_a_zero_byte_are_refused(call: str, tmp_path: Path) -> None:
    """The system spoke of the current folder, or of no file at all."""
    name, function = CALLS[call]
    for path in ("", np.str_("")):
        with refused(InputError, f"{name} must be the path of a file, not {path!r}"):
            function(path)
    with refused(InputError, f"{name} must be a path without zero bytes, not 'a\\x00b.npz'"):
        function("a\0b.npz")
    with pytest.raises(OSError if call in ("journal", "stream", "saved stream") else InputError, match=str(tmp_path)):
        function(tmp_path)


@pytest.mark.parametrize("chunks", [b"", b"a.csv", bytearray(b""), memoryview(b"")])
def test_bytes_are_no_chunks(chunks: Any) -> None:
    """No bytes were a graph without vertices."""
    what = f"chunks must be an iterable of batches of edges or a path, not {type(chunks).__name__}"
    with refused(InputError, what):
        landbridge.components(chunks=chunks)

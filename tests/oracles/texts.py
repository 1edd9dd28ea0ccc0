"""What a text of edges holds, read in every way that reads it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from pathlib import Path
from typing import Any

from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import options_of
from landbridge.errors import LandbridgeError

Pairs = list[tuple[Any, Any]]


def pairs_of(edges: Any) -> Pairs:
    assert isinstance(edges, EdgeList)
    u, v = (edges.u, edges.v) if edges.ids is None else (edges.ids[edges.u], edges.ids[edges.v])
    return list(zip(u.tolist(), v.tolist(), strict=True))


def read_text(tmp_path: Path, text: str | bytes, name: str = "g.txt", **options: Any) -> Pairs:
    """The edges of a text, equal for a plain file, a compressed one, and chunks."""
    data = text.encode() if isinstance(text, str) else text
    reading = options_of(**options)
    outcomes: list[Any] = []
    problem: LandbridgeError | None = None
    packers = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    for ending, pack in packers.items():
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(pack(data))

        def whole(path: Path = path) -> Pairs:
            return pairs_of(read(path, format="edges", options=reading))

        def chunks(path: Path = path) -> Pairs:
            opened = open_chunks(path, reading, format="edges", chunk_size=2)
            return [pair for chunk in opened.readers[0]() for pair in pairs_of(chunk.edges)]

        for way in (whole, chunks):
            try:
                outcomes.append(way())
            except LandbridgeError as error:
                problem = error
                outcomes.append((type(error), str(error).replace(str(path), "g.txt")))
    assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
    if problem is not None:
        raise problem
    return list(outcomes[0])


def said_by(message: str) -> dict[str, Any]:
    """The options that a message says first, with those beside them."""
    return proposals(message)[0]


def proposals(message: str) -> list[dict[str, Any]]:
    """All options that a message says, each of several with those beside it."""
    option = r"(?:header|columns|comment|ids|delimiter)=(?:\([^()]*\)|'[^']*'|\w+)"
    return [dict(eval(f"dict({each})")) for each in re.findall(rf"{option}(?:, {option})*", message)]

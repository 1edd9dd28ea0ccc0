"""How the trees of one processor reach another one: a transport for each kind of interconnect.

A merge is the same everywhere: the links (v, parent of v) of the sender are edges for the receiver, and of a forest
its edges are. Merging is associative, commutative and idempotent: it may be done in any order, and again after a
failure.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from landbridge.engine.base import Trees

PIECE = 1 << 24
"""Vertices whose links cross at a time."""


class Transport(Protocol):
    """A way from the memory of one processor to that of another."""

    @property
    def kind(self) -> str:
        """As `landbridge.result.Share.link`."""

    def merge(self, receiver: Trees, sender: Trees, with_forest: bool) -> int:
        """Insert into the receiver what the sender's trees connect; the bytes that crossed the interconnect.
        The sender's trees do not change."""


class HostArrays:
    """The parents as an array in host memory, which the receiver reads.

    Between processors with memory of their own the array crosses their interconnects through pinned memory; between CPU
    threads nothing moves.
    """

    def __init__(self, kind: str = "same memory") -> None:
        self.kind = kind

    def merge(self, receiver: Trees, sender: Trees, with_forest: bool) -> int:
        _, roots, forest = sender.snapshot(with_forest)
        moved = 0
        if forest is not None:
            u, v, at = forest
            receiver.insert_at(u, v, at, 0, len(roots))
            moved = u.nbytes + v.nbytes + at.nbytes
        else:
            insert_parents(receiver, roots)
            moved = roots.nbytes
        receiver.close()
        return 0 if self.kind == "same memory" else int(moved)


def insert_parents(receiver: Trees, roots: Any) -> None:
    """Insert the links (v, roots[v]) of all vertices, and make the vertices that have none."""
    n = len(roots)
    for begin in range(0, n, PIECE):
        piece = roots[begin : begin + PIECE]
        receiver.insert(np.arange(begin, begin + len(piece), dtype=piece.dtype), piece)

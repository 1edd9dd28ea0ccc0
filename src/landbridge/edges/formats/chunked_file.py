"""A file that is read a chunk of edges at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from landbridge.edges.forms import EdgeList
from landbridge.edges.spelling import option
from landbridge.errors import InputError
from landbridge.passes import is_whole

CHUNK = 1 << 22
"""Edges per chunk by default: 64 MiB of pairs of 64 bits."""


def edges_per_chunk(chunk_size: Any) -> int:
    """What a caller says of it, None for the default. Raises InputError for what is no number of edges."""
    if chunk_size is None:
        return CHUNK
    if not is_whole(chunk_size) or chunk_size < 1:
        raise InputError(f"{option('chunk_size')} must be a positive whole number, not {chunk_size!r}")
    return int(chunk_size)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A share of the edges of a file, with the ids of the file.

    Attributes
    ----------
    edges : EdgeList
        Its two columns may differ in type.
    number : int
        The number of the chunk that these edges belong to.
    first : int
        The position of the first edge within that chunk.
    done : int
        Bytes of the file that its reader has consumed.
    """

    edges: EdgeList
    number: int
    first: int
    done: int


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """A file to be read in chunks.

    Attributes
    ----------
    path : str
        Its name, for messages.
    size : int or None
        Its bytes; None for a pipe.
    most_edges : int or None
        An upper bound of its edges; None if unknown.
    readers : tuple of callables
        Functions that may run side by side. Each reads a share of the file in ascending order, and together they read
        it once. A file that has to be read from front to back has one.
    occurring : bool
        Whether the vertices are the integers that occur, and not 0..n-1.
    named : bool
        Whether the vertices are names.
    without_edges : callable
        What a reader of the whole file returns where it has no edges, and no chunk: the kind of its ids, and its notes.
    """

    path: str
    size: int | None
    most_edges: int | None
    readers: tuple[Callable[[], Iterator[Chunk]], ...]
    without_edges: Callable[[], EdgeList]
    occurring: bool = False
    named: bool = False

    @property
    def kind(self) -> str:
        """The kind of the vertices, in words."""
        return "names" if self.named else "the ids that occur" if self.occurring else "0..n-1"

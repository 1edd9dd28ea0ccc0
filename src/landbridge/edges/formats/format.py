"""What a file format is: one row of the table in `landbridge.edges.formats.registry`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from numpy.typing import NDArray

from landbridge.edges.formats.chunked_file import ChunkedFile
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job
from landbridge.edges.forms import Edges
from landbridge.edges.inputs import Input
from landbridge.edges.options import Options

Reader = Callable[[Source, Options], Edges]
"""All edges of an open file."""

Writer = Callable[[Job, IO[bytes]], None]
"""Edges to an open file."""

NumberReader = Callable[[Source, Options, str], NDArray[Any]]
"""The numbers of a column beside the edges of an open file, by the name of the column."""

ChunkOpener = Callable[[Input, Options, int, int], ChunkedFile]
"""A file to be read in chunks of a number of edges, by at most a number of readers side by side."""


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Attributes
    ----------
    name : str
        The value of ``format=``.
    extensions : tuple of str
        Suffixes of file names, in lower case.
    description : str
        One line of description.
    read : Reader
        Reads a file at once.
    write : Writer, optional
        Writes a file; None for a format that is only read.
    chunks : ChunkOpener, optional
        Reads a file in chunks; None for a format that is only read at once.
    magic : tuple of bytes
        First bytes that identify a file whose suffix no format has.
    is_text : bool
        Whether files are text, which may be compressed and go through standard input and output.
    read_by : tuple of str
        The options of text that its reader goes by, of `Options.dialect`.
    takes_base : bool
        Whether ``base=1`` makes 1 to n of its vertices; not of arrays of ids, as in memory.
    has_names : bool
        Whether ids may be text.
    declares_vertices : bool
        Whether a file declares its number of vertices, which are numbered; otherwise it lists edges between ids.
    kinds : str
        What else its files are called.
    numbers : NumberReader, optional
        Reads a column of numbers beside the edges, by its name; None for a format without names of columns.
    """

    name: str
    extensions: tuple[str, ...]
    description: str
    read: Reader
    write: Writer | None = None
    chunks: ChunkOpener | None = None
    magic: tuple[bytes, ...] = ()
    is_text: bool = False
    read_by: tuple[str, ...] = ()
    takes_base: bool = True
    has_names: bool = False
    declares_vertices: bool = False
    kinds: str = ""
    numbers: NumberReader | None = None

    @property
    def title(self) -> str:
        """Its name in a list of formats, with what else its files are called."""
        return f"{self.name} ({self.kinds})" if self.kinds else self.name

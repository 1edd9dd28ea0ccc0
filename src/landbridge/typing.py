"""Types of the public functions: what they take, and the arrays they return."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from landbridge.id_kind import IdKind

__all__ = ["Device", "EdgeBatch", "GraphLike", "IdArray", "IdKind", "LabelArray"]

IdArray = NDArray[np.integer[Any]]
"""Vertex ids, offsets or positions: 32- or 64-bit integers, signed or not."""

LabelArray = NDArray[np.signedinteger[Any]]
"""Labels of components: int32 below 2^31 vertices, else int64."""

Device = Literal["auto", "cpu", "gpu", "cuda"]
"""The words of ``device=``."""


class SparseMatrix(Protocol):
    """A sparse matrix of SciPy or of cupyx."""

    @property
    def shape(self) -> Any: ...
    def tocsr(self) -> Any: ...


class DataFrame(Protocol):
    """A data frame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> Any: ...


class ArrowStream(Protocol):
    """Anything with the stream protocol of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ForeignArray(Protocol):
    """An array of another library, such as CuPy, PyTorch or JAX."""

    def __dlpack__(self, **options: Any) -> Any: ...


class NodesAndEdges(Protocol):
    """A graph of NetworkX."""

    @property
    def nodes(self) -> Any: ...
    def adjacency(self) -> Iterator[Any]: ...


class StoredEdges(Protocol):
    """A `landbridge.Graph`."""

    @property
    def num_vertices(self) -> int: ...
    @property
    def num_edges(self) -> int: ...


class OpenFile(Protocol):
    """A file that is open for reading."""

    def read(self, size: int = ..., /) -> Any: ...


Paths = str | os.PathLike[str] | OpenFile
"""One source of edges on disk."""

EdgeBatch = Sequence[Any] | NDArray[Any] | DataFrame | ArrowStream | ForeignArray | SparseMatrix | Paths
"""Some edges: a pair of id arrays, a list of pairs, an (m, 2) or (2, m) array, a table, a matrix, or a file."""

GraphLike = StoredEdges | EdgeBatch | NodesAndEdges | Sequence[Paths]
"""Anything that makes a `landbridge.Graph`, and a Graph itself."""

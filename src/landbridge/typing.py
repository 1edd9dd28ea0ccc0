"""Types of the public functions: what they take, and the arrays they return."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from landbridge.id_kind import IdKind

__all__ = [
    "Chunks",
    "Device",
    "Devices",
    "EdgeBatch",
    "ForestEdges",
    "GraphLike",
    "Id",
    "IdArray",
    "IdKind",
    "Ids",
    "LabelArray",
    "Labels",
    "Numbers",
    "Part",
    "Paths",
    "PlanText",
    "Successors",
    "Times",
]

IdArray = NDArray[np.integer[Any]]
"""Vertex ids, offsets or positions, which are 32- or 64-bit integers, signed or not."""

LabelArray = NDArray[np.signedinteger[Any]]
"""Labels of components, int32 below 2^31 vertices, else int64."""

Device = Literal["auto", "cpu", "gpu", "cuda"] | str
"""The words of ``device=``, and the name of any other engine. "cuda" is another word for "gpu"."""

Devices = Sequence[int | str]
"""Processors that share the work, each the number of a GPU or a word of ``device=``. One may occur more than once."""

PlanText = str
"""The text of a plan in the language of `landbridge.plans`, such as ``"kout(2)+async(halve)"``, or "auto"."""


class SparseMatrix(Protocol):
    """A sparse matrix of SciPy or of cupyx."""

    @property
    def shape(self) -> Any: ...
    def tocsr(self) -> Any: ...


class CompressedTensor(Protocol):
    """A sparse CSR tensor of PyTorch."""

    def crow_indices(self) -> Any: ...
    def col_indices(self) -> Any: ...


class Rows(Protocol):
    """A `landbridge.CSR`."""

    @property
    def offsets(self) -> Any: ...
    @property
    def neighbors(self) -> Any: ...


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


class DeviceArray(Protocol):
    """An array on a GPU, such as those of CuPy, Numba and PyTorch."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class HostArray(Protocol):
    """A column of pandas, polars or Arrow, and anything else that NumPy makes an array of."""

    def __array__(self) -> Any: ...


class ArrowDataset(Protocol):
    """A data set of Arrow: files that are read as one table."""

    @property
    def files(self) -> Any: ...
    def to_batches(self) -> Any: ...


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


class ReadEdges(Protocol):
    """Edges that a reader or a generator of landbridge returned."""

    @property
    def ids(self) -> Any: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class OpenFile(Protocol):
    """A file that is open for reading."""

    def read(self, size: int = ..., /) -> Any: ...


Paths = str | os.PathLike[str] | OpenFile
"""One source of edges on disk."""

EdgeBatch = Sequence[Any] | NDArray[Any] | DataFrame | ArrowStream | ForeignArray | DeviceArray | SparseMatrix | Paths
"""Edges as a pair of id arrays, a list of pairs, an (m, 2) or (2, m) array, a table, a matrix, or a file."""

GraphLike = (
    StoredEdges | ReadEdges | Rows | CompressedTensor | EdgeBatch | NodesAndEdges | ArrowDataset | Sequence[Paths]
)
"""Anything that makes a `landbridge.Graph`, and a Graph itself."""

Chunks = Paths | Sequence[Paths] | ArrowDataset | Iterable[EdgeBatch]
"""Edges in chunks, which are files or an iterable of batches."""

Array = NDArray[Any] | HostArray | ForeignArray | DeviceArray
"""An array in host memory or on a GPU."""

Ids = Array | Sequence[int] | Sequence[str] | ArrowStream
"""Ids of vertices as a one-dimensional array, a sequence or a column of integers or of text."""

Id = int | str | Hashable
"""A vertex by its id, a whole number or text, or any hashable node of a graph of NetworkX."""

Labels = Array | Sequence[int]
"""A label for each vertex, integers of shape (n,)."""

ForestEdges = tuple[Ids, Ids, Labels]
"""The arrays u and v of the edges of a forest, and their positions in the input."""

Successors = Array | Sequence[int]
"""The element after each one, 32- or 64-bit integers of shape (n,); a tail has itself or -1."""

Numbers = Array | Sequence[float]
"""Weights, values or ranks, integers or floats of shape (n,)."""

Times = Array | Sequence[date] | Sequence[timedelta]
"""A date, a time or a duration for each element, shape (n,)."""


class Stream(Protocol):
    """A `landbridge.Incremental`."""

    def components(self) -> Any: ...


class Forest(Protocol):
    """A `landbridge.SpanningForest`, or another object with edges."""

    @property
    def u(self) -> Any: ...
    @property
    def v(self) -> Any: ...
    @property
    def num_vertices(self) -> int: ...


class Partial(Protocol):
    """A `landbridge.Components`."""

    @property
    def count(self) -> int: ...
    @property
    def labels(self) -> Any: ...


Part = Partial | Forest | Stream | Labels
"""A partial answer that `landbridge.merge` takes."""

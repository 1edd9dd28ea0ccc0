"""The graph: immutable and validated once. Engines trust what it holds."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge import _core, display
from landbridge._core import CoreInputError
from landbridge.edges import on_device
from landbridge.edges.coerce import renumber
from landbridge.edges.forms import SPARSE_FACTOR, SPARSE_FLOOR, Adjacency, EdgeList, Edges, IdArray, refuse_other_count
from landbridge.edges.load import load
from landbridge.edges.options import ReadingOptions, options_of, takes_reading_options, with_negative
from landbridge.edges.spelling import option, spelled
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.flags import flag, flag_or_none
from landbridge.id_kind import IdKind, kind_of_ids
from landbridge.passes import is_whole, order_of
from landbridge.probe import Probe
from landbridge.threads import default_threads
from landbridge.typing import GraphLike

Layout = Literal["csr", "coo"]


class Graph:
    """An undirected graph: every stored edge counts, in whichever direction and however often it is stored.

    Parameters
    ----------
    source : GraphLike
        A pair of arrays, an (m, 2) or (2, m) array, a `CSR`, a sparse matrix of SciPy or sparse CSR tensor of PyTorch,
        a NetworkX graph, a data frame (pandas, polars, pyarrow, anything with Arrow's stream protocol), or files in any
        format of `landbridge.edges.files`: a path, a folder, a glob, a list of them, an open file, a dataset of Arrow.
        Arrays on a GPU (CuPy, PyTorch, JAX, Numba; cupyx sparse matrices) stay there: such a graph runs on that GPU.
    num_vertices : int, optional
        Vertices are 0..num_vertices-1. By default what the source declares, or its largest id + 1, or, for tables, the
        ids that occur.
    ids : {"auto", "dense", "sparse", "names"}, optional
        What the vertices are. "dense": 0..n-1, and ids are vertex numbers. "sparse": the whole numbers that occur, in
        ascending order. "names": the texts that occur, in the order of their bytes. None (or "auto"): by the kind of
        the source. Arrays, lists of pairs, matrices, and formats that declare how many vertices there are: "dense".
        Tables (data frames, Parquet, CSV and other lists of edges as text): "sparse" or "names", as their ids are
        numbers or text. Text in arrays: "names". `id_kind` is the case that applied, and `ids` holds the ids.
    symmetric : bool, optional
        True promises that each undirected edge is stored in both directions. Without the promise every plan is still
        right; some read more. A false promise makes answers wrong, so a sample of a CSR is compared with it; with
        ``check=True`` all of it. For an edge list it counts only with ``check=True``.
    check : bool, default False
        Compare all edges with the promise of `symmetric`.
    threads : int, optional
        For reading and checking; by default all processors of this process.
    format : str, optional
        Of files, a name of `landbridge.edges.files.FORMATS`; by default by their endings and first bytes.
    columns : pair of str or int, optional
        Of files and data frames: the two that hold the edges, by name or by position from 0. By default the only two,
        or those with names for that, such as src and dst, in any position.
    header : bool, optional
        Of text: whether the first row names the columns; by default as in the first lines.
    delimiter, comment : str, optional
        Of text: the character that parts columns, those that begin comment lines; by default as in the first lines.
    base : int, optional
        1 for vertex numbers in files and data frames that count from 1; ids are "dense" then.
    encoding : str, optional
        Of text; by default UTF-8.
    max_bytes : int, optional
        Of files: the most bytes that may be read, counted behind decompression; see "Limits" in the page on input.

    Attributes
    ----------
    num_vertices, num_edges : int
        n, and the number of stored edges m.
    offsets : array, shape (n + 1,), or None
        Of a CSR; None for a COO edge list.
    a : array, shape (m,)
        The neighbours of a CSR, or the first endpoints of an edge list.
    b : array, shape (m,), or None
        The second endpoints of an edge list; None for a CSR.
    symmetric : bool or None
        Whether both directions are known to be stored.
    rows : Graph or None
        Of an edge list on a GPU that is sorted by first endpoints and holds each edge in both directions: the symmetric
        CSR of the same memory. None for any other graph.
    ids : array, shape (n,), or None
        The original id of each vertex where vertices were renumbered.
    library : str or None
        Of the data frame that the edges came in: "pandas", "polars" or "pyarrow"; None for any other source.
    notes : tuple of str
        Remarks on the input.

    Raises
    ------
    InputError
        Or a subclass, naming the edge and the vertex at fault; SizeLimitExceeded for more than `max_bytes`.

    Notes
    -----
    Arrays are referenced, not copied, and must not change while the graph is used. Validation is one pass over the ids.

    Examples
    --------
    >>> landbridge.Graph(([0, 1], [1, 4]))
    Graph(5 vertices, 2 stored edges, coo, int64)
    >>> landbridge.Graph([("b", "a")]).ids.tolist()
    ['a', 'b']
    """

    library: str | None = None
    rows: Graph | None = None

    @takes_reading_options
    def __init__(
        self,
        source: GraphLike,
        *,
        num_vertices: int | None = None,
        symmetric: bool | None = None,
        check: bool = False,
        threads: int | None = None,
        format: str | None = None,
        **reading: Unpack[ReadingOptions],
    ) -> None:
        workers, check = default_threads(threads), flag("check", check)
        options = options_of(num_vertices=num_vertices, threads=workers, **reading)
        edges = load(source, options, num_vertices=num_vertices, format=format)
        self._take(edges, num_vertices, symmetric, workers)
        self._refuse_false_promise(_promise(edges, symmetric), check)

    @classmethod
    def from_edges(
        cls,
        edges: Edges,
        *,
        num_vertices: int | None = None,
        symmetric: bool | None = None,
        threads: int | None = None,
    ) -> Graph:
        """A graph of edges that a reader or a generator returned.

        Parameters
        ----------
        edges : EdgeList or Adjacency
            Not yet validated.
        num_vertices, symmetric, threads : optional
            As for the class.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            As for the class.
        """
        graph = object.__new__(cls)
        graph._take(edges, num_vertices, symmetric, default_threads(threads))
        graph._refuse_false_promise(_promise(edges, symmetric), False)
        return graph

    @classmethod
    def of_checked_pairs(cls, u: IdArray, v: IdArray, num_vertices: int) -> Graph:
        """A COO edge list whose ids an engine has compared with `num_vertices` already.

        Parameters
        ----------
        u, v : IdArray
            Shape (m,), the endpoints of each edge, below `num_vertices`.
        num_vertices : int
            n.

        Returns
        -------
        Graph
        """
        graph = object.__new__(cls)
        graph.ids, graph.notes, graph.offsets = None, (), None
        graph.a, graph.b = u, v
        graph.num_vertices, graph.num_edges, graph.symmetric = num_vertices, len(u), None
        return graph

    def _take(self, edges: Edges, num_vertices: int | None, symmetric: bool | None, threads: int) -> None:
        symmetric = flag_or_none("symmetric", symmetric)
        self.library = edges.library if isinstance(edges, EdgeList) else None
        try:
            if isinstance(edges, EdgeList) and edges.occurring:
                edges = renumber(edges, threads)
            self._validate(edges, check_count(num_vertices), symmetric, threads)
        except CoreInputError as error:
            raise InputError(with_negative(error, num_vertices)) from None

    def _validate(self, edges: Edges, num_vertices: int | None, symmetric: bool | None, threads: int) -> None:
        self.ids: NDArray[Any] | None = edges.ids
        self.notes: tuple[str, ...] = edges.notes
        self.offsets: IdArray | None = None
        self.b: IdArray | None = None
        in_rows = False
        refuse_other_count(num_vertices, edges)
        if isinstance(edges, Adjacency):
            self.offsets, self.a = edges.offsets, edges.neighbors
            self.num_edges = len(self.a)
            n = len(self.offsets) - 1
            if self.on_device:
                from landbridge.device import graphs

                self.probe = graphs.check_rows(self.offsets, self.a)
            else:
                _core.check_offsets(self.offsets, self.num_edges, threads)
                _core.check_range(self.a, n, "arc", threads)
            declared = edges.symmetric
        else:
            self.a, self.b = edges.u, edges.v
            if len(self.a) != len(self.b):
                raise InputError(f"u has {len(self.a)} ids and v has {len(self.b)}; edge i needs both u[i] and v[i]")
            self.num_edges = len(self.a)
            n, in_rows = self._check_pairs(edges, num_vertices, threads)
            declared = True if edges.both_directions or in_rows else None
        self.num_vertices: int = n
        self.symmetric: bool | None = declared if symmetric is None else symmetric
        if in_rows:
            from landbridge.device import graphs

            with suppress(OutOfDeviceMemory):  # it is as good an edge list then
                self.rows = self._with(graphs.row_offsets(n, self.a), self.b, None, True)

    def _check_pairs(self, edges: EdgeList, num_vertices: int | None, threads: int) -> tuple[int, bool]:
        """The number of vertices, and whether the edges are known to lie in symmetric rows."""
        n, in_rows = check_count(edges.num_vertices) if num_vertices is None else num_vertices, False
        if self.on_device:
            from landbridge.device import graphs

            declared, (n, in_rows) = n, graphs.check_pairs(edges.u, edges.v, n)
            if declared is not None:
                return declared, in_rows
        elif n is not None:
            for endpoints in (edges.u, edges.v):
                _core.check_range(endpoints, n, "edge", threads)
            return n, False
        else:
            largest = [_core.largest_id(endpoints, "edge", threads) for endpoints in (edges.u, edges.v)]
            n = max((m + 1 for m in largest if m is not None), default=0)
        if n > MOST_VERTICES:
            raise InputError(
                f"the largest id is {n - 1}: a graph of {n} vertices would not fit any memory; "
                f"use {spelled(ids='sparse')} if the ids have gaps"
            )
        return n, in_rows

    def _refuse_false_promise(self, symmetric: bool | None, check: bool) -> None:
        """Refuse ``symmetric=True`` where an arc that is compared has no reverse. check: compare all.

        A sample of a COO edge list would take a pass over all edges: without ``check`` the promise is dropped there.
        Answers are right without it.
        """
        if not symmetric or self.on_device:
            return
        if self.offsets is None and not check:
            self.symmetric = None
            return
        from landbridge.edges.symmetry import SAMPLE, unmatched_arc

        rows = self if self.offsets is not None else self._with_rows()
        arc = unmatched_arc(rows.offsets, rows.a, None if check else SAMPLE)
        if arc is not None:
            x, y = (v if self.ids is None else self.ids[v] for v in arc)
            raise InputError(f"symmetric=True, but the edge ({x}, {y}) is stored in this direction alone")

    def _with_rows(self) -> Graph:
        """The COO edge list as a CSR, each edge in the direction in which it is stored."""
        assert self.b is not None
        order = order_of(self.a.astype(np.uint64), default_threads(None))
        offsets = np.zeros(self.num_vertices + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.a.astype(np.int64), minlength=self.num_vertices), out=offsets[1:])
        return self._with(offsets, self.b[order], None, None)

    @property
    def id_kind(self) -> IdKind:
        """What the vertices are, "dense" (0..n-1), "sparse" (numbers that occur) or "names" (text, objects)."""
        return kind_of_ids(self.ids)

    @property
    def layout(self) -> Layout:
        """``"csr"`` for compressed sparse rows, ``"coo"`` for an edge list."""
        return "coo" if self.offsets is None else "csr"

    @property
    def on_device(self) -> bool:
        """True if the edges lie in the memory of a GPU, as CuPy arrays."""
        return on_device.is_device_array(self.a)

    @property
    def wide(self) -> bool:
        """True if vertex ids need 64 bits, for 2^31 vertices and more."""
        return self.num_vertices >= 2**31

    @cached_property
    def probe(self) -> Probe:
        """What a few rows of a CSR show."""
        if self.offsets is None:
            return Probe()
        if self.on_device:
            from landbridge.device import graphs

            return graphs.probe_rows(self.offsets, self.a)
        return Probe(**_core.probe(self.num_vertices, self.offsets, self.a))

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the arrays that hold the edges."""
        offsets = self.offsets if self.rows is None else self.rows.offsets
        return sum(a.nbytes for a in (offsets, self.a, self.b) if a is not None)

    def to_rows(self, threads: int | None = None) -> Graph:
        """This graph as a symmetric CSR: itself if it is that already, or its `rows`. O(n + m) memory.

        Parameters
        ----------
        threads : int, optional
            By default all processors of this process.

        Returns
        -------
        Graph
        """
        if self.offsets is not None and self.symmetric:
            return self
        if self.rows is not None:
            return self.rows
        if self.on_device:
            from landbridge.device import graphs

            offsets, neighbors = graphs.symmetric_csr(self.num_vertices, self.offsets, self.a, self.b)
        else:
            offsets, neighbors = _core.symmetric_rows(
                self.num_vertices, self.offsets, self.a, self.b, bool(self.symmetric), default_threads(threads)
            )
        return self._with(offsets, neighbors, None, True)

    def to_device(self, threads: int | None = None) -> Graph:
        """This graph with its arrays in the memory of CuPy's current GPU; itself if they are on one already.

        Parameters
        ----------
        threads : int, optional
            How many threads fill pinned buffers; by default all processors of this process.

        Returns
        -------
        Graph

        Raises
        ------
        MissingDependency, DeviceError, OutOfDeviceMemory
            Without CuPy, without a GPU, and without room for the arrays.

        Notes
        -----
        Large arrays pass through pinned memory, and 64-bit ids and offsets that fit 32 bits are sent so.
        """
        if self.on_device:
            return self
        from landbridge.device import cuda, transfer

        arrays = tuple(x for x in (self.offsets, self.a, self.b) if x is not None)
        ids = np.int64 if self.wide else np.int32
        types = tuple(x.dtype if x.dtype.itemsize == 4 else ids for x in arrays)
        if self.offsets is not None:
            types = (np.int64 if self.num_edges >= 2**31 else np.int32, *types[1:])
        with cuda.errors("copying a graph to the GPU"):
            if sum(x.nbytes for x in arrays) < _WORTH_PINNING:
                copies = [cuda.cupy().asarray(x.astype(t, copy=False)) for x, t in zip(arrays, types, strict=True)]
            else:
                copies, _ = transfer.send(arrays, types, default_threads(threads))
        if self.offsets is not None:
            return self._with(copies[0], copies[1], None, self.symmetric)
        return self._with(None, copies[0], copies[1], self.symmetric)

    def to_host(self) -> Graph:
        """This graph with its arrays in NumPy's memory; itself if they are there already.

        Returns
        -------
        Graph
        """
        if not self.on_device:
            return self
        from landbridge.device import cuda, transfer

        with cuda.errors("copying a graph from the GPU"):
            contiguous, threads = cuda.cupy().ascontiguousarray, default_threads(None)
            arrays = (self.offsets, self.a, self.b)
            offsets, a, b = (None if x is None else transfer.fetch(contiguous(x), threads) for x in arrays)
        return self._with(offsets, a, b, self.symmetric)

    def _with(self, offsets: Any, a: Any, b: Any, symmetric: bool | None) -> Graph:
        graph = object.__new__(Graph)
        graph.ids, graph.notes, graph.library = self.ids, self.notes, self.library
        graph.offsets, graph.a, graph.b = offsets, a, b
        graph.num_vertices, graph.num_edges, graph.symmetric = self.num_vertices, len(a), symmetric
        return graph

    def to_pairs(self) -> Graph:
        """This graph as a COO edge list of its stored edges; itself if it is that already. One id per edge.

        Returns
        -------
        Graph
        """
        if self.offsets is None:
            return self
        if self.on_device:
            from landbridge.device import graphs

            return self._with(
                None, graphs.sources_of_edges(self.num_vertices, self.offsets, self.a), self.a, self.symmetric
            )
        ids: Any = np.int64 if self.wide else self.a.dtype
        vertices = np.arange(self.num_vertices, dtype=ids)
        neighbors = self.a.astype(ids, copy=False)
        return self._with(None, np.repeat(vertices, np.diff(self.offsets)), neighbors, self.symmetric)

    def __repr__(self) -> str:
        return display.graph_line(self)

    def _repr_html_(self) -> str:
        return display.graph(self)


_WORTH_PINNING = 1 << 20
"""Bytes below which a copy takes less time than filling pinned buffers."""

MOST_VERTICES = 2**56
"""The parent array of more cannot be addressed."""


def check_count(num_vertices: int | None) -> int | None:
    """A number of vertices as an int, None for none. Raises InputError for what is no such number."""
    if num_vertices is None:
        return None
    if not is_whole(num_vertices) or num_vertices < 0:
        raise InputError(f"num_vertices must be a whole number of at least 0, not {num_vertices!r}")
    if num_vertices > MOST_VERTICES:
        raise InputError(
            f"{option('num_vertices')} = {num_vertices}: a graph of so many vertices would not fit any memory"
        )
    return int(num_vertices)


def _promise(edges: Edges, symmetric: bool | None) -> bool | None:
    """What a caller says of both directions, in a call or with the edges."""
    with_edges = isinstance(edges, Adjacency) and edges.promised
    return edges.symmetric if symmetric is None and with_edges else symmetric  # type: ignore[union-attr]


def close_ids(edges: EdgeList, threads: int, *, signed: bool, before: int = 0) -> bool:
    """Whether ids that occur lie so close, and from 0 on, that arrays up to the largest one cost little.

    signed: whether negative ids are allowed; else InputError names the first one. before: the number of edges of
    earlier chunks.
    """
    try:
        largest = max((_core.largest_id(x, "edge", threads) or 0 for x in (edges.u, edges.v)), default=0)
    except CoreInputError as error:
        if signed:
            return False
        raise InputError(with_negative(error)) from None
    return largest <= SPARSE_FACTOR * (before + len(edges.u)) + SPARSE_FLOOR


def look_far(edges: EdgeList) -> bool:
    """Whether a few of the ids show that they lie far apart. O(1)."""
    few = slice(None, None, max(1, len(edges.u) // 256))
    largest = max((int(x[few].max()) for x in (edges.u, edges.v) if len(x)), default=0)
    return largest > SPARSE_FACTOR * len(edges.u) + SPARSE_FLOOR


def as_graph(source: Any, **options: Any) -> Graph:
    """The source itself if it is a Graph (no option may be set then), else ``Graph(source, **options)``."""
    if isinstance(source, Graph):
        names = sorted(k for k, v in options.items() if v is not None and k != "threads")
        if names:
            raise InputError(f"{', '.join(names)}: set when the Graph was made, not again for each call")
        return source
    return Graph(source, **options)

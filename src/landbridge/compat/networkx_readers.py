"""Graphs of the NetworkX backend from frames, matrices and text, without a Python loop over edges.

What differs from the plain case in any way is read by NetworkX itself and converted, so every answer is NetworkX's.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import landbridge
from landbridge import _core
from landbridge.compat.networkx_graph import CLASSES, BackendGraph, GraphKind, from_networkx, graph_of
from landbridge.edges.names import number_names
from landbridge.passes import order_of
from landbridge.threads import default_threads

_BLANKS = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
"""What `str.split` parts words at and the parsers do not."""
_BLANK_BYTES = re.compile(rb"[\x0b\x0c\x1c-\x1f]")


def cannot_make(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why a constructor cannot run in the backend, "" if it can: the graph is of one of NetworkX's four classes."""
    position = {"from_pandas_edgelist": 4, "from_scipy_sparse_array": 2, "read_edgelist": 3}.get(name)
    if position is None:
        return ""
    kind = args[position] if len(args) > position else kwargs.get("create_using")
    if kind is None or (isinstance(kind, type) and kind in CLASSES.values()):
        return ""
    return "create_using is none of NetworkX's four classes of graphs"


def _kind_of(create_using: Any) -> GraphKind:
    return next(kind for kind, cls in CLASSES.items() if cls is (create_using or nx.Graph))


def _converted(make: Callable[[], Any]) -> BackendGraph:
    return from_networkx(make(), data=False)


# frames ----------------------------------------------------------------------------------------------------------


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> BackendGraph:
    """The graph of two columns of a data frame of pandas; parameters and errors as NetworkX's. O(m)."""
    words = (source, target, edge_attr, create_using, edge_key)
    read = nx.from_pandas_edgelist.orig_func
    names = _attribute_columns(df, source, target, edge_attr) if edge_key is None else None
    numbers = None if names is None else _numbered_columns(df[source], df[target])
    if names is None or numbers is None:
        return _converted(partial(read, df, *words))
    u, v, nodes = numbers
    columns = df[list(dict.fromkeys((source, target, *names)))].copy()
    kind = _kind_of(create_using)
    return BackendGraph(graph_of(u, v, len(nodes)), nodes, kind, partial(read, columns, *words))


def _attribute_columns(df: Any, source: Any, target: Any, edge_attr: Any) -> list[Any] | None:
    """The columns of attributes; None where NetworkX has an error, or a frame of its own, to deal with."""
    if type(df).__module__.partition(".")[0] != "pandas" or not df.columns.is_unique:
        return None
    if edge_attr is True:
        names = [name for name in df.columns if name not in (source, target)]
    else:
        names = [] if edge_attr is None else list(edge_attr) if isinstance(edge_attr, list | tuple) else [edge_attr]
    if not names and edge_attr is not None:
        return None
    try:
        return names if all(name in df.columns for name in (source, target, *names)) else None
    except TypeError:
        return None


def _numbered_columns(u: Any, v: Any) -> tuple[NDArray[Any], NDArray[Any], list[Any]] | None:
    """The positions of the endpoints, and the nodes in the order of their first edges; None for odd columns."""
    if isinstance(u.dtype, np.dtype) and u.dtype == v.dtype and u.dtype.kind in "iu":
        positions_u, positions_v, ids = in_order_of_appearance(u.to_numpy(), v.to_numpy())
        return positions_u, positions_v, ids.tolist()
    if u.dtype != v.dtype or (u.dtype.kind != "O" and u.dtype.name not in ("str", "string")):
        return None
    import pandas as pd

    both = np.empty(2 * len(u), dtype=object)
    both[0::2], both[1::2] = u.to_numpy(dtype=object), v.to_numpy(dtype=object)
    try:
        codes, nodes = pd.factorize(both)
    except TypeError:
        return None
    return None if (codes < 0).any() else (codes[0::2], codes[1::2], nodes.tolist())


def in_order_of_appearance(u: NDArray[Any], v: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Ids as numbers 0..n-1 in the order in which they first occur in ``u[0], v[0], u[1], ...``, and the ids so."""
    if u.dtype.itemsize < 4:
        u, v = u.astype(np.int32), v.astype(np.int32)
    ranks_u, ranks_v, ids = _core.renumber(np.ascontiguousarray(u), np.ascontiguousarray(v), default_threads(None))
    order, number = _appearance(ranks_u, ranks_v, len(ids))
    return number[ranks_u], number[ranks_v], ids[order]


def _appearance(u: NDArray[Any], v: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The ranks in the order of their first occurrences, and the place of each rank in it."""
    first = np.empty(n, dtype=np.int64)
    backwards = np.arange(len(u) - 1, -1, -1)
    first[v[::-1]] = 2 * backwards + 1  # of several values for one place NumPy takes the last
    of_u = np.full(n, 2 * len(u), dtype=np.int64)
    of_u[u[::-1]] = 2 * backwards
    only_u = np.ones(n, dtype=bool)
    only_u[v] = False
    first[only_u] = 2 * len(u)
    order = order_of(np.minimum(first, of_u).astype(np.uint64), default_threads(None))
    number = np.empty(n, dtype=np.int64)
    number[order] = np.arange(n)
    return order, number


# matrices --------------------------------------------------------------------------------------------------------


def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> BackendGraph:
    """The graph of a sparse matrix of SciPy; parameters and errors as NetworkX's. A copy of the matrix is kept."""
    directed, multigraph = kind = _kind_of(create_using)
    words = (parallel_edges, create_using, edge_attribute)
    read = nx.from_scipy_sparse_array.orig_func
    plain = type(A).__module__.startswith("scipy.sparse") and A.ndim == 2 and A.shape[0] == A.shape[1]
    if not plain or (multigraph and parallel_edges and A.dtype.kind in "iu"):
        return _converted(partial(read, A, *words))
    matrix = A.copy()
    make = partial(read, matrix, *words)
    if multigraph and not directed:  # NetworkX reads the upper triangle
        entries = matrix.tocoo()
        upper = entries.row <= entries.col
        edges = graph_of(entries.row[upper], entries.col[upper], A.shape[0])
    else:
        edges = landbridge.Graph(matrix if matrix.format in ("csr", "csc") else matrix.tocoo())
    if multigraph:
        return BackendGraph(edges, None, kind, make, edge_count=edges.num_edges)
    return BackendGraph(edges, None, kind, make)


# text ------------------------------------------------------------------------------------------------------------


def read_edgelist(
    path: Any,
    comments: str | None = "#",
    delimiter: str | None = None,
    create_using: Any = None,
    nodetype: Any = None,
    data: Any = True,
    edgetype: Any = None,
    encoding: str = "utf-8",
) -> BackendGraph:
    """The graph of a file of edges that is open for reading bytes; parameters and errors as NetworkX's."""
    words = (comments, delimiter, create_using, nodetype, data, edgetype, encoding)
    text = path.read() if hasattr(path, "read") else None
    if not isinstance(text, bytes):
        lines = path if text is None else io.StringIO(text)
        return _converted(partial(nx.read_edgelist.orig_func, lines, *words))
    make = partial(_read_bytes, text, *words)
    numbers = None
    simple = nodetype in (None, str, int) and (data is True or data is False)
    if simple and _is_plain(text, comments, delimiter, encoding):
        numbers = _parsed(text, comments, delimiter, nodetype is int, exact=data is True)
    if numbers is None:
        return _converted(make)
    u, v, nodes = numbers
    return BackendGraph(graph_of(u, v, len(nodes)), nodes, _kind_of(create_using), make)


def _read_bytes(text: bytes, *words: Any) -> Any:
    """The graph of NetworkX."""
    return nx.read_edgelist.orig_func(io.BytesIO(text), *words)


def _is_plain(text: bytes, comments: str | None, delimiter: str | None, encoding: str) -> bool:
    """Whether the parsers part lines and words of the text exactly as NetworkX does."""
    if encoding.lower().replace("-", "").replace("_", "") not in ("utf8", "ascii") or b"\0" in text:
        return False
    if delimiter is None:
        odd = b"\r" in text.replace(b"\r\n", b"")
    else:
        blanks = {" ", "\t"} - {delimiter}
        odd = delimiter not in (",", "\t", ";", "|") or b"\r" in text or any(b.encode() in text for b in blanks)
    if odd or (comments is not None and (len(comments) != 1 or not comments.isascii() or comments.isalnum())):
        return False
    if comments:
        bytes_ = np.frombuffer(text, dtype=np.uint8)
        places = np.flatnonzero(bytes_ == ord(comments))
        if (bytes_[places[places > 0] - 1] != ord("\n")).any():
            return False
    if text.isascii():
        return _BLANK_BYTES.search(text) is None
    try:
        return encoding.lower() != "ascii" and _BLANKS.search(text.decode()) is None
    except UnicodeDecodeError:
        return False


def _parsed(
    text: bytes, comments: str | None, delimiter: str | None, integers: bool, *, exact: bool
) -> tuple[NDArray[Any], NDArray[Any], list[Any]] | None:
    """The positions of the endpoints, and the nodes in the order of their first edges; None for odd lines."""
    grammar: dict[str, Any] = {"comments": comments or "", "delimiter": delimiter or " ", "exact": exact}
    data, threads = np.frombuffer(text, dtype=np.uint8), default_threads(None)
    try:
        if integers:
            u, v, *_ = _core.parse_edges(data, threads=threads, **grammar)
            if len(u) == 0:
                return u, v, []
            u, v, ids = in_order_of_appearance(u, v)
            return u, v, ids.tolist()
        columns = _core.parse_names(data, quotes=False, **grammar)
        edges = number_names(columns[0], columns[1], threads)
    except (_core.CoreFormatError, _core.CoreInputError):
        return None
    names: Any = edges.ids
    order, number = _appearance(edges.u, edges.v, len(names))
    texts = names.tolist()
    return number[edges.u], number[edges.v], [texts[x] for x in order.tolist()]

"""Objects in memory to edges: arrays, lists, sparse matrices, NetworkX graphs, without needless copies."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges import on_device
from landbridge.edges.csr import is_compressed_tensor, rows_of
from landbridge.edges.forms import Adjacency, EdgeList, Edges, IdArray
from landbridge.edges.frames import edges_of_frame, library_of, same_length
from landbridge.edges.id_columns import as_array, common, ids_of
from landbridge.edges.names import number_names
from landbridge.edges.networks import from_networkx
from landbridge.edges.options import Options, refuse_other_ids
from landbridge.edges.other_objects import way_from_rows, way_to_list
from landbridge.edges.place import Place, endpoint_places
from landbridge.edges.spelling import option, spelled
from landbridge.errors import InputError
from landbridge.passes import SLICE, slices

_NUMBERS = "whole numbers"
_COLUMNS = endpoint_places()
_TWO_LISTS = (
    "a list of two arrays or lists of two ids is two edges, an edge in each; two columns go in as a tuple, (u, v)"
)
_TWO_PAIRS = (
    "a tuple of two tuples of two ids is two edges, an edge in each; two columns go in as lists or arrays, (u, v)"
)


def text_refused(ids: str) -> InputError:
    """The error for text where `ids` says that vertices are whole numbers."""
    return InputError(
        f"{spelled(ids=ids)} is for whole numbers; these ids are text, and {spelled(ids='names')} is for that"
    )


def coerce(obj: Any, *, num_vertices: int | None = None, ids: str = "auto", threads: int = 1) -> Edges:
    """An object with edges, other than a path or a table, as an EdgeList or an Adjacency.

    Parameters
    ----------
    obj : object
        One of these; the rule is the same for integers and for text.

        - A pair of columns: a tuple of two one-dimensional arrays, Series or lists, ``(u, v)``, edge i being
          ``(u[i], v[i])``. A list of two Series or Arrow arrays is such a pair, too.
        - A list (or tuple) of pairs ``(u, v)``, each a tuple, of any length: ``[(1, 2), (3, 4)]`` and
          ``((1, 2), (3, 4))`` are two edges. Tuples of another length are refused.
        - An array of shape (m, 2), an edge per row; or of shape (2, m) with m other than 2, ``u`` above ``v``. Nested
          lists and lists of arrays are read like the array of them, so ``[[1, 2], [3, 4]]`` is two edges.
        - A square SciPy sparse matrix or array of any format, or a sparse CSR tensor of PyTorch: every stored entry is
          an edge, explicit zeros too.
        - A CSR, a NetworkX graph; an EdgeList or Adjacency.
    num_vertices : int, optional
        Vertices are 0..num_vertices-1; by default up to the largest id.
    ids : str
        "auto": numbers are vertices 0..n-1, and text is numbered; ``EdgeList.ids`` keeps it. "dense" refuses text.
        "sparse": vertices are the numbers that occur. "names" refuses all but text.
    threads : int
        The result does not depend on it.

    Raises
    ------
    InputError
        For other objects, wrong shapes, and ids that are neither integers nor text. The range of ids is checked by the
        graph.
    """
    refuse_other_ids(ids)
    if on_device.holds_device(obj):
        if ids in ("sparse", "names"):
            raise InputError(
                f"{spelled(ids=ids)} numbers ids on the host; copy the edges there, or number them on the GPU"
            )
        return on_device.edges_of(obj)
    edges = _form_of(obj, threads)
    if ids == "names" and edges.ids is None and (isinstance(edges, Adjacency) or len(edges.u)):
        raise InputError(f"{spelled(ids='names')} is for text; these ids are whole numbers")
    if edges.ids is not None and num_vertices is not None and not isinstance(obj, EdgeList | Adjacency):
        raise InputError(
            f"{option('num_vertices')} has no meaning for vertices with names: they are the names that occur"
        )
    is_text = not isinstance(obj, EdgeList | Adjacency) and not _is_networkx(obj) and edges.ids is not None
    is_empty = isinstance(edges, EdgeList) and len(edges.u) == 0
    if is_text and (ids == "sparse" or (ids == "dense" and not is_empty)):
        raise text_refused(ids)
    if ids != "sparse":
        return edges
    if isinstance(edges, Adjacency) or edges.ids is not None:
        raise InputError(f"{spelled(ids='sparse')} renumbers a list of edges; this graph has numbered vertices already")
    if num_vertices is not None:
        raise InputError(
            f"{option('num_vertices')} has no meaning with {spelled(ids='sparse')}: vertices are the ids that occur"
        )
    return replace(edges, num_vertices=None, occurring=True)


def coerce_frame(frame: Any, options: Options) -> EdgeList:
    """Two columns of a data frame as edges; see `landbridge.edges.frames.edges_of_frame`."""
    return edges_of_frame(frame, options)


def renumber(edges: EdgeList, threads: int) -> EdgeList:
    """The same edges with the ids that occur numbered 0..n-1 in ascending order; originals in ``ids``."""
    u: Any = np.ascontiguousarray(edges.u)
    v: Any = np.ascontiguousarray(edges.v)
    dense_u, dense_v, originals = _core.renumber(u, v, threads)
    return EdgeList(
        dense_u,
        dense_v,
        num_vertices=len(originals),
        ids=originals,
        both_directions=edges.both_directions,
        notes=edges.notes,
    )


def _form_of(obj: Any, threads: int) -> Edges:
    if isinstance(obj, EdgeList):
        u, v = (_numbers(ids, Place(name, kinds=_NUMBERS)) for ids, name in ((obj.u, "u"), (obj.v, "v")))
        same_length(len(u), len(v), _COLUMNS)
        u, v = common(u, v, _COLUMNS)
        return replace(obj, u=u, v=v)
    if isinstance(obj, Adjacency):
        return replace(obj, offsets=_offsets(obj.offsets), neighbors=_contiguous_ids(obj.neighbors, "neighbors"))
    if (rows := rows_of(obj)) is not None:
        offsets, neighbors = _offsets(rows.offsets), _contiguous_ids(rows.neighbors, "neighbors")
        return Adjacency(offsets, neighbors, symmetric=rows.symmetric, promised=True)
    if is_sparse_matrix(obj):
        return _from_sparse(obj)
    if _is_networkx(obj):
        return from_networkx(obj, threads)
    if (columns := columns_of_edges(obj)) is not None:
        edges = coerce_pair(*columns, threads)
        return replace(edges, notes=(*edges.notes, *_notes_of_rows(obj)))
    raise InputError(
        f"cannot read edges from {type(obj).__name__}: give a pair of arrays, an (m, 2) array, a list of pairs, a CSR, "
        f"a sparse matrix, a NetworkX graph, a data frame or a path{way_to_list(obj)}"
    )


# pairs -------------------------------------------------------------------------------------------------------------


def columns_of_edges(obj: Any) -> tuple[Any, Any] | None:
    """The columns u and v of a list of edges in memory, as `coerce` describes them; None for anything else.

    Raises InputError for an array of another shape, and for what is no pair in a list of pairs.
    """
    if isinstance(obj, np.ndarray):
        return _of_array(obj)
    if isinstance(obj, tuple | list):
        return _of_sequence(obj)
    if hasattr(obj, "__array__") or hasattr(obj, "__dlpack__"):
        return _of_array(as_array(obj, "the edges"))
    return None


def _of_sequence(obj: Sequence[Any]) -> tuple[Any, Any]:
    if len(obj) == 0:
        empty = np.empty(0, dtype=np.int64)
        return empty, empty
    if len(obj) != 2 and (columns := _of_plain_pairs(obj)) is not None:
        return columns
    kinds = _kinds(obj)
    if way := way_from_rows(kinds):
        raise InputError(f"cannot read edges from a {type(obj).__name__} of {way}")
    if len(obj) == 2:
        two_columns = isinstance(obj, tuple) and not all(issubclass(kind, tuple) for kind in kinds)
        rows = all(issubclass(kind, tuple | list | np.ndarray) for kind in kinds)
        if two_columns or not (rows or kinds & {str, bytes}):
            return obj[0], obj[1]
        lengths = [len(x) if isinstance(x, list | tuple) or np.ndim(x) else -1 for x in obj]
        if not any(issubclass(kind, tuple) for kind in kinds) and lengths[0] == lengths[1] != 2:
            return obj[0], obj[1]  # like an array of shape (2, m)
    if kinds <= {tuple, list} or any(issubclass(kind, tuple) for kind in kinds):
        return _of_pairs(obj)
    if kinds <= {list, np.ndarray} and len({getattr(row, "dtype", None) for row in obj}) > 1:
        return _of_pairs([row if isinstance(row, list) else row.tolist() for row in obj])  # no type holds all exactly
    return _of_array(as_array(obj, "the edges"))


def _of_plain_pairs(pairs: Sequence[Any]) -> tuple[Any, Any] | None:
    """The columns of a list of tuples and lists of two, of no subclass: arrays if all are ints, else lists."""
    rows = pairs if type(pairs) is list else list(pairs)
    return _core.integer_pairs(rows) or _core.columns_of_pairs(rows)


def _kinds(values: Sequence[Any]) -> set[type]:
    kinds = set(map(type, values[:SLICE]))
    if len(values) > SLICE:
        for part in slices(len(values)):
            kinds.update(map(type, values[part]))
    return kinds


def _of_pairs(pairs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The columns of a list of pairs, each a tuple or a list."""
    endpoints: list[Any] = []
    for part in slices(len(pairs)):
        some = pairs[part]
        if not (set(map(type, some)) <= {tuple, list} and set(map(len, some)) == {2}):
            _check_pairs(some, part.start, len(pairs))
        endpoints.extend(chain.from_iterable(some))
    return endpoints[0::2], endpoints[1::2]


def _check_pairs(pairs: Sequence[Any], first: int, count: int) -> None:
    """Raise InputError for the first element that is no pair, of those from number `first` on of so many."""
    for i, pair in enumerate(pairs, first):
        if isinstance(pair, str | bytes) or not hasattr(pair, "__len__"):
            raise InputError(f"edge {i} is {pair!r}, not a pair of ids")
        if len(pair) != 2:
            hint = "; weights go in an array of their own" if len(pair) == 3 else ""
            hint = hint if count > 2 else f"{hint}; two columns go in as lists or arrays, (u, v)"
            raise InputError(f"edge {i} is {_short(pair)}: {len(pair)} ids, not 2{hint}")


def _notes_of_rows(obj: Any) -> tuple[str, ...]:
    """A note on two rows that are written like two columns."""
    if isinstance(obj, list) and _has_rows(obj):
        return (_TWO_LISTS,)
    two_pairs = isinstance(obj, tuple) and len(obj) == 2 and all(isinstance(row, tuple) for row in obj)
    return (_TWO_PAIRS,) if two_pairs else ()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]} ..."


def _of_array(array: NDArray[Any]) -> tuple[Any, Any]:
    if array.ndim != 2 or 2 not in array.shape:
        square = array.ndim == 2 and array.shape[0] == array.shape[1] > 0
        hint = "; an adjacency matrix goes in as scipy.sparse.csr_array(matrix)" if square else ""
        raise InputError(f"an array of edges has shape (m, 2) or (2, m), not {array.shape}{hint}")
    if isinstance(array, np.matrix):
        if array.shape == (2, 2):
            raise InputError(
                "a numpy.matrix of shape (2, 2) is two edges or an adjacency matrix: numpy.asarray(matrix) has an edge "
                "in each row, scipy.sparse.csr_array(matrix) one for each entry"
            )
        array = np.asarray(array)  # a column of a matrix has two dimensions
    return (array[:, 0], array[:, 1]) if array.shape[1] == 2 else (array[0], array[1])


class Orientations:
    """Refuses batches of edges of which some are two columns by their shape and some two rows by theirs.

    An array of shape (2, 2) has an edge in each row, one of shape (2, m) a column: a stream of batches of the second
    kind whose last one has two edges would be read wrongly.

    Parameters
    ----------
    unit : str
        What messages call a batch, which they number from 0 in the order in which they are taken.
    columns : str
        How two columns are given, as messages recommend it.
    """

    def __init__(self, unit: str, columns: str) -> None:
        self._unit, self._columns = unit, columns
        self._count = 0
        self._first: dict[bool, list[str]] = {}  # what messages call the first batch of each kind
        self._taken: bool | None = None  # of which kind batches have been taken
        self._taking = threading.local()  # of which kind the batch of a thread is

    @property
    def rows(self) -> bool | None:
        """Whether batches that have been taken, or the one that this thread takes, are two rows or two columns; None if
        neither. What other threads take may be refused."""
        return getattr(self._taking, "rows", None) if self._taken is None else self._taken

    def resume(self, rows: bool | None, earlier: str) -> None:
        """Go on from what `rows` was before. earlier: what messages call a batch of that time."""
        if rows is not None and self._taken is None:
            self._taken = rows
            self._first.setdefault(rows, [earlier])

    @contextlib.contextmanager
    def turn(self, batch: Any) -> Iterator[None]:
        """A block that takes a batch; refused ones are not counted. Nothing is locked: a handler of a signal, or
        another thread, may take a batch meanwhile.

        Raises InputError for a batch of one kind if one of the other has been taken, or is being taken.
        """
        rows, own = _has_rows(batch), [f"{self._unit} {self._count}"]
        if rows is not None:
            first = {rows: self._first.setdefault(rows, own)}
            if other := self._first.get(not rows):
                self._drop(rows, own)
                raise self._error(first | {not rows: other})
        outer, self._taking.rows = getattr(self._taking, "rows", None), rows
        try:
            yield
        except (InputError, TypeError):
            self._drop(rows, own)
            raise
        finally:
            self._taking.rows = outer
        if rows is not None:
            self._first.setdefault(rows, own)  # the first one may have been refused
            self._taken = rows
        self.count()

    def count(self) -> None:
        """A batch has been taken, such as one that is of neither kind."""
        self._count += 1

    def _drop(self, rows: bool | None, own: list[str]) -> None:
        if rows is not None and self._first.get(rows) is own:
            self._first.pop(rows, None)

    def _error(self, first: dict[bool, list[str]]) -> InputError:
        return InputError(
            "a batch of shape (2, 2) has an edge in each row, one of shape (2, m) has columns, and "
            f"{first[True][0]} is of the first kind, {first[False][0]} of the second: give {self._columns}, or arrays "
            "of shape (m, 2)"
        )


def _has_rows(batch: Any) -> bool | None:
    """Whether a batch whose first axis has length 2 has an edge in each row; None for any other, and without edges."""
    shape = () if type(batch) is tuple else _shape_of_array(batch)
    return shape[1] == 2 if len(shape) == 2 and shape[0] == 2 and shape[1] > 0 else None


def _shape_of_array(obj: Any) -> tuple[int, ...]:
    """The shape of an array, or of the array that nested lists are read like; empty for anything else."""
    if isinstance(obj, list):
        two = len(obj) == 2 and all(isinstance(row, list | np.ndarray) for row in obj)
        lengths = {len(row) if isinstance(row, list) or row.ndim else -1 for row in obj} if two else set()
        return (2, *lengths) if len(lengths) == 1 else ()
    if isinstance(obj, np.ndarray):
        return tuple(obj.shape)
    is_array = hasattr(obj, "shape") and (hasattr(obj, "__dlpack__") or hasattr(obj, "__array__"))
    is_table = is_graph(obj) or is_compressed_tensor(obj) or library_of(obj) is not None
    return tuple(obj.shape) if is_array and not is_table else ()


def coerce_pair(u: Any, v: Any, threads: int = 1, places: tuple[Place, Place] = _COLUMNS) -> EdgeList:
    """The edges ``(u[i], v[i])`` of two columns, each as `landbridge.edges.id_columns.ids_of` takes it.

    Integers are not changed; text is numbered. Two tuples are two columns here. Arrays on a GPU stay there.
    """
    if on_device.is_device_array(u) or on_device.is_device_array(v):
        edges = on_device.edges_of((u, v))
        assert isinstance(edges, EdgeList)
        return edges
    a, b = ids_of(u, places[0]), ids_of(v, places[1])
    if isinstance(a, tuple) and isinstance(b, tuple):
        same_length(len(a[0]) - 1, len(b[0]) - 1, places)
        from landbridge.edges.formats.doubtful_names import with_notes_of_names  # of text alone

        return with_notes_of_names(number_names(a, b, threads))
    if isinstance(a, tuple) or isinstance(b, tuple):
        lengths = [len(x[0]) - 1 if isinstance(x, tuple) else len(x) for x in (a, b)]
        same_length(lengths[0], lengths[1], places)
        text, number = ("u", "v") if isinstance(a, tuple) else ("v", "u")
        raise InputError(f"{text} holds text and {number} holds numbers; both must hold the same kind of ids")
    same_length(len(a), len(b), places)
    a, b = common(a, b, places)
    return EdgeList(a, b)


def _numbers(obj: Any, place: Place) -> IdArray:
    ids = ids_of(obj, place)
    if isinstance(ids, tuple):
        raise place.error_of_kind("text")
    return ids


# matrices ----------------------------------------------------------------------------------------------------------


def is_graph(obj: Any) -> bool:
    """Whether an object in memory is a whole graph: a sparse matrix or a NetworkX graph."""
    return is_sparse_matrix(obj) or _is_networkx(obj)


def is_sparse_matrix(obj: Any) -> bool:
    """Whether an object is a sparse matrix or array of SciPy."""
    return type(obj).__module__.startswith("scipy.sparse") and hasattr(obj, "tocsr")


def _from_sparse(matrix: Any) -> Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix is square, not of shape {matrix.shape}")
    n = int(matrix.shape[0])
    if matrix.format == "coo":
        row, col = (matrix.row, matrix.col) if hasattr(matrix, "row") else matrix.coords
        return replace(coerce_pair(row, col), num_vertices=n)
    # The CSC arrays of a matrix are the CSR arrays of its transpose, which has the same components.
    compressed = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
    offsets = _offsets(compressed.indptr)
    # SciPy allows arrays longer than the entries: what follows the last row is spare room.
    return Adjacency(offsets, _contiguous_ids(compressed.indices, "indices")[: max(0, int(offsets[-1]))])


def _contiguous_ids(obj: Any, what: str) -> IdArray:
    return np.ascontiguousarray(_numbers(obj, Place(what, "", kinds=_NUMBERS)))


def _offsets(obj: Any) -> IdArray:
    array = _contiguous_ids(obj, "offsets")
    if array.dtype.kind != "u":
        return array
    signed = array.astype(np.int64)
    if len(signed) and int(signed.min()) < 0:
        i = int(np.argmax(signed < 0))
        raise Place("offsets", "").error_at(i, f"= {array[i]} does not fit int64")
    return signed


def _is_networkx(obj: Any) -> bool:
    return hasattr(obj, "adjacency") and hasattr(obj, "nodes") and hasattr(obj, "is_directed")

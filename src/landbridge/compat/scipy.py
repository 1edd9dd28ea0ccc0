"""SciPy's signature: `connected_components` takes the place of the function of `scipy.sparse.csgraph`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import landbridge

__all__ = ["connected_components"]

_REAL = "biuf"
"""Kinds of numbers whose matrices need no conversion by SciPy."""


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> int | tuple[int, NDArray[Any]]:
    """Connected components as `scipy.sparse.csgraph.connected_components` returns them, with its parameters and types.

    Parameters
    ----------
    csgraph : array, masked array, sparse array or sparse matrix, shape (n, n)
        A stored entry of a sparse one is an edge, explicit zeros too. Of a dense one zeros, infinities and NaN are no
        edges; of a masked one every value that is not masked is an edge.
    directed : bool, default True
        Whether edges have a direction; weak components are the same in both cases.
    connection : {"weak", "strong"}, default "weak"
        Strong components of a directed graph are SciPy's: it computes them.
    return_labels : bool, default True
        Whether labels are returned, too.

    Returns
    -------
    n_components : int
    labels : array of int32, shape (n,)
        int64 from 2^31 vertices on, which SciPy does not take.

    Raises
    ------
    ValueError, TypeError, AttributeError
        As SciPy does. A sparse matrix whose indices are out of range raises `landbridge.InputError`.

    Notes
    -----
    O(n + m), on the processors of the process. Nothing is copied of CSR, CSC and COO; others are converted. For strong
    components a matrix that holds an entry more than once is copied without repeats: SciPy's search does not end on it.

    Examples
    --------
    >>> import scipy.sparse
    >>> from landbridge.compat.scipy import connected_components
    >>> count, labels = connected_components(scipy.sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    >>> count, labels.tolist()
    (2, [0, 0, 1])
    """
    words = connection.lower() if isinstance(connection, str) else ""
    weak = words == "weak" or (words == "strong" and not directed)
    edges = _edges_of(csgraph) if weak else None
    if edges is None:  # SciPy's answer, or SciPy's error
        from scipy.sparse.csgraph import connected_components as of_scipy

        matrix = _without_repeats(csgraph)
        answer: int | tuple[int, NDArray[Any]] = of_scipy(matrix, directed, connection, return_labels)
        return answer
    result = landbridge.components(edges)
    return (result.count, result.labels) if return_labels else result.count


def _without_repeats(matrix: Any) -> Any:
    """A matrix for SciPy, whose strong components never end for a row that holds a column more than once."""
    if getattr(matrix, "format", "") not in ("csr", "csc", "bsr") or matrix.has_canonical_format:
        return matrix
    once = matrix.copy()
    once.sum_duplicates()
    return once


def _edges_of(matrix: Any) -> Any:
    """What `landbridge.components` takes; None for what SciPy converts, or refuses."""
    shape: tuple[Any, ...] = getattr(matrix, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or getattr(getattr(matrix, "dtype", None), "kind", "") not in _REAL:
        return None
    if type(matrix).__module__.startswith("scipy.sparse"):
        return matrix if matrix.format in ("csr", "csc", "coo") else matrix.tocsr()
    if not isinstance(matrix, np.ndarray):
        return None
    if isinstance(matrix, np.ma.MaskedArray):
        return _rows(~np.ma.getmaskarray(matrix))
    values = np.asarray(matrix)
    edge = values != 0
    if values.dtype.kind == "f":
        edge &= np.isfinite(values)
    return _rows(edge)


def _rows(edge: NDArray[np.bool_]) -> landbridge.CSR:
    """The True entries of a dense matrix as a CSR."""
    n = len(edge)
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(edge, axis=1), out=offsets[1:])
    return landbridge.CSR(offsets, np.nonzero(edge)[1])

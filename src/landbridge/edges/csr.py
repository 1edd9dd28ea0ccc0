"""A CSR as two arrays: the class that callers make, and the tensors of PyTorch that are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from landbridge.errors import InputError
from landbridge.flags import flag_or_none
from landbridge.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class CSR:
    """A graph as CSR arrays: the neighbours of vertex x are ``neighbors[offsets[x]:offsets[x + 1]]``.

    Goes wherever a graph does: `components`, `spanning_forest`, `Graph`, `explain`, `estimate_memory` and the checks.

    Parameters
    ----------
    offsets : array, shape (n + 1,)
        Ascending from 0 to m. 32- or 64-bit integers of NumPy, CuPy, PyTorch, JAX, or a sequence.
    neighbors : array, shape (m,)
        Vertices from 0 to n - 1, in any order, duplicates and loops among them, of the same libraries. In the same
        memory as `offsets`.
    symmetric : bool, optional
        True promises that each undirected edge is stored in the rows of both endpoints, as for `Graph`. Without the
        promise every plan is still right; some read more.

    Notes
    -----
    The arrays are referenced, not copied, and checked where the graph is used. Arrays on a GPU stay there, and so do
    the labels. `scipy.sparse` and `cupyx.scipy.sparse` matrices and the sparse CSR tensors of PyTorch need no CSR: they
    are graphs themselves.

    Examples
    --------
    >>> rows = landbridge.CSR([0, 1, 2, 2], [1, 0], symmetric=True)
    >>> landbridge.components(rows).labels.tolist()
    [0, 0, 1]
    """

    offsets: Array | Sequence[int]
    neighbors: Array | Sequence[int]
    symmetric: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "symmetric", flag_or_none("symmetric", self.symmetric))


def is_compressed_tensor(obj: Any) -> bool:
    """Whether an object is a sparse CSR tensor of PyTorch, which need not be installed."""
    return hasattr(obj, "crow_indices") and str(getattr(obj, "layout", "")) == "torch.sparse_csr"


def rows_of(obj: Any) -> CSR | None:
    """A CSR, or a tensor that is one, as a CSR; None for anything else."""
    if isinstance(obj, CSR):
        return obj
    if not is_compressed_tensor(obj):
        return None
    shape = tuple(obj.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"an adjacency matrix is square, not of shape {shape}")
    return CSR(obj.crow_indices(), obj.col_indices())

"""Verification of ranks that shares no code with the engines."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from landbridge import _core
from landbridge.edges.successors import lists_of
from landbridge.errors import CheckFailed, InputError
from landbridge.result import Ranking


def check_ranks(
    successor: Any,
    ranks: Any,
    *,
    weights: Any = None,
    values: Any = None,
    op: Literal["sum", "min", "max"] = "sum",
    origin: Literal["tail", "head"] | None = None,
    exclusive: bool = False,
) -> None:
    """Raise CheckFailed unless ``ranks`` is what `rank_list` or, with ``values``, `scan_list` has to return.

    ranks: shape (n,) numbers, or a Ranking, whose tails are checked as well. The other parameters: as for those
    functions; origin is "tail" for ranks and "head" for scans if it is not given.
    The message names the first element whose value is wrong, and the right one, or what makes the successors no lists.
    Float sums may differ by what rounding explains. Serial: O(n) time, 40 bytes an element.
    """
    if weights is not None and values is not None:
        raise InputError("weights belong to rank_list and values to scan_list; give one of them")
    scans = values is not None
    lists = lists_of(_host(successor), _host(values if scans else weights), "values" if scans else "weights")
    tails = None
    if isinstance(ranks, Ranking):
        ranks, tails = ranks.ranks, ranks.tails
    n = len(lists)
    have = _numbers(_host(ranks), n, "ranks")
    from_head = (origin or ("head" if scans else "tail")) == "head"
    given = lists.values
    if given is not None and given.dtype == np.float64:
        have = have.astype(np.float64)
    elif have.dtype.kind == "f":
        raise CheckFailed(f"ranks are {have.dtype}, and whole numbers are right")
    else:
        have = have.astype(np.int64)
    leave_out = exclusive if scans else from_head
    links = not scans
    if given is None:
        given = np.ones(n, dtype=np.int64)
    problem = _core.check_scan(lists.successor, given, op if scans else "sum", from_head, leave_out, links, have)
    if not problem and tails is not None:
        # A tail is the largest index among itself, so the maximum over a list of "i if i is a tail" names it.
        own = np.arange(n, dtype=np.int64)
        ends = (lists.successor == own) | (lists.successor == -1)
        marks = np.where(ends, own, -1)
        problem = _core.check_scan(
            lists.successor, marks, "max", False, False, False, _numbers(_host(tails), n, "tails").astype(np.int64)
        )
        problem = problem and f"tails: {problem}"
    if problem:
        raise CheckFailed(problem)


def _numbers(array: Any, n: int, what: str) -> Any:
    found = np.asarray(array)
    if found.ndim != 1 or found.dtype.kind not in "iuf":
        raise InputError(f"{what} must be a one-dimensional array of numbers, not {found.dtype} of shape {found.shape}")
    if len(found) != n:
        raise CheckFailed(f"there are {len(found)} {what} for {n} elements")
    return found


def _host(array: Any) -> Any:
    if hasattr(array, "__cuda_array_interface__"):
        from landbridge.device import cuda

        return cuda.cupy().asarray(array).get()
    return array

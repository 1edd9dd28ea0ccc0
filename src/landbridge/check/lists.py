"""Verification of ranks that shares no code with the engines."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from landbridge import _core
from landbridge.edges.number_columns import values_of
from landbridge.edges.place import Place
from landbridge.edges.successors import is_from_head, lists_of, refuse_other_operation
from landbridge.errors import CheckFailed, InputError
from landbridge.flags import flag
from landbridge.limits import with_timeout
from landbridge.result import Ranking
from landbridge.typing import Numbers, Successors


@with_timeout
def check_ranks(
    successor: Successors,
    ranks: Ranking | Numbers,
    *,
    weights: Numbers | None = None,
    values: Numbers | None = None,
    op: Literal["sum", "min", "max"] = "sum",
    origin: Literal["tail", "head"] | None = None,
    exclusive: bool = False,
    timeout: float | None = None,
) -> None:
    """Raise CheckFailed unless `ranks` is what `rank_list` or, with `values`, `scan_list` has to return.

    Parameters
    ----------
    successor : Successors
        As for `rank_list`.
    ranks : Ranking or Numbers
        Shape (n,) numbers, or a `Ranking`, whose tails are checked as well.
    weights : Numbers, optional
        As for `rank_list`.
    values : Numbers, optional
        As for `scan_list`.
    op : {"sum", "min", "max"}
        As for `scan_list`.
    origin : {"tail", "head"}, optional
        By default "tail" for ranks and "head" for scans.
    exclusive : bool, default False
        As for `scan_list`.
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.

    Raises
    ------
    CheckFailed
        Naming the first element whose value is wrong, and the right one.
    ListError
        Naming what makes the successors no lists.
    InputError
        For shapes and types, and for weights beside values.

    Notes
    -----
    Float sums may differ by what rounding explains. Serial: O(n) time, 40 bytes per element.

    Examples
    --------
    >>> landbridge.check_ranks([1, 2, 2, 0], [2, 1, 0, 3])
    """
    if weights is not None and values is not None:
        raise InputError("weights belong to rank_list and values to scan_list; give one of them")
    scans, exclusive = values is not None, flag("exclusive", exclusive)
    refuse_other_operation(op)
    if not scans and op != "sum":
        raise InputError(f"op={op!r} would have no effect: it is of scans, and there are no values")
    from_head = is_from_head(("head" if scans else "tail") if origin is None else origin)
    lists = lists_of(_host(successor), _host(values if scans else weights), "values" if scans else "weights")
    numbers, tails = (ranks.ranks, ranks.tails) if isinstance(ranks, Ranking) else (ranks, None)
    n = len(lists)
    answer = _numbers(_host(numbers), n, "ranks")
    terms = np.ones(n, dtype=np.int64) if lists.values is None else lists.values
    if terms.dtype == np.float64:
        answer = answer.astype(np.float64)
    elif answer.dtype.kind == "f":
        raise CheckFailed(f"ranks are {answer.dtype}, and whole numbers are right")
    else:
        answer = answer.astype(np.int64)
    spec = _core.ScanSpec(op, from_head, exclusive if scans else from_head, not scans)
    problem = _core.check_scan(lists.successor, terms, spec, answer)
    if not problem and tails is not None:
        # The maximum over a list of "i if i is a tail, else -1" is the list's tail.
        own = np.arange(n, dtype=np.int64)
        is_tail = (lists.successor == own) | (lists.successor == -1)
        largest = _core.ScanSpec("max", False, False, False)
        answer = _numbers(_host(tails), n, "tails").astype(np.int64)
        problem = _core.check_scan(lists.successor, np.where(is_tail, own, -1), largest, answer)
        problem = problem and f"tails: {problem}"
    if problem:
        raise CheckFailed(problem)


def _numbers(array: Any, n: int, what: str) -> Any:
    numbers = values_of(array, Place(what, "element"))
    if numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "iuf":
        shape = f"{numbers.dtype} of shape {numbers.shape}"
        raise InputError(f"{what} must be a one-dimensional array of numbers, not {shape}")
    if len(numbers) != n:
        raise CheckFailed(f"there are {len(numbers)} {what} for {n} elements")
    if numbers.dtype == np.uint64 and n and int(numbers.max()) >= 2**63:
        i = int((numbers >= 2**63).argmax())
        raise CheckFailed(f"element {i}: {what} = {int(numbers[i])} is beyond 2^63, which no right one is")
    return numbers


def _host(array: Any) -> Any:
    if hasattr(array, "__cuda_array_interface__"):
        from landbridge.device import cuda

        return cuda.cupy().asarray(array).get()
    return array

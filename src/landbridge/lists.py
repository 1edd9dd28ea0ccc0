"""List ranking and scans over linked lists."""

from __future__ import annotations

from typing import Any, Literal, overload

from landbridge.edges.successors import Lists, ScanSpec, is_from_head, lists_of, refuse_other_operation
from landbridge.errors import InputError
from landbridge.flags import flag
from landbridge.limits import with_timeout
from landbridge.plan import RankPlan
from landbridge.problems import PROBLEMS
from landbridge.result import Ranking
from landbridge.typing import Device, Devices, Numbers, PlanText, Successors

Origin = Literal["tail", "head"]


@overload
def rank_list(
    successor: Successors,
    *,
    plan: PlanText | RankPlan = "auto",
    weights: Numbers | None = None,
    device: Device = "auto",
    devices: Devices | None = None,
    threads: int | None = None,
    origin: Origin = "tail",
    full: Literal[False] = False,
    timeout: float | None = None,
) -> Any: ...
@overload
def rank_list(
    successor: Successors,
    *,
    plan: PlanText | RankPlan = "auto",
    weights: Numbers | None = None,
    device: Device = "auto",
    devices: Devices | None = None,
    threads: int | None = None,
    origin: Origin = "tail",
    full: Literal[True],
    timeout: float | None = None,
) -> Ranking: ...
@with_timeout
def rank_list(
    successor: Successors,
    *,
    plan: PlanText | RankPlan = "auto",
    weights: Numbers | None = None,
    device: Device = "auto",
    devices: Devices | None = None,
    threads: int | None = None,
    origin: Origin = "tail",
    full: bool = False,
    timeout: float | None = None,
) -> Any:
    """The distance of every element of linked lists to the tail of its list.

    Parameters
    ----------
    successor : Successors
        Shape (n,), 32- or 64-bit integers: the element after each. A tail has itself or -1. The array may hold any
        number of lists; heads are the elements that are no successor of another, wherever they are.
    plan : PlanText or RankPlan, default "auto"
        "auto", or a plan's text such as ``"random_splitter(4096)"`` (see ``plans("list_ranking")``).
    weights : Numbers, optional
        Shape (n,), the length of the link from each element to its successor; that of a tail does not count. Integers
        are added exactly, so those from 2^63 on are refused; floats give float64.
    device : Device, default "auto"
        "cpu", "gpu", or "auto": where the successors are.
    devices : Devices, optional
        Several processors, such as ``[0, 1]`` for two GPUs, which divide the elements among them where the memory of
        none holds them all; see the notes.
    threads : int, optional
        How many threads; by default one for each 2^16 elements, and at most all processors of this process.
    origin : {"tail", "head"}
        "head" for the distance from the head of the list.
    full : bool, default False
        Return a `Ranking`, which also has the tail of each element's list, the plan and a profile.
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.

    Returns
    -------
    array or Ranking
        Shape (n,): int32 below 2^31 elements, else int64; int64 or float64 with weights. Successors on a GPU give an
        array of CuPy. The same from every plan, device and thread count; sums of floats differ between plans in their
        last bits, and are the same in every run of one (of helman_jaja: with the same number of threads). Of lists that
        are divided among processors of one kind they are the same for any number of these.

    Raises
    ------
    ListError
        For successors that are no lists (out of range, two predecessors, a cycle), naming an element.
    InputError
        Naming the element that is no number; for shapes and types, and for integer weights whose sizes, over all lists,
        add up to 2^63 and more.
    InvalidPlan
        For a plan that does not parse.
    DeviceError
        For a device that is not there or fails; of several, the message names it.
    MemoryError
        OutOfDeviceMemory, which is a DeviceError, too, on a GPU.

    Notes
    -----
    O(n) work; beyond the ranks 12 bytes per element and 32 per list for "auto" without weights. Source: reidmiller1994;
    the page on list ranking has the others.

    With `devices` a processor that has memory for all elements ranks them alone. Otherwise each processor holds a
    range of the elements: 9 bytes for each of them (17 from 2^31 elements on, of all ranges), 13 with weights, and
    up to 3 for what it works on. None holds more than its range, but for the one that ranks what is left of the
    lists when all but one in 512 have been removed: 1 byte for every 4 elements of all ranges. Successors and ranks
    stay where the caller has the successors.

    Examples
    --------
    >>> landbridge.rank_list([1, 2, 2, 0])
    array([2, 1, 0, 3], dtype=int32)
    >>> landbridge.rank_list([1, 2, 2, 0], weights=[5, 7, 9, 2]).tolist()
    [12, 7, 0, 14]
    """
    from_head, full = is_from_head(origin), flag("full", full)
    scan = ScanSpec("sum", from_head, exclusive=from_head, of_links=True, tails=full)
    answer = _solve(lists_of(successor, weights, "weights", scan), plan, device, devices, threads)
    return answer if full else answer.ranks


@with_timeout
def scan_list(
    successor: Successors,
    values: Numbers,
    *,
    op: Literal["sum", "min", "max"] = "sum",
    origin: Origin = "head",
    exclusive: bool = False,
    plan: PlanText | RankPlan = "auto",
    device: Device = "auto",
    devices: Devices | None = None,
    threads: int | None = None,
    full: bool = False,
    timeout: float | None = None,
) -> Any:
    """The sum, minimum or maximum of the values from one end of a list to each of its elements.

    Parameters
    ----------
    successor : Successors
        As for `rank_list`.
    values : Numbers
        Shape (n,), integers (exact; the result is int64) or floats (float64; a value that is not a number makes every
        result that contains it one).
    op : {"sum", "min", "max"}
        How they are combined.
    origin : {"head", "tail"}
        "head" for what lies between the head and the element, "tail" for what lies between it and the tail.
    exclusive : bool, default False
        Leave out the element's own value; the first then gets 0, or the largest or smallest number for min and max.
    plan, device, devices, threads, full, timeout : optional
        As for `rank_list`.

    Returns
    -------
    array or Ranking
        Shape (n,): int64 or float64, where the successors are.

    Raises
    ------
    ListError, InputError, InvalidPlan, DeviceError
        As `rank_list` does.

    Notes
    -----
    Cost and source as for `rank_list` (reidmiller1994).

    Examples
    --------
    >>> landbridge.scan_list([1, 2, 2, 0], [10, 20, 30, 40]).tolist()
    [50, 70, 100, 40]
    >>> landbridge.scan_list([1, 2, 2, 0], [10, 20, 30, 40], op="max").tolist()
    [40, 40, 40, 40]
    """
    from_head, full = is_from_head(origin), flag("full", full)
    refuse_other_operation(op)
    scan = ScanSpec(op, from_head, flag("exclusive", exclusive), tails=full)
    lists = lists_of(successor, values, "values", scan)
    if values is None:
        raise InputError("values are needed: one for each element")
    answer = _solve(lists, plan, device, devices, threads)
    return answer if full else answer.ranks


def _solve(lists: Lists, plan: str | RankPlan, device: str, devices: Devices | None, threads: int | None) -> Ranking:
    request = PROBLEMS["list_ranking"].request(plan, device, threads, devices=devices)
    answer: Ranking = request.solve(lists, lists.on_device, len(lists))
    return answer
